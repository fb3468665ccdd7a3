import { type CellError, NA, VALUE } from '../../value/errors.ts';
import { foldCase } from '../../value/fold.ts';
import { isError, type Scalar } from '../../value/scalar.ts';
import { toText } from '../coerce.ts';
import type { WorkMeter } from '../context.ts';
import { define } from '../define.ts';
import { readAsMatrix, readAsScalar } from '../invoke.ts';
import { buildMatrix } from '../shape.ts';
import type { FunctionContext, FunctionSpec } from '../spec.ts';
import type { Value } from '../value.ts';

/** The cost of reading a delimiter, in cells. */
const DELIMITER_WORK = 2;
/** Number of characters searched, or delimiters compared, that count as one cell of the budget, as a power of two. */
const SEARCH_WORK_LOG2 = 6;

/** The position of a delimiter in a text: its start and end. */
interface FoundDelimiter {
  readonly start: number;
  readonly end: number;
}

/** Reads the delimiter argument: one text, or several in an array. */
function readDelimiters(context: FunctionContext, value: Value): readonly string[] | CellError {
  const texts: string[] = [];
  for (const element of readAsMatrix(context, value).data) {
    context.reportWork(DELIMITER_WORK);
    const text = toText(element, context);
    if (isError(text)) return text;
    texts.push(text);
  }
  return texts;
}

/**
 * Finds all occurrences of any delimiter, from left to right. If several delimiters begin at a position, the longest
 * one counts.
 */
export function findAllDelimiters(
  context: WorkMeter,
  text: string,
  delimiters: readonly string[],
  ignoreCase: boolean,
): FoundDelimiter[] {
  const fold = ignoreCase ? foldCase : (t: string) => t;
  const folded = fold(text);
  const wanted = delimiters.map(fold).sort((a, b) => b.length - a.length);
  const search = 1 + (text.length >> SEARCH_WORK_LOG2);
  const next = wanted.map((d) => {
    context.reportWork(search);
    return folded.indexOf(d);
  });
  const occurrences: FoundDelimiter[] = [];
  let from = 0;
  while (true) {
    let best = -1;
    context.reportWork(1 + (wanted.length >> SEARCH_WORK_LOG2));
    for (let i = 0; i < wanted.length; i++) {
      const at = next[i]!;
      if (at >= 0 && at < from) {
        next[i] = folded.indexOf(wanted[i]!, from);
        const read = next[i]! < 0 ? text.length : next[i]!;
        context.reportWork((read - from) >> SEARCH_WORK_LOG2);
      }
      const place = next[i]!;
      if (place >= 0 && (best < 0 || place < next[best]!)) best = i;
    }
    if (best < 0) return occurrences;
    const start = next[best]!;
    const end = start + wanted[best]!.length;
    occurrences.push({ start, end });
    from = end;
  }
}

/** Finds delimiters from right to left, for instances that are counted from the end. */
function findAllDelimitersBackwards(
  context: WorkMeter,
  text: string,
  delimiters: readonly string[],
  ignoreCase: boolean,
): FoundDelimiter[] {
  const turned = (t: string) => t.split('').reverse().join('');
  const length = text.length;
  return findAllDelimiters(context, turned(text), delimiters.map(turned), ignoreCase).map(({ start, end }) => ({
    start: length - end,
    end: length - start,
  }));
}

interface CutRequest {
  readonly text: string;
  readonly delimiters: readonly string[];
  readonly instance: number;
  readonly ignoreCase: boolean;
  readonly matchEnd: boolean;
}

/** Finds the delimiter at which TEXTBEFORE or TEXTAFTER cuts the text; null if the text has too few. */
function findCut(
  context: WorkMeter,
  { text, delimiters, instance, ignoreCase, matchEnd }: CutRequest,
): FoundDelimiter | null {
  const forwards = instance > 0;
  const edge = forwards ? { start: text.length, end: text.length } : { start: 0, end: 0 };
  // An empty delimiter matches at the end of the text from which instances are counted.
  if (delimiters.includes('')) return forwards ? { start: 0, end: 0 } : { start: text.length, end: text.length };
  const find = forwards ? findAllDelimiters : findAllDelimitersBackwards;
  const positions = find(context, text, delimiters, ignoreCase);
  if (matchEnd) positions.push(edge);
  return positions[Math.abs(instance) - 1] ?? null;
}

/** Defines TEXTBEFORE or TEXTAFTER. `take`: the part of the text before or after the delimiter. */
function defineTextAround(name: string, take: (text: string, foundDelimiter: FoundDelimiter) => string): FunctionSpec {
  return define(
    'text',
    name,
    ['text', 'value', 'number??', 'boolean??', 'integer??', 'value??'],
    (context, text, delimiter, given, ignoreCase = false, matchEnd = 0, ifNotFound?) => {
      const delimiters = readDelimiters(context, delimiter);
      if (isError(delimiters)) return delimiters;
      const instance = Math.floor(given ?? 1);
      if (instance === 0 || matchEnd < 0 || matchEnd > 1) return VALUE;
      // An instance number that is too large for the text is an error only if the call contains it.
      const shortest = delimiters.reduce((least, { length }) => Math.min(least, length), Number.POSITIVE_INFINITY);
      if (given !== undefined && Math.max(Math.abs(instance), shortest) > text.length) return VALUE;
      const foundDelimiter = findCut(context, { text, delimiters, instance, ignoreCase, matchEnd: matchEnd === 1 });
      if (foundDelimiter) return take(text, foundDelimiter);
      if (ifNotFound === undefined) return NA;
      return readAsScalar(context, ifNotFound) === null ? '' : ifNotFound;
    },
  );
}

/** Returns the parts between delimiters; the whole text if it contains no delimiter. */
function splitText(
  context: WorkMeter,
  text: string,
  delimiters: readonly string[],
  ignoreCase: boolean,
  ignoreEmpty: boolean,
): string[] {
  const positions = delimiters.length === 0 ? [] : findAllDelimiters(context, text, delimiters, ignoreCase);
  const parts: string[] = [];
  let from = 0;
  for (const { start, end } of positions) {
    parts.push(text.slice(from, start));
    from = end;
  }
  parts.push(text.slice(from));
  return ignoreEmpty ? parts.filter((part) => part !== '') : parts;
}

const TEXTSPLIT = define(
  'text',
  'TEXTSPLIT',
  ['text', 'value??', 'value??', 'boolean??', 'boolean??', 'value??'],
  (context, text, columnDelimiter, rowDelimiter, ignoreEmpty = false, ignoreCase = false, padWith?) => {
    const columns = columnDelimiter === undefined ? [] : readDelimiters(context, columnDelimiter);
    if (isError(columns)) return columns;
    const rows = rowDelimiter === undefined ? [] : readDelimiters(context, rowDelimiter);
    if (isError(rows)) return rows;
    if ((columns.length === 0 && rows.length === 0) || columns.includes('') || rows.includes('')) return VALUE;
    const grid = splitText(context, text, rows, ignoreCase, ignoreEmpty).map((row) =>
      splitText(context, row, columns, ignoreCase, ignoreEmpty),
    );
    const width = grid.reduce((most, { length }) => Math.max(most, length), 0);
    const pad: Scalar = padWith === undefined ? NA : readAsMatrix(context, padWith).get(0, 0);
    return buildMatrix(context, grid.length, width, (r, c) => grid[r]?.[c] ?? pad);
  },
);

export const SPLIT: readonly FunctionSpec[] = [
  defineTextAround('TEXTBEFORE', (text, at) => text.slice(0, at.start)),
  defineTextAround('TEXTAFTER', (text, at) => text.slice(at.end)),
  TEXTSPLIT,
];
