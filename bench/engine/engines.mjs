/** The compared engines, ours first. */
export const ENGINES = ['cellwire', 'hyperformula', 'o-spreadsheet', 'ironcalc'];

/** Imports the adapter of an engine by its name. */
export function importEngine(name) {
  return import(`./engines/${name}.mjs`);
}
