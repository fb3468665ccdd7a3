import { compareTexts } from '../functions/order.ts';
import type { LocaleId } from '../locale/locales.ts';
import { computeValueOrder } from './sort-rows.ts';
import { CODES, NO_TEXT, type TextCodes } from './text-codes.ts';

/** Maximum number of new texts that are inserted into the order. For more, all texts are sorted. */
const MAX_INSERTED = 64;
/** The rank of cells without a text: it comes last. */
export const LAST_RANK = CODES - 1;

/** The ranks of a column's distinct texts in the order of a locale. Equal texts have the same rank. */
export class TextRanks {
  private readonly locale: LocaleId;
  /** Codes of texts in their order. */
  private order: number[] = [];
  private ranks = new Uint16Array(CODES).fill(LAST_RANK);

  constructor(locale: LocaleId) {
    this.locale = locale;
  }

  /**
   * Updates the ranks by code. Empty texts and `NO_TEXT` have `LAST_RANK`. Pauses regularly; null if new texts were added
   * meanwhile.
   */
  *updateInSteps(codes: TextCodes): Generator<void, Uint16Array | null> {
    const { texts } = codes;
    const count = texts.length;
    if (this.order.length === count) return this.ranks;
    const order =
      count - this.order.length > MAX_INSERTED
        ? [...(yield* computeValueOrder(count, [{ values: texts.slice(), descending: false }], this.locale))]
        : this.insertTexts(texts);
    if (texts.length !== count) return null;
    this.order = order;
    const equalCodes = codes.getEqualCodes(false);
    const ranks = new Uint16Array(CODES).fill(LAST_RANK);
    let rank = -1;
    for (const [i, code] of order.entries()) {
      if (texts[code] === '') continue;
      const before = order[i - 1];
      if (before === undefined || equalCodes[before] !== equalCodes[code]) rank++;
      ranks[code] = rank;
    }
    ranks[NO_TEXT] = LAST_RANK;
    this.ranks = ranks;
    return ranks;
  }

  /** The order with the new texts. */
  private insertTexts(texts: readonly string[]): number[] {
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
