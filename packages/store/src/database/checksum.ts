import { crc32 } from 'node:zlib';
import { DAMAGED_DOCUMENT, recordDamage } from './damage.ts';
import { type Query, type SqlValue, type Statement, StoreError } from './database.ts';

/**
 * Checksums of stored pieces: chunks, checkpoints, commits and parts of files. A stored piece ends with
 *
 * - 8 bytes that say that it has checksums (`MARK`),
 * - the CRC-32 of the piece and of its key in the document (so that pieces cannot stand for each other), little endian,
 * - the CRC-32 of the text columns that belong to it; of a commit its areas and structure.
 *
 * Pieces of versions before this have none of it; they are taken as they are.
 */
const MARK = Uint8Array.of(0xc5, 0x1e, 0x9a, 0x43, 0xd7, 0x60, 0xb2, 0x8d);
const TRAILER_BYTES = MARK.length + 8;
/** A mark with fewer wrong bits than this is a damaged one; other bytes look like that in one of 10^13 pieces. */
const MAX_WRONG_BITS = 4;

/** `code` is `DAMAGED_DOCUMENT`. The message names the document, the piece, and what helps. */
export class DamagedDocumentError extends StoreError {
  readonly document: string;

  constructor(document: string, piece: string) {
    super(`Document ${document} is damaged: ${piece} is not what was written. ${REMEDY}`, DAMAGED_DOCUMENT);
    this.document = document;
    recordDamage(this);
  }
}

const REMEDY = 'Bring it back from a backup: cellwire restore --from FILE --document ID --replace';

interface SealedSource {
  readonly whole: Uint8Array;
  readonly key: string;
  readonly texts: string;
}

/** Pieces that another thread has sealed, with what they are the beginning of. */
const sealedElsewhere = new WeakMap<Uint8Array, SealedSource>();

/**
 * The piece of bytes that another thread has sealed with this key and these texts. `seal` then takes no time: a large
 * commit would hold the serving thread for tens of milliseconds.
 */
export function adoptSealed(whole: Uint8Array, key: string, texts = ''): Uint8Array {
  const piece = whole.subarray(0, whole.length - TRAILER_BYTES);
  sealedElsewhere.set(piece, { whole, key, texts });
  return piece;
}

/** `key`: of the piece in its document. `texts`: columns that belong to it. */
export function seal(piece: Uint8Array, key: string, texts = ''): Uint8Array {
  const known = sealedElsewhere.get(piece);
  if (known !== undefined && known.key === key && known.texts === texts) return known.whole;
  const sealed = new Uint8Array(piece.length + TRAILER_BYTES);
  sealed.set(piece);
  sealed.set(MARK, piece.length);
  const view = new DataView(sealed.buffer);
  view.setUint32(piece.length + MARK.length, crc32(key, crc32(piece)), true);
  view.setUint32(piece.length + MARK.length + 4, crc32(texts), true);
  return sealed;
}

export function isSealed(stored: Uint8Array): boolean {
  return stored.length >= TRAILER_BYTES && countWrongBits(stored) <= MAX_WRONG_BITS;
}

/**
 * The piece without its checksums; null if it is not what was written. `texts` is absent where the columns were not read:
 * they are then not checked.
 */
export function unseal(stored: Uint8Array, key: string, texts?: string): Uint8Array | null {
  if (!isSealed(stored)) return stored;
  const length = stored.length - TRAILER_BYTES;
  const piece = stored.subarray(0, length);
  const view = new DataView(stored.buffer, stored.byteOffset + length, TRAILER_BYTES);
  const isSound =
    countWrongBits(stored) === 0 &&
    view.getUint32(MARK.length, true) === crc32(key, crc32(piece)) &&
    (texts === undefined || view.getUint32(MARK.length + 4, true) === crc32(texts));
  return isSound ? piece : null;
}

function countWrongBits(stored: Uint8Array): number {
  const start = stored.length - TRAILER_BYTES;
  let wrong = 0;
  for (let i = 0; i < MARK.length && wrong <= MAX_WRONG_BITS; i++) {
    for (let bits = (stored[start + i] as number) ^ (MARK[i] as number); bits !== 0; bits &= bits - 1) wrong++;
  }
  return wrong;
}

type ColumnValues = Readonly<Record<string, SqlValue>>;

/** Keys and texts of a commit's pieces. */
export const COMMIT_KEYS = {
  delta: (revision: number) => `delta ${revision}`,
  inverse: (revision: number) => `inverse ${revision}`,
  texts: (areas: string, structure: string | null) => `${areas}\n${structure ?? ''}`,
};

/** A column of a table that holds pieces. */
export interface SealedColumn {
  readonly column: string;
  /** Of a row that has the columns that name it. */
  readonly keyOf: (row: ColumnValues) => string;
  /** Absent: there are none. */
  readonly textsOf?: (row: ColumnValues) => string;
  /** For people. */
  readonly describe: (row: ColumnValues) => string;
}

const chunkKeyOf = (row: ColumnValues) => `chunk ${row['sheet_id']} ${row['column_index']} ${row['block']}`;
const describeChunk = (row: ColumnValues) =>
  `the chunk of sheet ${row['sheet_id']}, column ${row['column_index']}, block ${row['block']}`;
const metaColumn = (what: string): SealedColumn => ({
  column: 'meta',
  keyOf: (row) => `meta ${row['revision']}`,
  describe: (row) => `${what} of revision ${row['revision']}`,
});

/** By table. Chunks and checkpoints are copied to `base_chunks` and `bases` as they are stored. */
export const SEALED_COLUMNS = {
  chunks: [{ column: 'bytes', keyOf: chunkKeyOf, describe: describeChunk }],
  base_chunks: [
    {
      column: 'bytes',
      keyOf: chunkKeyOf,
      describe: (row) => `${describeChunk(row)} of the kept revision ${row['base_revision']}`,
    },
  ],
  checkpoints: [metaColumn('the checkpoint')],
  bases: [metaColumn('the kept checkpoint')],
  commits: [
    {
      column: 'delta',
      keyOf: (row) => COMMIT_KEYS.delta(Number(row['revision'])),
      textsOf: (row) => COMMIT_KEYS.texts(String(row['areas']), row['structure'] as string | null),
      describe: (row) => `the commit of revision ${row['revision']}`,
    },
    {
      column: 'inverse',
      keyOf: (row) => COMMIT_KEYS.inverse(Number(row['revision'])),
      describe: (row) => `what undoes revision ${row['revision']}`,
    },
  ],
  file_parts: [
    {
      column: 'bytes',
      keyOf: (row) => `part ${row['name']}`,
      textsOf: (row) => `${row['content_type']}\n${row['relationships']}`,
      describe: (row) => `the part ${row['name']} of its file`,
    },
  ],
} as const satisfies Readonly<Record<string, readonly SealedColumn[]>>;

export type SealedTable = keyof typeof SEALED_COLUMNS;

const CHUNK_KEY_COLUMNS = ['document_id', 'sheet_id', 'column_index', 'block'];

/** The columns that checking a table's pieces reads: the key, the pieces and their texts. */
export const PIECE_COLUMNS: Readonly<Record<SealedTable, readonly string[]>> = {
  chunks: [...CHUNK_KEY_COLUMNS, 'bytes'],
  base_chunks: [...CHUNK_KEY_COLUMNS, 'base_revision', 'bytes'],
  checkpoints: ['document_id', 'revision', 'meta'],
  bases: ['document_id', 'revision', 'meta'],
  commits: ['document_id', 'revision', 'areas', 'structure', 'delta', 'inverse'],
  file_parts: ['document_id', 'name', 'content_type', 'relationships', 'bytes'],
};

export const SEALED_TABLES = Object.keys(PIECE_COLUMNS) as readonly SealedTable[];

/** A statement that gives checksums to the pieces of a row that have none; null if all have. */
export function sealMissing(table: SealedTable, row: ColumnValues): Statement | null {
  const missing = sealedColumns(table).filter(({ column }) => {
    const stored = row[column];
    return stored instanceof Uint8Array && !isSealed(stored);
  });
  if (missing.length === 0) return null;
  const sealed = sealRow(table, row);
  const columns = missing.map(({ column }) => column);
  const pieces = new Set(sealedColumns(table).map(({ column }) => column));
  const texts = TEXT_COLUMNS[table];
  const key = PIECE_COLUMNS[table].filter((name) => !pieces.has(name) && !texts.includes(name));
  // As they were: the service may have written them anew.
  const where = [...key, ...columns];
  return {
    sql: `update ${table} set ${columns.map((name) => `${name} = ?`).join(', ')} where ${where.map((name) => `${name} = ?`).join(' and ')}`,
    parameters: [...columns.map((name) => sealed[name] ?? null), ...where.map((name) => row[name] ?? null)],
  };
}

/** Text of a query of all pieces of a table. */
export function selectPieces(table: SealedTable): string {
  return `select ${PIECE_COLUMNS[table].join(', ')} from ${table}`;
}

export function isSealedTable(table: string): table is SealedTable {
  return table in SEALED_COLUMNS;
}

function sealedColumns(table: string): readonly SealedColumn[] {
  return isSealedTable(table) ? SEALED_COLUMNS[table] : [];
}

/** A row as it is stored, with the checksums of its pieces. */
export function sealRow<R extends ColumnValues>(table: SealedTable, row: R): R {
  const sealed: Record<string, SqlValue> = { ...row };
  for (const { column, keyOf, textsOf } of sealedColumns(table)) {
    const piece = row[column];
    if (piece instanceof Uint8Array) sealed[column] = seal(piece, keyOf(row), textsOf?.(row));
  }
  return sealed as R;
}

/** What is damaged of a stored row; none if it is sound. `row` has all columns. */
export function findDamage(table: string, row: ColumnValues): readonly string[] {
  return sealedColumns(table).flatMap(({ column, keyOf, textsOf, describe }) => {
    const stored = row[column];
    if (!(stored instanceof Uint8Array)) return [];
    return unseal(stored, keyOf(row), textsOf?.(row) ?? '') === null ? [describe(row)] : [];
  });
}

/**
 * A row as it was written: without the checksums of its pieces, which are checked. Throws `DamagedDocument`.
 */
export function unsealRow<R>(table: SealedTable, document: string, row: R): R {
  const opened: Record<string, SqlValue> = { ...(row as ColumnValues) };
  for (const { column, keyOf, textsOf, describe } of sealedColumns(table)) {
    const stored = opened[column];
    if (!(stored instanceof Uint8Array)) continue;
    const hasTexts = TEXT_COLUMNS[table].every((name) => name in opened);
    const piece = unseal(stored, keyOf(opened), hasTexts ? (textsOf?.(opened) ?? '') : undefined);
    if (piece === null) throw new DamagedDocumentError(document, describe(opened));
    opened[column] = piece;
  }
  return opened as R;
}

/** The columns that `textsOf` reads. */
const TEXT_COLUMNS: Readonly<Record<SealedTable, readonly string[]>> = {
  chunks: [],
  base_chunks: [],
  checkpoints: [],
  bases: [],
  commits: ['areas', 'structure'],
  file_parts: ['content_type', 'relationships'],
};

/** A query whose rows come with their pieces checked and without checksums; `named` completes the key. */
export function withUnsealing<P extends { readonly id: string }, R>(
  table: SealedTable,
  make: (values: P) => Query<R>,
  named: (values: P) => ColumnValues = () => NO_COLUMNS,
): (values: P) => Query<R> {
  return (values) => {
    const finish = (row: R): R => {
      const { id } = values;
      return unsealRow(table, id, { ...named(values), ...row });
    };
    return { ...make(values), finish };
  };
}

const NO_COLUMNS: ColumnValues = {};

/** A statement that writes pieces, which get their checksums; `rowOf` gives the row with the table's names. */
export function withSealing<P extends Readonly<Record<string, SqlValue>>>(
  table: SealedTable,
  make: (values: P) => Statement,
  rowOf: (values: P) => ColumnValues,
  /** Parameters by the columns that they fill. */
  columns: Readonly<Record<string, keyof P & string>>,
): (values: P) => Statement {
  return (values) => {
    const sealed = sealRow(table, rowOf(values));
    const filled: Record<string, SqlValue> = { ...values };
    for (const [column, parameter] of Object.entries(columns)) filled[parameter] = sealed[column] ?? null;
    return make(filled as P);
  };
}
