import { crc32 } from './crc32.ts';
import { DAMAGED_DOCUMENT, recordDamage } from './damage.ts';
import { type Query, type SqlValue, type Statement, StoreError } from './database.ts';
import { isIndependentTable, listKeyColumns } from './independent-rows.ts';
import { allocatePooledBytes } from './pooled-bytes.ts';
import { findMissingSums, findSum, findWrongSums, listSummedColumns, sumRow } from './row-sums.ts';
import type { IndependentTable, SummedTable } from './sum-groups.ts';

/**
 * Checksums of stored pieces: chunks, checkpoints, commits and parts of files. A stored piece ends with:
 *
 * - 8 bytes that mark a piece with checksums (`MARK`),
 * - the CRC-32 of the piece and of its key in the document, little-endian; because of the key, swapped pieces are
 *   detected,
 * - the CRC-32 of the text columns that belong to the piece; for a commit its areas and structure.
 *
 * Pieces of older versions have no checksums and are accepted unchecked.
 */
const MARK = Uint8Array.of(0xc5, 0x1e, 0x9a, 0x43, 0xd7, 0x60, 0xb2, 0x8d);
/** Size of the checksums after a piece. */
export const TRAILER_BYTES = MARK.length + 8;
/**
 * Maximum number of wrong bits in a damaged mark. In only one of 10^13 pieces other bytes are within this limit by
 * chance.
 */
const MAX_WRONG_BITS = 4;

/**
 * The stored bytes of a document are damaged. `code` is `DAMAGED_DOCUMENT`; the message names the document, the piece
 * and the remedy.
 */
export class DamagedDocumentError extends StoreError {
  readonly document: string;

  /** `problem`: a clause. */
  constructor(document: string, problem: string, cause?: unknown) {
    super(`Document ${document} is damaged: ${problem}. ${REMEDY}`, DAMAGED_DOCUMENT);
    this.document = document;
    if (cause !== undefined) this.cause = cause;
    recordDamage(this);
  }
}

function createMismatchError(document: string, piece: string): DamagedDocumentError {
  return new DamagedDocumentError(document, `${piece} does not match its checksum`);
}

const REMEDY = 'Restore it from a backup: cellwire restore --from FILE --document ID --replace';

interface SealedSource {
  readonly whole: Uint8Array;
  readonly key: string;
  texts: string;
}

/** Pieces that another thread has sealed, and the sealed bytes that contain them. */
const sealedElsewhere = new WeakMap<Uint8Array, SealedSource>();

/**
 * Returns the piece of bytes that another thread has sealed with this key and these texts. Sealing the piece again
 * takes no time, even with other texts. Without this, a large commit would block the serving thread for tens of
 * milliseconds.
 */
export function adoptSealedPiece(sealed: Uint8Array, key: string, texts = ''): Uint8Array {
  const piece = sealed.subarray(0, sealed.length - TRAILER_BYTES);
  sealedElsewhere.set(piece, { whole: sealed, key, texts });
  return piece;
}

/**
 * Appends checksums to a piece. `key`: identifies the piece in its document. `texts`: the text columns that belong to
 * it.
 */
export function sealPiece(piece: Uint8Array, key: string, texts = ''): Uint8Array {
  const sealedSource = sealedElsewhere.get(piece);
  if (sealedSource?.key === key) return updateTextChecksum(sealedSource, texts);
  const sealed = ensureTrailer(piece);
  sealed.set(MARK, piece.length);
  writeUint32(sealed, piece.length + MARK.length, crc32(key, crc32(piece)));
  writeUint32(sealed, piece.length + MARK.length + 4, texts === '' ? 0 : crc32(texts));
  return sealed;
}

/** New pieces that are followed by space for their checksums. */
const sealable = new WeakSet<Uint8Array>();

/**
 * Allocates a piece in memory that several threads share, followed by space for its checksums: neither `sealPiece` nor
 * the writer thread then needs a copy. The piece must be sealed before another thread receives it.
 */
export function allocateSealable(length: number): Uint8Array {
  const piece = new Uint8Array(new SharedArrayBuffer(length + TRAILER_BYTES), 0, length);
  markSealable(piece);
  return piece;
}

/** Records that the `TRAILER_BYTES` bytes of memory after a piece are free for its checksums. */
export function markSealable(piece: Uint8Array): void {
  sealable.add(piece);
}

/** Returns the piece with space for its checksums; a copy if it has none. */
function ensureTrailer(piece: Uint8Array): Uint8Array {
  if (sealable.delete(piece)) return new Uint8Array(piece.buffer, piece.byteOffset, piece.length + TRAILER_BYTES);
  const copy = allocatePooledBytes(piece.length + TRAILER_BYTES);
  copy.set(piece);
  return copy;
}

/**
 * Writes a number in little-endian order. Creating a `DataView` for each small piece took longer than computing the
 * checksums.
 */
function writeUint32(bytes: Uint8Array, offset: number, value: number): void {
  bytes[offset] = value;
  bytes[offset + 1] = value >>> 8;
  bytes[offset + 2] = value >>> 16;
  bytes[offset + 3] = value >>> 24;
}

/**
 * Returns the sealed bytes. If the other thread sealed the piece with other texts, replaces the
 * checksum of the texts first.
 */
function updateTextChecksum(sealedSource: SealedSource, texts: string): Uint8Array {
  const { whole } = sealedSource;
  if (sealedSource.texts === texts) return whole;
  writeUint32(whole, whole.length - 4, crc32(texts));
  sealedSource.texts = texts;
  return whole;
}

/** True if a stored piece ends with the mark of a checksum. A few wrong bits still count as the mark. */
function isSealed(stored: Uint8Array): boolean {
  return stored.length >= TRAILER_BYTES && countWrongBits(stored) <= MAX_WRONG_BITS;
}

/**
 * Returns the piece without its checksums; null if it is damaged. If `texts` is absent, the text columns are not
 * checked.
 */
function unsealPiece(stored: Uint8Array, key: string, texts?: string): Uint8Array | null {
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

/** The number of bits in which the end of the piece differs from the mark. Stops at the byte that exceeds the limit. */
function countWrongBits(stored: Uint8Array): number {
  const start = stored.length - TRAILER_BYTES;
  let wrong = 0;
  for (let i = 0; i < MARK.length && wrong <= MAX_WRONG_BITS; i++) {
    for (let bits = (stored[start + i] as number) ^ (MARK[i] as number); bits !== 0; bits &= bits - 1) wrong++;
  }
  return wrong;
}

export type StoredColumns = Readonly<Record<string, SqlValue>>;

/** Keys and texts of the pieces of a commit. */
export const COMMIT_KEYS = {
  delta: (revision: number) => `delta ${revision}`,
  inverse: (revision: number) => `inverse ${revision}`,
  texts: (areas: string, structure: string | null) => `${areas}\n${structure ?? ''}`,
};

/** A column that stores pieces. */
interface SealedColumn {
  readonly column: string;
  /** The key of a row's piece. The row must contain the key columns. */
  readonly formatKey: (row: StoredColumns) => string;
  /** Returns the text columns that belong to the piece; absent if there are none. */
  readonly formatTexts?: (row: StoredColumns) => string;
  /** A description of the piece for error messages. */
  readonly describe: (row: StoredColumns) => string;
}

/** The name of a chunk, which its checksum covers. */
const formatChunkKey = (row: StoredColumns) => `chunk ${row['sheet_id']} ${row['column_index']} ${row['block']}`;
/** The chunk in words, for error messages. */
const describeChunk = (row: StoredColumns) =>
  `the chunk of sheet ${row['sheet_id']}, column ${row['column_index']}, block ${row['block']}`;
/** The sealed column `meta` of a checkpoint; `content` names the table's rows in error messages. */
const defineMetaColumn = (content: string): SealedColumn => ({
  column: 'meta',
  formatKey: (row) => `meta ${row['revision']}`,
  describe: (row) => `${content} of revision ${row['revision']}`,
});

/**
 * Columns with checksums, by table. Chunks and checkpoints are copied to `base_chunks` and `bases` with their
 * checksums.
 */
const SEALED_COLUMNS = {
  chunks: [{ column: 'bytes', formatKey: formatChunkKey, describe: describeChunk }],
  base_chunks: [
    {
      column: 'bytes',
      formatKey: formatChunkKey,
      describe: (row) => `${describeChunk(row)} of the kept revision ${row['base_revision']}`,
    },
  ],
  checkpoints: [defineMetaColumn('the checkpoint')],
  bases: [defineMetaColumn('the kept checkpoint')],
  commits: [
    {
      column: 'delta',
      formatKey: (row) => COMMIT_KEYS.delta(Number(row['revision'])),
      formatTexts: (row) => COMMIT_KEYS.texts(String(row['areas']), row['structure'] as string | null),
      describe: (row) => `the commit of revision ${row['revision']}`,
    },
    {
      column: 'inverse',
      formatKey: (row) => COMMIT_KEYS.inverse(Number(row['revision'])),
      describe: (row) => `what undoes revision ${row['revision']}`,
    },
  ],
  file_parts: [
    {
      column: 'bytes',
      formatKey: (row) => `part ${row['name']}`,
      formatTexts: (row) => `${row['content_type']}\n${row['relationships']}`,
      describe: (row) => `the part ${row['name']} of its file`,
    },
  ],
} as const satisfies Readonly<Record<string, readonly SealedColumn[]>>;

/** Tables with checksums: of pieces, or of other columns (`sum-groups.ts`). */
export type SealedTable = keyof typeof SEALED_COLUMNS | SummedTable;

const CHUNK_KEY_COLUMNS = ['document_id', 'sheet_id', 'column_index', 'block'];

/** The primary keys. */
const KEY_COLUMNS: Readonly<Record<SealedTable, readonly string[]>> = {
  chunks: CHUNK_KEY_COLUMNS,
  base_chunks: [...CHUNK_KEY_COLUMNS, 'base_revision'],
  checkpoints: ['document_id', 'revision'],
  bases: ['document_id', 'revision'],
  commits: ['document_id', 'revision'],
  file_parts: ['document_id', 'name'],
  documents: ['id'],
  trash: ['document_id'],
  protections: ['document_id', 'sheet_id'],
  shares: ['document_id', 'user_id'],
  personal_filters: ['document_id', 'user_id', 'sheet_id'],
};

export const SEALED_TABLES = Object.keys(KEY_COLUMNS) as readonly SealedTable[];

/** Returns the columns that checking a table reads: key, pieces, texts, columns with sums, and the newest commit. */
export function listCheckedColumns(table: SealedTable): readonly string[] {
  const pieces = listSealedColumns(table).map(({ column }) => column);
  const newest = table === 'documents' || table === 'trash' ? ['revision', 'head'] : [];
  const all = [...KEY_COLUMNS[table], ...newest, ...findTextColumns(table), ...pieces, ...listSummedColumns(table)];
  return [...new Set(all)];
}

/** Returns a statement that adds missing checksums to a row, or null if none is missing. */
export function sealMissing(table: SealedTable | IndependentTable, row: StoredColumns): Statement | null {
  const pieces = listSealedColumns(table).flatMap(({ column }) => {
    const stored = row[column];
    return stored instanceof Uint8Array && !isSealed(stored) ? [column] : [];
  });
  const sums = findMissingSums(table, row);
  const sealed = sealRow(table, row);
  const columns = [...pieces, ...sums.map(({ sum }) => sum)];
  if (columns.length === 0) return null;
  const key = isIndependentTable(table) ? listKeyColumns(table) : KEY_COLUMNS[table];
  // The condition compares the old values, because the service may have changed the row.
  const old = [...new Set([...columns, ...sums.flatMap((one) => one.columns)])];
  const conditions = [...key.map((name) => `${name} = ?`), ...old.map((name) => `${name} is not distinct from ?`)];
  return {
    sql: `update ${table} set ${columns.map((name) => `${name} = ?`).join(', ')} where ${conditions.join(' and ')}`,
    parameters: [...columns.map((name) => sealed[name] ?? null), ...[...key, ...old].map((name) => row[name] ?? null)],
  };
}

/**
 * Returns the SQL of a query of all rows of a table, with the columns that have checksums. The commits of a document are
 * in their order, which `DocumentStates` needs. PostgreSQL would return an updated row after the others.
 */
export function selectPieces(table: SealedTable): string {
  const order = table === 'commits' ? ' order by document_id, revision' : '';
  return `select ${listCheckedColumns(table).join(', ')} from ${table}${order}`;
}

export function isSealedTable(table: string): table is SealedTable {
  return table in KEY_COLUMNS;
}

function listSealedColumns(table: string): readonly SealedColumn[] {
  return table in SEALED_COLUMNS ? SEALED_COLUMNS[table as keyof typeof SEALED_COLUMNS] : [];
}

/** Returns the row with its checksums: appended to its pieces, and in the columns with sums. */
export function sealRow(table: SealedTable | IndependentTable, row: StoredColumns): StoredColumns {
  const sealed: Record<string, SqlValue> = { ...row, ...sumRow(table, row) };
  for (const { column, formatKey, formatTexts } of listSealedColumns(table)) {
    const piece = row[column];
    if (piece instanceof Uint8Array) sealed[column] = sealPiece(piece, formatKey(row), formatTexts?.(row));
  }
  return sealed;
}

/** Returns descriptions of the damaged pieces of a stored row, which must have all columns. */
export function findDamage(table: string, row: StoredColumns): readonly string[] {
  const pieces = listSealedColumns(table).flatMap(({ column, formatKey, formatTexts, describe }) => {
    const stored = row[column];
    if (!(stored instanceof Uint8Array)) return [];
    return unsealPiece(stored, formatKey(row), formatTexts?.(row) ?? '') === null ? [describe(row)] : [];
  });
  return [...new Set([...pieces, ...findWrongSums(table, row)])];
}

/** Checks a row and returns it without the checksums of its pieces. Throws `DamagedDocumentError`. */
export function unsealRow<R>(table: SealedTable, document: string, row: R): R {
  const opened: Record<string, SqlValue> = { ...(row as StoredColumns) };
  const [wrong] = findWrongSums(table, opened);
  if (wrong !== undefined) throw createMismatchError(document, wrong);
  for (const { column, formatKey, formatTexts, describe } of listSealedColumns(table)) {
    const stored = opened[column];
    if (!(stored instanceof Uint8Array)) continue;
    const hasTexts = findTextColumns(table).every((name) => name in opened);
    const piece = unsealPiece(stored, formatKey(opened), hasTexts ? (formatTexts?.(opened) ?? '') : undefined);
    if (piece === null) throw createMismatchError(document, describe(opened));
    opened[column] = piece;
  }
  return opened as R;
}

/** Returns the columns that `formatTexts` reads. */
function findTextColumns(table: SealedTable): readonly string[] {
  if (table === 'commits') return ['areas', 'structure'];
  return table === 'file_parts' ? ['content_type', 'relationships'] : [];
}

/**
 * Wraps a query: its rows are checked, and returned without the checksums of their pieces. The columns of a sum are
 * checked if the query selects all of them and the sum. `addedColumns`: returns key columns that the query does not
 * select.
 */
export function withUnsealing<P extends DocumentKey, R>(
  table: SealedTable,
  createQuery: (values: P) => Query<R>,
  addedColumns: (values: P) => StoredColumns = () => NO_COLUMNS,
): (values: P) => Query<R> {
  return (values) => {
    const unsealOne = (row: R): R => {
      const document = 'id' in values ? values.id : values.document_id;
      return unsealRow(table, document, { ...addedColumns(values), ...row });
    };
    return { ...createQuery(values), finish: unsealOne };
  };
}

/** The parameter that names the document. */
type DocumentKey = { readonly id: string } | { readonly document_id: string };

const NO_COLUMNS: StoredColumns = {};

/**
 * Wraps a statement: it writes a row with checksums. `toRow`: returns the row by column names. `columns`: the parameters
 * of the pieces and sums, by column.
 */
export function withSealing<P extends Readonly<Record<string, SqlValue>>>(
  table: SealedTable | IndependentTable,
  createStatement: (values: P) => Statement,
  toRow: (values: P) => StoredColumns,
  columns: Readonly<Record<string, keyof P & string>>,
): (values: Omit<P, SumParameter>) => Statement {
  const sums = Object.entries(columns).flatMap(([column, parameter]) => {
    const compute = findSum(table, column);
    return compute === null ? [] : [{ parameter, compute }];
  });
  const sealedColumns = listSealedColumns(table).flatMap((sealed) => {
    const parameter = columns[sealed.column];
    return parameter === undefined ? [] : [{ ...sealed, parameter }];
  });
  return (given) => {
    const values = given as P;
    const row = toRow(values);
    const sealed: Record<string, SqlValue> = { ...values };
    for (const { column, parameter, formatKey, formatTexts } of sealedColumns) {
      const piece = row[column];
      if (piece instanceof Uint8Array) sealed[parameter] = sealPiece(piece, formatKey(row), formatTexts?.(row));
    }
    for (const { parameter, compute } of sums) sealed[parameter] = compute(row);
    return createStatement(sealed as P);
  };
}

/** Parameters that `withSealing` computes. */
type SumParameter = `${string}_sum`;
