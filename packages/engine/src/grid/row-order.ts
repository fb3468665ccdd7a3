import { type Area, contains, intersects } from './area.ts';
import { MAX_COLUMNS } from './limits.ts';
import { type Block, type Move, moveCell, reverseMove, shiftReference } from './move.ts';

/**
 * A new order of the rows of an area, for example after sorting. Unlike a move, it does not change references. Plain
 * data: the log stores it.
 */
export interface RowOrder {
  readonly kind: 'order';
  readonly sheet: number;
  readonly area: Area;
  /**
   * For each new row of the area: the old row from which its cells come. Both are counted from the top of the area.
   * Rows after the end of the list are empty. Null if `targets` contains the order, or if the order is not known; cells
   * of the area then have no known new position.
   */
  readonly order: readonly number[] | null;
  /** The order of many rows in packed form: the new row of each old row. See `packTargets`. */
  readonly targets?: string;
}

/** A change of positions of cells: a move, or a new order of rows. */
export type Rearrangement = Move | RowOrder;

interface CellPosition {
  readonly sheet: number;
  readonly row: number;
  readonly column: number;
}

/**
 * Returns the position of a cell after a rearrangement; null if the cell is deleted or overwritten, or if the position
 * is not known.
 */
export function rearrangeCell(step: Rearrangement, { sheet, row, column }: CellPosition): CellPosition | null {
  if (step.kind !== 'order') return moveCell(step, sheet, row, column);
  if (sheet !== step.sheet || !contains(step.area, row, column)) return { sheet, row, column };
  const to = findTargetRow(step, row - step.area.top);
  return to === null ? null : { sheet, row: step.area.top + to, column };
}

/** Returns the position of a cell before a rearrangement; null if the cell is new or if the position is not known. */
export function findCellBefore(step: Rearrangement, { sheet, row, column }: CellPosition): CellPosition | null {
  if (step.kind !== 'order') return moveCell(reverseMove(step), sheet, row, column);
  if (sheet !== step.sheet || !contains(step.area, row, column)) return { sheet, row, column };
  const from = getRowSources(step)?.[row - step.area.top];
  return from === undefined ? null : { sheet, row: step.area.top + from, column };
}

/**
 * Returns the area of the same cells after a rearrangement. It follows moves as a reference does. Null if no cell
 * remains, or if the cells no longer form an area.
 */
export function rearrangeArea(step: Rearrangement, block: Block): Block | null {
  if (step.kind !== 'order') return shiftReference(step, block);
  const { sheet, area } = block;
  if (sheet !== step.sheet || !intersects(area, step.area)) return block;
  // All reordered rows are inside the area, which therefore contains the same cells.
  if (area.top <= step.area.top && area.bottom >= step.area.bottom) return block;
  // References to whole rows follow the sorted cells.
  const isOfRows = area.left === 0 && area.right === MAX_COLUMNS - 1;
  const isWide = area.left < step.area.left || area.right > step.area.right;
  if (area.top < step.area.top || area.bottom > step.area.bottom || (isWide && !isOfRows)) return null;
  const first = findTargetRow(step, area.top - step.area.top);
  if (first === null) return null;
  for (let row = area.top; row <= area.bottom; row++) {
    if (findTargetRow(step, row - step.area.top) !== first + row - area.top) return null;
  }
  const top = step.area.top + first;
  return { sheet, area: { ...area, top, bottom: top + area.bottom - area.top } };
}

/** Returns the rearrangement that restores the positions of cells. It does not restore lost cells. */
export function reverseRearrangement(step: Rearrangement): Rearrangement {
  if (step.kind !== 'order') return reverseMove(step);
  const { area, sheet } = step;
  const rows = Array.from({ length: area.bottom - area.top + 1 }, (_, row) => findTargetRow(step, row));
  // An order that omits rows, for example after removing duplicates, has no inverse.
  const isWhole = rows.every((row) => row !== null);
  return isWhole
    ? createRowOrder({ sheet, area }, rows as readonly number[])
    : { kind: 'order', sheet, area, order: null };
}

/** Maximum number of rows in an order that is stored as a list. Longer orders are packed. */
const MAX_LISTED_ROWS = 20_000;

/** Creates a row order; for `order` see `RowOrder.order`. */
export function createRowOrder({ sheet, area }: Block, order: readonly number[]): RowOrder {
  if (order.length <= MAX_LISTED_ROWS) return { kind: 'order', sheet, area, order };
  return { kind: 'order', sheet, area, order: null, targets: packTargets(order, area.bottom - area.top + 1) };
}

const CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const CHARACTER_BITS = 6;
const CHARACTER_CODES = Uint8Array.from(CHARACTERS, (character) => character.charCodeAt(0));
const VALUE_OF = new Int8Array(128).fill(-1);
for (let i = 0; i < CHARACTERS.length; i++) VALUE_OF[CHARACTERS.charCodeAt(i)] = i;
/** Maximum arguments of one call of `String.fromCharCode`. */
const JOINED_CODES = 8_192;

/** Number of characters for one row in a packed order. They can represent `height`, which marks a deleted row. */
function countRowCharacters(height: number): number {
  let characters = 1;
  while (2 ** (CHARACTER_BITS * characters) <= height) characters++;
  return characters;
}

/** Packs the new row of each old row into `countRowCharacters` characters: 4 bytes per row for a million rows. */
function packTargets(order: readonly number[], height: number): string {
  const targets = new Int32Array(height).fill(height);
  for (let to = 0; to < order.length; to++) targets[order[to]!] = to;
  const size = countRowCharacters(height);
  const codes = new Uint8Array(height * size);
  for (let row = 0; row < height; row++) {
    let rest = targets[row] as number;
    for (let i = size - 1; i >= 0; i--) {
      codes[row * size + i] = CHARACTER_CODES[rest & (CHARACTERS.length - 1)]!;
      rest >>= CHARACTER_BITS;
    }
  }
  let text = '';
  for (let at = 0; at < codes.length; at += JOINED_CODES) {
    text += String.fromCharCode(...codes.subarray(at, at + JOINED_CODES));
  }
  return text;
}

/**
 * Returns the new row of an old row, both counted from the top of the area; null if the row is deleted or its position
 * is not known.
 */
function findTargetRow(step: RowOrder, row: number): number | null {
  const { targets, area } = step;
  if (targets === undefined) return getListedTargets(step)?.get(row) ?? null;
  const height = area.bottom - area.top + 1;
  const size = countRowCharacters(height);
  let target = 0;
  for (let i = row * size; i < (row + 1) * size; i++) {
    const value = VALUE_OF[targets.charCodeAt(i)] ?? -1;
    // The text is too short or damaged.
    if (value < 0) return null;
    target = target * CHARACTERS.length + value;
  }
  return target < height ? target : null;
}

const TARGETS = new WeakMap<RowOrder, ReadonlyMap<number, number>>();

/** Returns the new row of each old row; null if it is not known. */
function getListedTargets(step: RowOrder): ReadonlyMap<number, number> | null {
  if (step.order === null) return null;
  let targets = TARGETS.get(step);
  if (targets === undefined) {
    targets = new Map(step.order.map((from, to) => [from, to]));
    TARGETS.set(step, targets);
  }
  return targets;
}

const SOURCES = new WeakMap<RowOrder, readonly (number | undefined)[]>();

/** Returns the old row of each new row; null if it is not known. */
function getRowSources(step: RowOrder): readonly (number | undefined)[] | null {
  if (step.targets === undefined) return step.order;
  let sources = SOURCES.get(step);
  if (sources === undefined) {
    const height = step.area.bottom - step.area.top + 1;
    const rows = new Array<number | undefined>(height).fill(undefined);
    for (let row = 0; row < height; row++) {
      const to = findTargetRow(step, row);
      if (to !== null) rows[to] = row;
    }
    sources = rows;
    SOURCES.set(step, sources);
  }
  return sources;
}
