import assert from 'node:assert/strict';
import { parseArea } from '../../src/index.ts';

/**
 * Calculates formulas by the definitions of their functions, cell by cell. It shares only the reading of addresses with
 * the engine, and knows only what `plain-definitions.test.ts` needs: values are numbers, words of ASCII letters, texts of
 * digits, booleans, blanks and one error.
 */

/** An error. Its code ends with `!`, `?` or `A`. */
export class PlainError {
  readonly code: string;

  constructor(code: string) {
    this.code = code;
  }
}

export type PlainValue = number | string | boolean | null | PlainError;

/** The cells of one column, or the elements of an array. `hidden`: their rows that are hidden. */
interface PlainList {
  readonly items: readonly PlainValue[];
  readonly hidden: readonly boolean[];
}

type Operand = PlainValue | PlainList;

/** The cells of a sheet. Rows and columns are zero-based. */
export interface PlainCells {
  readCell(row: number, column: number): PlainValue;
  isHidden(row: number): boolean;
}

type Evaluate = (cells: PlainCells) => Operand;

const NOT_FOUND = new PlainError('#N/A');
const WRONG_NUMBER = new PlainError('#NUM!');
const WRONG_TYPE = new PlainError('#VALUE!');
const DIVISION = new PlainError('#DIV/0!');

/** Thrown for a value that the definitions above do not cover. */
export const UNDEFINED = new Error('the definitions do not cover this value');

const TOKEN =
  /\s*("(?:[^"]|"")*"|#REF!|<=|>=|<>|[A-Z][A-Z.]*\(|\$?[A-Z]+\$?\d+(?::\$?[A-Z]+\$?\d+)?|\d+(?:\.\d+)?|TRUE|FALSE|[-+*/&=<>();])/y;

function tokenize(text: string): string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 1;
  while (TOKEN.lastIndex < text.length) {
    const at = TOKEN.lastIndex;
    const match = TOKEN.exec(text);
    assert.ok(match?.[1] !== undefined, `${text} at ${at}`);
    tokens.push(match[1]);
  }
  return tokens;
}

const LEVELS: readonly (readonly string[])[] = [['=', '<>', '<', '>', '<=', '>='], ['&'], ['+', '-'], ['*', '/']];

/** Parses a formula that begins with `=`. */
export function parsePlainFormula(text: string): Evaluate {
  const tokens = tokenize(text);
  let at = 0;
  const parseLevel = (level: number): Evaluate => {
    const operators = LEVELS[level];
    if (operators === undefined) return parsePrefix();
    let left = parseLevel(level + 1);
    while (operators.includes(tokens[at] ?? '')) {
      const operator = tokens[at++]!;
      const [first, second] = [left, parseLevel(level + 1)];
      left = (cells) => lift(first(cells), second(cells), (a, b) => applyOperator(operator, a, b));
    }
    return left;
  };
  const parsePrefix = (): Evaluate => {
    if (tokens[at] !== '-') return parsePrimary();
    at++;
    const operand = parsePrefix();
    return (cells) => lift(0, operand(cells), (a, b) => applyOperator('-', a, b));
  };
  const parsePrimary = (): Evaluate => {
    const token = tokens[at++]!;
    if (token === '(') {
      const inner = parseLevel(0);
      at++;
      return inner;
    }
    if (token.endsWith('(')) return parseCall(token.slice(0, -1));
    if (token.startsWith('"')) return () => token.slice(1, -1).replaceAll('""', '"');
    if (token === '#REF!') return () => new PlainError(token);
    if (token === 'TRUE' || token === 'FALSE') return () => token === 'TRUE';
    if (/^\d/.test(token)) return () => Number(token);
    return readReference(token);
  };
  const parseCall = (name: string): Evaluate => {
    const args: Evaluate[] = [];
    while (tokens[at] !== ')') {
      args.push(tokens[at] === ';' ? () => null : parseLevel(0));
      if (tokens[at] === ';') at++;
    }
    at++;
    const definition = DEFINITIONS[name];
    assert.ok(definition, name);
    return (cells) => definition(args.map((each) => each(cells)));
  };
  const formula = parseLevel(0);
  assert.equal(at, tokens.length, text);
  return formula;
}

function readReference(text: string): Evaluate {
  const area = parseArea(text.replaceAll('$', ''));
  assert.ok(area && area.left === area.right, text);
  const { top, bottom, left } = area;
  if (!text.includes(':')) return (cells) => cells.readCell(top, left);
  const rows = Array.from({ length: bottom - top + 1 }, (_, i) => top + i);
  return (cells) => ({
    items: rows.map((row) => cells.readCell(row, left)),
    hidden: rows.map((row) => cells.isHidden(row)),
  });
}

function isList(operand: Operand): operand is PlainList {
  return typeof operand === 'object' && operand !== null && !(operand instanceof PlainError);
}

function listItems(operand: Operand | undefined): readonly PlainValue[] {
  return operand === undefined ? [] : isList(operand) ? operand.items : [operand];
}

function toSingle(operand: Operand | undefined): PlainValue {
  if (operand === undefined || isList(operand)) throw UNDEFINED;
  return operand;
}

/** Applies an operation to single values or to the elements of arrays of the same length. */
function lift(a: Operand, b: Operand, apply: (a: PlainValue, b: PlainValue) => PlainValue): Operand {
  if (!isList(a) && !isList(b)) return apply(a, b);
  const length = Math.max(listItems(a).length, listItems(b).length);
  const at = (operand: Operand, i: number) => (isList(operand) ? operand.items[i] : operand);
  const items = Array.from({ length }, (_, i) => apply(at(a, i) ?? null, at(b, i) ?? null));
  return { items, hidden: items.map(() => false) };
}

function applyOperator(operator: string, a: PlainValue, b: PlainValue): PlainValue {
  if (a instanceof PlainError) return a;
  if (b instanceof PlainError) return b;
  if (operator === '&') return `${toText(a)}${toText(b)}`;
  if (!'+-*/'.includes(operator)) return isOrderedBy(operator, compareOperands(a, b));
  const [x, y] = [toNumber(a), toNumber(b)];
  if (x instanceof PlainError) return x;
  if (y instanceof PlainError) return y;
  if (operator === '/') return y === 0 ? DIVISION : x / y;
  return operator === '*' ? x * y : operator === '+' ? x + y : x - y;
}

function toText(value: Exclude<PlainValue, PlainError>): string {
  return value === null ? '' : typeof value === 'boolean' ? String(value).toUpperCase() : String(value);
}

function toNumber(value: PlainValue): number | PlainError {
  if (value instanceof PlainError || typeof value === 'number') return value;
  if (typeof value !== 'string') return Number(value);
  return /^\d+$/.test(value) ? Number(value) : WRONG_TYPE;
}

function isOrderedBy(operator: string, order: number): boolean {
  switch (operator) {
    case '=':
      return order === 0;
    case '<>':
      return order !== 0;
    case '<':
      return order < 0;
    case '>':
      return order > 0;
    case '<=':
      return order <= 0;
    default:
      return order >= 0;
  }
}

const TYPES = ['number', 'string', 'boolean'];

/** The order of two values: numbers, then texts regardless of letter case, then booleans. A blank is like the other operand's zero. */
function compareOperands(a: PlainValue, b: PlainValue): number {
  const other = { number: 0, string: '', boolean: false };
  const fill = (value: PlainValue, model: PlainValue) => value ?? other[typeof model as 'number'] ?? 0;
  const [x, y] = [fill(a, b), fill(b, a)];
  const types = TYPES.indexOf(typeof x) - TYPES.indexOf(typeof y);
  if (types !== 0) return types;
  if (typeof x === 'string' && typeof y === 'string') return compareTexts(x, y);
  return Number(x) - Number(y);
}

function compareTexts(a: string, b: string): number {
  const [x, y] = [a.toLowerCase(), b.toLowerCase()];
  return x < y ? -1 : Number(x > y);
}

/** True if a cell meets a criterion of COUNTIF and similar functions. */
function meets(cell: PlainValue, criterion: PlainValue): boolean {
  if (criterion instanceof PlainError) return cell instanceof PlainError && cell.code === criterion.code;
  if (typeof criterion === 'boolean') return cell === criterion;
  const text = String(criterion ?? 0);
  const [, operator = '', operand = ''] = /^(<=|>=|<>|<|>|=)?(.*)$/s.exec(text) ?? [];
  if (operand === '') {
    if (operator === '') return cell === null || cell === '';
    return operator === '=' ? cell === null : operator === '<>' && cell !== null;
  }
  if (operator === '<>') return isNumberText(operand) ? cell !== Number(operand) : !isEqualTo(cell, operand);
  if (operator === '' || operator === '=') return isEqualTo(cell, operand);
  if (isNumberText(operand)) return typeof cell === 'number' && isOrderedBy(operator, cell - Number(operand));
  if (/^(true|false)$/i.test(operand)) throw UNDEFINED;
  return typeof cell === 'string' && isOrderedBy(operator, compareTexts(cell, operand));
}

function isNumberText(text: string): boolean {
  return /^-?\d+(\.\d+)?$/.test(text);
}

function isEqualTo(cell: PlainValue, operand: string): boolean {
  if (isNumberText(operand)) {
    return (
      cell === Number(operand) || (typeof cell === 'string' && isNumberText(cell) && Number(cell) === Number(operand))
    );
  }
  if (/^(true|false)$/i.test(operand)) return cell === (operand.toLowerCase() === 'true');
  if (typeof cell !== 'string') return false;
  const pattern = operand.toLowerCase().replaceAll('*', '.*').replaceAll('?', '.');
  return new RegExp(`^${pattern}$`, 's').test(cell.toLowerCase());
}

/** The cells of a range in the rows that meet pairs of a range and a criterion. */
function select(target: Operand | undefined, pairs: readonly Operand[]): readonly PlainValue[] {
  return listItems(target).filter((_, row) =>
    pairs.every((range, i) => i % 2 === 1 || meets(listItems(range)[row] ?? null, toSingle(pairs[i + 1]))),
  );
}

type Summary = (numbers: readonly number[]) => PlainValue;

/** The figure of the numbers among some cells, or their first error. */
function summarize(items: readonly PlainValue[], summary: Summary): PlainValue {
  const error = items.find((item) => item instanceof PlainError);
  return error ?? summary(items.filter((item) => typeof item === 'number'));
}

const sum: Summary = (numbers) => numbers.reduce((total, number) => total + number, 0);
const count: Summary = (numbers) => numbers.length;
const mean: Summary = (numbers) => (numbers.length === 0 ? DIVISION : Number(sum(numbers)) / numbers.length);
const greatest: Summary = (numbers) => numbers.reduce((most, number) => Math.max(most, number), numbers[0] ?? 0);
const least: Summary = (numbers) => numbers.reduce((most, number) => Math.min(most, number), numbers[0] ?? 0);

function quantile(share: number): Summary {
  return (numbers) => {
    const ascending = numbers.toSorted((a, b) => a - b);
    const position = share * (ascending.length - 1);
    const [low, high] = [ascending[Math.floor(position)], ascending[Math.ceil(position)]];
    return low === undefined || high === undefined ? WRONG_NUMBER : low + (position % 1) * (high - low);
  };
}

function pickOrdered(place: number, isAscending: boolean): Summary {
  return (numbers) => numbers.toSorted((a, b) => (isAscending ? a - b : b - a))[place - 1] ?? WRONG_NUMBER;
}

function sumProducts(args: readonly Operand[]): PlainValue {
  const columns = args.map(listItems);
  const factors = columns[0]!.map((_, row) => columns.map((column) => column[row] ?? null));
  const error = factors.flat().find((item) => item instanceof PlainError);
  if (error !== undefined) return error;
  return sum(
    factors.map((row) => row.reduce<number>((product, item) => product * (typeof item === 'number' ? item : 0), 1)),
  );
}

function rank(args: readonly Operand[]): PlainValue {
  const own = toNumber(toSingle(args[0]));
  const isAscending = args[2] !== undefined && args[2] !== 0;
  if (own instanceof PlainError) return own;
  return summarize(listItems(args[1]), (numbers) => {
    if (!numbers.includes(own)) return NOT_FOUND;
    return 1 + numbers.filter((number) => (isAscending ? number < own : number > own)).length;
  });
}

function countFrequencies(args: readonly Operand[]): Operand {
  const [items, bins] = args.map(listItems);
  const error = [...items!, ...bins!].find((item) => item instanceof PlainError);
  if (error !== undefined) return error;
  const numbers = items!.filter((item) => typeof item === 'number');
  const limits = bins!.filter((item) => typeof item === 'number');
  const counts = limits.map((limit, i) => {
    const below = Math.max(...limits.filter((other) => other < limit));
    return limits.indexOf(limit) < i ? 0 : numbers.filter((number) => number <= limit && number > below).length;
  });
  counts.push(numbers.filter((number) => limits.every((limit) => number > limit)).length);
  return { items: counts, hidden: counts.map(() => false) };
}

/** XLOOKUP: the exact match, or (mode -1) the next smaller number; from the end if `direction` is -1. */
function lookUp([wanted, range, results, otherwise, mode = 0, direction = 1]: readonly Operand[]): PlainValue {
  const own = toSingle(wanted);
  if (own instanceof PlainError) return own;
  if (own === null || (mode !== 0 && typeof own !== 'number')) throw UNDEFINED;
  const items = listItems(range);
  const isSame = (item: PlainValue) => typeof item === typeof own && compareOperands(item, own) === 0;
  let row = direction === -1 ? items.findLastIndex(isSame) : items.findIndex(isSame);
  if (row < 0 && mode === -1) {
    const below = items.filter((item) => typeof item === 'number' && item < Number(own));
    row = items.indexOf(Math.max(...below.map(Number)));
  }
  return row < 0 ? toSingle(otherwise) : (listItems(results)[row] ?? null);
}

/** MATCH with type 0. */
function matchExactly([wanted, range, type]: readonly Operand[]): PlainValue {
  const own = toSingle(wanted);
  if (own instanceof PlainError) return own;
  if (own === null || type !== 0) throw UNDEFINED;
  const items = listItems(range);
  const row = items.findIndex((item) => typeof item === typeof own && compareOperands(item, own) === 0);
  return row < 0 ? NOT_FOUND : row + 1;
}

const SUBTOTALS: Readonly<Record<number, Summary>> = { 1: mean, 2: count, 4: greatest, 5: least, 9: sum };

function computeSubtotal(args: readonly Operand[]): PlainValue {
  const [code, range] = [Number(toSingle(args[0])), args[1]];
  const items =
    range !== undefined && isList(range) ? range.items.filter((_, i) => code < 100 || !range.hidden[i]) : [];
  const summary = SUBTOTALS[code % 100]!;
  return summary === count ? items.filter((item) => typeof item === 'number').length : summarize(items, summary);
}

const DEFINITIONS: Readonly<Record<string, (args: readonly Operand[]) => Operand>> = {
  SUMIFS: ([target, ...pairs]) => summarize(select(target, pairs), sum),
  AVERAGEIFS: ([target, ...pairs]) => summarize(select(target, pairs), mean),
  MAXIFS: ([target, ...pairs]) => summarize(select(target, pairs), greatest),
  MINIFS: ([target, ...pairs]) => summarize(select(target, pairs), least),
  SUMIF: ([range, criterion, target]) => summarize(select(target ?? range, [range!, criterion!]), sum),
  COUNTIFS: (args) => select(args[0], args).length,
  COUNTIF: ([range, criteria]) => {
    const countEqual = (criterion: PlainValue) => select(range, [range!, criterion]).length;
    if (!isList(criteria!)) return countEqual(toSingle(criteria));
    return { items: criteria.items.map(countEqual), hidden: criteria.hidden };
  },
  SUMPRODUCT: sumProducts,
  SUM: (args) => summarize(args.flatMap(listItems), sum),
  MAX: (args) => summarize(args.flatMap(listItems), greatest),
  MIN: (args) => summarize(args.flatMap(listItems), least),
  COUNT: (args) => args.flatMap(listItems).filter((item) => typeof item === 'number').length,
  FREQUENCY: countFrequencies,
  RANK: rank,
  LARGE: ([range, place]) => summarize(listItems(range), pickOrdered(Number(toSingle(place)), false)),
  SMALL: ([range, place]) => summarize(listItems(range), pickOrdered(Number(toSingle(place)), true)),
  MEDIAN: ([range]) => summarize(listItems(range), quantile(0.5)),
  PERCENTILE: ([range, share]) => summarize(listItems(range), quantile(Number(toSingle(share)))),
  SUBTOTAL: computeSubtotal,
  XLOOKUP: lookUp,
  MATCH: matchExactly,
};
