/** A function as the build tells of it: `[name, family, arguments, those that repeat, what it does]`. */
export type FunctionRow = readonly [string, string, readonly string[], readonly string[], string];
