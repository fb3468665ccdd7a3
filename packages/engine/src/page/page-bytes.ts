import type { Area } from '../grid/area.ts';
import type { FormatTable } from '../sheet/formats.ts';
import type { Sheet, Snapshot } from '../sheet/snapshot.ts';
import { type Major, type PageLines, pageLines, weightOf } from './page-lines.ts';

export type { Major } from './page-lines.ts';

/** Memory that the pages kept of a document may take; beyond it the oldest go. */
const MAX_CACHED_BYTES = 16 * 1024 * 1024;

/** A page as it was made last, for the sheet of that time. */
interface HeldPage {
  /** Weakly: a page kept must not keep what has been replaced on the rest of its sheet. */
  readonly sheet: WeakRef<Sheet>;
  readonly lines: PageLines;
  readonly weight: number;
}

/** The pages of one document, by sheet, place and direction, oldest first. */
interface PageCache {
  /** What cells show beyond the sheet itself, at the time. */
  readonly around: Surroundings;
  readonly pages: Map<string, HeldPage>;
  weight: number;
}

/** What formulas and errors of a sheet name: other sheets, defined names, tables; and how values are shown. */
interface Surroundings {
  readonly sheetNames: string;
  readonly names: Snapshot['names'];
  readonly tables: Snapshot['tables'];
  readonly settings: Snapshot['settings'];
}

/** By the one object that all snapshots of a document share. */
const CACHES = new WeakMap<FormatTable, PageCache>();

const SURROUNDINGS = new WeakMap<Snapshot, Surroundings>();

function surroundings(snapshot: Snapshot): Surroundings {
  let known = SURROUNDINGS.get(snapshot);
  if (known === undefined) {
    const { names, tables, settings } = snapshot;
    const sheetNames = snapshot.sheets.map(({ id, name }) => `${id} ${name}`).join('\n');
    known = { sheetNames, names, tables, settings };
    SURROUNDINGS.set(snapshot, known);
  }
  return known;
}

function same(a: Surroundings, b: Surroundings): boolean {
  if (a === b) return true;
  return a.sheetNames === b.sheetNames && a.names === b.names && a.tables === b.tables && a.settings === b.settings;
}

function cacheOf(snapshot: Snapshot): PageCache {
  const around = surroundings(snapshot);
  const held = CACHES.get(snapshot.formats);
  if (held && same(held.around, around)) return held;
  const cache = { around, pages: new Map<string, HeldPage>(), weight: 0 };
  CACHES.set(snapshot.formats, cache);
  return cache;
}

/**
 * The cells of an area as JSON text: `[[{"v":1,"m":"1"},null],…]`, by rows or by columns. The bytes are shared with
 * later calls and must not be changed. The area must lie in the grid; its size is the caller's to bound. After an edit
 * only the lines that it changed are written anew.
 */
export function pageBytes(snapshot: Snapshot, sheetId: number, page: Area, major: Major): Uint8Array {
  const sheet = snapshot.sheetById(sheetId);
  if (!sheet) throw new Error(`no sheet ${sheetId} in revision ${snapshot.revision}`);
  const cache = cacheOf(snapshot);
  const key = `${sheetId}${major}${page.top}:${page.left}:${page.bottom}:${page.right}`;
  const known = cache.pages.get(key);
  if (known?.sheet.deref() === sheet) return known.lines.bytes;
  const lines = pageLines(snapshot, sheet, page, major, known?.lines ?? null);
  keep(cache, key, { sheet: new WeakRef(sheet), lines, weight: weightOf(lines) });
  return lines.bytes;
}

function keep(cache: PageCache, key: string, page: HeldPage): void {
  const replaced = cache.pages.get(key);
  if (replaced) {
    cache.pages.delete(key);
    cache.weight -= replaced.weight;
  }
  if (page.weight > MAX_CACHED_BYTES) return;
  cache.pages.set(key, page);
  cache.weight += page.weight;
  for (const [oldest, held] of cache.pages) {
    if (cache.weight <= MAX_CACHED_BYTES) return;
    cache.pages.delete(oldest);
    cache.weight -= held.weight;
  }
}
