import { type Edit, type RecordFilter, RowSearch, type RowTruths } from '@cellwire/engine';
import { runSynchronously } from '@cellwire/event-loop';
import type { DocumentAccess } from '../../access/access.ts';
import { MAX_DELETED_RUNS, MAX_RECORDS } from '../../limits/records.ts';
import { type CommitConflict, STATE_CHANGED } from '../commit-loop.ts';
import type { ServiceContext } from '../context.ts';
import { appendIndex, type IndexRun } from '../index-runs.ts';
import { invalidRequest, isRefusal, type Refusal } from '../refusal.ts';
import type { WriteReply } from '../reply.ts';
import type { WriteRequest } from '../write-request.ts';
import { createFieldTyper } from './append-records.ts';
import {
  type ChangeKind,
  changeRecords,
  createRowWriter,
  type DecideChange,
  decideEarly,
  type RecordsBase,
  type RecordsChange,
} from './change.ts';
import { type FilteredRequest, parseFilteredRequest, parseUpdateRequest } from './parse-changes.ts';
import type { RecordMembers } from './parse-filter.ts';
import { resolveRecordsInSteps } from './place.ts';
import { RECORDS_PER_STEP } from './record-fields.ts';
import { RecordResults } from './record-results.ts';
import { resolveFilter } from './resolve-filter.ts';
import { SentRecords } from './sent-records.ts';
import { testRows } from './test-rows.ts';

const UPDATED: ChangeKind = {
  name: 'updated',
  counts: ['updated', 'unchanged'],
  action: 'records.update',
  countsCells: true,
};
const DELETED: ChangeKind = { name: 'deleted', counts: ['deleted'], action: 'records.delete', countsCells: false };

/** Sets fields of the records that match a filter. */
export async function updateRecords(
  context: ServiceContext,
  request: WriteRequest,
  body: RecordMembers,
): Promise<WriteReply | Refusal> {
  const updateRequest = parseUpdateRequest(body, context.config.limits);
  if (isRefusal(updateRequest)) return updateRequest;
  return changeRecords(context, request, { kind: UPDATED, target: updateRequest }, async (ready, access) => {
    const sent = SentRecords.fromList([updateRequest.set]);
    const set = runSynchronously(createFieldTyper(context, ready).parseAllFields(sent, () => 'set'));
    if (isRefusal(set)) return set;
    return decideFilteredChange(context, access, { requested: updateRequest, ready }, function* (base, rows) {
      const writer = createRowWriter(base);
      const results = new RecordResults(rows.length);
      for (const [i, row] of rows.entries()) {
        results.setResult(i, row, writer.updateRow(row, set, 0) ? 'updated' : 'unchanged');
        if (i % RECORDS_PER_STEP === 0) yield;
      }
      return { edits: yield* writer.listEdits(), cells: writer.cells, results, warnings: writer.warnings };
    });
  });
}

/** Deletes the records that match a filter; cells below them in the range's columns move up. */
export async function deleteRecords(
  context: ServiceContext,
  request: WriteRequest,
  body: RecordMembers,
): Promise<WriteReply | Refusal> {
  const deleteRequest = parseFilteredRequest(body, context.config.limits);
  if (isRefusal(deleteRequest)) return deleteRequest;
  return changeRecords(context, request, { kind: DELETED, target: deleteRequest }, async (ready, access) => {
    return decideFilteredChange(context, access, { requested: deleteRequest, ready }, function* (base, rows) {
      const edits = buildDeletions(base, rows);
      if (isRefusal(edits)) return edits;
      const results = new RecordResults(rows.length);
      for (const [i, row] of rows.entries()) results.setResult(i, row, 'deleted');
      return { edits, cells: yield* countFilledCells(base, rows), results };
    });
  });
}

type RowsChangeBuilder = (base: RecordsBase, rows: readonly number[]) => Generator<void, RecordsChange | Refusal>;

/** Decides the change of the rows that match a filter. */
async function decideFilteredChange(
  context: ServiceContext,
  access: DocumentAccess,
  { requested, ready }: { readonly requested: FilteredRequest; readonly ready: RecordsBase },
  change: RowsChangeBuilder,
): Promise<DecideChange | Refusal | CommitConflict> {
  const resolved = resolveFilter(ready.names, requested.filter);
  if (isRefusal(resolved)) return resolved;
  const tested = await readTestedRows(context, access, requested);
  if (tested !== null && !('truths' in tested)) return tested;
  const search = new RowSearch(resolved.filter, resolved.types, tested?.truths ?? null, true);
  const indexes = context.recordMemory.indexes.getDocumentIndexes(access.documentId);
  const decide = await decideEarly(ready, function* (base) {
    const rows = yield* search.findRows(base.snapshot, base.place.region, indexes);
    if (rows.length <= MAX_RECORDS) {
      const changes = yield* change(base, Array.from(rows));
      return isRefusal(changes) ? changes : { ...changes, decidedBy: listDecidingColumns(resolved.filter, requested) };
    }
    const message = `The filter holds for ${rows.length} records, and a request may change ${MAX_RECORDS} at most`;
    return invalidRequest('where', message);
  });
  // A formula may depend on any cell, so any change since the calculation counts.
  return (base, head) => (tested !== null && tested.head !== head.head ? STATE_CHANGED : decide(base, head));
}

/** The columns that a filter reads. A formula may read any of them. */
function listDecidingColumns(
  { all, oneOf, none }: RecordFilter,
  { filter: { formula } }: FilteredRequest,
): NonNullable<RecordsChange['decidedBy']> {
  if (formula !== null) return 'all';
  const columns = [all, ...(oneOf ?? []), ...none].flat().map(({ at }) => at);
  return columns.length === 0 ? 'end' : [...new Set(columns)];
}

/** For which rows the filter's formula is true; null if the filter has no formula. */
async function readTestedRows(
  context: ServiceContext,
  access: DocumentAccess,
  { filter, range, letters }: FilteredRequest,
): Promise<{ readonly truths: RowTruths; readonly head: string } | Refusal | CommitConflict | null> {
  if (filter.formula === null) return null;
  return testRows(context, access, filter.formula, function* (snapshot) {
    const place = yield* resolveRecordsInSteps(snapshot, access, range, letters);
    return isRefusal(place) ? place : { place };
  });
}

/** Deletes from the last row up, so that deletions do not shift the rows above. */
function buildDeletions({ place: { sheet, region } }: RecordsBase, rows: readonly number[]): readonly Edit[] | Refusal {
  const runs: IndexRun[] = [];
  for (const row of rows) appendIndex(runs, row);
  if (runs.length > MAX_DELETED_RUNS) {
    const message = `The records are in ${runs.length} separate runs of rows; a request may delete at most ${MAX_DELETED_RUNS}`;
    return invalidRequest('where', message);
  }
  const columns = region.columns.map(({ column }) => column);
  const across = { first: columns[0] ?? 0, last: columns.at(-1) ?? 0 };
  return runs.toReversed().map(([first, last]): Edit => {
    const place = { sheet: sheet.id, axis: 'rows' as const, at: first, count: last - first + 1 };
    return { kind: 'moveCells', move: { kind: 'delete', ...place, across } };
  });
}

/** The number of filled cells in rows of the records. */
function* countFilledCells(
  { place: { sheet, region } }: RecordsBase,
  rows: readonly number[],
): Generator<void, number> {
  let cells = 0;
  for (const [i, row] of rows.entries()) {
    for (const { column } of region.columns) if (sheet.kind(row, column) !== 0) cells++;
    if (i % RECORDS_PER_STEP === 0) yield;
  }
  return cells;
}
