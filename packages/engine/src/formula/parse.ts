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
import { arrayConstant, digitsEnd, number, startsNumber, text } from './literals.ts';
import { MAX_NESTING, nestsDeeper } from './nesting.ts';
import { FALSE, MISSING, mayBeReference, nameNode, TRUE, tableNode, trimNode } from './nodes.ts';
import { LOWEST_PRECEDENCE, operatorAt } from './operators.ts';
import { plainFunctionName, readFileName } from './prefixes.ts';
import { startsReference } from './reference-start.ts';
import { isTrimmingColon, reference } from './references.ts';
import {
  afterBlanks,
  character,
  codeAt,
  current,
  fail,
  failTooDeep,
  grown,
  grownChain,
  type ParseNames,
  type Place,
  Scan,
  skipBlanks,
  unexpected,
  wordEnd,
} from './scan.ts';
import { afterSheet, bracketed, errorOrLostReference, quotedSheet } from './sheet-references.ts';
import { structured } from './structured.ts';

/**
 * Reads a formula, with or without its leading `=`. Never throws: a text that cannot be read is an InvalidNode whose
 * message says what to do. Precedence is Excel's: `-2^2` is 4, `2^3^2` is 64.
 *
 * Words that look like cells beyond the grid (`XFE1`, `A0`) are names. References into other workbooks are kept and never resolved.
 */
export function parse(formula: string, grammar: Grammar, place: Place, names: ParseNames): Node {
  const s = new Scan(formula, grammar, place, names);
  return parseScan(s);
}

/** The same for a prepared scan. */
export function parseScan(s: Scan): Node {
  const node = expression(s);
  skipBlanks(s);
  if (s.pos < s.end) unexpected(s);
  // No tree is nested deeper than it is high.
  if (s.height > MAX_NESTING && nestsDeeper(node, MAX_NESTING)) failTooDeep(s);
  if (s.problem === null) return node;
  const text = s.text.startsWith('=') ? s.text : `=${s.text}`;
  return s.tooDeep
    ? { k: 'invalid', text, message: s.problem, tooDeep: true }
    : { k: 'invalid', text, message: s.problem };
}

function expression(s: Scan): Node {
  return binary(s, LOWEST_PRECEDENCE);
}

/** Operators of at least the given precedence; all of them group from left to right. */
function binary(s: Scan, minimum: number): Node {
  let left = percent(s);
  let height = s.height;
  for (;;) {
    skipBlanks(s);
    const found = operatorAt(s);
    if (found === null || found.precedence < minimum) break;
    s.pos += found.length;
    const right = binary(s, found.precedence + 1);
    left = { k: 'binary', op: found.op, left, right };
    height = grownChain(s, Math.max(height, s.height));
  }
  s.height = height;
  return left;
}

function percent(s: Scan): Node {
  let node = prefixed(s);
  for (;;) {
    skipBlanks(s);
    if (current(s) !== PERCENT) return node;
    s.pos++;
    node = { k: 'unary', op: '%', arg: node };
    s.height = grown(s, s.height);
  }
}

function prefixOperator(code: number): UnaryOperator | null {
  return code === MINUS ? '-' : code === PLUS ? '+' : code === AT ? '@' : null;
}

function prefixed(s: Scan): Node {
  skipBlanks(s);
  let op = prefixOperator(current(s));
  if (op === null) return union(s);
  const ops: UnaryOperator[] = [];
  while (op !== null) {
    ops.push(op);
    s.pos++;
    skipBlanks(s);
    op = prefixOperator(current(s));
  }
  let node = union(s);
  for (let i = ops.length - 1; i >= 0; i--) {
    node = { k: 'unary', op: ops[i]!, arg: node };
    s.height = grown(s, s.height);
  }
  return node;
}

function union(s: Scan): Node {
  let left = intersection(s);
  let height = s.height;
  for (;;) {
    const mark = afterBlanks(s, s.pos);
    const code = codeAt(s, mark);
    if (!joins(s, code) || !mayBeReference(left)) break;
    s.pos = mark + 1;
    skipBlanks(s);
    left = joinedBy(s, String.fromCharCode(code), 'union', left, intersection(s));
    height = grownChain(s, Math.max(height, s.height));
  }
  s.height = height;
  return left;
}

/** Whether a character is a union's mark here. */
function joins(s: Scan, code: number): boolean {
  return code === s.separator ? s.separatorJoins : code === s.unionMark;
}

function intersection(s: Scan): Node {
  let left = range(s);
  let height = s.height;
  while (isBlank(current(s))) {
    const next = afterBlanks(s, s.pos);
    if (!mayBeReference(left) || !startsReference(s, next)) break;
    s.pos = next;
    left = joinedBy(s, 'a blank', 'intersect', left, range(s));
    height = grownChain(s, Math.max(height, s.height));
  }
  s.height = height;
  return left;
}

function range(s: Scan): Node {
  let left = singled(s, false);
  let height = s.height;
  for (;;) {
    const trimsStart = isTrimmingColon(s, s.pos);
    const colon = trimsStart ? s.pos + 1 : afterBlanks(s, s.pos);
    if (codeAt(s, colon) !== COLON) break;
    const trimsEnd = codeAt(s, colon + 1) === DOT;
    s.pos = colon + (trimsEnd ? 2 : 1);
    skipBlanks(s);
    left = trimNode(joinedBy(s, ':', ':', left, singled(s, true)), trimsStart, trimsEnd);
    height = grownChain(s, Math.max(height, s.height));
  }
  s.height = height;
  return left;
}

function joinedBy(s: Scan, mark: string, op: ':' | 'union' | 'intersect', left: Node, right: Node): Node {
  if (!mayBeReference(left) || !mayBeReference(right)) {
    fail(
      s,
      `${op === 'intersect' ? mark : `\`${mark}\``} joins references only, and one side of it is none (before ${character(s, s.pos)})`,
    );
  }
  return { k: 'binary', op, left, right };
}

/** An operand of a reference operator. After one a single `@` may stand: `A1:@INDEX(…)`. */
function singled(s: Scan, afterColon: boolean): Node {
  if (current(s) !== AT) return postfix(s, afterColon);
  s.pos++;
  skipBlanks(s);
  const arg = postfix(s, true);
  s.height = grown(s, s.height);
  return { k: 'unary', op: '@', arg };
}

/** An operand with its `#` and its calls: `A1#`, `LAMBDA(x;x)(1)`. */
function postfix(s: Scan, afterColon: boolean): Node {
  s.height = 0;
  let node = primary(s, afterColon);
  for (;;) {
    const code = current(s);
    if (code === HASH && mayBeReference(node)) {
      s.pos++;
      node = { k: 'unary', op: '#', arg: node };
      s.height = grown(s, s.height);
    } else if (code === LEFT_PARENTHESIS && isCallable(node)) {
      const height = s.height;
      const args = argumentsOf(s);
      node = { k: 'apply', callee: node, args };
      s.height = Math.max(s.height, grown(s, height));
    } else {
      return node;
    }
  }
}

function isCallable(node: Node): boolean {
  return node.k === 'call' || node.k === 'apply' || node.k === 'parentheses' || node.k === 'name' || node.k === 'error';
}

function primary(s: Scan, afterColon: boolean): Node {
  const code = current(s);
  if (isWordStart(code) || code === DOLLAR) {
    return reference(s, undefined, afterColon) ?? (code === DOLLAR ? unexpected(s) : word(s));
  }
  if (startsNumber(s)) return numberOrRows(s, afterColon);
  switch (code) {
    case QUOTE:
      return text(s);
    case LEFT_PARENTHESIS:
      return parentheses(s);
    case LEFT_BRACE:
      return arrayConstant(s);
    case HASH:
      return errorOrLostReference(s);
    case APOSTROPHE:
      return quotedSheet(s);
    case LEFT_BRACKET:
      return bracketed(s);
    default:
      return isTypographicQuote(code) && s.separator === COMMA ? quoteWord(s) : unexpected(s);
  }
}

/** Files hold formulas with typographic quotes, which Excel reads as a name that nobody has defined (`#NAME?`). */
function quoteWord(s: Scan): Node {
  const start = s.pos;
  while (isTypographicQuote(current(s))) s.pos++;
  return nameNode(s.text.slice(start, s.pos));
}

/** `12`, `2:4`, `2024!A1`. */
function numberOrRows(s: Scan, afterColon: boolean): Node {
  const start = s.pos;
  const trimmed = isTrimmingColon(s, digitsEnd(s, start)) ? reference(s, undefined, afterColon) : null;
  if (trimmed !== null) return trimmed;
  const node = number(s);
  const end = s.pos;
  if (s.problem !== null) return node;
  if (isWordPart(codeAt(s, end)) || codeAt(s, end) === EXCLAMATION) {
    const mark = wordEnd(s, start);
    if (codeAt(s, mark) !== EXCLAMATION) return unexpected(s);
    s.pos = mark;
    return afterSheet(s, s.text.slice(start, mark));
  }
  if (codeAt(s, afterBlanks(s, end)) !== COLON) return node;
  s.pos = start;
  const rows = reference(s, undefined, afterColon);
  if (rows === null) s.pos = end;
  return rows ?? node;
}

function parentheses(s: Scan): Node {
  const open = s.pos;
  if (!opened(s)) return MISSING;
  const outer = s.separatorJoins;
  s.separatorJoins = true;
  const arg = expression(s);
  skipBlanks(s);
  s.separatorJoins = outer;
  closed(s, open);
  s.height = grown(s, s.height);
  return { k: 'parentheses', arg };
}

/** Passes an opening bracket; false where too many are open: each costs about fifteen stack frames of the parser. */
function opened(s: Scan): boolean {
  s.pos++;
  if (++s.brackets <= MAX_NESTING) return true;
  failTooDeep(s);
  return false;
}

/** Passes the closing bracket of the one at `open`. */
function closed(s: Scan, open: number): void {
  if (current(s) === RIGHT_PARENTHESIS) {
    s.pos++;
    s.brackets--;
  } else if (s.pos >= s.end) {
    fail(s, `the \`(\` at ${character(s, open)} is never closed`);
  } else {
    unexpected(s);
  }
}

/** Arguments in their brackets; what is left out is a MissingNode, `F()` has none at all. */
function argumentsOf(s: Scan): Node[] {
  const open = s.pos;
  const args: Node[] = [];
  if (!opened(s)) return args;
  const outer = s.separatorJoins;
  s.separatorJoins = false;
  let height = 0;
  skipBlanks(s);
  if (current(s) !== RIGHT_PARENTHESIS) {
    for (;;) {
      skipBlanks(s);
      s.height = 0;
      const code = current(s);
      args.push(code === s.separator || code === RIGHT_PARENTHESIS ? MISSING : expression(s));
      height = Math.max(height, s.height);
      skipBlanks(s);
      if (current(s) !== s.separator) break;
      s.pos++;
    }
  }
  s.separatorJoins = outer;
  closed(s, open);
  s.height = grown(s, height);
  return args;
}

/** A word that is no cell: a function, a sheet, a table, TRUE, FALSE or a name. */
function word(s: Scan): Node {
  const start = s.pos;
  const end = wordEnd(s, start);
  const next = codeAt(s, end);
  if (next === EXCLAMATION) {
    s.pos = end;
    return afterSheet(s, s.text.slice(start, end));
  }
  if (next === COLON && isWordPart(codeAt(s, end + 1))) {
    const last = wordEnd(s, end + 1);
    if (codeAt(s, last) === EXCLAMATION) {
      s.pos = last;
      return afterSheet(s, s.text.slice(start, end), s.text.slice(end + 1, last));
    }
  }
  const name = s.text.slice(start, end);
  s.pos = end;
  if (next === LEFT_BRACKET) return structured(s, name);
  const open = afterBlanks(s, end);
  if (codeAt(s, open) === LEFT_PARENTHESIS) {
    s.pos = open;
    return call(s, name);
  }
  return bareWord(s, name);
}

function bareWord(s: Scan, name: string): Node {
  if (name.length === 4 && name.toUpperCase() === 'TRUE') return TRUE;
  if (name.length === 5 && name.toUpperCase() === 'FALSE') return FALSE;
  const special = readFileName(name);
  if (special !== null) return special;
  return s.names.tableExists?.(name) ? tableNode(name, []) : nameNode(name);
}

function call(s: Scan, written: string): Node {
  const name = plainFunctionName(written);
  const args = argumentsOf(s);
  const only = args[0];
  if (only !== undefined && args.length === 1 && only.k !== 'missing') {
    if (name === 'SINGLE') return { k: 'unary', op: '@', arg: only };
    if (name === 'ANCHORARRAY') return { k: 'unary', op: '#', arg: only };
  }
  return { k: 'call', name, args };
}
