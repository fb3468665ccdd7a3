import { type AppendPlace, appendPlace, type Edit, MAX_ROWS } from '@cellwire/engine';
import { runInSlices } from '@cellwire/event-loop';
import type { ServiceContext } from '../context.ts';
import { findTrueRuns } from '../index-runs.ts';
import { isRefusal, type Refusal, SHEET_FULL } from '../refusal.ts';
import type { WriteReply } from '../reply.ts';
import type { WriteRequest } from '../write-request.ts';
import { buildAppendedFormats, type NewRecords } from './appended-formats.ts';
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
import { parseAppendRequest } from './parse-changes.ts';
import type { RecordMembers } from './parse-filter.ts';
import { FieldTyper, RECORDS_PER_STEP, type RecordFields, StartColumns } from './record-fields.ts';
import { RecordResults } from './record-results.ts';
import { isFilledField, type RowWriter } from './row-writer.ts';
import { OTHER } from './sent-records.ts';

const APPENDED: ChangeKind = { name: 'appended', counts: ['created'], action: 'records.append', countsCells: true };

/** Appends records below the existing ones. */
export async function appendRecords(
  context: ServiceContext,
  request: WriteRequest,
  body: RecordMembers,
  form: ChangeForm = 'records',
  start = new StartColumns(),
): Promise<WriteReply | Refusal> {
  const appendRequest = parseAppendRequest(body);
  if (isRefusal(appendRequest)) return appendRequest;
  return changeRecords(context, request, { kind: APPENDED, target: appendRequest, form, start }, async (ready) => {
    const records = await runInSlices(createFieldTyper(context, ready).parseAllFields(appendRequest.records));
    if (isRefusal(records)) return records;
    const empty = findEmptyRecord(records);
    if (empty !== null) return createEmptyRecordRefusal(empty);
    return decideEarly(ready, function* (base): Generator<void, RecordsChange | Refusal> {
      const writer = createRowWriter(base);
      const appended = yield* planAppend(base, writer, listAllRecords(records), appendRequest.fillFormulas);
      if (isRefusal(appended)) return appended;
      const results = new RecordResults(records.count);
      for (let i = 0; i < records.count; i++) results.setResult(i, appended.place.row + i, 'created');
      return { ...(yield* buildRecordsChange(writer, appended)), results, appendsAt: appended.place.row };
    });
  });
}

export function createFieldTyper({ config }: ServiceContext, { snapshot, names, types }: RecordsBase): FieldTyper {
  return new FieldTyper(snapshot, names, { types, limits: config.limits });
}

/** The first record that fills no cell: it would not exist. Null: none. */
function findEmptyRecord(fields: RecordFields): number | null {
  for (let i = 0; i < fields.count; i++) if (!isFilled(fields, i)) return i;
  return null;
}

function isFilled(fields: RecordFields, record: number): boolean {
  const first = fields.getFirstField(record);
  const { length } = fields.getColumns(record);
  for (let i = first; i < first + length; i++) {
    if (fields.kinds[i] !== OTHER || isFilledField(fields.readField(i))) return true;
  }
  return false;
}

function createEmptyRecordRefusal(index: number): Refusal {
  return toRecordRefusal(index, `records.${index} must have at least one filled field`);
}

/** The edits that append records. */
interface AppendPlan {
  readonly place: AppendPlace;
  /** Edits that must run before the records' cells are written, and after. */
  readonly before: readonly Edit[];
  readonly after: readonly Edit[];
  /** Number of cells that get formulas. */
  readonly filled: number;
}

function listAllRecords(fields: RecordFields): NewRecords {
  return { fields, records: Uint32Array.from({ length: fields.count }, (_, i) => i) };
}

/** Plans an append in steps. Yields regularly, so that other work can run. */
export function* planAppend(
  base: RecordsBase,
  writer: RowWriter,
  { fields, records }: NewRecords,
  fillFormulas: boolean,
): Generator<void, AppendPlan | Refusal> {
  const { region, table, sheet } = base.place;
  const place = appendPlace(base.snapshot, region, table, records.length);
  if (place.row + records.length > MAX_ROWS) return SHEET_FULL;
  for (let i = 0; i < records.length; i++) {
    writer.appendRow(place.row + i, fields, records[i] as number);
    if (i % RECORDS_PER_STEP === 0) yield;
  }
  const fills = fillFormulas ? listFormulaFills(base, place, { fields, records }) : [];
  const { inserted } = place;
  const before = inserted && {
    kind: 'moveCells' as const,
    move: {
      kind: 'insert' as const,
      sheet: sheet.id,
      axis: 'rows' as const,
      ...inserted,
      across: findTableColumns(base),
    },
  };
  return {
    place,
    before: [...(before === null ? [] : [before]), ...buildAppendedFormats(base, place, { fields, records })],
    after: fills,
    filled: fills.reduce((sum, { to }) => sum + to.bottom - to.top + 1, 0),
  };
}

/**
 * The columns across which rows are inserted. A table inserts rows across all of its columns, also if the range names
 * only some of them.
 */
function findTableColumns({ place: { table, region } }: RecordsBase): {
  readonly first: number;
  readonly last: number;
} {
  const columns = region.columns.map(({ column }) => column);
  const area = table?.area ?? { left: columns[0] ?? 0, right: columns.at(-1) ?? 0 };
  return { first: area.left, last: area.right };
}

type FormulaFill = Extract<Edit, { kind: 'fill' }>;

/** The edits that copy the formulas of the row above into the columns that the records omit. */
function listFormulaFills(
  { place: { sheet, region } }: RecordsBase,
  { row, above }: AppendPlace,
  { fields, records }: NewRecords,
): readonly FormulaFill[] {
  if (above === null) return [];
  return region.columns.flatMap(({ column }, at): readonly FormulaFill[] => {
    if (sheet.run(above, column) === undefined) return [];
    const area = { top: above, left: column, bottom: above, right: column };
    return findTrueRuns(Array.from(records, (record) => fields.findField(record, at) === null)).map(
      ([first, last]): FormulaFill => ({
        kind: 'fill',
        sheet: sheet.id,
        area,
        to: { top: row + first, left: column, bottom: row + last, right: column },
      }),
    );
  });
}

/** Builds the writer's edits together with the edits of the appended records. Yields regularly. */
export function* buildRecordsChange(
  writer: RowWriter,
  appended: AppendPlan | null,
): Generator<void, Omit<RecordsChange, 'results'>> {
  const edits = yield* writer.listEdits();
  const { warnings } = writer;
  if (appended === null) return { edits, cells: writer.cells, warnings };
  return { edits: [...appended.before, ...edits, ...appended.after], cells: writer.cells + appended.filled, warnings };
}
