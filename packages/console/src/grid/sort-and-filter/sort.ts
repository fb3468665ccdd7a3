import { type Area, areaText, columnName, MAX_COLUMNS, MAX_ROWS } from '@cellwire/engine';
import type { Failure } from '../../data/http.ts';
import { t } from '../../text/index.ts';
import type { Desk } from '../controller/grid-controller.ts';
import { shownRows } from '../controller/selected-areas.ts';
import { type Outcome, outcomeOf } from '../editing/cell-edits.ts';
import { areaOf, within } from '../selection/selection.ts';
import { refusal } from '../session/cell-refusals.ts';
import { rangeOf } from '../session/sheet-ranges.ts';
import { type Block, blockAt } from './table-block.ts';

/** A table to sort, and which of its rows stay where they are. */
export interface SortTarget extends Block {
  /** Somebody selected the range: every row of it is meant unless they say otherwise. */
  readonly isChosen: boolean;
}

export interface SortKey {
  readonly column: number;
  readonly order: 'ascending' | 'descending';
}

/** The selection, or the block of cells around it where one cell is selected. */
export async function sortTarget(desk: Desk): Promise<SortTarget | Failure> {
  const { selection, others } = desk.state;
  if (others.length > 0) return refusal(t.grid.oneArea);
  const area = areaOf(selection);
  const isOne = area.top === area.bottom && area.left === area.right;
  const isChosen = !isOne && selection.kind === 'cells';
  const { rows, columns } = desk.sheet.shape;
  const asked = isOne ? area : (within(area, rows, columns) ?? area);
  const block = await blockAt(desk, asked);
  if (block === null) return refusal(t.sort.noCells);
  if ('ok' in block) return block;
  return isChosen ? { ...block, hasHeader: false, hasTotal: false, isChosen } : { ...block, isChosen };
}

/** The rows that change places. Null: there are fewer than two. */
export function sortedArea({
  area,
  hasHeader,
  hasTotal,
}: Pick<SortTarget, 'area' | 'hasHeader' | 'hasTotal'>): Area | null {
  const top = area.top + Number(hasHeader);
  const bottom = area.bottom - Number(hasTotal);
  return bottom > top ? { ...area, top, bottom } : null;
}

/** Sorts rows of the shown sheet; refuses where a filter hides some of them. */
export async function sortRows(desk: Desk, area: Area, keys: readonly SortKey[]): Outcome {
  if (area.bottom >= MAX_ROWS || area.right >= MAX_COLUMNS) return refusal(t.grid.beyondGrid);
  const [first] = shownRows(desk, area);
  // Rows would change places that the person cannot see.
  if (first?.first !== area.top || first.last !== area.bottom) return refusal(t.grid.hasHiddenRows);
  const by = keys.map(({ column, order }) => ({ column: columnName(column), order }));
  return outcomeOf(desk.book.structure([{ sort: { range: rangeOf(desk.state.sheet, area), by } }]));
}

/** Sorts by the active cell's column at once. A header and totals stay where they are. */
export async function sortByActive(desk: Desk, order: SortKey['order']): Outcome {
  const { sheet, selection } = desk.state;
  const target = await sortTarget(desk);
  if ('ok' in target) return target;
  // The person has gone to another sheet meanwhile.
  if (desk.state.sheet !== sheet) return null;
  const area = sortedArea(target);
  if (area === null) return refusal(t.sort.oneRow);
  return sortRows(desk, area, [{ column: selection.active.column, order }]);
}

/** What is going to be sorted, in words. */
export function sortPreview(target: Pick<SortTarget, 'area' | 'hasHeader' | 'hasTotal'>): string {
  const area = sortedArea(target);
  return area === null ? t.sort.oneRow : t.sort.rows(areaText(area), target.hasHeader, target.hasTotal);
}
