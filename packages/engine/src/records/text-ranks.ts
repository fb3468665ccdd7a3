import { compareTexts } from '../functions/order.ts';
import type { LocaleId } from '../locale/locales.ts';
import { computeValueOrder } from './sort-rows.ts';

/** Maximum number of new texts that are inserted into the order. For more, all texts are sorted. */
const MAX_INSERTED = 64;
/** Number of possible codes of texts, and of ranks: 16 bits. */
const RANKS = 65_536;
/** The rank of empty texts and of cells without a text: they come last. */
export const LAST_RANK = RANKS - 1;

/** Texts by code, and for each code the code of the first equal text. */
interface RankedTexts {
  readonly texts: readonly string[];
  getEqualCodes(caseSensitive: boolean): readonly number[];
}

/** The ranks of a column's distinct texts in the order of a locale. Equal texts have the same rank. */
export class TextRanks {
  readonly locale: LocaleId;
  /** Codes of texts in their order. */
  private order: readonly number[] = [];
  private ranks = new Uint16Array(RANKS).fill(LAST_RANK);

  constructor(locale: LocaleId) {
    this.locale = locale;
  }

  /** The memory of the ranks in bytes. */
  get bytes(): number {
    return this.ranks.byteLength + Float64Array.BYTES_PER_ELEMENT * this.order.length;
  }

  /** Updates the ranks by code. Pauses regularly; null if new texts were added meanwhile. */
  *updateInSteps(coded: RankedTexts): Generator<void, Uint16Array | null> {
    const { texts } = coded;
    const count = texts.length;
    if (this.order.length === count) return this.ranks;
    const order =
      count - this.order.length > MAX_INSERTED
        ? yield* computeValueOrder(count, [{ values: texts.slice(), descending: false }], this.locale)
        : this.insertTexts(texts);
    if (texts.length !== count) return null;
    this.order = order;
    const equalCodes = coded.getEqualCodes(false);
    const ranks = new Uint16Array(RANKS).fill(LAST_RANK);
    let rank = -1;
    for (const [i, code] of order.entries()) {
      if (texts[code] === '') continue;
      const before = order[i - 1];
      if (before === undefined || equalCodes[before] !== equalCodes[code]) rank++;
      ranks[code] = rank;
    }
    this.ranks = ranks;
    return ranks;
  }

  /** The order with the new texts. */
  private insertTexts(texts: readonly string[]): readonly number[] {
    const order = this.order.slice();
    for (let code = order.length; code < texts.length; code++) {
      let low = 0;
      let high = order.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (compareTexts(texts[order[middle]!]!, texts[code]!, this.locale) <= 0) low = middle + 1;
        else high = middle;
      }
      order.splice(low, 0, code);
    }
    return order;
  }
}
