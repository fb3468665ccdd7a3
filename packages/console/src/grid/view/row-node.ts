import { type Area, cellText } from '@cellwire/engine';
import type { Cell, CellStyle } from '../../data/types.ts';
import { translateServiceText } from '../../text/index.ts';
import { applyCellStyle } from './cell-styles.ts';
import { createElement } from './elements.ts';
import { addRuleContent, type CellContent } from './rule-content.ts';
import { HEADING_WIDTH, type Viewport } from './viewport.ts';

/** Content of a cell. */
interface DisplayedCell {
  /** Null if empty; undefined while unknown. */
  readonly cell: Cell | null | undefined;
  /** Text that the person typed and has not confirmed. */
  readonly pending: string | undefined;
  readonly style: CellStyle | null;
}

export interface CellSource {
  getCell(row: number, column: number): DisplayedCell;
  /** The merged range of a cell; null if none. */
  findMergedRange(row: number, column: number): Area | null;
}

/** Approximate widths of a character and of `#`, and the padding, in pixels. Measuring would cost a layout. */
const CHARACTER_WIDTH = 7.3;
const HASH_WIDTH = 11;
/** Default text size, in pixels. */
const TEXT_SIZE = 13;
const TEXT_PADDING = 12;
/** Height of a text line and the vertical padding, in pixels. */
const LINE_HEIGHT = 18;
const VERTICAL_PADDING = 4;

type SharedBorders = '' | 'top' | 'left' | 'top left';

/** How far a text extends beyond its cell, in pixels, and whether it crosses cells with a background. */
interface TextOverflow {
  readonly width: number;
  readonly crossesBackground: boolean;
}

interface CellElement {
  readonly element: HTMLElement;
  readonly text: Text;
  kind: string;
  style: CellStyle | null;
  /** Sides on which the neighbour draws the common border. */
  sharedBorders: SharedBorders;
  title: string;
  /** A1 address, also part of the element's id; empty if hidden. */
  address: string;
  column: number;
  left: number;
  width: number;
  height: number;
  /** How far the text is visible beyond the cell, in pixels. */
  overflow: number;
}

/** Elements of one visible row: heading, frozen cells and scrolled cells. Reused for other rows. */
export class RowNode {
  readonly element: HTMLElement;
  row = -1;
  private readonly heading: HTMLElement;
  private readonly frozen: HTMLElement;
  private readonly strip: HTMLElement;
  private readonly frozenCells: CellElement[] = [];
  private readonly cells: CellElement[] = [];

  constructor() {
    this.element = createElement('grid-row', 'row');
    this.heading = createElement('grid-heading row', 'rowheader');
    this.frozen = createElement('grid-frozen', 'presentation');
    this.strip = createElement('grid-strip', 'presentation');
    this.element.append(this.strip, this.frozen, this.heading);
  }

  /** Hides the row and removes the ids of its cells. */
  hide(): void {
    if (this.element.hidden) return;
    this.element.hidden = true;
    for (const nodes of [this.frozenCells, this.cells]) nodes.forEach(hideCellElement);
  }

  setPosition(y: number, height: number): void {
    this.element.style.transform = `translateY(${y}px)`;
    this.element.style.height = `${height}px`;
  }

  /** Shows a row's cells in the columns of the viewport. */
  fillRow(row: number, viewport: Viewport, source: CellSource, isSelected: boolean): void {
    this.row = row;
    if (this.element.hidden) this.element.hidden = false;
    this.element.ariaRowIndex = String(row + 2);
    const number = String(row + 1);
    if (this.heading.textContent !== number) this.heading.textContent = number;
    this.heading.className = isSelected ? 'grid-heading row selected' : 'grid-heading row';
    const { first, last } = viewport.visibleColumns;
    const frozenColumns = viewport.frozen.columns;
    const frozen = { first: 0, last: frozenColumns - 1 };
    const isOverRows = this.fillCells(this.frozenCells, this.frozen, row, frozen, viewport, source);
    const isBesideOver = this.fillCells(this.cells, this.strip, row, { first, last }, viewport, source);
    this.element.classList.toggle('over-rows', isOverRows || isBesideOver);
    this.frozen.hidden = frozenColumns === 0;
    this.frozen.style.width = `${viewport.columns.computeOffset(frozenColumns)}px`;
  }

  /** Returns true if a cell also covers rows below. */
  private fillCells(
    nodes: CellElement[],
    parent: HTMLElement,
    row: number,
    { first, last }: { readonly first: number; readonly last: number },
    viewport: Viewport,
    source: CellSource,
  ): boolean {
    let used = 0;
    let isOverRows = false;
    for (let column = first; column <= last; column++) {
      const width = viewport.columns.getSize(column);
      if (width === 0) continue;
      const merged = source.findMergedRange(row, column);
      if (merged !== null && (merged.top !== row || merged.left !== column)) continue;
      let node = nodes[used++];
      if (node === undefined) {
        node = createCellElement();
        nodes.push(node);
        parent.append(node.element);
      }
      if (node.address === '') node.element.hidden = false;
      const shown = source.getCell(row, column);
      const isMerged = merged !== null;
      isOverRows ||= isMerged && merged.bottom > row;
      const room = isMerged ? measureMergedWidth(viewport, merged) : width;
      updateElementStyle(node, shown.style, findSharedBorders(shown.style, row, column, source));
      const reach = isMerged ? NO_OVERFLOW : measureOverflow(shown, row, column, last, viewport, source);
      // A background or border stays inside its cell; only the text extends over the cells beside it.
      const isText = reach.width > 0 && (reach.crossesBackground || hasBackground(shown.style));
      const wide = isText ? room : room + reach.width;
      setElementBounds(
        node,
        viewport.columns.computeOffset(column),
        wide,
        isMerged ? measureMergedHeight(viewport, merged) : 0,
      );
      setTextOverflow(node, isText ? reach.width : 0);
      updateCellElement(node, row, column, shown, { width: room, coversOtherCells: isMerged || wide > room });
    }
    nodes.slice(used).forEach(hideCellElement);
    return isOverRows;
  }
}

function measureMergedWidth({ columns }: Viewport, { left, right }: Area): number {
  return columns.computeOffset(right + 1) - columns.computeOffset(left);
}

function measureMergedHeight({ rows }: Viewport, { top, bottom }: Area): number {
  return rows.computeOffset(bottom + 1) - rows.computeOffset(top);
}

const NO_OVERFLOW: TextOverflow = { width: 0, crossesBackground: false };

/** Text extends over empty cells to its right. */
function measureOverflow(
  { cell, pending, style }: DisplayedCell,
  row: number,
  column: number,
  last: number,
  { columns }: Viewport,
  source: CellSource,
): TextOverflow {
  const text = pending ?? (typeof cell?.v === 'string' && cell.error === undefined ? cell.m : '');
  if (text === '' || style?.wrap === true || (style?.horizontal ?? 'left') !== 'left') return NO_OVERFLOW;
  const textWidth = estimateTextWidth(text, style);
  const own = columns.getSize(column);
  let width = own;
  let isOverLooks = false;
  for (let next = column + 1; width < textWidth && next <= last; next++) {
    const beside = source.getCell(row, next);
    const isFree = beside.cell === null && beside.pending === undefined && source.findMergedRange(row, next) === null;
    if (!isFree) break;
    width += columns.getSize(next);
    isOverLooks ||= hasBackground(beside.style);
  }
  return { width: width - own, crossesBackground: isOverLooks };
}

/** Approximate width to show a text, in pixels. */
export function estimateTextWidth(text: string, cellStyle: CellStyle | null): number {
  return Math.ceil(text.length * CHARACTER_WIDTH * computeTextScale(cellStyle) + TEXT_PADDING);
}

/** Approximate height to show a text in a cell of this width, in pixels. Wrapped text is broken into lines. */
export function estimateTextHeight(text: string, width: number, cellStyle: CellStyle | null): number {
  const countLines = (line: string) => Math.ceil(estimateTextWidth(line, cellStyle) / Math.max(1, width));
  const lines = cellStyle?.wrap === true ? text.split('\n').reduce((sum, line) => sum + countLines(line), 0) : 1;
  return Math.ceil(lines * LINE_HEIGHT * computeTextScale(cellStyle) + VERTICAL_PADDING);
}

/** Returns the text size of a cell relative to the default. */
function computeTextScale(cellStyle: CellStyle | null): number {
  return (cellStyle?.size ?? TEXT_SIZE) / TEXT_SIZE;
}

function hasBackground(cellStyle: CellStyle | null): boolean {
  return cellStyle?.fill !== undefined || cellStyle?.borders !== undefined;
}

/** Two cells with a common border share one line. */
function findSharedBorders(
  cellStyle: CellStyle | null,
  row: number,
  column: number,
  source: CellSource,
): SharedBorders {
  if (cellStyle?.borders === undefined) return '';
  const isTop =
    cellStyle.borders.top !== undefined && row > 0 && findBorders(row - 1, column, source)?.bottom !== undefined;
  const isLeft =
    cellStyle.borders.left !== undefined && column > 0 && findBorders(row, column - 1, source)?.right !== undefined;
  return isTop ? (isLeft ? 'top left' : 'top') : isLeft ? 'left' : '';
}

function findBorders(row: number, column: number, source: CellSource): CellStyle['borders'] {
  return source.findMergedRange(row, column) === null ? source.getCell(row, column).style?.borders : undefined;
}

/** The width of a cell in pixels, and whether the cell also covers other cells. */
interface CellSpace {
  readonly width: number;
  readonly coversOtherCells: boolean;
}

/** Shows a cell in its element. */
function updateCellElement(
  node: CellElement,
  row: number,
  column: number,
  displayedCell: DisplayedCell,
  { width, coversOtherCells }: CellSpace,
): void {
  const { element } = node;
  const address = cellText(row, column);
  if (node.address !== address) {
    node.address = address;
    element.id = `cell-${address}`;
  }
  if (node.column !== column) {
    node.column = column;
    element.ariaColIndex = String(column + 2);
  }
  const { style, pending, cell } = displayedCell;
  const { text, kind: own, title } = addRuleContent(style, pending ?? cell?.v, createCellContent(displayedCell, width));
  if (node.text.data !== text) node.text.data = text;
  const kind = coversOtherCells ? `${own} over` : own;
  if (node.kind !== kind) {
    node.kind = kind;
    element.className = kind;
  }
  if (node.title !== title) {
    node.title = title;
    element.title = title;
  }
}

/** Applies a style to a cell's element, without the borders that a neighbour draws. */
function updateElementStyle(node: CellElement, cellStyle: CellStyle | null, shared: SharedBorders): void {
  if (node.style === cellStyle && node.sharedBorders === shared) return;
  node.style = cellStyle;
  node.sharedBorders = shared;
  const { style } = node.element;
  applyCellStyle(style, cellStyle);
  if (shared.includes('top')) style.borderTop = '';
  if (shared.includes('left')) style.borderLeft = '';
}

/** Makes the text visible beyond the cell, in pixels. */
function setTextOverflow(node: CellElement, width: number): void {
  if (node.overflow === width) return;
  node.overflow = width;
  const { style } = node.element;
  style.overflow = width === 0 ? '' : 'visible';
  style.zIndex = width === 0 ? '' : '1';
  style.clipPath = width === 0 ? '' : `inset(0 ${-width}px 0 0)`;
}

/** Returns the text, class and tooltip of a cell. `width`: in pixels; a number that does not fit is shown as `###`. */
function createCellContent({ cell, pending, style }: DisplayedCell, width: number): CellContent {
  if (pending !== undefined) return { text: pending, kind: 'grid-cell pending', title: '' };
  if (cell === undefined) return { text: '', kind: 'grid-cell unknown', title: '' };
  if (cell === null) return { text: '', kind: 'grid-cell', title: '' };
  if (cell.error !== undefined)
    return { text: cell.m, kind: 'grid-cell error', title: translateServiceText(cell.error.message) };
  if (typeof cell.v === 'boolean') return { text: cell.m, kind: 'grid-cell boolean', title: '' };
  if (typeof cell.v === 'string') return { text: cell.m, kind: 'grid-cell', title: '' };
  const scale = computeTextScale(style);
  const isTooWide = cell.m.length * CHARACTER_WIDTH * scale > width && cell.m.length > 2;
  const text = isTooWide ? '#'.repeat(Math.max(2, Math.floor((width - TEXT_PADDING) / (HASH_WIDTH * scale)))) : cell.m;
  return { text, kind: 'grid-cell number', title: isTooWide ? cell.m : '' };
}

/** Sets the position and size of a cell element. Height 0 means the height of the row. */
function setElementBounds(node: CellElement, left: number, width: number, height: number): void {
  const { style } = node.element;
  if (node.left !== left) style.left = `${left}px`;
  if (node.width !== width) style.width = `${width}px`;
  if (node.height !== height) style.height = height === 0 ? '' : `${height}px`;
  node.left = left;
  node.width = width;
  node.height = height;
}

function createCellElement(): CellElement {
  const element = createElement('grid-cell', 'gridcell');
  const text = document.createTextNode('');
  element.append(text);
  const nothing = {
    style: null,
    sharedBorders: '',
    title: '',
    address: '',
    left: -1,
    width: -1,
    height: 0,
    overflow: 0,
  } as const;
  return { element, text, kind: 'grid-cell', column: -1, ...nothing };
}

function hideCellElement(node: CellElement): void {
  if (node.address === '') return;
  node.element.hidden = true;
  node.element.removeAttribute('id');
  node.address = '';
}

/** Horizontal offset of the cell strips: the heading width minus the scroll position. */
export function formatStripOffset({ scroll }: Viewport): string {
  return `${HEADING_WIDTH - scroll.x}px`;
}
