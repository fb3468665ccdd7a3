import { type Area, areaText, columnName, MAX_COLUMNS, MAX_ROWS } from '@cellwire/engine';
import type { Failure } from '../../data/http.ts';
import { t } from '../../text/index.ts';
import type { GridController } from '../controller/grid-controller.ts';
import { type TrackedSelection, trackSelection } from '../controller/held-selection.ts';
import { hasHiddenRows } from '../controller/selected-areas.ts';
import { type ActionResult, toActionResult } from '../editing/cell-edits.ts';
import { clipToUsed, computeSelectedArea } from '../selection/selection.ts';
import { createRefusal } from '../session/cell-refusals.ts';
import { formatSheetRange } from '../session/sheet-ranges.ts';
import { readTableBlock, type TableBlock } from './table-block.ts';

/** A table to sort, and its header and total rows. */
export interface SortTarget extends TableBlock {
  /** True if the person selected the range: all rows are sorted by default. */
  readonly isChosen: boolean;
}

export interface ColumnSortKey {
  readonly column: number;
  readonly order: 'ascending' | 'descending';
}

/** The selection, or the block around a single cell. */
export async function findSortTarget(controller: GridController): Promise<SortTarget | Failure> {
  const heldSelection = trackSelection(controller);
  try {
    return await findSortTargetAt(controller, heldSelection);
  } finally {
    heldSelection.release();
  }
}

/** Finds the rows to sort. `heldSelection`: the selection, which follows its cells meanwhile. */
async function findSortTargetAt(
  controller: GridController,
  heldSelection: TrackedSelection,
): Promise<SortTarget | Failure> {
  const { selection, otherAreas } = controller.state;
  if (otherAreas.length > 0) return createRefusal(t.grid.oneArea);
  const area = computeSelectedArea(selection);
  const isOne = area.top === area.bottom && area.left === area.right;
  const isChosen = !isOne && selection.kind === 'cells';
  const block = await readTableBlock(controller, () => {
    const now = computeSelectedArea(heldSelection.getCurrent() ?? selection);
    // Selected cells are sorted as they are: right after a change, the page may not know yet that the sheet has grown.
    if (selection.kind === 'cells') return now;
    const { rows, columns } = controller.sheet.shape;
    return clipToUsed(now, rows, columns) ?? now;
  });
  if (block === null) return createRefusal(t.sort.noCells);
  if ('ok' in block) return block;
  return isChosen ? { ...block, hasHeader: false, hasTotal: false, isChosen } : { ...block, isChosen };
}

/** Rows to sort; null if there are fewer than two. */
export function findSortableArea({
  area,
  hasHeader,
  hasTotal,
}: Pick<SortTarget, 'area' | 'hasHeader' | 'hasTotal'>): Area | null {
  const top = area.top + Number(hasHeader);
  const bottom = area.bottom - Number(hasTotal);
  return bottom > top ? { ...area, top, bottom } : null;
}

/** Sorts rows of the current sheet. Rows that a filter hides stay where they are. */
export async function sortRows(controller: GridController, area: Area, keys: readonly ColumnSortKey[]): ActionResult {
  if (area.bottom >= MAX_ROWS || area.right >= MAX_COLUMNS) return createRefusal(t.grid.beyondGrid);
  const by = keys.map(({ column, order }) => ({ column: columnName(column), order }));
  const sort = { range: formatSheetRange(controller.state.sheet, area), by };
  const operation = hasHiddenRows(controller, area) ? { ...sort, filtered: true } : sort;
  // The range has followed all changes that the page knows. It is correct even if the active cell was deleted.
  return toActionResult(
    controller.session.changeStructure([{ sort: operation }], controller.session.revisions.revision),
  );
}

/** Sorts by the active cell's column. Header and totals stay. */
export async function sortByActiveColumn(controller: GridController, order: ColumnSortKey['order']): ActionResult {
  if (controller.isSelectionDeleted) return createRefusal(t.grid.selectionDeleted);
  const { sheet } = controller.state;
  const heldSelection = trackSelection(controller);
  const target = await findSortTarget(controller);
  heldSelection.release();
  if ('ok' in target) return target;
  const selection = heldSelection.getCurrent();
  // The person has changed the sheet since, or the column was deleted.
  if (controller.state.sheet !== sheet || selection === null) return null;
  const area = findSortableArea(target);
  if (area === null) return createRefusal(t.sort.oneRow);
  return sortRows(controller, area, [{ column: selection.active.column, order }]);
}

/** Describes the rows that the dialog sorts. */
export function describeSort(
  controller: GridController,
  target: Pick<SortTarget, 'area' | 'hasHeader' | 'hasTotal'>,
): string {
  const area = findSortableArea(target);
  if (area === null) return t.sort.oneRow;
  const rows = t.sort.rows(areaText(area), target.hasHeader, target.hasTotal);
  return hasHiddenRows(controller, area) ? `${rows} ${t.sort.onlyShown}` : rows;
}
