import { type Area, areaText, columnName } from '@cellwire/engine';
import { t } from '../../text/index.ts';
import type { Desk } from '../controller/grid-controller.ts';
import { lastFilledBelow } from '../controller/navigation.ts';
import {
  type CellEdit,
  editAreas,
  MAX_OPERATIONS,
  type Outcome,
  onlyOneArea,
  outcomeOf,
  rangeOf,
  refusal,
  selectedAreas,
  shownRows,
  usedSelection,
} from '../controller/selected-areas.ts';
import { areaOf } from '../selection/selection.ts';
import { rowsIn, type Span, stretchesOf } from '../selection/visible-rows.ts';
import { sentValue } from '../session/api-values.ts';
import { madeBy } from '../session/write-queue.ts';
import { restOf, seriesOf } from './fill-series.ts';

/** Clears what is selected and shown. */
export async function clearSelection(desk: Desk): Outcome {
  const areas = selectedAreas(desk);
  const [area] = areas;
  const { sheet } = desk.state;
  const { cells } = desk.book.sheet(sheet);
  if (area === undefined) return refusal(t.grid.filteredOut);
  if (areas.length > 1) {
    const edits = areas.map((one): CellEdit => ({ clear: rangeOf(sheet, one) }));
    return editAreas(desk, edits, areas);
  }
  const expected = cells.expectEmpty(area);
  const answer = await desk.book.edit('POST', '/values/clear', { range: rangeOf(sheet, area) });
  await cells.settle(area, expected);
  return answer.ok ? null : answer;
}

/** Gives what is selected and shown a number format. */
export async function formatSelection(desk: Desk, format: string): Outcome {
  const { sheet, selection, others } = desk.state;
  const areas = selectedAreas(desk);
  if (areas.length === 0) return refusal(t.grid.filteredOut);
  if (others.length > 0 || areas.length > 1) {
    const edits = areas.map((area): CellEdit => ({ format: rangeOf(sheet, area), code: format }));
    return editAreas(desk, edits, areas);
  }
  const area = areaOf(selection);
  const range = encodeURIComponent(rangeOf(sheet, area));
  const answer = await desk.book.editAsPeople('PUT', `/format/${range}`, { format });
  if (answer.ok) desk.book.sheet(sheet).cells.outdate([area]);
  return answer.ok ? null : answer;
}

/** Goes on with the selection's series in a larger area, and repeats what is none. Hidden rows are passed over. */
export async function fillTo(desk: Desk, to: Area): Outcome {
  if (desk.state.others.length > 0) return refusal(t.grid.oneArea);
  const { sheet } = desk.state;
  const { book } = desk;
  const from = desk.area;
  if (areaText(from) === areaText(to)) return null;
  const { locale, dateSystem } = book;
  const habits = { locale: locale ?? 'en', dateSystem };
  const rest = restOf(from, to);
  const isDown = rest.left === from.left && rest.right === from.right;
  if (isDown && hasHiddenRows(desk, to)) return fillShownRows(desk, from, rest, to);
  if (!isDown && hasHiddenRows(desk, from)) return fillSideways(desk, from, rest, to);
  const values = seriesOf(from, to, (row, column) => desk.cell({ row, column }), habits) ?? [];
  const body = { from: rangeOf(sheet, from), to: rangeOf(sheet, rest), values };
  desk.selectArea(to);
  book.reach(book.sheet(sheet), rest);
  const answer = await book.editAsPeople('POST', '/fill', body);
  await book.sheet(sheet).cells.settle(rest);
  return answer.ok ? null : answer;
}

function hasHiddenRows(desk: Desk, area: Area): boolean {
  const [first] = shownRows(desk, area);
  return first?.first !== area.top || first.last !== area.bottom;
}

/** Rows of the rest take those of the selection in turns, and then what goes on with its series. */
function fillShownRows(desk: Desk, from: Area, rest: Area, to: Area): Outcome {
  const { sheet } = desk.state;
  const { locale, dateSystem } = desk.book;
  const isUp = rest.top < from.top;
  const sources = [...rowsIn(shownRows(desk, from))];
  const targets = [...rowsIn(shownRows(desk, rest))];
  if (sources.length === 0 || targets.length === 0) return Promise.resolve(null);
  const ordered = isUp ? targets.toReversed() : targets;
  const turn = (i: number) => (isUp ? sources.length - 1 - (i % sources.length) : i % sources.length);
  const pairs = ordered.map((row, i) => ({ from: sources[turn(i)] as number, to: row })).sort((a, b) => a.to - b.to);
  const edits = stretchesOf(pairs).map(
    ({ from: first, to: row, count }): CellEdit => ({
      copy: rangeOf(sheet, { ...from, top: first, bottom: first + count - 1 }),
      to: rangeOf(sheet, { ...from, top: row, bottom: row, right: from.left }),
    }),
  );
  // The series goes on over the rows that are shown as if there were no others.
  const packed = { ...from, top: targets.length, bottom: targets.length + sources.length - 1 };
  const whole = isUp ? { ...packed, top: 0 } : { ...packed, bottom: packed.bottom + targets.length };
  const cellAt = (row: number, column: number) => desk.cell({ row: sources[row - packed.top] ?? from.top, column });
  const values = seriesOf(packed, whole, cellAt, { locale: locale ?? 'en', dateSystem }) ?? [];
  const valuePairs = values.length === 0 ? [] : targets.map((row, i) => ({ from: i, to: row }));
  for (const { from: first, to: row, count } of stretchesOf(valuePairs)) {
    const lines = values.slice(first, first + count).map((line) => line.map(asEntered));
    edits.push({ put: rangeOf(sheet, { ...from, top: row, bottom: row, right: from.left }), values: lines });
  }
  desk.selectArea(to);
  return editAreas(desk, edits, [rest]);
}

/** A text of a series is no text that somebody types. */
function asEntered(value: string | number | null) {
  return typeof value === 'string' ? { value, as: 'text' } : sentValue(value);
}

function fillSideways(desk: Desk, from: Area, rest: Area, to: Area): Outcome {
  const { sheet } = desk.state;
  const edits = shownRows(desk, from).map(({ first, last }): CellEdit => {
    const rows = { top: first, bottom: last };
    return { fill: rangeOf(sheet, { ...from, ...rows }), to: rangeOf(sheet, { ...rest, ...rows }) };
  });
  desk.selectArea(to);
  return editAreas(desk, edits, [rest]);
}

/** Ctrl+D and Ctrl+R: the first line of the selection into the rest of it. */
export async function fillWithin(desk: Desk, way: 'down' | 'right'): Outcome {
  if (desk.state.others.length > 0) return refusal(t.grid.oneArea);
  const { sheet } = desk.state;
  const area = usedSelection(desk);
  const [firstShown, ...moreShown] = shownRows(desk, area);
  const isDown = way === 'down';
  if (firstShown === undefined) return refusal(t.grid.filteredOut);
  if (isDown ? area.top === area.bottom : area.left === area.right) return null;
  if (isDown && (moreShown.length > 0 || hasHiddenRows(desk, area))) {
    const top = firstShown.first;
    const targets = [...rowsIn(shownRows(desk, { ...area, top: top + 1 }))];
    const edits = targets.map(
      (row): CellEdit => ({
        copy: rangeOf(sheet, { ...area, top, bottom: top }),
        to: rangeOf(sheet, { ...area, top: row, bottom: row, right: area.left }),
      }),
    );
    return editAreas(desk, edits, [area]);
  }
  const from = isDown ? { ...area, bottom: area.top } : { ...area, right: area.left };
  const to = isDown ? { ...area, top: area.top + 1 } : { ...area, left: area.left + 1 };
  if (!isDown && hasHiddenRows(desk, area)) {
    const edits = shownRows(desk, area).map(({ first, last }): CellEdit => {
      const rows = { top: first, bottom: last };
      return { fill: rangeOf(sheet, { ...from, ...rows }), to: rangeOf(sheet, { ...to, ...rows }) };
    });
    return editAreas(desk, edits, [area]);
  }
  return outcomeOf(desk.book.structure([{ fill: { from: rangeOf(sheet, from), to: rangeOf(sheet, to) } }]));
}

/** Double click on the handle: fills down as far as the cells beside the selection are filled. */
export async function fillDownAlong(desk: Desk): Outcome {
  if (desk.state.others.length > 0) return refusal(t.grid.oneArea);
  const area = desk.area;
  for (const column of [area.left - 1, area.right + 1]) {
    if (column < 0) continue;
    const bottom = await lastFilledBelow(desk, { row: area.bottom, column });
    if (bottom > area.bottom) return fillTo(desk, { ...area, bottom });
  }
  return null;
}

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
function neighbours(desk: Desk, first: number, last: number): readonly [above: number, below: number] {
  const { rows } = desk.view?.viewport ?? {};
  const above = first === 0 ? -1 : (rows?.shown(first - 1, -1) ?? first - 1);
  return [above, rows?.shown(last + 1, 1) ?? last + 1];
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
