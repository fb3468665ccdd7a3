import type { Area } from '../grid/area.ts';
import type { Attachment } from '../sheet/attachment.ts';
import { type Band, type Layout, PLAIN_LAYOUT } from '../sheet/layout.ts';
import type { ShownLayout } from './layout-change.ts';

/** Number of entries and areas that are converted to text in one step. A thousand take well under a millisecond. */
const PIECE_SIZE = 1_024;

/** A list as JSON texts of its parts. */
type JsonPieces = readonly string[];

/**
 * The layout of a sheet for another thread, as text. Copying a hundred thousand entries or the trees of their formulas
 * would block both threads, and overflow the stack for a long formula.
 */
export interface SharedLayout {
  readonly lists: { readonly [K in keyof LayoutLists]: JsonPieces };
  readonly carried: Layout['carried'];
  readonly hiddenRows: Int32Array;
}

type LayoutLists = Omit<Layout, 'carried'>;

/** Converts a layout to texts for another thread, which `unpackLayout` restores there. Pauses regularly. */
export function* packLayout({ layout, hiddenRows }: ShownLayout): Generator<void, SharedLayout> {
  const columns = yield* packList(layout.columns, countOne);
  const rows = yield* packList(layout.rows, countOne);
  const merges = yield* packList(layout.merges, countOne);
  const attachments = yield* packList(layout.attachments, ({ areas }) => 1 + areas.length);
  const lists = { columns, rows, merges, attachments };
  return { lists, carried: layout.carried, hiddenRows: Int32Array.from(hiddenRows) };
}

export function* unpackLayout({ lists, carried, hiddenRows }: SharedLayout): Generator<void, ShownLayout> {
  const columns = yield* unpackList<Band>(lists.columns);
  const rows = yield* unpackList<Band>(lists.rows);
  const merges = yield* unpackList<Area>(lists.merges);
  const attachments = yield* unpackList<Attachment>(lists.attachments);
  const isPlain = [columns, rows, merges, attachments, Object.keys(carried)].every((list) => list.length === 0);
  const layout = isPlain ? PLAIN_LAYOUT : { columns, rows, merges, attachments, carried };
  return { layout, hiddenRows: new Set(hiddenRows) };
}

const countOne = () => 1;

function* packList<T>(list: readonly T[], sizeOf: (entry: T) => number): Generator<void, JsonPieces> {
  const pieces: string[] = [];
  let first = 0;
  let size = 0;
  for (const [i, entry] of list.entries()) {
    size += sizeOf(entry);
    if (size < PIECE_SIZE && i < list.length - 1) continue;
    pieces.push(JSON.stringify(list.slice(first, i + 1)));
    first = i + 1;
    size = 0;
    yield;
  }
  return pieces;
}

function* unpackList<T>(pieces: JsonPieces): Generator<void, readonly T[]> {
  const list: T[] = [];
  for (const piece of pieces) {
    for (const entry of JSON.parse(piece) as readonly T[]) list.push(entry);
    yield;
  }
  return list;
}
