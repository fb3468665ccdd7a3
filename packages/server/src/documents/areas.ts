import { isDeepStrictEqual } from 'node:util';
import {
  type Area,
  type ChangeSet,
  cellCount,
  type EditOutcome,
  type FirstAreas,
  type OrderedRows,
  union,
} from '@cellwire/engine';
import {
  formatPackedOrders,
  MAX_COMMIT_AREAS,
  type StoredArea,
  type StoredAreaRemainder,
  type StoredAreas,
} from '@cellwire/store/stored-forms';

/**
 * Returns the areas that a change wrote and recalculated, as JSON text for the log. A commit can change every cell of a
 * sheet, so only the first areas are stored, with the number of the remaining cells.
 */
export function formatAreas(change: ChangeSet, outcomes: readonly EditOutcome[]): string {
  const { written, derived } = change.firstAreas(MAX_COMMIT_AREAS);
  let members = `"written":[${formatAreaList(written)}],"derived":[${formatAreaList(derived)}]`;
  const rest: StoredAreaRemainder[] = [];
  for (const { sheet, left } of written) if (left > 0) rest.push([sheet, left]);
  for (const { sheet, left } of derived) if (left > 0) rest.push([sheet, left]);
  if (rest.length > 0) members += formatJsonMember('rest', rest);
  if (change.moves.length > 0) members += formatJsonMember('moves', change.moves);
  members += formatMoveMembers(outcomes);
  if (isReorder(outcomes)) members += formatJsonMember('reordered', true);
  if (hasOtherNames(change)) members += formatJsonMember('renamed', true);
  if (countEditedCells(outcomes) > countAreaCells(written))
    members += formatJsonMember('named', boundEditedAreas(outcomes));
  return `{${members}}`;
}

/** True if the edits changed cells only by reordering rows. */
function isReorder(outcomes: readonly EditOutcome[]): boolean {
  const changing = outcomes.filter(({ cells }) => cells > 0);
  return changing.length > 0 && changing.every((outcome) => outcome.isReorder === true);
}

/** True if a change adds, deletes or renames names, tables or columns of tables. */
function hasOtherNames({ before, after }: ChangeSet): boolean {
  return areNamedDifferently(before.names, after.names) || areNamedDifferently(before.tables, after.tables);
}

type NamedPart = { readonly name: string; readonly columns?: readonly string[] };

/** True if two lists of defined names or tables differ in a name, in their order or in the names of columns. */
function areNamedDifferently(before: readonly NamedPart[], after: readonly NamedPart[]): boolean {
  if (before === after) return false;
  if (before.length !== after.length) return true;
  return before.some(
    ({ name, columns }, i) => name !== after[i]?.name || !isDeepStrictEqual(columns, after[i].columns),
  );
}

/** JSON members for sorted rows and a restored state, which also move cells. */
function formatMoveMembers(outcomes: readonly EditOutcome[]): string {
  let sorted: OrderedRows[] | null = null;
  let members = '';
  for (const { orders, restored } of outcomes) {
    if (orders !== undefined) sorted = [...(sorted ?? []), ...orders.map(dropPackedTargets)];
    if (restored !== undefined) members += formatJsonMember('restored', restored);
  }
  return sorted === null ? members : members + formatJsonMember('orders', sorted);
}

/** Returns sorted rows without their packed order, which `formatRowOrders` stores separately. */
function dropPackedTargets({ after, rows: { targets: _, ...rows } }: OrderedRows): OrderedRows {
  return { after, rows };
}

/** Packed row orders of large sorts, for `commits.row_orders`. Null if there are none. */
export function formatRowOrders(outcomes: readonly EditOutcome[]): string | null {
  const packed = outcomes.flatMap(({ orders = [] }) => orders.flatMap(({ rows }) => rows.targets ?? []));
  return packed.length === 0 ? null : formatPackedOrders(packed);
}

/**
 * One more member as JSON text. Members are concatenated because every commit builds this text and most members are
 * absent.
 */
function formatJsonMember<K extends keyof StoredAreas>(key: K, value: StoredAreas[K]): string {
  return `,"${key}":${JSON.stringify(value)}`;
}

function countEditedCells(outcomes: readonly EditOutcome[]): number {
  let count = 0;
  for (const { cells } of outcomes) count += cells;
  return count;
}

function countAreaCells(sheets: readonly FirstAreas[]): number {
  let count = 0;
  for (const { areas } of sheets) for (const area of areas) count += cellCount(area);
  return count;
}

const NO_AREAS: StoredAreas = { written: [], derived: [] };
const NO_AREAS_TEXT = JSON.stringify(NO_AREAS);

/** True if the change wrote and recalculated nothing. */
export function isUnchanged(areas: string): boolean {
  return areas === NO_AREAS_TEXT;
}

/** The bounding area of the edited cells on each sheet. Most batches edit one block. */
function boundEditedAreas(outcomes: readonly EditOutcome[]): readonly StoredArea[] {
  const boundingAreas = new Map<number, Area>();
  for (const { sheet, area, cells } of outcomes) {
    if (area === null || cells === 0) continue;
    boundingAreas.set(sheet, union(boundingAreas.get(sheet) ?? area, area));
  }
  return [...boundingAreas].map(([sheet, { top, left, bottom, right }]) => [sheet, top, left, bottom, right]);
}

/** A list of `StoredArea` as JSON text, without brackets. */
function formatAreaList(sheets: readonly FirstAreas[]): string {
  let text = '';
  for (const { sheet, areas } of sheets) {
    for (const { top, left, bottom, right } of areas) {
      const area = `[${sheet},${top},${left},${bottom},${right}]`;
      text = text === '' ? area : `${text},${area}`;
    }
  }
  return text;
}
