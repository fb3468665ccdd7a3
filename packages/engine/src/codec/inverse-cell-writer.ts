import type { CellAreas } from '../calc/change-log.ts';
import type { Area } from '../grid/area.ts';
import {
  BOOLEAN as CELL_BOOLEAN,
  EMPTY as CELL_EMPTY,
  ERROR as CELL_ERROR,
  NUMBER as CELL_NUMBER,
  TEXT as CELL_TEXT,
  FORMULA,
  SPILLED,
  TYPE_MASK,
} from '../sheet/cell-kind.ts';
import { CHUNK_MASK, CHUNK_SHIFT, type Chunk } from '../sheet/chunk.ts';
import type { Sheet, Snapshot } from '../sheet/snapshot.ts';
import { Texts } from '../sheet/texts.ts';
import type { ByteWriter } from './bytes.ts';
import { TemplateList } from './document-codec.ts';
import { isInputChanged } from './inputs.ts';
import {
  BOOLEAN,
  EMPTY,
  ERROR,
  FLOAT,
  KEPT,
  MAX_SMALL_NATURAL,
  NATURAL,
  OWN_FORMULA,
  PACKED,
  TAG_MASK,
  TEXT,
  WITH_FORMAT,
} from './inverse.ts';
import { MAX_SINGLE_ROWS, writePackedNumbers } from './packed-numbers.ts';

/**
 * Writes blocks of cells. A block consists of its rows (0 ends the blocks), sheet, top, left, columns, and items. An
 * item is a count, a tag, and the data of the tag. Consecutive cells with the same formula, with the same value, or
 * without a value form one item; so do consecutive different numbers.
 */
export class InverseCellWriter {
  private readonly before: Snapshot;
  private readonly after: Snapshot;
  readonly templates = new TemplateList();
  readonly formats = new Set<number>();
  /** True if moving cells back does not restore the formulas of the next cells, even if they look equal. */
  isLost = false;
  private readonly out: ByteWriter;
  private readonly hasFormats: boolean;
  private count = 0;
  private tag = 0;
  /** The number of the current item, or its index of an error, a template or a text. */
  private number = 0;
  /** The texts of the chunk that contains the text of the current item. */
  private texts = Texts.NONE;
  private writer = 0;
  private format = 0;

  constructor(before: Snapshot, after: Snapshot, out: ByteWriter) {
    this.before = before;
    this.after = after;
    this.out = out;
    this.hasFormats = before.formats.size > 1 || after.formats.size > 1;
  }

  get needsHead(): boolean {
    return this.templates.nodes.length > 0 || this.formats.size > 0;
  }

  /** Writes areas of sheets that exist in both states. */
  writeBlocks(changed: readonly CellAreas[]): void {
    for (const { sheet, areas } of changed) {
      const old = this.before.sheetById(sheet);
      const now = this.after.sheetById(sheet);
      if (old && now) for (const block of areas) this.writeBlock(old, now, block);
    }
  }

  /** Writes the old inputs of an area, column by column. */
  private writeBlock(old: Sheet, current: Sheet, { top, left, bottom, right }: Area): void {
    const { out } = this;
    out.writeVarint(bottom - top + 1);
    out.writeVarint(old.id);
    out.writeVarint(top);
    out.writeVarint(left);
    out.writeVarint(right - left + 1);
    for (let column = left; column <= right; column++) this.writeColumn(old, current, column, top, bottom);
    this.writeCellGroup();
  }

  /** Writes the old inputs of a column's rows. */
  private writeColumn(old: Sheet, current: Sheet, column: number, top: number, bottom: number): void {
    for (let first = top; first <= bottom; ) {
      const block = first >> CHUNK_SHIFT;
      const last = Math.min(bottom, ((block + 1) << CHUNK_SHIFT) - 1);
      const [chunk, next] = [old.chunk(column, block), current.chunk(column, block)];
      const wereNumbers = chunk !== undefined && this.areNumbers(chunk, first & CHUNK_MASK, last + 1 - first);
      if (wereNumbers) this.writeNumbers(chunk, next, first & CHUNK_MASK, last & CHUNK_MASK);
      for (let row = wereNumbers ? last + 1 : first; row <= last; row++) {
        const format = this.hasFormats ? old.format(row, column) : 0;
        const flag = this.hasFormats && format !== current.format(row, column) ? WITH_FORMAT : 0;
        const at = row & CHUNK_MASK;
        const kind = chunk?.kind(at) ?? EMPTY;
        if ((kind & FORMULA) !== 0) this.writeFormula(old, current, row, column, flag, format);
        else this.writePlain(chunk, next, at, kind, flag, format);
      }
      first = last + 1;
    }
  }

  /** True if rows of a chunk contained only numbers, and enough of them to use arrays. */
  private areNumbers(chunk: Chunk, from: number, count: number): boolean {
    return count > MAX_SINGLE_ROWS && !this.hasFormats && chunk.areAllOfKind(CELL_NUMBER, from, count);
  }

  /** Writes rows of a chunk that contain only numbers. The result is the same as from `writePlain`. */
  private writeNumbers({ numbers }: Chunk, next: Chunk | undefined, first: number, last: number): void {
    const nextKinds = next?.kinds ?? NO_KINDS;
    const nextNumbers = next?.numbers ?? NO_NUMBERS;
    for (let row = first; row <= last; ) {
      // Rows `row` to `end - 1` have different numbers in the next state.
      let end = row;
      let distinct = 0;
      for (; end <= last && !isSameNumber(numbers, nextNumbers, nextKinds, end); end++) {
        if (end === row || numbers[end] !== numbers[end - 1]) distinct++;
      }
      if (distinct > MAX_SINGLE_ROWS && 2 * distinct > end - row) {
        this.writeCellGroup();
        this.out.writeVarint(end - row);
        this.out.writeByte(PACKED);
        writePackedNumbers(this.out, numbers, row, end);
        row = end;
      }
      for (; row < end; row++) this.addCell(chooseTag(CELL_NUMBER, numbers[row]!), numbers[row]!, 0, 0);
      for (; row <= last && isSameNumber(numbers, nextNumbers, nextKinds, row); row++) this.addCell(KEPT, 0, 0, 0);
    }
  }

  private writeFormula(old: Sheet, current: Sheet, row: number, column: number, flag: number, format: number): void {
    if (!this.isLost && !isInputChanged(old, current, row, column)) return this.addCell(KEPT | flag, 0, 0, format);
    const run = old.run(row, column)!;
    const writer = run.writer === null ? 0 : run.writer + 1;
    this.addCell(OWN_FORMULA | flag, this.templates.storeRun(run)[2], writer, format);
  }

  /** A value or an empty cell. A spilled value counts as empty. */
  private writePlain(
    existingChunk: Chunk | undefined,
    next: Chunk | undefined,
    chunkRow: number,
    kind: number,
    flag: number,
    format: number,
  ) {
    const isEmpty = (kind & TYPE_MASK) === CELL_EMPTY || (kind & SPILLED) !== 0;
    const other = next?.kind(chunkRow) ?? CELL_EMPTY;
    if (isEmpty) {
      const isKept = (other & FORMULA) === 0 && ((other & TYPE_MASK) === CELL_EMPTY || (other & SPILLED) !== 0);
      return this.addCell((isKept ? KEPT : EMPTY) | flag, 0, 0, format);
    }
    const chunk = existingChunk!;
    const number = chunk.number(chunkRow);
    const isText = (kind & TYPE_MASK) === CELL_TEXT;
    if (kind === other && next !== undefined) {
      const nextNumber = next.number(chunkRow);
      const isKept = isText ? chunk.texts.isSameText(number, next.texts, nextNumber) : nextNumber === number;
      if (isKept) return this.addCell(KEPT | flag, 0, 0, format);
    }
    if (isText) this.addText(TEXT | flag, chunk.texts, number, format);
    else this.addCell(chooseTag(kind & TYPE_MASK, number) | flag, number, 0, format);
  }

  private addText(tag: number, texts: Texts, index: number, format: number): void {
    const isSameTag = this.count > 0 && tag === this.tag && (tag <= TAG_MASK || format === this.format);
    if (isSameTag && texts.isSameText(index, this.texts, this.number)) {
      this.count++;
      return;
    }
    this.beginCellGroup(tag, index, 0, format);
    this.texts = texts;
  }

  /** Adds a cell. Equal cells that follow one another are stored once, with their count. */
  private addCell(tag: number, number: number, writer: number, format: number): void {
    const same = tag === this.tag && number === this.number && writer === this.writer;
    if (this.count > 0 && same && (tag <= TAG_MASK || format === this.format)) this.count++;
    else this.beginCellGroup(tag, number, writer, format);
  }

  /** Writes the previous group of equal cells and begins a group with one cell. */
  private beginCellGroup(tag: number, number: number, writer: number, format: number): void {
    this.writeCellGroup();
    this.count = 1;
    this.tag = tag;
    this.number = number;
    this.writer = writer;
    this.format = format;
  }

  /** Writes the current group of equal cells with its count. */
  private writeCellGroup(): void {
    if (this.count === 0) return;
    const { out, tag, number } = this;
    out.writeVarint(this.count);
    out.writeByte(tag);
    if (tag > TAG_MASK) {
      out.writeVarint(this.format);
      if (this.format !== 0) this.formats.add(this.format);
    }
    this.count = 0;
    switch (tag & TAG_MASK) {
      case FLOAT:
        return out.writeFloat(number);
      case NATURAL:
        return out.writeVarint(number);
      case TEXT:
        return writeText(this.texts, number, out);
      case BOOLEAN:
      case ERROR:
        return out.writeByte(number);
      case OWN_FORMULA:
        out.writeVarint(number);
        out.writeVarint(this.writer);
    }
  }
}

const NO_KINDS = new Uint8Array(0);
const NO_NUMBERS = new Float64Array(0);

/**
 * True if a row has the same number in the next state. It does not read past the end of the arrays, because V8 would
 * then create an object for each number.
 */
function isSameNumber(numbers: Float64Array, nextNumbers: Float64Array, nextKinds: Uint8Array, row: number): boolean {
  return row < nextKinds.length && nextKinds[row] === CELL_NUMBER && nextNumbers[row] === numbers[row];
}

/** Writes a text. Does not create a string if it is packed. */
function writeText(texts: Texts, index: number, out: ByteWriter): void {
  const { units, starts } = texts.parts();
  if (index + 1 < starts.length) out.writeUnits(units, starts[index]!, starts[index + 1]!);
  else out.writeText(texts.get(index));
}

/** The tag of the shortest encoding of a value. */
function chooseTag(type: number, number: number): number {
  if (type === CELL_BOOLEAN) return BOOLEAN;
  if (type === CELL_ERROR) return ERROR;
  return Number.isInteger(number) && number >= 0 && number < MAX_SMALL_NATURAL ? NATURAL : FLOAT;
}
