import type { Grammar } from '../formula/index.ts';
import { formatForDisplay, formatGeneralDisplay, getLocale, isDateFormat } from '../locale/index.ts';
import { BOOLEAN, EMPTY, ERROR, FORMULA, NUMBER, TEXT, TYPE_MASK } from '../sheet/cell-kind.ts';
import { CHUNK_MASK, CHUNK_SHIFT, type Chunk } from '../sheet/chunk.ts';
import { GENERAL } from '../sheet/formats.ts';
import type { Sheet, Snapshot } from '../sheet/snapshot.ts';
import type { Run } from '../sheet/template.ts';
import { ERROR_CODES, errorByIndex } from '../value/errors.ts';
import { jsonNumberText } from '../value/json-text.ts';
import { describeError, printRunFormula } from './cell-view.ts';
import { FormulaBytes } from './formula-bytes.ts';
import { encodeJson, type JsonWriter } from './json-writer.ts';

/**
 * Minimum number of rows of a run whose formula text is split at the row numbers. Formulas of shorter runs are printed
 * one by one, which is faster.
 */
const MIN_RUN_ROWS = 4;

const NO_KINDS = new Uint8Array(0);
const NO_NUMBERS = new Float64Array(0);
const MIXED = -1;
const CLOSE_OBJECT = 125;
const QUOTE = 34;

/** JSON text of each error, by its index. */
const ERRORS = ERROR_CODES.map((code) => encodeJson(`{"v":"${code}","m":"${code}"`));

type TextParts = ReturnType<Chunk['texts']['parts']>;

/** The message of an error; the same for all cells of a run. */
interface CachedErrorMessage {
  readonly run: Run | undefined;
  readonly index: number;
  readonly bytes: Uint8Array;
}

/** The arrays of a block of one column from which cells are written. */
class ColumnBlock {
  readonly column: number;
  block = -1;
  chunk: Chunk | undefined;
  kinds: Uint8Array = NO_KINDS;
  numbers: Float64Array = NO_NUMBERS;
  /** The format of all rows, or `MIXED`. */
  format = GENERAL;
  texts: TextParts | null = null;
  run: Run | undefined;
  formulas: FormulaBytes | null = null;
  problem: CachedErrorMessage | null = null;

  constructor(column: number) {
    this.column = column;
  }
}

/**
 * The cost of a character of a formula or message. Its unit is a byte of a plain cell. It is high because the formula
 * may have to be parsed again.
 */
const FORMULA_CHARACTER_BYTES = 64;

/** Writes the cells of one sheet as JSON text. It is fastest if cells are written down columns or along rows. */
export class CellJsonWriter {
  private readonly snapshot: Snapshot;
  private readonly sheet: Sheet;
  private readonly out: JsonWriter;
  private readonly grammar: Grammar;
  private readonly decimal: ',' | '.';
  private readonly mark: number;
  private readonly left: number;
  private readonly places: ColumnBlock[] = [];
  /** The cost of work other than writing bytes. Its unit is a byte of a plain cell. */
  extraWork = 0;
  private readonly dates: (boolean | undefined)[] = [];

  constructor(
    snapshot: Snapshot,
    sheet: Sheet,
    { left, right }: { readonly left: number; readonly right: number },
    grammar: Grammar,
    out: JsonWriter,
  ) {
    this.grammar = grammar;
    this.snapshot = snapshot;
    this.sheet = sheet;
    this.out = out;
    this.decimal = getLocale(snapshot.settings.locale).decimal;
    this.mark = this.decimal.charCodeAt(0);
    this.left = left;
    for (let column = left; column <= right; column++) this.places.push(new ColumnBlock(column));
  }

  /** Writes a cell followed by a comma; `null,` for an empty cell. */
  writeCell(row: number, column: number): void {
    const columnBlock = this.places[column - this.left]!;
    if (columnBlock.block !== row >> CHUNK_SHIFT) this.enterBlock(columnBlock, row >> CHUNK_SHIFT);
    const { kinds } = columnBlock;
    const { out } = this;
    const at = row & CHUNK_MASK;
    const kind = at < kinds.length ? kinds[at]! : EMPTY;
    const type = kind & TYPE_MASK;
    if (type === EMPTY) return out.writeEmptyCell();
    const format =
      columnBlock.format === MIXED ? this.chooseDisplayFormat(columnBlock.chunk!.format(at)) : columnBlock.format;
    const number = columnBlock.numbers[at]!;
    if (type === NUMBER) this.writeNumber(number, format);
    else if (type === TEXT) this.writeText(columnBlock, number, format);
    else this.writeBooleanOrError(type, number);
    if ((kind & FORMULA) !== 0) this.writeFormula(columnBlock, row);
    if (type === NUMBER && format !== GENERAL && this.isDate(format)) out.writeAscii(',"t":"d"');
    if (type === ERROR) this.writeMessage(columnBlock, row, number);
    out.endContainer(CLOSE_OBJECT);
  }

  private enterBlock(columnBlock: ColumnBlock, block: number): void {
    columnBlock.block = block;
    columnBlock.chunk = this.sheet.chunk(columnBlock.column, block);
    const { chunk } = columnBlock;
    columnBlock.kinds = chunk?.kinds ?? NO_KINDS;
    columnBlock.numbers = chunk?.numbers ?? NO_NUMBERS;
    columnBlock.format =
      typeof chunk?.formats === 'object' ? MIXED : this.chooseDisplayFormat(chunk?.formats ?? GENERAL);
    columnBlock.texts = null;
  }

  /** Returns the format that determines the displayed text; styles have no influence. */
  private chooseDisplayFormat(format: number): number {
    return this.snapshot.formats.isGeneral(format) ? GENERAL : format;
  }

  private writeNumber(value: number, format: number): void {
    if (format !== GENERAL) this.writeFormatted(value, format);
    else if (!this.out.writeShortNumber(value, this.mark)) this.writeLongNumber(value);
  }

  private writeLongNumber(value: number): void {
    const { out } = this;
    out.writeAscii('{"v":');
    out.writeAscii(jsonNumberText(value));
    out.writeAscii(',"m":"');
    if (!out.writeRoundedNumber(value, this.mark)) out.writeAscii(formatGeneralDisplay(value, this.decimal));
    out.writeByte(QUOTE);
  }

  /** Writes the number and its displayed text as members of a cell. */
  private writeFormatted(value: number, format: number): void {
    const { out, snapshot } = this;
    const { locale, dateSystem } = snapshot.settings;
    out.writeAscii('{"v":');
    out.writeNumber(value);
    out.writeAscii(',"m":');
    out.writeString(formatForDisplay(value, snapshot.formats.code(format), locale, dateSystem));
  }

  private isDate(format: number): boolean {
    let isDateTime = this.dates[format];
    if (isDateTime === undefined) {
      isDateTime = isDateFormat(this.snapshot.formats.code(format));
      this.dates[format] = isDateTime;
    }
    return isDateTime;
  }

  private writeText(columnBlock: ColumnBlock, index: number, format: number): void {
    const { out } = this;
    const chunk = columnBlock.chunk!;
    out.writeAscii('{"v":');
    const from = out.length;
    columnBlock.texts ??= chunk.texts.parts();
    const { units, starts, extra } = columnBlock.texts;
    const packed = starts.length - 1;
    if (index < packed) out.writeUnits(units, starts[index]!, starts[index + 1]!);
    else out.writeString(extra[index - packed]!);
    const to = out.length;
    out.writeAscii(',"m":');
    if (format === GENERAL) return out.writeAgain(from, to);
    const { locale, dateSystem } = this.snapshot.settings;
    out.writeString(formatForDisplay(chunk.texts.get(index), this.snapshot.formats.code(format), locale, dateSystem));
  }

  /** Writes a boolean or an error. */
  private writeBooleanOrError(type: number, index: number): void {
    if (type !== BOOLEAN) this.out.writeBytes(ERRORS[index]!);
    else this.out.writeAscii(index !== 0 ? '{"v":true,"m":"TRUE"' : '{"v":false,"m":"FALSE"');
  }

  private writeMessage(columnBlock: ColumnBlock, row: number, index: number): void {
    const run = this.findRun(columnBlock, row);
    if (!columnBlock.problem || columnBlock.problem.run !== run || columnBlock.problem.index !== index) {
      const { code } = errorByIndex(index);
      const message = describeError(this.snapshot, this.sheet, row, columnBlock.column, code);
      this.extraWork += message.length * FORMULA_CHARACTER_BYTES;
      columnBlock.problem = { run, index, bytes: encodeJson(`,"error":${JSON.stringify({ code, message })}`) };
    }
    this.out.writeBytes(columnBlock.problem.bytes);
  }

  private writeFormula(columnBlock: ColumnBlock, row: number): void {
    const { out } = this;
    const run = this.findRun(columnBlock, row);
    if (!run) return;
    const { formulas } = columnBlock;
    if (formulas && row >= formulas.top && row <= formulas.bottom) return formulas.writeFormula(out, row);
    const text = printRunFormula(this.snapshot, run, row, this.grammar);
    this.extraWork += text.length * FORMULA_CHARACTER_BYTES;
    out.writeAscii(',"f":');
    out.writeString(text);
  }

  /** Returns the run that contains a row. */
  private findRun(columnBlock: ColumnBlock, row: number): Run | undefined {
    const { run } = columnBlock;
    if (run && row >= run.top && row <= run.bottom) return run;
    columnBlock.run = this.sheet.run(row, columnBlock.column);
    const isLong = columnBlock.run !== undefined && columnBlock.run.bottom - columnBlock.run.top >= MIN_RUN_ROWS;
    columnBlock.formulas = isLong ? FormulaBytes.create(this.snapshot, columnBlock.run!, this.grammar) : null;
    return columnBlock.run;
  }
}
