import type { Axis } from '@cellwire/engine';
import type { SizedLines } from '../../data/types.ts';
import { overrideSizes, type SheetShape } from '../session/sheet-shape.ts';

/** Line sizes that the document does not have, or not yet. */
export class ResizedLines {
  private readonly sheets = new Map<string, Readonly<Record<Axis, readonly SizedLines[]>>>();

  /** Returns the shape with the resized lines. */
  applySizes(sheet: string, shape: SheetShape): SheetShape {
    const pulled = this.sheets.get(sheet);
    if (pulled === undefined) return shape;
    const { rowHeights, columnWidths } = shape;
    return {
      ...shape,
      rowHeights: overrideSizes(rowHeights, pulled.rows),
      columnWidths: overrideSizes(columnWidths, pulled.columns),
    };
  }

  setSize(sheet: string, axis: Axis, lines: SizedLines): void {
    const pulled = this.sheets.get(sheet) ?? { rows: [], columns: [] };
    this.sheets.set(sheet, { ...pulled, [axis]: overrideSizes(pulled[axis], [lines]) });
  }

  /** To be called when the document has the sizes. */
  clearSizes(sheet: string): void {
    this.sheets.delete(sheet);
  }
}
