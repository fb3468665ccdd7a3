import { type Area, intersects, subtract } from '@cellwire/engine';
import type { PlanSteps } from '../call.ts';
import { readChoice, readObject, refuseUnknownMembers } from '../json.ts';
import { createInvalidProblem } from '../problem.ts';
import { countCellsInArea } from './cell-edits.ts';
import type { RequestBatch, RequestHandler, RequestSteps, WorkingSheet } from './state.ts';

const MERGE_TYPES = ['MERGE_ALL', 'MERGE_ROWS', 'MERGE_COLUMNS'] as const;
type MergeType = (typeof MERGE_TYPES)[number];

/** Throws if a merge of the sheet is partly in the area. */
function* refusePartialMerges(batch: RequestBatch, sheet: WorkingSheet, area: Area): PlanSteps<void> {
  const { merges } = (yield* batch.readSheetStructure(sheet)).layout;
  const isPartial = (merge: Area) => intersects(merge, area) && subtract(merge, area).length > 0;
  if (merges.some(isPartial))
    throw createInvalidProblem('You must select all cells in a merged range to merge or unmerge them.');
}

/** Throws if an area has frozen and other rows, or frozen and other columns. */
function refuseFrozenEdge({ view }: WorkingSheet, { top, left, bottom, right }: Area): void {
  const { frozenRows, frozenColumns } = view;
  if (top < frozenRows && bottom >= frozenRows)
    throw createInvalidProblem("You can't merge frozen and non-frozen rows.");
  if (left < frozenColumns && right >= frozenColumns)
    throw createInvalidProblem("You can't merge frozen and non-frozen columns.");
}

/** Merges the cells of a range: all of them, by row or by column. */
export const mergeCells: RequestHandler = function* (batch, members, path): RequestSteps {
  refuseUnknownMembers(members, ['range', 'mergeType'], path);
  const sent = readObject(members, 'range', path);
  if (sent === undefined) throw createInvalidProblem('range is required.');
  const { sheet, range } = batch.parseRange(sent, `${path}.range`);
  const type = readChoice(members, 'mergeType', MERGE_TYPES, path, 'MergeType') ?? 'MERGE_ALL';
  batch.refuseProtectedArea(sheet, range);
  const { top, left, bottom, right } = range;
  const areas = splitMergedArea(range, type).filter((area) => countCellsInArea(area) > 1);
  if (areas.length === 0) return {};
  yield* refusePartialMerges(batch, sheet, range);
  for (const area of areas) refuseFrozenEdge(sheet, area);
  const clearArea = (area: Area) => {
    if (area.bottom >= area.top && area.right >= area.left) batch.addEdits({ kind: 'clear', sheet: sheet.id, area });
  };
  // Every merged range keeps the value of its first cell.
  if (type !== 'MERGE_COLUMNS') clearArea({ top, left: left + 1, bottom, right });
  if (type === 'MERGE_COLUMNS') clearArea({ top: top + 1, left, bottom, right });
  if (type === 'MERGE_ALL') clearArea({ top: top + 1, left, bottom, right: left });
  batch.addEdits({ kind: 'mergeCells', sheet: sheet.id, areas });
  return {};
};

const MAX_MERGES = 100_000;

/** The areas to merge: the whole area, each row of it, or each column. */
function splitMergedArea({ top, left, bottom, right }: Area, type: MergeType): readonly Area[] {
  if (type === 'MERGE_ALL') return [{ top, left, bottom, right }];
  const isRows = type === 'MERGE_ROWS';
  const length = isRows ? bottom - top + 1 : right - left + 1;
  if (length > MAX_MERGES) throw createInvalidProblem(`A request can merge ${MAX_MERGES} ranges at most.`);
  return Array.from({ length }, (_, i) =>
    isRows ? { top: top + i, left, bottom: top + i, right } : { top, left: left + i, bottom, right: left + i },
  );
}

/** Divides the merged cells in a range. */
export const unmergeCells: RequestHandler = function* (batch, members, path): RequestSteps {
  refuseUnknownMembers(members, ['range'], path);
  const sent = readObject(members, 'range', path);
  if (sent === undefined) throw createInvalidProblem('range is required.');
  const { sheet, range } = batch.parseRange(sent, `${path}.range`);
  batch.refuseProtectedArea(sheet, range);
  yield* refusePartialMerges(batch, sheet, range);
  batch.addEdits({ kind: 'unmergeCells', sheet: sheet.id, area: range });
  return {};
};
