import {
  appendPlace,
  createPartRules,
  findKeyRows,
  type KeyColumns,
  type KeyList,
  type KeyValue,
  keyText,
  type Region,
  type Scalar,
} from '@cellwire/engine';
import { runInSlices } from '@cellwire/event-loop';
import type { ServiceContext } from '../context.ts';
import { invalidRequest, isRefusal, type Refusal } from '../refusal.ts';
import type { WriteReply } from '../reply.ts';
import type { WriteRequest } from '../write-request.ts';
import { buildRecordsChange, createFieldTyper, planAppend } from './append-records.ts';
import type { NewRecord } from './appended-formats.ts';
import {
  type ChangeForm,
  type ChangeKind,
  changeRecords,
  createRowWriter,
  decideEarly,
  type RecordResult,
  type RecordsBase,
  type RecordsChange,
  toRecordRefusal,
} from './change.ts';
import { parseUpsertRequest, type UpsertRequest } from './parse-changes.ts';
import type { RecordMembers } from './parse-filter.ts';
import { RECORDS_PER_STEP, type RecordFields, StartColumns } from './record-fields.ts';
import type { RowWriter } from './row-writer.ts';
import type { RecordField } from './typed-fields.ts';

const UPSERTED: ChangeKind = {
  name: 'upserted',
  counts: ['created', 'updated', 'unchanged', 'skipped'],
  action: 'records.upsert',
  countsCells: true,
};

/** Records with their keys; the keys have the same indexes as the records. */
interface KeyedRecords extends KeyList {
  readonly records: readonly RecordFields[];
}

/** Updates the records whose keys exist and appends the others, in one revision. */
export async function upsertRecords(
  context: ServiceContext,
  request: WriteRequest,
  body: RecordMembers,
  form: ChangeForm = 'records',
  start = new StartColumns(),
): Promise<WriteReply | Refusal> {
  const upsertRequest = parseUpsertRequest(body);
  if (isRefusal(upsertRequest)) return upsertRequest;
  return changeRecords(
    context,
    request,
    { kind: UPSERTED, target: upsertRequest, form, start },
    async (ready, access) => {
      const at = ready.names.findKeyColumnIndexes(upsertRequest.key);
      if (isRefusal(at)) return at;
      const records = await runInSlices(createFieldTyper(context, ready).parseAllFields(upsertRequest.records));
      if (isRefusal(records)) return records;
      const columns = { at, types: ready.types, caseSensitive: upsertRequest.caseSensitive };
      const keyed = await runInSlices(addRecordKeys(ready, records, { columns, names: upsertRequest.key }));
      if (isRefusal(keyed)) return keyed;
      const lookUp = (base: RecordsBase) => {
        const indexes = context.recordMemory.indexes.getDocumentIndexes(access.documentId);
        return findKeyRows(base.snapshot, toSearchedRegion(base, upsertRequest), keyed, columns, indexes);
      };
      return decideEarly(ready, function* (base): Generator<void, RecordsChange | Refusal> {
        return yield* decideUpserts(base, keyed.records, { requested: upsertRequest, at, rows: yield* lookUp(base) });
      });
    },
  );
}

/**
 * The rows that may hold a key, including rows appended below a range that ends. Otherwise the next upsert would not
 * find them and would append them again.
 */
function toSearchedRegion({ snapshot, place: { region, table } }: RecordsBase, { onMissing }: UpsertRequest): Region {
  if (onMissing !== 'append') return region;
  return { ...region, end: Math.max(region.end, appendPlace(snapshot, region, table, 0).row) };
}

interface UpsertKey {
  readonly columns: KeyColumns;
  /** The column names of the request. */
  readonly names: readonly string[];
}

/** The records with their key values; refused if a key is blank or occurs twice. */
function* addRecordKeys(
  base: RecordsBase,
  records: readonly RecordFields[],
  { columns, names }: UpsertKey,
): Generator<void, KeyedRecords | Refusal> {
  const rules = createPartRules(columns, base.snapshot.settings.dateSystem);
  const places = new Map<string, number>();
  const keys: (readonly KeyValue[])[] = [];
  for (let i = 0; i < records.length; i++) {
    const fields = records[i] as RecordFields;
    const key = columns.at.map((at) => toKeyValue(base, fields.getField(at), at));
    const missing = key.findIndex(({ scalar }) => isBlank(scalar));
    if (missing >= 0) {
      const field = `records.${i}.${names[missing]}`;
      return invalidRequest(field, `${field} is part of the key and must be filled`);
    }
    const text = keyText(key, rules);
    const twin = places.get(text);
    if (twin !== undefined) return toRecordRefusal(i, `records.${i} has the same key as records.${twin}`);
    places.set(text, i);
    keys.push(key);
    if (i % RECORDS_PER_STEP === 0) yield;
  }
  return { records, keys, places };
}

/** The value of a key field. In a column of dates or times, a text in one of their forms is a date or time. */
function toKeyValue({ columns }: RecordsBase, field: RecordField | undefined, columnIndex: number): KeyValue {
  if (field === undefined) return { scalar: null, moment: null };
  if (typeof field !== 'object') return { scalar: field, moment: null };
  const { cell, moment } = field;
  return moment !== null && columns[columnIndex]?.type === moment.moment ? moment : cell;
}

function isBlank(scalar: Scalar): boolean {
  return scalar === null || (typeof scalar === 'string' && scalar.trim() === '');
}

interface KeyLookup {
  readonly requested: UpsertRequest;
  readonly at: readonly number[];
  /** Row numbers by index of the record. */
  readonly rows: ReadonlyMap<number, readonly number[]>;
}

/** Decides for each record whether its row is updated, or a new record is appended. Pauses regularly. */
function* decideUpserts(
  base: RecordsBase,
  records: readonly RecordFields[],
  lookup: KeyLookup,
): Generator<void, RecordsChange | Refusal> {
  const { requested, rows } = lookup;
  const writer = createRowWriter(base);
  const results: RecordResult[] = [];
  const missing: NewRecord[] = [];
  for (let i = 0; i < records.length; i++) {
    const fields = records[i] as RecordFields;
    const matches = rows.get(i);
    if (matches === undefined && requested.onMissing === 'append') missing.push({ fields, at: i });
    const result =
      matches === undefined ? decideWithoutMatch(i, requested) : decideMatch(writer, i, { fields, matches, lookup });
    if (isRefusal(result)) return result;
    results.push(result);
    if (i % RECORDS_PER_STEP === 0) yield;
  }
  const decidedBy = lookup.at;
  if (missing.length === 0) return { ...(yield* buildRecordsChange(writer, null)), results, decidedBy };
  const appended = yield* planAppend(base, writer, missing, requested.fillFormulas);
  if (isRefusal(appended)) return appended;
  for (const [i, { at }] of missing.entries()) results[at] = { row: appended.place.row + i + 1, result: 'created' };
  return { ...(yield* buildRecordsChange(writer, appended)), results, decidedBy, appendsAt: appended.place.row };
}

/** What happens to a record whose key no row has, unless it is added: skipped or refused. */
function decideWithoutMatch(recordIndex: number, { onMissing }: UpsertRequest): RecordResult | Refusal {
  if (onMissing === 'error') return toRecordRefusal(recordIndex, `No row has the key of records.${recordIndex}`);
  return SKIPPED;
}

const SKIPPED: RecordResult = { row: null, result: 'skipped' };

interface KeyMatch {
  readonly fields: RecordFields;
  /** The rows that have the key. */
  readonly matches: readonly number[];
  readonly lookup: KeyLookup;
}

/** Updates, skips or refuses the rows that have the record's key, as the request says for one row and for several. */
function decideMatch(
  writer: RowWriter,
  recordIndex: number,
  { fields, matches, lookup: { requested, at } }: KeyMatch,
): RecordResult | Refusal {
  const shown = matches.map((row) => row + 1);
  if (matches.length > 1 && requested.onMany === 'error') {
    return toRecordRefusal(
      recordIndex,
      `${matches.length} rows have the key of records.${recordIndex}, the first of them row ${shown[0]}`,
    );
  }
  if (requested.onMatch === 'error')
    return toRecordRefusal(recordIndex, `Row ${shown[0]} has the key of records.${recordIndex} already`);
  const meant = requested.onMany === 'all' ? matches : matches.slice(0, 1);
  const several = requested.onMany === 'all' && matches.length > 1 ? { rows: shown } : {};
  const row = shown[0] ?? null;
  if (requested.onMatch === 'skip') return { row, ...several, result: 'skipped' };
  const changed = meant.filter((one) => writer.updateRow(one, fields, recordIndex, at)).length;
  return { row, ...several, result: changed > 0 ? 'updated' : 'unchanged' };
}
