import { columnIndex, MAX_COLUMNS, MAX_ROWS, type OpenArea } from '@cellwire/engine';
import { parseRange } from '../ranges.ts';
import { isRefusal } from '../refusal.ts';

/** A range of an operation: the sheet's name (null: the first sheet) and the cells. */
export interface OperationRange {
  readonly sheet: string | null;
  readonly isAmbiguous: boolean;
  readonly area: OpenArea;
}

export type OperationAxis = 'rows' | 'columns';

export type ParsedMembers = Readonly<Record<string, unknown>>;

/** Thrown by the parsers of members; `parseOperation` turns it into a refusal. */
export class MemberProblem {
  readonly field: string;
  readonly message: string;

  constructor(field: string, message: string) {
    this.field = field;
    this.message = message;
  }
}

export function isMembers(value: unknown): value is ParsedMembers {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function readText(members: ParsedMembers, field: string): string {
  const value = members[field];
  if (typeof value !== 'string') throw new MemberProblem(field, `${field} must be a text`);
  if (!value.isWellFormed()) throw new MemberProblem(field, `${field} holds half of a surrogate pair`);
  return value;
}

export function readFilledText(members: ParsedMembers, field: string): string {
  const value = readText(members, field);
  if (value === '') throw new MemberProblem(field, `${field} must not be empty`);
  return value;
}

export function readFlag(members: ParsedMembers, field: string): boolean {
  const value = members[field] ?? false;
  if (typeof value !== 'boolean') throw new MemberProblem(field, `${field} must be true or false`);
  return value;
}

export function readWholeNumber(members: ParsedMembers, field: string, minimum: number, maximum: number): number {
  const value = members[field];
  if (typeof value === 'number' && Number.isInteger(value) && value >= minimum && value <= maximum) return value;
  throw new MemberProblem(field, `${field} must be a whole number from ${minimum} on, within the grid`);
}

/** Converts a row number that counts from 1 into a zero-based one. */
export function readRow(members: ParsedMembers, field: string, maximum: number): number {
  return readWholeNumber(members, field, 1, maximum) - 1;
}

/** Parses column letters into a zero-based column. */
export function readColumn(members: ParsedMembers, field: string): number {
  const index = columnIndex(readText(members, field));
  if (index < 0) throw new MemberProblem(field, `${field} must be the letters of a column, such as "C"`);
  return index;
}

/** The index, from 0, of the first row or column in `field`, and the member `count`. */
export function readLines(members: ParsedMembers, axis: OperationAxis, field: string) {
  const end = axis === 'rows' ? MAX_ROWS : MAX_COLUMNS;
  const at = axis === 'rows' ? readRow(members, field, MAX_ROWS) : readColumn(members, field);
  return { at, count: members.count === undefined ? 1 : readWholeNumber(members, 'count', 1, end - at) };
}

/** The meaning of the member's text. Throws a `MemberProblem` if it is none of the choices. */
export function readChoice<T>(members: ParsedMembers, field: string, meanings: Readonly<Record<string, T>>): T {
  const value = members[field];
  const meaning = typeof value === 'string' && Object.hasOwn(meanings, value) ? meanings[value] : undefined;
  if (meaning === undefined)
    throw new MemberProblem(field, `${field} must be one of ${Object.keys(meanings).join(', ')}`);
  return meaning;
}

export function readRange(members: ParsedMembers, field: string): OperationRange {
  const parsed = parseRange(readText(members, field));
  if (isRefusal(parsed)) throw new MemberProblem(field, 'Invalid range');
  return parsed;
}

export function readClosedRange(members: ParsedMembers, field: string): OperationRange {
  const parsed = readRange(members, field);
  if (parsed.area.openRows || parsed.area.openColumns)
    throw new MemberProblem(field, `${field} must name its last row and column`);
  return parsed;
}

/** The indexes of columns named by letters. Throws a `MemberProblem` if one is outside the range. */
export function readColumnsOfRange(value: unknown, field: string, { area }: OperationRange): readonly number[] {
  if (!Array.isArray(value) || value.length === 0) throw new MemberProblem(field, `${field} must be a list of columns`);
  return value.map((name: unknown) =>
    requireColumnInside(typeof name === 'string' ? columnIndex(name) : -1, field, area),
  );
}

/** The index. Throws a `MemberProblem` if it is outside the area. */
export function requireColumnInside(index: number, field: string, { left, right }: OpenArea): number {
  if (index >= left && index <= right) return index;
  throw new MemberProblem(field, `${field} must name columns of the range by their letters`);
}
