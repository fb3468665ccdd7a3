import {
  appendPlace,
  findKeyRows,
  type KeyColumns,
  KeyList,
  type KeyRows,
  type KeyValue,
  type Region,
  type Scalar,
} from '@cellwire/engine';
import { runInSlices } from '@cellwire/event-loop';
import type { ServiceContext } from '../context.ts';
import { invalidRequest, isRefusal, type Refusal } from '../refusal.ts';
import type { WriteReply } from '../reply.ts';
import type { WriteRequest } from '../write-request.ts';
import { buildRecordsChange, createFieldTyper, planAppend } from './append-records.ts';
import {
  type ChangeForm,
  type ChangeKind,
  changeRecords,
  createRowWriter,
  decideEarly,
  type RecordsBase,
  type RecordsChange,
  toRecordRefusal,
} from './change.ts';
import { parseUpsertRequest, type UpsertRequest } from './parse-changes.ts';
import type { RecordMembers } from './parse-filter.ts';
import { RECORDS_PER_STEP, type RecordFields, StartColumns } from './record-fields.ts';
import { RecordResults } from './record-results.ts';
import type { RowWriter } from './row-writer.ts';
import { ASCII } from './sent-records.ts';
import type { RecordField } from './typed-fields.ts';

const UPSERTED: ChangeKind = {
  name: 'upserted',
  counts: ['created', 'updated', 'unchanged', 'skipped'],
  action: 'records.upsert',
  countsCells: true,
};

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
      const keys = await runInSlices(listRecordKeys(ready, records, { columns, names: upsertRequest.key }));
      if (isRefusal(keys)) return keys;
      const lookUp = (base: RecordsBase) => {
        const indexes = context.recordMemory.indexes.getDocumentIndexes(access.documentId);
        return findKeyRows(base.snapshot, toSearchedRegion(base, upsertRequest), keys, indexes);
      };
      return decideEarly(ready, function* (base): Generator<void, RecordsChange | Refusal> {
        return yield* decideUpserts(base, records, { requested: upsertRequest, at, rows: yield* lookUp(base) });
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

/** The keys of all records, by the index of the record; refused if a key is blank or occurs twice. */
function* listRecordKeys(
  base: RecordsBase,
  fields: RecordFields,
  { columns, names }: UpsertKey,
): Generator<void, KeyList | Refusal> {
  const list = new KeyList(columns, base.snapshot.settings.dateSystem, fields.count, fields.bytes);
  for (let i = 0; i < fields.count; i++) {
    const refusal = addRecordKey(base, fields, i, { list, names });
    if (refusal !== null) return refusal;
    if (i % RECORDS_PER_STEP === 0) yield;
  }
  return list;
}

interface NamedKeys {
  readonly list: KeyList;
  /** The names of the key's columns. */
  readonly names: readonly string[];
}

/** Adds the key of a record; refused if a part is blank, or if an earlier record has the same key. */
function addRecordKey(
  base: RecordsBase,
  fields: RecordFields,
  record: number,
  { list, names }: NamedKeys,
): Refusal | null {
  const ascii = findAsciiKey(fields, record, list.columns);
  if (ascii !== null) {
    const twin = list.addAsciiKey(fields.textStarts[ascii] as number, fields.textEnds[ascii] as number);
    return createTwinRefusal(record, twin);
  }
  const key = list.columns.at.map((at) => toKeyValue(base, readColumnField(fields, record, at), at));
  const missing = key.findIndex(({ scalar }) => isBlank(scalar));
  if (missing < 0) return createTwinRefusal(record, list.addKey(key));
  const field = `records.${record}.${names[missing]}`;
  return invalidRequest(field, `${field} is part of the key and must be filled`);
}

/** The field of a record's key if it is a single ASCII text that is not blank; else null. */
function findAsciiKey(fields: RecordFields, record: number, { at: columns }: KeyColumns): number | null {
  const [at] = columns;
  if (at === undefined || columns.length > 1) return null;
  const field = fields.findField(record, at);
  if (field === null || fields.kinds[field] !== ASCII) return null;
  return fields.bytes[fields.textStarts[field] as number] === SPACE ? null : field;
}

/** Null: no earlier record has the same key. */
function createTwinRefusal(record: number, twin: number | null): Refusal | null {
  return twin === null ? null : toRecordRefusal(record, `records.${record} has the same key as records.${twin}`);
}

const SPACE = ' '.charCodeAt(0);

function readColumnField(fields: RecordFields, record: number, columnIndex: number): RecordField | undefined {
  const field = fields.findField(record, columnIndex);
  return field === null ? undefined : fields.readField(field);
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
  /** Rows by index of the record. */
  readonly rows: KeyRows;
}

/** Decides for each record whether its row is updated, or a new record is appended. Pauses regularly. */
function* decideUpserts(
  base: RecordsBase,
  fields: RecordFields,
  lookup: KeyLookup,
): Generator<void, RecordsChange | Refusal> {
  const { requested, rows } = lookup;
  const writer = createRowWriter(base);
  const results = new RecordResults(fields.count);
  const missing: number[] = [];
  const matched = { fields, results, lookup };
  for (let i = 0; i < fields.count; i++) {
    if (rows.getFirstRow(i) !== null) {
      const refusal = decideMatch(writer, i, matched);
      if (refusal !== null) return refusal;
    } else if (requested.onMissing === 'append') missing.push(i);
    else if (requested.onMissing === 'error') return toRecordRefusal(i, `No row has the key of records.${i}`);
    if (i % RECORDS_PER_STEP === 0) yield;
  }
  const decidedBy = lookup.at;
  if (missing.length === 0) return { ...(yield* buildRecordsChange(writer, null)), results, decidedBy };
  const records = Uint32Array.from(missing);
  const appended = yield* planAppend(base, writer, { fields, records }, requested.fillFormulas);
  if (isRefusal(appended)) return appended;
  for (const [i, record] of records.entries()) results.setResult(record, appended.place.row + i, 'created');
  return { ...(yield* buildRecordsChange(writer, appended)), results, decidedBy, appendsAt: appended.place.row };
}

interface MatchedRecords {
  readonly fields: RecordFields;
  readonly results: RecordResults;
  readonly lookup: KeyLookup;
}

/** Updates, skips or refuses the rows that have the record's key, as the request says for one row and for several. */
function decideMatch(
  writer: RowWriter,
  record: number,
  { fields, results, lookup: { requested, at, rows } }: MatchedRecords,
): Refusal | null {
  const first = rows.getFirstRow(record) as number;
  const matches = rows.countRows(record);
  if (matches > 1 && requested.onMany === 'error') {
    return toRecordRefusal(
      record,
      `${matches} rows have the key of records.${record}, the first of them row ${first + 1}`,
    );
  }
  if (requested.onMatch === 'error')
    return toRecordRefusal(record, `Row ${first + 1} has the key of records.${record} already`);
  const meansAll = requested.onMany === 'all' && matches > 1;
  if (meansAll) results.setRows(record, rows.getRows(record));
  if (requested.onMatch === 'skip') {
    results.setResult(record, first, 'skipped');
    return null;
  }
  let isChanged = writer.updateRow(first, fields, record, at);
  for (const row of meansAll ? rows.getRows(record).slice(1) : []) {
    if (writer.updateRow(row, fields, record, at)) isChanged = true;
  }
  results.setResult(record, first, isChanged ? 'updated' : 'unchanged');
  return null;
}
