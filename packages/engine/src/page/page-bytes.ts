import { ByteWriter } from '../codec/bytes.ts';
import type { Area } from '../grid/area.ts';
import { display, generalDisplay, isDateFormat, localeOf } from '../locale/index.ts';
import { CHUNK_MASK, CHUNK_SHIFT, FORMULA, NUMBER, TYPE_MASK } from '../sheet/chunk.ts';
import { GENERAL } from '../sheet/formats.ts';
import type { Sheet, Snapshot } from '../sheet/snapshot.ts';
import { isError } from '../value/scalar.ts';
import { formulaText, messageOf } from './cell-view.ts';

/** Bytes of pages kept by sheet; beyond it the oldest go. */
const MAX_CACHED_BYTES = 16 * 1024 * 1024;
/** Integers below this need no look at how General shows them. */
const SHORT = 1e10;

export type Major = 'ROWS' | 'COLUMNS';

interface PageCache {
  /** The names of the document's sheets at the time: formulas show them. */
  readonly names: string;
  readonly pages: Map<string, Uint8Array>;
  bytes: number;
}

/**
 * Pages by sheet object: a sheet that has changed is another object. What else its cells show are the names of other
 * sheets, so pages go when one of those is renamed or deleted.
 */
const CACHES = new WeakMap<Sheet, PageCache>();

const NAMES = new WeakMap<Snapshot, string>();

function sheetNames(snapshot: Snapshot): string {
  let names = NAMES.get(snapshot);
  if (names === undefined) {
    names = snapshot.sheets.map(({ id, name }) => `${id} ${name}`).join('\n');
    NAMES.set(snapshot, names);
  }
  return names;
}

function cacheOf(sheet: Sheet, snapshot: Snapshot): PageCache {
  const names = sheetNames(snapshot);
  const held = CACHES.get(sheet);
  if (held?.names === names) return held;
  const cache = { names, pages: new Map<string, Uint8Array>(), bytes: 0 };
  CACHES.set(sheet, cache);
  return cache;
}

/**
 * The cells of an area as JSON text: `[[{"v":1,"m":"1"},null],…]`, by rows or by columns. The bytes are shared with
 * later calls and must not be changed. The area must lie in the grid; its size is the caller's to bound.
 */
export function pageBytes(snapshot: Snapshot, sheetId: number, page: Area, major: Major): Uint8Array {
  const sheet = snapshot.sheetById(sheetId);
  if (!sheet) throw new Error(`no sheet ${sheetId} in revision ${snapshot.revision}`);
  const cache = cacheOf(sheet, snapshot);
  const key = `${major}${page.top}:${page.left}:${page.bottom}:${page.right}`;
  const known = cache.pages.get(key);
  if (known) return known;
  const bytes = encodePage(snapshot, sheet, page, major);
  keep(cache, key, bytes);
  return bytes;
}

function keep(cache: PageCache, key: string, bytes: Uint8Array): void {
  if (bytes.length > MAX_CACHED_BYTES) return;
  cache.pages.set(key, bytes);
  cache.bytes += bytes.length;
  for (const [oldest, held] of cache.pages) {
    if (cache.bytes <= MAX_CACHED_BYTES) return;
    cache.pages.delete(oldest);
    cache.bytes -= held.length;
  }
}

function encodePage(snapshot: Snapshot, sheet: Sheet, page: Area, major: Major): Uint8Array {
  const out = new ByteWriter();
  const cells = new CellWriter(snapshot, sheet, out);
  const { top, left, bottom, right } = page;
  out.byte(91);
  if (major === 'ROWS') {
    for (let row = top; row <= bottom; row++) {
      out.ascii(row === top ? '[' : ',[');
      for (let column = left; column <= right; column++) {
        if (column > left) out.byte(44);
        cells.write(row, column);
      }
      out.byte(93);
    }
  } else {
    for (let column = left; column <= right; column++) {
      out.ascii(column === left ? '[' : ',[');
      for (let row = top; row <= bottom; row++) {
        if (row > top) out.byte(44);
        cells.write(row, column);
      }
      out.byte(93);
    }
  }
  out.byte(93);
  return out.finish();
}

class CellWriter {
  private readonly snapshot: Snapshot;
  private readonly sheet: Sheet;
  private readonly out: ByteWriter;
  private readonly decimal: ',' | '.';

  constructor(snapshot: Snapshot, sheet: Sheet, out: ByteWriter) {
    this.snapshot = snapshot;
    this.sheet = sheet;
    this.out = out;
    this.decimal = localeOf(snapshot.settings.locale).decimal;
  }

  write(row: number, column: number): void {
    const { out } = this;
    const chunk = this.sheet.columns[column]?.chunks[row >> CHUNK_SHIFT];
    const at = row & CHUNK_MASK;
    const kind = chunk ? chunk.kind(at) : 0;
    if (!chunk || (kind & TYPE_MASK) === 0) return out.ascii('null');
    const format = chunk.format(at);
    if ((kind & TYPE_MASK) === NUMBER && format === GENERAL) this.general(chunk.numbers[at] as number);
    else this.any(row, column, format);
    if ((kind & FORMULA) !== 0) this.formula(row, column);
    out.byte(125);
  }

  private general(value: number): void {
    const { out } = this;
    out.ascii('{"v":');
    const text = String(value);
    out.ascii(text);
    out.ascii(',"m":"');
    // A short integer reads the same for machines and for people; 1e+21 is short, but not so.
    out.ascii(Math.abs(value) < SHORT && Number.isInteger(value) ? text : generalDisplay(value, this.decimal));
    out.byte(34);
  }

  private any(row: number, column: number, format: number): void {
    const { out, snapshot } = this;
    const { locale, dateSystem } = snapshot.settings;
    const value = this.sheet.value(row, column);
    if (isError(value)) {
      const message = messageOf(snapshot, this.sheet, row, column, value.code);
      const error = JSON.stringify({ code: value.code, message });
      return out.utf8(`{"v":"${value.code}","m":"${value.code}","error":${error}`);
    }
    const code = snapshot.formats.code(format);
    const shown = display(value, code, locale, dateSystem);
    const v = JSON.stringify(value);
    out.utf8(`{"v":${v},"m":${typeof value === 'string' && shown === value ? v : JSON.stringify(shown)}`);
    if (typeof value === 'number' && isDateFormat(code)) out.ascii(',"t":"d"');
  }

  private formula(row: number, column: number): void {
    const text = formulaText(this.snapshot, this.sheet, row, column);
    if (text !== undefined) this.out.utf8(`,"f":${JSON.stringify(text)}`);
  }
}
