declare const structureText: unique symbol;

/**
 * Operations as JSON text, stored in `commits.structure` and `notifications.structure`: `[{ "insertRows": { … },
 * "sheets": [1] }]`. It may contain data that some readers must not see.
 */
export type StructureText = string & { readonly [structureText]: true };
