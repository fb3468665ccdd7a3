import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';

const ENGINE = new URL('../results/engine.json', import.meta.url);
const FLOORS = new URL('../results/floors.json', import.meta.url);

/** The latest results of each workload, and of its growth. */
export function loadEngineResults() {
  return loadResultsFile(ENGINE) ?? { workloads: {}, growth: {} };
}

export function saveEngineResults(results) {
  saveResultsFile(ENGINE, results);
}

/** Returns `{ machine, ms }` with the milliseconds of each plain loop; null if they were never measured. */
export function loadFloorResults() {
  return loadResultsFile(FLOORS);
}

export function saveFloorResults(results) {
  saveResultsFile(FLOORS, results);
}

/** Parses a file of stored results; null if it does not exist. */
function loadResultsFile(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null;
}

/** Stores results as JSON. */
function saveResultsFile(file, results) {
  mkdirSync(new URL('.', file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(results, null, 1)}\n`);
}
