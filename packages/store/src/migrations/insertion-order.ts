import type { SqlColumnTypes } from '../database/dialect.ts';

/** Columns that show which commits and new documents follow a state of the database. */
export function addInsertionOrderColumns(t: SqlColumnTypes): readonly string[] {
  return ['commits', 'checkpoints'].flatMap(t.insertionOrder);
}
