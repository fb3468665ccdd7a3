import { columnName } from '@cellwire/engine';
import { t } from '../../text/index.ts';
import type { Desk } from '../controller/grid-controller.ts';
import { shownRows } from '../controller/selected-areas.ts';
import { areaOf } from '../selection/selection.ts';
import type { Span } from '../selection/visible-rows.ts';
import { refusal } from '../session/cell-refusals.ts';
import { madeBy } from '../session/write-queue.ts';
import { MAX_OPERATIONS, type Outcome, onlyOneArea, outcomeOf } from './cell-edits.ts';

export type LineDeed = 'insertBefore' | 'insertAfter' | 'delete' | 'moveBack' | 'moveOn';

/** Rows of the selection that are shown, or its columns: new ones beside them, they go, or they change places. */
export async function changeLines(desk: Desk, axis: 'rows' | 'columns', deed: LineDeed): Outcome {
  if (deed === 'delete') return deleteLines(desk, axis);
  const { sheet, selection } = desk.state;
  const area = areaOf(selection);
  const refused = axis === 'rows' ? onlyOneArea(desk) : desk.state.others.length > 0 ? refusal(t.grid.oneArea) : null;
  if (refused !== null) return refused;
  const first = axis === 'rows' ? area.top : area.left;
  const last = axis === 'rows' ? area.bottom : area.right;
  const count = last - first + 1;
  const line = (place: number) => (axis === 'rows' ? place + 1 : columnName(place));
  const name = axis === 'rows' ? 'Rows' : 'Columns';
  // Moved past a row that is not shown, a row would not seem to move.
  const [before, after] = axis === 'rows' ? neighbours(desk, first, last) : [first - 1, last + 1];
  const operation = (() => {
    switch (deed) {
      case 'insertBefore':
        return { [`insert${name}`]: { sheet, before: line(first), count } };
      case 'insertAfter':
        return { [`insert${name}`]: { sheet, before: line(last + 1), count } };
      case 'moveBack':
        return { [`move${name}`]: { sheet, from: line(first), count, before: line(before) } };
      case 'moveOn':
        return { [`move${name}`]: { sheet, from: line(first), count, before: line(after + 1) } };
    }
  })();
  if (deed === 'moveBack' && first === 0) return null;
  const { picks } = desk;
  const answer = await desk.book.structure([operation]);
  if (!answer.ok) return answer;
  if (deed !== 'insertBefore') return null;
  // The selection has followed its cells. Who has gone on meanwhile stays there; else one goes on in the new lines.
  await desk.book.places.reached(madeBy(answer) ?? 0);
  if (desk.picks !== picks || desk.state.draft !== null || desk.state.sheet !== sheet) return null;
  const now = areaOf(desk.state.selection);
  const span =
    axis === 'rows'
      ? { top: Math.max(0, now.top - count), bottom: Math.max(0, now.top - 1) }
      : { left: Math.max(0, now.left - count), right: Math.max(0, now.left - 1) };
  desk.selectArea({ ...now, ...span });
  return null;
}

/** The rows that are seen right above and below a stretch of rows. */
export function neighbours(desk: Desk, first: number, last: number): readonly [above: number, below: number] {
  const { rows } = desk.view?.viewport ?? {};
  const above = first === 0 ? -1 : (rows?.shown(first - 1, -1) ?? first - 1);
  return [above, rows?.shown(last + 1, 1) ?? last + 1];
}

/** The rows or columns that anything selected is in, each once and in order; hidden rows are none of them. */
export function selectedLines(desk: Desk, axis: 'rows' | 'columns'): readonly Span[] {
  const areas = [...desk.state.others, areaOf(desk.state.selection)];
  const spans = areas
    .flatMap((area) => (axis === 'rows' ? shownRows(desk, area) : [{ first: area.left, last: area.right }]))
    .sort((a, b) => a.first - b.first);
  const joined: { first: number; last: number }[] = [];
  for (const { first, last } of spans) {
    const before = joined.at(-1);
    if (before !== undefined && before.last >= first - 1) before.last = Math.max(before.last, last);
    else joined.push({ first, last });
  }
  return joined;
}

/** From the last on: what is deleted moves those after it alone. */
function deleteLines(desk: Desk, axis: 'rows' | 'columns'): Outcome {
  const { sheet } = desk.state;
  const spans = selectedLines(desk, axis);
  if (spans.length === 0) return Promise.resolve(refusal(t.grid.filteredOut));
  if (spans.length > MAX_OPERATIONS) return Promise.resolve(refusal(t.grid.tooManyAreas(MAX_OPERATIONS)));
  const operations = spans
    .toReversed()
    .map(({ first, last }) =>
      axis === 'rows'
        ? { deleteRows: { sheet, from: first + 1, count: last - first + 1 } }
        : { deleteColumns: { sheet, from: columnName(first), count: last - first + 1 } },
    );
  return outcomeOf(desk.book.structure(operations));
}
