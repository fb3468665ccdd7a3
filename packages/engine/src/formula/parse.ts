import type { Node, UnaryOperator } from './ast.ts';
import {
  APOSTROPHE,
  AT,
  COLON,
  COMMA,
  DOLLAR,
  DOT,
  EXCLAMATION,
  HASH,
  isBlank,
  isTypographicQuote,
  isWordPart,
  isWordStart,
  LEFT_BRACE,
  LEFT_BRACKET,
  LEFT_PARENTHESIS,
  MINUS,
  PERCENT,
  PLUS,
  QUOTE,
  RIGHT_PARENTHESIS,
} from './characters.ts';
import type { Grammar } from './grammar.ts';
import { findDigitsEnd, parseArrayConstant, parseNumber, parseText, startsNumber } from './literals.ts';
import { isNestedDeeper, MAX_NESTING } from './nesting.ts';
import { canBeReference, createNameNode, createTableNode, createTrimNode, FALSE, MISSING, TRUE } from './nodes.ts';
import { LOWEST_PRECEDENCE, readOperator } from './operators.ts';
import { readFileName, removeFilePrefixes } from './prefixes.ts';
import { startsReference } from './reference-start.ts';
import { isTrimmingColon, parseReference } from './references.ts';
import {
  addChainHeight,
  addHeight,
  describePosition,
  type FormulaCell,
  failParse,
  failTooDeep,
  failUnexpected,
  findWordEnd,
  getCodeAt,
  getCurrentCode,
  type ParseNames,
  Scan,
  skipBlanks,
  skipBlanksFrom,
} from './scan.ts';
import { parseAfterSheet, parseBracketed, parseErrorOrLostReference, parseQuotedSheet } from './sheet-references.ts';
import { parseStructured } from './structured.ts';

/**
 * Parses a formula with or without its leading `=`. Never throws: an invalid text gives an InvalidNode with an error
 * message. Precedence follows Excel: `-2^2` is 4, `2^3^2` is 64. Words that look like cells outside the grid (`XFE1`,
 * `A0`) are names. References to other workbooks are kept and never resolved.
 */
export function parse(formula: string, grammar: Grammar, cell: FormulaCell, names: ParseNames): Node {
  const s = new Scan(formula, grammar, cell, names);
  return parseScan(s);
}

/** Parses the formula of an existing scan as `parse` does. */
export function parseScan(s: Scan): Node {
  const node = parseExpression(s);
  skipBlanks(s);
  if (s.pos < s.end) failUnexpected(s);
  // A tree with this height or less cannot be nested too deeply, so that most formulas need no second walk.
  if (s.height > MAX_NESTING && isNestedDeeper(node, MAX_NESTING)) failTooDeep(s);
  if (s.problem === null) return node;
  const text = s.text.startsWith('=') ? s.text : `=${s.text}`;
  return s.tooDeep
    ? { k: 'invalid', text, message: s.problem, tooDeep: true }
    : { k: 'invalid', text, message: s.problem };
}

/** Parses a value with all its operators. */
function parseExpression(s: Scan): Node {
  return parseBinary(s, LOWEST_PRECEDENCE);
}

/** Parses operators of at least the given precedence. All are left-associative. */
function parseBinary(s: Scan, minimum: number): Node {
  let left = parsePercent(s);
  let height = s.height;
  for (;;) {
    skipBlanks(s);
    const operator = readOperator(s);
    if (operator === null || operator.precedence < minimum) break;
    s.pos += operator.length;
    const right = parseBinary(s, operator.precedence + 1);
    left = { k: 'binary', op: operator.op, left, right };
    height = addChainHeight(s, Math.max(height, s.height));
  }
  s.height = height;
  return left;
}

/** Parses an operand and the `%` marks after it. */
function parsePercent(s: Scan): Node {
  let node = parsePrefixed(s);
  for (;;) {
    skipBlanks(s);
    if (getCurrentCode(s) !== PERCENT) return node;
    s.pos++;
    node = { k: 'unary', op: '%', arg: node };
    s.height = addHeight(s, s.height);
  }
}

function toPrefixOperator(code: number): UnaryOperator | null {
  return code === MINUS ? '-' : code === PLUS ? '+' : code === AT ? '@' : null;
}

/** Parses an operand and the signs before it. */
function parsePrefixed(s: Scan): Node {
  skipBlanks(s);
  let op = toPrefixOperator(getCurrentCode(s));
  if (op === null) return parseUnion(s);
  const ops: UnaryOperator[] = [];
  while (op !== null) {
    ops.push(op);
    s.pos++;
    skipBlanks(s);
    op = toPrefixOperator(getCurrentCode(s));
  }
  let node = parseUnion(s);
  for (let i = ops.length - 1; i >= 0; i--) {
    node = { k: 'unary', op: ops[i]!, arg: node };
    s.height = addHeight(s, s.height);
  }
  return node;
}

function parseUnion(s: Scan): Node {
  let left = parseIntersection(s);
  let height = s.height;
  for (;;) {
    const mark = skipBlanksFrom(s, s.pos);
    const code = getCodeAt(s, mark);
    if (!isUnionMark(s, code) || !canBeReference(left)) break;
    s.pos = mark + 1;
    skipBlanks(s);
    left = joinReferences(s, String.fromCharCode(code), 'union', left, parseIntersection(s));
    height = addChainHeight(s, Math.max(height, s.height));
  }
  s.height = height;
  return left;
}

/** True if a character is the union operator at this position. */
function isUnionMark(s: Scan, code: number): boolean {
  return code === s.separator ? s.separatorJoins : code === s.unionMark;
}

/** Parses references that blanks join (intersection). */
function parseIntersection(s: Scan): Node {
  let left = parseRange(s);
  let height = s.height;
  while (isBlank(getCurrentCode(s))) {
    const next = skipBlanksFrom(s, s.pos);
    if (!canBeReference(left) || !startsReference(s, next)) break;
    s.pos = next;
    left = joinReferences(s, 'a blank', 'intersect', left, parseRange(s));
    height = addChainHeight(s, Math.max(height, s.height));
  }
  s.height = height;
  return left;
}

/** Parses references that `:` joins. */
function parseRange(s: Scan): Node {
  let left = parseRangeOperand(s, false);
  let height = s.height;
  for (;;) {
    const trimsStart = isTrimmingColon(s, s.pos);
    const colon = trimsStart ? s.pos + 1 : skipBlanksFrom(s, s.pos);
    if (getCodeAt(s, colon) !== COLON) break;
    const trimsEnd = getCodeAt(s, colon + 1) === DOT;
    s.pos = colon + (trimsEnd ? 2 : 1);
    skipBlanks(s);
    left = createTrimNode(joinReferences(s, ':', ':', left, parseRangeOperand(s, true)), trimsStart, trimsEnd);
    height = addChainHeight(s, Math.max(height, s.height));
  }
  s.height = height;
  return left;
}

/**
 * Creates the node of a reference operator. Ends the parse if an operand cannot be a reference. `mark`: the operator in
 * messages.
 */
function joinReferences(s: Scan, mark: string, op: ':' | 'union' | 'intersect', left: Node, right: Node): Node {
  if (!canBeReference(left) || !canBeReference(right)) {
    failParse(
      s,
      `${op === 'intersect' ? mark : `\`${mark}\``} joins references only, and one side of it is none (before ${describePosition(s, s.pos)})`,
    );
  }
  return { k: 'binary', op, left, right };
}

/** An operand of a reference operator. After an operator it may have one `@`: `A1:@INDEX(…)`. */
function parseRangeOperand(s: Scan, afterColon: boolean): Node {
  if (getCurrentCode(s) !== AT) return parsePostfix(s, afterColon);
  s.pos++;
  skipBlanks(s);
  const arg = parsePostfix(s, true);
  s.height = addHeight(s, s.height);
  return { k: 'unary', op: '@', arg };
}

/** An operand with its `#` and its calls: `A1#`, `LAMBDA(x;x)(1)`. */
function parsePostfix(s: Scan, afterColon: boolean): Node {
  s.height = 0;
  let node = parsePrimary(s, afterColon);
  for (;;) {
    const code = getCurrentCode(s);
    if (code === HASH && canBeReference(node)) {
      s.pos++;
      node = { k: 'unary', op: '#', arg: node };
      s.height = addHeight(s, s.height);
    } else if (code === LEFT_PARENTHESIS && isCallable(node)) {
      const height = s.height;
      const args = parseArguments(s);
      node = { k: 'apply', callee: node, args };
      s.height = Math.max(s.height, addHeight(s, height));
    } else {
      return node;
    }
  }
}

/** True if brackets after a node are a call of its value. */
function isCallable(node: Node): boolean {
  return node.k === 'call' || node.k === 'apply' || node.k === 'parentheses' || node.k === 'name' || node.k === 'error';
}

/** Parses an operand without operators: a literal, a reference, a call or an expression in brackets. */
function parsePrimary(s: Scan, afterColon: boolean): Node {
  const code = getCurrentCode(s);
  if (isWordStart(code) || code === DOLLAR) {
    return parseReference(s, undefined, afterColon) ?? (code === DOLLAR ? failUnexpected(s) : parseWord(s));
  }
  if (startsNumber(s)) return parseNumberOrRows(s, afterColon);
  switch (code) {
    case QUOTE:
      return parseText(s);
    case LEFT_PARENTHESIS:
      return parseParentheses(s);
    case LEFT_BRACE:
      return parseArrayConstant(s);
    case HASH:
      return parseErrorOrLostReference(s);
    case APOSTROPHE:
      return parseQuotedSheet(s);
    case LEFT_BRACKET:
      return parseBracketed(s);
    default:
      return isTypographicQuote(code) && s.separator === COMMA ? parseQuoteWord(s) : failUnexpected(s);
  }
}

/**
 * Reads text in typographic quotes as an undefined name (`#NAME?`), as Excel does. Some files contain such formulas.
 */
function parseQuoteWord(s: Scan): Node {
  const start = s.pos;
  while (isTypographicQuote(getCurrentCode(s))) s.pos++;
  return createNameNode(s.text.slice(start, s.pos));
}

/** Parses a token that starts with a digit: a number (`12`), whole rows (`2:4`) or a sheet name (`2024!A1`). */
function parseNumberOrRows(s: Scan, afterColon: boolean): Node {
  const start = s.pos;
  const trimmed = isTrimmingColon(s, findDigitsEnd(s, start)) ? parseReference(s, undefined, afterColon) : null;
  if (trimmed !== null) return trimmed;
  const node = parseNumber(s);
  const end = s.pos;
  if (s.problem !== null) return node;
  if (isWordPart(getCodeAt(s, end)) || getCodeAt(s, end) === EXCLAMATION) {
    const mark = findWordEnd(s, start);
    if (getCodeAt(s, mark) !== EXCLAMATION) return failUnexpected(s);
    s.pos = mark;
    return parseAfterSheet(s, s.text.slice(start, mark));
  }
  if (getCodeAt(s, skipBlanksFrom(s, end)) !== COLON) return node;
  s.pos = start;
  const rows = parseReference(s, undefined, afterColon);
  if (rows === null) s.pos = end;
  return rows ?? node;
}

function parseParentheses(s: Scan): Node {
  const open = s.pos;
  if (!openBracket(s)) return MISSING;
  const outer = s.separatorJoins;
  s.separatorJoins = true;
  const arg = parseExpression(s);
  skipBlanks(s);
  s.separatorJoins = outer;
  closeBracket(s, open);
  s.height = addHeight(s, s.height);
  return { k: 'parentheses', arg };
}

/**
 * Moves past an opening bracket. Fails and returns false if too many are open, because each takes about fifteen stack
 * frames of the parser.
 */
function openBracket(s: Scan): boolean {
  s.pos++;
  if (++s.brackets <= MAX_NESTING) return true;
  failTooDeep(s);
  return false;
}

/** Moves past the bracket that closes the one at `open`; fails if there is none. */
function closeBracket(s: Scan, open: number): void {
  if (getCurrentCode(s) === RIGHT_PARENTHESIS) {
    s.pos++;
    s.brackets--;
  } else if (s.pos >= s.end) {
    failParse(s, `the \`(\` at ${describePosition(s, open)} is never closed`);
  } else {
    failUnexpected(s);
  }
}

/** Parses arguments in brackets. An omitted argument is a MissingNode; `F()` has no arguments. */
function parseArguments(s: Scan): Node[] {
  const open = s.pos;
  const args: Node[] = [];
  if (!openBracket(s)) return args;
  const outer = s.separatorJoins;
  s.separatorJoins = false;
  let height = 0;
  skipBlanks(s);
  if (getCurrentCode(s) !== RIGHT_PARENTHESIS) {
    for (;;) {
      skipBlanks(s);
      s.height = 0;
      const code = getCurrentCode(s);
      args.push(code === s.separator || code === RIGHT_PARENTHESIS ? MISSING : parseExpression(s));
      height = Math.max(height, s.height);
      skipBlanks(s);
      if (getCurrentCode(s) !== s.separator) break;
      s.pos++;
    }
  }
  s.separatorJoins = outer;
  closeBracket(s, open);
  s.height = addHeight(s, height);
  return args;
}

/** Parses a word that is not a cell: a function, sheet, table, TRUE, FALSE or a name. */
function parseWord(s: Scan): Node {
  const start = s.pos;
  const end = findWordEnd(s, start);
  const next = getCodeAt(s, end);
  if (next === EXCLAMATION) {
    s.pos = end;
    return parseAfterSheet(s, s.text.slice(start, end));
  }
  if (next === COLON && isWordPart(getCodeAt(s, end + 1))) {
    const last = findWordEnd(s, end + 1);
    if (getCodeAt(s, last) === EXCLAMATION) {
      s.pos = last;
      return parseAfterSheet(s, s.text.slice(start, end), s.text.slice(end + 1, last));
    }
  }
  const name = s.text.slice(start, end);
  s.pos = end;
  if (next === LEFT_BRACKET) return parseStructured(s, name);
  const open = skipBlanksFrom(s, end);
  if (getCodeAt(s, open) === LEFT_PARENTHESIS) {
    s.pos = open;
    return parseCall(s, name);
  }
  return parseBareWord(s, name);
}

/** Parses a word without a bracket or `!` after it: TRUE, FALSE, a table or a name. */
function parseBareWord(s: Scan, name: string): Node {
  if (name.length === 4 && name.toUpperCase() === 'TRUE') return TRUE;
  if (name.length === 5 && name.toUpperCase() === 'FALSE') return FALSE;
  const special = readFileName(name);
  if (special !== null) return special;
  return s.names.isTable?.(name) ? createTableNode(name, []) : createNameNode(name);
}

function parseCall(s: Scan, writtenName: string): Node {
  const name = removeFilePrefixes(writtenName);
  const args = parseArguments(s);
  const only = args[0];
  if (only !== undefined && args.length === 1 && only.k !== 'missing') {
    if (name === 'SINGLE') return { k: 'unary', op: '@', arg: only };
    if (name === 'ANCHORARRAY') return { k: 'unary', op: '#', arg: only };
  }
  return { k: 'call', name, args };
}
