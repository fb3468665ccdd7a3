import { parseNumberText } from '../locale/index.ts';
import { type CellError, errorByCode } from '../value/errors.ts';
import { foldCase } from '../value/fold.ts';
import { isError, type Scalar } from '../value/scalar.ts';
import type { Conventions } from './coerce.ts';
import { compareTexts } from './order.ts';
import type { OrderedNumbers } from './selection/ordered-numbers.ts';
import { compileWildcard, hasWildcard, matchesWildcard } from './wildcard.ts';

/** True if a cell's value meets a criterion. */
export type CellPredicate = (value: Scalar) => boolean;

export type BoundOperator = '<' | '<=' | '>' | '>=';

/** A criterion that compares with a number: cells must be numbers above (`>`) or below (`<`) it, or equal to it. */
export class NumberBound {
  readonly operator: BoundOperator;
  readonly number: number;

  constructor(operator: BoundOperator, number: number) {
    this.operator = operator;
    this.number = number;
  }
}

/** A criterion: the value that a user gave, or a comparison with a number. */
export type Criterion = Scalar | NumberBound;

type CriterionOperator = '=' | '<>' | '<' | '<=' | '>' | '>=';

const OPERATOR = /^(<=|>=|<>|<|>|=)/;
const HAS_DIGIT = /[0-9]/;
const ZERO = '0'.charCodeAt(0);

/**
 * Creates the predicate for a criterion of COUNTIF, SUMIFS, DSUM and similar functions. An empty criterion cell counts
 * as 0. A text may begin with a comparison operator; the operand after it is read as a number, boolean or error if
 * possible, else as a text. Ignores letter case; `=` and `<>` support the wildcards `*`, `?` and `~`.
 */
export function createMatcher(criterion: Criterion, conventions: Conventions): CellPredicate {
  if (criterion instanceof NumberBound) return (value) => typeof value === 'number' && isWithin(criterion, value);
  if (criterion === null) return createNumberMatcher(0, conventions);
  if (typeof criterion === 'number') return createNumberMatcher(criterion, conventions);
  if (typeof criterion === 'boolean' || isError(criterion)) return (value) => value === criterion;
  const match = OPERATOR.exec(criterion);
  if (!match) return criterion === '' ? isEmpty : createEqualMatcher(criterion, conventions);
  const operator = match[1] as CriterionOperator;
  const operand = criterion.slice(operator.length);
  if (operator === '=') return operand === '' ? isBlank : createEqualMatcher(operand, conventions);
  if (operator === '<>') return operand === '' ? isFilled : createUnequalMatcher(operand, conventions);
  return operand === '' ? matchNothing : createOrderMatcher(operator, operand, conventions);
}

/** Returns the value of a criterion that only tests equality, so that an index can be used; else null. */
export function findEquality(criterion: Criterion, conventions: Conventions): number | string | boolean | null {
  if (criterion === null) return 0;
  if (isError(criterion) || criterion instanceof NumberBound) return null;
  if (typeof criterion !== 'string') return criterion;
  const match = OPERATOR.exec(criterion);
  if (match && match[1] !== '=') return null;
  const operand = match ? criterion.slice(1) : criterion;
  if (operand === '') return null;
  const value = parseOperand(operand, conventions);
  return isError(value) || (typeof value === 'string' && hasWildcard(value)) ? null : value;
}

/**
 * Returns criteria that together select exactly the cells that a `<>` criterion does not select; null for other
 * criteria. An index can count these cells.
 */
export function findComplement(criterion: Criterion, conventions: Conventions): readonly Criterion[] | null {
  if (typeof criterion !== 'string' || !criterion.startsWith('<>') || criterion === '<>') return null;
  const operand = criterion.slice('<>'.length);
  const number = parseOperand(operand, conventions);
  if (typeof number !== 'number') return [`=${operand}`];
  // `=` would also select numbers that are stored as texts.
  return [new NumberBound('>=', number), new NumberBound('<=', number)];
}

/** The value that a `<>` criterion excludes; undefined for patterns and for other criteria. `<>` alone excludes blanks. */
export function findExcludedValue(criterion: Criterion, conventions: Conventions): Scalar | undefined {
  if (typeof criterion !== 'string' || !criterion.startsWith('<>')) return undefined;
  const operand = criterion.slice('<>'.length);
  if (operand === '') return null;
  const value = parseOperand(operand, conventions);
  return typeof value === 'string' && hasWildcard(value) ? undefined : value;
}

/** The bound of a criterion that compares with a number; null for other criteria. */
export function findBound(criterion: Criterion, conventions: Conventions): NumberBound | null {
  if (criterion instanceof NumberBound) return criterion;
  if (typeof criterion !== 'string' || !(criterion.startsWith('<') || criterion.startsWith('>'))) return null;
  const [operator] = OPERATOR.exec(criterion) ?? [];
  if (operator !== '<' && operator !== '<=' && operator !== '>' && operator !== '>=') return null;
  const number = parseOperand(criterion.slice(operator.length), conventions);
  return typeof number === 'number' ? new NumberBound(operator, number) : null;
}

/** The comparison of a criterion that compares with a text; null for other criteria. */
export function findTextBound(
  criterion: Criterion,
  conventions: Conventions,
): { readonly operator: BoundOperator; readonly text: string } | null {
  if (typeof criterion !== 'string') return null;
  const [operator] = OPERATOR.exec(criterion) ?? [];
  if (operator !== '<' && operator !== '<=' && operator !== '>' && operator !== '>=') return null;
  const text = criterion.slice(operator.length);
  return text !== '' && parseOperand(text, conventions) === text ? { operator, text } : null;
}

/** The pattern of a criterion that selects the texts that match it; null for other criteria. */
export function findPattern(criterion: Criterion, conventions: Conventions): string | null {
  if (typeof criterion !== 'string') return null;
  const [operator = ''] = OPERATOR.exec(criterion) ?? [];
  if (operator !== '' && operator !== '=') return null;
  const operand = criterion.slice(operator.length);
  return hasWildcard(operand) && parseOperand(operand, conventions) === operand ? operand : null;
}

/** True if a number satisfies the bound. */
export function isWithin({ operator, number }: NumberBound, value: number): boolean {
  return isOrderSatisfied(operator, value - number);
}

/** Returns the range of positions whose numbers lie within all bounds: from `from` to before `to`. */
export function findIndexRange(
  bounds: readonly NumberBound[],
  numbers: OrderedNumbers,
): { readonly from: number; readonly to: number } {
  let from = 0;
  let to = numbers.length;
  for (const { operator, number } of bounds) {
    if (operator === '>') from = Math.max(from, numbers.countAtMost(number));
    else if (operator === '>=') from = Math.max(from, numbers.countBelow(number));
    else if (operator === '<') to = Math.min(to, numbers.countBelow(number));
    else to = Math.min(to, numbers.countAtMost(number));
  }
  return { from, to };
}

/**
 * Creates the predicate for exact matches in lookups: it does not convert types; a text with wildcards is a pattern.
 */
export function createLookupMatcher(target: Scalar): CellPredicate {
  if (typeof target !== 'string') return (value) => value === target;
  return hasWildcard(target) ? createWildcardMatcher(target) : createTextMatcher(target);
}

/** Maximum number of cached operands. */
const MAX_PARSED = 4096;
/** Maximum length of a cached operand, in UTF-16 units. */
const MAX_PARSED_LENGTH = 64;
/** Cached operands by their text. Formulas of a column often repeat a few criteria. */
const parsedTexts = new Map<string, number | boolean | CellError | string>();
/** Locale and date system with which the cached texts were parsed. */
let parsedLocale = '';
let parsedDateSystem = '';

/** Parses a criterion's operand; returns the text if it is not a number, boolean or error. */
function parseOperand(text: string, conventions: Conventions): number | boolean | CellError | string {
  const integer = parseDigits(text);
  if (integer >= 0) return integer;
  if (text.length > MAX_PARSED_LENGTH) return parseText(text, conventions);
  const { locale, dateSystem } = conventions;
  if (locale !== parsedLocale || dateSystem !== parsedDateSystem || parsedTexts.size >= MAX_PARSED) parsedTexts.clear();
  parsedLocale = locale;
  parsedDateSystem = dateSystem;
  const cached = parsedTexts.get(text);
  if (cached !== undefined) return cached;
  const operand = parseText(text, conventions);
  parsedTexts.set(text, operand);
  return operand;
}

/** Maximum number of digits of an integer that a double represents exactly. */
const MAX_DIGITS = 15;

/** The number of a text that consists of digits only, which is the same in every locale; -1 for other texts. */
function parseDigits(text: string): number {
  if (text.length === 0 || text.length > MAX_DIGITS) return -1;
  let number = 0;
  for (let i = 0; i < text.length; i++) {
    const digit = text.charCodeAt(i) - ZERO;
    if (digit < 0 || digit > 9) return -1;
    number = number * 10 + digit;
  }
  return number;
}

/** Parses a text as a number, boolean or error; returns the text itself if it is none of these. */
function parseText(text: string, conventions: Conventions): number | boolean | CellError | string {
  const number = HAS_DIGIT.test(text) ? parseNumberText(text, conventions.locale, conventions.dateSystem) : null;
  if (number !== null && number !== undefined) return number;
  const upper = text.toUpperCase();
  if (upper === 'TRUE' || upper === 'FALSE') return upper === 'TRUE';
  return errorByCode(upper) ?? text;
}

function isBlank(value: Scalar): boolean {
  return value === null;
}

/** True for a blank and for an empty text. */
function isEmpty(value: Scalar): boolean {
  return value === null || value === '';
}

function isFilled(value: Scalar): boolean {
  return value !== null;
}

/** The predicate that no value satisfies. */
function matchNothing(): boolean {
  return false;
}

/** Creates a predicate for `<>`. A number stored as a text matches, although `=` treats it as equal to the number. */
function createUnequalMatcher(text: string, conventions: Conventions): CellPredicate {
  const operand = parseOperand(text, conventions);
  if (typeof operand === 'number') return (value) => value !== operand;
  const same = createEqualMatcher(text, conventions);
  return (value) => !same(value);
}

/** Creates a predicate for `=` with an operand. */
function createEqualMatcher(text: string, conventions: Conventions): CellPredicate {
  const operand = parseOperand(text, conventions);
  if (typeof operand === 'number') return createNumberMatcher(operand, conventions);
  if (typeof operand !== 'string') return (value) => value === operand;
  return hasWildcard(operand) ? createWildcardMatcher(operand) : createTextMatcher(operand);
}

/** Creates a predicate for cells equal to a number. As in Excel's COUNTIF, numbers stored as texts match, too. */
function createNumberMatcher(target: number, conventions: Conventions): CellPredicate {
  return (value) => {
    if (typeof value === 'number') return value === target;
    if (typeof value !== 'string' || !HAS_DIGIT.test(value)) return false;
    return parseNumberText(value, conventions.locale, conventions.dateSystem) === target;
  };
}

/** Creates a predicate for texts that are equal in any letter case. */
function createTextMatcher(target: string): CellPredicate {
  const folded = foldCase(target);
  return (value) => {
    if (typeof value !== 'string' || value.length !== folded.length) return false;
    return value === target || foldCase(value) === folded;
  };
}

/** Creates a predicate for texts that match a pattern with `*`, `?` and `~`. */
function createWildcardMatcher(pattern: string): CellPredicate {
  const wildcard = compileWildcard(pattern);
  return (value) => typeof value === 'string' && matchesWildcard(wildcard, foldCase(value));
}

/** True if a comparison result (negative, 0 or positive) satisfies the operator. */
function isOrderSatisfied(operator: CriterionOperator, order: number): boolean {
  switch (operator) {
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    default:
      return order >= 0;
  }
}

/** Creates a predicate for `<`, `>` and similar operators. Only cells with the type of the operand match. */
function createOrderMatcher(operator: CriterionOperator, text: string, conventions: Conventions): CellPredicate {
  const operand = parseOperand(text, conventions);
  if (typeof operand === 'number') {
    return (value) => typeof value === 'number' && isOrderSatisfied(operator, value - operand);
  }
  if (typeof operand === 'boolean') {
    return (value) => typeof value === 'boolean' && isOrderSatisfied(operator, Number(value) - Number(operand));
  }
  if (typeof operand !== 'string') {
    return (value) => isError(value) && isOrderSatisfied(operator, value.index - operand.index);
  }
  return (value) =>
    typeof value === 'string' && isOrderSatisfied(operator, compareTexts(value, operand, conventions.locale));
}
