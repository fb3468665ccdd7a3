/** Bytes of a page; a longer text has one of its own. */
const PAGE_BYTES = 1024 * 1024;
const FIRST_CAPACITY = 1_024;
/** Numbers held for each text. */
const FIELDS = 3;

/** Of a text whose units V8 keeps in a byte each this is known without looking at them. */
const WIDE_UNIT = /[^\0-\xff]/;

/** Texts by their place, in little more memory than their characters take: as strings a million of them take 30 MB more. */
export class TextList {
  length = 0;
  private readonly pages: Buffer[] = [];
  /** Bytes used of the last page. */
  private used = 0;
  /** For each text its page, times two and one more where a unit takes two bytes, its first byte there, and its bytes. */
  private places = new Uint32Array(FIRST_CAPACITY * FIELDS);

  push(text: string): void {
    const isWide = WIDE_UNIT.test(text);
    const bytes = isWide ? text.length * 2 : text.length;
    if (this.pages.length === 0 || this.used + bytes > PAGE_BYTES) {
      this.pages.push(Buffer.allocUnsafeSlow(Math.max(bytes, PAGE_BYTES)));
      this.used = 0;
    }
    const page = this.pages.length - 1;
    this.pages[page]?.write(text, this.used, isWide ? 'utf16le' : 'latin1');
    this.note(page * 2 + Number(isWide), this.used, bytes);
    this.used += bytes;
  }

  /** Undefined where there is none at the place. */
  at(place: number): string | undefined {
    if (!(place >= 0 && place < this.length && Number.isInteger(place))) return undefined;
    const page = this.places[place * FIELDS] as number;
    const start = this.places[place * FIELDS + 1] as number;
    const end = start + (this.places[place * FIELDS + 2] as number);
    return this.pages[page >> 1]?.toString(page & 1 ? 'utf16le' : 'latin1', start, end);
  }

  private note(page: number, start: number, bytes: number): void {
    const at = this.length++ * FIELDS;
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
