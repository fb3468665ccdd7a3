import { hashFolded } from '../../functions/folded-hash.ts';
import { foldCase } from '../../value/fold.ts';
import { TextMap } from '../../value/text-map.ts';
import { addRow, deleteRow, type IndexedRows, insertRow, removeRow } from './row-lists.ts';

const MIN_CAPACITY = 64;
/** Number of slots of the hash table for each text. */
const SLOTS_PER_TEXT = 2;
const FREE = -1;
/**
 * Maximum distance of a text from the slot of its hash, and maximum number of texts with one hash. If it is exceeded,
 * the texts were probably chosen to collide, and they are stored in a map.
 */
const MAX_DISTANCE = 256;
const MAX_SAME_HASH = 8;

/**
 * Finds the rows that contain a text in any letter case. It uses its own hash table instead of a map: one
 * case-insensitive hash finds every spelling, and texts are folded only if two spellings are compared. If too many
 * texts collide, it uses a map.
 */
export class TextRows {
  /** Entry numbers by hash. Each is in the first free slot from the slot of its hash on. */
  private places = new Int32Array(MIN_CAPACITY).fill(FREE);
  private readonly texts: string[] = [];
  private readonly hashes: number[] = [];
  /**
   * The rows of each entry; undefined if no row contains the text any more. The entry stays until unused entries are
   * removed.
   */
  private readonly rows: (IndexedRows | undefined)[] = [];
  private emptyEntries = 0;
  private collisions = 0;
  /** All rows by folded text. Once it exists, the table is not used. */
  private folded: TextMap<IndexedRows> | null = null;

  get(text: string): IndexedRows | undefined {
    if (this.folded) return this.folded.get(foldCase(text));
    const entry = this.findEntry(text, hashFolded(text));
    return entry === FREE ? undefined : this.rows[entry];
  }

  add(text: string, row: number): void {
    if (this.folded) return insertRow(this.folded, foldCase(text), row);
    const hash = hashFolded(text);
    const entry = this.findEntry(text, hash);
    if (entry === FREE) return this.appendText(text, hash, row);
    const rows = this.rows[entry];
    if (rows === undefined) this.emptyEntries--;
    this.rows[entry] = rows === undefined ? row : addRow(rows, row);
  }

  remove(text: string, row: number): void {
    if (this.folded) return removeRow(this.folded, foldCase(text), row);
    const entry = this.findEntry(text, hashFolded(text));
    const rows = entry === FREE ? undefined : this.rows[entry];
    if (rows === undefined) return;
    this.rows[entry] = deleteRow(rows, row);
    if (this.rows[entry] === undefined) this.emptyEntries++;
  }

  /**
   * Returns the number of a text's entry; -1 for none. Then `collisions` is the number of other texts with its hash.
   */
  private findEntry(text: string, hash: number): number {
    const { places, hashes, texts } = this;
    const mask = places.length - 1;
    let folded: string | null = null;
    this.collisions = 0;
    for (let at = hash & mask; ; at = (at + 1) & mask) {
      const entry = places[at]!;
      if (entry === FREE) return FREE;
      if (hashes[entry] !== hash) continue;
      const candidate = texts[entry]!;
      if (candidate === text) return entry;
      this.collisions++;
      // Folding does not change the length.
      if (candidate.length !== text.length) continue;
      folded ??= foldCase(text);
      if (foldCase(candidate) === folded) return entry;
    }
  }

  /** Adds an entry for a new text with its first row. */
  private appendText(text: string, hash: number, row: number): void {
    const { collisions } = this;
    if ((this.texts.length + 1) * SLOTS_PER_TEXT > this.places.length) this.makeRoom();
    const distance = this.placeEntry(this.texts.length, hash);
    this.texts.push(text);
    this.hashes.push(hash);
    this.rows.push(row);
    if (distance > MAX_DISTANCE || collisions >= MAX_SAME_HASH) this.switchToMap();
  }

  /** Puts an entry into the first free slot. Returns its distance from the slot of its hash. */
  private placeEntry(entry: number, hash: number): number {
    const mask = this.places.length - 1;
    let at = hash & mask;
    while (this.places[at] !== FREE) at = (at + 1) & mask;
    this.places[at] = entry;
    return (at - hash) & mask;
  }

  /** Copies all entries into a map, which is used instead of the hash table from now on. */
  private switchToMap(): void {
    const folded = new TextMap<IndexedRows>();
    for (const [entry, text] of this.texts.entries()) {
      const rows = this.rows[entry];
      if (rows !== undefined) folded.set(foldCase(text), rows);
    }
    this.folded = folded;
    this.places = new Int32Array(0);
    this.texts.length = 0;
    this.hashes.length = 0;
    this.rows.length = 0;
  }

  /** Removes unused entries, and doubles the table if that does not free enough. */
  private makeRoom(): void {
    const grows = this.emptyEntries * SLOTS_PER_TEXT < this.texts.length;
    this.removeUnusedTexts();
    this.places = new Int32Array(grows ? this.places.length * SLOTS_PER_TEXT : this.places.length).fill(FREE);
    for (let entry = 0; entry < this.hashes.length; entry++) this.placeEntry(entry, this.hashes[entry]!);
  }

  private removeUnusedTexts(): void {
    let kept = 0;
    for (let entry = 0; entry < this.texts.length; entry++) {
      const rows = this.rows[entry];
      if (rows === undefined) continue;
      this.texts[kept] = this.texts[entry]!;
      this.hashes[kept] = this.hashes[entry]!;
      this.rows[kept++] = rows;
    }
    this.texts.length = kept;
    this.hashes.length = kept;
    this.rows.length = kept;
    this.emptyEntries = 0;
  }
}
