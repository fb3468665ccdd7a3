import { getPlainWeights, PLAIN_WEIGHTS } from '../functions/order.ts';
import type { LocaleId } from '../locale/locales.ts';
import type { Texts } from '../sheet/texts.ts';

/** Number of characters of a text in one key, which has 50 bits. */
const KEY_CHARACTERS = 7;

/**
 * Returns a number that orders texts of plain characters. It contains seven characters of the text, from position `7 ×
 * depth` on. Texts with different keys have the order of their keys. NaN if the text contains other characters, which
 * need a collator (only at depth 0).
 */
export function computePlainKey(texts: Texts, index: number, locale: LocaleId, depth = 0): number {
  const weights = getPlainWeights(locale);
  const { units, starts } = texts.parts();
  const isPacked = index < starts.length - 1;
  const text = isPacked ? '' : texts.get(index);
  const from = isPacked ? starts[index]! : 0;
  const length = isPacked ? starts[index + 1]! - from : text.length;
  const first = depth * KEY_CHARACTERS;
  const end = first + KEY_CHARACTERS;
  let key = 0;
  for (let i = first; i < (depth === 0 ? length : Math.min(length, end)); i++) {
    const weight = weights[isPacked ? units[from + i]! : text.charCodeAt(i)] ?? 0;
    if (weight === 0) return Number.NaN;
    if (i < end) key = key * PLAIN_WEIGHTS + weight;
  }
  for (let i = Math.max(first, length); i < end; i++) key *= PLAIN_WEIGHTS;
  return key * 2 + Number(length > end);
}

/** The key of a text that is not in a chunk, at depth 0; see `computePlainKey`. */
export function computeStringKey(text: string, locale: LocaleId): number {
  const weights = getPlainWeights(locale);
  let key = 0;
  for (let i = 0; i < text.length; i++) {
    const weight = weights[text.charCodeAt(i)] ?? 0;
    if (weight === 0) return Number.NaN;
    if (i < KEY_CHARACTERS) key = key * PLAIN_WEIGHTS + weight;
  }
  for (let i = text.length; i < KEY_CHARACTERS; i++) key *= PLAIN_WEIGHTS;
  return key * 2 + Number(text.length > KEY_CHARACTERS);
}

/** True if a key does not contain the whole text. Different texts may then have the same key. */
export function isCutKey(key: number): boolean {
  return Math.abs(key % 2) === 1;
}
