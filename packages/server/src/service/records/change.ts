import { areaText, type Edit, isSameHeader, MAX_ROWS, type RecordType, type Snapshot } from '@cellwire/engine';
import { runInSlices, runSynchronously } from '@cellwire/event-loop';
import type { DocumentAccess } from '../../access/access.ts';
import type { ProposalHead } from '../../documents/types.ts';
import { MAX_REPLY_BYTES } from '../../limits/requests.ts';
import { type CommitConflict, STATE_CHANGED } from '../commit-loop.ts';
import type { ServiceContext } from '../context.ts';
import type { AuditAction } from '../history/audit-log.ts';
import { openReading } from '../open-table.ts';
import type { CellsToWatch } from '../proposals/watched-cells.ts';
import { formatQualifiedRange } from '../ranges.ts';
import { invalidRequest, isRefusal, RESPONSE_TOO_LARGE, type Refusal, SHEET_PROTECTED } from '../refusal.ts';
import type { WriteReply } from '../reply.ts';
import { prepareAndWrite } from '../write.ts';
import type { ProposeWrite, WriteProposal, WriteRequest } from '../write-request.ts';
import type { FieldWarnings } from './field-warnings.ts';
import type { RecordsTarget } from './parse-changes.ts';
import { type RecordsPlace, resolveRecordsInSteps } from './place.ts';
import { type StartColumn, StartColumns } from './record-fields.ts';
import type { RecordOutcome, RecordResults } from './record-results.ts';
import { ColumnNames, resolveTypes } from './resolve-filter.ts';
import { RowWriter } from './row-writer.ts';

/** The records that a request refers to, in one state of the document. */
export interface RecordsBase {
  readonly snapshot: Snapshot;
  readonly place: RecordsPlace;
  readonly names: ColumnNames;
  /** Requested types by column index in the region. */
  readonly types: ReadonlyMap<number, RecordType>;
  /** Contents of the columns when the request started, by the same indexes. */
  readonly columns: readonly StartColumn[];
}

/** A change of records in one state of the document. */
export interface RecordsChange {
  readonly edits: readonly Edit[];
  readonly cells: number;
  readonly results: RecordResults;
  /** Absent: the change writes no fields. */
  readonly warnings?: FieldWarnings;
  /**
   * Columns (by index in the region) whose cells decide which records are meant; `all`: the whole range; `end`: its
   * end.
   */
  readonly decidedBy?: readonly number[] | 'all' | 'end';
  /** The zero-based row below which records are appended; absent: none are. */
  readonly appendsAt?: number;
}

/** A kind of change: the name of its member in the response, and the counts in that member. */
export interface ChangeKind {
  readonly name: 'appended' | 'upserted' | 'updated' | 'deleted';
  readonly counts: readonly RecordOutcome[];
  readonly action: AuditAction;
  readonly countsCells: boolean;
}

/**
 * Content of the response: an entry for each record, or for a batch of a stream the counts only. `streamed` is the
 * number of the stream's records so far; a resumed stream continues the count.
 */
export type ChangeForm = 'records' | BatchForm;

export interface BatchForm {
  readonly recordsBefore: number;
}

/** Decides the change on the newest state, from work prepared on a slightly older state. */
export type DecideChange = (base: RecordsBase, head: ProposalHead) => RecordsChange | Refusal | CommitConflict;

/**
 * Decides on the prepared state, in slices. If the document changes before the write's turn, decides again in one go.
 */
export async function decideEarly(
  ready: RecordsBase,
  decide: (base: RecordsBase) => Generator<void, RecordsChange | Refusal>,
): Promise<DecideChange> {
  const early = await runInSlices(decide(ready));
  return (base) => (base.snapshot === ready.snapshot ? early : runSynchronously(decide(base)));
}

interface RecordsRequest {
  readonly kind: ChangeKind;
  readonly target: RecordsTarget;
  readonly form?: ChangeForm;
  /** Contents of the columns at the start of the stream that this batch belongs to; absent: not a stream. */
  readonly start?: StartColumns;
}

/**
 * Changes records. Slow work is prepared in slices on the newest state on disk; the change is decided on the state that
 * it is applied to. If the header has changed in between, it is prepared again.
 */
export function changeRecords(
  context: ServiceContext,
  request: WriteRequest,
  { kind, target, form = 'records', start = new StartColumns() }: RecordsRequest,
  prepare: (base: RecordsBase, access: DocumentAccess) => Promise<DecideChange | Refusal | CommitConflict>,
): Promise<WriteReply | Refusal> {
  return prepareAndWrite(context, request, async (access): Promise<ProposeWrite | Refusal> => {
    const reading = await openReading(context, access);
    if (isRefusal(reading)) return reading;
    const ready = await runInSlices(resolveRecordsBase(reading.snapshot, access, target, start));
    if (isRefusal(ready)) return ready;
    const decide = await prepare(ready, access);
    if (isRefusal(decide)) return decide;
    if (typeof decide !== 'function') return () => decide;
    return (head, rights) => {
      const isSame = head.snapshot === ready.snapshot && rights === access;
      const base = isSame ? ready : runSynchronously(resolveRecordsBase(head.snapshot, rights, target, start));
      if (isRefusal(base)) return base;
      if (!isSameHeader(ready.place.region, base.place.region)) return STATE_CHANGED;
      const change = decide(base, head);
      return 'edits' in change ? toChangeProposal(base, kind, change, form) : change;
    };
  });
}

/** The records to change with their columns' types; refused if the range is unknown, hidden or locked. */
function* resolveRecordsBase(
  snapshot: Snapshot,
  access: DocumentAccess,
  target: RecordsTarget,
  start: StartColumns,
): Generator<void, RecordsBase | Refusal> {
  const place = yield* resolveRecordsInSteps(snapshot, access, target.range, target.letters);
  if (isRefusal(place)) return place;
  if (access.lockedSheets.has(place.sheet.id)) return SHEET_PROTECTED;
  const names = new ColumnNames(place.region);
  const types = resolveTypes(names, target.types);
  if (isRefusal(types)) return types;
  const columns = yield* start.readStartColumns(snapshot, place.region);
  return { snapshot, place, names, types, columns };
}

export function createRowWriter({ snapshot, place, columns }: RecordsBase): RowWriter {
  return new RowWriter(snapshot, place.sheet, place.region, columns);
}

/** The edits of changed records with their counts and reply. */
function toChangeProposal(
  base: RecordsBase,
  kind: ChangeKind,
  change: RecordsChange,
  form: ChangeForm,
): WriteProposal | Refusal {
  const { sheet, region } = base.place;
  const { results } = change;
  const counts = Object.fromEntries(kind.counts.map((outcome) => [outcome, results.count(outcome)]));
  const buildBody = (revision: number) => ({
    [kind.name]: {
      sheet: sheet.name,
      ...counts,
      ...(kind.countsCells ? { cells: change.cells } : {}),
      ...(form === 'records' ? { records: results.toList() } : { streamed: form.recordsBefore + results.length }),
      revisionId: String(revision),
    },
    ...change.warnings?.toReplyMembers(),
  });
  if (form === 'records' && results.length * RESULT_BYTES > MAX_REPLY_BYTES) return RESPONSE_TOO_LARGE;
  const decidedBy = listDecidingCells(base, change);
  const left = region.columns[0]?.column ?? 0;
  const last = Math.max(results.findLastRow(), region.end);
  const area = { top: region.header, left, bottom: last - 1, right: left + region.columns.length - 1 };
  const note = { action: kind.action, range: formatQualifiedRange(sheet.name, areaText(area)), cells: change.cells };
  return {
    edits: change.edits,
    decidedBy,
    form: 'fields',
    describe: (_done, { revision }) => ({ body: buildBody(revision), notes: [note] }),
  };
}

/**
 * Cells that decide which rows a change writes: the header, the columns that it searches, and the end of the records.
 */
function listDecidingCells(
  { snapshot, place }: RecordsBase,
  { decidedBy = [], appendsAt }: RecordsChange,
): readonly CellsToWatch[] {
  const { sheet, region, table, area } = place;
  const columns = region.columns.map(({ column }) => column);
  const [left = 0, right = left] = [columns[0], columns.at(-1)];
  const { header } = region;
  const hasHeader = table === null || table.headerRow;
  const found: CellsToWatch[] = [];
  if (hasHeader) found.push({ kind: 'cells', sheet: sheet.id, area: { top: header, left, bottom: header, right } });
  // Records may also be appended below the end of a range, and an upsert must find these records.
  const bottom = area.openRows || appendsAt !== undefined ? MAX_ROWS - 1 : area.bottom;
  const top = Math.min(header + 1, bottom);
  const places = typeof decidedBy === 'string' ? [] : decidedBy;
  const comparedColumns = decidedBy === 'all' ? columns : places.flatMap((at) => region.columns[at]?.column ?? []);
  for (const column of comparedColumns) {
    found.push({ kind: 'all', sheet: sheet.id, area: { top, left: column, bottom, right: column } });
  }
  if (decidedBy === 'end' || (appendsAt !== undefined && table === null)) {
    const row = Math.max(
      0,
      ...columns.map((column) => snapshot.sheetById(sheet.id)?.columns[column]?.filledRows() ?? 0),
    );
    found.push({ kind: 'end', sheet: sheet.id, columns, row });
  } else if (appendsAt !== undefined && table !== null) {
    const { left: from, right: to, bottom: last } = table.area;
    const below = { top: appendsAt, left: from, bottom: Math.max(appendsAt, last), right: to };
    found.push({ kind: 'all', sheet: sheet.id, area: below });
  }
  return found;
}

/** Approximate size of one record's entry in a response, in bytes. */
const RESULT_BYTES = 40;

/** Refuses a record, with its index in the request. */
export function toRecordRefusal(index: number, message: string): Refusal {
  return invalidRequest(`records.${index}`, message);
}
