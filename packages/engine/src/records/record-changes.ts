import { CHUNK_MASK, CHUNK_SHIFT } from '../sheet/chunk.ts';
import type { Snapshot } from '../sheet/snapshot.ts';
import { ColumnReader, type ColumnTypes, type FieldValue } from './cell-values.ts';
import { readKeyValue } from './key-lookup.ts';
import { createPartRules, keyText } from './key-text.ts';
import { findColumn, type Region } from './region.ts';

/** The records of one state, and the zero-based rows that may differ in the other state. */
interface RecordState {
  readonly snapshot: Snapshot;
  /**
   * Has the same columns as the region of the other state, in the same order. A column that this state does not have
   * has column -1.
   */
  readonly region: Region;
  readonly rows: Iterable<number>;
}

/** A change of a record between two states. */
export interface RecordChange {
  readonly result: 'created' | 'updated' | 'deleted';
  readonly key: Readonly<Record<string, FieldValue>>;
  /** Zero-based row in the later state; for a deleted record, in the earlier state. */
  readonly row: number;
  /** All fields by column name; null if the record did not exist. */
  readonly before: Readonly<Record<string, FieldValue>> | null;
  readonly after: Readonly<Record<string, FieldValue>> | null;
}

interface KeyedRecord {
  readonly row: number;
  readonly text: string;
  readonly key: string;
  readonly fields: readonly FieldValue[];
}

const ROWS_PER_STEP = 512;

/**
 * Returns the changes of records between two states. Records are matched by key, not by position: a record that only
 * moved did not change. A null state has no records. Pauses regularly.
 */
export function* recordChanges(
  before: RecordState | null,
  after: RecordState | null,
  key: readonly number[],
): Generator<void, readonly RecordChange[]> {
  const region = (after ?? before)?.region;
  if (region === undefined) return [];
  const [old, now] = [yield* readRecords(before, key), yield* readRecords(after, key)];
  const changes: RecordChange[] = [];
  const show = (record: KeyedRecord | undefined) =>
    record === undefined ? null : nameFields(region, record.fields, [...record.fields.keys()]);
  const tell = (before: KeyedRecord | undefined, after: KeyedRecord | undefined) => {
    const newest = after ?? before;
    if (newest === undefined) return;
    const result = before === undefined ? 'created' : after === undefined ? 'deleted' : 'updated';
    changes.push({
      result,
      key: nameFields(region, newest.fields, key),
      row: newest.row,
      before: show(before),
      after: show(after),
    });
  };
  for (const text of new Set([...old.keys(), ...now.keys()])) {
    const [were, are] = removeUnchanged(old.get(text) ?? [], now.get(text) ?? []);
    for (let i = 0; i < Math.max(were.length, are.length); i++) tell(were[i], are[i]);
  }
  return changes.sort((a, b) => a.row - b.row);
}

/** The fields of the columns with these indexes, by column name. */
function nameFields(region: Region, fields: readonly FieldValue[], indexes: readonly number[]) {
  return Object.fromEntries(indexes.map((at) => [region.columns[at]?.name ?? '', fields[at] ?? null]));
}

/** Removes records of one key that both states have with the same content. */
function removeUnchanged(before: readonly KeyedRecord[], after: readonly KeyedRecord[]) {
  const twins = new Map<string, number>();
  for (const { text } of before) twins.set(text, (twins.get(text) ?? 0) + 1);
  const others: KeyedRecord[] = [];
  const paired = new Map<string, number>();
  for (const record of after) {
    const pairs = paired.get(record.text) ?? 0;
    if (pairs < (twins.get(record.text) ?? 0)) paired.set(record.text, pairs + 1);
    else others.push(record);
  }
  const left = before.filter(({ text }) => {
    const pairs = paired.get(text) ?? 0;
    paired.set(text, pairs - 1);
    return pairs <= 0;
  });
  return [left, others] as const;
}

/** Reads the records of a state by key. A row that is empty in all columns is not a record. */
function* readRecords(
  state: RecordState | null,
  key: readonly number[],
): Generator<void, ReadonlyMap<string, readonly KeyedRecord[]>> {
  const byKey = new Map<string, KeyedRecord[]>();
  if (state === null) return byKey;
  const { snapshot, region, rows } = state;
  const columns = region.columns.map(({ column }, at) => ({
    reader: new ColumnReader(snapshot, column, null),
    column: findColumn(snapshot, region, at),
  }));
  const rules = createPartRules({ at: key, types: NO_TYPES, caseSensitive: false }, snapshot.settings.dateSystem);
  let done = 0;
  for (const row of rows) {
    if (++done % ROWS_PER_STEP === 0) yield;
    if (row <= region.header || row >= region.end) continue;
    const fields = columns.map(({ reader, column }) =>
      reader.readField(column?.chunks.at(row >> CHUNK_SHIFT), row & CHUNK_MASK),
    );
    if (fields.every((field) => field === null)) continue;
    const values = key.map((at) => readKeyValue(columns[at], row));
    const record = {
      row,
      text: JSON.stringify(fields),
      key: keyText(values, rules),
      fields,
    };
    const earlier = byKey.get(record.key);
    if (earlier === undefined) byKey.set(record.key, [record]);
    else earlier.push(record);
  }
  return byKey;
}

const NO_TYPES: ColumnTypes = new Map();
