import type { BinaryOperator } from './ast.ts';
import { AMPERSAND, ASTERISK, CARET, EQUALS, GREATER, LESS, MINUS, PLUS, SLASH } from './characters.ts';
import { getCodeAt, getCurrentCode, type Scan } from './scan.ts';

/**
 * Precedence of binary operators, as in Excel. A prefix (`-`, `+`, `@`) binds more tightly than `^` and `%`, and less
 * tightly than the reference operators. All operators are left-associative.
 */
export const PRECEDENCE: Readonly<Record<BinaryOperator, number>> = {
  '=': 1,
  '<>': 1,
  '<': 1,
  '<=': 1,
  '>': 1,
  '>=': 1,
  '&': 2,
  '+': 3,
  '-': 3,
  '*': 4,
  '/': 4,
  '^': 5,
  union: 8,
  intersect: 9,
  ':': 10,
};
export const LOWEST_PRECEDENCE = 1;
export const PERCENT_PRECEDENCE = 6;
export const PREFIX_PRECEDENCE = 7;
export const POSTFIX_PRECEDENCE = 11;
export const PRIMARY_PRECEDENCE = 12;

interface Operator {
  readonly op: BinaryOperator;
  readonly precedence: number;
  readonly length: number;
}

function createOperator(op: BinaryOperator): Operator {
  return { op, precedence: PRECEDENCE[op], length: op.length };
}

const EQUAL = createOperator('=');
const UNEQUAL = createOperator('<>');
const BELOW = createOperator('<');
const AT_MOST = createOperator('<=');
const ABOVE = createOperator('>');
const AT_LEAST = createOperator('>=');
const JOIN = createOperator('&');
const ADD = createOperator('+');
const SUBTRACT = createOperator('-');
const MULTIPLY = createOperator('*');
const DIVIDE = createOperator('/');
const POWER = createOperator('^');

/** Reads a value operator at the cursor. Reference operators are read elsewhere. */
export function readOperator(s: Scan): Operator | null {
  switch (getCurrentCode(s)) {
    case PLUS:
      return ADD;
    case MINUS:
      return SUBTRACT;
    case ASTERISK:
      return MULTIPLY;
    case SLASH:
      return DIVIDE;
    case CARET:
      return POWER;
    case AMPERSAND:
      return JOIN;
    case EQUALS:
      return EQUAL;
    case LESS: {
      const next = getCodeAt(s, s.pos + 1);
      return next === EQUALS ? AT_MOST : next === GREATER ? UNEQUAL : BELOW;
    }
    case GREATER:
      return getCodeAt(s, s.pos + 1) === EQUALS ? AT_LEAST : ABOVE;
    default:
      return null;
  }
}
