import { BOOLEAN, EMPTY, ERROR, NUMBER, TEXT, TYPE_MASK } from '../sheet/cell-kind.ts';
import { CHUNK_MASK, CHUNK_SHIFT, type Chunk } from '../sheet/chunk.ts';
import type { Column, Snapshot } from '../sheet/snapshot.ts';
import { composeText, foldName } from '../value/fold.ts';
import { isError, type Scalar } from '../value/scalar.ts';
import { ColumnReader, type ColumnTypes, type FieldValue } from './cell-values.ts';
import { findColumn, type Region } from './region.ts';
import { CODES, NO_TEXT, type TextCodes } from './text-codes.ts';

const UNKNOWN = -1;
/** Number of cached values; a power of two. */
const MEMO_PLACES = 1_024;

/** A value for sorting, and its form in the response. */
export interface RecordCell {
  readonly scalar: Scalar;
  readonly field: FieldValue;
}

/** Reads a column block by block. `enterBlock` selects the block for the other methods. */
export class BlockReader {
  readonly reader: ColumnReader;
  chunk: Chunk | undefined;
  /** The kinds of the chunk, for columns whose numbers need no conversion. */
  kinds: Uint8Array = NO_KINDS;
  numbers: Float64Array = NO_NUMBERS;
  protected readonly column: Column | undefined;

  constructor(snapshot: Snapshot, region: Region, types: ColumnTypes, columnIndex: number) {
    this.column = findColumn(snapshot, region, columnIndex);
    this.reader = new ColumnReader(snapshot, region.columns[columnIndex]?.column ?? -1, types.get(columnIndex) ?? null);
  }

  /** Selects the block of 256 rows that the other methods read. */
  enterBlock(block: number): void {
    this.chunk = this.column?.chunks.at(block);
    this.kinds = this.chunk?.kinds ?? NO_KINDS;
    this.numbers = this.chunk?.numbers ?? NO_NUMBERS;
  }

  /** The type of a cell of the block, without flags. */
  readCellType(blockRow: number): number {
    return (this.kinds[blockRow] ?? EMPTY) & TYPE_MASK;
  }

  /** True if numbers of the column need no conversion. */
  get hasPlainNumbers(): boolean {
    return this.reader.type === null;
  }

  isPlainNumber(blockRow: number): boolean {
    return this.reader.type === null && this.readCellType(blockRow) === NUMBER;
  }

  /** True for a text that needs no conversion. `numbers` then contains its index in the chunk. */
  isText(blockRow: number): boolean {
    return this.reader.type === null && this.readCellType(blockRow) === TEXT;
  }

  /** True if a cell is not empty. An empty text counts as an empty cell. */
  isFilled(blockRow: number): boolean {
    const type = this.readCellType(blockRow);
    return type !== EMPTY && !(type === TEXT && this.chunk?.texts.isEmpty(this.numbers[blockRow]!));
  }

  /** The value of a cell of the block, converted by the column's record type; null for an empty text. */
  readScalar(blockRow: number): Scalar {
    const value = this.chunk === undefined ? null : this.reader.readScalar(this.chunk, blockRow);
    return value === '' ? null : value;
  }

  /** The value of a row of any block, as `readScalar` returns it. */
  readRowScalar(row: number): Scalar {
    this.enterBlock(row >> CHUNK_SHIFT);
    return this.readScalar(row & CHUNK_MASK);
  }

  /** The cell of a row of any block. */
  readRowCell(row: number): RecordCell {
    this.enterBlock(row >> CHUNK_SHIFT);
    const at = row & CHUNK_MASK;
    const scalar = this.readScalar(at);
    return { scalar, field: this.reader.toField(scalar, this.chunk?.format(at) ?? 0) };
  }
}

const NO_KINDS = new Uint8Array(0);
const NO_NUMBERS = new Float64Array(0);
const NO_NUMBERED = new Int32Array(0);
/** Number of cached numbers, as a power of two. */
const NUMBER_MEMO_BITS = 13;
/** One past the largest whole number in the table of small numbers. Contains dates until the year 2079. */
const SMALL_NUMBERS = 1 << 16;
/** The place of the empty cell after the booleans. */
const EMPTY_PLACE = 2;
const MIX = 0x9e3779b1;
const BITS = new Float64Array(1);
const HALVES = new Int32Array(BITS.buffer);

/** Determines which values of a column are equal and therefore get the same number. */
interface NumberingRules {
  readonly types: ColumnTypes;
  readonly caseSensitive: boolean;
}

/** Assigns numbers to the distinct values of a column. Each text of a chunk is looked up once. */
export class ValueNumbers extends BlockReader {
  private count = 0;
  private readonly idsByNumber = new Map<number, number>();
  private readonly idsByKey = new Map<string, number>();
  private idsByText = new Int32Array(0);
  /** Recent texts by hash. Most chunks contain the same few texts. */
  private readonly seenTexts: (string | undefined)[] = new Array(MEMO_PLACES).fill(undefined);
  private readonly seenIds = new Int32Array(MEMO_PLACES);
  /** Recent numbers by hash, and their numbers in this column. */
  private readonly seenNumbers = new Float64Array(1 << NUMBER_MEMO_BITS).fill(Number.NaN);
  private readonly seenNumberIds = new Int32Array(1 << NUMBER_MEMO_BITS);
  /** The numbers of small whole numbers, such as dates. */
  private idsBySmallNumber = new Int32Array(0);
  /** The numbers of false, true and the empty cell. */
  private readonly idsOfConstants = new Int32Array(EMPTY_PLACE + 1).fill(UNKNOWN);
  private readonly caseSensitive: boolean;
  /** Numbers of the column's distinct texts; null if the texts have no numbers. */
  private readonly textCodes: TextCodes | null;
  /** For each code, the code of the first equal text. */
  private equalCodes: readonly number[] = [];
  /** The codes of all rows; null if they do not contain those of the block. */
  private rowCodes: Uint16Array | null = null;
  private firstRow = 0;
  private idsByCode = new Int32Array(0);
  /** True if texts also get their numbers by key. */
  private hasBlockWithoutCodes = false;

  /** `textCodes`: numbers of the column's texts; null if they have none. */
  constructor(
    snapshot: Snapshot,
    region: Region,
    { types, caseSensitive }: NumberingRules,
    columnIndex: number,
    textCodes: TextCodes | null,
  ) {
    super(snapshot, region, types, columnIndex);
    this.caseSensitive = caseSensitive;
    this.textCodes = textCodes;
  }

  /** Selects the block of 256 rows that the other methods read. */
  override enterBlock(block: number): void {
    super.enterBlock(block);
    const { chunk, textCodes } = this;
    this.firstRow = block << CHUNK_SHIFT;
    this.rowCodes = chunk && textCodes?.hasChunk(block, chunk) ? textCodes.rowCodes : null;
    if (this.rowCodes === null && chunk !== undefined && !this.hasBlockWithoutCodes) this.addKeysOfCodes();
    this.idsByText =
      this.rowCodes === null && chunk !== undefined ? new Int32Array(chunk.texts.count).fill(UNKNOWN) : NO_NUMBERED;
  }

  /** Writes the numbers of the values of some rows to `ids`, from index 0 on. */
  assignIds(blockRows: Uint8Array, count: number, ids: Int32Array): void {
    if (this.rowCodes !== null) return this.assignIdsByCode(this.rowCodes, blockRows, count, ids);
    if (this.hasPlainNumbers && this.chunk?.isAllNumbers === true)
      return this.assignIdsOfNumbers(blockRows, count, ids);
    const { kinds, numbers, idsByText } = this;
    for (let i = 0; i < count; i++) {
      const at = blockRows[i]!;
      const type = kinds[at]! & TYPE_MASK;
      if (type !== TEXT) {
        ids[i] = this.findOtherId(type, at);
        continue;
      }
      const text = numbers[at]!;
      if (idsByText[text] === UNKNOWN) idsByText[text] = this.findTextId(at, text);
      ids[i] = idsByText[text]!;
    }
  }

  /** The number of a value that is not a text. A new value gets a new number. */
  private findOtherId(type: number, blockRow: number): number {
    if (type === NUMBER || type === ERROR || !this.hasPlainNumbers) return this.findValueId(blockRow);
    const place = type === BOOLEAN ? this.numbers[blockRow]! : EMPTY_PLACE;
    if (this.idsOfConstants[place] === UNKNOWN) this.idsOfConstants[place] = this.findValueId(blockRow);
    return this.idsOfConstants[place]!;
  }

  /** Looks small whole numbers up in a table, and others among recent ones first: most columns repeat few numbers. */
  private assignIdsOfNumbers(blockRows: Uint8Array, count: number, ids: Int32Array): void {
    const { numbers, seenNumbers, seenNumberIds } = this;
    for (let i = 0; i < count; i++) {
      const at = blockRows[i]!;
      if (at >= numbers.length) {
        ids[i] = this.findOtherId(EMPTY, at);
        continue;
      }
      const number = numbers[at]!;
      if (number >= 0 && number < SMALL_NUMBERS && Math.trunc(number) === number) {
        if (this.idsBySmallNumber.length === 0) this.idsBySmallNumber = new Int32Array(SMALL_NUMBERS).fill(UNKNOWN);
        if (this.idsBySmallNumber[number] === UNKNOWN)
          this.idsBySmallNumber[number] = this.ensureId(this.idsByNumber, number);
        ids[i] = this.idsBySmallNumber[number]!;
        continue;
      }
      BITS[0] = number;
      const mixed = Math.imul(HALVES[0]! ^ Math.imul(HALVES[1]!, MIX), MIX);
      const slot = mixed >>> (32 - NUMBER_MEMO_BITS);
      if (seenNumbers[slot] !== number) {
        seenNumbers[slot] = number;
        seenNumberIds[slot] = this.ensureId(this.idsByNumber, number);
      }
      ids[i] = seenNumberIds[slot]!;
    }
  }

  private assignIdsByCode(rowCodes: Uint16Array, blockRows: Uint8Array, count: number, ids: Int32Array): void {
    const { firstRow } = this;
    if (this.idsByCode.length === 0) this.idsByCode = new Int32Array(CODES).fill(UNKNOWN);
    const { idsByCode } = this;
    for (let i = 0; i < count; i++) {
      const code = rowCodes[firstRow + blockRows[i]!]!;
      let id = idsByCode[code]!;
      if (id === UNKNOWN) {
        const at = blockRows[i]!;
        id = code === NO_TEXT ? this.findOtherId(this.readCellType(at), at) : this.findCodeId(code);
      }
      ids[i] = id;
    }
  }

  /** The number of a text. `text`: its index in the chunk. A new text gets a new number. */
  private findTextId(blockRow: number, text: number): number {
    const { texts } = this.chunk!;
    const place = texts.hashText(text) & (MEMO_PLACES - 1);
    const seen = this.seenTexts[place];
    if (seen !== undefined && texts.isText(text, seen)) return this.seenIds[place]!;
    const id = this.findValueId(blockRow);
    this.seenTexts[place] = texts.decodeOnce(text);
    this.seenIds[place] = id;
    return id;
  }

  /**
   * The number of a text with a code of the column's index. A new text gets a new number. An empty text has the number of
   * empty cells.
   */
  private findCodeId(code: number): number {
    const { idsByCode } = this;
    const textCodes = this.textCodes!;
    if (code >= this.equalCodes.length) this.equalCodes = textCodes.getEqualCodes(this.caseSensitive);
    const first = this.equalCodes[code]!;
    // If two texts are equal, the one with the lower code decides the number.
    if (idsByCode[first] === UNKNOWN) {
      const text = textCodes.texts[first]!;
      const needsKey = text === '' || this.hasBlockWithoutCodes;
      idsByCode[first] = needsKey
        ? this.ensureId(this.idsByKey, this.createValueKey(text === '' ? null : text))
        : this.count++;
    }
    idsByCode[code] = idsByCode[first]!;
    return idsByCode[code]!;
  }

  /** Adds the keys of all texts that got their numbers by code, because the next texts have no codes. */
  private addKeysOfCodes(): void {
    this.hasBlockWithoutCodes = true;
    for (const [code, id] of this.idsByCode.entries()) {
      const text = this.textCodes?.texts[code];
      if (id !== UNKNOWN && text !== undefined && text !== '') this.idsByKey.set(this.createValueKey(text), id);
    }
  }

  /** Returns the id of the value in a row of the block. A new value gets a new id. */
  private findValueId(blockRow: number): number {
    const value = this.isPlainNumber(blockRow) ? this.numbers[blockRow]! : this.readScalar(blockRow);
    if (typeof value === 'number') return this.ensureId(this.idsByNumber, value);
    return this.ensureId(this.idsByKey, isError(value) ? `e${value.code}` : this.createValueKey(value));
  }

  /** A key that is equal for values with the same number. */
  private createValueKey(value: string | boolean | null): string {
    return typeof value === 'string' ? `t${this.caseSensitive ? composeText(value) : foldName(value)}` : `o${value}`;
  }

  /** The number of a key; a new key gets the next number. */
  private ensureId<K>(ids: Map<K, number>, key: K): number {
    const existingId = ids.get(key);
    if (existingId !== undefined) return existingId;
    ids.set(key, this.count);
    return this.count++;
  }
}
