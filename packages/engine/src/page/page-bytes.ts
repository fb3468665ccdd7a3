import type { Area } from '../grid/area.ts';
import type { FormatTable } from '../sheet/formats.ts';
import type { Sheet, Snapshot } from '../sheet/snapshot.ts';
import { type Major, type PageLines, pageLines, weightOf } from './page-lines.ts';

export type { Major } from './page-lines.ts';

/**
 * Memory that kept pages may take, of all documents together: beyond it the oldest go. A service has thousands of
 * documents open, and pages that were read once must not outweigh them.
 */
const MAX_CACHED_BYTES = 64 * 1024 * 1024;

/** A page as it was made last, for the sheet of that time. */
interface HeldPage {
  /** Weakly: a page kept must not keep what has been replaced on the rest of its sheet. */
  readonly sheet: WeakRef<Sheet>;
  readonly lines: PageLines;
  readonly weight: number;
}

/** Pages by document, sheet, place and direction, oldest first. */
const PAGES = new Map<string, HeldPage>();
let cachedBytes = 0;

/** A document in the keys of pages. It gets another number when what its cells show beyond their sheet changes. */
interface Numbered {
  readonly number: number;
  readonly around: Surroundings;
}

/** By the one object that all snapshots of a document share. */
const NUMBERS = new WeakMap<FormatTable, Numbered>();
let lastNumber = 0;

/** What formulas and errors of a sheet name: other sheets, defined names, tables; and how values are shown. */
interface Surroundings {
  readonly sheetNames: string;
  readonly names: Snapshot['names'];
  readonly tables: Snapshot['tables'];
  readonly settings: Snapshot['settings'];
}

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

function numberOf(snapshot: Snapshot): number {
  const around = surroundings(snapshot);
  const held = NUMBERS.get(snapshot.formats);
  if (held && same(held.around, around)) return held.number;
  lastNumber++;
  NUMBERS.set(snapshot.formats, { number: lastNumber, around });
  return lastNumber;
}

/**
 * The cells of an area as JSON text: `[[{"v":1,"m":"1"},null],…]`, by rows or by columns. The bytes are shared with
 * later calls and must not be changed. The area must lie in the grid; its size is the caller's to bound. After an edit
 * only the lines that it changed are written anew.
 */
export function pageBytes(snapshot: Snapshot, sheetId: number, page: Area, major: Major): Uint8Array {
  const sheet = snapshot.sheetById(sheetId);
  if (!sheet) throw new Error(`no sheet ${sheetId} in revision ${snapshot.revision}`);
  const key = `${numberOf(snapshot)}:${sheetId}${major}${page.top}:${page.left}:${page.bottom}:${page.right}`;
  const known = PAGES.get(key);
  if (known?.sheet.deref() === sheet) return known.lines.bytes;
  const lines = pageLines(snapshot, sheet, page, major, known?.lines ?? null);
  keep(key, { sheet: new WeakRef(sheet), lines, weight: weightOf(lines) });
  return lines.bytes;
}

function keep(key: string, page: HeldPage): void {
  drop(key);
  if (page.weight > MAX_CACHED_BYTES) return;
  PAGES.set(key, page);
  cachedBytes += page.weight;
  for (const oldest of PAGES.keys()) {
    if (cachedBytes <= MAX_CACHED_BYTES) return;
    drop(oldest);
  }
}

function drop(key: string): void {
  const held = PAGES.get(key);
  if (!held) return;
  PAGES.delete(key);
  cachedBytes -= held.weight;
}
