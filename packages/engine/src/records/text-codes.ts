import { CHUNK_SHIFT, type Chunk } from '../sheet/chunk.ts';
import { composeText, foldName } from '../value/fold.ts';

/** Maximum number of distinct texts of a column. It allows numbers of 16 bits. */
const MAX_CODED_TEXTS = 65_535;
/** Maximum total length of the distinct texts of a column, in characters. */
const MAX_CHARACTERS = 2 ** 22;

/** Texts that are equal in records. */
interface EqualTexts {
  /** For each text number, the number of the first equal text. */
  readonly codes: number[];
  readonly byKey: Map<string, number>;
}

interface CodedBlock {
  readonly chunk: Chunk;
  /** For each text of the chunk, its number in the column. */
  readonly codes: Uint16Array;
}

/**
 * Assigns numbers to the distinct texts of a column, so that a search tests each text once. The texts of an unchanged
 * chunk are numbered once. Texts that no cell contains any more keep their numbers.
 */
export class TextCodes {
  /** The texts, by their number. */
  readonly texts: string[] = [];
  private readonly numbers = new Map<string, number>();
  private readonly blocks: (CodedBlock | undefined)[] = [];
  private readonly folded: EqualTexts = { codes: [], byKey: new Map() };
  private readonly exact: EqualTexts = { codes: [], byKey: new Map() };
  private characters = 0;
  private isFull = false;
  private rows = 0;

  /**
   * The memory of the numbers, converted to rows of an index with 20 bytes per row. Numbers take 2 bytes per row and
   * about 80 per text.
   */
  get size(): number {
    return (this.rows >> 3) + 4 * this.texts.length;
  }

  /** Number of rows whose texts are numbered. */
  get coveredRows(): number {
    return this.rows;
  }

  /** False if the column has too many distinct texts. */
  get isUsable(): boolean {
    return !this.isFull;
  }

  /** Sets the number of blocks of the column. */
  resize(blocks: number): void {
    if (this.blocks.length > blocks) this.blocks.length = blocks;
    this.rows = blocks << CHUNK_SHIFT;
  }

  /** Returns the numbers of a chunk's texts; null if there are too many distinct texts. */
  getChunkCodes(block: number, chunk: Chunk): Uint16Array | null {
    const cached = this.blocks[block];
    if (cached?.chunk === chunk) return cached.codes;
    if (this.isFull) return null;
    const { texts } = chunk;
    const codes = new Uint16Array(texts.count);
    for (let i = 0; i < codes.length; i++) codes[i] = this.ensureTextNumber(texts.decodeOnce(i));
    if (this.isFull) return null;
    this.blocks[block] = { chunk, codes };
    return codes;
  }

  /**
   * Returns, for each text number, the number of the first text that is equal to it in records. Valid until the next
   * call.
   */
  getEqualCodes(caseSensitive: boolean): readonly number[] {
    const { codes, byKey } = caseSensitive ? this.exact : this.folded;
    for (let code = codes.length; code < this.texts.length; code++) {
      const text = this.texts[code]!;
      const key = caseSensitive ? composeText(text) : foldName(text);
      const first = byKey.get(key) ?? code;
      if (first === code) byKey.set(key, code);
      codes.push(first);
    }
    return codes;
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
}
