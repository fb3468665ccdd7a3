import { type Area, areaText } from '@cellwire/engine';
import { t } from '../../text/index.ts';
import type { Desk } from '../controller/grid-controller.ts';
import { lastFilledBelow } from '../controller/navigation.ts';
import { shownRows, usedSelection } from '../controller/selected-areas.ts';
import { repeatedPairs, rowsIn, stretchesOf } from '../selection/visible-rows.ts';
import { sentValue } from '../session/api-values.ts';
import { refusal } from '../session/cell-refusals.ts';
import { extendUsedArea } from '../session/open-sheet.ts';
import { rangeOf } from '../session/sheet-ranges.ts';
import { type CellEdit, editAreas, type Outcome, outcomeOf } from './cell-edits.ts';
import { restOf, seriesOf } from './fill-series.ts';

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
  extendUsedArea(book.sheet(sheet), rest);
  const answer = await book.editAsPeople('POST', '/fill', body);
  await book.sheet(sheet).cells.settle(rest);
  return answer.ok ? null : answer;
}

export function hasHiddenRows(desk: Desk, area: Area): boolean {
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
  const pairs = repeatedPairs(isUp ? sources.toReversed() : sources, ordered).toSorted((a, b) => a.to - b.to);
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
