import { MAX_ROWS } from '../../grid/limits.ts';
import { foldCase } from '../../value/fold.ts';
import { TextMap } from '../../value/text-map.ts';
import { compareTexts } from '../order.ts';
import { reserveList } from '../reserve-memory.ts';
import { findFirstAtLeast } from '../sorted.ts';
import type { FunctionContext } from '../spec.ts';
import { Reference, type SheetArea } from '../value.ts';
import { ANY_UNIT, compileWildcard, matchesWildcard, type Wildcard } from '../wildcard.ts';

/** Length of the pieces of texts by which patterns such as `*abc*` are searched. */
const PIECE_LENGTH = 3;
/** Maximum number of characters of all texts of a column whose pieces are indexed. */
const MAX_INDEXED_LENGTH = 8_000_000;
/** Maximum number of rows in the kept results of all patterns of a column. */
const MAX_KEPT_ROWS = 1_000_000;
/** Number of candidates that are compared with a pattern without looking up further pieces. */
const FEW_CANDIDATES = 16;
/** Number of texts whose comparison counts as one cell of the budget, as a power of two. */
const TEXTS_PER_CELL_LOG2 = 4;
/** The work of comparing two texts while they are sorted, in units of evaluating one cell. */
const SORTING_WORK = 1;

interface DistinctText {
  readonly folded: string;
  /** One spelling of the text. */
  readonly text: string;
  /** Rows of the sheet that contain the text in any letter case, ascending. */
  readonly rows: number[];
}

/** The different texts of a column, for criteria with patterns and comparisons with texts. */
class ColumnTexts {
  /** Number of requests. The first one reads the cells without an index. */
  requests = 0;
  /** Texts in the order of their UTF-16 units, so that texts with the same beginning are neighbours. */
  private texts: readonly DistinctText[] | null = null;
  /** Indexes in `texts` by piece; null if there are too many pieces, undefined before the first request. */
  private pieces: TextMap<number[]> | null | undefined = undefined;
  /** Rows by pattern. Formulas of a column often repeat patterns. */
  private matches = new TextMap<readonly number[]>();
  /** Number of rows and patterns in `matches`. */
  private keptRows = 0;
  /** Positions by folded text, and the texts, in the order of the locale. */
  private ranks: { readonly byText: TextMap<number>; readonly ascending: readonly string[] } | null = null;

  /** The rows whose texts match a pattern with `*`, `?` and `~`, ascending. */
  findMatchingRows(context: FunctionContext, column: SheetArea, pattern: string): readonly number[] {
    const known = this.matches.get(pattern);
    if (known !== undefined) return known;
    const texts = this.readTexts(context, column);
    const lists = this.findMatches(context, texts, compileWildcard(pattern)).map(({ rows }) => rows);
    const rows = lists.length === 1 ? lists[0]! : lists.flat().sort((a, b) => a - b);
    context.reportWork(rows.length);
    this.keptRows += rows.length + 1;
    if (this.keptRows > MAX_KEPT_ROWS) {
      this.matches = new TextMap();
      this.keptRows = rows.length + 1;
    }
    this.matches.set(pattern, rows);
    return rows;
  }

  private findMatches(
    context: FunctionContext,
    texts: readonly DistinctText[],
    wildcard: Wildcard,
  ): readonly DistinctText[] {
    const prefix = readPrefix(wildcard);
    const candidates = prefix === '' ? this.findByPiece(context, texts, wildcard) : findByPrefix(texts, prefix);
    context.spendCells((candidates.length >> TEXTS_PER_CELL_LOG2) + 1);
    return candidates.filter(({ folded }) => matchesWildcard(wildcard, folded));
  }

  /** The texts that contain the rarest pieces of a pattern; all texts if the pattern has no piece. */
  private findByPiece(
    context: FunctionContext,
    texts: readonly DistinctText[],
    { segments }: Wildcard,
  ): readonly DistinctText[] {
    if (this.pieces === undefined) this.pieces = indexPieces(context, texts);
    if (this.pieces === null) return texts;
    const lists: (readonly number[])[] = [];
    for (const { text } of segments) {
      for (let at = 0; text !== null && at + PIECE_LENGTH <= text.length; at++) {
        lists.push(this.pieces.get(text.slice(at, at + PIECE_LENGTH)) ?? []);
      }
    }
    const [rarest, ...others] = lists.sort((a, b) => a.length - b.length);
    if (rarest === undefined) return texts;
    let places = rarest;
    for (const other of others) {
      if (places.length <= FEW_CANDIDATES) break;
      context.reportWork(places.length);
      places = places.filter((place) => other[findFirstAtLeast(other, place)] === place);
    }
    return places.map((place) => texts[place]!);
  }

  /**
   * The position of a text in the order of the locale. Texts of the column have whole numbers; other texts lie between
   * them.
   */
  findRank(context: FunctionContext, column: SheetArea, text: string): number {
    const { byText, ascending } = this.rankTexts(context, column);
    const rank = byText.get(foldCase(text));
    if (rank !== undefined) return rank;
    return countLeading(ascending, (other) => compareTexts(other, text, context.locale) < 0) - 0.5;
  }

  private rankTexts(context: FunctionContext, column: SheetArea) {
    if (this.ranks !== null) return this.ranks;
    const ascending = this.readTexts(context, column)
      .map(({ text }) => text)
      .sort((a, b) => {
        context.reportWork(SORTING_WORK);
        return compareTexts(a, b, context.locale);
      });
    const byText = new TextMap<number>();
    for (const [rank, text] of ascending.entries()) byText.set(foldCase(text), rank);
    this.ranks = { byText, ascending };
    return this.ranks;
  }

  private readTexts(context: FunctionContext, column: SheetArea): readonly DistinctText[] {
    if (this.texts !== null) return this.texts;
    const byText = new TextMap<DistinctText>();
    context.scanReference(new Reference([column]), (value, row) => {
      if (typeof value !== 'string') return;
      const folded = foldCase(value);
      const known = byText.get(folded);
      if (known !== undefined) {
        known.rows.push(row);
        return;
      }
      reserveList(context, byText.size);
      byText.set(folded, { folded, text: value, rows: [row] });
    });
    const texts = byText.listValues();
    context.reportWork(texts.length);
    this.texts = texts.sort((a, b) => (a.folded < b.folded ? -1 : 1));
    return this.texts;
  }
}

/** The characters of a pattern before its first `*` or `?`. */
function readPrefix({ segments: [first], starFirst }: Wildcard): string {
  if (first === undefined || starFirst) return '';
  const end = first.units.indexOf(ANY_UNIT);
  return String.fromCharCode(...(end < 0 ? first.units : first.units.slice(0, end)));
}

/** The texts that begin with a prefix. */
function findByPrefix(texts: readonly DistinctText[], prefix: string): readonly DistinctText[] {
  const from = countLeading(texts, ({ folded }) => folded < prefix);
  const to = countLeading(texts, ({ folded }) => folded < prefix || folded.startsWith(prefix));
  return texts.slice(from, to);
}

/** Counts the leading elements for which a condition is true. The list must be sorted so that no others follow. */
function countLeading<T>(list: readonly T[], isBefore: (element: T) => boolean): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBefore(list[middle]!)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The indexes of the texts that contain a piece, by piece; null if the texts are too long together. */
function indexPieces(context: FunctionContext, texts: readonly DistinctText[]): TextMap<number[]> | null {
  let length = 0;
  for (const { folded } of texts) length += folded.length;
  if (length > MAX_INDEXED_LENGTH) return null;
  context.checkMemory(length);
  const pieces = new TextMap<number[]>();
  for (const [place, { folded }] of texts.entries()) {
    context.reportWork(folded.length);
    for (let at = 0; at + PIECE_LENGTH <= folded.length; at++) {
      const piece = folded.slice(at, at + PIECE_LENGTH);
      const places = pieces.get(piece);
      if (places === undefined) pieces.set(piece, [place]);
      else if (places[places.length - 1] !== place) places.push(place);
    }
  }
  return pieces;
}

const COLUMN_TEXTS = {};

function requestTexts(context: FunctionContext, { sheet, left }: SheetArea) {
  const column: SheetArea = { sheet, left, right: left, top: 0, bottom: MAX_ROWS - 1 };
  const texts = context.getRangeState(COLUMN_TEXTS, [column], () => new ColumnTexts(), 'moved');
  return texts === null || texts.requests++ === 0 ? null : { texts, column };
}

/** The rows of the column of an area whose texts match a pattern, ascending; null if there is no index. */
export function findMatchingRows(context: FunctionContext, area: SheetArea, pattern: string): readonly number[] | null {
  const request = requestTexts(context, area);
  return request === null ? null : request.texts.findMatchingRows(context, request.column, pattern);
}

/** Converts the texts of a column to their positions in the order of the locale. */
export type RankText = (text: string) => number;

/** Returns the ranks of the texts of a column; null if there is no index. */
export function requestTextRanks(context: FunctionContext, area: SheetArea): RankText | null {
  const request = requestTexts(context, area);
  return request && ((text) => request.texts.findRank(context, request.column, text));
}
