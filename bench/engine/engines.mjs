/** The compared engines, ours first. */
export const ENGINES = ['cellwire', 'hyperformula', 'o-spreadsheet', 'ironcalc'];

export function importEngine(name) {
  return import(`./engines/${name}.mjs`);
}
