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
  createDamagedArchiveError,
  DOCUMENT,
  PROTECTIONS,
  SHARES,
} from '@cellwire/store/transfer';
import { MAX_BUNDLE_NAME_LENGTH } from '../../limits/bundles.ts';
import { MAX_REVISION_NAME_LENGTH } from '../../limits/history.ts';

/** Maps user ids of the source installation to local ids. Null: no user, or an unknown one. */
type UserMap = (id: number) => number | null;

/** Users of the source installation. The document's local owner takes over formulas of the user who made the bundle. */
export interface BundleUserMapping {
  readonly owner: number;
  readonly targetUsers: UserMap;
}

/** Owns formulas of unknown users. This id sees no hidden sheet. */
const UNKNOWN_USER = 0;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const MAX_DATE = 8.64e15;
const MAX_INTEGER = Number.MAX_SAFE_INTEGER;
const DATE_SYSTEMS = ['google', '1900', '1904'];

/**
 * Converts a row of a bundle to a local row with local user ids. Null if the row has no local counterpart. Throws
 * `StoreError` (`DAMAGED`) if Cellwire could not have written the row.
 */
export function convertRow(table: BundleTable, row: BundleRow, users: BundleUserMapping): BundleRow | null {
  const convert = CONVERTERS.get(table);
  try {
    return convert === undefined ? row : convert(row, users);
  } catch (error) {
    // The engine throws arbitrary errors on input that it did not write.
    throw createDamagedArchiveError(`${table.name}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

const CONVERTERS: ReadonlyMap<BundleTable, (row: BundleRow, users: BundleUserMapping) => BundleRow | null> = new Map([
  [DOCUMENT, convertDocument],
  [SHARES, convertShare],
  [PROTECTIONS, convertProtection],
  [
    CHECKPOINT,
    (row, users) => ({ ...row, meta: checkpointWithWriters(parseBlob(row['meta']), createWriterMapper(users)) }),
  ],
  [BASES, convertRetainedCheckpoint],
  [COMMITS, convertCommit],
]);

/** Maps the writer of a formula to an id in this database. The owner becomes null, an unknown user `UNKNOWN_USER`. */
function createWriterMapper({ owner, targetUsers }: BundleUserMapping): (writer: number) => number | null {
  return (writer) => (writer === owner ? null : (targetUsers(writer) ?? UNKNOWN_USER));
}

/**
 * Checks the columns of the document's row. Throws a `TypeError` or `RangeError` for a value that the service never
 * stores.
 */
function convertDocument(row: BundleRow): BundleRow {
  if (!UUID.test(parseText(row['id'], MAX_BUNDLE_NAME_LENGTH))) throw new TypeError('the id is not a UUID');
  parseText(row['title'], MAX_BUNDLE_NAME_LENGTH);
  parseChoice(row['type'], ['table', 'text']);
  parseChoice(row['format'], ['collaborative', 'legacy']);
  parseChoice(row['locale'], LOCALE_IDS);
  parseChoice(row['date_system'], DATE_SYSTEMS);
  new Intl.DateTimeFormat('en', { timeZone: parseText(row['time_zone'], MAX_BUNDLE_NAME_LENGTH) });
  parseText(row['head'], MAX_BUNDLE_NAME_LENGTH);
  parseInteger(row['revision'], MAX_INTEGER);
  for (const name of ['calculated_at', 'created_at', 'updated_at', 'committed_at']) parseInteger(row[name], MAX_DATE);
  return row;
}

/** The share with the user's id in this database; null if this database has no such user. */
function convertShare(row: BundleRow, { targetUsers }: BundleUserMapping): BundleRow | null {
  const role = parseChoice(row['role'], ['edit', 'comment', 'view']);
  const user = targetUsers(parseInteger(row['user_id'], MAX_INTEGER));
  return user === null ? null : { user_id: user, role };
}

/** The protection of a sheet with users' ids of this database, without users who do not exist here. */
function convertProtection(row: BundleRow, { targetUsers }: BundleUserMapping): BundleRow {
  const allowed: unknown = JSON.parse(parseText(row['allowed'], MAX_AREAS_LENGTH));
  if (!Array.isArray(allowed)) throw new TypeError('expected a list of users');
  const users = allowed
    .map((user: SqlValue) => targetUsers(parseInteger(user, MAX_INTEGER)))
    .filter((user) => user !== null);
  return {
    sheet_id: parseInteger(row['sheet_id'], MAX_INTEGER),
    hide_values: parseInteger(row['hide_values'], 1),
    locked: parseInteger(row['locked'], 1),
    allowed: JSON.stringify([...new Set(users)]),
  };
}

/** The retained checkpoint with users' ids of this database; null if it is incomplete and therefore unusable. */
function convertRetainedCheckpoint(row: BundleRow, users: BundleUserMapping): BundleRow | null {
  parseInteger(row['revision'], MAX_INTEGER);
  if (row['until'] !== null) parseInteger(row['until'], MAX_INTEGER);
  if (row['complete'] !== 1) return null;
  return { ...row, meta: checkpointWithWriters(parseBlob(row['meta']), createWriterMapper(users)) };
}

/** Checks a commit and replaces the ids of its author and of its formulas' writers by the ids of this database. */
function convertCommit(row: BundleRow, users: BundleUserMapping): BundleRow {
  const inverse =
    row['inverse'] === null ? null : inverseWithWriters(parseBlob(row['inverse']), createWriterMapper(users));
  if (inverse !== null) decodeInverse(inverse);
  for (const name of ['undoes', 'undone_by']) if (row[name] !== null) parseInteger(row[name], MAX_INTEGER);
  for (const name of ['parent', 'token_name']) if (row[name] !== null) parseText(row[name], MAX_BUNDLE_NAME_LENGTH);
  if (row['name'] !== null) parseText(row['name'], MAX_REVISION_NAME_LENGTH);
  if (row['structure'] !== null) checkOperations(row['structure']);
  checkAreas(row['areas']);
  return {
    ...row,
    revision: parseInteger(row['revision'], MAX_INTEGER),
    head: parseText(row['head'], MAX_BUNDLE_NAME_LENGTH),
    origin: parseText(row['origin'], MAX_BUNDLE_NAME_LENGTH),
    at: parseInteger(row['at'], MAX_DATE),
    author_id: row['author_id'] === null ? null : users.targetUsers(parseInteger(row['author_id'], MAX_INTEGER)),
    delta: deltaWithWriters(parseBlob(row['delta']), createWriterMapper(users)),
    inverse,
  };
}

/** Checks a list of objects in the form of `StoredOperation`. */
function checkOperations(value: SqlValue | undefined): void {
  const list: unknown = JSON.parse(parseText(value, MAX_AREAS_LENGTH));
  const isOne = (one: unknown) => typeof one === 'object' && one !== null && !Array.isArray(one);
  if (!Array.isArray(list) || !list.every(isOne)) throw new TypeError('expected a list of operations');
}

/** Checks `StoredAreas`: lists of lists of integers, plus moves, sorted rows and a restored revision. */
function checkAreas(value: SqlValue | undefined): void {
  const read = JSON.parse(parseText(value, MAX_AREAS_LENGTH)) as Record<string, unknown>;
  const { moves: _moves, orders = [], restored = 0, renamed = true, reordered = true, ...lists } = read;
  if (renamed !== true || reordered !== true) throw new TypeError('a mark of the areas is invalid');
  // -1 is a state that belongs to no revision.
  if (!Number.isSafeInteger(restored) || Number(restored) < -1) throw new TypeError('the restored revision is invalid');
  if (!Array.isArray(orders)) throw new TypeError('expected a list of row orders');
  for (const order of orders as readonly unknown[]) checkRowOrder(order);
  for (const list of [lists['written'], lists['derived'], ...Object.values(lists)]) {
    if (!Array.isArray(list) || !list.every(areNumbers)) throw new TypeError('expected a list of areas');
  }
}

/** Checks `OrderedRows`. */
function checkRowOrder(value: unknown): void {
  const { after, rows } = value as { readonly after?: SqlValue; readonly rows?: Readonly<Record<string, unknown>> };
  parseInteger(after, MAX_INTEGER);
  const { kind, sheet, area, order } = rows ?? {};
  const hasArea = typeof area === 'object' && area !== null && areNumbers(Object.values(area));
  const hasOrder = order === null || areNumbers(order);
  if (kind !== 'order' || !areNumbers([sheet]) || !hasArea || !hasOrder) throw new TypeError('a row order is invalid');
}

/** True for an array of whole numbers that are not negative. */
function areNumbers(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => Number.isSafeInteger(one) && one >= 0);
}

function parseInteger(value: SqlValue | undefined, maximum: number): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= maximum) return value;
  throw new TypeError('a number is invalid or too large');
}

function parseText(value: SqlValue | undefined, maxLength: number): string {
  if (typeof value === 'string' && value.length <= maxLength) return value;
  throw new TypeError('a text is missing or too long');
}

function parseChoice<T extends string>(value: SqlValue | undefined, allowed: readonly T[]): T {
  const found = allowed.find((one) => one === value);
  if (found === undefined) throw new TypeError('unknown value of an enumeration');
  return found;
}

function parseBlob(value: SqlValue | undefined): Uint8Array {
  if (value instanceof Uint8Array) return value;
  throw new TypeError('bytes are missing');
}
