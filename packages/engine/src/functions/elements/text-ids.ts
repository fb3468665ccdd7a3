import { foldCase } from '../../value/fold.ts';
import { TextMap } from '../../value/text-map.ts';

/** Numbers texts, so that arrays can contain numbers in their place. Equal texts have the same id. */
export class TextIds {
  private readonly texts: string[] = [];
  private readonly folded: number[] = [];
  private readonly ids = new TextMap<number>();
  private readonly foldedIds = new TextMap<number>();

  get size(): number {
    return this.texts.length;
  }

  /** The id of a text; adds the text if it has none. */
  toId(text: string): number {
    const existing = this.ids.get(text);
    if (existing !== undefined) return existing;
    const id = this.texts.length;
    const key = foldCase(text);
    const foldedId = this.foldedIds.get(key) ?? id;
    if (foldedId === id) this.foldedIds.set(key, id);
    this.ids.set(text, id);
    this.texts.push(text);
    this.folded.push(foldedId);
    return id;
  }

  textOf(id: number): string {
    return this.texts[id]!;
  }

  /** By id: a number that ids share if their texts are equal for the operator `=`. */
  get foldIds(): readonly number[] {
    return this.folded;
  }

  /** The number in `foldIds` of texts that are equal to `text`; -1 if there is none. */
  findFoldId(text: string): number {
    return this.foldedIds.get(foldCase(text)) ?? -1;
  }
}
