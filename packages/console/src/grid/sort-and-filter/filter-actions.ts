import { type Area, areaText, type ColumnCondition, columnName } from '@cellwire/engine';
import { call, type Failure, query, type Result } from '../../data/http.ts';
import { t } from '../../text/index.ts';
import type { Desk } from '../controller/grid-controller.ts';
import { areaOf } from '../selection/selection.ts';
import { refusal } from '../session/cell-refusals.ts';
import { type Filter, filterPath } from '../session/filter.ts';
import { rangeOf } from '../session/sheet-ranges.ts';
import { type Block, blockAt } from './table-block.ts';

/** What the dialog for one column begins with. */
export interface FilterChoice {
  /** The filter's range, or the block that it is going to be over. */
  readonly area: Area;
  readonly heading: string;
  /** In the order of people's lists. */
  readonly values: readonly { readonly text: string; readonly count: number; readonly isKept: boolean }[];
  readonly isCut: boolean;
}

export async function filterChoice(desk: Desk, column: number, search: string): Promise<Result<FilterChoice>> {
  const { sheet } = desk.state;
  const target = await targetOf(desk, column);
  if ('ok' in target) return target;
  const asked = { range: areaText(target.area), column: columnName(column), search };
  const path = filterPath(desk.book.id, sheet, 'filter-values') + query(asked);
  const answer = await call<Pick<FilterChoice, 'values' | 'isCut'>>('GET', path);
  return answer.ok ? { ...answer, value: { ...target, ...answer.value } } : answer;
}

/** The cells that the filter with a column is over, or would be: the selection, or the block around the active cell. */
async function targetOf(desk: Desk, column: number): Promise<Pick<FilterChoice, 'area' | 'heading'> | Failure> {
  const filter = shownFilter(desk);
  if (filter !== null && column >= filter.area.left && column <= filter.area.right) {
    await desk.sheet.cells.fetched({ top: filter.top, bottom: filter.top, left: column, right: column });
    return { area: filter.area, heading: desk.cell({ row: filter.top, column })?.m ?? '' };
  }
  const { selection } = desk.state;
  const { top, left, bottom, right } = areaOf(selection);
  const { row } = selection.active;
  const isRange = selection.kind === 'cells' && bottom > top;
  const block = await blockAt(
    desk,
    isRange ? { top, left, bottom, right } : { top: row, bottom: row, left: column, right: column },
  );
  if (block === null) return refusal(t.filter.noCells);
  if ('ok' in block) return block;
  return { area: block.area, heading: headingAt(block, column) };
}

function headingAt({ area, headings }: Block, column: number): string {
  return headings[column - area.left] ?? '';
}

/** The filter of the sheet that is shown. */
export function shownFilter({ state: { filter, sheet } }: Desk): Filter | null {
  return filter?.sheet === sheet ? filter : null;
}

/** Asks a condition of a column, beside those of other columns; null: none. `isPersonal`: for this person alone. */
export async function filterColumn(
  desk: Desk,
  column: number,
  condition: ColumnCondition | null,
  { area, isPersonal }: { readonly area: Area; readonly isPersonal: boolean },
): Promise<Failure | null> {
  const filter = shownFilter(desk);
  const isSame = filter !== null && areaText(filter.area) === areaText(area);
  const columns = new Map(isSame ? filter.columns : []);
  if (condition === null) columns.delete(column);
  else columns.set(column, condition);
  if (isPersonal) return keepPersonal(desk, area, columns);
  const { sheet } = desk.state;
  // Two people may filter by different columns at the same time.
  const operation =
    isSame && !filter.isPersonal
      ? { filterColumn: { sheet, column: columnName(column), condition } }
      : { setFilter: { range: rangeOf(sheet, area), columns: byLetters(columns) } };
  const answer = await desk.book.structure([operation]);
  if (answer.ok && filter?.isPersonal === true) await call('DELETE', filterPath(desk.book.id, sheet));
  await desk.book.loadFilter(desk.sheet);
  return answer.ok ? null : answer;
}

async function keepPersonal(
  desk: Desk,
  area: Area,
  columns: ReadonlyMap<number, ColumnCondition>,
): Promise<Failure | null> {
  const { id, state } = desk.book;
  const revisionId = shownFilter(desk)?.revision ?? String(state.latest ?? state.document.revisionId);
  const body = { revisionId, range: areaText(area), columns: byLetters(columns) };
  const answer = await call('PUT', filterPath(id, desk.state.sheet), { body });
  await desk.book.loadFilter(desk.sheet);
  return answer.ok ? null : answer;
}

function byLetters(columns: ReadonlyMap<number, ColumnCondition>): Readonly<Record<string, ColumnCondition>> {
  return Object.fromEntries(Array.from(columns, ([column, condition]) => [columnName(column), condition]));
}

/** Shows all rows again. A shared filter keeps its buttons; who may not change it looks at all rows alone. */
export async function endFilter(desk: Desk): Promise<Failure | null> {
  const filter = shownFilter(desk);
  if (filter === null) return null;
  if (filter.isPersonal && !filter.isOverShared) return endPersonalFilter(desk);
  if (filter.isPersonal || !desk.canWrite) return keepPersonal(desk, filter.area, new Map());
  const { sheet } = desk.state;
  const answer = await desk.book.structure([{ setFilter: { range: rangeOf(sheet, filter.area) } }]);
  await desk.book.loadFilter(desk.sheet);
  return answer.ok ? null : answer;
}

/** Takes the filter away with its buttons. */
export async function removeFilter(desk: Desk): Promise<Failure | null> {
  const filter = shownFilter(desk);
  if (filter === null) return null;
  if (filter.isPersonal) return endPersonalFilter(desk);
  const answer = await desk.book.structure([{ deleteFilter: { sheet: desk.state.sheet } }]);
  await desk.book.loadFilter(desk.sheet);
  return answer.ok ? null : answer;
}

/** Looks through the sheet's filter again, in place of one's own. */
export async function endPersonalFilter(desk: Desk): Promise<Failure | null> {
  const answer = await call('DELETE', filterPath(desk.book.id, desk.state.sheet));
  await desk.book.loadFilter(desk.sheet);
  return answer.ok ? null : answer;
}

/** Leaves the rows that show what the active cell does. */
export async function filterBySelection(desk: Desk): Promise<Failure | null> {
  const { sheet, selection, filter } = desk.state;
  const { row, column } = selection.active;
  const target = await targetOf(desk, column);
  if ('ok' in target) return target;
  await desk.sheet.cells.fetched({ top: row, bottom: row, left: column, right: column });
  // The person has gone to another sheet meanwhile.
  if (desk.state.sheet !== sheet) return null;
  if (row <= target.area.top) return refusal(t.filter.belowHeader);
  const text = desk.cell({ row, column })?.m ?? '';
  const isPersonal = !desk.canWrite || (filter?.sheet === sheet && filter.isPersonal);
  return filterColumn(desk, column, { values: [text] }, { area: target.area, isPersonal });
}
