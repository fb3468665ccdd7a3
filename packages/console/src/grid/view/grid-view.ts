import { type Area, type Axis as LineAxis, MAX_COLUMNS, MAX_ROWS } from '@cellwire/engine';
import type { GridPosition } from '../selection/selection.ts';
import { EMPTY_SHAPE, type SheetShape } from '../session/sheet-shape.ts';
import { AxisLayout } from './axis-layout.ts';
import { CellExtras } from './cell-extras.ts';
import { createElement } from './elements.ts';
import { extendAreaToCell } from './filled-area.ts';
import { FilterButtons, type FilterHeader } from './filter-buttons.ts';
import { followDrag } from './follow-drag.ts';
import { HeadingsNode } from './headings-node.ts';
import { type Mark, MarksLayer } from './marks-layer.ts';
import { type CellSource, formatStripOffset, RowNode } from './row-node.ts';
import { Scroller } from './scroller.ts';
import { followTouch, type TouchEvents } from './touch-gestures.ts';
import type { ViewEvents } from './view-events.ts';
import { type GridHit, Viewport } from './viewport.ts';

/** Default sizes of lines, in pixels. */
export const ROW_HEIGHT = 22;
const COLUMN_WIDTH = 100;
/** Minimum and maximum size of a resized line, in pixels. The service has the same maximum. */
export const LINE_SIZE_LIMITS = { rows: { min: 8, max: 545 }, columns: { min: 24, max: 1_790 } } as const;
/** Number of lines shown beyond the used area. */
const EXTRA_ROWS = 100;
const EXTRA_COLUMNS = 10;

/** Draws the visible cells with reusable elements. React does not render it. */
export class GridView {
  readonly element = createElement('grid', 'presentation');
  /** The ARIA grid. The editor and the marks are outside it. */
  private readonly table = createElement('grid-table', 'grid');
  private readonly window = createElement('grid-window', 'presentation');
  private readonly scroller = new Scroller(this.window, () => this.scheduleDrawing());
  private readonly marksLayer = new MarksLayer();
  private readonly filterButtons = new FilterButtons((column) => this.events.onFilter(column));
  readonly extras = new CellExtras(() => this.events.onRule());
  private readonly handle = createElement('grid-handle', 'presentation');
  private readonly headings: HeadingsNode;
  private readonly events: ViewEvents;
  private readonly source: CellSource;
  private readonly editor: HTMLTextAreaElement;
  private shape = EMPTY_SHAPE;
  private drawnViewport: Viewport;
  private axes: { readonly rows: AxisLayout; readonly columns: AxisLayout };
  private readonly rows = new Map<number, RowNode>();
  private readonly freeRows: RowNode[] = [];
  private marks: readonly Mark[] = [];
  private selected: Area = { top: 0, left: 0, bottom: 0, right: 0 };
  /** The active cell with its merged range. */
  private active: Area = { top: 0, left: 0, bottom: 0, right: 0 };
  /** The farthest lines that the person has reached beyond the used ones. */
  private reached: GridPosition = { row: 0, column: 0 };
  private frame = 0;
  private isDirty = true;
  /** Ends the current drag without effect. */
  cancelDrag: () => void = () => {};

  constructor(
    editor: HTMLTextAreaElement,
    source: CellSource,
    events: ViewEvents,
    labels: { grid: string; all: string },
  ) {
    this.editor = editor;
    this.source = source;
    this.events = events;
    this.table.ariaLabel = labels.grid;
    this.headings = new HeadingsNode(labels.all);
    this.table.append(this.headings.element);
    this.window.append(this.table, this.marksLayer.element, this.filterButtons.element, this.handle, editor);
    this.window.append(this.extras.element);
    this.element.append(this.scroller.element);
    this.axes = this.createAxes();
    this.drawnViewport = this.createViewport();
    this.addEventListeners();
  }

  close(): void {
    this.cancelDrag();
    this.scroller.close();
    cancelAnimationFrame(this.frame);
    this.element.remove();
  }

  get viewport(): Viewport {
    return this.drawnViewport;
  }

  /** Number of rows that fit below the frozen ones. */
  get pageRows(): number {
    const { first, last } = this.drawnViewport.visibleRows;
    return Math.max(1, last - first - 1);
  }

  get pageColumns(): number {
    const { first, last } = this.drawnViewport.visibleColumns;
    return Math.max(1, last - first - 1);
  }

  setShape(shape: SheetShape): void {
    if (shape !== this.shape) {
      this.shape = shape;
      this.axes = this.createAxes();
    }
    this.scheduleDrawing();
  }

  setFilter(header: FilterHeader | null): void {
    this.filterButtons.setHeader(header);
    this.scheduleDrawing();
  }

  setSelection(selected: Area, active: Area, marks: readonly Mark[]): void {
    this.selected = selected;
    this.active = active;
    this.marks = marks;
    this.scheduleDrawing();
  }

  /** Scrolls until a cell is visible. */
  revealCell(position: GridPosition): void {
    const row = Math.max(this.reached.row, position.row);
    const column = Math.max(this.reached.column, position.column);
    if (row >= this.axes.rows.count || column >= this.axes.columns.count) {
      this.reached = { row, column };
      this.axes = this.createAxes();
      this.resize();
    }
    const { x, y } = this.createViewport().computeScrollToShow(position);
    this.scrollTo(x, y);
    this.scheduleDrawing();
  }

  /** Schedules a drawing. */
  scheduleDrawing(): void {
    this.isDirty = true;
    if (this.frame === 0) this.frame = requestAnimationFrame(() => this.drawNow());
  }

  focus(): void {
    this.editor.focus({ preventScroll: true });
  }

  private createAxes(): GridView['axes'] {
    const { rows, columns, rowHeights, columnWidths } = this.shape;
    const computeLineCount = (used: number, beyond: number, reached: number, most: number) =>
      Math.min(most, Math.max(used + beyond, reached + beyond));
    const reached = this.reached ?? { row: 0, column: 0 };
    return {
      rows: new AxisLayout(computeLineCount(rows, EXTRA_ROWS, reached.row, MAX_ROWS), ROW_HEIGHT, rowHeights),
      columns: new AxisLayout(
        computeLineCount(Math.max(columns, 16), EXTRA_COLUMNS, reached.column, MAX_COLUMNS),
        COLUMN_WIDTH,
        columnWidths,
      ),
    };
  }

  private createViewport(): Viewport {
    const { rows, columns } = this.axes;
    const { frozen } = this.shape;
    return new Viewport({
      rows,
      columns,
      frozen,
      scroll: this.scroller.computeScrollOffset(rows.total),
      ...this.scroller.measureViewSize(),
    });
  }

  private scrollTo(x: number, y: number): void {
    this.scroller.scrollTo(x, y, this.axes.rows.total);
  }

  /** Sets the scrollable size of the sheet. */
  private resize(): void {
    const { rows, columns } = this.axes;
    if (!this.scroller.resize(columns.total, rows.total)) return;
    this.table.ariaRowCount = String(rows.count + 1);
    this.table.ariaColCount = String(columns.count + 1);
  }

  private drawNow(): void {
    this.frame = 0;
    if (!this.isDirty) return;
    this.isDirty = false;
    this.resize();
    const viewport = this.createViewport();
    this.drawnViewport = viewport;
    this.window.style.setProperty('--shift', formatStripOffset(viewport));
    const { selected } = this;
    this.headings.fillHeadings(viewport, (column) => column >= selected.left && column <= selected.right);
    this.drawRows(viewport);
    this.marksLayer.draw(viewport, this.marks);
    this.drawHandle(viewport);
    this.filterButtons.draw(viewport);
    this.extras.draw(viewport, this.active);
    this.positionEditor(viewport);
    this.addLinesAtEnd(viewport);
    const [rows, columns] = [viewport.visibleRows, viewport.visibleColumns];
    this.events.onVisible({
      top: viewport.frozen.rows > 0 && rows.first < 400 ? 0 : rows.first,
      bottom: rows.last,
      left: viewport.frozen.columns > 0 && columns.first < 60 ? 0 : columns.first,
      right: columns.last,
    });
  }

  private drawRows(viewport: Viewport): void {
    const { first, last } = viewport.visibleRows;
    const isSeen = (row: number) => row < viewport.frozen.rows || (row >= first && row <= last);
    for (const [row, node] of this.rows) {
      if (isSeen(row) && !viewport.rows.isHidden(row)) continue;
      this.rows.delete(row);
      this.freeRows.push(node);
    }
    for (let row = 0; row < viewport.frozen.rows; row++) this.drawRow(row, viewport, true);
    for (let row = first; row <= last; row++) this.drawRow(row, viewport, false);
    // Most nodes are reused immediately. Hiding them before would cause an additional layout.
    for (const node of this.freeRows) node.hide();
  }

  private drawRow(row: number, viewport: Viewport, isFrozen: boolean): void {
    const height = viewport.rows.getSize(row);
    if (height === 0) return;
    let node = this.rows.get(row);
    if (node === undefined) {
      node = this.freeRows.pop() ?? new RowNode();
      if (node.element.parentElement === null) this.table.insertBefore(node.element, this.headings.element);
      this.rows.set(row, node);
    }
    node.element.classList.toggle('frozen', isFrozen);
    node.element.classList.toggle('last-frozen', isFrozen && row === viewport.frozen.rows - 1);
    node.fillRow(row, viewport, this.source, row >= this.selected.top && row <= this.selected.bottom);
    node.setPosition(viewport.computeRowY(row), height);
  }

  /** Draws the fill handle at the corner of the selection. */
  private drawHandle(viewport: Viewport): void {
    const corner = viewport.computeVisibleBox({
      ...this.selected,
      top: this.selected.bottom,
      left: this.selected.right,
    });
    const isLines = this.selected.bottom === MAX_ROWS - 1 || this.selected.right === MAX_COLUMNS - 1;
    this.handle.hidden = corner === null || isLines;
    if (corner !== null) {
      this.handle.style.transform = `translate(${corner.x + corner.width - 5}px, ${corner.y + corner.height - 5}px)`;
    }
  }

  /** Keeps the editor over the active cell even if the cell is not visible, because the editor has the focus. */
  private positionEditor(viewport: Viewport): void {
    const { top, left, bottom, right } = this.active;
    const { rows, columns } = viewport;
    const { style } = this.editor;
    style.transform = `translate(${viewport.computeColumnX(left) - 1}px, ${viewport.computeRowY(top) - 1}px)`;
    style.minWidth = `${columns.computeOffset(right + 1) - columns.computeOffset(left) + 1}px`;
    style.minHeight = `${rows.computeOffset(bottom + 1) - rows.computeOffset(top) + 1}px`;
    style.maxWidth = `${Math.max(200, viewport.width - viewport.computeColumnX(left) - 8)}px`;
  }

  /** Adds lines when the person reaches the end. */
  private addLinesAtEnd(viewport: Viewport): void {
    const { rows, columns } = this.axes;
    const isDown = viewport.visibleRows.last >= rows.count - 2 && rows.count < MAX_ROWS;
    const isRight = viewport.visibleColumns.last >= columns.count - 1 && columns.count < MAX_COLUMNS;
    if (!isDown && !isRight) return;
    this.reached = {
      row: isDown ? rows.count : this.reached.row,
      column: isRight ? columns.count : this.reached.column,
    };
    this.axes = this.createAxes();
    this.scheduleDrawing();
  }

  /** While the pointer is captured, the second click has the window as its target, not the handle. */
  private isOnHandle({ clientX, clientY }: MouseEvent): boolean {
    if (this.handle.hidden) return false;
    const { left, top, right, bottom } = this.handle.getBoundingClientRect();
    return clientX >= left && clientX <= right && clientY >= top && clientY <= bottom;
  }

  private findHit(event: MouseEvent): GridHit {
    const { left, top } = this.window.getBoundingClientRect();
    return this.drawnViewport.findHit(event.clientX - left, event.clientY - top);
  }

  /** Connects the mouse and touch events of the grid to `ViewEvents`. */
  private addEventListeners(): void {
    this.window.addEventListener('pointerdown', (event) => this.onPointerDown(event));
    this.window.addEventListener('mousedown', (event) => {
      // A double tap would select the word below the finger, and then the text of the editor.
      if (event.detail > 1 && !this.editor.classList.contains('editing')) event.preventDefault();
    });
    this.window.addEventListener('dblclick', (event) => {
      if (event.target === this.editor) return;
      if (this.isOnHandle(event)) this.events.onFillAlong();
      else this.events.onDoubleClick(this.findHit(event));
    });
    this.window.addEventListener('contextmenu', (event) => {
      if (event.target === this.editor && this.editor.classList.contains('editing')) return;
      event.preventDefault();
      // A long touch opens the menu itself, because only some browsers send this event.
      if (event instanceof PointerEvent && event.pointerType === 'touch') return;
      this.events.onMenu(this.findHit(event), { x: event.clientX, y: event.clientY });
    });
    this.window.addEventListener('pointermove', (event) => {
      if (event.buttons !== 0) return;
      const { on } = this.findHit(event);
      this.window.classList.toggle('on-column-edge', on === 'columnEdge');
      this.window.classList.toggle('on-row-edge', on === 'rowEdge');
    });
  }

  private onPointerDown(event: PointerEvent): void {
    if (event.target === this.editor && this.editor.classList.contains('editing')) return;
    if (event.button !== 0) return;
    const hit = this.findHit(event);
    if (hit.on === 'columnEdge') return this.dragLineEdge(event, 'columns', hit.column);
    if (hit.on === 'rowEdge') return this.dragLineEdge(event, 'rows', hit.row);
    if (event.target === this.handle) return this.dragFillHandle(event);
    if (event.pointerType === 'touch') return followTouch(this.window, event, this.createTouchEvents(hit, event));
    event.preventDefault();
    this.events.onDown(hit, event);
    this.trackPointer(event, this.events.onDrag, this.events.onUp, this.events.onUp);
  }

  private createTouchEvents(hit: GridHit, event: PointerEvent): TouchEvents {
    return {
      onTap: () => this.events.onDown(hit, event),
      onLongPress: () => {
        this.events.onDown(hit, event);
        this.events.onUp();
        this.events.onMenu(hit, { x: event.clientX, y: event.clientY });
      },
    };
  }

  /** Follows the pointer until it is released. The sheet scrolls while the pointer is past an edge. */
  private trackPointer(
    event: PointerEvent,
    onMove: (hit: GridHit, event: PointerEvent) => void,
    onEnd: () => void,
    onCancel: () => void,
  ): void {
    this.cancelDrag();
    this.cancelDrag = followDrag(this.window, event, {
      onMove: (next) => onMove(this.findHit(next), next),
      onPastEdge: (x, y, latest) => {
        const { scroll } = this.createViewport();
        this.scrollTo(scroll.x + x, scroll.y + y);
        onMove(this.findHit(latest), latest);
      },
      onEnd,
      onCancel,
    });
  }

  /** Resizes a line while the pointer is pressed. */
  private dragLineEdge(event: PointerEvent, axis: LineAxis, line: number): void {
    event.preventDefault();
    const size = this.drawnViewport[axis].getSize(line);
    const getPointerPosition = (pointerEvent: PointerEvent) =>
      axis === 'columns' ? pointerEvent.clientX : pointerEvent.clientY;
    const from = getPointerPosition(event);
    const { min, max } = LINE_SIZE_LIMITS[axis];
    let requestedSize: number | null = null;
    this.trackPointer(
      event,
      (_hit, now) => {
        requestedSize = Math.min(max, Math.max(min, Math.round(size + getPointerPosition(now) - from)));
        this.events.onLineSize(axis, line, requestedSize, false);
      },
      () => requestedSize !== null && this.events.onLineSize(axis, line, requestedSize, true),
      () => this.events.onLineSizeCancel(),
    );
  }

  /** Follows a pressed fill handle until it is released. */
  private dragFillHandle(event: PointerEvent): void {
    event.preventDefault();
    this.trackPointer(
      event,
      (hit) => this.events.onFillDrag(extendAreaToCell(this.selected, hit)),
      () => this.events.onFillEnd(),
      () => this.events.onFillCancel(),
    );
  }
}
