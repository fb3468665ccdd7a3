import { invalid, invalidField } from './problem.ts';

/** An object in a request. */
export type RequestObject = Readonly<Record<string, unknown>>;

export function isMembers(value: unknown): value is RequestObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Protocol buffer types, as named in Google's messages. */
const TYPES = {
  string: 'TYPE_STRING',
  int: 'TYPE_INT32',
  double: 'TYPE_DOUBLE',
  bool: 'TYPE_BOOL',
} as const;

/** Throws the error for a value of the wrong type. `place`: `requests[0].add_sheet.properties.title`. */
export function wrongType(place: string, type: string, value: unknown): never {
  const shown = typeof value === 'string' ? JSON.stringify(value) : shownValue(value);
  throw invalidField(place, `Invalid value at '${place}' (${type}), ${shown}`);
}

function shownValue(value: unknown): string {
  if (typeof value === 'object') return '"{}"';
  return String(value);
}

/** An object member; undefined if it is absent or `null`. */
export function object(members: RequestObject, name: string, place: string): RequestObject | undefined {
  const value = members[name] ?? undefined;
  if (value === undefined || isMembers(value)) return value;
  return wrongType(at(place, name), 'type.googleapis.com/google.protobuf.Struct', value);
}

export function list(members: RequestObject, name: string, _place: string): readonly unknown[] | undefined {
  const value = members[name] ?? undefined;
  if (value === undefined) return undefined;
  return Array.isArray(value) ? (value as unknown[]) : [value];
}

/** A list of objects. */
export function objects(members: RequestObject, name: string, place: string): readonly RequestObject[] | undefined {
  return list(members, name, place)?.map((value, i) =>
    isMembers(value)
      ? value
      : wrongType(`${at(place, name)}[${i}]`, 'type.googleapis.com/google.protobuf.Struct', value),
  );
}

export function text(members: RequestObject, name: string, place: string): string | undefined {
  const value = members[name] ?? undefined;
  if (value === undefined || typeof value === 'string') return value;
  return wrongType(at(place, name), TYPES.string, value);
}

/** An integer, or a text that contains one. */
export function integer(members: RequestObject, name: string, place: string): number | undefined {
  const value = members[name] ?? undefined;
  if (value === undefined) return undefined;
  const number = typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
  if (typeof number === 'number' && Number.isInteger(number) && Math.abs(number) <= MAX_INT32) return number;
  return wrongType(at(place, name), TYPES.int, value);
}

const MAX_INT32 = 2 ** 31;

export function number(members: RequestObject, name: string, place: string): number | undefined {
  const value = members[name] ?? undefined;
  if (value === undefined) return undefined;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  return wrongType(at(place, name), TYPES.double, value);
}

export function flag(members: RequestObject, name: string, place: string): boolean | undefined {
  const value = members[name] ?? undefined;
  if (value === undefined || typeof value === 'boolean') return value;
  if (value === 'true' || value === 'false') return value === 'true';
  return wrongType(at(place, name), TYPES.bool, value);
}

/** One of several words; `type`: Google's name of the enumeration. */
export function choice<T extends string>(
  members: RequestObject,
  name: string,
  words: readonly T[],
  place: string,
  type = 'type.googleapis.com/google.protobuf.Enum',
): T | undefined {
  const value = members[name] ?? undefined;
  if (value === undefined) return undefined;
  const found = words.find((word) => word === value);
  return found ?? wrongType(at(place, name), type, value);
}

/** Joins `requests[0]` and `addSheet` to `requests[0].add_sheet`, Google's notation of places in a body. */
export function at(place: string, name: string): string {
  const snake = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return place === '' ? snake : `${place}.${snake}`;
}

/** Throws if an object has a member that Google does not define, or that is not supported here. `null` means absent. */
export function refuseUnknown(members: RequestObject, supported: readonly string[], place: string): void {
  const unknown = Object.keys(members).find((name) => members[name] !== null && !supported.includes(camel(name)));
  if (unknown === undefined) return;
  throw unknownName(unknown, place);
}

export function unknownName(name: string, place: string) {
  const shown = name.slice(0, 100);
  const location = place === '' ? '' : ` at '${place}'`;
  return invalidAt(place, `Invalid JSON payload received. Unknown name "${shown}"${location}: Cannot find field.`);
}

function invalidAt(place: string, message: string) {
  return place === '' ? invalid(message) : invalidField(place, message);
}

/** Converts snake case, in which members may also be written. */
export function camel(name: string): string {
  return name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
