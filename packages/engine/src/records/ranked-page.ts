import { compareTexts } from '../functions/order.ts';
import type { LocaleId } from '../locale/locales.ts';
import type { Snapshot } from '../sheet/snapshot.ts';
import type { ColumnTypes } from './cell-values.ts';
import { countContentsInSteps } from './column-type.ts';
import { NUMBERS_PER_STEP } from './radix-sort.ts';
import type { DocumentIndexes } from './record-indexes.ts';
import { findColumn, type Region } from './region.ts';
import { computeValueOrder, type RecordSort } from './sort-rows.ts';
import { CODES, NO_TEXT, type TextCodes } from './text-codes.ts';

/** Rows of a page of a sorted list, and of all groups of equal values that the page contains a part of. */
export interface RankedPage {
  /** The rows of the groups, in ascending order within each group. */
  readonly rows: Uint32Array;
  /** Number of rows before the first group. */
  readonly first: number;
  /** True if there is only one group. */
  readonly isOne: boolean;
}

/** Maximum number of new texts that are inserted into the order. For more, all texts are sorted. */
const MAX_INSERTED = 64;
/** The rank of cells without a text: it comes last. */
const LAST_RANK = CODES - 1;
/** Minimum number of rows for which texts are numbered and ranked. */
const MIN_RANKED_ROWS = 4_096;

/** The ranks of the texts with these codes, for the last locale. */
const ranksByCodes = new WeakMap<TextCodes, { readonly locale: LocaleId; readonly ranks: TextRanks }>();

/**
 * Returns the rows of a page in the order of a column of texts, extended to whole groups of equal texts. Counts the rows
 * of each text, so that no texts are compared. Null if the column has other values or too many different texts. Pauses
 * regularly.
 */
export function* readRankedPage(
  snapshot: Snapshot,
  region: Region,
  rows: ArrayLike<number>,
  { by, types, indexes }: { readonly by: RecordSort; readonly types: ColumnTypes; readonly indexes: DocumentIndexes },
  { from, end }: { readonly from: number; readonly end: number },
): Generator<void, RankedPage | null> {
  const column = findColumn(snapshot, region, by.at);
  if (column === undefined || rows.length < MIN_RANKED_ROWS || types.has(by.at)) return null;
  const contents = yield* countContentsInSteps(snapshot, column, region.header + 1, region.end);
  const others = contents.number + contents.date + contents.time + contents.boolean + contents.error;
  if (contents.text === 0 || others > 0) return null;
  const codes = yield* indexes.requestTextCodes(region.sheet, region.columns[by.at]?.column ?? -1, column);
  const ranks = codes && (yield* requestRanks(codes, snapshot.settings.locale).updateInSteps(codes));
  if (codes === null || ranks === null || !codes.isSyncedWith(column)) return null;
  const { rowCodes } = codes;
  // Empty cells come last in both directions.
  const toKey = (row: number): number => {
    const rank = row < rowCodes.length ? ranks[rowCodes[row]!]! : LAST_RANK;
    return by.descending && rank !== LAST_RANK ? LAST_RANK - 1 - rank : rank;
  };
  const starts = new Uint32Array(LAST_RANK + 2);
  for (let i = 0; i < rows.length; i++) {
    starts[toKey(rows[i]!) + 1]!++;
    if (i % NUMBERS_PER_STEP !== NUMBERS_PER_STEP - 1) continue;
    yield;
    if (!codes.isSyncedWith(column)) return null;
  }
  for (let key = 1; key < starts.length; key++) starts[key]! += starts[key - 1]!;
  // The groups with the first and the last row of the page.
  let low = 0;
  while (starts[low + 1]! <= from) low++;
  let high = low;
  while (starts[high + 1]! < end) high++;
  const first = starts[low]!;
  const page = new Uint32Array(starts[high + 1]! - first);
  for (let i = 0; i < rows.length; i++) {
    const key = toKey(rows[i]!);
    if (key >= low && key <= high) page[starts[key]!++ - first] = rows[i]!;
    if (i % NUMBERS_PER_STEP !== NUMBERS_PER_STEP - 1) continue;
    yield;
    if (!codes.isSyncedWith(column)) return null;
  }
  return { rows: page, first, isOne: low === high };
}

function requestRanks(codes: TextCodes, locale: LocaleId): TextRanks {
  const known = ranksByCodes.get(codes);
  if (known?.locale === locale) return known.ranks;
  const ranks = new TextRanks(locale);
  ranksByCodes.set(codes, { locale, ranks });
  return ranks;
}

/** The ranks of a column's distinct texts in the order of a locale. Equal texts have the same rank. */
class TextRanks {
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
