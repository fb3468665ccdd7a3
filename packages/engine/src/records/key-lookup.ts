import { TEXT, TYPE_MASK } from '../sheet/cell-kind.ts';
import { CHUNK_MASK, CHUNK_SHIFT, type Chunk } from '../sheet/chunk.ts';
import type { Column, Snapshot } from '../sheet/snapshot.ts';
import { isError } from '../value/scalar.ts';
import { ColumnReader, type RecordType } from './cell-values.ts';
import { avoidEmptyHash, type ColumnHashes, hashValue, type SearchValue } from './column-hashes.ts';
import { countContentsInSteps } from './column-type.ts';
import { type ColumnEquality, findEqualRows, isConverted, MIN_INDEXED_ROWS } from './equal-rows.ts';
import type { KeyList } from './key-list.ts';
import { findAlternativeSpelling, type KeyColumns, type KeyValue } from './key-text.ts';
import type { DocumentIndexes } from './record-indexes.ts';
import { findColumn, type Region } from './region.ts';

const ROWS_PER_STEP = 2_048;
/**
 * An index is read if it contains at most one in this number of rows. Otherwise the keys of all rows are read, which
 * creates a string for each.
 */
const MAX_SHARE = 4;

/** A column of a key, and its reader. */
interface KeyColumn {
  readonly column: Column | undefined;
  readonly reader: ColumnReader;
}

/** The rows of keys, by the index of the key. */
export class KeyRows {
  /** For each key, its first row plus one; 0: none. An array of numbers needs no object for each key. */
  private readonly first: Uint32Array;
  /** All rows, in order, of keys that have several. */
  private readonly several = new Map<number, number[]>();

  constructor(keys: number) {
    this.first = new Uint32Array(keys);
  }

  /** Adds a row below the key's other rows. */
  addRow(key: number, row: number): void {
    const first = this.first[key]!;
    const rows = this.several.get(key);
    if (first === 0) this.first[key] = row + 1;
    else if (rows === undefined) this.several.set(key, [first - 1, row]);
    else rows.push(row);
  }

  /** The first row of a key; null if it has none. */
  getFirstRow(key: number): number | null {
    const first = this.first[key]!;
    return first === 0 ? null : first - 1;
  }

  countRows(key: number): number {
    return this.several.get(key)?.length ?? Number(this.first[key] !== 0);
  }

  /** All rows of a key, in order. */
  getRows(key: number): readonly number[] {
    const first = this.getFirstRow(key);
    return this.several.get(key) ?? (first === null ? [] : [first]);
  }
}

interface KeySearch {
  readonly snapshot: Snapshot;
  readonly region: Region;
  readonly keys: KeyList;
  readonly indexes: DocumentIndexes;
}

/**
 * Finds the rows of keys. In large regions it uses an index, and builds it if needed. Pauses regularly.
 */
export function* findKeyRows(
  snapshot: Snapshot,
  region: Region,
  keys: KeyList,
  indexes: DocumentIndexes,
): Generator<void, KeyRows> {
  const search = { snapshot, region, keys, indexes };
  const found = keys.columns.at.length === 1 ? yield* findRowsOfOneColumn(search) : null;
  if (found !== null) return found;
  const rows = new KeyRows(keys.count);
  const columns = openKeyColumns(search);
  const candidates = yield* findCandidateRows(search);
  let done = 0;
  for (const row of candidates) {
    const key = keys.findKey(columns.map((one) => readKeyValue(one, row)));
    if (key !== undefined) rows.addRow(key, row);
    if (++done % ROWS_PER_STEP === 0) yield;
  }
  return rows;
}

function openKeyColumns({ snapshot, region, keys: { columns } }: KeySearch): readonly KeyColumn[] {
  return columns.at.map((at) => ({
    column: findColumn(snapshot, region, at),
    reader: new ColumnReader(snapshot, region.columns[at]?.column ?? -1, chooseReadType(columns, at)),
  }));
}

/**
 * Finds the rows of keys of one column by its index, without a string for each row. Null if the index cannot be used or
 * contains too many rows.
 */
function* findRowsOfOneColumn(search: KeySearch): Generator<void, KeyRows | null> {
  const { snapshot, region, keys, indexes } = search;
  const first = region.header + 1;
  if (region.end - first <= MIN_INDEXED_ROWS) return null;
  const [at = 0] = keys.columns.at;
  const column = findColumn(snapshot, region, at);
  if (column === undefined) return new KeyRows(keys.count);
  const type = chooseReadType(keys.columns, at);
  if (type !== null && isConverted(type, yield* countContentsInSteps(snapshot, column, first, region.end))) return null;
  const columnNumber = region.columns[at]?.column ?? -1;
  const index = yield* indexes.requestColumnHashes(region.sheet, columnNumber, column, Number.POSITIVE_INFINITY);
  const candidates = index === null ? null : listCandidates(index, keys, (region.end - first) * MAX_SHARE);
  return candidates && (yield* selectEqualRows(search, candidates));
}

/** Rows that may have a key, by key. */
interface CandidateRows {
  readonly rows: readonly number[];
  /** The end of each key's rows in `rows`. */
  readonly ends: Uint32Array;
}

/** Null if the index contains more than `limit` rows, or cannot contain a key. Does not pause: the index may change. */
function listCandidates(index: ColumnHashes, keys: KeyList, limit: number): CandidateRows | null {
  const rows: number[] = [];
  const ends = new Uint32Array(keys.count);
  let compared = 0;
  for (let i = 0; i < keys.count && compared <= limit; i++) {
    if (keys.isAscii(i)) compared += index.addRows(avoidEmptyHash(keys.getAsciiHash(i)), rows);
    else {
      const values = listSearchValues(keys.getValues(i)[0], keys);
      if (values === null) return null;
      for (const hash of new Set(values.map(hashValue))) compared += index.addRows(hash, rows);
    }
    ends[i] = rows.length;
  }
  return compared > limit ? null : { rows, ends };
}

/** Selects the rows that have the key for which they are candidates. */
function* selectEqualRows(search: KeySearch, { rows, ends }: CandidateRows): Generator<void, KeyRows> {
  const { region, keys } = search;
  const found = new KeyRows(keys.count);
  const [column] = openKeyColumns(search);
  for (let key = 0, from = 0; key < keys.count; key++) {
    const end = ends[key]!;
    const candidates = end - from > 1 ? rows.slice(from, end).sort((a, b) => a - b) : null;
    for (let i = from; i < end; i++) {
      const row = candidates === null ? rows[i]! : candidates[i - from]!;
      if (row > region.header && row < region.end && hasKey(keys, key, column, row)) found.addRow(key, row);
    }
    from = end;
    if (key % ROWS_PER_STEP === ROWS_PER_STEP - 1) yield;
  }
  return found;
}

/** True if a row of the only column of keys has a key. */
function hasKey(keys: KeyList, key: number, keyColumn: KeyColumn | undefined, row: number): boolean {
  const chunk = keyColumn?.column?.chunks.at(row >> CHUNK_SHIFT);
  const at = row & CHUNK_MASK;
  return chunk !== undefined && keys.isAscii(key) && isTextCell(chunk, at)
    ? keys.isSameText(key, chunk.texts, chunk.number(at))
    : keys.hasValues(key, [readKeyValue(keyColumn, row)]);
}

function isTextCell(chunk: Chunk, row: number): boolean {
  return (chunk.kind(row) & TYPE_MASK) === TEXT;
}

/**
 * Returns the type for reading a column of the key. A column of texts or numbers has no other cells; a column of
 * moments also has texts in plain form.
 */
function chooseReadType({ types }: KeyColumns, columnIndex: number): RecordType | null {
  const type = types.get(columnIndex) ?? null;
  return type === 'text' || type === 'number' ? null : type;
}

/** The value of a row in a key column; null values for an empty cell. */
export function readKeyValue(keyColumn: KeyColumn | undefined, row: number): KeyValue {
  const chunk = keyColumn?.column?.chunks.at(row >> CHUNK_SHIFT);
  if (keyColumn === undefined || chunk === undefined) return { scalar: null, moment: null };
  const at = row & CHUNK_MASK;
  return { scalar: keyColumn.reader.readScalar(chunk, at), moment: keyColumn.reader.findMomentKind(chunk, at) };
}

/** Returns rows that may have one of the keys, in order. */
function* findCandidateRows({ snapshot, region, keys, indexes }: KeySearch): Generator<void, Iterable<number>> {
  const { at: columns } = keys.columns;
  const equalities = columns.flatMap((at, i): readonly ColumnEquality[] => {
    const values: SearchValue[] = [];
    for (let key = 0; key < keys.count; key++) {
      const searched = listSearchValues(keys.getValues(key)[i], keys, i);
      if (searched === null) return [];
      values.push(...searched);
    }
    return [{ at, type: chooseReadType(keys.columns, at), values }];
  });
  const use = { indexes, requests: Number.POSITIVE_INFINITY, maxShare: MAX_SHARE };
  const indexedRows = yield* findEqualRows(snapshot, region, equalities, use);
  return indexedRows ?? iterateRows(region.header + 1, region.end);
}

/** The values of cells that may have a part of a key. Null if an index does not contain them. */
function listSearchValues(
  value: KeyValue = { scalar: null, moment: null },
  { columns, system }: KeyList,
  part = 0,
): readonly SearchValue[] | null {
  const other = columns.types.has(columns.at[part]!) ? null : findAlternativeSpelling(value, system);
  const values: SearchValue[] = [];
  for (const { scalar } of other === null ? [value] : [value, other]) {
    // Indexes do not contain empty cells and errors.
    if (scalar === null || isError(scalar)) return null;
    values.push(scalar);
  }
  return values;
}

/** The rows from `first` to before `end`. */
function* iterateRows(first: number, end: number): Iterable<number> {
  for (let row = first; row < end; row++) yield row;
}
