import type { DateSystem } from '../locale/date-system.ts';
import type { LocaleId } from '../locale/locales.ts';
import { TEXT, TYPE_MASK } from '../sheet/cell-kind.ts';
import { CHUNK_SHIFT, type Chunk } from '../sheet/chunk.ts';
import type { Column } from '../sheet/snapshot.ts';
import { composeText, foldName } from '../value/fold.ts';
import { growArray } from '../value/grow-array.ts';
import { type Moment, parseMoment } from './dates.ts';
import { TextRanks } from './text-ranks.ts';

/** Number of possible codes: 16 bits. */
export const CODES = 65_536;
/** The code of cells without a text. */
export const NO_TEXT = CODES - 1;
/** Maximum number of distinct texts of a column. */
const MAX_CODED_TEXTS = NO_TEXT;
/** Maximum total length of the distinct texts of a column, in characters. */
const MAX_CHARACTERS = 2 ** 22;
/** Number of texts that are read between two pauses. */
const TEXTS_PER_STEP = 8_192;
/** Bytes of a row in the limit of all indexes. */
const ROW_BYTES = 20;
/** Spare rows of a grown list of codes, as a share of all rows. */
const SPARE_SHARE = 1 / 8;

/** Texts that are equal in records. */
interface EqualTexts {
  /** For each text number, the number of the first equal text. */
  readonly codes: number[];
  readonly byKey: Map<string, number>;
}

/**
 * Numbers of the distinct texts of a column, and the number of each row's text. A search tests each text once, and
 * groups are found without reading texts. After changes of the document only changed chunks are read again. Texts that
 * no cell contains any more keep their numbers.
 */
export class TextCodes {
  /** The texts, by their number. */
  readonly texts: string[] = [];
  private readonly numbers = new Map<string, number>();
  private chunks: (Chunk | undefined)[] = [];
  private codes = new Uint16Array(0);
  private synced: Column | null = null;
  /** Number of updates so far. */
  private updateCount = 0;
  private readonly folded: EqualTexts = { codes: [], byKey: new Map() };
  private readonly exact: EqualTexts = { codes: [], byKey: new Map() };
  /** The ranks of the texts in the locale of the last sorted page. */
  private ranks: TextRanks | null = null;
  /** The moments of texts in plain form by code, in the date system of the last filter; null for other texts. */
  private moments: (Moment | null | undefined)[] = [];
  private dateSystem: DateSystem | null = null;
  private characters = 0;
  private isFull = false;

  /**
   * The memory of the numbers and ranks, converted to rows of an index with 20 bytes per row. Numbers take 2 bytes per
   * row, and texts with their moments about 120.
   */
  get size(): number {
    return (this.codes.length >> 3) + 6 * this.texts.length + Math.ceil((this.ranks?.bytes ?? 0) / ROW_BYTES);
  }

  /** False if the column has too many distinct texts. */
  get isUsable(): boolean {
    return !this.isFull;
  }

  /**
   * The number of the text of each row; `NO_TEXT` for other cells. Valid until the next update, for the blocks for which
   * `hasChunk` is true.
   */
  get rowCodes(): Uint16Array {
    return this.codes;
  }

  /** True if `rowCodes` contains the texts of this chunk. */
  hasChunk(block: number, chunk: Chunk): boolean {
    return this.chunks[block] === chunk;
  }

  /** True if `rowCodes` contains the current texts of the column. */
  isSyncedWith(column: Column): boolean {
    return this.synced === column;
  }

  /** Updates the numbers of the rows. Pauses regularly; check `isSyncedWith` after it. */
  *updateInSteps(column: Column): Generator<void, void> {
    if (this.synced === column || this.isFull) return;
    const turn = ++this.updateCount;
    this.synced = null;
    const { chunks } = column;
    yield* chunks.makeInSteps();
    if (turn !== this.updateCount) return;
    this.resize(chunks.length);
    const recent = new RecentTexts();
    let visited = 0;
    for (let block = 0; block < chunks.length; block++) {
      const chunk = chunks.at(block);
      if (chunk === this.chunks[block]) continue;
      this.readChunk(block, chunk, recent);
      if (this.isFull) return this.dropRows();
      visited += chunk?.texts.count ?? 0;
      if (visited < TEXTS_PER_STEP) continue;
      visited = 0;
      yield;
      if (turn !== this.updateCount) return;
    }
    this.synced = column;
  }

  /**
   * Returns the rank of each code in the order of a locale; `LAST_RANK` for empty texts and `NO_TEXT`. Pauses regularly;
   * null if new texts were added meanwhile.
   */
  *rankInSteps(locale: LocaleId): Generator<void, Uint16Array | null> {
    if (this.ranks?.locale !== locale) this.ranks = new TextRanks(locale);
    return yield* this.ranks.updateInSteps(this);
  }

  /** The moment of the text with a code, if it is in plain form; else null. Each text is parsed once. */
  readMoment(code: number, system: DateSystem): Moment | null {
    if (this.dateSystem !== system) {
      this.moments = [];
      this.dateSystem = system;
    }
    let moment = this.moments[code];
    if (moment === undefined) {
      moment = parseMoment(this.texts[code]!, system);
      this.moments[code] = moment;
    }
    return moment;
  }

  /** Sets the number of blocks. */
  private resize(blocks: number): void {
    this.chunks.length = blocks;
    const rows = blocks << CHUNK_SHIFT;
    if (rows <= this.codes.length) return;
    const { length } = this.codes;
    const capacity = length === 0 ? rows : rows + Math.ceil(rows * SPARE_SHARE);
    this.codes = growArray(this.codes, capacity).fill(NO_TEXT, length);
  }

  /** Numbers the texts of a block. */
  private readChunk(block: number, chunk: Chunk | undefined, recent: RecentTexts): void {
    const first = block << CHUNK_SHIFT;
    this.codes.fill(NO_TEXT, first, (block + 1) << CHUNK_SHIFT);
    this.chunks[block] = chunk;
    if (chunk === undefined || chunk.texts.count === 0) return;
    const { kinds, numbers, texts } = chunk;
    const codesByText = new Uint16Array(texts.count).fill(NO_TEXT);
    for (let at = 0; at < kinds.length; at++) {
      if ((kinds[at]! & TYPE_MASK) !== TEXT) continue;
      const text = numbers[at]!;
      if (codesByText[text] === NO_TEXT) codesByText[text] = this.findTextNumber(chunk, text, recent);
      this.codes[first + at] = codesByText[text]!;
    }
  }

  /** The number of a text of a chunk; a new text gets the next number, or 0 if there are too many. */
  private findTextNumber({ texts }: Chunk, index: number, recent: RecentTexts): number {
    const slot = recent.findSlot(texts.digestText(index));
    const number = recent.numbers[slot]!;
    if (number >= 0 && texts.isText(index, this.texts[number]!)) return number;
    recent.numbers[slot] = this.ensureTextNumber(texts.decodeOnce(index));
    return recent.numbers[slot]!;
  }

  /** The number of a text; a new text gets the next number, or 0 if there are too many. */
  private ensureTextNumber(text: string): number {
    const existingNumber = this.numbers.get(text);
    if (existingNumber !== undefined) return existingNumber;
    this.characters += text.length;
    this.isFull ||= this.texts.length >= MAX_CODED_TEXTS || this.characters > MAX_CHARACTERS;
    if (this.isFull) return 0;
    this.numbers.set(text, this.texts.length);
    return this.texts.push(text) - 1;
  }

  /** Drops the numbers of all rows, because the column has too many distinct texts. */
  private dropRows(): void {
    this.chunks = [];
    this.codes = new Uint16Array(0);
  }

  /**
   * Returns, for each text number, the number of the first text that is equal to it in records. Valid until the next
   * call.
   */
  getEqualCodes(caseSensitive: boolean): readonly number[] {
    return this.addEqualCodes(caseSensitive, this.texts.length);
  }

  /** Like `getEqualCodes`. Pauses regularly. */
  *findEqualCodesInSteps(caseSensitive: boolean): Generator<void, readonly number[]> {
    const { codes } = this.getEqualTexts(caseSensitive);
    while (this.texts.length - codes.length > TEXTS_PER_STEP) {
      this.addEqualCodes(caseSensitive, codes.length + TEXTS_PER_STEP);
      yield;
    }
    return this.getEqualCodes(caseSensitive);
  }

  /** The number of the first text with a key; null if there is none. Knows the texts of the last `getEqualCodes`. */
  findEqualCode(key: string, caseSensitive: boolean): number | null {
    return this.getEqualTexts(caseSensitive).byKey.get(key) ?? null;
  }

  private getEqualTexts(caseSensitive: boolean): EqualTexts {
    return caseSensitive ? this.exact : this.folded;
  }

  /** Extends the list of equal texts to at least `end` texts, and returns it. */
  private addEqualCodes(caseSensitive: boolean, end: number): readonly number[] {
    const { codes, byKey } = this.getEqualTexts(caseSensitive);
    for (let code = codes.length; code < end; code++) {
      const text = this.texts[code]!;
      const key = caseSensitive ? composeText(text) : foldName(text);
      const first = byKey.get(key) ?? code;
      if (first === code) byKey.set(key, code);
      codes.push(first);
    }
    return codes;
  }
}

const RECENT_BITS = 14;

/**
 * The numbers of recent texts by their hashes. Comparing a text with one candidate is faster than creating a string to
 * look it up. Each hash has one slot, so that texts with chosen hashes cannot make a lookup slow.
 */
class RecentTexts {
  /** The number of the last text of each slot; -1 for none. */
  readonly numbers = new Int32Array(1 << RECENT_BITS).fill(-1);

  findSlot(hash: number): number {
    return (hash ^ (hash >>> RECENT_BITS)) & ((1 << RECENT_BITS) - 1);
  }
}
