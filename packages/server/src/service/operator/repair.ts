import { type Database, openStore, type Statement, StoreError, type StoreLocation } from '@cellwire/store';
import { readNewestCommits, writeNewestCommits } from '@cellwire/store/documents';
import {
  listCheckedColumns,
  SEALED_TABLES,
  type SealedTable,
  sealMissing,
  selectPieces,
} from '@cellwire/store/stored-forms';
import { openSnapshot, type TransferSnapshot, toNamedRow } from '@cellwire/store/transfer';
import { readDocument } from '../../documents/load-state.ts';

interface RepairResult {
  /** Number of rows of older versions that got checksums. */
  readonly sealed: number;
  /** Number of documents whose lost commits are accepted. */
  readonly accepted: number;
}

/**
 * Adds checksums to rows of older versions, if their documents open, and accepts lost commits. It may run while the
 * service runs: rows that the service has written since are not changed.
 */
export async function repairStore(store: StoreLocation, dataFolder: string): Promise<RepairResult> {
  const database = await openStore(store, 'command');
  try {
    const moment = await openSnapshot(store);
    try {
      let sealed = 0;
      const opens = new Map<string, boolean>();
      for (const table of SEALED_TABLES) sealed += await sealTable(database, moment, table, opens);
      return { sealed, accepted: await acceptLosses(dataFolder) };
    } finally {
      await moment.close();
    }
  } finally {
    await database.close();
  }
}

/**
 * Adds missing checksums to the rows of a table, in documents that can be opened. Returns the number of changed rows.
 * `opens`: which documents can be opened, as far as known.
 */
async function sealTable(
  database: Database,
  snapshot: TransferSnapshot,
  table: SealedTable,
  opens: Map<string, boolean>,
): Promise<number> {
  const columns = listCheckedColumns(table).map((name) => ({ name, kind: 'bytes' as const }));
  let sealed = 0;
  for await (const rows of snapshot.rows({ columns }, { sql: selectPieces(table), parameters: [] })) {
    for (const row of rows) {
      const rowObject = toNamedRow({ columns }, row);
      const statement = sealMissing(table, rowObject);
      const document = String(rowObject['document_id'] ?? rowObject['id']);
      if (statement === null || !(await canOpenDocument(database, document, opens))) continue;
      sealed += await countChangedRows(database, document, statement);
    }
  }
  return sealed;
}

/** True if a document opens. A document that does not open may be damaged, and new checksums would hide that. */
async function canOpenDocument(database: Database, document: string, opens: Map<string, boolean>): Promise<boolean> {
  const cached = opens.get(document);
  if (cached !== undefined) return cached;
  const canBeRead = await readDocument(database, document).then(
    (loaded) => loaded !== null,
    () => false,
  );
  opens.set(document, canBeRead);
  return canBeRead;
}

async function countChangedRows(database: Database, document: string, statement: Statement): Promise<number> {
  const outcome = await database.write({ document, statements: [statement] });
  if (outcome.kind === 'conflict') throw new StoreError(`A checksum was refused: ${outcome.conflict}`, 'CONFLICT');
  return outcome.results[0]?.changes ?? 0;
}

async function acceptLosses(folder: string): Promise<number> {
  const { newest, losses } = readNewestCommits(folder);
  if (newest.length + losses.length === 0) return 0;
  await writeNewestCommits(folder, { newest: [], losses: [] });
  return losses.length;
}
