import type { DateSystem } from '../locale/date-system.ts';
import { CHUNK_MASK, CHUNK_SHIFT } from '../sheet/chunk.ts';
import type { Column, Snapshot } from '../sheet/snapshot.ts';
import { composeText, foldName } from '../value/fold.ts';
import { isError, type Scalar } from '../value/scalar.ts';
import { ColumnReader, type ColumnTypes, type RecordType } from './cell-values.ts';
import type { SearchValue } from './column-hashes.ts';
import { formatIsoDate, formatTime, type MomentKind, parseMoment, roundToMoment } from './dates.ts';
import { type ColumnEquality, findEqualRows } from './equal-rows.ts';
import type { DocumentIndexes } from './record-indexes.ts';
import { findColumn, type Region } from './region.ts';

/** The columns of a key by index in the region, and the rules for comparing texts. */
export interface KeyColumns {
  readonly at: readonly number[];
  readonly types: ColumnTypes;
  readonly caseSensitive: boolean;
}

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

/** A part of a key, and the kind of moment that its number represents. */
export interface KeyValue {
  readonly scalar: Scalar;
  readonly moment: MomentKind | null;
}

/** Rules for comparing the key parts of one column. */
interface PartRules {
  /** True if the request set a type for the column. A text is then never equal to a number or moment. */
  readonly isTyped: boolean;
  readonly caseSensitive: boolean;
  readonly system: DateSystem;
}

/**
 * Returns a text that is equal only for equal keys. Each text part contains its length, so that no content can imitate
 * another part.
 */
export function keyText(values: readonly KeyValue[], rules: readonly PartRules[]): string {
  let text = '';
  for (let i = 0; i < values.length; i++) {
    const part = formatKeyPart(values[i]!, rules[i]!);
    text = i === 0 ? part : `${text},${part}`;
  }
  return text;
}

/** Returns the rules for the columns of a key, in their order. */
export function createPartRules({ at, types, caseSensitive }: KeyColumns, system: DateSystem): readonly PartRules[] {
  return at.map((column) => ({ isTyped: types.has(column), caseSensitive, system }));
}

/**
 * Returns the text of a key part. If a text has the canonical form of a number or moment, it has the same key text as
 * that number or moment.
 */
function formatKeyPart({ scalar, moment }: KeyValue, rules: PartRules): string {
  if (typeof scalar === 'number') return moment === null ? `n${scalar + 0}` : `${moment}${roundToMoment(scalar)}`;
  if (typeof scalar !== 'string') return isError(scalar) ? `e${scalar.code}` : `${typeof scalar}${scalar}`;
  const other = rules.isTyped ? null : findAlternativeSpelling({ scalar, moment: null }, rules.system);
  if (other === null) return formatTextPart(rules.caseSensitive ? composeText(scalar) : foldName(scalar));
  return formatKeyPart(other, rules);
}

/**
 * Returns the number or moment of a canonical text, or the canonical text of a number or moment; null if there is none.
 */
function findAlternativeSpelling({ scalar, moment }: KeyValue, system: DateSystem): KeyValue | null {
  if (typeof scalar === 'number') {
    const text =
      moment === null ? String(scalar + 0) : moment === 'date' ? formatIsoDate(scalar, system) : formatTime(scalar);
    return text === null || text.includes('e') ? null : { scalar: text, moment: null };
  }
  if (typeof scalar !== 'string' || !MAY_SPELL_NUMBER.test(scalar)) return null;
  const number = Number(scalar);
  if (String(number) === scalar && !scalar.includes('e')) return { scalar: number, moment: null };
  const textMoment = parseMoment(scalar, system);
  if (textMoment === null) return null;
  const otherValue = { scalar: textMoment.serial, moment: textMoment.kind };
  return findAlternativeSpelling(otherValue, system)?.scalar === scalar ? otherValue : null;
}

const MAY_SPELL_NUMBER = /^-?\d/;

/** The key text of a text: its length and its characters. */
function formatTextPart(text: string): string {
  return `t${text.length}:${text}`;
}

/** Keys whose rows are looked up. */
export interface KeyList {
  readonly keys: readonly (readonly KeyValue[])[];
  /** The index of each key in `keys`, by its `keyText`. */
  readonly places: ReadonlyMap<string, number>;
}

/**
 * Finds the rows of keys. The result has the rows in order, by the index of the key; keys without rows have no entry.
 * In large regions it uses an index, and builds it if needed. Pauses regularly.
 */
export function* findKeyRows(
  snapshot: Snapshot,
  region: Region,
  { keys, places }: KeyList,
  columns: KeyColumns,
  indexes: DocumentIndexes,
): Generator<void, ReadonlyMap<number, readonly number[]>> {
  const read = columns.at.map(
    (at): KeyColumn => ({
      column: findColumn(snapshot, region, at),
      reader: new ColumnReader(snapshot, region.columns[at]?.column ?? -1, chooseReadType(columns, at)),
    }),
  );
  const rules = createPartRules(columns, snapshot.settings.dateSystem);
  const rowsByKey = new Map<number, number[]>();
  const candidates = yield* findCandidateRows(snapshot, region, keys, { columns, indexes });
  let done = 0;
  for (const row of candidates) {
    const values = read.map((one) => readKeyValue(one, row));
    const place = places.get(keyText(values, rules));
    if (place !== undefined) {
      const rows = rowsByKey.get(place);
      if (rows === undefined) rowsByKey.set(place, [row]);
      else rows.push(row);
    }
    if (++done % ROWS_PER_STEP === 0) yield;
  }
  return rowsByKey;
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
function* findCandidateRows(
  snapshot: Snapshot,
  region: Region,
  keys: readonly (readonly KeyValue[])[],
  { columns, indexes }: { readonly columns: KeyColumns; readonly indexes: DocumentIndexes },
): Generator<void, Iterable<number>> {
  const equalities = columns.at.flatMap((at, i): readonly ColumnEquality[] => {
    const isTyped = columns.types.has(at);
    const values: SearchValue[] = [];
    for (const key of keys) {
      const value = key[i] ?? { scalar: null, moment: null };
      const other = isTyped ? null : findAlternativeSpelling(value, snapshot.settings.dateSystem);
      for (const { scalar } of other === null ? [value] : [value, other]) {
        // Indexes do not contain empty cells and errors.
        if (scalar === null || isError(scalar)) return [];
        values.push(scalar);
      }
    }
    return [{ at, type: chooseReadType(columns, at), values }];
  });
  const use = { indexes, requests: Number.POSITIVE_INFINITY, maxShare: MAX_SHARE };
  const indexedRows = yield* findEqualRows(snapshot, region, equalities, use);
  return indexedRows ?? iterateRows(region.header + 1, region.end);
}

/** The rows from `first` to before `end`. */
function* iterateRows(first: number, end: number): Iterable<number> {
  for (let row = first; row < end; row++) yield row;
}
