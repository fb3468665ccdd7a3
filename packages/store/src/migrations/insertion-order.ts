import type { SqlColumnTypes } from '../database/dialect.ts';

/** Columns that show which commits and new documents follow a state of the database. */
export function insertionOrder(t: SqlColumnTypes): readonly string[] {
  return ['commits', 'checkpoints'].flatMap(t.insertionOrder);
}
