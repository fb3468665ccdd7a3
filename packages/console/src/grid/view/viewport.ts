import type { Area, Axis as LineAxis } from '@cellwire/engine';
import type { GridPosition } from '../selection/selection.ts';
import type { AxisLayout } from './axis-layout.ts';

/** Sizes of the row and column headings, in pixels. */
export const HEADING_WIDTH = 52;
export const HEADING_HEIGHT = 24;
/** Zone before and after a line's end where it can be resized, in pixels. */
const EDGE_PIXELS = { before: 5, behind: 4 } as const;

/** A rectangle in pixels of the window. */
interface PixelBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** What is at a point of the window. */
export interface GridHit extends GridPosition {
  readonly on: 'cell' | 'row' | 'column' | 'corner' | 'rowEdge' | 'columnEdge';
}

interface VisibleSpan {
  readonly first: number;
  readonly last: number;
}

/**
 * Visible part of a sheet: the frozen lines at the left and top, and the part of the other lines that is scrolled into
 * view. Immutable.
 */
export class Viewport {
  readonly rows: AxisLayout;
  readonly columns: AxisLayout;
  readonly frozen: { readonly rows: number; readonly columns: number };
  /** Scroll offset of the lines after the frozen ones, in pixels. */
  readonly scroll: { readonly x: number; readonly y: number };
  readonly width: number;
  readonly height: number;
  private readonly edge: { readonly x: number; readonly y: number };

  constructor(parts: Pick<Viewport, 'rows' | 'columns' | 'frozen' | 'scroll' | 'width' | 'height'>) {
    this.rows = parts.rows;
    this.columns = parts.columns;
    this.frozen = parts.frozen;
    this.scroll = parts.scroll;
    this.width = parts.width;
    this.height = parts.height;
    this.edge = {
      x: HEADING_WIDTH + parts.columns.computeOffset(parts.frozen.columns),
      y: HEADING_HEIGHT + parts.rows.computeOffset(parts.frozen.rows),
    };
  }

  computeColumnX(column: number): number {
    const place = HEADING_WIDTH + this.columns.computeOffset(column);
    return column < this.frozen.columns ? place : place - this.scroll.x;
  }

  computeRowY(row: number): number {
    const place = HEADING_HEIGHT + this.rows.computeOffset(row);
    return row < this.frozen.rows ? place : place - this.scroll.y;
  }

  /** Rows after the frozen ones that are at least partly visible. */
  get visibleRows(): VisibleSpan {
    const first = this.rows.findLineAt(this.edge.y - HEADING_HEIGHT + this.scroll.y);
    const last = this.rows.findLineAt(this.scroll.y + this.height - HEADING_HEIGHT);
    return { first: Math.max(first, this.frozen.rows), last };
  }

  get visibleColumns(): VisibleSpan {
    const first = this.columns.findLineAt(this.edge.x - HEADING_WIDTH + this.scroll.x);
    const last = this.columns.findLineAt(this.scroll.x + this.width - HEADING_WIDTH);
    return { first: Math.max(first, this.frozen.columns), last };
  }

  /** Visible part of an area; null if none. */
  computeVisibleBox(area: Area): PixelBox | null {
    const [left, right] = this.computeExtent(area.left, area.right, 'x');
    const [top, bottom] = this.computeExtent(area.top, area.bottom, 'y');
    if (right <= left || bottom <= top) return null;
    return { x: left, y: top, width: right - left, height: bottom - top };
  }

  private computeExtent(first: number, last: number, axis: 'x' | 'y'): readonly [from: number, to: number] {
    const lines = axis === 'x' ? this.columns : this.rows;
    const frozen = axis === 'x' ? this.frozen.columns : this.frozen.rows;
    const computePosition = (line: number) => (axis === 'x' ? this.computeColumnX(line) : this.computeRowY(line));
    const end = Math.min(last, lines.count - 1);
    const from = computePosition(first);
    const to = computePosition(end) + lines.getSize(end);
    const most = axis === 'x' ? this.width : this.height;
    const least = this.edge[axis];
    return [
      Math.min(first < frozen ? from : Math.max(from, least), most),
      Math.min(end < frozen ? to : Math.max(to, least), most),
    ];
  }

  findHit(x: number, y: number): GridHit {
    const column = this.findColumnAt(x);
    const row = this.findRowAt(y);
    const isLeft = x < HEADING_WIDTH;
    const isAbove = y < HEADING_HEIGHT;
    if (isLeft && isAbove) return { on: 'corner', row, column };
    if (isLeft) {
      const ended = this.findLineEndingNear('rows', row, y);
      return ended === null ? { on: 'row', row, column } : { on: 'rowEdge', row: ended, column };
    }
    if (!isAbove) return { on: 'cell', row, column };
    const ended = this.findLineEndingNear('columns', column, x);
    return ended === null ? { on: 'column', row, column } : { on: 'columnEdge', row, column: ended };
  }

  /** The line whose end is near a position; null if none. */
  private findLineEndingNear(axis: LineAxis, line: number, position: number): number | null {
    const lines = this[axis];
    const [start, edge] =
      axis === 'rows' ? [this.computeRowY(line), this.edge.y] : [this.computeColumnX(line), this.edge.x];
    if (start + lines.getSize(line) - position <= EDGE_PIXELS.before) return line;
    if (position - start >= EDGE_PIXELS.behind) return null;
    const frozen = this.frozen[axis];
    // The first scrolled line is next to the last frozen one.
    const beside = line >= frozen && start <= edge ? frozen - 1 : line - 1;
    return beside < 0 ? null : lines.findNearestVisible(beside, -1);
  }

  private findColumnAt(x: number): number {
    const inside = Math.max(0, x - HEADING_WIDTH);
    return this.columns.findNearestVisible(
      this.columns.findLineAt(x < this.edge.x ? inside : inside + this.scroll.x),
      1,
    );
  }

  private findRowAt(y: number): number {
    const inside = Math.max(0, y - HEADING_HEIGHT);
    return this.rows.findNearestVisible(this.rows.findLineAt(y < this.edge.y ? inside : inside + this.scroll.y), 1);
  }

  /** Scroll position that makes a cell fully visible. */
  computeScrollToShow({ row, column }: GridPosition): { readonly x: number; readonly y: number } {
    const scrollToInclude = (current: number, start: number, size: number, room: number) =>
      start < current ? start : Math.max(current, Math.min(start, start + size - room));
    const x =
      column < this.frozen.columns
        ? this.scroll.x
        : scrollToInclude(
            this.scroll.x,
            this.columns.computeOffset(column) - (this.edge.x - HEADING_WIDTH),
            this.columns.getSize(column),
            this.width - this.edge.x,
          );
    const y =
      row < this.frozen.rows
        ? this.scroll.y
        : scrollToInclude(
            this.scroll.y,
            this.rows.computeOffset(row) - (this.edge.y - HEADING_HEIGHT),
            this.rows.getSize(row),
            this.height - this.edge.y,
          );
    return { x: Math.max(0, x), y: Math.max(0, y) };
  }
}
