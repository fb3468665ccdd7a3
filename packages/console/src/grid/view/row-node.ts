import { type Area, cellText } from '@cellwire/engine';
import type { Cell, Look } from '../../data/types.ts';
import { wear } from './cell-styles.ts';
import { made } from './elements.ts';
import { HEADING_WIDTH, type Viewport } from './viewport.ts';

/** What a cell shows. */
interface ShownCell {
  /** Null: empty; undefined: not known yet. */
  readonly cell: Cell | null | undefined;
  /** Typed and not confirmed. */
  readonly pending: string | undefined;
  readonly look: Look | null;
}

export interface Source {
  shown(row: number, column: number): ShownCell;
  /** The merged range that a cell is in; null: none. */
  merged(row: number, column: number): Area | null;
}

/** About the widths of a character and of a `#`, and the space around a text, in pixels: guesses that cost no layout. */
const CHARACTER = 7.3;
const HASH = 11;
/** The size of texts that have none of their own, in pixels. */
const TEXT_SIZE = 13;
const AROUND = 12;
/** The height of a line of text, and the space above and below all of them, in pixels. */
const LINE = 18;
const ABOVE = 4;

type Shared = '' | 'top' | 'left' | 'top left';

/** How far a text reaches beyond its cell, in pixels, and whether what it crosses looks like something of its own. */
interface Reach {
  readonly width: number;
  readonly isOverLooks: boolean;
}

interface CellNode {
  readonly element: HTMLElement;
  readonly text: Text;
  kind: string;
  look: Look | null;
  /** Sides on which the neighbour draws the line between the two. */
  shared: Shared;
  title: string;
  /** Row and column as text, which is also its id in the page; empty: it is hidden. */
  address: string;
  column: number;
  left: number;
  width: number;
  height: number;
  /** How far the text is seen beyond the cell, in pixels. */
  reach: number;
}

/** One row that is seen: its heading, its frozen cells and those that are scrolled. Used again for other rows. */
export class RowNode {
  readonly element: HTMLElement;
  row = -1;
  private readonly heading: HTMLElement;
  private readonly frozen: HTMLElement;
  private readonly strip: HTMLElement;
  private readonly frozenCells: CellNode[] = [];
  private readonly cells: CellNode[] = [];

  constructor() {
    this.element = made('grid-row', 'row');
    this.heading = made('grid-heading row', 'rowheader');
    this.frozen = made('grid-frozen', 'presentation');
    this.strip = made('grid-strip', 'presentation');
    this.element.append(this.strip, this.frozen, this.heading);
  }

  /** Is seen no more: its cells have no address until it is another row. */
  hide(): void {
    if (this.element.hidden) return;
    this.element.hidden = true;
    for (const nodes of [this.frozenCells, this.cells]) nodes.forEach(hideCell);
  }

  place(y: number, height: number): void {
    this.element.style.transform = `translateY(${y}px)`;
    this.element.style.height = `${height}px`;
  }

  /** Shows a row of the sheet, the cells of the viewport's columns. */
  fill(row: number, viewport: Viewport, source: Source, isSelected: boolean): void {
    this.row = row;
    if (this.element.hidden) this.element.hidden = false;
    this.element.ariaRowIndex = String(row + 2);
    const number = String(row + 1);
    if (this.heading.textContent !== number) this.heading.textContent = number;
    this.heading.className = isSelected ? 'grid-heading row selected' : 'grid-heading row';
    const { first, last } = viewport.seenColumns;
    const frozenColumns = viewport.frozen.columns;
    const frozen = { first: 0, last: frozenColumns - 1 };
    const isOverRows = this.fillCells(this.frozenCells, this.frozen, row, frozen, viewport, source);
    const isBesideOver = this.fillCells(this.cells, this.strip, row, { first, last }, viewport, source);
    this.element.classList.toggle('over-rows', isOverRows || isBesideOver);
    this.frozen.hidden = frozenColumns === 0;
    this.frozen.style.width = `${viewport.columns.offset(frozenColumns)}px`;
  }

  /** Whether one of the cells covers rows below, too. */
  private fillCells(
    nodes: CellNode[],
    parent: HTMLElement,
    row: number,
    { first, last }: { readonly first: number; readonly last: number },
    viewport: Viewport,
    source: Source,
  ): boolean {
    let used = 0;
    let isOverRows = false;
    for (let column = first; column <= last; column++) {
      const width = viewport.columns.size(column);
      if (width === 0) continue;
      const merged = source.merged(row, column);
      if (merged !== null && (merged.top !== row || merged.left !== column)) continue;
      let node = nodes[used++];
      if (node === undefined) {
        node = newCell();
        nodes.push(node);
        parent.append(node.element);
      }
      if (node.address === '') node.element.hidden = false;
      const shown = source.shown(row, column);
      const isMerged = merged !== null;
      isOverRows ||= isMerged && merged.bottom > row;
      const room = isMerged ? spanned(viewport, merged) : width;
      wearIn(node, shown.look, sharedLines(shown.look, row, column, source));
      const reach = isMerged ? NO_REACH : reachOf(shown, row, column, last, viewport, source);
      // What has a ground or a frame keeps it to itself: only its text is seen beyond, on what the cells there look like.
      const isText = reach.width > 0 && (reach.isOverLooks || hasGround(shown.look));
      const wide = isText ? room : room + reach.width;
      setPlace(node, viewport.columns.offset(column), wide, isMerged ? spannedHeight(viewport, merged) : 0);
      setReach(node, isText ? reach.width : 0);
      setCell(node, row, column, shown, { width: room, isOver: isMerged || wide > room });
    }
    nodes.slice(used).forEach(hideCell);
    return isOverRows;
  }
}

function spanned({ columns }: Viewport, { left, right }: Area): number {
  return columns.offset(right + 1) - columns.offset(left);
}

function spannedHeight({ rows }: Viewport, { top, bottom }: Area): number {
  return rows.offset(bottom + 1) - rows.offset(top);
}

const NO_REACH: Reach = { width: 0, isOverLooks: false };

/** A text runs over the empty cells to its right. */
function reachOf(
  { cell, pending, look }: ShownCell,
  row: number,
  column: number,
  last: number,
  { columns }: Viewport,
  source: Source,
): Reach {
  const text = pending ?? (typeof cell?.v === 'string' && cell.error === undefined ? cell.m : '');
  if (text === '' || look?.wrap === true || (look?.horizontal ?? 'left') !== 'left') return NO_REACH;
  const wanted = widthOf(text, look);
  const own = columns.size(column);
  let width = own;
  let isOverLooks = false;
  for (let next = column + 1; width < wanted && next <= last; next++) {
    const beside = source.shown(row, next);
    const isFree = beside.cell === null && beside.pending === undefined && source.merged(row, next) === null;
    if (!isFree) break;
    width += columns.size(next);
    isOverLooks ||= hasGround(beside.look);
  }
  return { width: width - own, isOverLooks };
}

/** About the pixels that a cell takes to show a text whole. */
export function widthOf(text: string, look: Look | null): number {
  return Math.ceil(text.length * CHARACTER * scaleOf(look) + AROUND);
}

/** About the pixels that a cell of a width takes to show a text whole, broken into lines where it is to be. */
export function heightOf(text: string, width: number, look: Look | null): number {
  const broken = (line: string) => Math.ceil(widthOf(line, look) / Math.max(1, width));
  const lines = look?.wrap === true ? text.split('\n').reduce((sum, line) => sum + broken(line), 0) : 1;
  return Math.ceil(lines * LINE * scaleOf(look) + ABOVE);
}

function scaleOf(look: Look | null): number {
  return (look?.size ?? TEXT_SIZE) / TEXT_SIZE;
}

function hasGround(look: Look | null): boolean {
  return look?.fill !== undefined || look?.borders !== undefined;
}

/** Two cells of which each has a line towards the other are parted by one, not by two. */
function sharedLines(look: Look | null, row: number, column: number, source: Source): Shared {
  if (look?.borders === undefined) return '';
  const isTop = look.borders.top !== undefined && row > 0 && bordersAt(row - 1, column, source)?.bottom !== undefined;
  const isLeft =
    look.borders.left !== undefined && column > 0 && bordersAt(row, column - 1, source)?.right !== undefined;
  return isTop ? (isLeft ? 'top left' : 'top') : isLeft ? 'left' : '';
}

function bordersAt(row: number, column: number, source: Source): Look['borders'] {
  return source.merged(row, column) === null ? source.shown(row, column).look?.borders : undefined;
}

/** `isOver`: the cell covers others, too. */
interface Room {
  readonly width: number;
  readonly isOver: boolean;
}

function setCell(node: CellNode, row: number, column: number, shown: ShownCell, { width, isOver }: Room): void {
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
  const { text, kind: own, title } = textOf(shown, width);
  if (node.text.data !== text) node.text.data = text;
  const kind = isOver ? `${own} over` : own;
  if (node.kind !== kind) {
    node.kind = kind;
    element.className = kind;
  }
  if (node.title !== title) {
    node.title = title;
    element.title = title;
  }
}

function wearIn(node: CellNode, look: Look | null, shared: Shared): void {
  if (node.look === look && node.shared === shared) return;
  node.look = look;
  node.shared = shared;
  const { style } = node.element;
  wear(style, look);
  if (shared.includes('top')) style.borderTop = '';
  if (shared.includes('left')) style.borderLeft = '';
}

/** Lets the text be seen so many pixels beyond the cell. */
function setReach(node: CellNode, width: number): void {
  if (node.reach === width) return;
  node.reach = width;
  const { style } = node.element;
  style.overflow = width === 0 ? '' : 'visible';
  style.zIndex = width === 0 ? '' : '1';
  style.clipPath = width === 0 ? '' : `inset(0 ${-width}px 0 0)`;
}

function textOf({ cell, pending, look }: ShownCell, width: number): { text: string; kind: string; title: string } {
  if (pending !== undefined) return { text: pending, kind: 'grid-cell pending', title: '' };
  if (cell === undefined) return { text: '', kind: 'grid-cell unknown', title: '' };
  if (cell === null) return { text: '', kind: 'grid-cell', title: '' };
  if (cell.error !== undefined) return { text: cell.m, kind: 'grid-cell error', title: cell.error.message };
  if (typeof cell.v === 'boolean') return { text: cell.m, kind: 'grid-cell boolean', title: '' };
  if (typeof cell.v === 'string') return { text: cell.m, kind: 'grid-cell', title: '' };
  const scale = scaleOf(look);
  const isTooWide = cell.m.length * CHARACTER * scale > width && cell.m.length > 2;
  const text = isTooWide ? '#'.repeat(Math.max(2, Math.floor((width - AROUND) / (HASH * scale)))) : cell.m;
  return { text, kind: 'grid-cell number', title: isTooWide ? cell.m : '' };
}

/** A height of 0 is the row's own. */
function setPlace(node: CellNode, left: number, width: number, height: number): void {
  const { style } = node.element;
  if (node.left !== left) style.left = `${left}px`;
  if (node.width !== width) style.width = `${width}px`;
  if (node.height !== height) style.height = height === 0 ? '' : `${height}px`;
  node.left = left;
  node.width = width;
  node.height = height;
}

function newCell(): CellNode {
  const element = made('grid-cell', 'gridcell');
  const text = document.createTextNode('');
  element.append(text);
  const nothing = { look: null, shared: '', title: '', address: '', left: -1, width: -1, height: 0, reach: 0 } as const;
  return { element, text, kind: 'grid-cell', column: -1, ...nothing };
}

function hideCell(node: CellNode): void {
  if (node.address === '') return;
  node.element.hidden = true;
  node.element.removeAttribute('id');
  node.address = '';
}

/** What strips of cells are moved by: the headings' width less what is scrolled away. */
export function stripShift({ scroll }: Viewport): string {
  return `${HEADING_WIDTH - scroll.x}px`;
}
