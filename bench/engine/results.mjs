import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';

const ENGINE = new URL('../results/engine.json', import.meta.url);
const FLOORS = new URL('../results/floors.json', import.meta.url);

/** The latest results of each workload, and of its growth. */
export function loadEngine() {
  return load(ENGINE) ?? { workloads: {}, growth: {} };
}

export function saveEngine(results) {
  save(ENGINE, results);
}

/** Returns `{ machine, ms }` with the milliseconds of each plain loop; null if they were never measured. */
export function loadFloors() {
  return load(FLOORS);
}

export function saveFloors(results) {
  save(FLOORS, results);
}

function load(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null;
}

function save(file, results) {
  mkdirSync(new URL('.', file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(results, null, 1)}\n`);
}
