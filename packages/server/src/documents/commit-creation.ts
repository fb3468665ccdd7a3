import { type Database, type Statement, StoreError } from '@cellwire/store';

/** Stores statements of a new document as one unit. Throws if the database refuses it. `isConcurrent`: see `Unit`. */
export async function commitCreation(
  database: Database,
  document: string,
  statements: readonly Statement[],
  isConcurrent = false,
): Promise<void> {
  const outcome = await database.write({ document, statements, isConcurrent });
  if (outcome.kind === 'conflict') throw new StoreError(`A new document was refused: ${outcome.conflict}`, 'CONFLICT');
}
