import { type Area, areaText, type ColumnCondition, columnName } from '@cellwire/engine';
import { callApi, type Failure, formatQuery, type Result } from '../../data/http.ts';
import { t } from '../../text/index.ts';
import type { GridController } from '../controller/grid-controller.ts';
import { planForSelection, trackSelection } from '../controller/held-selection.ts';
import { computeSelectedArea } from '../selection/selection.ts';
import { createRefusal } from '../session/cell-refusals.ts';
import { createFilterPath, type GridFilter } from '../session/filter.ts';
import { formatSheetRange } from '../session/sheet-ranges.ts';
import { readTableBlock, type TableBlock } from './table-block.ts';

/** Initial data of the dialog for one column. */
export interface FilterChoices {
  /** The filter's range, or the block that it will cover. */
  readonly area: Area;
  readonly heading: string;
  /** Sorted in the order of the locale. */
  readonly values: readonly { readonly text: string; readonly count: number; readonly isKept: boolean }[];
  readonly isCut: boolean;
}

export async function loadFilterChoices(
  controller: GridController,
  column: number,
  search: string,
): Promise<Result<FilterChoices>> {
  const { sheet } = controller.state;
  const target = await findFilterTarget(controller, column);
  if ('ok' in target) return target;
  const parameters = { range: areaText(target.area), column: columnName(column), search };
  const path = createFilterPath(controller.session.id, sheet, 'filter-values') + formatQuery(parameters);
  const answer = await callApi<Pick<FilterChoices, 'values' | 'isCut'>>('GET', path);
  return answer.ok ? { ...answer, value: { ...target, ...answer.value } } : answer;
}

/** The range of the filter with this column, else the selection or the block around the active cell. */
async function findFilterTarget(
  controller: GridController,
  column: number,
): Promise<Pick<FilterChoices, 'area' | 'heading'> | Failure> {
  const filter = getCurrentFilter(controller);
  if (filter !== null && column >= filter.area.left && column <= filter.area.right) {
    await controller.sheet.cells.ensureLoaded({ top: filter.top, bottom: filter.top, left: column, right: column });
    return { area: filter.area, heading: controller.getCell({ row: filter.top, column })?.m ?? '' };
  }
  const heldSelection = trackSelection(controller);
  const { selection: initial } = controller.state;
  const block = await readTableBlock(controller, () => {
    const selection = heldSelection.getCurrent() ?? initial;
    const { top, left, bottom, right } = computeSelectedArea(selection);
    const { row } = selection.active;
    const isRange = selection.kind === 'cells' && bottom > top;
    const cell = selection.active.column === initial.active.column ? column : selection.active.column;
    return isRange ? { top, left, bottom, right } : { top: row, bottom: row, left: cell, right: cell };
  });
  heldSelection.release();
  if (block === null) return createRefusal(t.filter.noCells);
  if ('ok' in block) return block;
  return { area: block.area, heading: findHeading(block, column) };
}

/** Returns the displayed heading of a column; empty if the block does not contain the column. */
function findHeading({ area, headings }: TableBlock, column: number): string {
  return headings[column - area.left] ?? '';
}

/** Filter of the current sheet. */
export function getCurrentFilter({ state: { filter, sheet } }: GridController): GridFilter | null {
  return filter?.sheet === sheet ? filter : null;
}

/**
 * Sets the condition of a column and keeps the conditions of other columns; null removes it. `isPersonal`: the filter
 * applies only to this person.
 */
export async function filterColumn(
  controller: GridController,
  column: number,
  condition: ColumnCondition | null,
  { area, isPersonal }: { readonly area: Area; readonly isPersonal: boolean },
): Promise<Failure | null> {
  const filter = getCurrentFilter(controller);
  const isSame = filter !== null && areaText(filter.area) === areaText(area);
  const columns = new Map(isSame ? filter.columns : []);
  if (condition === null) columns.delete(column);
  else columns.set(column, condition);
  if (isPersonal) return savePersonalFilter(controller, area, columns);
  const { sheet } = controller.state;
  // The request contains only one column, because two people may filter by different columns at the same time.
  const operation =
    isSame && !filter.isPersonal
      ? { filterColumn: { sheet, column: columnName(column), condition } }
      : { setFilter: { range: formatSheetRange(sheet, area), columns: toConditionsByLetter(columns) } };
  // Column and range have followed all changes that the page knows.
  const answer = await controller.session.changeStructure([operation], controller.session.revisions.revision);
  if (answer.ok && filter?.isPersonal === true) await callApi('DELETE', createFilterPath(controller.session.id, sheet));
  await showFilter(controller);
  return answer.ok ? null : answer;
}

/** Shows the rows of a filter that this person has changed. */
async function showFilter(controller: GridController): Promise<void> {
  const { sheet } = controller;
  await controller.session.openSheets.loadFilter(sheet);
  if (controller.sheet === sheet) controller.leaveHiddenRow();
}

/** Saves a filter that only this person uses, and shows its rows. */
async function savePersonalFilter(
  controller: GridController,
  area: Area,
  columns: ReadonlyMap<number, ColumnCondition>,
): Promise<Failure | null> {
  const { id, revisions } = controller.session;
  const body = {
    revisionId: String(revisions.revision),
    range: areaText(area),
    columns: toConditionsByLetter(columns),
  };
  const answer = await callApi('PUT', createFilterPath(id, controller.state.sheet), { body });
  await showFilter(controller);
  return answer.ok ? null : answer;
}

/** Returns conditions by the letter of their column. */
function toConditionsByLetter(
  columns: ReadonlyMap<number, ColumnCondition>,
): Readonly<Record<string, ColumnCondition>> {
  return Object.fromEntries(Array.from(columns, ([column, condition]) => [columnName(column), condition]));
}

/**
 * Shows all rows again. A shared filter keeps its buttons; a person who may not change it gets a personal filter
 * without conditions.
 */
export async function showAllRows(controller: GridController): Promise<Failure | null> {
  const filter = getCurrentFilter(controller);
  if (filter === null) return null;
  if (filter.isPersonal && !filter.isOverShared) return endPersonalFilter(controller);
  if (filter.isPersonal || !controller.canWrite) return savePersonalFilter(controller, filter.area, new Map());
  const { sheet } = controller.state;
  const operation = { setFilter: { range: formatSheetRange(sheet, filter.area) } };
  const answer = await controller.session.changeStructure([operation], controller.editBase);
  await showFilter(controller);
  return answer.ok ? null : answer;
}

/** Removes the filter and its buttons. */
export async function removeFilter(controller: GridController): Promise<Failure | null> {
  const filter = getCurrentFilter(controller);
  if (filter === null) return null;
  if (filter.isPersonal) return endPersonalFilter(controller);
  const operation = { deleteFilter: { sheet: controller.state.sheet } };
  const answer = await controller.session.changeStructure([operation], controller.editBase);
  await showFilter(controller);
  return answer.ok ? null : answer;
}

/** Returns from the personal filter to the shared one. */
export async function endPersonalFilter(controller: GridController): Promise<Failure | null> {
  const answer = await callApi('DELETE', createFilterPath(controller.session.id, controller.state.sheet));
  await showFilter(controller);
  return answer.ok ? null : answer;
}

/** Shows only the rows with the active cell's text in its column. */
export async function filterByActiveCell(controller: GridController): Promise<Failure | null> {
  const planned = await planForSelection(controller, async ({ active: { row, column } }) => {
    const target = await findFilterTarget(controller, column);
    if ('ok' in target) return target;
    await controller.sheet.cells.ensureLoaded({ top: row, bottom: row, left: column, right: column });
    if (row <= target.area.top) return createRefusal(t.filter.belowHeader);
    return { area: target.area, column, text: controller.getCell({ row, column })?.m ?? '' };
  });
  if (planned === null) return createRefusal(t.grid.interrupted);
  if ('ok' in planned) return planned;
  const { area, column, text } = planned;
  const isPersonal = !controller.canWrite || getCurrentFilter(controller)?.isPersonal === true;
  return filterColumn(controller, column, { values: [text] }, { area, isPersonal });
}
