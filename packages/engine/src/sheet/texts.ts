/** Texts longer than this stay JavaScript strings: packing them would copy them at every edit of their chunk. */
const LONGEST_PACKED = 256;
/** One-byte texts hold code units up to this. */
const LAST_ONE_BYTE = 255;

/**
 * The distinct texts of one chunk. Short ones lie packed in one array of code units (a JavaScript string takes many
 * bytes beyond its characters), recent and long ones are strings. Cells refer to them by index.
 */
export class Texts {
  static readonly NONE = new Texts(null, []);

  private readonly packed: PackedTexts | null;
  /** Indexes from `packed.count` on. Only appended to, and only while the chunk is owned by a draft. */
  private readonly extra: string[];

  private constructor(packed: PackedTexts | null, extra: string[]) {
    this.packed = packed;
    this.extra = extra;
  }

  /** Packs texts in order of their index; the result's indexes are `indexes[i]` for `texts[i]`. */
  static pack(texts: readonly string[]): Texts {
    const short = texts.filter((text) => text.length <= LONGEST_PACKED);
    return new Texts(short.length === 0 ? null : PackedTexts.of(short), texts.slice(short.length));
  }

  /** Texts whose packed part is at hand: `starts` has one entry more than there are packed texts. */
  static restored(units: Uint8Array | Uint16Array, starts: Uint32Array, extra: string[]): Texts {
    return new Texts(starts.length > 1 ? new PackedTexts(units, starts) : null, extra);
  }

  /** The parts that `restored` takes. */
  parts(): {
    readonly units: Uint8Array | Uint16Array;
    readonly starts: Uint32Array;
    readonly extra: readonly string[];
  } {
    const { packed, extra } = this;
    return packed
      ? { units: packed.units, starts: packed.starts, extra }
      : { units: new Uint8Array(0), starts: new Uint32Array(1), extra };
  }

  /** Whether a text belongs among the packed ones; those must come first in `pack`. */
  static packable(text: string): boolean {
    return text.length <= LONGEST_PACKED;
  }

  get count(): number {
    return (this.packed?.count ?? 0) + this.extra.length;
  }

  get unpacked(): number {
    return this.extra.length;
  }

  get(index: number): string {
    const packed = this.packed;
    if (packed === null) return this.extra[index] as string;
    return index < packed.count ? packed.get(index) : (this.extra[index - packed.count] as string);
  }

  /** Reads many texts in a row. To be used at once: it holds on to decoded texts. */
  reader(): (index: number) => string {
    const { packed } = this;
    if (packed === null) return (index) => this.get(index);
    const decoded = packed.strings();
    return (index) => (index < packed.count ? packed.from(decoded, index) : this.get(index));
  }

  /** Adds a text to a draft's own copy and returns its index. */
  add(text: string): number {
    this.extra.push(text);
    return this.count - 1;
  }

  /** A copy that a draft may add to; the packed part is shared. */
  copy(): Texts {
    return new Texts(this.packed, this.extra.slice());
  }
}

class PackedTexts {
  readonly count: number;
  readonly units: Uint8Array | Uint16Array;
  /** Start of each text in `units`, and the end of the last. */
  readonly starts: Uint32Array;
  /** Decoded texts, as long as memory allows: decoding anew at every read would be dear. */
  private decoded: WeakRef<string[]> | null = null;

  constructor(units: Uint8Array | Uint16Array, starts: Uint32Array) {
    this.units = units;
    this.starts = starts;
    this.count = starts.length - 1;
  }

  static of(texts: readonly string[]): PackedTexts {
    const starts = new Uint32Array(texts.length + 1);
    let length = 0;
    let wide = false;
    texts.forEach((text, i) => {
      starts[i] = length;
      length += text.length;
      wide ||= !isOneByte(text);
    });
    starts[texts.length] = length;
    const units = wide ? new Uint16Array(length) : new Uint8Array(length);
    let at = 0;
    for (const text of texts) {
      for (let i = 0; i < text.length; i++) units[at++] = text.charCodeAt(i);
    }
    return new PackedTexts(units, starts);
  }

  get(index: number): string {
    return this.from(this.strings(), index);
  }

  /** The decoded texts, with gaps; `from` fills them. Many reads in a row need not ask for them each time. */
  strings(): string[] {
    let decoded = this.decoded?.deref();
    if (decoded === undefined) {
      decoded = new Array<string>(this.count);
      this.decoded = new WeakRef(decoded);
    }
    return decoded;
  }

  from(decoded: string[], index: number): string {
    let text = decoded[index];
    if (text === undefined) {
      text = this.decode(index);
      decoded[index] = text;
    }
    return text;
  }

  private decode(index: number): string {
    const from = this.starts[index] as number;
    const to = this.starts[index + 1] as number;
    return String.fromCharCode.apply(null, this.units.subarray(from, to) as unknown as number[]);
  }
}

function isOneByte(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    if (text.charCodeAt(i) > LAST_ONE_BYTE) return false;
  }
  return true;
}

/** Places of the table below: twice as many as a chunk has rows. */
const DISTINCT_PLACES = 512;

/** The distinct texts of one chunk in the order they come. A small table of its own is quicker than a Map. */
export class DistinctTexts {
  readonly texts: string[] = [];
  /** For each text added, its place in `texts`. */
  readonly placeOf: number[] = [];
  private readonly table = new Int16Array(DISTINCT_PLACES).fill(-1);

  /** At most 256 times. */
  add(text: string): void {
    let at = quickHash(text) & (DISTINCT_PLACES - 1);
    for (let place = this.table[at] as number; place >= 0; place = this.table[at] as number) {
      if (this.texts[place] === text) {
        this.placeOf.push(place);
        return;
      }
      at = (at + 1) & (DISTINCT_PLACES - 1);
    }
    this.table[at] = this.texts.length;
    this.placeOf.push(this.texts.length);
    this.texts.push(text);
  }
}

const HASH_PRIME = 0x01000193;
/** Units looked at, from the end: where texts that follow one another differ. */
const HASHED_UNITS = 8;

function quickHash(text: string): number {
  let hash = text.length;
  const from = Math.max(0, text.length - HASHED_UNITS);
  for (let i = text.length - 1; i >= from; i--) hash = Math.imul(hash ^ text.charCodeAt(i), HASH_PRIME);
  return hash ^ (hash >>> 13);
}
