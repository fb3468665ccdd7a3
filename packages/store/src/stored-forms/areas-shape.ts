/**
 * True if a value has the shape of `StoredAreas`. The checksum of the areas finds most damage; commits of older versions
 * have none. Additional members are accepted.
 */
export function areStoredAreas(json: unknown): boolean {
  if (!isRecord(json)) return false;
  const { written, derived, named = [], rest = [], moves = [], orders = [], restored } = json;
  return (
    [written, derived, named].every(
      (list) => Array.isArray(list) && list.every((one) => areIntegers(one, AREA_NUMBERS)),
    ) &&
    Array.isArray(rest) &&
    rest.every((one) => areIntegers(one, REMAINDER_NUMBERS)) &&
    Array.isArray(moves) &&
    moves.every(isMove) &&
    Array.isArray(orders) &&
    orders.every(isOrder) &&
    (restored === undefined || Number.isSafeInteger(restored))
  );
}

/** Sheet, top, left, bottom, right. */
const AREA_NUMBERS = 5;
/** Sheet, cells. */
const REMAINDER_NUMBERS = 2;

type JsonRecord = Readonly<Record<string, unknown>>;

function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** True for an array of exactly `count` integers. */
function areIntegers(value: unknown, count: number): boolean {
  return Array.isArray(value) && value.length === count && value.every(Number.isSafeInteger);
}

/** True for the shape of the engine's `Move`. */
function isMove(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { kind, sheet, axis, at, count, to, across, area, toSheet, row, column } = value;
  if (kind === 'carry') return isGridArea(area) && areIntegers([sheet, toSheet, row, column], 4);
  const isLineMove = (axis === 'rows' || axis === 'columns') && areIntegers([sheet, at, count], 3);
  if (kind === 'reorder') return isLineMove && Number.isSafeInteger(to);
  return (kind === 'insert' || kind === 'delete') && isLineMove && (across === undefined || isSpan(across));
}

/** True for the first and the last index of rows or columns. */
function isSpan(value: unknown): boolean {
  return isRecord(value) && areIntegers([value['first'], value['last']], 2);
}

/** True for an object with integers for the four sides of an area. */
function isGridArea(value: unknown): boolean {
  return isRecord(value) && areIntegers([value['top'], value['left'], value['bottom'], value['right']], 4);
}

/** True for the shape of the engine's `OrderedRows`. */
function isOrder(value: unknown): boolean {
  if (!isRecord(value) || !Number.isSafeInteger(value['after']) || !isRecord(value['rows'])) return false;
  const { kind, sheet, area, order } = value['rows'];
  const hasOrder = order === null || (Array.isArray(order) && order.every(Number.isSafeInteger));
  return kind === 'order' && Number.isSafeInteger(sheet) && isGridArea(area) && hasOrder;
}
