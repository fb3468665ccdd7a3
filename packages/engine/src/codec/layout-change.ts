import { type Layout, PLAIN_LAYOUT } from '../sheet/layout.ts';
import type { Sheet } from '../sheet/snapshot.ts';

/** How a sheet's rows and columns are shown. */
type Shown = Pick<Sheet, 'layout' | 'hiddenRows'>;

type Listed = Pick<Layout, 'columns' | 'rows' | 'merges' | 'attachments'>;

/** How two layouts of a sheet differ: what is in one of them alone. Plain data; what is the same in both is absent. */
export interface LayoutChange {
  readonly lists: { readonly [K in keyof Listed]?: ListChange<Listed[K][number]> };
  readonly hidden?: ListChange<number>;
}

interface ListChange<T> {
  /** Of before, with its place there. */
  readonly before: readonly (readonly [place: number, entry: T])[];
  readonly after: readonly T[];
}

/** Null where they are the same. */
export function layoutChange(before: Shown, after: Shown): LayoutChange | null {
  const { layout: old } = before;
  const { layout: now } = after;
  const hidden =
    before.hiddenRows === after.hiddenRows ? {} : named('hidden', [...before.hiddenRows], [...after.hiddenRows]);
  if (old === now) return 'hidden' in hidden ? { lists: {}, ...hidden } : null;
  const lists = {
    ...named('columns', old.columns, now.columns),
    ...named('rows', old.rows, now.rows),
    ...named('merges', old.merges, now.merges),
    ...named('attachments', old.attachments, now.attachments),
  };
  return Object.keys(lists).length === 0 && !('hidden' in hidden) ? null : { lists, ...hidden };
}

/** A sheet's layout with a change taken back: entries that are neither of before nor of after stay. */
export function layoutBefore({ layout, hiddenRows }: Shown, { lists, hidden }: LayoutChange): Shown {
  const { columns, rows, merges, attachments, carried } = { ...PLAIN_LAYOUT, ...layout };
  return {
    layout: {
      columns: entriesBefore(columns, lists.columns),
      rows: entriesBefore(rows, lists.rows),
      merges: entriesBefore(merges, lists.merges),
      attachments: entriesBefore(attachments, lists.attachments),
      carried,
    },
    hiddenRows: hidden === undefined ? hiddenRows : new Set(entriesBefore([...hiddenRows], hidden)),
  };
}

function named<K extends string, T>(
  name: K,
  before: readonly T[],
  after: readonly T[],
): { readonly [_ in K]?: ListChange<T> } {
  const change = listChange(before, after);
  return change === null ? {} : ({ [name]: change } as { readonly [_ in K]?: ListChange<T> });
}

function listChange<T>(before: readonly T[], after: readonly T[]): ListChange<T> | null {
  if (before === after) return null;
  const [oldTexts, newTexts] = [before.map(textOf), after.map(textOf)];
  const [old, now] = [new Set(oldTexts), new Set(newTexts)];
  const gone = before.flatMap((entry, place) => (now.has(oldTexts[place] as string) ? [] : [[place, entry] as const]));
  const came = after.filter((_, place) => !old.has(newTexts[place] as string));
  return gone.length === 0 && came.length === 0 ? null : { before: gone, after: came };
}

function entriesBefore<T>(held: readonly T[], change: ListChange<T> | undefined): readonly T[] {
  if (change === undefined) return held;
  const made = new Set(change.after.map(textOf));
  const others = held.filter((entry) => !made.has(textOf(entry)));
  const entries: T[] = [];
  let next = 0;
  // By their places of before, from the first on: there may be very many.
  for (const [place, entry] of change.before) {
    while (entries.length < place && next < others.length) entries.push(others[next++] as T);
    entries.push(entry);
  }
  return entries.concat(others.slice(next));
}

function textOf(entry: unknown): string {
  return JSON.stringify(entry);
}
