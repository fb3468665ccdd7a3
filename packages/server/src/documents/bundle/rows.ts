import {
  checkpointWithWriters,
  decodeInverse,
  deltaWithWriters,
  inverseWithWriters,
  LOCALE_IDS,
} from '@cellwire/engine';
import type { SqlValue } from '@cellwire/store';
import { MAX_AREAS_LENGTH } from '@cellwire/store/stored-forms';
import {
  BASES,
  type BundleRow,
  type BundleTable,
  CHECKPOINT,
  COMMITS,
  DOCUMENT,
  damagedFileError,
  PROTECTIONS,
  SHARES,
} from '@cellwire/store/transfer';
import { MAX_BUNDLE_NAME_LENGTH } from '../../limits/bundles.ts';
import { MAX_REVISION_NAME_LENGTH } from '../../limits/history.ts';

/** Users of a bundle's installation by their ids there: who they are here. Null: nobody, or not known. */
type UserMap = (id: number) => number | null;

/** Whoever made the bundle: formulas of theirs are of whoever owns the document here. */
export interface Users {
  readonly owner: number;
  readonly here: UserMap;
}

/** Sees nothing that is hidden: formulas of those who are nobody here. */
const NOBODY = 0;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const MAX_DATE = 8.64e15;
const MOST = Number.MAX_SAFE_INTEGER;
const DATE_SYSTEMS = ['google', '1900', '1904'];

/**
 * A row of a bundle as it is stored here: users are those of this installation. Null: there is none here. Throws
 * `StoreError` (`DAMAGED`) where it is none that Cellwire writes.
 */
export function rowHere(table: BundleTable, row: BundleRow, users: Users): BundleRow | null {
  const convert = CONVERTERS.get(table);
  try {
    return convert === undefined ? row : convert(row, users);
  } catch (error) {
    // The engine throws what it meets where it is given something else than it wrote.
    throw damagedFileError(`${table.name}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

const CONVERTERS: ReadonlyMap<BundleTable, (row: BundleRow, users: Users) => BundleRow | null> = new Map([
  [DOCUMENT, document],
  [SHARES, share],
  [PROTECTIONS, protection],
  [CHECKPOINT, (row, users) => ({ ...row, meta: checkpointWithWriters(blob(row['meta']), writerOf(users)) })],
  [BASES, base],
  [COMMITS, commit],
]);

function writerOf({ owner, here }: Users): (writer: number) => number | null {
  return (writer) => (writer === owner ? null : (here(writer) ?? NOBODY));
}

function document(row: BundleRow): BundleRow {
  if (!UUID.test(text(row['id'], MAX_BUNDLE_NAME_LENGTH))) throw new TypeError('its id is none');
  text(row['title'], MAX_BUNDLE_NAME_LENGTH);
  oneOf(row['type'], ['table', 'text']);
  oneOf(row['format'], ['collaborative', 'legacy']);
  oneOf(row['locale'], LOCALE_IDS);
  oneOf(row['date_system'], DATE_SYSTEMS);
  new Intl.DateTimeFormat('en', { timeZone: text(row['time_zone'], MAX_BUNDLE_NAME_LENGTH) });
  text(row['head'], MAX_BUNDLE_NAME_LENGTH);
  whole(row['revision'], MOST);
  for (const name of ['calculated_at', 'created_at', 'updated_at', 'committed_at']) whole(row[name], MAX_DATE);
  return row;
}

function share(row: BundleRow, { here }: Users): BundleRow | null {
  const role = oneOf(row['role'], ['edit', 'comment', 'view']);
  const user = here(whole(row['user_id'], MOST));
  return user === null ? null : { user_id: user, role };
}

function protection(row: BundleRow, { here }: Users): BundleRow {
  const allowed: unknown = JSON.parse(text(row['allowed'], MAX_AREAS_LENGTH));
  if (!Array.isArray(allowed)) throw new TypeError('no list of users');
  const users = allowed.map((user: SqlValue) => here(whole(user, MOST))).filter((user) => user !== null);
  return {
    sheet_id: whole(row['sheet_id'], MOST),
    hide_values: whole(row['hide_values'], 1),
    locked: whole(row['locked'], 1),
    allowed: JSON.stringify([...new Set(users)]),
  };
}

/** One that was not complete is of no use. */
function base(row: BundleRow, users: Users): BundleRow | null {
  whole(row['revision'], MOST);
  if (row['until'] !== null) whole(row['until'], MOST);
  if (row['complete'] !== 1) return null;
  return { ...row, meta: checkpointWithWriters(blob(row['meta']), writerOf(users)) };
}

function commit(row: BundleRow, users: Users): BundleRow {
  const inverse = row['inverse'] === null ? null : inverseWithWriters(blob(row['inverse']), writerOf(users));
  if (inverse !== null) decodeInverse(inverse);
  for (const name of ['undoes', 'undone_by']) if (row[name] !== null) whole(row[name], MOST);
  for (const name of ['parent', 'token_name']) if (row[name] !== null) text(row[name], MAX_BUNDLE_NAME_LENGTH);
  if (row['name'] !== null) text(row['name'], MAX_REVISION_NAME_LENGTH);
  if (row['structure'] !== null) operations(row['structure']);
  areas(row['areas']);
  return {
    ...row,
    revision: whole(row['revision'], MOST),
    head: text(row['head'], MAX_BUNDLE_NAME_LENGTH),
    origin: text(row['origin'], MAX_BUNDLE_NAME_LENGTH),
    at: whole(row['at'], MAX_DATE),
    author_id: row['author_id'] === null ? null : users.here(whole(row['author_id'], MOST)),
    delta: deltaWithWriters(blob(row['delta']), writerOf(users)),
    inverse,
  };
}

/** A list of objects, as `StoredOperation` are. */
function operations(value: SqlValue | undefined): void {
  const list: unknown = JSON.parse(text(value, MAX_AREAS_LENGTH));
  const isOne = (one: unknown) => typeof one === 'object' && one !== null && !Array.isArray(one);
  if (!Array.isArray(list) || !list.every(isOne)) throw new TypeError('no list of operations');
}

/** As `StoredAreas`: lists of lists of whole numbers, beside the moves, the sorted rows and a restored revision. */
function areas(value: SqlValue | undefined): void {
  const read = JSON.parse(text(value, MAX_AREAS_LENGTH)) as Record<string, unknown>;
  const { moves: _moves, orders = [], restored = 0, ...lists } = read;
  // -1 is a state that is in no revision.
  if (!Number.isSafeInteger(restored) || Number(restored) < -1) throw new TypeError('no revision');
  if (!Array.isArray(orders)) throw new TypeError('no list of row orders');
  for (const order of orders as readonly unknown[]) rowOrder(order);
  for (const list of [lists['written'], lists['derived'], ...Object.values(lists)]) {
    if (!Array.isArray(list) || !list.every(isNumbers)) throw new TypeError('no list of areas');
  }
}

/** As `OrderedRows`. */
function rowOrder(value: unknown): void {
  const { after, rows } = value as { readonly after?: SqlValue; readonly rows?: Readonly<Record<string, unknown>> };
  whole(after, MOST);
  const { kind, sheet, area, order } = rows ?? {};
  const hasArea = typeof area === 'object' && area !== null && isNumbers(Object.values(area));
  const hasOrder = order === null || isNumbers(order);
  if (kind !== 'order' || !isNumbers([sheet]) || !hasArea || !hasOrder) throw new TypeError('no row order');
}

function isNumbers(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => Number.isSafeInteger(one) && one >= 0);
}

function whole(value: SqlValue | undefined, most: number): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= most) return value;
  throw new TypeError('a number is none, or too large');
}

function text(value: SqlValue | undefined, most: number): string {
  if (typeof value === 'string' && value.length <= most) return value;
  throw new TypeError('a text is none, or too long');
}

function oneOf<T extends string>(value: SqlValue | undefined, allowed: readonly T[]): T {
  const found = allowed.find((one) => one === value);
  if (found === undefined) throw new TypeError('a word is none of those that are known');
  return found;
}

function blob(value: SqlValue | undefined): Uint8Array {
  if (value instanceof Uint8Array) return value;
  throw new TypeError('bytes are missing');
}
