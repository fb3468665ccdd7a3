/** Size of a page in bytes; a longer text gets its own page. */
const PAGE_BYTES = 1024 * 1024;
const INITIAL_CAPACITY = 1_024;
/** Numbers stored for each text. */
const NUMBERS_PER_TEXT = 3;

/** Matches a UTF-16 unit that needs two bytes. If V8 stores the text with one byte per unit, the test takes no time. */
const WIDE_UNIT = /[^\0-\xff]/;

/**
 * A list of texts that takes little more memory than their characters. As strings, a million texts would take 30 MB
 * more.
 */
export class TextList {
  length = 0;
  private readonly pages: Buffer[] = [];
  /** Used bytes of the last page. */
  private used = 0;
  /**
   * For each text: twice its page, plus one if its units take two bytes; the offset in the page; the length in bytes.
   */
  private places = new Uint32Array(INITIAL_CAPACITY * NUMBERS_PER_TEXT);

  appendText(text: string): void {
    const isWide = WIDE_UNIT.test(text);
    const bytes = isWide ? text.length * 2 : text.length;
    if (this.pages.length === 0 || this.used + bytes > PAGE_BYTES) {
      this.pages.push(Buffer.allocUnsafeSlow(Math.max(bytes, PAGE_BYTES)));
      this.used = 0;
    }
    const page = this.pages.length - 1;
    this.pages[page]?.write(text, this.used, isWide ? 'utf16le' : 'latin1');
    this.recordText(page * 2 + Number(isWide), this.used, bytes);
    this.used += bytes;
  }

  /** The text at an index; undefined if there is none. */
  getText(index: number): string | undefined {
    if (!(index >= 0 && index < this.length && Number.isInteger(index))) return undefined;
    const page = this.places[index * NUMBERS_PER_TEXT] as number;
    const start = this.places[index * NUMBERS_PER_TEXT + 1] as number;
    const end = start + (this.places[index * NUMBERS_PER_TEXT + 2] as number);
    return this.pages[page >> 1]?.toString(page & 1 ? 'utf16le' : 'latin1', start, end);
  }

  /** Records where a text is: its page, its first byte, its length in bytes. */
  private recordText(page: number, start: number, bytes: number): void {
    const at = this.length++ * NUMBERS_PER_TEXT;
    if (at === this.places.length) {
      const grown = new Uint32Array(2 * at);
      grown.set(this.places);
      this.places = grown;
    }
    this.places[at] = page;
    this.places[at + 1] = start;
    this.places[at + 2] = bytes;
  }
}
