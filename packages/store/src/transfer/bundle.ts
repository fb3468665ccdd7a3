import { isSealedTable, listCheckedColumns, sealRow, unsealRow } from '../database/checksum.ts';
import { compileQuery, type Query, type SqlValue, type Statement } from '../database/database.ts';
import { sql } from '../database/dialect.ts';
import { type TableShape, toNamedRow, type ValueKind } from './table-shape.ts';

/**
 * A table of a bundle, independent of the current schema: version 1 of the format (docs/file-formats.md). Its rows do
 * not contain the document id, because the document gets a new id.
 */
export interface BundleTable extends TableShape {
  /** The database table from which the rows come. */
  readonly from:
    | 'documents'
    | 'shares'
    | 'protections'
    | 'checkpoints'
    | 'chunks'
    | 'bases'
    | 'base_chunks'
    | 'commits';
}

const number: ValueKind = 'number';
const text: ValueKind = 'text';
const bytes: ValueKind = 'bytes';

/** A table of a bundle: its key, its columns, and the table `from` which its rows come. */
function defineBundleTable(
  name: string,
  from: BundleTable['from'],
  key: readonly string[],
  columns: Readonly<Record<string, ValueKind>>,
): BundleTable {
  return {
    name,
    from,
    key,
    serial: false,
    columns: Object.entries(columns).map(([column, kind]) => ({ name: column, kind })),
  };
}

const CHUNK_KEY = { sheet_id: number, column_index: number, block: number };

export const DOCUMENT = defineBundleTable('document', 'documents', [], {
  id: text,
  owner_id: number,
  title: text,
  type: text,
  format: text,
  locale: text,
  date_system: text,
  time_zone: text,
  revision: number,
  head: text,
  calculated_at: number,
  created_at: number,
  updated_at: number,
  committed_at: number,
});
export const SHARES = defineBundleTable('shares', 'shares', ['user_id'], { user_id: number, role: text });
export const PROTECTIONS = defineBundleTable('protections', 'protections', ['sheet_id'], {
  sheet_id: number,
  hide_values: number,
  locked: number,
  allowed: text,
});
export const CHECKPOINT = defineBundleTable('checkpoint', 'checkpoints', [], { revision: number, meta: bytes });
export const CHUNKS = defineBundleTable('chunks', 'chunks', ['sheet_id', 'column_index', 'block'], {
  ...CHUNK_KEY,
  bytes,
});
export const BASES = defineBundleTable('bases', 'bases', ['revision'], {
  revision: number,
  until: number,
  complete: number,
  meta: bytes,
});
export const BASE_CHUNKS = defineBundleTable(
  'base_chunks',
  'base_chunks',
  ['base_revision', 'sheet_id', 'column_index', 'block'],
  {
    base_revision: number,
    ...CHUNK_KEY,
    bytes,
  },
);
export const COMMITS = defineBundleTable('commits', 'commits', ['revision'], {
  revision: number,
  head: text,
  parent: text,
  at: number,
  author_id: number,
  origin: text,
  token_name: text,
  delta: bytes,
  areas: text,
  structure: text,
  inverse: bytes,
  undoes: number,
  undone_by: number,
  name: text,
});

/** Users to whom rows of other tables refer. Unlike the database table it contains no secrets. */
export const USERS: TableShape = {
  name: 'users',
  key: ['id'],
  serial: false,
  columns: [
    { name: 'id', kind: number },
    { name: 'email', kind: text },
    { name: 'name', kind: text },
  ],
};

/** Tables of a bundle, in the order in which they are read. */
export const BUNDLE_TABLES = [DOCUMENT, SHARES, PROTECTIONS, CHECKPOINT, CHUNKS, BASES, BASE_CHUNKS, COMMITS] as const;

export type BundleRow = Readonly<Record<string, SqlValue>>;

/** Returns the columns of a bundle's table, followed by the other columns that are needed to check its stored rows. */
export function shapeStoredRows({ from, columns }: BundleTable): Pick<TableShape, 'columns'> {
  const names = new Set(columns.map(({ name }) => name));
  const others = isSealedTable(from) ? listCheckedColumns(from).filter((name) => !names.has(name)) : [];
  return { columns: [...columns, ...others.map((name) => ({ name, kind: number }))] };
}

/** Selects the rows of a document in the form of `shapeStoredRows`. */
export function queryDocumentRows(table: BundleTable, id: string): Query<BundleRow> {
  const { from, key } = table;
  const listed = shapeStoredRows(table)
    .columns.map(({ name }) => `"${name}"`)
    .join(', ');
  const order = key.length === 0 ? '' : ` order by ${key.map((name) => `"${name}"`).join(', ')}`;
  return { sql: `select ${listed} from "${from}" where "${findIdColumn(from)}" = ?${order}`, parameters: [id] };
}

/** Number of a document's rows in a table. */
export function queryRowCount({ from }: BundleTable, id: string): Query<{ readonly count: number }> {
  return { sql: `select count(*) as count from "${from}" where "${findIdColumn(from)}" = ?`, parameters: [id] };
}

/** Returns the column of a table that contains the document's id. */
function findIdColumn(table: BundleTable['from']): string {
  return table === 'documents' ? 'id' : 'document_id';
}

/**
 * Checks a row in the form of `shapeStoredRows` and returns the columns of the bundle, without checksums. Throws
 * `DamagedDocumentError`.
 */
export function unsealBundleRow(table: BundleTable, id: string, row: readonly SqlValue[]): readonly SqlValue[] {
  const { from, columns } = table;
  if (!isSealedTable(from)) return row;
  const named = unsealRow(from, id, toNamedRow(shapeStoredRows(table), row));
  return columns.map(({ name }) => named[name] as SqlValue);
}

/** Inserts a row of a document, with checksums. */
export function insertBundleRow({ from, columns }: BundleTable, id: string, plainRow: BundleRow): Statement {
  const row = isSealedTable(from) ? sealRow(from, plainRow) : plainRow;
  const idColumn = findIdColumn(from);
  const listed = columns.map(({ name }) => name);
  const sums = Object.keys(row).filter((name) => !(name in plainRow));
  const others = [...listed, ...sums].filter((name) => name !== idColumn);
  const names = [idColumn, ...others];
  const placeholders = names.map(() => '?').join(', ');
  const values = [id, ...others.map((name) => row[name] ?? null)];
  return {
    sql: `insert into "${from}" (${names.map((name) => `"${name}"`).join(', ')}) values (${placeholders})`,
    parameters: values,
  };
}

export function queryUsersById(ids: readonly number[]) {
  return compileQuery(sql.selectFrom('users').select(['id', 'email', 'name']).where('id', 'in', ids).orderBy('id'));
}

export function queryUsersByEmail(keys: readonly string[]) {
  return compileQuery(sql.selectFrom('users').select(['id', 'email_key']).where('email_key', 'in', keys));
}
