import type { FormatTrace, WorkMeter } from '../functions/context.ts';
import type { ElementFormats, Reference, SheetArea } from '../functions/value.ts';
import type { Area } from '../grid/area.ts';
import { type FormatHint, getDefaultFormat } from '../locale/index.ts';
import { NUMBER, TYPE_MASK } from '../sheet/cell-kind.ts';
import { CHUNK_MASK, CHUNK_SHIFT, type Chunk } from '../sheet/chunk.ts';
import type { ChunkTable } from '../sheet/chunk-table.ts';
import { getColumnExtremes } from '../sheet/column-extremes.ts';
import type { Draft } from '../sheet/draft.ts';
import { GENERAL } from '../sheet/formats.ts';
import type { Column, Sheet } from '../sheet/snapshot.ts';

import { combineCodes, inheritCode } from './format-rules.ts';
import type { ClosedSheets } from './rights.ts';

const NONE_GIVEN: readonly number[] = [];

const OPERATORS = ['+', '-', '*', '/'] as const;
/** Number of recorded formats that count as one cell of the budget, as a power of two. */
const PUT_WORK_LOG2 = 2;
/** Number of possible format ids, which have 16 bits. */
const FORMATS = 1 << 16;

/**
 * Determines the formats that results inherit from the cells of a draft. Formats are ids of inferred formats, 0 for
 * General.
 */
export class CellFormats implements FormatTrace {
  last = GENERAL;
  argumentFormats = NONE_GIVEN;
  private readonly draft: Draft;
  private closed: ClosedSheets | null = null;
  /** The inferred format for each cell format, by the id of the cell format. */
  private readonly inheritedFormats: (number | undefined)[] = [GENERAL];
  private readonly combinations = new Map<number, number>();

  constructor(draft: Draft) {
    this.draft = draft;
  }

  /** Ignores the formats of sheets that the next formula may not read, because formats also reveal content. */
  hideSheets(closed: ClosedSheets | null): this {
    this.closed = closed;
    return this;
  }

  /** The sheet with an id; undefined if it is hidden from the formula's writer or was deleted. */
  private findReadableSheet(id: number): Sheet | undefined {
    return this.closed?.has(id) ? undefined : this.draft.sheet(id);
  }

  /** The format id of a cell; General if there is no sheet. */
  readCellFormat(sheet: Sheet | undefined, row: number, column: number): number {
    return sheet === undefined || row < 0 || column < 0 ? GENERAL : this.inheritFormat(sheet.format(row, column));
  }

  /** The id of the format that a result inherits from a cell with format `id`. */
  private inheritFormat(id: number): number {
    const cached = this.inheritedFormats[id];
    if (cached !== undefined) return cached;
    const format = this.ensureFormatId(inheritCode(this.draft.formats.code(id)));
    this.inheritedFormats[id] = format;
    return format;
  }

  /** The id of a format code; adds the code to the document's formats if necessary. */
  private ensureFormatId(code: string): number {
    return this.draft.formats.ensureFormat(code, true);
  }

  /** The formats of an area's cells, row by row. */
  readAreaFormats(sheet: Sheet, area: Area, context: WorkMeter): ElementFormats {
    const columns = area.right - area.left + 1;
    const first = this.readCellFormat(sheet, area.top, area.left);
    let formats: Uint16Array | null = null;
    const put = (row: number, column: number, format: number) => {
      if (formats === null && format === first) return;
      formats ??= new Uint16Array((area.bottom - area.top + 1) * columns).fill(first);
      formats[(row - area.top) * columns + column - area.left] = format;
    };
    for (let column = area.left; column <= area.right; column++) {
      const columnFormat = this.inheritFormat(sheet.columns[column]?.format ?? GENERAL);
      for (let row = area.top; row <= area.bottom; ) {
        const chunk = sheet.chunk(column, row >> CHUNK_SHIFT);
        const last = Math.min(area.bottom, row | CHUNK_MASK);
        context.reportWork(1);
        const uniform =
          chunk === undefined ? columnFormat : typeof chunk.formats === 'number' ? this.readChunkFormat(chunk) : -1;
        if (uniform !== first || formats !== null) {
          context.reportWork((last - row + 1) >> PUT_WORK_LOG2);
          for (let r = row; r <= last; r++)
            put(r, column, uniform < 0 ? this.readCellFormat(sheet, r, column) : uniform);
        }
        row = last + 1;
      }
    }
    return formats ?? first;
  }

  /** The inherited format of a chunk whose cells all have one format. */
  private readChunkFormat(chunk: Chunk): number {
    return this.inheritFormat(chunk.formats as number);
  }

  /** The id of the format that a kind of result (date, percent, …) gives to a General cell. */
  getHintFormat(hint: FormatHint): number {
    return this.ensureFormatId(getDefaultFormat(hint, this.draft.settings.locale));
  }

  /**
   * The format that a result takes from a reference: the format of its first cell, or of its second cell if the first
   * is a heading.
   */
  findReferenceFormat({ areas: [area] }: Reference): number {
    const sheet = this.findReadableSheet(area.sheet);
    const first = this.readCellFormat(sheet, area.top, area.left);
    return first !== GENERAL || area.top === area.bottom ? first : this.readCellFormat(sheet, area.top + 1, area.left);
  }

  /**
   * The inherited format of the first cell, column by column, that contains `value`; -1 if there is none. A column
   * with one format, whose least and greatest number enclose `value`, is not searched: its format is the result.
   */
  findNumberFormat(reference: Reference, value: number): number {
    for (const area of reference.areas) {
      const sheet = this.findReadableSheet(area.sheet);
      const right = Math.min(area.right, (sheet?.columns.length ?? 0) - 1);
      for (let column = area.left; column <= right; column++) {
        const existingColumn = sheet?.columns[column];
        if (existingColumn === undefined) continue;
        const { least, greatest } = getColumnExtremes(existingColumn, area.top, area.bottom);
        if (value < least || value > greatest) continue;
        const only = this.findUniformFormat(existingColumn, area);
        if (only >= 0) return only;
        const row = findNumberRow(existingColumn.chunks, area, value);
        if (row >= 0) return this.readCellFormat(sheet, row, column);
      }
    }
    return -1;
  }

  /**
   * The format of all rows of an area in a column; -1 if they differ. If all rows have one format, the caller need not
   * know from which row a number was read.
   */
  private findUniformFormat({ chunks, format }: Column, { top, bottom }: SheetArea): number {
    const firstBlock = top >> CHUNK_SHIFT;
    const lastBlock = Math.min(bottom >> CHUNK_SHIFT, chunks.length - 1);
    let only = -1;
    for (let block = firstBlock; block <= lastBlock; block++) {
      const formats = chunks.at(block)?.formats ?? format;
      if (typeof formats !== 'number' || (block > firstBlock && formats !== only)) return -1;
      only = formats;
    }
    return only < 0 ? only : this.inheritFormat(only);
  }

  /** The format id of an arithmetic operator's result, from the format ids of its operands. */
  combineFormats(op: '+' | '-' | '*' | '/', left: number, right: number): number {
    if (left === GENERAL && right === GENERAL) return GENERAL;
    const key = (OPERATORS.indexOf(op) * FORMATS + left) * FORMATS + right;
    const cached = this.combinations.get(key);
    if (cached !== undefined) return cached;
    const { formats, settings } = this.draft;
    const format = this.ensureFormatId(combineCodes(op, formats.code(left), formats.code(right), settings.locale));
    this.combinations.set(key, format);
    return format;
  }
}

/** The first row of an area's column that contains the number `value`; -1 if there is none. */
function findNumberRow(chunks: ChunkTable | undefined, area: SheetArea, value: number): number {
  const lastBlock = Math.min(area.bottom >> CHUNK_SHIFT, (chunks?.length ?? 0) - 1);
  for (let block = area.top >> CHUNK_SHIFT; block <= lastBlock; block++) {
    const chunk = chunks?.at(block);
    if (!chunk) continue;
    const { kinds, numbers } = chunk;
    const first = block << CHUNK_SHIFT;
    const to = Math.min(area.bottom - first, chunk.rows - 1);
    for (let at = Math.max(area.top - first, 0); at <= to; at++) {
      if (numbers[at] === value && (kinds[at]! & TYPE_MASK) === NUMBER) return first + at;
    }
  }
  return -1;
}
