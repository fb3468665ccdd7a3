/**
 * V8 gives longer strings a hash by their length alone, so that a map of a few thousand of them is searched one by one.
 * UTF-16 units.
 */
const LONGEST_HASHED = 16_383;

/** A long text's place: after the pieces that lead here. */
interface Place<V> {
  value: V | undefined;
  readonly next: Map<string, Place<V>>;
}

function emptyPlace<V>(): Place<V> {
  return { value: undefined, next: new Map() };
}

/**
 * A map by text whose cost nobody can choose: a step takes as long as reading the text, whatever else the map holds.
 * Long texts are found piece by piece, each by a hash over all of it, with V8's own secret seed.
 */
export class TextMap<V extends object | string | number | boolean | null> {
  private readonly short = new Map<string, V>();
  private readonly long: Place<V> = emptyPlace();
  private longCount = 0;

  get size(): number {
    return this.short.size + this.longCount;
  }

  get(text: string): V | undefined {
    return text.length <= LONGEST_HASHED ? this.short.get(text) : this.place(text)?.value;
  }

  set(text: string, value: V): void {
    if (text.length <= LONGEST_HASHED) {
      this.short.set(text, value);
      return;
    }
    let at = this.long;
    for (let from = 0; from < text.length; from += LONGEST_HASHED) {
      const piece = text.slice(from, from + LONGEST_HASHED);
      let next = at.next.get(piece);
      if (next === undefined) {
        next = emptyPlace();
        at.next.set(piece, next);
      }
      at = next;
    }
    if (at.value === undefined) this.longCount++;
    at.value = value;
  }

  delete(text: string): void {
    if (text.length <= LONGEST_HASHED) {
      this.short.delete(text);
      return;
    }
    const place = this.place(text);
    if (place?.value === undefined) return;
    place.value = undefined;
    this.longCount--;
    this.prune(text);
  }

  private place(text: string): Place<V> | undefined {
    let at: Place<V> | undefined = this.long;
    for (let from = 0; at !== undefined && from < text.length; from += LONGEST_HASHED) {
      at = at.next.get(text.slice(from, from + LONGEST_HASHED));
    }
    return at;
  }

  /** Lets go the places of a text that lead nowhere any more. */
  private prune(text: string): void {
    const way = [this.long];
    const pieces: string[] = [];
    for (let from = 0; from < text.length; from += LONGEST_HASHED) {
      const piece = text.slice(from, from + LONGEST_HASHED);
      pieces.push(piece);
      way.push((way[way.length - 1] as Place<V>).next.get(piece)!);
    }
    for (let i = pieces.length; i > 0; i--) {
      const { value, next } = way[i]!;
      if (value !== undefined || next.size > 0) return;
      way[i - 1]!.next.delete(pieces[i - 1]!);
    }
  }
}
