import { MAX_RESULT_CHARACTERS } from '../limits/mcp.ts';

/** A page of a list within the bounds of a result. */
interface FittedPage<T> {
  readonly items: readonly T[];
  /** Offset of the next page; null: this is the last one. */
  readonly nextOffset: number | null;
  readonly truncated: boolean;
}

/** Maximum characters of the members of a result besides its list. */
const ENVELOPE_CHARACTERS = 2_000;

/** As many items as fit into a result, but at least one. `maxCharacters`: maximum characters of the items. */
export function fitPage<T>(
  items: readonly T[],
  {
    offset,
    total,
    maxCharacters = MAX_RESULT_CHARACTERS - ENVELOPE_CHARACTERS,
  }: { offset: number; total: number; maxCharacters?: number },
): FittedPage<T> {
  let left = maxCharacters;
  let count = 0;
  for (const item of items) {
    left -= JSON.stringify(item).length + 1;
    if (left < 0 && count > 0) break;
    count++;
  }
  const end = offset + count;
  const isMore = end < total;
  return { items: items.slice(0, count), nextOffset: isMore && count > 0 ? end : null, truncated: isMore };
}

/** The first items of a list whose JSON fits. */
export function fitList<T>(items: readonly T[], maxCharacters: number): readonly T[] {
  let left = maxCharacters;
  const end = items.findIndex((item) => {
    left -= JSON.stringify(item).length + 1;
    return left < 0;
  });
  return end === -1 ? items : items.slice(0, end);
}

interface ValueChange {
  readonly before?: unknown;
  readonly after?: unknown;
}

/** A changed cell as results show it. */
export interface ToolChange extends ValueChange {
  readonly cell: string;
  readonly shown?: ValueChange;
  readonly formulas?: ValueChange;
}

/** Maximum share of a page of changes for their values, and for the list of cut texts. */
const MAX_VALUES_SHARE = 0.6;

/** As many changes as fit into a result. The longest texts are cut, and the cut texts are listed. */
export function fitChanges<T extends ToolChange>(
  changes: readonly T[],
  {
    total,
    maxCharacters,
    offset = 0,
  }: { readonly total: number; readonly maxCharacters: number; readonly offset?: number },
): FittedPage<T> & { readonly cut: readonly ShortenedText[] } {
  const values = changes.flatMap(listChangeTexts);
  const findCell = (at: number): string => changes[Math.floor(at / TEXTS_PER_CHANGE)]?.cell ?? '';
  const short = shortenRow(values, { maxCharacters: Math.floor(maxCharacters * MAX_VALUES_SHARE), cellOf: findCell });
  const shown =
    short.cut.length === 0
      ? changes
      : changes.map((change, i) => replaceTexts(change, short.values.slice(i * TEXTS_PER_CHANGE)));
  const page = fitPage(shown, { offset, total, maxCharacters: maxCharacters - JSON.stringify(short.cut).length });
  const cells = new Set(page.items.map(({ cell }) => cell));
  return { ...page, cut: short.cut.filter(({ cell }) => cells.has(cell)) };
}

/** Values, displayed texts and formulas, each before and after. */
const TEXTS_PER_CHANGE = 6;

/** The values, shown texts and formulas of a changed cell before and after; null for missing texts. */
function listChangeTexts({ before, after, shown, formulas }: ToolChange): readonly unknown[] {
  return [before, after, shown?.before, shown?.after, formulas?.before, formulas?.after].map((text) => text ?? null);
}

/** Puts texts in the order of `listChangeTexts` back into the change. */
function replaceTexts<T extends ToolChange>(change: T, texts: readonly unknown[]): T {
  const [before, after, shownBefore, shownAfter, formulaBefore, formulaAfter] = texts;
  const { shown, formulas } = change;
  return {
    ...change,
    before,
    after,
    ...(shown === undefined ? {} : { shown: { before: shownBefore, after: shownAfter } }),
    ...(formulas === undefined ? {} : { formulas: { before: formulaBefore, after: formulaAfter } }),
  };
}

/** Maximum list lengths that are tried one after the other. */
const LIST_LENGTHS = [50, 20, 5, 1, 0];

/** Shortens the lists in a value if its JSON is longer than `maxCharacters`. */
export function shortenLists<T>(value: T, maxCharacters: number): { readonly value: T; readonly isCut: boolean } {
  if (JSON.stringify(value).length <= maxCharacters) return { value, isCut: false };
  let shorter = value;
  for (const length of LIST_LENGTHS) {
    const text = JSON.stringify(value, (_key, part: unknown) => (Array.isArray(part) ? part.slice(0, length) : part));
    shorter = JSON.parse(text) as T;
    if (text.length <= maxCharacters) break;
  }
  return { value: shorter, isCut: true };
}

/** A cell whose text was cut. */
export interface ShortenedText {
  readonly cell: string;
  /** Characters of the text before it was cut. */
  readonly length: number;
}

/** Shortens the longest texts of a row until it fits, and lists the cut texts. */
export function shortenRow(
  values: readonly unknown[],
  { maxCharacters, cellOf: formatCell }: { readonly maxCharacters: number; readonly cellOf: (at: number) => string },
): { readonly values: readonly unknown[]; readonly cut: readonly ShortenedText[] } {
  const countCharacters = (all: readonly unknown[]): number => JSON.stringify(all).length;
  if (countCharacters(values) <= maxCharacters) return { values, cut: [] };
  const cells = [...values];
  const cut = new Map<number, ShortenedText>();
  for (let limit = Math.max(1_000, Math.floor(maxCharacters / 2)); limit >= 1; limit = Math.floor(limit / 2)) {
    for (const [at, value] of values.entries()) {
      if (typeof value !== 'string' || value.length <= limit) continue;
      cells[at] = dropBrokenEnd(value.slice(0, limit));
      cut.set(at, { cell: formatCell(at), length: value.length });
    }
    // The list of cut texts counts against the limit, too.
    const cutLength = [...cut.values()].reduce((sum, one) => sum + JSON.stringify(one).length + 1, 0);
    if (countCharacters(cells) + cutLength <= maxCharacters) break;
  }
  return { values: cells, cut: [...cut.values()] };
}

/** Removes half of a surrogate pair at the end. */
function dropBrokenEnd(text: string): string {
  return text.isWellFormed() ? text : text.slice(0, -1);
}

/** Shortens a text to at most `length` characters. */
export function shortenText(text: string, length: number): string {
  return text.length <= length ? text : `${dropBrokenEnd(text.slice(0, length - 1))}…`;
}

export function omitEmptyList<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length === 0 ? undefined : list;
}
