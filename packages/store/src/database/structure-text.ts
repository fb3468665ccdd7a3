declare const structureText: unique symbol;

/**
 * Operations as JSON text, which `commits.structure` and `notifications.structure` keep: `[{ "insertRows": { … },
 * "sheets": [1] }]`. It holds what some readers may not see.
 */
export type StructureText = string & { readonly [structureText]: true };
