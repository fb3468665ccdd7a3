/**
 * V8 gives longer strings a hash by their length alone, so that a map of a few thousand of them is searched one by one.
 * UTF-16 units.
 */
const MAX_HASHED_LENGTH = 16_383;

/** A long text's place: after the pieces that lead here. */
interface TrieNode<V> {
  value: V | undefined;
  readonly next: Map<string, TrieNode<V>>;
}

function createNode<V>(): TrieNode<V> {
  return { value: undefined, next: new Map() };
}

/**
 * A map by text whose cost nobody can choose: a step takes as long as reading the text, whatever else the map holds.
 * Long texts are found piece by piece, each by a hash over all of it, with V8's own secret seed.
 */
export class TextMap<V extends object | string | number | boolean | null> {
  private readonly short = new Map<string, V>();
  private readonly long: TrieNode<V> = createNode();
  private longCount = 0;

  get size(): number {
    return this.short.size + this.longCount;
  }

  get(text: string): V | undefined {
    return text.length <= MAX_HASHED_LENGTH ? this.short.get(text) : this.findNode(text)?.value;
  }

  set(text: string, value: V): void {
    if (text.length <= MAX_HASHED_LENGTH) {
      this.short.set(text, value);
      return;
    }
    let at = this.long;
    for (let from = 0; from < text.length; from += MAX_HASHED_LENGTH) {
      const piece = text.slice(from, from + MAX_HASHED_LENGTH);
      let next = at.next.get(piece);
      if (next === undefined) {
        next = createNode();
        at.next.set(piece, next);
      }
      at = next;
    }
    if (at.value === undefined) this.longCount++;
    at.value = value;
  }

  delete(text: string): void {
    if (text.length <= MAX_HASHED_LENGTH) {
      this.short.delete(text);
      return;
    }
    const place = this.findNode(text);
    if (place?.value === undefined) return;
    place.value = undefined;
    this.longCount--;
    this.prune(text);
  }

  private findNode(text: string): TrieNode<V> | undefined {
    let at: TrieNode<V> | undefined = this.long;
    for (let from = 0; at !== undefined && from < text.length; from += MAX_HASHED_LENGTH) {
      at = at.next.get(text.slice(from, from + MAX_HASHED_LENGTH));
    }
    return at;
  }

  /** Lets go the places of a text that lead nowhere any more. */
  private prune(text: string): void {
    const way = [this.long];
    const pieces: string[] = [];
    for (let from = 0; from < text.length; from += MAX_HASHED_LENGTH) {
      const piece = text.slice(from, from + MAX_HASHED_LENGTH);
      pieces.push(piece);
      way.push((way[way.length - 1] as TrieNode<V>).next.get(piece)!);
    }
    for (let i = pieces.length; i > 0; i--) {
      const { value, next } = way[i]!;
      if (value !== undefined || next.size > 0) return;
      way[i - 1]!.next.delete(pieces[i - 1]!);
    }
  }
}
