import fc from 'fast-check';
import type { Database } from '../src/database/database.ts';
import { delayDatabase, type RandomBelow } from './delayed-database.ts';
import { checkDocumentScope } from './document-scope.ts';

/**
 * Wraps the database of tests: checks that units only change their own document, and with `ANSWERS=late` delays and
 * reorders operations.
 */
export function instrumentDatabase(database: Database): Database {
  const checked = checkDocumentScope(database);
  return process.env['ANSWERS'] === 'late'
    ? delayDatabase(checked, createSeededRandom(fc.readConfigureGlobal().seed ?? 0))
    : checked;
}

/** Deterministic random numbers (mulberry32). */
export function createSeededRandom(seed: number): RandomBelow {
  let state = seed | 0;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}
