import { checkpointWithWriters, deltaWithWriters, inverseWithWriters } from '@cellwire/engine';
import type { StoreLocation } from '@cellwire/store';
import {
  BASE_CHUNKS,
  BUNDLE_TABLES,
  type BundleRow,
  type BundleTable,
  CHUNKS,
  COMMITS,
  DOCUMENT,
  openSnapshot,
  queryDocumentRows,
  queryRowCount,
  queryUsersById,
  shapeStoredRows,
  type TableShape,
  type TransferSnapshot,
  type TransferSource,
  toNamedRow,
  USERS,
  unsealBundleRow,
  writeArchive,
} from '@cellwire/store/transfer';

/** Rows of these tables contain no user ids. */
const CELL_TABLES: ReadonlySet<BundleTable> = new Set([CHUNKS, BASE_CHUNKS]);
const COUNT_SHAPE: Pick<TableShape, 'columns'> = { columns: [{ name: 'count', kind: 'number' }] };

/**
 * Writes a document and its history, read at one moment, to a new file, and returns the file's size in bytes. Null if
 * there is no such document. Rejects with `StoreError` (`EXISTS`) if the file exists. Rows are read twice, because the
 * users come first in the file, and held in small batches.
 */
export async function writeBundle(store: StoreLocation, id: string, path: string, now: number): Promise<number | null> {
  const moment = await openSnapshot(store);
  try {
    const counts = await countTableRows(moment, id);
    if (counts[DOCUMENT.name] !== 1) return null;
    const users = await collectUsers(moment, id);
    const head = { holds: 'document' as const, at: new Date(now).toISOString(), key: null };
    return await writeArchive(path, createBundleSource(moment, id, { users, counts }), head, () => {});
  } finally {
    await moment.close();
  }
}

async function countTableRows(snapshot: TransferSnapshot, id: string): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (const table of BUNDLE_TABLES) {
    for await (const [row] of snapshot.rows(COUNT_SHAPE, queryRowCount(table, id)))
      counts[table.name] = Number(row?.[0]);
  }
  return counts;
}

/** All existing users that the rows mention, including writers of formulas. */
async function collectUsers(snapshot: TransferSnapshot, id: string): Promise<readonly number[]> {
  const found = new Set<number>();
  const noteUser = (writer: number): number => {
    if (writer > 0) found.add(writer);
    return writer;
  };
  for (const table of BUNDLE_TABLES.filter((one) => !CELL_TABLES.has(one))) {
    for await (const rows of readDocumentRows(snapshot, table, id)) {
      for (const row of rows) collectRowUsers(table, toNamedRow(table, row), noteUser);
    }
  }
  const userIds: number[] = [];
  for await (const rows of snapshot.rows(USERS, queryUsersById([...found])))
    for (const [user] of rows) userIds.push(Number(user));
  return userIds;
}

/** Calls `recordUser` with the id of each user that a row mentions, including writers of formulas. */
function collectRowUsers(table: BundleTable, row: BundleRow, recordUser: (user: number) => number): void {
  for (const column of ['owner_id', 'user_id', 'author_id']) {
    const user = row[column];
    if (typeof user === 'number') recordUser(user);
  }
  if (typeof row['allowed'] === 'string') for (const user of JSON.parse(row['allowed']) as number[]) recordUser(user);
  if (row['meta'] instanceof Uint8Array) checkpointWithWriters(row['meta'], recordUser);
  if (table !== COMMITS) return;
  deltaWithWriters(row['delta'] as Uint8Array, recordUser);
  if (row['inverse'] instanceof Uint8Array) inverseWithWriters(row['inverse'], recordUser);
}

interface BundleSummary {
  readonly users: readonly number[];
  readonly counts: Readonly<Record<string, number>>;
}

/** The rows of one document in a snapshot of the database, as the source that the archive writer reads. */
function createBundleSource(snapshot: TransferSnapshot, id: string, { users, counts }: BundleSummary): TransferSource {
  return {
    migrations: [],
    tables: listBundleShapes(),
    serials: {},
    counts: { ...counts, [USERS.name]: users.length },
    rows: (shape) => {
      const table = BUNDLE_TABLES.find(({ name }) => name === shape.name);
      return table === undefined ? snapshot.rows(shape, queryUsersById(users)) : readDocumentRows(snapshot, table, id);
    },
    close: async () => {},
  };
}

/** Rows of a document in stored form. Throws `DamagedDocumentError`. */
async function* readDocumentRows(snapshot: TransferSnapshot, table: BundleTable, id: string) {
  for await (const rows of snapshot.rows(shapeStoredRows(table), queryDocumentRows(table, id)))
    yield rows.map((row) => unsealBundleRow(table, id, row));
}

/** The tables of a bundle in order, without columns that have a meaning only in this database. */
export function listBundleShapes(): readonly TableShape[] {
  const [document, ...others] = BUNDLE_TABLES;
  return [document, USERS, ...others].map(({ name, columns, key, serial }) => ({ name, columns, key, serial }));
}
