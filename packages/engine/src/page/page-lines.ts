import { getGrammar } from '../formula/index.ts';
import type { Area } from '../grid/area.ts';
import type { LocaleId } from '../locale/index.ts';
import { EMPTY, FORMULA, TEXT, TYPE_MASK } from '../sheet/cell-kind.ts';
import { CHUNK_MASK, CHUNK_SHIFT, type Chunk } from '../sheet/chunk.ts';
import type { Sheet, Snapshot } from '../sheet/snapshot.ts';
import { findRunAt, type RunList } from '../sheet/template.ts';
import { CellJsonWriter } from './cell-writer.ts';
import { JsonWriter } from './json-writer.ts';

export type Major = 'ROWS' | 'COLUMNS';

/**
 * Size of the buffer into which pages are written; each page is then copied with its exact length. If a page needs a
 * larger buffer, that buffer is used for the next page.
 */
const SCRATCH_BYTES = 1024 * 1024;
let scratch = new Uint8Array(SCRATCH_BYTES);
/** Maximum size of a buffer that is kept for the next page. */
const MAX_SCRATCH_BYTES = 4 * 1024 * 1024;

/** Bytes in memory per row of a chunk: kind, number, share of the texts. */
const CHUNK_ROW_BYTES = 16;

const OPEN_LIST = 91;
const COMMA = 44;

/** The text of a page without lines: an empty list. */
export const NO_LINES: Uint8Array<ArrayBuffer> = Uint8Array.of(91, 93);

/** A page as JSON text, and the columns from which it was written. */
export interface PageLines {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Number of written lines (rows or columns): the first ones of the area; all of them if they fit. */
  readonly lines: number;
  /** The start of each line, and the total length. Each line is followed by a comma or by the end of the list. */
  readonly starts: Uint32Array;
  readonly columns: readonly PageColumn[];
}

/**
 * Limits of writing a page, in bytes: its maximum length, and the amount written between two pauses. Texts of formulas
 * count as more bytes for the pauses because they take longer.
 */
export interface PageBounds {
  readonly maxBytes: number;
  readonly sliceBytes: number;
  /** The locale in which formulas are written. Absent: the API's grammar. */
  readonly input?: LocaleId | null;
  /** True if the text ends with a comma instead of the end of the list; absent for a whole list. */
  readonly isOpen?: boolean;
}

/** The part of a column that a page shows. */
interface PageColumn {
  readonly chunks: readonly (Chunk | undefined)[];
  readonly runs: RunList;
}

const NO_RUNS: RunList = [];

function readPageColumns(sheet: Sheet, { left, right, top, bottom }: Area): PageColumn[] {
  const first = top >> CHUNK_SHIFT;
  const blocks = (bottom >> CHUNK_SHIFT) - first + 1;
  return Array.from({ length: right - left + 1 }, (_, i) => {
    const column = sheet.columns[left + i];
    const chunks = Array.from({ length: blocks }, (_, block) => column?.chunks.at(first + block));
    return { chunks, runs: column?.runList ?? NO_RUNS };
  });
}

/** Bytes of memory that a page takes. */
export function measurePageBytes({ bytes, starts, columns }: PageLines): number {
  let rows = 0;
  for (const { chunks } of columns) for (const chunk of chunks) rows += chunk?.rows ?? 0;
  return bytes.length + starts.byteLength + rows * CHUNK_ROW_BYTES;
}

/**
 * Writes the cells of an area as JSON text, with as many of the first lines as fit into `maxBytes`. Copies lines of an
 * earlier page of the same area if their cells did not change; everything else that cells show (names, settings) must
 * be the same for both pages. Pauses after every `sliceBytes` that were not copied.
 */
export function* writePageLines(
  snapshot: Snapshot,
  sheet: Sheet,
  area: Area,
  major: Major,
  earlier: PageLines | null,
  { maxBytes, sliceBytes, input = null, isOpen = false }: PageBounds,
): Generator<void, PageLines> {
  const columns = readPageColumns(sheet, area);
  const all = major === 'ROWS' ? area.bottom - area.top + 1 : area.right - area.left + 1;
  const changed = earlier && markChangedLines(earlier, columns, area, major, all);
  if (earlier && earlier.bytes.length <= maxBytes && changed?.every((mark) => mark === 0)) {
    return { ...earlier, columns };
  }
  const written = yield* writeLines(
    snapshot,
    sheet,
    area,
    major,
    { maxBytes, sliceBytes, input, isOpen },
    earlier,
    changed,
  );
  return { ...written, columns };
}

/** The text of a page, without the columns from which it was written. */
export type WrittenLines = Omit<PageLines, 'columns'>;

/** Writes a page. Copies the lines of an earlier page for which `changed` is 0. */
export function* writeLines(
  snapshot: Snapshot,
  sheet: Sheet,
  area: Area,
  major: Major,
  { maxBytes, sliceBytes, input = null, isOpen = false }: PageBounds,
  earlier: PageLines | null = null,
  changed: Uint8Array | null = null,
): Generator<void, WrittenLines> {
  const all = major === 'ROWS' ? area.bottom - area.top + 1 : area.right - area.left + 1;
  const room = scratch;
  const out = new JsonWriter(room);
  const writer = new LineWriter(new CellJsonWriter(snapshot, sheet, area, getGrammar(input), out), out, area, major);
  const starts = new Uint32Array(all + 1);
  out.writeByte(OPEN_LIST);
  let line = 0;
  let pause = sliceBytes;
  while (line < all && out.length <= maxBytes) {
    const before = out.length;
    starts[line] = before;
    if (earlier && changed?.[line] === 0) {
      line = copyLines(out, starts, earlier, changed, line);
      pause += out.length - before;
      continue;
    }
    writer.openLine(line++);
    while (!writer.writeCells(maxBytes, pause) && out.length <= maxBytes) {
      // Another page may be written during the pause. It must not use the same buffer.
      if (scratch === room) scratch = new Uint8Array(SCRATCH_BYTES);
      yield;
      pause = writer.work + sliceBytes;
    }
    writer.closeLine();
  }
  starts[line] = out.length;
  const lines = countFitting(starts, line, maxBytes);
  out.truncate(starts[lines]!);
  if (out.buffer.length <= MAX_SCRATCH_BYTES) scratch = out.buffer;
  if (lines === 0) return { bytes: NO_LINES, lines, starts: starts.slice(0, 1) };
  if (!isOpen) out.closeList();
  return { bytes: out.finish(), lines, starts: lines === all ? starts : starts.slice(0, lines + 1) };
}

/** Returns the number of written lines that fit. */
function countFitting(starts: Uint32Array, lines: number, maxBytes: number): number {
  let fit = lines;
  while (fit > 0 && starts[fit]! > maxBytes) fit--;
  return fit;
}

/** Copies unchanged lines, from `first` to before the next changed one. Returns the index of that one. */
function copyLines(
  out: JsonWriter,
  starts: Uint32Array,
  earlier: PageLines,
  changed: Uint8Array,
  first: number,
): number {
  let end = first;
  const shift = out.length - earlier.starts[first]!;
  for (; changed[end] === 0; end++) starts[end] = earlier.starts[end]! + shift;
  // The last line of a page is not followed by a comma.
  out.writeBytes(earlier.bytes.subarray(earlier.starts[first]!, earlier.starts[end]! - 1));
  out.writeByte(COMMA);
  return end;
}

class LineWriter {
  private readonly cells: CellJsonWriter;
  private readonly out: JsonWriter;
  private readonly area: Area;
  private readonly byRows: boolean;
  private line = 0;
  /** Number of cells of the current line that are written. */
  private at = 0;

  constructor(cells: CellJsonWriter, out: JsonWriter, area: Area, major: Major) {
    this.cells = cells;
    this.out = out;
    this.area = area;
    this.byRows = major === 'ROWS';
  }

  /** Begins a line of the page. */
  openLine(line: number): void {
    this.line = line;
    this.at = 0;
    this.out.writeByte(OPEN_LIST);
  }

  /** Number of written bytes, plus other work converted to bytes. */
  get work(): number {
    return this.out.length + this.cells.extraWork;
  }

  /**
   * Writes more cells of the line until the text or the work exceeds a limit. Returns true if the line is complete. The
   * caller must remove a line that is not complete.
   */
  writeCells(maxBytes: number, maxWork: number): boolean {
    const { out, cells, line, byRows } = this;
    const { top, left, bottom, right } = this.area;
    const length = byRows ? right - left + 1 : bottom - top + 1;
    let { at } = this;
    for (; at < length && out.length <= maxBytes && out.length + cells.extraWork <= maxWork; at++) {
      if (byRows) cells.writeCell(top + line, left + at);
      else cells.writeCell(top + at, left + line);
    }
    this.at = at;
    return at === length;
  }

  closeLine(): void {
    this.out.closeList();
    this.out.writeByte(COMMA);
  }
}

/** Marks the lines that differ between two versions of an area, and lines that the earlier page does not contain. */
function markChangedLines(
  { columns: before, lines: written }: PageLines,
  after: readonly PageColumn[],
  area: Area,
  major: Major,
  lines: number,
): Uint8Array {
  const changed = new Uint8Array(lines).fill(1, written);
  for (let i = 0; i < after.length; i++) {
    const old = before[i]!;
    const pageColumn = after[i]!;
    for (let block = 0; block < pageColumn.chunks.length; block++) {
      const a = old.chunks[block];
      const b = pageColumn.chunks[block];
      if (a === b && old.runs === pageColumn.runs) continue;
      const base = ((area.top >> CHUNK_SHIFT) + block) << CHUNK_SHIFT;
      const last = Math.min(area.bottom, base + CHUNK_MASK);
      for (let row = Math.max(area.top, base); row <= last; row++) {
        const line = major === 'ROWS' ? row - area.top : i;
        if (changed[line] === 0 && !isSameCell(a, b, row & CHUNK_MASK, old.runs, pageColumn.runs, row))
          changed[line] = 1;
      }
    }
  }
  return changed;
}

function isSameCell(
  a: Chunk | undefined,
  b: Chunk | undefined,
  chunkRow: number,
  oldRuns: RunList,
  runs: RunList,
  row: number,
): boolean {
  const kind = a?.kind(chunkRow) ?? EMPTY;
  if (kind !== (b?.kind(chunkRow) ?? EMPTY)) return false;
  if (!a || !b || kind === EMPTY) return true;
  if (a.format(chunkRow) !== b.format(chunkRow)) return false;
  const same =
    (kind & TYPE_MASK) === TEXT ? a.value(chunkRow) === b.value(chunkRow) : a.number(chunkRow) === b.number(chunkRow);
  if (!same || oldRuns === runs || (kind & FORMULA) === 0) return same;
  return findRunAt(oldRuns, row)?.template === findRunAt(runs, row)?.template;
}
