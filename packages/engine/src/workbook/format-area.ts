import type { Meter } from '../calc/budget.ts';
import { type Area, cellCount } from '../grid/area.ts';
import type { Draft } from '../sheet/draft.ts';
import { GENERAL } from '../sheet/formats.ts';

/** The cells of a batch under way, as they get number formats. */
interface Cells {
  readonly draft: Draft;
  readonly meter: Meter;
  format(sheet: number, row: number, column: number, format: number): void;
}

/** Gives the cells of an area a number format in the style that each has. */
export function formatArea(cells: Cells, sheet: number, area: Area, code: string): void {
  const { draft, meter } = cells;
  meter.spend(cellCount(area));
  const id = draft.formats.idOf(code);
  for (let column = area.left; column <= area.right; column++) {
    for (let row = area.top; row <= area.bottom; row++) {
      meter.pass(1);
      const held = draft.sheet(sheet)?.format(row, column) ?? GENERAL;
      cells.format(sheet, row, column, draft.formats.inStyleOf(id, held));
    }
  }
}
