import { getGrammar } from '../formula/index.ts';
import { type Area, cellCount } from '../grid/area.ts';
import { runToEnd } from '../grid/steps.ts';
import type { FormatTable } from '../sheet/formats.ts';
import type { Sheet, Snapshot } from '../sheet/snapshot.ts';
import {
  type Major,
  measurePageBytes,
  NO_LINES,
  type PageBounds,
  type PageLines,
  type WrittenLines,
  writeLines,
  writePageLines,
} from './page-lines.ts';

export type { Major } from './page-lines.ts';

/**
 * Maximum memory of the cached pages of all documents; the oldest pages are dropped. A service has thousands of open
 * documents, and pages that were read once must not use more memory than the documents.
 */
const MAX_CACHED_BYTES = 64 * 1024 * 1024;

/** Minimum cells of a page that is cached. Writing fewer cells again costs less than caching them. */
const MIN_CACHED_CELLS = 256;

/** A cached page, and the sheet from which it was written. */
interface CachedPage {
  /** A weak reference, so that a cached page does not keep replaced parts of its sheet in memory. */
  readonly sheet: WeakRef<Sheet>;
  readonly lines: PageLines;
  /** The size limit for which the page was written. */
  readonly maxBytes: number;
  readonly weight: number;
}

/** Pages by document, sheet, area and direction, oldest first. */
const PAGES = new Map<string, CachedPage>();
let cachedBytes = 0;

/**
 * The number of a document in the cache keys of its pages. It changes when a dependency outside of the sheet changes.
 */
interface DocumentNumber {
  readonly number: number;
  readonly dependencies: PageDependencies;
}

/** Numbers of documents. The key is the format table, which all snapshots of a document share. */
const NUMBERS = new WeakMap<FormatTable, DocumentNumber>();
let lastNumber = 0;

/**
 * Everything outside a sheet that influences how its cells are shown: other sheets, defined names and tables (in
 * formulas and errors), and display settings.
 */
interface PageDependencies {
  readonly sheetNames: string;
  readonly names: Snapshot['names'];
  readonly tables: Snapshot['tables'];
  readonly settings: Snapshot['settings'];
}

const SURROUNDINGS = new WeakMap<Snapshot, PageDependencies>();

function getPageDependencies(snapshot: Snapshot): PageDependencies {
  let cached = SURROUNDINGS.get(snapshot);
  if (cached === undefined) {
    const { names, tables, settings } = snapshot;
    const sheetNames = snapshot.sheets.map(({ id, name }) => `${id} ${name}`).join('\n');
    cached = { sheetNames, names, tables, settings };
    SURROUNDINGS.set(snapshot, cached);
  }
  return cached;
}

function areSameDependencies(a: PageDependencies, b: PageDependencies): boolean {
  if (a === b) return true;
  return a.sheetNames === b.sheetNames && a.names === b.names && a.tables === b.tables && a.settings === b.settings;
}

export function ensureDocumentNumber(snapshot: Snapshot): number {
  const around = getPageDependencies(snapshot);
  const existingNumber = NUMBERS.get(snapshot.formats);
  if (existingNumber && areSameDependencies(existingNumber.dependencies, around)) return existingNumber.number;
  lastNumber++;
  NUMBERS.set(snapshot.formats, { number: lastNumber, dependencies: around });
  return lastNumber;
}

/** Returns the cells of an area as JSON text without a length limit; see `boundedPage`. */
export function pageBytes(snapshot: Snapshot, sheetId: number, page: Area, major: Major): Uint8Array {
  return boundedPage(snapshot, sheetId, page, major, Number.POSITIVE_INFINITY).bytes;
}

/** The first rows of an area as JSON text. */
export interface BoundedPage {
  readonly bytes: Uint8Array;
  /** The number of rows in `bytes`. 0, with an empty list, if the first row alone is too long. */
  readonly rows: number;
}

/**
 * Returns the cells of an area as JSON text: `[[{"v":1,"m":"1"},null],…]`, by rows or columns, with as many of the
 * first rows as fit into `maxBytes`. Writes at most one more cell than that. Later calls may return the same bytes, so
 * the caller must not change them. The area must be inside the grid. After an edit only changed rows or columns are
 * written again.
 */
export function boundedPage(
  snapshot: Snapshot,
  sheetId: number,
  page: Area,
  major: Major,
  maxBytes: number,
): BoundedPage {
  return runToEnd(pageInSteps(snapshot, sheetId, page, major, { maxBytes, sliceBytes: Number.POSITIVE_INFINITY }));
}

/**
 * Writes the page that `boundedPage` returns. Pauses after every `sliceBytes` written. The caller may continue later or
 * never.
 */
export function* pageInSteps(
  snapshot: Snapshot,
  sheetId: number,
  page: Area,
  major: Major,
  bounds: PageBounds,
): Generator<void, BoundedPage> {
  const lines = yield* findLines(snapshot, sheetId, page, major, bounds);
  const rows = page.bottom - page.top + 1;
  if (major === 'ROWS') return { bytes: lines.bytes, rows: lines.lines };
  const columns = page.right - page.left + 1;
  if (lines.lines === columns) return { bytes: lines.bytes, rows };
  // Only a page by rows tells how many rows fit. The limit is lower here, because columns have other brackets and
  // commas.
  const byRows = { ...bounds, maxBytes: bounds.maxBytes - BRACKET_BYTES * columns };
  const fit = (yield* findLines(snapshot, sheetId, page, 'ROWS', byRows)).lines;
  if (fit === 0) return { bytes: NO_LINES, rows: 0 };
  const cut = { ...page, bottom: page.top + fit - 1 };
  const whole = { ...bounds, maxBytes: Number.POSITIVE_INFINITY };
  return { bytes: (yield* findLines(snapshot, sheetId, cut, major, whole)).bytes, rows: fit };
}

/** Bytes of a row or column in addition to its cells: two brackets and a comma. */
const BRACKET_BYTES = 3;

/** Returns the lines (rows or columns) of a page, from the cache if possible. */
export function* findLines(
  snapshot: Snapshot,
  sheetId: number,
  page: Area,
  major: Major,
  bounds: PageBounds,
): Generator<void, WrittenLines> {
  const sheet = snapshot.sheetById(sheetId);
  if (!sheet) throw new Error(`no sheet ${sheetId} in revision ${snapshot.revision}`);
  if (cellCount(page) < MIN_CACHED_CELLS) return yield* writeLines(snapshot, sheet, page, major, bounds);
  const { maxBytes, input = null, isOpen = false } = bounds;
  const key = `${ensureDocumentNumber(snapshot)}${getGrammar(input).decimal}${sheetId}${isOpen ? 'OPEN' : major}${page.top}:${page.left}:${page.bottom}:${page.right}`;
  const cached = PAGES.get(key);
  if (cached?.sheet.deref() === sheet && isValidFor(cached, page, major, maxBytes)) return cached.lines;
  const lines = yield* writePageLines(snapshot, sheet, page, major, cached?.lines ?? null, bounds);
  storePage(key, { sheet: new WeakRef(sheet), lines, maxBytes, weight: measurePageBytes(lines) });
  return lines;
}

/** True if the cached page is also the page for this limit. */
function isValidFor(cachedPage: CachedPage, page: Area, major: Major, maxBytes: number): boolean {
  if (cachedPage.maxBytes === maxBytes) return true;
  const all = major === 'ROWS' ? page.bottom - page.top + 1 : page.right - page.left + 1;
  return cachedPage.lines.lines === all && cachedPage.lines.bytes.length <= maxBytes;
}

function storePage(key: string, page: CachedPage): void {
  dropPage(key);
  if (page.weight > MAX_CACHED_BYTES) return;
  PAGES.set(key, page);
  cachedBytes += page.weight;
  for (const oldest of PAGES.keys()) {
    if (cachedBytes <= MAX_CACHED_BYTES) return;
    dropPage(oldest);
  }
}

function dropPage(key: string): void {
  const cachedPage = PAGES.get(key);
  if (!cachedPage) return;
  PAGES.delete(key);
  cachedBytes -= cachedPage.weight;
}
