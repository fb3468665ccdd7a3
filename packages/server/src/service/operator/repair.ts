import { type Database, openStore, type Statement, StoreError, type StoreLocation } from '@cellwire/store';
import { bumpAccessEpoch } from '@cellwire/store/accounts';
import { readNewestCommits, writeNewestCommits } from '@cellwire/store/documents';
import {
  acceptRow,
  INDEPENDENT_TABLES,
  type IndependentTable,
  isIndependentTable,
  listCheckedColumns,
  listIndependentColumns,
  listKeyColumns,
  SEALED_TABLES,
  type SealedTable,
  sealMissing,
  selectIndependentRows,
  selectPieces,
} from '@cellwire/store/stored-forms';
import { openSnapshot, type TransferSnapshot, toNamedRow } from '@cellwire/store/transfer';
import { readDocument } from '../../documents/load-state.ts';
import { invalidRequest, isRefusal, type Refusal } from '../refusal.ts';
import { formatRowName, parseRowName } from './row-names.ts';

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
  return withSnapshot(store, async (database, moment) => {
    let sealed = 0;
    const opens = new Map<string, boolean>();
    for (const table of [...SEALED_TABLES, ...INDEPENDENT_TABLES])
      sealed += await sealTable(database, moment, table, opens);
    return { sealed, accepted: await acceptLosses(dataFolder) };
  });
}

/**
 * Stores new checksums of damaged rows as they are. `names`: the rows, as `formatRowName` names them. Returns the number
 * of rows; refuses if one does not exist. The service may run: a row that it has written since is not changed.
 */
export async function acceptDamagedRows(store: StoreLocation, names: readonly string[]): Promise<number | Refusal> {
  const keys = names.map(parseRowName);
  const wrong = keys.find(isRefusal);
  if (wrong !== undefined) return wrong;
  return withSnapshot(store, async (database, moment) => {
    const statements = new Map<string, { readonly document: string | null; readonly statement: Statement }>();
    for (const table of new Set(keys.flatMap((key) => (isRefusal(key) ? [] : key.table)))) {
      for await (const row of readNamedRows(moment, table)) {
        const name = formatRowName({ table, key: listKeyColumns(table).map((column) => row[column] ?? null) });
        const document = findDocument(table, row);
        if (names.includes(name)) statements.set(name, { document, statement: acceptRow(table, row) });
      }
    }
    const missing = names.find((name) => !statements.has(name));
    if (missing !== undefined) return invalidRequest('accept', `There is no row ${missing}`);
    let accepted = 0;
    for (const { document, statement } of statements.values())
      accepted += await countChangedRows(database, document, statement);
    await database.write({ document: null, statements: [bumpAccessEpoch({})] });
    return accepted;
  });
}

type StoredRow = ReturnType<typeof toNamedRow>;

/** Runs a task with the database and one moment of it. */
async function withSnapshot<Result>(
  store: StoreLocation,
  task: (database: Database, moment: TransferSnapshot) => Promise<Result>,
): Promise<Result> {
  const database = await openStore(store, 'command');
  try {
    const moment = await openSnapshot(store);
    try {
      return await task(database, moment);
    } finally {
      await moment.close();
    }
  } finally {
    await database.close();
  }
}

/** The rows of a table with the columns that have checksums. */
async function* readNamedRows(
  snapshot: TransferSnapshot,
  table: SealedTable | IndependentTable,
): AsyncGenerator<StoredRow> {
  const isIndependent = isIndependentTable(table);
  const names = isIndependent ? listIndependentColumns(table) : listCheckedColumns(table);
  const columns = names.map((name) => ({ name, kind: 'bytes' as const }));
  const sql = isIndependent ? selectIndependentRows(table) : selectPieces(table);
  for await (const rows of snapshot.rows({ columns }, { sql, parameters: [] }))
    for (const row of rows) yield toNamedRow({ columns }, row);
}

/** The document of a row; null for a row of accounts. */
function findDocument(table: SealedTable | IndependentTable, row: StoredRow): string | null {
  if (isIndependentTable(table)) return row['document_id'] === undefined ? null : String(row['document_id']);
  return String(row['document_id'] ?? row['id']);
}

/**
 * Adds missing checksums to the rows of a table, in documents that can be opened. Returns the number of changed rows.
 * `opens`: which documents can be opened, as far as known.
 */
async function sealTable(
  database: Database,
  snapshot: TransferSnapshot,
  table: SealedTable | IndependentTable,
  opens: Map<string, boolean>,
): Promise<number> {
  let sealed = 0;
  for await (const row of readNamedRows(snapshot, table)) {
    const statement = sealMissing(table, row);
    if (statement === null) continue;
    const document = findDocument(table, row);
    const isSound =
      document === null || isIndependentTable(table) || (await canOpenDocument(database, document, opens));
    if (isSound) sealed += await countChangedRows(database, document, statement);
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

/** Runs a statement on a document, or on accounts. Returns the number of rows that it changed. */
async function countChangedRows(database: Database, document: string | null, statement: Statement): Promise<number> {
  const outcome = await database.write({ document, statements: [statement] });
  if (outcome.kind === 'conflict') throw new StoreError(`A checksum was refused: ${outcome.conflict}`, 'CONFLICT');
  return outcome.results[0]?.changes ?? 0;
}

/** Forgets the newest commits that the file remembers. Returns how many losses it had listed. */
async function acceptLosses(folder: string): Promise<number> {
  const { newest, losses } = readNewestCommits(folder);
  if (newest.length + losses.length === 0) return 0;
  await writeNewestCommits(folder, { newest: [], losses: [] });
  return losses.length;
}
