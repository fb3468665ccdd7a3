import {
  type ColumnCondition,
  columnIndex,
  MAX_COLUMNS,
  MAX_ROWS,
  type OpenArea,
  type SheetFilter,
} from '@cellwire/engine';
import { MAX_SORT_KEYS } from '../../limits/records.ts';
import { MAX_OPERATIONS } from '../../limits/requests.ts';
import { parseRange } from '../ranges.ts';
import {
  createUnknownFieldRefusal,
  describeUnknownField,
  invalidRequest,
  isRefusal,
  type Refusal,
} from '../refusal.ts';
import { ConditionProblem, parseColumns, parseCondition } from './filter-condition.ts';
import { removeRepeatedSortKeys } from './sort-keys.ts';

/** A range of an operation: the sheet's name (null: the first sheet) and the cells. */
export interface OperationRange {
  readonly sheet: string | null;
  readonly isAmbiguous: boolean;
  readonly area: OpenArea;
}

type OperationAxis = 'rows' | 'columns';

/** A parsed operation; sheets by name, rows, columns and cells zero-based. */
export type ParsedOperation =
  | {
      readonly kind: 'insert' | 'delete';
      readonly sheet: string;
      readonly axis: OperationAxis;
      readonly at: number;
      readonly count: number;
    }
  | {
      readonly kind: 'move';
      readonly sheet: string;
      readonly axis: OperationAxis;
      readonly at: number;
      readonly count: number;
      readonly to: number;
    }
  | { readonly kind: 'insertCells' | 'deleteCells'; readonly range: OperationRange; readonly axis: OperationAxis }
  | {
      readonly kind: 'sort';
      readonly range: OperationRange;
      readonly by: readonly { readonly column: number; readonly descending: boolean }[];
      /** Sorts only the rows that the caller's filter shows. */
      readonly filtered: boolean;
    }
  | { readonly kind: 'copy' | 'cut' | 'fill'; readonly from: OperationRange; readonly to: OperationRange }
  | {
      readonly kind: 'replace';
      readonly range: OperationRange;
      readonly find: string;
      readonly with: string;
      readonly matchCase: boolean;
      readonly entireCell: boolean;
      readonly formulas: boolean;
    }
  | { readonly kind: 'removeDuplicates'; readonly range: OperationRange; readonly columns: readonly number[] | null }
  | { readonly kind: 'setFilter'; readonly range: OperationRange; readonly columns: SheetFilter['columns'] }
  | {
      readonly kind: 'filterColumn';
      readonly sheet: string;
      readonly column: number;
      readonly condition: ColumnCondition | null;
    }
  | { readonly kind: 'deleteFilter'; readonly sheet: string }
  | { readonly kind: 'duplicateSheet'; readonly sheet: string; readonly name: string | null }
  | { readonly kind: 'moveSheet'; readonly sheet: string; readonly order: number }
  | { readonly kind: 'colorSheet'; readonly sheet: string; readonly color: string | null }
  | { readonly kind: 'setName'; readonly name: string; readonly refersTo: string }
  | { readonly kind: 'setTable'; readonly name: string; readonly range: OperationRange }
  | { readonly kind: 'deleteName'; readonly name: string }
  | { readonly kind: 'deleteTable'; readonly name: string };

type ParsedMembers = Readonly<Record<string, unknown>>;

/** Thrown by the parsers of members; `parseOperation` turns it into a refusal. */
class MemberProblem {
  readonly field: string;
  readonly message: string;

  constructor(field: string, message: string) {
    this.field = field;
    this.message = message;
  }
}

type ReadOperation = (members: ParsedMembers) => ParsedOperation;

const OPERATIONS: Readonly<Record<string, ReadOperation>> = {
  insertRows: (m) => ({ kind: 'insert', sheet: readText(m, 'sheet'), axis: 'rows', ...readLines(m, 'rows', 'before') }),
  deleteRows: (m) => ({ kind: 'delete', sheet: readText(m, 'sheet'), axis: 'rows', ...readLines(m, 'rows', 'from') }),
  moveRows: (m) => ({
    kind: 'move',
    sheet: readText(m, 'sheet'),
    axis: 'rows',
    ...readLines(m, 'rows', 'from'),
    to: readRow(m, 'before', MAX_ROWS + 1),
  }),
  insertColumns: (m) => ({
    kind: 'insert',
    sheet: readText(m, 'sheet'),
    axis: 'columns',
    ...readLines(m, 'columns', 'before'),
  }),
  deleteColumns: (m) => ({
    kind: 'delete',
    sheet: readText(m, 'sheet'),
    axis: 'columns',
    ...readLines(m, 'columns', 'from'),
  }),
  moveColumns: (m) => ({
    kind: 'move',
    sheet: readText(m, 'sheet'),
    axis: 'columns',
    ...readLines(m, 'columns', 'from'),
    to: readColumn(m, 'before'),
  }),
  insertCells: (m) => ({
    kind: 'insertCells',
    range: readRange(m, 'range'),
    axis: readChoice(m, 'shift', { down: 'rows', right: 'columns' }),
  }),
  deleteCells: (m) => ({
    kind: 'deleteCells',
    range: readRange(m, 'range'),
    axis: readChoice(m, 'shift', { up: 'rows', left: 'columns' }),
  }),
  sort: (m) => readSorting(m),
  copy: (m) => ({ kind: 'copy', from: readRange(m, 'from'), to: readRange(m, 'to') }),
  cut: (m) => ({ kind: 'cut', from: readRange(m, 'from'), to: readRange(m, 'to') }),
  fill: (m) => ({ kind: 'fill', from: readClosedRange(m, 'from'), to: readClosedRange(m, 'to') }),
  replace: (m) => ({
    kind: 'replace',
    range: readRange(m, 'range'),
    find: readFilledText(m, 'find'),
    with: readText(m, 'with'),
    matchCase: readFlag(m, 'matchCase'),
    entireCell: readFlag(m, 'entireCell'),
    formulas: readFlag(m, 'formulas'),
  }),
  removeDuplicates: (m) => readDuplicates(m),
  setFilter: (m) => ({ kind: 'setFilter', range: readRange(m, 'range'), columns: readConditions(m) }),
  filterColumn: (m) => ({
    kind: 'filterColumn',
    sheet: readText(m, 'sheet'),
    column: readColumn(m, 'column'),
    condition: m.condition === null ? null : readCondition(m),
  }),
  deleteFilter: (m) => ({ kind: 'deleteFilter', sheet: readText(m, 'sheet') }),
  duplicateSheet: (m) => ({
    kind: 'duplicateSheet',
    sheet: readText(m, 'sheet'),
    name: m.name === undefined || m.name === null ? null : readText(m, 'name'),
  }),
  moveSheet: (m) => ({
    kind: 'moveSheet',
    sheet: readText(m, 'sheet'),
    order: readWhole(m, 'order', 0, Number.MAX_SAFE_INTEGER),
  }),
  colorSheet: (m) => ({ kind: 'colorSheet', sheet: readText(m, 'sheet'), color: readColor(m) }),
  setName: (m) => ({ kind: 'setName', name: readText(m, 'name'), refersTo: readFormula(m) }),
  deleteName: (m) => ({ kind: 'deleteName', name: readText(m, 'name') }),
  setTable: (m) => ({ kind: 'setTable', name: readText(m, 'name'), range: readClosedRange(m, 'range') }),
  deleteTable: (m) => ({ kind: 'deleteTable', name: readText(m, 'name') }),
};

/** The members of each operation. */
const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  insertRows: ['sheet', 'before', 'count'],
  deleteRows: ['sheet', 'from', 'count'],
  moveRows: ['sheet', 'from', 'count', 'before'],
  insertColumns: ['sheet', 'before', 'count'],
  deleteColumns: ['sheet', 'from', 'count'],
  moveColumns: ['sheet', 'from', 'count', 'before'],
  insertCells: ['range', 'shift'],
  deleteCells: ['range', 'shift'],
  sort: ['range', 'by', 'filtered'],
  copy: ['from', 'to'],
  cut: ['from', 'to'],
  fill: ['from', 'to'],
  replace: ['range', 'find', 'with', 'matchCase', 'entireCell', 'formulas'],
  removeDuplicates: ['range', 'columns'],
  setFilter: ['range', 'columns'],
  filterColumn: ['sheet', 'column', 'condition'],
  deleteFilter: ['sheet'],
  duplicateSheet: ['sheet', 'name'],
  moveSheet: ['sheet', 'order'],
  colorSheet: ['sheet', 'color'],
  setName: ['name', 'refersTo'],
  deleteName: ['name'],
  setTable: ['name', 'range'],
  deleteTable: ['name'],
};
const SORT_KEY_MEMBERS = ['column', 'order'];

/** The operations of a request, or the refusal of the first invalid one, with its position in the request. */
export function parseOperations(input: unknown): readonly ParsedOperation[] | Refusal {
  if (!Array.isArray(input) || input.length === 0 || input.length > MAX_OPERATIONS) {
    return invalidRequest('operations', `operations must be a list of 1 to ${MAX_OPERATIONS}`);
  }
  const operations: ParsedOperation[] = [];
  for (const [i, operation] of (input as unknown[]).entries()) {
    const read = parseOperation(operation, `operations.${i}`);
    if (isRefusal(read)) return read;
    operations.push(read);
  }
  const filtered = operations.findIndex((operation) => operation.kind === 'sort' && operation.filtered);
  if (filtered >= 0 && operations.length > 1) {
    const place = `operations.${filtered}.filtered`;
    return invalidRequest(place, `${place} sorts what the filter shows now: it must be the only operation`);
  }
  return operations;
}

function parseOperation(input: unknown, path: string): ParsedOperation | Refusal {
  const [entry, ...others] = isMembers(input) ? Object.entries(input) : [];
  if (entry === undefined || others.length > 0) {
    return invalidRequest('operations', `${path} must be an object with one key, which names the operation`);
  }
  const [name, members] = entry;
  const read = Object.hasOwn(OPERATIONS, name) ? OPERATIONS[name] : undefined;
  if (read === undefined) {
    const kinds = Object.keys(OPERATIONS);
    const text = describeUnknownField(name, kinds);
    return invalidRequest('operations', `${path} names no operation (${text}): use one of ${kinds.join(', ')}`);
  }
  if (!isMembers(members)) return invalidRequest(path, `${path}.${name} must be an object`);
  const unknown = refuseUnknownMember(members, path, MEMBERS[name] ?? []) ?? refuseUnknownSort(members, path, name);
  if (unknown !== null) return unknown;
  try {
    return read(members);
  } catch (wrong) {
    if (wrong instanceof MemberProblem) return invalidRequest(`${path}.${wrong.field}`, wrong.message);
    throw wrong;
  }
}

function refuseUnknownMember(members: ParsedMembers, path: string, supported: readonly string[]): Refusal | null {
  const name = Object.keys(members).find((member) => !supported.includes(member));
  return name === undefined ? null : createUnknownFieldRefusal(path, name, supported);
}

function refuseUnknownSort(members: ParsedMembers, path: string, operation: string): Refusal | null {
  if (operation !== 'sort' || !Array.isArray(members.by)) return null;
  for (const [i, key] of (members.by as unknown[]).entries()) {
    const unknown = isMembers(key) ? refuseUnknownMember(key, `${path}.by.${i}`, SORT_KEY_MEMBERS) : null;
    if (unknown !== null) return unknown;
  }
  return null;
}

function isMembers(value: unknown): value is ParsedMembers {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readText(members: ParsedMembers, field: string): string {
  const value = members[field];
  if (typeof value !== 'string') throw new MemberProblem(field, `${field} must be a text`);
  if (!value.isWellFormed()) throw new MemberProblem(field, `${field} holds half of a surrogate pair`);
  return value;
}

function readFilledText(members: ParsedMembers, field: string): string {
  const value = readText(members, field);
  if (value === '') throw new MemberProblem(field, `${field} must not be empty`);
  return value;
}

function readFlag(members: ParsedMembers, field: string): boolean {
  const value = members[field] ?? false;
  if (typeof value !== 'boolean') throw new MemberProblem(field, `${field} must be true or false`);
  return value;
}

function readWhole(members: ParsedMembers, field: string, minimum: number, maximum: number): number {
  const value = members[field];
  if (typeof value === 'number' && Number.isInteger(value) && value >= minimum && value <= maximum) return value;
  throw new MemberProblem(field, `${field} must be a whole number from ${minimum} on, within the grid`);
}

/** Converts a row number that counts from 1 into a zero-based one. */
function readRow(members: ParsedMembers, field: string, maximum: number): number {
  return readWhole(members, field, 1, maximum) - 1;
}

/** Parses column letters into a zero-based column. */
function readColumn(members: ParsedMembers, field: string): number {
  const index = columnIndex(readText(members, field));
  if (index < 0) throw new MemberProblem(field, `${field} must be the letters of a column, such as "C"`);
  return index;
}

function readLines(members: ParsedMembers, axis: OperationAxis, field: string) {
  const end = axis === 'rows' ? MAX_ROWS : MAX_COLUMNS;
  const at = axis === 'rows' ? readRow(members, field, MAX_ROWS) : readColumn(members, field);
  return { at, count: members.count === undefined ? 1 : readWhole(members, 'count', 1, end - at) };
}

function readChoice<T>(members: ParsedMembers, field: string, meanings: Readonly<Record<string, T>>): T {
  const value = members[field];
  const meaning = typeof value === 'string' && Object.hasOwn(meanings, value) ? meanings[value] : undefined;
  if (meaning === undefined)
    throw new MemberProblem(field, `${field} must be one of ${Object.keys(meanings).join(', ')}`);
  return meaning;
}

function readRange(members: ParsedMembers, field: string): OperationRange {
  const parsed = parseRange(readText(members, field));
  if (isRefusal(parsed)) throw new MemberProblem(field, 'Invalid range');
  return parsed;
}

function readClosedRange(members: ParsedMembers, field: string): OperationRange {
  const parsed = readRange(members, field);
  if (parsed.area.openRows || parsed.area.openColumns)
    throw new MemberProblem(field, `${field} must name its last row and column`);
  return parsed;
}

function readColumnsIn(value: unknown, field: string, { area }: OperationRange): readonly number[] {
  if (!Array.isArray(value) || value.length === 0) throw new MemberProblem(field, `${field} must be a list of columns`);
  return value.map((name: unknown) =>
    requireColumnInside(typeof name === 'string' ? columnIndex(name) : -1, field, area),
  );
}

function requireColumnInside(index: number, field: string, { left, right }: OpenArea): number {
  if (index >= left && index <= right) return index;
  throw new MemberProblem(field, `${field} must name columns of the range by their letters`);
}

function readSorting(members: ParsedMembers): ParsedOperation {
  const target = readRange(members, 'range');
  const sent = members.by;
  if (!Array.isArray(sent) || sent.length === 0 || sent.length > MAX_COLUMNS) {
    throw new MemberProblem('by', 'by must be a list of at least one `{ "column", "order" }`');
  }
  const by = (sent as unknown[]).map((key) => {
    if (!isMembers(key)) throw new MemberProblem('by', 'by must be a list of `{ "column", "order" }`');
    const descending =
      key.order === undefined ? false : readChoice({ by: key.order }, 'by', { ascending: false, descending: true });
    return {
      column: requireColumnInside(typeof key.column === 'string' ? columnIndex(key.column) : -1, 'by', target.area),
      descending,
    };
  });
  const keys = removeRepeatedSortKeys(by, ({ column }) => column);
  if (keys === null) throw new MemberProblem('by', `by must not name more than ${MAX_SORT_KEYS} columns`);
  return { kind: 'sort', range: target, by: keys, filtered: readFlag(members, 'filtered') };
}

function readConditions(members: ParsedMembers): SheetFilter['columns'] {
  const parsed = parseColumns(members.columns ?? {});
  if (parsed instanceof ConditionProblem) throw toMemberProblem('columns', parsed);
  return parsed;
}

function readCondition(members: ParsedMembers): ColumnCondition {
  const parsed = parseCondition(members.condition);
  if (parsed instanceof ConditionProblem) throw toMemberProblem('condition', parsed);
  return parsed;
}

function toMemberProblem(field: string, { field: within, message }: ConditionProblem): MemberProblem {
  return new MemberProblem(within === '' ? field : `${field}.${within}`, message);
}

function readDuplicates(members: ParsedMembers): ParsedOperation {
  const target = readRange(members, 'range');
  const columns = members.columns === undefined ? null : readColumnsIn(members.columns, 'columns', target);
  return { kind: 'removeDuplicates', range: target, columns };
}

const COLOR = /^#[0-9a-f]{6}$/i;

function readColor(members: ParsedMembers): string | null {
  const value = members.color;
  if (value === null) return null;
  if (typeof value === 'string' && COLOR.test(value)) return value;
  throw new MemberProblem('color', 'color must be `#rrggbb` or null');
}

function readFormula(members: ParsedMembers): string {
  const value = readFilledText(members, 'refersTo');
  return value.startsWith('=') ? value : `=${value}`;
}
