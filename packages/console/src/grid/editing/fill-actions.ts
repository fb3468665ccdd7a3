import { type Area, areaText } from '@cellwire/engine';
import { t } from '../../text/index.ts';
import type { GridController } from '../controller/grid-controller.ts';
import { planForSelection } from '../controller/held-selection.ts';
import { findLastFilledRow } from '../controller/navigation.ts';
import { getUsedSelection, hasHiddenRows, listVisibleRowSpans } from '../controller/selected-areas.ts';
import { computeSelectedArea } from '../selection/selection.ts';
import { groupStretches, iterateRows, repeatSourceRows } from '../selection/visible-rows.ts';
import { toApiValue } from '../session/api-values.ts';
import { createRefusal } from '../session/cell-refusals.ts';
import { extendUsedArea } from '../session/open-sheet.ts';
import { formatSheetRange } from '../session/sheet-ranges.ts';
import { type ActionResult, type CellEdit, editAreas, toActionResult } from './cell-edits.ts';
import { continueSeries, findAddedArea } from './fill-series.ts';

/** Continues the series of an area in a larger one, and repeats other cells. Hidden rows are skipped. */
export async function fillLargerArea(controller: GridController, from: Area, to: Area): ActionResult {
  if (controller.state.otherAreas.length > 0) return createRefusal(t.grid.oneArea);
  const { sheet } = controller.state;
  const { session } = controller;
  if (areaText(from) === areaText(to)) return null;
  const { locale, dateSystem } = session;
  const seriesLocale = { locale: locale ?? 'en', dateSystem };
  const rest = findAddedArea(from, to);
  const isDown = rest.left === from.left && rest.right === from.right;
  if (isDown && hasHiddenRows(controller, to)) return fillVisibleRows(controller, from, rest, to);
  if (!isDown && hasHiddenRows(controller, from)) return fillSideways(controller, from, rest, to);
  const values = continueSeries(from, to, (row, column) => controller.getCell({ row, column }), seriesLocale) ?? [];
  const body = { from: formatSheetRange(sheet, from), to: formatSheetRange(sheet, rest), values };
  selectFilledArea(controller, from, to);
  extendUsedArea(session.getOpenSheet(sheet), rest);
  const answer = await session.sendConsoleEdit('POST', '/fill', body, { base: controller.editBase });
  await session.getOpenSheet(sheet).cells.endPendingWrite(rest);
  return answer.ok ? null : answer;
}

/** The selection stays if the person has changed it since. */
function selectFilledArea(controller: GridController, from: Area, to: Area): void {
  if (areaText(controller.selectedArea) === areaText(from)) controller.selectTarget(to);
}

/** Visible rows repeat the rows of the selection; then series overwrite them. */
function fillVisibleRows(controller: GridController, source: Area, addedArea: Area, target: Area): ActionResult {
  const { sheet } = controller.state;
  const { locale, dateSystem } = controller.session;
  const isUp = addedArea.top < source.top;
  const sources = [...iterateRows(listVisibleRowSpans(controller, source))];
  const targets = [...iterateRows(listVisibleRowSpans(controller, addedArea))];
  if (sources.length === 0 || targets.length === 0) return Promise.resolve(createRefusal(t.grid.filteredOut));
  const ordered = isUp ? targets.toReversed() : targets;
  const pairs = repeatSourceRows(isUp ? sources.toReversed() : sources, ordered).toSorted((a, b) => a.to - b.to);
  const edits = groupStretches(pairs).map(
    ({ from: first, to: row, count }): CellEdit => ({
      copy: formatSheetRange(sheet, { ...source, top: first, bottom: first + count - 1 }),
      to: formatSheetRange(sheet, { ...source, top: row, bottom: row, right: source.left }),
    }),
  );
  // The series continues over the visible rows as if they were consecutive.
  const packed = { ...source, top: targets.length, bottom: targets.length + sources.length - 1 };
  const whole = isUp ? { ...packed, top: 0 } : { ...packed, bottom: packed.bottom + targets.length };
  const getVisibleCell = (row: number, column: number) =>
    controller.getCell({ row: sources[row - packed.top] ?? source.top, column });
  const values = continueSeries(packed, whole, getVisibleCell, { locale: locale ?? 'en', dateSystem }) ?? [];
  const valuePairs = values.length === 0 ? [] : targets.map((row, i) => ({ from: i, to: row }));
  for (const { from: first, to: row, count } of groupStretches(valuePairs)) {
    const lines = values.slice(first, first + count).map((line) => line.map(toApiInput));
    edits.push({
      put: formatSheetRange(sheet, { ...source, top: row, bottom: row, right: source.left }),
      values: lines,
    });
  }
  selectFilledArea(controller, source, target);
  return editAreas(controller, edits, [addedArea]);
}

/** Converts a value of a series for the API. A text of a series must not be read as typed input. */
function toApiInput(value: string | number | null) {
  return typeof value === 'string' ? { value, as: 'text' } : toApiValue(value);
}

function fillSideways(controller: GridController, source: Area, addedArea: Area, target: Area): ActionResult {
  const { sheet } = controller.state;
  const edits = listVisibleRowSpans(controller, source).map(({ first, last }): CellEdit => {
    const rows = { top: first, bottom: last };
    return {
      fill: formatSheetRange(sheet, { ...source, ...rows }),
      to: formatSheetRange(sheet, { ...addedArea, ...rows }),
    };
  });
  selectFilledArea(controller, source, target);
  return editAreas(controller, edits, [addedArea]);
}

/** Ctrl+D and Ctrl+R: copies the first line of the selection into the rest. */
export async function fillFromFirstLine(controller: GridController, direction: 'down' | 'right'): ActionResult {
  if (controller.state.otherAreas.length > 0) return createRefusal(t.grid.oneArea);
  const { sheet } = controller.state;
  const area = getUsedSelection(controller);
  const [firstShown, ...moreShown] = listVisibleRowSpans(controller, area);
  const isDown = direction === 'down';
  if (firstShown === undefined) return createRefusal(t.grid.filteredOut);
  if (isDown ? area.top === area.bottom : area.left === area.right) return null;
  if (isDown && (moreShown.length > 0 || hasHiddenRows(controller, area))) {
    const top = firstShown.first;
    const targets = [...iterateRows(listVisibleRowSpans(controller, { ...area, top: top + 1 }))];
    const edits = targets.map(
      (row): CellEdit => ({
        copy: formatSheetRange(sheet, { ...area, top, bottom: top }),
        to: formatSheetRange(sheet, { ...area, top: row, bottom: row, right: area.left }),
      }),
    );
    return editAreas(controller, edits, [area]);
  }
  const from = isDown ? { ...area, bottom: area.top } : { ...area, right: area.left };
  const to = isDown ? { ...area, top: area.top + 1 } : { ...area, left: area.left + 1 };
  if (!isDown && hasHiddenRows(controller, area)) {
    const edits = listVisibleRowSpans(controller, area).map(({ first, last }): CellEdit => {
      const rows = { top: first, bottom: last };
      return { fill: formatSheetRange(sheet, { ...from, ...rows }), to: formatSheetRange(sheet, { ...to, ...rows }) };
    });
    return editAreas(controller, edits, [area]);
  }
  return toActionResult(
    controller.session.changeStructure(
      [{ fill: { from: formatSheetRange(sheet, from), to: formatSheetRange(sheet, to) } }],
      controller.editBase,
    ),
  );
}

/** Double click on the fill handle: fills down to the end of the data beside the selection. */
export async function fillDownBesideData(controller: GridController): ActionResult {
  if (controller.state.otherAreas.length > 0) return createRefusal(t.grid.oneArea);
  const areas = await planForSelection(controller, async (selection) => {
    const from = controller.sheet.mergedRanges.expandArea(computeSelectedArea(selection));
    for (const column of [from.left - 1, from.right + 1]) {
      if (column < 0) continue;
      const bottom = await findLastFilledRow(controller, { row: from.bottom, column });
      if (bottom > from.bottom) return { from, to: { ...from, bottom } };
    }
    return { from, to: from };
  });
  return areas === null ? createRefusal(t.grid.interrupted) : fillLargerArea(controller, areas.from, areas.to);
}
