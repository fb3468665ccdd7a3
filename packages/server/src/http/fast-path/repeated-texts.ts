/** An entry with the text that identifies it. */
interface RepeatedEntry<V> {
  readonly key: string;
  readonly value: V;
}

/**
 * Values of texts that occur repeatedly. A text that occurs once leaves only its hash, so that no memory is kept for
 * it. Texts with equal slots replace each other. Looking up a new text in a `Map` takes several times longer, because
 * V8 first adds the text to its table of unique strings.
 */
export class RepeatedTexts<V> {
  /** The hash of the last text noted for each slot. */
  private readonly hashes: Int32Array;
  /** The hash of each slot's entry. Comparing it costs less than comparing two texts that begin alike. */
  private readonly entryHashes: Int32Array;
  private readonly entries: (RepeatedEntry<V> | undefined)[];

  /** `size`: number of entries, a power of two. */
  constructor(size: number) {
    this.hashes = new Int32Array(size);
    this.entryHashes = new Int32Array(size);
    this.entries = new Array<RepeatedEntry<V> | undefined>(size).fill(undefined);
  }

  /** The value of a text; undefined: none, or the slot's text is another one. */
  get(text: string, hash: number): V | undefined {
    const slot = this.toSlotIndex(hash);
    if (this.entryHashes[slot] !== hash) return undefined;
    const entry = this.entries[slot];
    return entry?.key === text ? entry.value : undefined;
  }

  /** Whether a text with this hash was the last one noted for its slot. Notes the hash. */
  recordHash(hash: number): boolean {
    const slot = this.toSlotIndex(hash);
    const isRepeated = this.hashes[slot] === hash;
    this.hashes[slot] = hash;
    return isRepeated;
  }

  set(text: string, hash: number, value: V): void {
    const slot = this.toSlotIndex(hash);
    this.entryHashes[slot] = hash;
    this.entries[slot] = { key: text, value };
  }

  /** The slot of a hash in the table, whose size is a power of two. */
  private toSlotIndex(hash: number): number {
    return hash & (this.entries.length - 1);
  }
}
