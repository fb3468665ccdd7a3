import type { Move, OrderedRows, Rearrangement } from '@cellwire/engine';
import { MAX_AREAS_LENGTH, MAX_COMMIT_AREAS } from '../database/limits.ts';
import { areStoredAreas } from './areas-shape.ts';
import { parsePackedOrders } from './row-orders.ts';
import { createDamageError, parseStoredJson } from './stored-json.ts';

/** Areas that a commit changed, stored in `commits.areas`. Each is `[sheet, top, left, bottom, right]`, zero-based. */
export interface StoredAreas {
  readonly written: readonly StoredArea[];
  readonly derived: readonly StoredArea[];
  /**
   * Number of changed cells outside the listed areas, if there were too many areas; absent if there are none. A sheet
   * may occur twice.
   */
  readonly rest?: readonly StoredAreaRemainder[];
  /**
   * Areas that the edits specified, if they are larger than the changed ones, because some cells already had the new
   * value.
   */
  readonly named?: readonly StoredArea[];
  /** Moves of cells, in order. The areas above are positions after all moves. */
  readonly moves?: readonly Move[];
  /**
   * Sorted rows, each with the number of preceding moves; absent if there are none. Entries without an order have a
   * packed order (`row-orders.ts`), or were written by a version that stored none.
   */
  readonly orders?: readonly OrderedRows[];
  /**
   * True if the commit wrote no other cells than those that `orders` moved, so that each value still is in its cell.
   * Otherwise absent, and in commits of versions that did not store it.
   */
  readonly reordered?: true;
  /**
   * True if names, tables or columns of tables were added, deleted or renamed, so that the text of formulas outside the
   * areas may be different. Otherwise absent, and in commits of versions that did not store it.
   */
  readonly renamed?: true;
  /** The restored revision; absent if there is none. Restoring it also restored the positions of cells. */
  readonly restored?: number;
}

/**
 * Adds packed row orders to the areas of a commit. `text` is the value of `commits.row_orders`. Throws
 * `createDamageError` if it is damaged.
 */
export function addRowOrders<T extends StoredAreas>(areas: T, text: string | null): T {
  const { orders } = areas;
  const packed = text === null ? null : parsePackedOrders(text);
  if (text !== null && packed === null) throw createDamageError('The row orders of a commit');
  if (orders === undefined || packed === null) return areas;
  let next = 0;
  const whole = orders.map(({ after, rows }): OrderedRows => {
    const targets = rows.order === null ? packed[next++] : undefined;
    return targets === undefined ? { after, rows } : { after, rows: { ...rows, targets } };
  });
  return { ...areas, orders: whole };
}

/** True if the order of a sort is only in `commits.row_orders`. */
export function lacksRowOrders({ orders = [] }: StoredAreas): boolean {
  return orders.some(({ rows }) => rows.order === null && rows.targets === undefined);
}

/** Moves and sorts of a commit in order. A restore is not included. */
export function listRearrangements({ moves = [], orders = [] }: StoredAreas): readonly Rearrangement[] {
  if (orders.length === 0) return moves;
  const steps: Rearrangement[] = [];
  for (let count = 0; count <= moves.length; count++) {
    for (const { after, rows } of orders) if (Math.min(after, moves.length) === count) steps.push(rows);
    const next = moves[count];
    if (next !== undefined) steps.push(next);
  }
  return steps;
}

export type StoredAreaRemainder = readonly [sheet: number, cells: number];
export type StoredArea = readonly [sheet: number, top: number, left: number, bottom: number, right: number];

/** Parsed areas. `isCut`: true if areas were omitted, because an older version stored more than the maximum number. */
export type ParsedAreas = StoredAreas & { readonly isCut: boolean };

const STORED_AREA = /\[(\d+),(\d+),(\d+),(\d+),(\d+)\],?/y;

/** Parses the areas of a commit. Returns at most `MAX_COMMIT_AREAS` written and as many recalculated areas. */
export function parseAreas(text: string): ParsedAreas {
  if (text.length <= MAX_AREAS_LENGTH) {
    return { ...parseStoredJson<StoredAreas>(text, 'The areas of a commit', areStoredAreas), isCut: false };
  }
  return { written: parseFirstAreas(text, '"written":['), derived: parseFirstAreas(text, '"derived":['), isCut: true };
}

/** Returns the first areas of a list in JSON text without blanks. */
function parseFirstAreas(text: string, list: string): readonly StoredArea[] {
  const start = text.indexOf(list);
  const areas: StoredArea[] = [];
  STORED_AREA.lastIndex = start + list.length;
  while (start >= 0 && areas.length < MAX_COMMIT_AREAS) {
    const [, ...numbers] = STORED_AREA.exec(text) ?? [];
    if (numbers.length === 0) break;
    areas.push(numbers.map(Number) as unknown as StoredArea);
  }
  return areas;
}
