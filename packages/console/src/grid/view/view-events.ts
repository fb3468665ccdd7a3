import type { Area, Axis as LineAxis } from '@cellwire/engine';
import type { GridHit } from './viewport.ts';

export interface ViewEvents {
  readonly onDown: (hit: GridHit, event: PointerEvent) => void;
  readonly onDrag: (hit: GridHit) => void;
  readonly onUp: () => void;
  readonly onDoubleClick: (hit: GridHit) => void;
  readonly onMenu: (hit: GridHit, point: { readonly x: number; readonly y: number }) => void;
  /** Called when the visible area has changed. */
  readonly onVisible: (area: Area) => void;
  /** Called while a line is dragged with its new size, and once at the end with `isDone`. */
  readonly onLineSize: (axis: LineAxis, line: number, size: number, isDone: boolean) => void;
  readonly onLineSizeCancel: () => void;
  /** The fill handle is dragged; the area contains the selection. */
  readonly onFillDrag: (to: Area) => void;
  readonly onFillEnd: () => void;
  readonly onFillCancel: () => void;
  /** Called on a double click on the fill handle. */
  readonly onFillAlong: () => void;
  /** A click on the filter button of a column. */
  readonly onFilter: (column: number) => void;
  /** A click on the list or checkbox of the active cell. */
  readonly onRule: () => void;
}
