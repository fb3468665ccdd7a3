import { columnName } from '@cellwire/engine';
import { t } from '../../text/index.ts';
import type { GridController } from '../controller/grid-controller.ts';
import { listVisibleRowSpans } from '../controller/selected-areas.ts';
import { computeSelectedArea } from '../selection/selection.ts';
import type { LineSpan } from '../selection/visible-rows.ts';
import { createRefusal } from '../session/cell-refusals.ts';
import { readRevision } from '../session/write-queue.ts';
import { type ActionResult, MAX_OPERATIONS, refuseSeveralAreas, toActionResult } from './cell-edits.ts';

export type LineAction = 'insertBefore' | 'insertAfter' | 'delete' | 'moveBack' | 'moveOn';

/** Inserts, deletes or moves the selected rows or columns. Hidden rows are not touched. */
export async function changeLines(
  controller: GridController,
  axis: 'rows' | 'columns',
  action: LineAction,
): ActionResult {
  if (action === 'delete') return deleteLines(controller, axis);
  const { sheet, selection } = controller.state;
  const area = computeSelectedArea(selection);
  const refused =
    axis === 'rows'
      ? refuseSeveralAreas(controller)
      : controller.state.otherAreas.length > 0
        ? createRefusal(t.grid.oneArea)
        : null;
  if (refused !== null) return refused;
  const first = axis === 'rows' ? area.top : area.left;
  const last = axis === 'rows' ? area.bottom : area.right;
  const count = last - first + 1;
  const formatLine = (position: number) => (axis === 'rows' ? position + 1 : columnName(position));
  const name = axis === 'rows' ? 'Rows' : 'Columns';
  // A move past a hidden row would not be visible.
  const [before, after] = axis === 'rows' ? findVisibleNeighbours(controller, first, last) : [first - 1, last + 1];
  const operation = (() => {
    switch (action) {
      case 'insertBefore':
        return { [`insert${name}`]: { sheet, before: formatLine(first), count } };
      case 'insertAfter':
        return { [`insert${name}`]: { sheet, before: formatLine(last + 1), count } };
      case 'moveBack':
        return { [`move${name}`]: { sheet, from: formatLine(first), count, before: formatLine(before) } };
      case 'moveOn':
        return { [`move${name}`]: { sheet, from: formatLine(first), count, before: formatLine(after + 1) } };
    }
  })();
  if (action === 'moveBack' && first === 0) return null;
  const { selectionCount } = controller;
  const answer = await controller.session.changeStructure([operation], controller.editBase);
  if (!answer.ok) return answer;
  if (action !== 'insertBefore') return null;
  // The selection has followed its cells. The new lines are selected unless the person has changed the selection in the
  // meantime.
  await controller.session.revisions.waitFor(readRevision(answer) ?? 0);
  if (
    controller.selectionCount !== selectionCount ||
    controller.state.draft !== null ||
    controller.state.sheet !== sheet
  )
    return null;
  const now = computeSelectedArea(controller.state.selection);
  const span =
    axis === 'rows'
      ? { top: Math.max(0, now.top - count), bottom: Math.max(0, now.top - 1) }
      : { left: Math.max(0, now.left - count), right: Math.max(0, now.left - 1) };
  controller.selectArea({ ...now, ...span });
  return null;
}

/** The visible rows directly above and below a span of rows. */
function findVisibleNeighbours(
  controller: GridController,
  first: number,
  last: number,
): readonly [above: number, below: number] {
  const { rows } = controller.view?.viewport ?? {};
  const above = first === 0 ? -1 : (rows?.findNearestVisible(first - 1, -1) ?? first - 1);
  return [above, rows?.findNearestVisible(last + 1, 1) ?? last + 1];
}

/** The selected rows or columns without hidden rows, merged and sorted. */
export function listSelectedLines(controller: GridController, axis: 'rows' | 'columns'): readonly LineSpan[] {
  const areas = [...controller.state.otherAreas, computeSelectedArea(controller.state.selection)];
  const spans = areas
    .flatMap((area) =>
      axis === 'rows' ? listVisibleRowSpans(controller, area) : [{ first: area.left, last: area.right }],
    )
    .sort((a, b) => a.first - b.first);
  const joined: { first: number; last: number }[] = [];
  for (const { first, last } of spans) {
    const before = joined.at(-1);
    if (before !== undefined && before.last >= first - 1) before.last = Math.max(before.last, last);
    else joined.push({ first, last });
  }
  return joined;
}

/** Deletes from the end, so that earlier spans keep their positions. */
function deleteLines(controller: GridController, axis: 'rows' | 'columns'): ActionResult {
  const { sheet } = controller.state;
  const spans = listSelectedLines(controller, axis);
  if (spans.length === 0) return Promise.resolve(createRefusal(t.grid.filteredOut));
  if (spans.length > MAX_OPERATIONS) return Promise.resolve(createRefusal(t.grid.tooManyAreas(MAX_OPERATIONS)));
  const operations = spans
    .toReversed()
    .map(({ first, last }) =>
      axis === 'rows'
        ? { deleteRows: { sheet, from: first + 1, count: last - first + 1 } }
        : { deleteColumns: { sheet, from: columnName(first), count: last - first + 1 } },
    );
  return toActionResult(controller.session.changeStructure(operations, controller.editBase));
}
