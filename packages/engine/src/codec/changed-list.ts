/** Unchanged items: index of the first one in the old list, and their number. */
type KeptItems = readonly [first: number, count: number];

/** A list, described by its difference to an old list: changed items, and ranges of unchanged ones. */
export type ChangedList<T extends object> = readonly (T | KeptItems)[];

/**
 * Encodes a list as a difference to an old list. A document may have ten thousand names, and each row appended to a
 * table makes a new list of tables, so the encoding must be shorter than the list. An item is unchanged if it is the
 * same object.
 */
export function encodeChangedList<T extends object>(before: readonly T[], after: readonly T[]): ChangedList<T> {
  const places = new Map(before.map((item, place) => [item, place]));
  const changed: (T | [first: number, count: number])[] = [];
  for (const item of after) {
    const place = places.get(item);
    const last = changed.at(-1);
    if (place === undefined) changed.push(item);
    else if (isKeptRange(last) && last[0] + last[1] === place) last[1]++;
    else changed.push([place, 1]);
  }
  return changed;
}

/** The new list; the old one if `changed` is absent. Throws if a range is outside the old list. */
export function applyChangedList<T extends object>(
  before: readonly T[],
  changed: ChangedList<T> | undefined,
): readonly T[] {
  if (changed === undefined) return before;
  let left = before.length;
  return changed.flatMap((part) => {
    if (!isKeptRange(part)) return [part];
    const same = before.slice(part[0], part[0] + part[1]);
    left -= same.length;
    if (left < 0) throw new Error('a change of a list does not follow the list before');
    return same;
  });
}

/** True for the position and number of items that stay, false for a changed item. */
function isKeptRange<S extends KeptItems>(part: object | S | undefined): part is S {
  return Array.isArray(part);
}
