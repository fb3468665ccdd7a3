import type { Area } from '../grid/area.ts';
import type { Attachment } from '../sheet/attachment.ts';
import { type Layout, PLAIN_LAYOUT } from '../sheet/layout.ts';
import type { Sheet } from '../sheet/snapshot.ts';

/** The parts of a sheet that decide how rows and columns are shown. */
export type ShownLayout = Pick<Sheet, 'layout' | 'hiddenRows'>;

type ListedLayout = Pick<Layout, 'columns' | 'rows' | 'merges' | 'attachments'>;

/**
 * The difference between two layouts of a sheet: entries that are in only one of them. Plain data; unchanged parts are
 * absent.
 */
export interface LayoutChange {
  readonly lists: { readonly [K in keyof ListedLayout]?: ListChange<ListedLayout[K][number]> };
  /**
   * Changed sides of areas, for attachments that differ in nothing else. Each entry has seven integers: the position of
   * the first attachment, the number of consecutive attachments with the same change, the index of the first area, the
   * number of consecutive areas with the same change, the side (index in `SIDES`), its value before, and its value
   * after.
   */
  readonly areas?: readonly number[];
  readonly hidden?: ListChange<number>;
}

interface ListChange<T> {
  /** Old entries, each with its position in the old list. */
  readonly before: readonly (readonly [place: number, entry: T])[];
  readonly after: readonly T[];
  /** Positions of the new entries, in order. Old stored forms do not have them; the entries are then found by value. */
  readonly places?: readonly number[];
}

/** The difference between two layouts; null if there is none. */
export function compareLayouts(before: ShownLayout, after: ShownLayout): LayoutChange | null {
  const hidden = compareHiddenRows(before.hiddenRows, after.hiddenRows);
  const lists = compareLayoutLists(before.layout, after.layout);
  return hidden === null && lists === null ? null : { lists: {}, ...lists, ...(hidden ? { hidden } : {}) };
}

function compareLayoutLists(old: Layout, current: Layout): Pick<LayoutChange, 'lists' | 'areas'> | null {
  if (old === current) return null;
  const areas: number[] = [];
  const isPair = (one: Attachment, other: Attachment, entryIndex: number) =>
    isSameButAreas(one, other, entryIndex, areas);
  const lists = {
    ...createOptionalMember('columns', compareLists(old.columns, current.columns)),
    ...createOptionalMember('rows', compareLists(old.rows, current.rows)),
    ...createOptionalMember('merges', compareLists(old.merges, current.merges)),
    ...createOptionalMember('attachments', compareLists(old.attachments, current.attachments, isPair)),
  };
  if (areas.length > 0) return { lists, areas };
  return Object.keys(lists).length === 0 ? null : { lists };
}

function compareHiddenRows(before: ReadonlySet<number>, after: ReadonlySet<number>): ListChange<number> | null {
  if (before === after) return null;
  const removed = [...before].filter((row) => !after.has(row)).map((row) => [0, row] as const);
  const added = [...after].filter((row) => !before.has(row));
  return removed.length + added.length === 0 ? null : { before: removed, after: added };
}

/**
 * Undoes a change in a sheet's layout. Entries that are in neither state of the change are kept. If the layout is the
 * state after the change, the result is the state before.
 */
export function undoLayoutChange(
  { layout, hiddenRows }: ShownLayout,
  { lists, areas, hidden }: LayoutChange,
): ShownLayout {
  const rows = hidden === undefined ? hiddenRows : undoHiddenRowsChange(hiddenRows, hidden);
  if (areas === undefined && Object.keys(lists).length === 0) return { layout, hiddenRows: rows };
  const { columns, rows: bands, merges, attachments, carried } = { ...PLAIN_LAYOUT, ...layout };
  const before: Layout = {
    columns: undoListChange(columns, lists.columns),
    rows: undoListChange(bands, lists.rows),
    merges: undoListChange(merges, lists.merges),
    attachments: undoListChange(restoreAreas(attachments, areas), lists.attachments),
    carried,
  };
  return { layout: before, hiddenRows: rows };
}

function undoHiddenRowsChange(
  hiddenRows: ReadonlySet<number>,
  { before, after }: ListChange<number>,
): ReadonlySet<number> {
  const rows = new Set(hiddenRows);
  for (const row of after) rows.delete(row);
  for (const [, row] of before) rows.add(row);
  return rows;
}

/** An object with a change under a name; an empty object without a change. */
function createOptionalMember<K extends string, T>(
  name: K,
  change: ListChange<T> | null,
): { readonly [_ in K]?: ListChange<T> } {
  return change === null ? {} : ({ [name]: change } as { readonly [_ in K]?: ListChange<T> });
}

/**
 * Lists the differences between two lists. Walks both side by side, because moves keep the order of entries. `isPair`
 * returns true for two entries whose difference need not be recorded; `entryIndex` is the position of the new entry.
 */
function compareLists<T>(
  before: readonly T[],
  after: readonly T[],
  isPair: (before: T, after: T, entryIndex: number) => boolean = isSameEntry,
): ListChange<T> | null {
  if (before === after) return null;
  const removed: (readonly [number, T])[] = [];
  const places: number[] = [];
  for (let i = 0, j = 0; i < before.length || j < after.length; ) {
    const [old, now] = [before[i]!, after[j]!];
    const areBoth = i < before.length && j < after.length;
    const isSame = areBoth && (old === now || isPair(old, now, j));
    const ahead = after.length - j - (before.length - i);
    if (!isSame && ahead <= 0) removed.push([i, old]);
    if (!isSame && ahead >= 0) places.push(j);
    if (isSame || ahead <= 0) i++;
    if (isSame || ahead >= 0) j++;
  }
  if (removed.length + places.length === 0) return null;
  return { before: removed, after: places.map((place) => after[place]!), places };
}

/** True if both are one object or have equal JSON texts. */
function isSameEntry(a: unknown, b: unknown): boolean {
  return a === b || toJsonText(a) === toJsonText(b);
}

function undoListChange<T>(entries: readonly T[], change: ListChange<T> | undefined): readonly T[] {
  if (change === undefined) return entries;
  const others = removeEntries(entries, change);
  const restored: T[] = [];
  let next = 0;
  // The lists are merged in the order of the old positions. Inserting entries one by one would be slow for long lists.
  for (const [place, entry] of change.before) {
    while (restored.length < place && next < others.length) restored.push(others[next++]!);
    restored.push(entry);
  }
  return restored.concat(others.slice(next));
}

/** Removes the new entries from a list: at their positions, or equal entries if the positions are not stored. */
function removeEntries<T>(entries: readonly T[], { after, places = [] }: ListChange<T>): readonly T[] {
  const removed = new Set<number>();
  const elsewhere = new Map<string, number>();
  for (const [i, entry] of after.entries()) {
    const text = toJsonText(entry);
    const place = places[i] ?? -1;
    if (toJsonText(entries[place]) === text) removed.add(place);
    else elsewhere.set(text, (elsewhere.get(text) ?? 0) + 1);
  }
  if (elsewhere.size === 0) return entries.filter((_, place) => !removed.has(place));
  return entries.filter((entry, place) => {
    if (removed.has(place)) return false;
    const text = toJsonText(entry);
    const left = elsewhere.get(text) ?? 0;
    if (left > 0) elsewhere.set(text, left - 1);
    return left === 0;
  });
}

function toJsonText(entry: unknown): string {
  return JSON.stringify(entry) ?? '';
}

const SIDES = ['top', 'left', 'bottom', 'right'] as const;
/** Integers per entry of `LayoutChange.areas`, and the indexes of its counts. */
const SIDE_INTEGERS = 7;
const ATTACHMENTS = 1;
const AREAS = 3;

/** True if two attachments differ only in their areas. Records the differences. */
function isSameButAreas(before: Attachment, after: Attachment, entryIndex: number, differences: number[]): boolean {
  const { areas: old } = before;
  const { areas: now } = after;
  const isSame =
    before.kind === after.kind &&
    old.length === now.length &&
    haveEqualEntries(before.texts, after.texts) &&
    haveEqualEntries(before.formulas, after.formulas);
  if (!isSame) return false;
  for (const [index, area] of old.entries()) {
    const next = now[index]!;
    for (const [i, side] of SIDES.entries()) {
      if (area[side] !== next[side]) addAreaChange([entryIndex, 1, index, 1, i, area[side], next[side]], differences);
    }
  }
  return true;
}

function haveEqualEntries(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a === b || (a.length === b.length && a.every((one, i) => isSameEntry(one, b[i])));
}

/** Extends the previous entry if the same change applies to the next area or attachment; otherwise adds an entry. */
function addAreaChange(entry: readonly number[], to: number[]): void {
  const last = to.slice(-SIDE_INTEGERS);
  const [place = 0, count = 0, index = 0, areas = 0] = last;
  const isLike = last.length > 0 && last.slice(AREAS + 1).every((value, i) => value === entry[AREAS + 1 + i]);
  const start = to.length - SIDE_INTEGERS;
  if (isLike && count === 1 && entry[0] === place && entry[2] === index + areas) to[start + AREAS] = areas + 1;
  else if (isLike && areas === 1 && entry[0] === place + count && entry[2] === index)
    to[start + ATTACHMENTS] = count + 1;
  else to.push(...entry);
}

/** Restores the sides that still have their values after the change. */
function restoreAreas(
  attachments: readonly Attachment[],
  changes: readonly number[] | undefined,
): readonly Attachment[] {
  if (changes === undefined) return attachments;
  const others = new Map<number, Area[]>();
  for (let at = 0; at < changes.length; at += SIDE_INTEGERS) {
    const [place = 0, count = 0, index = 0, areas = 0, i = 0, before = 0, after = 0] = changes.slice(
      at,
      at + SIDE_INTEGERS,
    );
    const side = SIDES[i] ?? 'top';
    for (let one = place; one < Math.min(place + count, attachments.length); one++) {
      const newAreas = others.get(one) ?? [...attachments[one]!.areas];
      others.set(one, newAreas);
      for (let each = index; each < Math.min(index + areas, newAreas.length); each++) {
        const now = newAreas[each]!;
        if (now[side] === after) newAreas[each] = { ...now, [side]: before };
      }
    }
  }
  return attachments.map((one, place) => {
    const newAreas = others.get(place);
    return newAreas === undefined ? one : { ...one, areas: newAreas };
  });
}
