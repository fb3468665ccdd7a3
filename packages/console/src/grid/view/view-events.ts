import type { Area, Axis as LineAxis } from '@cellwire/engine';
import type { GridHit } from './viewport.ts';

export interface ViewEvents {
  readonly onDown: (hit: GridHit, event: PointerEvent) => void;
  readonly onDrag: (hit: GridHit) => void;
  readonly onUp: () => void;
  readonly onDoubleClick: (hit: GridHit) => void;
  readonly onMenu: (hit: GridHit, at: { readonly x: number; readonly y: number }) => void;
  /** Which cells are to be seen now. */
  readonly onVisible: (area: Area) => void;
  /** While it is pulled, and once more when it is let go (`isDone`). */
  readonly onLineSize: (axis: LineAxis, line: number, size: number, isDone: boolean) => void;
  readonly onFill: (to: Area) => void;
  /** A double click on the handle. */
  readonly onFillAlong: () => void;
  /** The button of a filter's column. */
  readonly onFilter: (column: number) => void;
}
