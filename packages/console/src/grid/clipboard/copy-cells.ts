import type { Area } from '@cellwire/engine';
import { t } from '../../text/index.ts';
import {
  type CopiedCell,
  type CopiedTable,
  MAX_COPIED_CELLS,
  toCopiedCell,
} from '../clipboard-formats/copied-table.ts';
import type { GridController } from '../controller/grid-controller.ts';
import { countCells, getUsedSelection, listSelectedAreas, listVisibleRowSpans } from '../controller/selected-areas.ts';
import { mapCopiedLines } from '../followers/follow-positions.ts';
import { iterateRows } from '../selection/visible-rows.ts';
import type { OpenSheet } from '../session/open-sheet.ts';
import { PositionHistory } from '../session/position-history.ts';

/** Rows and columns of a copy. They need not be consecutive. */
export interface CopiedLines {
  readonly rows: readonly number[];
  readonly columns: readonly number[];
  /** The range around all copied rows and columns. */
  readonly area: Area;
}

/** Returns a text if the selection cannot be copied as one table. */
export function findLinesToCopy(controller: GridController): CopiedLines | string {
  const { otherAreas } = controller.state;
  const areas = otherAreas.length === 0 ? [getUsedSelection(controller)] : listSelectedAreas(controller);
  if (countCells(areas) > MAX_COPIED_CELLS) return t.grid.tooManyToCopy(MAX_COPIED_CELLS);
  const rows = new Set<number>();
  const columns = new Set<number>();
  for (const area of areas) {
    for (const row of iterateRows(listVisibleRowSpans(controller, area))) rows.add(row);
    for (let column = area.left; column <= area.right; column++) columns.add(column);
  }
  const copied = countCells(otherAreas.length === 0 ? [] : areas);
  // The selection is a table only if it contains each row in each column.
  if (otherAreas.length > 0 && copied !== rows.size * columns.size) return t.grid.noTable;
  const [sortedRows, sortedColumns] = [sortNumbers(rows), sortNumbers(columns)];
  const [top, left] = [sortedRows[0] ?? 0, sortedColumns[0] ?? 0];
  const area = { top, left, bottom: sortedRows.at(-1) ?? top, right: sortedColumns.at(-1) ?? left };
  return { rows: sortedRows, columns: sortedColumns, area };
}

/** Returns the numbers in ascending order. */
function sortNumbers(numbers: ReadonlySet<number>): readonly number[] {
  return [...numbers].sort((a, b) => a - b);
}

/** Lines of a copy that follow their cells while these are loaded. */
export interface TrackedLines {
  readonly sheet: OpenSheet;
  /** The same object until cells of the sheet move, also if they move back. Null if the copied cells were deleted or separated. */
  readonly getCurrent: () => CopiedLines | null;
  readonly release: () => void;
}

/** Holds lines of the current sheet. */
export function trackLines(controller: GridController, lines: CopiedLines): TrackedLines {
  const { sheet } = controller;
  let held: { readonly lines: CopiedLines | null } = { lines };
  const history = new PositionHistory<typeof held>(({ lines: current }, mapping) => {
    if (current === null || sheet.cells.mappedRevision !== mapping.revision) return { lines: current };
    const found = mapCopiedLines({ ...current, sheet: sheet.name }, mapping);
    return { lines: found?.sheet === sheet.name ? found : null };
  });
  const release = controller.session.revisions.onMapping((mapping) => {
    held = history.map(held, mapping);
    // Cells were moved away and back: what was read in between is not valid.
    if (mapping.restores !== null) held = { lines: held.lines && { ...held.lines } };
  });
  return { sheet, getCurrent: () => held.lines, release };
}

/** Returns null if some of the cells are not loaded. */
export function copyKnownCells(
  controller: GridController,
  { cells }: OpenSheet,
  { rows, columns }: CopiedLines,
): CopiedTable | null {
  const copied: (CopiedCell | null)[][] = [];
  for (const row of rows) {
    const line: (CopiedCell | null)[] = [];
    for (const column of columns) {
      const pending = cells.getPendingText(row, column);
      const cell = cells.getCell(row, column);
      if (cell === undefined && pending === undefined) return null;
      const cellStyle = cells.getStyle(row, column);
      const ofFormat = cellStyle?.format === undefined ? {} : { format: cellStyle.format };
      if (pending === undefined) line.push(toCopiedCell(cell ?? null, cellStyle));
      else line.push(pending === '' ? null : { m: pending, ...ofFormat });
    }
    copied.push(line);
  }
  return createCopiedTable(controller, { rows, columns }, copied);
}

/** Creates a copied table with a new id. `cells`: row by row. */
export function createCopiedTable(
  controller: GridController,
  { rows, columns }: Pick<CopiedLines, 'rows' | 'columns'>,
  cells: CopiedTable['cells'],
): CopiedTable {
  const { locale, dateSystem } = controller.session;
  return {
    id: crypto.getRandomValues(new Uint32Array(2)).join('-'),
    document: controller.session.id,
    locale,
    dateSystem,
    rows,
    columns,
    cells,
  };
}
