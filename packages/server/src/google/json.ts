import { createInvalidFieldProblem, createInvalidProblem } from './problem.ts';

/** An object in a request. */
export type RequestObject = Readonly<Record<string, unknown>>;

export function isRequestObject(value: unknown): value is RequestObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Protocol buffer types, as named in Google's messages. */
const TYPES = {
  string: 'TYPE_STRING',
  int: 'TYPE_INT32',
  double: 'TYPE_DOUBLE',
  bool: 'TYPE_BOOL',
} as const;

/** Throws the error for a value of the wrong type. `path`: `requests[0].add_sheet.properties.title`. */
export function throwWrongType(path: string, type: string, value: unknown): never {
  throw createInvalidFieldProblem(path, describeWrongType(path, type, value));
}

export function describeWrongType(path: string, type: string, value: unknown): string {
  const shown = typeof value === 'string' ? JSON.stringify(value) : shortenValue(value);
  return `Invalid value at '${path}' (${type}), ${shown}`;
}

/** A value as Google's error messages show it: an object or a list as `"{}"`. */
function shortenValue(value: unknown): string {
  if (typeof value === 'object') return '"{}"';
  return String(value);
}

/** An object member; undefined if it is absent or `null`. */
export function readObject(members: RequestObject, name: string, path: string): RequestObject | undefined {
  const value = members[name] ?? undefined;
  if (value === undefined || isRequestObject(value)) return value;
  return throwWrongType(joinPath(path, name), 'type.googleapis.com/google.protobuf.Struct', value);
}

export function readList(members: RequestObject, name: string, _place: string): readonly unknown[] | undefined {
  const value = members[name] ?? undefined;
  if (value === undefined) return undefined;
  return Array.isArray(value) ? (value as unknown[]) : [value];
}

/** A list of objects. */
export function readObjects(members: RequestObject, name: string, path: string): readonly RequestObject[] | undefined {
  return readList(members, name, path)?.map((value, i) =>
    isRequestObject(value)
      ? value
      : throwWrongType(`${joinPath(path, name)}[${i}]`, 'type.googleapis.com/google.protobuf.Struct', value),
  );
}

/** The list of texts in a member; undefined if absent. Throws a `Problem` if an element is no text. */
export function readTexts(members: RequestObject, name: string, path: string): readonly string[] | undefined {
  return readList(members, name, path)?.map((value, i) =>
    typeof value === 'string' ? value : throwWrongType(`${joinPath(path, name)}[${i}]`, TYPES.string, value),
  );
}

export function readText(members: RequestObject, name: string, path: string): string | undefined {
  const value = members[name] ?? undefined;
  if (value === undefined || typeof value === 'string') return value;
  return throwWrongType(joinPath(path, name), TYPES.string, value);
}

/** An integer, or a text that contains one. */
export function readInteger(members: RequestObject, name: string, path: string): number | undefined {
  const value = members[name] ?? undefined;
  if (value === undefined) return undefined;
  const number = typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
  if (typeof number === 'number' && Number.isInteger(number) && Math.abs(number) <= MAX_INT32) return number;
  return throwWrongType(joinPath(path, name), TYPES.int, value);
}

const MAX_INT32 = 2 ** 31;

export function readNumber(members: RequestObject, name: string, path: string): number | undefined {
  const value = members[name] ?? undefined;
  if (value === undefined) return undefined;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  return throwWrongType(joinPath(path, name), TYPES.double, value);
}

export function readFlag(members: RequestObject, name: string, path: string): boolean | undefined {
  const value = members[name] ?? undefined;
  if (value === undefined || typeof value === 'boolean') return value;
  if (value === 'true' || value === 'false') return value === 'true';
  return throwWrongType(joinPath(path, name), TYPES.bool, value);
}

/** The name of a type of Google's API in its errors. */
export function nameSheetsType(type: string): string {
  return `type.googleapis.com/google.apps.sheets.v4.${type}`;
}

/** One of several words; `type`: Google's name of the enumeration. */
export function readChoice<T extends string>(
  members: RequestObject,
  name: string,
  words: readonly T[],
  path: string,
  type: string,
): T | undefined {
  const value = members[name] ?? undefined;
  if (value === undefined) return undefined;
  const found = words.find((word) => word === value);
  return found ?? throwWrongType(joinPath(path, name), nameSheetsType(type), value);
}

/** Throws if an object has several members of which Google allows one. `group`: Google's name of the choice. */
export function refuseSeveralMembers(
  members: RequestObject,
  names: readonly string[],
  group: string,
  path: string,
): void {
  const [, second] = Object.keys(members).filter((name) => members[name] !== null && names.includes(toCamelCase(name)));
  if (second === undefined) return;
  const choice = `oneof field '${group}' is already set. Cannot set '${toCamelCase(second)}'`;
  throw createInvalidFieldProblem(path, `Invalid value at '${path}' (oneof), ${choice}`);
}

/** Joins `requests[0]` and `addSheet` to `requests[0].add_sheet`, Google's notation of places in a body. */
export function joinPath(path: string, name: string): string {
  const snake = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return path === '' ? snake : `${path}.${snake}`;
}

/** Throws if an object has a member that Google does not define, or that is not supported here. `null` means absent. */
export function refuseUnknownMembers(members: RequestObject, supported: readonly string[], path: string): void {
  const unknown = Object.keys(members).find((name) => members[name] !== null && !supported.includes(toCamelCase(name)));
  if (unknown === undefined) return;
  throw createUnknownNameProblem(unknown, path);
}

export function createUnknownNameProblem(name: string, path: string) {
  const shown = name.slice(0, 100);
  const location = path === '' ? '' : ` at '${path}'`;
  return createInvalidMemberProblem(
    path,
    `Invalid JSON payload received. Unknown name "${shown}"${location}: Cannot find field.`,
  );
}

function createInvalidMemberProblem(path: string, message: string) {
  return path === '' ? createInvalidProblem(message) : createInvalidFieldProblem(path, message);
}

/** Converts snake case, in which members may also be written. */
export function toCamelCase(name: string): string {
  if (!name.includes('_')) return name;
  return name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
