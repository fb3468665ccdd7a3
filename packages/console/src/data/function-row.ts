/** A function in the generated module: `[name, family, arguments, repeating arguments, description]`. */
export type FunctionRow = readonly [string, string, readonly string[], readonly string[], string];
