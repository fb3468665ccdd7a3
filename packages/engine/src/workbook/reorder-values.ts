import type { Meter } from '../calc/budget.ts';
import { type Area, height } from '../grid/area.ts';
import { EMPTY, TEXT } from '../sheet/cell-kind.ts';
import { CHUNK_MASK, CHUNK_ROWS, CHUNK_SHIFT } from '../sheet/chunk.ts';
import type { TextSource } from '../sheet/chunk-texts.ts';
import type { Sheet } from '../sheet/snapshot.ts';
import { Texts } from '../sheet/texts.ts';
import type { Batch } from './batch.ts';
import type { EnteredArea } from './entered-cells.ts';
import { writeChunkCells } from './write-chunk-cells.ts';

/** Marks a row in `sources` that has no source: the row becomes empty and keeps its format. */
export const NO_SOURCE = -1;

/**
 * Reorders the cells of a column without formulas and spilled values. `sources`: for each row from the area's top, the
 * row from which its cell comes.
 */
export function reorderValues(batch: Batch, { sheet: id, area }: EnteredArea, sources: Int32Array): void {
  const { draft, meter } = batch;
  meter.spendCells(sources.length);
  const sheet = draft.requireSheet(id);
  const values = new ColumnValues(sheet, area, meter);
  const formats = hasOneFormat(sheet, area) ? null : readFormats(sheet, area);
  for (let first = area.top; first <= area.bottom; first = (first | CHUNK_MASK) + 1) {
    const last = Math.min(first | CHUNK_MASK, area.bottom);
    meter.reportWork(last - first + 1);
    reorderChunk(batch, { sheet: id, area: { ...area, top: first, bottom: last } }, area.top, sources, values);
  }
  if (formats !== null) reorderFormats(batch, { sheet: id, area }, sources, formats);
}

/** Reorders the cells that move into one chunk. `area`: the rows of the chunk. `top`: the first row of `sources`. */
function reorderChunk(
  { draft, written }: Batch,
  { sheet, area: { top: first, bottom: last, left: column } }: EnteredArea,
  top: number,
  sources: Int32Array,
  values: ColumnValues,
): void {
  const rows = new Uint32Array(last - first + 1);
  const kinds = new Uint8Array(rows.length);
  const numbers = new Float64Array(rows.length);
  let changes = 0;
  let hasTexts = false;
  for (let row = first; row <= last; row++) {
    const source = sources[row - top]!;
    const kind = source === NO_SOURCE ? EMPTY : values.kinds[source]!;
    if (source === row - top || values.isSameValue(row - top, source, kind)) continue;
    rows[changes] = row;
    kinds[changes] = kind;
    // Texts are identified by their source row, because the texts of the column are in several chunks.
    if (kind === TEXT) numbers[changes] = source;
    else if (kind !== EMPTY) numbers[changes] = values.numbers[source]!;
    hasTexts ||= kind === TEXT;
    changes++;
    written.add(sheet, row, column);
  }
  if (changes === 0) return;
  writeChunkCells(draft, sheet, {
    column,
    rows: rows.subarray(0, changes),
    kinds: kinds.subarray(0, changes),
    numbers: numbers.subarray(0, changes),
    texts: hasTexts ? values : null,
  });
}

/** True if all cells of an area's column have the same format. */
function hasOneFormat(sheet: Sheet, { top, bottom, left: column }: Area): boolean {
  const format = sheet.format(top, column);
  for (let block = top >> CHUNK_SHIFT; block <= bottom >> CHUNK_SHIFT; block++) {
    const chunk = sheet.chunk(column, block);
    if ((chunk === undefined ? sheet.columns[column]?.format : chunk.formats) !== format) return false;
  }
  return true;
}

/** The format ids of a column's rows in an area. */
function readFormats(sheet: Sheet, area: Area): Uint16Array {
  return Uint16Array.from({ length: height(area) }, (_, i) => sheet.format(area.top + i, area.left));
}

/** Moves the formats of a column with their cells. */
function reorderFormats(
  { cells, meter }: Batch,
  { sheet, area: { top, left: column } }: EnteredArea,
  sources: Int32Array,
  formats: Uint16Array,
): void {
  meter.reportWork(sources.length);
  for (let i = 0; i < sources.length; i++) {
    const source = sources[i]!;
    if (source !== NO_SOURCE && formats[source] !== formats[i])
      cells.setFormat(sheet, top + i, column, formats[source]!);
  }
}

/** A copy of the values of one column, by row from the top of an area. The text of a row has the row as its index. */
class ColumnValues implements TextSource {
  readonly kinds: Uint8Array;
  /** The number of each row, 0 or 1 for a boolean, or the index of an error or text. */
  readonly numbers: Float64Array;
  /** The texts of each chunk. While a draft changes a chunk, the texts of its rows keep their indexes. */
  private readonly texts: Texts[] = [];
  private readonly top: number;

  constructor(sheet: Sheet, area: Area, meter: Meter) {
    this.top = area.top;
    this.kinds = new Uint8Array(height(area));
    this.numbers = new Float64Array(height(area));
    for (let first = area.top; first <= area.bottom; first = (first | CHUNK_MASK) + 1) {
      meter.reportWork(Math.min(CHUNK_ROWS, area.bottom - first + 1));
      const chunk = sheet.chunk(area.left, first >> CHUNK_SHIFT);
      this.texts.push(chunk?.texts ?? Texts.NONE);
      if (chunk === undefined) continue;
      const from = first & CHUNK_MASK;
      const end = Math.min(chunk.rows, from + area.bottom - first + 1);
      if (end <= from) continue;
      this.kinds.set(chunk.kinds.subarray(from, end), first - area.top);
      this.numbers.set(chunk.numbers.subarray(from, end), first - area.top);
    }
  }

  /** True if a row has the same value as another row of the kind `kind`. */
  isSameValue(row: number, other: number, kind: number): boolean {
    if (this.kinds[row] !== kind) return false;
    if (kind === EMPTY) return true;
    if (kind !== TEXT) return this.numbers[row] === this.numbers[other];
    return this.findTexts(row).isSameText(this.numbers[row]!, this.findTexts(other), this.numbers[other]!);
  }

  /** Adds the text of a row to a packer and returns its index there. */
  addTo(packer: Parameters<TextSource['addTo']>[0], row: number): number {
    return this.findTexts(row).addTo(packer, this.numbers[row]!);
  }

  /** The texts of the chunk that a row comes from. */
  private findTexts(row: number): Texts {
    return this.texts[((this.top + row) >> CHUNK_SHIFT) - (this.top >> CHUNK_SHIFT)]!;
  }
}
