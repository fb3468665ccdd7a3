import { TEXT, TYPE_MASK } from './cell-kind.ts';
import { TextPacker } from './text-packer.ts';
import { Texts } from './texts.ts';

/** Adds `textCount` to the text indexes of the rows with texts. */
export function renumberTexts(
  kinds: Uint8Array,
  numbers: Float64Array,
  first: number,
  end: number,
  textCount: number,
): void {
  for (let row = first; row < end; row++) {
    if ((kinds[row]! & TYPE_MASK) === TEXT) numbers[row] = numbers[row]! + textCount;
  }
}

const EMPTY_TEXT: TextSource = { addTo: (packer) => packer.add('') };

/**
 * Joins lists of texts to one source. Its indexes count through all lists in their order; higher indexes continue in
 * `last`.
 */
export function joinTexts(texts: readonly Texts[], last: TextSource = EMPTY_TEXT): TextSource {
  return {
    addTo: (packer, index) => {
      let at = index;
      for (const chunkTexts of texts) {
        if (at < chunkTexts.count) return chunkTexts.addTo(packer, at);
        at -= chunkTexts.count;
      }
      return last.addTo(packer, at);
    },
  };
}

export interface TextSource {
  /** Adds the text with an index to a packer, and returns its new index. */
  addTo(packer: TextPacker, index: number): number;
}

/**
 * Returns the texts that the first rows use in their stored form: each text once, in row order, packed texts first.
 * Writes their new indexes into `numbers`.
 */
export function toStoredTexts(
  { kinds, texts }: { readonly kinds: Uint8Array; readonly texts: Texts },
  numbers: Float64Array,
  rows: number,
): Texts {
  return areStoredForm(kinds, texts, numbers, rows) ? texts : packTexts(kinds, texts, numbers, rows);
}

/** True if texts already have their stored form, as after an import. Does not read the texts. */
function areStoredForm(kinds: Uint8Array, texts: Texts, numbers: Float64Array, rows: number): boolean {
  if (!texts.areDistinct) return false;
  let seen = 0;
  for (let row = 0; row < rows; row++) {
    if ((kinds[row]! & TYPE_MASK) !== TEXT) continue;
    const index = numbers[row]!;
    if (index > seen) return false;
    if (index === seen) seen++;
  }
  return seen === texts.count;
}

/** Packs the texts that the first rows use: each once, short ones first. Writes their new indexes into `numbers`. */
export function packTexts(kinds: Uint8Array, texts: TextSource, numbers: Float64Array, rows: number): Texts {
  if (texts === Texts.NONE) return Texts.NONE;
  return packTextsWith((packer, index) => texts.addTo(packer, index), kinds, numbers, rows);
}

/**
 * Packs texts as `packTexts` does, from any source. `add` passes the text with an index to the packer and returns its
 * new index.
 */
export function packTextsWith(
  add: (packer: TextPacker, index: number) => number,
  kinds: Uint8Array,
  numbers: Float64Array,
  rows: number,
): Texts {
  const packer = new TextPacker();
  let hasLong = false;
  for (let row = 0; row < rows; row++) {
    if ((kinds[row]! & TYPE_MASK) !== TEXT) continue;
    const place = add(packer, numbers[row]!);
    numbers[row] = place;
    hasLong ||= place < 0;
  }
  for (let row = 0; hasLong && row < rows; row++) {
    const isText = (kinds[row]! & TYPE_MASK) === TEXT;
    const place = numbers[row]!;
    if (isText && place < 0) numbers[row] = packer.toFinalIndex(place);
  }
  const { units, starts, long } = packer.finish();
  return starts.length === 1 && long.length === 0 ? Texts.NONE : Texts.restoreDistinct(units, starts, long);
}
