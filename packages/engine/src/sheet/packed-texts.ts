/** Maximum number of code units in one call of `String.fromCharCode`, because argument lists are limited. */
const MAX_PIECE = 4096;

export class PackedTexts {
  readonly count: number;
  readonly units: Uint8Array | Uint16Array;
  /** The start of each text in `units`, and the end of the last text. */
  readonly starts: Uint32Array;
  /** True if each text is known to occur once. */
  readonly areDistinct: boolean;
  /** Decoded texts, kept while memory allows, because decoding at every read would be slow. */
  private decoded: WeakRef<string[]> | null = null;

  constructor(units: Uint8Array | Uint16Array, starts: Uint32Array, areDistinct: boolean) {
    this.units = units;
    this.starts = starts;
    this.areDistinct = areDistinct;
    this.count = starts.length - 1;
  }

  get(index: number): string {
    return this.decodeFrom(this.decodeAll(), index);
  }

  /**
   * Returns the list of decoded texts for many reads in a row. Some elements may be missing; `decodeFrom` adds them.
   */
  decodeAll(): string[] {
    let decoded = this.decoded?.deref();
    if (decoded === undefined) {
      decoded = new Array<string>(this.count);
      this.decoded = new WeakRef(decoded);
    }
    return decoded;
  }

  decodeFrom(decoded: string[], index: number): string {
    let text = decoded[index];
    if (text === undefined) {
      text = this.decodeText(index);
      decoded[index] = text;
    }
    return text;
  }

  hasSameText(index: number, { units, starts }: PackedTexts, otherIndex: number): boolean {
    const start = this.starts[index]!;
    const length = this.starts[index + 1]! - start;
    const from = starts[otherIndex]!;
    if (starts[otherIndex + 1]! - from !== length) return false;
    for (let i = 0; i < length; i++) if (this.units[start + i] !== units[from + i]) return false;
    return true;
  }

  decodeText(index: number): string {
    const from = this.starts[index]!;
    const to = this.starts[index + 1]!;
    let text = '';
    for (let at = from; at < to; at += MAX_PIECE) {
      const piece = this.units.subarray(at, Math.min(to, at + MAX_PIECE));
      text += String.fromCharCode.apply(null, piece as unknown as number[]);
    }
    return text;
  }
}
