import { type Area, MAX_ROWS } from '@cellwire/engine';
import { t } from '../../text/index.ts';
import { type CopiedCell, type CopiedTable, copiedCell } from '../clipboard-formats/copied-table.ts';
import type { Desk } from '../controller/grid-controller.ts';
import { countOf, selectedAreas, shownRows, usedSelection } from '../controller/selected-areas.ts';
import { rowsIn } from '../selection/visible-rows.ts';

/** Cells that copy takes or a paste fills: a whole column, or as many others. */
export const MAX_CELLS = MAX_ROWS;
/** What copy takes, by rows and columns: some of them may lie between others that are not taken. */
export interface CopiedPlaces {
  readonly rows: readonly number[];
  readonly columns: readonly number[];
  /** The part of the sheet around all of them. */
  readonly area: Area;
}

/** A text: why what is selected cannot be copied as one table. */
export function placesToCopy(desk: Desk): CopiedPlaces | string {
  const { others } = desk.state;
  const areas = others.length === 0 ? [usedSelection(desk)] : selectedAreas(desk);
  if (countOf(areas) > MAX_CELLS) return t.grid.tooManyToCopy(MAX_CELLS);
  const rows = new Set<number>();
  const columns = new Set<number>();
  for (const area of areas) {
    for (const row of rowsIn(shownRows(desk, area))) rows.add(row);
    for (let column = area.left; column <= area.right; column++) columns.add(column);
  }
  const taken = countOf(others.length === 0 ? [] : areas);
  // Every row has to be taken in every column: else the cells are no table.
  if (others.length > 0 && taken !== rows.size * columns.size) return t.grid.noTable;
  const [sortedRows, sortedColumns] = [sorted(rows), sorted(columns)];
  const [top, left] = [sortedRows[0] ?? 0, sortedColumns[0] ?? 0];
  const area = { top, left, bottom: sortedRows.at(-1) ?? top, right: sortedColumns.at(-1) ?? left };
  return { rows: sortedRows, columns: sortedColumns, area };
}

export function sorted(numbers: ReadonlySet<number>): readonly number[] {
  return [...numbers].sort((a, b) => a - b);
}

/** The cells at those places; null: not all of them are known. */
export function copiedTable(desk: Desk, { rows, columns }: CopiedPlaces): CopiedTable | null {
  const { cells } = desk.sheet;
  const copied: (CopiedCell | null)[][] = [];
  for (const row of rows) {
    const line: (CopiedCell | null)[] = [];
    for (const column of columns) {
      const pending = cells.pendingText(row, column);
      const cell = cells.cell(row, column);
      if (cell === undefined && pending === undefined) return null;
      const look = cells.look(row, column);
      const ofFormat = look?.format === undefined ? {} : { format: look.format };
      if (pending === undefined) line.push(copiedCell(cell ?? null, look));
      else line.push(pending === '' ? null : { m: pending, ...ofFormat });
    }
    copied.push(line);
  }
  return tableOf(desk, { rows, columns }, copied);
}

/** A table of cells that were read from these places. */
export function tableOf(
  desk: Desk,
  { rows, columns }: Pick<CopiedPlaces, 'rows' | 'columns'>,
  cells: CopiedTable['cells'],
): CopiedTable {
  const { locale, dateSystem } = desk.book;
  return {
    id: crypto.getRandomValues(new Uint32Array(2)).join('-'),
    document: desk.book.id,
    locale,
    dateSystem,
    rows,
    columns,
    cells,
  };
}
