import {
  type Area,
  type ChangeSet,
  cellCount,
  type EditOutcome,
  type FirstAreas,
  type OrderedRows,
} from '@cellwire/engine';
import {
  formatPackedOrders,
  MAX_COMMIT_AREAS,
  type StoredArea,
  type StoredAreaRemainder,
  type StoredAreas,
} from '@cellwire/store/stored-forms';

/**
 * What a change wrote and recalculated, as the log keeps it (JSON text). Every other cell of a sheet can change in one
 * commit: of so many areas the first are kept, and of the other cells their number.
 */
export function areasText(change: ChangeSet, outcomes: readonly EditOutcome[]): string {
  const { written, derived } = change.firstAreas(MAX_COMMIT_AREAS);
  let members = `"written":[${areasIn(written)}],"derived":[${areasIn(derived)}]`;
  const rest: StoredAreaRemainder[] = [];
  for (const { sheet, left } of written) if (left > 0) rest.push([sheet, left]);
  for (const { sheet, left } of derived) if (left > 0) rest.push([sheet, left]);
  if (rest.length > 0) members += member('rest', rest);
  if (change.moves.length > 0) members += member('moves', change.moves);
  members += placesIn(outcomes);
  if (cellsAsked(outcomes) > cellsIn(written)) members += member('named', namedAreas(outcomes));
  return `{${members}}`;
}

/** Sorted rows and a restored state, as further members: they change the places of cells, too. */
function placesIn(outcomes: readonly EditOutcome[]): string {
  let sorted: OrderedRows[] | null = null;
  let members = '';
  for (const { orders, restored } of outcomes) {
    if (orders !== undefined) sorted = [...(sorted ?? []), ...orders.map(withoutPacked)];
    if (restored !== undefined) members += member('restored', restored);
  }
  return sorted === null ? members : members + member('orders', sorted);
}

function withoutPacked({ after, rows: { targets: _, ...rows } }: OrderedRows): OrderedRows {
  return { after, rows };
}

/** The packed orders of sorts of many rows, for `commits.row_orders`; null: there are none. */
export function rowOrdersText(outcomes: readonly EditOutcome[]): string | null {
  const packed = outcomes.flatMap(({ orders = [] }) => orders.flatMap(({ rows }) => rows.targets ?? []));
  return packed.length === 0 ? null : formatPackedOrders(packed);
}

/** A further member as JSON text: put together member by member, as every commit makes one and most are absent. */
function member<K extends keyof StoredAreas>(key: K, value: StoredAreas[K]): string {
  return `,"${key}":${JSON.stringify(value)}`;
}

function cellsAsked(outcomes: readonly EditOutcome[]): number {
  let asked = 0;
  for (const { cells } of outcomes) asked += cells;
  return asked;
}

function cellsIn(sheets: readonly FirstAreas[]): number {
  let count = 0;
  for (const { areas } of sheets) for (const area of areas) count += cellCount(area);
  return count;
}

const NO_AREAS: StoredAreas = { written: [], derived: [] };
const NO_AREAS_TEXT = JSON.stringify(NO_AREAS);

/** Whether a change wrote and recalculated nothing that is other than it was. */
export function saysNothing(areas: string): boolean {
  return areas === NO_AREAS_TEXT;
}

/** The area of the edits' cells on each sheet; what they name is one block as a rule. */
function namedAreas(outcomes: readonly EditOutcome[]): readonly StoredArea[] {
  const around = new Map<number, Area>();
  for (const { sheet, area, cells } of outcomes) {
    if (area === null || cells === 0) continue;
    const held = around.get(sheet) ?? area;
    around.set(sheet, {
      top: Math.min(held.top, area.top),
      left: Math.min(held.left, area.left),
      bottom: Math.max(held.bottom, area.bottom),
      right: Math.max(held.right, area.right),
    });
  }
  return [...around].map(([sheet, { top, left, bottom, right }]) => [sheet, top, left, bottom, right]);
}

/** A list of `StoredArea`, as JSON text without its brackets. */
function areasIn(sheets: readonly FirstAreas[]): string {
  let text = '';
  for (const { sheet, areas } of sheets) {
    for (const { top, left, bottom, right } of areas) {
      const area = `[${sheet},${top},${left},${bottom},${right}]`;
      text = text === '' ? area : `${text},${area}`;
    }
  }
  return text;
}
