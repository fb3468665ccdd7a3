import { type ColumnCondition, columnIndex, MAX_COLUMNS, MAX_ROWS, type SheetFilter } from '@cellwire/engine';
import { MAX_SORT_KEYS } from '../../limits/records.ts';
import { MAX_OPERATIONS } from '../../limits/requests.ts';
import {
  createUnknownFieldRefusal,
  describeUnknownField,
  invalidRequest,
  isRefusal,
  type Refusal,
} from '../refusal.ts';
import { ConditionProblem, parseColumns, parseCondition } from './filter-condition.ts';
import {
  isMembers,
  MemberProblem,
  type OperationAxis,
  type OperationRange,
  type ParsedMembers,
  readChoice,
  readClosedRange,
  readColumn,
  readColumnsOfRange,
  readFilledText,
  readFlag,
  readLines,
  readRange,
  readRow,
  readText,
  readWholeNumber,
  requireColumnInside,
} from './operation-members.ts';
import { removeRepeatedSortKeys } from './sort-keys.ts';

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

/** The syntax of an operation. */
interface OperationSyntax {
  /** The names of its members. */
  readonly members: readonly string[];
  readonly parse: (members: ParsedMembers) => ParsedOperation;
}

const OPERATIONS: Readonly<Record<string, OperationSyntax>> = {
  insertRows: {
    members: ['sheet', 'before', 'count'],
    parse: (m) => ({ kind: 'insert', sheet: readText(m, 'sheet'), axis: 'rows', ...readLines(m, 'rows', 'before') }),
  },
  deleteRows: {
    members: ['sheet', 'from', 'count'],
    parse: (m) => ({ kind: 'delete', sheet: readText(m, 'sheet'), axis: 'rows', ...readLines(m, 'rows', 'from') }),
  },
  moveRows: {
    members: ['sheet', 'from', 'count', 'before'],
    parse: (m) => ({
      kind: 'move',
      sheet: readText(m, 'sheet'),
      axis: 'rows',
      ...readLines(m, 'rows', 'from'),
      to: readRow(m, 'before', MAX_ROWS + 1),
    }),
  },
  insertColumns: {
    members: ['sheet', 'before', 'count'],
    parse: (m) => ({
      kind: 'insert',
      sheet: readText(m, 'sheet'),
      axis: 'columns',
      ...readLines(m, 'columns', 'before'),
    }),
  },
  deleteColumns: {
    members: ['sheet', 'from', 'count'],
    parse: (m) => ({
      kind: 'delete',
      sheet: readText(m, 'sheet'),
      axis: 'columns',
      ...readLines(m, 'columns', 'from'),
    }),
  },
  moveColumns: {
    members: ['sheet', 'from', 'count', 'before'],
    parse: (m) => ({
      kind: 'move',
      sheet: readText(m, 'sheet'),
      axis: 'columns',
      ...readLines(m, 'columns', 'from'),
      to: readColumn(m, 'before'),
    }),
  },
  insertCells: {
    members: ['range', 'shift'],
    parse: (m) => ({
      kind: 'insertCells',
      range: readRange(m, 'range'),
      axis: readChoice(m, 'shift', { down: 'rows', right: 'columns' }),
    }),
  },
  deleteCells: {
    members: ['range', 'shift'],
    parse: (m) => ({
      kind: 'deleteCells',
      range: readRange(m, 'range'),
      axis: readChoice(m, 'shift', { up: 'rows', left: 'columns' }),
    }),
  },
  sort: {
    members: ['range', 'by', 'filtered'],
    parse: (m) => readSorting(m),
  },
  copy: {
    members: ['from', 'to'],
    parse: (m) => ({ kind: 'copy', from: readRange(m, 'from'), to: readRange(m, 'to') }),
  },
  cut: {
    members: ['from', 'to'],
    parse: (m) => ({ kind: 'cut', from: readRange(m, 'from'), to: readRange(m, 'to') }),
  },
  fill: {
    members: ['from', 'to'],
    parse: (m) => ({ kind: 'fill', from: readClosedRange(m, 'from'), to: readClosedRange(m, 'to') }),
  },
  replace: {
    members: ['range', 'find', 'with', 'matchCase', 'entireCell', 'formulas'],
    parse: (m) => ({
      kind: 'replace',
      range: readRange(m, 'range'),
      find: readFilledText(m, 'find'),
      with: readText(m, 'with'),
      matchCase: readFlag(m, 'matchCase'),
      entireCell: readFlag(m, 'entireCell'),
      formulas: readFlag(m, 'formulas'),
    }),
  },
  removeDuplicates: {
    members: ['range', 'columns'],
    parse: (m) => readDuplicates(m),
  },
  setFilter: {
    members: ['range', 'columns'],
    parse: (m) => ({ kind: 'setFilter', range: readRange(m, 'range'), columns: readConditions(m) }),
  },
  filterColumn: {
    members: ['sheet', 'column', 'condition'],
    parse: (m) => ({
      kind: 'filterColumn',
      sheet: readText(m, 'sheet'),
      column: readColumn(m, 'column'),
      condition: m.condition === null ? null : readCondition(m),
    }),
  },
  deleteFilter: {
    members: ['sheet'],
    parse: (m) => ({ kind: 'deleteFilter', sheet: readText(m, 'sheet') }),
  },
  duplicateSheet: {
    members: ['sheet', 'name'],
    parse: (m) => ({
      kind: 'duplicateSheet',
      sheet: readText(m, 'sheet'),
      name: m.name === undefined || m.name === null ? null : readText(m, 'name'),
    }),
  },
  moveSheet: {
    members: ['sheet', 'order'],
    parse: (m) => ({
      kind: 'moveSheet',
      sheet: readText(m, 'sheet'),
      order: readWholeNumber(m, 'order', 0, Number.MAX_SAFE_INTEGER),
    }),
  },
  colorSheet: {
    members: ['sheet', 'color'],
    parse: (m) => ({ kind: 'colorSheet', sheet: readText(m, 'sheet'), color: readColor(m) }),
  },
  setName: {
    members: ['name', 'refersTo'],
    parse: (m) => ({ kind: 'setName', name: readText(m, 'name'), refersTo: readFormula(m) }),
  },
  deleteName: {
    members: ['name'],
    parse: (m) => ({ kind: 'deleteName', name: readText(m, 'name') }),
  },
  setTable: {
    members: ['name', 'range'],
    parse: (m) => ({ kind: 'setTable', name: readText(m, 'name'), range: readClosedRange(m, 'range') }),
  },
  deleteTable: {
    members: ['name'],
    parse: (m) => ({ kind: 'deleteTable', name: readText(m, 'name') }),
  },
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

/** An operation of the structure, such as `{ "sort": … }`; refused if its name or a member is not valid. */
function parseOperation(input: unknown, path: string): ParsedOperation | Refusal {
  const [entry, ...others] = isMembers(input) ? Object.entries(input) : [];
  if (entry === undefined || others.length > 0) {
    return invalidRequest('operations', `${path} must be an object with one key, which names the operation`);
  }
  const [name, members] = entry;
  const syntax = Object.hasOwn(OPERATIONS, name) ? OPERATIONS[name] : undefined;
  if (syntax === undefined) {
    const kinds = Object.keys(OPERATIONS);
    const text = describeUnknownField(name, kinds);
    return invalidRequest('operations', `${path} names no operation (${text}): use one of ${kinds.join(', ')}`);
  }
  if (!isMembers(members)) return invalidRequest(path, `${path}.${name} must be an object`);
  const unknown = refuseUnknownMember(members, path, syntax.members) ?? refuseUnknownSort(members, path, name);
  if (unknown !== null) return unknown;
  try {
    return syntax.parse(members);
  } catch (wrong) {
    if (wrong instanceof MemberProblem) return invalidRequest(`${path}.${wrong.field}`, wrong.message);
    throw wrong;
  }
}

function refuseUnknownMember(members: ParsedMembers, path: string, supported: readonly string[]): Refusal | null {
  const name = Object.keys(members).find((member) => !supported.includes(member));
  return name === undefined ? null : createUnknownFieldRefusal(path, name, supported);
}

/** Refuses an unknown member of a sort key; null for all other operations. */
function refuseUnknownSort(members: ParsedMembers, path: string, operation: string): Refusal | null {
  if (operation !== 'sort' || !Array.isArray(members.by)) return null;
  for (const [i, key] of (members.by as unknown[]).entries()) {
    const unknown = isMembers(key) ? refuseUnknownMember(key, `${path}.by.${i}`, SORT_KEY_MEMBERS) : null;
    if (unknown !== null) return unknown;
  }
  return null;
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

/** The conditions of a filter by column. Throws a `MemberProblem` for an invalid one. */
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

/** The problem of a condition as one of the member that contains it. */
function toMemberProblem(field: string, { field: within, message }: ConditionProblem): MemberProblem {
  return new MemberProblem(within === '' ? field : `${field}.${within}`, message);
}

function readDuplicates(members: ParsedMembers): ParsedOperation {
  const target = readRange(members, 'range');
  const columns = members.columns === undefined ? null : readColumnsOfRange(members.columns, 'columns', target);
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
