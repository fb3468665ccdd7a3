import { type Block, columnIndex, columnName, type LocaleId, MAX_COLUMNS, MAX_ROWS } from '@cellwire/engine';
import { MAX_BATCH_BLOCKS } from '../../limits/requests.ts';
import type { CellEdit } from '../cells/edit-cells.ts';
import type { SentCell, SentCells } from '../cells/inputs.ts';
import { CELLS_GONE, isRefusal, type Refusal } from '../refusal.ts';
import type { CellPlace, RebasedPlaces } from './places.ts';

/** Context for translating the texts of a request. */
interface RebaseContext {
  readonly places: RebasedPlaces;
  readonly locale: LocaleId | null;
}

/** A block of values and its range. */
export interface RequestBlock {
  readonly range: string;
  readonly values: SentCells;
}

/**
 * A block of values at the current places of its cells. Refused unless all cells still exist; with `dropsGone` only if
 * none does, and the values of deleted cells are left out.
 */
export function rebaseBlock(
  { range, values }: RequestBlock,
  { places, locale }: RebaseContext,
  { dropsGone = false }: { readonly dropsGone?: boolean } = {},
): RequestBlock | Refusal {
  const block = places.parseEarlierBlock(range);
  if (isRefusal(block)) return block;
  if (block === null) return CELLS_GONE;
  const { sheet, area } = block;
  if (!places.isFollowed(sheet)) return { range, values };
  const width = Math.max(1, ...values.map(({ length }) => length));
  if (!places.canFollow(values.length * width)) return rebaseLargeBlock({ range, values }, block, width, places);
  const placed = values.map((line, i) =>
    Array.from({ length: line.length }, (_, j) => places.mapCell({ sheet, row: area.top + i, column: area.left + j })),
  );
  const all: CellPlace[] = [];
  for (const [i, line] of placed.entries()) {
    for (const [j, place] of line.entries()) {
      if (place !== null) all.push(place);
      else if (values[i]?.[j] !== null && !dropsGone) return CELLS_GONE;
    }
  }
  const [first] = all;
  if (first === undefined) return CELLS_GONE;
  const top = Math.min(...findExtremes(all, ({ row }) => row));
  const left = Math.min(...findExtremes(all, ({ column }) => column));
  const [bottom, right] = [
    Math.max(...findExtremes(all, ({ row }) => row)),
    Math.max(...findExtremes(all, ({ column }) => column)),
  ];
  if (all.some((place) => place.sheet !== first.sheet)) return CELLS_GONE;
  // Inserted rows or columns leave gaps. If there are far more gaps than cells, the block counts as split.
  const isApart = (bottom - top + 1) * (right - left + 1) > Math.max(MAX_GAPS, 4 * values.length * width);
  if (isApart) return CELLS_GONE;
  const lines = Array.from({ length: bottom - top + 1 }, () => new Array<SentCell>(right - left + 1).fill(null));
  for (const [i, line] of values.entries()) {
    for (const [j, value] of line.entries()) {
      const place = placed[i]?.[j];
      const target = place && lines[place.row - top];
      if (!target) continue;
      target[place.column - left] = rebaseValue(
        value,
        { places, locale },
        { sheet, row: area.top + i, column: area.left + j },
      );
    }
  }
  return {
    range: places.formatBlock({ sheet: first.sheet, area: { top, left, bottom: top, right: left } }),
    values: lines,
  };
}

/** A very large block is translated as a whole. It is refused if cells were inserted in it or if it has formulas. */
function rebaseLargeBlock(block: RequestBlock, { sheet, area }: Block, width: number, places: RebasedPlaces) {
  const isPlain = block.values.every((line) =>
    line.every((value) => (typeof value !== 'object' || value === null) && !isFormula(value)),
  );
  const filled = { ...area, bottom: area.top + block.values.length - 1, right: area.left + width - 1 };
  const after = places.mapArea({ sheet, area: filled });
  if (after === null || !isPlain) return CELLS_GONE;
  const isSameSize =
    after.area.bottom - after.area.top === filled.bottom - filled.top &&
    after.area.right - after.area.left === filled.right - filled.left;
  return isSameSize ? { ...block, range: places.formatBlock(after) } : CELLS_GONE;
}

function isFormula(value: SentCell): boolean {
  return typeof value === 'string' && value.startsWith('=');
}

/** Maximum number of unchanged cells between the changed cells of a block. */
const MAX_GAPS = 10_000;

/**
 * Returns the minimum and maximum of a coordinate. `Math.min` takes its values as arguments, and a list of a million
 * values exceeds their limit.
 */
function findExtremes(
  cells: readonly CellPlace[],
  getCoordinate: (place: CellPlace) => number,
): readonly [number, number] {
  let [least, greatest] = [Number.MAX_SAFE_INTEGER, 0];
  for (const place of cells) {
    least = Math.min(least, getCoordinate(place));
    greatest = Math.max(greatest, getCoordinate(place));
  }
  return [least, greatest];
}

function rebaseValue(value: SentCell, { places, locale }: RebaseContext, cell: CellPlace): SentCell {
  if (typeof value === 'string') return places.mapFormulaText(value, locale, cell);
  if (typeof value !== 'object' || value === null || value['as'] !== 'formula') return value;
  const { value: text } = value;
  return typeof text === 'string' ? { ...value, value: places.mapFormulaText(text, null, cell) } : value;
}

/** A range at its current place; all of its cells must exist. */
export function rebaseRange(range: string, { places }: RebaseContext): string | Refusal {
  return places.mapRange(range) ?? CELLS_GONE;
}

/** The current name of a sheet; refused if it is deleted. */
export function rebaseSheetName(name: string, { places }: RebaseContext): string | Refusal {
  return places.mapSheetName(name) ?? CELLS_GONE;
}

/** The remaining parts of a range; refused if there are none. */
export function rebaseRanges(range: string, { places }: RebaseContext): readonly string[] | Refusal {
  const block = places.parseEarlierBlock(range);
  if (isRefusal(block)) return block;
  if (block === null) return CELLS_GONE;
  if (!places.isFollowed(block.sheet)) return [range];
  const { openRows, openColumns } = block.area;
  // Whole rows stay whole rows, and whole columns stay whole columns.
  if (openRows || openColumns) {
    const whole = places.mapRange(range);
    return whole === null ? CELLS_GONE : isRefusal(whole) ? whole : [whole];
  }
  const blocks = places.mapBlocks(block);
  return blocks === null || blocks.length === 0 ? CELLS_GONE : blocks.map((one) => places.formatBlock(one));
}

/** Edits at the current places of their cells; an edit whose cells are split becomes several. */
export function rebaseEdits(edits: readonly CellEdit[], context: RebaseContext): readonly CellEdit[] | Refusal {
  const rebased: CellEdit[] = [];
  for (const edit of edits) {
    const next = rebaseEdit(edit, context);
    if (isRefusal(next)) return next;
    rebased.push(...next);
    if (rebased.length > MAX_BATCH_BLOCKS) return CELLS_GONE;
  }
  return rebased;
}

function rebaseEdit(edit: CellEdit, context: RebaseContext): readonly CellEdit[] | Refusal {
  const { clear, format, put, copy, fill, to, values } = edit;
  if (clear !== undefined) return rebaseParts(clear, context, (range) => ({ ...edit, clear: range }));
  if (format !== undefined) return rebaseParts(format, context, (range) => ({ ...edit, format: range }));
  if (put !== undefined) {
    const block = rebaseBlock({ range: put, values: values ?? [] }, context);
    return isRefusal(block) ? block : [{ ...edit, put: block.range, values: block.values }];
  }
  const source = copy ?? fill;
  if (source === undefined || to === undefined) return [edit];
  const [from, target] = [rebaseRange(source, context), rebaseRange(to, context)];
  if (isRefusal(from)) return from;
  if (isRefusal(target)) return target;
  return [copy === undefined ? { ...edit, fill: from, to: target } : { ...edit, copy: from, to: target }];
}

function rebaseParts(
  range: string,
  context: RebaseContext,
  edit: (range: string) => CellEdit,
): readonly CellEdit[] | Refusal {
  const ranges = rebaseRanges(range, context);
  return isRefusal(ranges) ? ranges : ranges.map(edit);
}

export type OperationMembers = Readonly<Record<string, unknown>>;
type RebaseAxis = 'rows' | 'columns';

/**
 * Operations of `structure` at the current places. Each operation applies to the result of the one before it. Several
 * operations can therefore be translated only if they do not shift each other's cells; deletions are sorted from the
 * last row or column up.
 */
export function rebaseOperations(
  rawOperations: readonly unknown[],
  context: RebaseContext,
): readonly unknown[] | Refusal {
  const operations = rawOperations.map(parseNamedOperation);
  if (operations.some((one) => one === null)) return rawOperations;
  const namedOperations = operations as readonly NamedOperation[];
  const [first] = namedOperations;
  const isDeletion = first?.name === 'deleteRows' || first?.name === 'deleteColumns';
  if (
    first !== undefined &&
    isDeletion &&
    namedOperations.every(({ name, members }) => isSameKindOfOperation(first, name, members))
  ) {
    return rebaseDeletions(namedOperations, context);
  }
  if (namedOperations.length > 1 && namedOperations.some(({ name }) => SHIFTING_OPERATIONS.has(name)))
    return CELLS_GONE;
  const rebased: unknown[] = [];
  for (const one of namedOperations) {
    const members = rebaseMembers(one, context);
    if (isRefusal(members)) return members;
    rebased.push({ [one.name]: members });
  }
  return rebased;
}

interface NamedOperation {
  readonly name: string;
  readonly members: OperationMembers;
}

export function parseNamedOperation(operation: unknown): NamedOperation | null {
  if (typeof operation !== 'object' || operation === null) return null;
  const [entry, ...others] = Object.entries(operation);
  if (entry === undefined || others.length > 0) return null;
  const [name, members] = entry;
  return typeof members === 'object' && members !== null ? { name, members: members as OperationMembers } : null;
}

/** True if another operation has the same name and concerns the same sheet. */
function isSameKindOfOperation({ name, members }: NamedOperation, other: string, others: OperationMembers): boolean {
  return other === name && others['sheet'] === members['sheet'];
}

/** Operations on whole rows or columns. */
const LINES: ReadonlySet<string> = new Set([
  'insertRows',
  'insertColumns',
  'deleteRows',
  'deleteColumns',
  'moveRows',
  'moveColumns',
]);

/** Operations that move other cells. */
const SHIFTING_OPERATIONS: ReadonlySet<string> = new Set([
  ...LINES,
  'insertCells',
  'deleteCells',
  'removeDuplicates',
  'sort',
]);

function parseOperationAxis(name: string): RebaseAxis {
  return name.endsWith('Columns') ? 'columns' : 'rows';
}

function parseLineIndex(axis: RebaseAxis, line: unknown): number {
  if (axis === 'columns') return typeof line === 'string' ? columnIndex(line) : -1;
  return typeof line === 'number' ? line - 1 : -1;
}

function formatLineName(axis: RebaseAxis, line: number): unknown {
  return axis === 'columns' ? columnName(line) : line + 1;
}

function rebaseDeletions(operations: readonly NamedOperation[], context: RebaseContext): readonly unknown[] | Refusal {
  const [{ name, members: of }] = operations as readonly [NamedOperation];
  const axis = parseOperationAxis(name);
  const spans: { first: number; last: number }[] = [];
  for (const { members } of operations) {
    const found = listRemainingLines(members, axis, context);
    if (isRefusal(found)) return found;
    spans.push(...found);
  }
  if (spans.length === 0) return CELLS_GONE;
  const sheet = context.places.mapSheetName(String(of['sheet']));
  if (sheet === null) return CELLS_GONE;
  return spans
    .sort((a, b) => b.first - a.first)
    .map(({ first, last }) => ({ [name]: { sheet, from: formatLineName(axis, first), count: last - first + 1 } }));
}

function listRemainingLines(members: OperationMembers, axis: RebaseAxis, { places }: RebaseContext) {
  const at = parseLineIndex(axis, members['from']);
  const count = typeof members['count'] === 'number' ? members['count'] : 1;
  const sheet = places.findEarlierId(String(members['sheet']));
  if (at < 0 || sheet === undefined) return CELLS_GONE;
  if (!places.isFollowed(sheet)) return [{ first: at, last: at + count - 1 }];
  const spans = places.mapLines(sheet, axis, at, count);
  // Cells of a line were cut to another line. The sender did not mean the other cells of that line.
  const isSplit = spans !== null && spans.reduce((sum, { first, last }) => sum + last - first + 1, 0) > count;
  return spans === null || isSplit ? CELLS_GONE : spans;
}

function rebaseMembers({ name, members }: NamedOperation, context: RebaseContext): OperationMembers | Refusal {
  const { places } = context;
  let next: Record<string, unknown> = { ...members };
  if (typeof members['sheet'] === 'string') {
    const sheet = places.mapSheetName(members['sheet']);
    if (sheet === null) return CELLS_GONE;
    next = { ...next, sheet };
  }
  for (const field of ['range', 'from', 'to']) {
    const text = members[field];
    if (typeof text !== 'string' || LINES.has(name)) continue;
    const range = rebaseRange(text, context);
    if (isRefusal(range)) return range;
    next = { ...next, [field]: range };
  }
  if (name === 'sort') return rebaseSort(next, members, context);
  if (COLUMN_MEMBERS.has(name)) return rebaseColumns(next, members, context);
  return LINES.has(name) ? rebaseLines({ name, members }, next, context) : next;
}

/** Names of members whose values name columns by letter: as `column`, as a list, or as the members of `columns`. */
const COLUMN_MEMBERS: ReadonlySet<string> = new Set(['filterColumn', 'setFilter', 'removeDuplicates']);

function rebaseColumns(
  next: OperationMembers,
  members: OperationMembers,
  { places }: RebaseContext,
): OperationMembers | Refusal {
  const block = typeof members['range'] === 'string' ? places.parseEarlierBlock(members['range']) : null;
  if (isRefusal(block)) return block;
  const sheet = block?.sheet ?? places.findEarlierId(String(members['sheet']));
  if (sheet === undefined || !places.isFollowed(sheet)) return next;
  const mapColumn = (letters: unknown) => places.mapLines(sheet, 'columns', parseLineIndex('columns', letters), 1)?.[0];
  const { column, columns } = members;
  if (typeof column === 'string') {
    const span = mapColumn(column);
    return span === undefined ? CELLS_GONE : { ...next, column: columnName(span.first) };
  }
  if (typeof columns !== 'object' || columns === null) return next;
  const moved: [string, unknown][] = [];
  for (const [key, value] of Object.entries(columns)) {
    const span = mapColumn(Array.isArray(columns) ? value : key);
    if (span === undefined) return CELLS_GONE;
    moved.push([columnName(span.first), value]);
  }
  return { ...next, columns: Array.isArray(columns) ? moved.map(([name]) => name) : Object.fromEntries(moved) };
}

function rebaseLines(
  { name, members }: NamedOperation,
  next: OperationMembers,
  { places }: RebaseContext,
): OperationMembers | Refusal {
  const axis = parseOperationAxis(name);
  const sheet = places.findEarlierId(String(members['sheet']));
  if (sheet === undefined || !places.isFollowed(sheet)) return next;
  let rebased = next;
  if ('from' in members) {
    const count = typeof members['count'] === 'number' ? members['count'] : 1;
    const spans = places.mapLines(sheet, axis, parseLineIndex(axis, members['from']), count);
    const [span, ...others] = spans ?? [];
    // Rows or columns that are not adjacent any more cannot be moved together.
    if (span === undefined || others.length > 0 || span.last - span.first + 1 !== count) return CELLS_GONE;
    rebased = { ...rebased, from: formatLineName(axis, span.first) };
  }
  if (!('before' in members)) return rebased;
  const before = parseLineIndex(axis, members['before']);
  const place = mapLine(places, sheet, axis, before);
  return place === null ? CELLS_GONE : { ...rebased, before: formatLineName(axis, place) };
}

/** The current place of a row or column. For a deleted one, the place after the row or column before it. */
function mapLine(places: RebasedPlaces, sheet: number, axis: RebaseAxis, line: number): number | null {
  const lines = axis === 'rows' ? MAX_ROWS : MAX_COLUMNS;
  const own = line < lines ? places.mapLines(sheet, axis, line, 1)?.[0] : undefined;
  if (own !== undefined) return own.first;
  const above = line > 0 ? places.mapLines(sheet, axis, line - 1, 1)?.[0] : undefined;
  return above === undefined ? null : above.last + 1;
}

function rebaseSort(
  next: OperationMembers,
  members: OperationMembers,
  { places }: RebaseContext,
): OperationMembers | Refusal {
  const block = places.parseEarlierBlock(String(members['range']));
  if (block === null || isRefusal(block)) return block ?? CELLS_GONE;
  if (!places.isFollowed(block.sheet) || !Array.isArray(members['by'])) return next;
  const by: unknown[] = [];
  for (const key of members['by'] as readonly OperationMembers[]) {
    const span = places.mapLines(block.sheet, 'columns', parseLineIndex('columns', key['column']), 1)?.[0];
    if (span === undefined) return CELLS_GONE;
    by.push({ ...key, column: columnName(span.first) });
  }
  return { ...next, by };
}
