import { checkpointWithWriters, deltaWithWriters, inverseWithWriters } from '@cellwire/engine';
import { TRANSFER_BATCH_ROWS } from '../../limits/limits.ts';
import { BUNDLE_TABLES, COMMITS, type NamedRow, rowsOfDocument, USERS, usersById } from '../../store/bundle.ts';
import type { Database } from '../../store/database.ts';
import { writeArchive } from '../../store/transfer/archive-writer.ts';
import type { Row, Source, TableShape } from '../../store/transfer/shape.ts';

/**
 * Writes a document with its history into a new file, as it is at this moment; its size in bytes. Null where there is no
 * such document. Rejects with `StoreError` (`EXISTS`) where there is a file of that name.
 */
export async function writeBundle(database: Database, id: string, to: string, now: number): Promise<number | null> {
  const found = await database.readAll(BUNDLE_TABLES.map((table) => rowsOfDocument(table, id)));
  const rows = new Map<TableShape, readonly NamedRow[]>(BUNDLE_TABLES.map((table, i) => [table, found[i] ?? []]));
  if (found[0]?.length !== 1) return null;
  const ids = usersIn(rows);
  const named = ids.length === 0 ? [] : await database.read(usersById(ids));
  rows.set(
    USERS,
    named.map((user) => ({ ...user })),
  );
  const head = { holds: 'document' as const, at: new Date(now).toISOString(), key: null };
  return writeArchive(to, sourceOf(rows), head, () => {});
}

/** Everybody whom the rows name, and the writers of formulas. */
function usersIn(rows: ReadonlyMap<TableShape, readonly NamedRow[]>): readonly number[] {
  const found = new Set<number>();
  const add = (user: unknown): void => {
    if (typeof user === 'number' && user > 0) found.add(user);
  };
  const note = (writer: number): number => {
    add(writer);
    return writer;
  };
  for (const [table, list] of rows) {
    for (const row of list) {
      for (const column of ['owner_id', 'user_id', 'author_id']) add(row[column]);
      if (typeof row['allowed'] === 'string') for (const user of JSON.parse(row['allowed']) as unknown[]) add(user);
      if (row['meta'] instanceof Uint8Array) checkpointWithWriters(row['meta'], note);
      if (table !== COMMITS) continue;
      deltaWithWriters(row['delta'] as Uint8Array, note);
      if (row['inverse'] instanceof Uint8Array) inverseWithWriters(row['inverse'], note);
    }
  }
  return [...found].sort((a, b) => a - b);
}

function sourceOf(rows: ReadonlyMap<TableShape, readonly NamedRow[]>): Source {
  const tables = bundleShapes();
  const listed = (table: TableShape) => [...rows].find(([{ name }]) => name === table.name)?.[1] ?? [];
  return {
    migrations: [],
    tables,
    serials: {},
    counts: Object.fromEntries(tables.map((table) => [table.name, listed(table).length])),
    rows: (table) => inParts(table, listed(table)),
    close: async () => {},
  };
}

/** The tables of a bundle in their order, without what only this database knows. */
export function bundleShapes(): readonly TableShape[] {
  const [document, ...others] = BUNDLE_TABLES;
  return [document, USERS, ...others].map(({ name, columns, key, serial }) => ({ name, columns, key, serial }));
}

async function* inParts({ columns }: TableShape, rows: readonly NamedRow[]): AsyncGenerator<readonly Row[]> {
  for (let from = 0; from < rows.length; from += TRANSFER_BATCH_ROWS) {
    const part = rows.slice(from, from + TRANSFER_BATCH_ROWS);
    yield part.map((row) => columns.map(({ name }) => row[name] ?? null));
  }
}
