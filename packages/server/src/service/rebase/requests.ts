import { columnIndex, columnName, MAX_COLUMNS, MAX_ROWS } from '@cellwire/engine';
import { MAX_BATCH_BLOCKS } from '../../limits/requests.ts';
import type { CellEdit } from '../cells/edit-cells.ts';
import { CELLS_GONE, isRefusal, type Refusal } from '../refusal.ts';
import { type RebaseContext, rebaseBlock } from './block.ts';
import type { RebasedPlaces } from './places.ts';

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

/** The edit at its places in the newest state, as several edits if its range was split. */
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

/** One edit for each part of the range in the newest state. */
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

/** The name and members of an operation of the structure; null unless it has one name and its members are an object. */
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

/** The index, from 0, of a row number or a column's letters; -1 if it is neither. */
function parseLineIndex(axis: RebaseAxis, line: unknown): number {
  if (axis === 'columns') return typeof line === 'string' ? columnIndex(line) : -1;
  return typeof line === 'number' ? line - 1 : -1;
}

/** The row number or the column's letters of an index. */
function formatLineName(axis: RebaseAxis, line: number): unknown {
  return axis === 'columns' ? columnName(line) : line + 1;
}

/** Several deletions of rows or columns as operations on the lines that remain of them. */
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

/**
 * The current spans of the lines that an operation names, empty if all are deleted; refused if their cells were moved
 * apart.
 */
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

/** The members of an operation with sheets, ranges and lines of the newest state; refused if they are gone. */
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

/** Returns `next` with the column letters of `members` mapped to the newest state. */
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

/** Returns `next` with the rows or columns of `members` mapped to the newest state. */
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

/** Returns `next` with the sort columns of `members` mapped to the newest state. */
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
