import assert from 'node:assert/strict';

/** Returns the element at an index; a negative index counts from the end. Fails if the list has no such element. */
export function elementAt<T>(list: ArrayLike<T>, index: number): T {
  const position = index < 0 ? list.length + index : index;
  assert.ok(
    Number.isInteger(position) && position >= 0 && position < list.length,
    `${index} of ${list.length} elements`,
  );
  return list[position] as T;
}

/** Returns the value unless it is null or undefined. Fails with `description` otherwise. */
export function requireValue<T>(value: T, description: string): NonNullable<T> {
  assert.ok(value !== null && value !== undefined, `${description} is missing`);
  return value;
}
