import { type Area, cellText, columnName } from '@cellwire/engine';
import type { Cell } from '../data/types.ts';
import { type Look, wear } from './looks.ts';
import { HEADING_WIDTH, type Viewport } from './viewport.ts';

/** What a cell shows. */
export interface ShownCell {
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

/** About the width of a character and the space around a text, in pixels: a guess that costs no layout. */
const CHARACTER = 7.3;
/** The size of texts that have none of their own, in pixels. */
const TEXT_SIZE = 13;
const AROUND = 12;

interface CellNode {
  readonly element: HTMLElement;
  text: string;
  kind: string;
  look: Look | null;
  title: string;
  /** Row and column as text, which is also its id in the page. */
  address: string;
  left: number;
  width: number;
  height: number;
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

  place(y: number, height: number): void {
    this.element.style.transform = `translateY(${y}px)`;
    this.element.style.height = `${height}px`;
  }

  /** Shows a row of the sheet, the cells of the viewport's columns. */
  fill(row: number, viewport: Viewport, source: Source, isSelected: boolean): void {
    this.row = row;
    this.element.ariaRowIndex = String(row + 2);
    const number = String(row + 1);
    if (this.heading.textContent !== number) this.heading.textContent = number;
    this.heading.className = isSelected ? 'grid-heading row selected' : 'grid-heading row';
    const { first, last } = viewport.seenColumns;
    const frozenColumns = viewport.frozen.columns;
    this.fillCells(this.frozenCells, this.frozen, row, { first: 0, last: frozenColumns - 1 }, viewport, source);
    this.fillCells(this.cells, this.strip, row, { first, last }, viewport, source);
    this.frozen.hidden = frozenColumns === 0;
    this.frozen.style.width = `${viewport.columns.offset(frozenColumns)}px`;
  }

  private fillCells(
    nodes: CellNode[],
    parent: HTMLElement,
    row: number,
    { first, last }: { readonly first: number; readonly last: number },
    viewport: Viewport,
    source: Source,
  ): void {
    let used = 0;
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
      node.element.hidden = false;
      const shown = source.shown(row, column);
      setCell(node, row, column, shown, width);
      const size =
        merged === null
          ? { width: overflowing(shown, row, column, last, viewport, source), height: 0 }
          : { width: spanned(viewport, merged), height: heightOf(viewport, merged) };
      setPlace(node, viewport.columns.offset(column), size.width, size.height);
      node.element.classList.toggle('over', size.width > width || size.height > 0);
    }
    for (let i = used; i < nodes.length; i++) {
      const node = nodes[i];
      if (node === undefined) continue;
      node.element.hidden = true;
      node.element.removeAttribute('id');
      node.address = '';
    }
  }
}

function spanned({ columns }: Viewport, { left, right }: Area): number {
  return columns.offset(right + 1) - columns.offset(left);
}

function heightOf({ rows }: Viewport, { top, bottom }: Area): number {
  return rows.offset(bottom + 1) - rows.offset(top);
}

/** A text runs over the empty cells to its right. */
function overflowing(
  { cell, pending, look }: ShownCell,
  row: number,
  column: number,
  last: number,
  { columns }: Viewport,
  source: Source,
): number {
  let width = columns.size(column);
  const text = pending ?? (typeof cell?.v === 'string' && cell.error === undefined ? cell.m : '');
  if (text === '' || look?.wrap === true || (look?.horizontal ?? 'left') !== 'left') return width;
  const wanted = text.length * CHARACTER * ((look?.size ?? TEXT_SIZE) / TEXT_SIZE) + AROUND;
  for (let next = column + 1; width < wanted && next <= last; next++) {
    const beside = source.shown(row, next);
    const isFree = beside.cell === null && beside.pending === undefined && source.merged(row, next) === null;
    if (!isFree) break;
    width += columns.size(next);
  }
  return width;
}

function setCell(node: CellNode, row: number, column: number, shown: ShownCell, width: number): void {
  const { element } = node;
  const address = cellText(row, column);
  if (node.address !== address) {
    node.address = address;
    element.id = `cell-${address}`;
    element.ariaColIndex = String(column + 2);
  }
  const { text, kind, title } = textOf(shown, width);
  if (node.text !== text) {
    node.text = text;
    element.textContent = text;
  }
  if (node.kind !== kind) {
    node.kind = kind;
    element.className = kind;
  }
  if (node.title !== title) {
    node.title = title;
    element.title = title;
  }
  if (node.look !== shown.look) {
    node.look = shown.look;
    wear(element.style, shown.look);
  }
}

function textOf({ cell, pending }: ShownCell, width: number): { text: string; kind: string; title: string } {
  if (pending !== undefined) return { text: pending, kind: 'grid-cell pending', title: '' };
  if (cell === undefined) return { text: '', kind: 'grid-cell unknown', title: '' };
  if (cell === null) return { text: '', kind: 'grid-cell', title: '' };
  if (cell.error !== undefined) return { text: cell.m, kind: 'grid-cell error', title: cell.error.message };
  if (typeof cell.v === 'boolean') return { text: cell.m, kind: 'grid-cell boolean', title: '' };
  if (typeof cell.v === 'string') return { text: cell.m, kind: 'grid-cell', title: '' };
  const isTooWide = cell.m.length * CHARACTER > width && cell.m.length > 2;
  const text = isTooWide ? '#'.repeat(Math.max(2, Math.floor((width - AROUND) / CHARACTER))) : cell.m;
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
  return { element, text: '', kind: 'grid-cell', look: null, title: '', address: '', left: -1, width: -1, height: 0 };
}

/** The headings of columns. */
export class HeadingsNode {
  readonly element: HTMLElement;
  private readonly frozen = made('grid-frozen headings', 'presentation');
  private readonly strip = made('grid-strip', 'presentation');
  private readonly corner = made('grid-heading corner', 'columnheader');

  constructor(cornerLabel: string) {
    this.element = made('grid-headings', 'row');
    this.element.ariaRowIndex = '1';
    this.corner.ariaLabel = cornerLabel;
    this.element.append(this.strip, this.frozen, this.corner);
  }

  fill(viewport: Viewport, isSelected: (column: number) => boolean): void {
    const { first, last } = viewport.seenColumns;
    const frozenColumns = viewport.frozen.columns;
    this.frozen.hidden = frozenColumns === 0;
    this.frozen.style.width = `${viewport.columns.offset(frozenColumns)}px`;
    fillHeadings(this.frozen, { first: 0, last: frozenColumns - 1 }, viewport, isSelected);
    fillHeadings(this.strip, { first, last }, viewport, isSelected);
  }
}

function fillHeadings(
  parent: HTMLElement,
  { first, last }: { readonly first: number; readonly last: number },
  { columns }: Viewport,
  isSelected: (column: number) => boolean,
): void {
  let used = 0;
  for (let column = first; column <= last; column++) {
    if (columns.isHidden(column)) continue;
    let node = parent.children[used++] as HTMLElement | undefined;
    if (node === undefined) {
      node = made('grid-heading column', 'columnheader');
      parent.append(node);
    }
    const name = columnName(column);
    if (node.textContent !== name) {
      node.textContent = name;
      node.ariaColIndex = String(column + 2);
    }
    node.hidden = false;
    node.style.left = `${columns.offset(column)}px`;
    node.style.width = `${columns.size(column)}px`;
    node.classList.toggle('selected', isSelected(column));
  }
  for (let i = used; i < parent.children.length; i++) (parent.children[i] as HTMLElement).hidden = true;
}

export function made(className: string, role: string): HTMLElement {
  const element = document.createElement('div');
  element.className = className;
  element.setAttribute('role', role);
  return element;
}

/** What strips of cells are moved by: the headings' width less what is scrolled away. */
export function stripShift({ scroll }: Viewport): string {
  return `${HEADING_WIDTH - scroll.x}px`;
}
