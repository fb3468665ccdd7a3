/**
 * Maximum length of a string whose characters V8 hashes, in UTF-16 units. V8 hashes longer strings only by their
 * length, so that a map with a few thousand of them would be searched one by one.
 */
const MAX_HASHED_LENGTH = 16_383;

/** A node of the tree of long texts. The path to it consists of the pieces of a text that were read so far. */
interface TrieNode<V> {
  value: V | undefined;
  readonly next: Map<string, TrieNode<V>>;
}

function createNode<V>(): TrieNode<V> {
  return { value: undefined, next: new Map() };
}

/**
 * A map with texts as keys. Keys that were chosen to collide cannot slow it down: each operation takes as long as
 * reading the key. Long texts are split into pieces, and V8 hashes each piece completely with its secret seed.
 */
export class TextMap<V extends object | string | number | boolean | null> {
  private readonly short = new Map<string, V>();
  private readonly long: TrieNode<V> = createNode();
  private longCount = 0;

  get size(): number {
    return this.short.size + this.longCount;
  }

  /** All values, in no order. */
  listValues(): V[] {
    const values = [...this.short.values()];
    const nodes = [this.long];
    for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
      if (node.value !== undefined) values.push(node.value);
      nodes.push(...node.next.values());
    }
    return values;
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
    this.pruneNodes(text);
  }

  /** The node at the end of a text's path; undefined if there is none. */
  private findNode(text: string): TrieNode<V> | undefined {
    let at: TrieNode<V> | undefined = this.long;
    for (let from = 0; at !== undefined && from < text.length; from += MAX_HASHED_LENGTH) {
      at = at.next.get(text.slice(from, from + MAX_HASHED_LENGTH));
    }
    return at;
  }

  /** Removes the nodes of a text that no longer lead to a value. */
  private pruneNodes(text: string): void {
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
