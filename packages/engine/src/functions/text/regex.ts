import { RE2JS, RE2JSException } from 're2js';
import { MAX_COLUMNS } from '../../grid/limits.ts';
import { type CellError, NA, NUM, VALUE } from '../../value/errors.ts';
import { isError, type Scalar } from '../../value/scalar.ts';
import { alias, define } from '../define.ts';
import { MAX_TEXT_LENGTH } from '../limits.ts';
import { build } from '../shape.ts';
import type { FunctionContext, FunctionSpec } from '../spec.ts';
import type { Value } from '../value.ts';
import { bounded } from './basic.ts';

/** Longest pattern, in UTF-16 units. */
const MAX_PATTERN_LENGTH = 1000;
/** Compiled patterns kept; the oldest goes first. */
const MAX_COMPILED = 200;
/** Matching work, text length times pattern length, that counts as one cell of the budget. */
const WORK_A_CELL = 1000;

const COMPILED = new Map<string, RE2JS | null>();

/** The compiled pattern, in an engine that runs in linear time; null for one that is no pattern. */
function compiled(pattern: string, ignoreCase: boolean): RE2JS | null {
  if (pattern.length > MAX_PATTERN_LENGTH) return null;
  const key = (ignoreCase ? 'i' : 's') + pattern;
  const known = COMPILED.get(key);
  if (known !== undefined) return known;
  const made = compile(pattern, ignoreCase);
  if (COMPILED.size >= MAX_COMPILED) COMPILED.delete(COMPILED.keys().next().value as string);
  COMPILED.set(key, made);
  return made;
}

function compile(pattern: string, ignoreCase: boolean): RE2JS | null {
  try {
    return RE2JS.compile(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
  } catch (error) {
    if (error instanceof RE2JSException) return null;
    throw error;
  }
}

/** One match: its place and its groups, the whole first; a group that took no part is null. */
interface Match {
  readonly start: number;
  readonly end: number;
  readonly groups: readonly (string | null)[];
}

function matches(regex: RE2JS, text: string, most: number): Match[] {
  const matcher = regex.matcher(text);
  const found: Match[] = [];
  while (found.length < most && matcher.find()) {
    const groups: (string | null)[] = [];
    for (let i = 0; i <= matcher.groupCount(); i++) groups.push(matcher.group(i));
    found.push({ start: matcher.start(), end: matcher.end(), groups });
  }
  return found;
}

function prepared(context: FunctionContext, text: string, pattern: string, caseMode: number) {
  if (caseMode !== 0 && caseMode !== 1) return VALUE;
  const regex = compiled(pattern, caseMode === 1);
  if (!regex) return VALUE;
  context.spend(Math.ceil((text.length * pattern.length) / WORK_A_CELL));
  return regex;
}

/** A test whether a pattern occurs in a text, case counting; what is wrong with a text that is no pattern. */
export function regexTester(context: FunctionContext, pattern: string): ((text: string) => boolean) | CellError {
  const regex = compiled(pattern, false);
  if (!regex) return VALUE;
  return (text) => {
    context.spend(Math.ceil((text.length * pattern.length) / WORK_A_CELL));
    return regex.matcher(text).find();
  };
}

/** Excel's modes: 0 the first match, 1 all matches, 2 the groups of the first match. */
function extract(context: FunctionContext, text: string, pattern: string, mode = 0, caseMode = 0): Value {
  if (mode < 0 || mode > 2) return VALUE;
  const regex = prepared(context, text, pattern, caseMode);
  if (isError(regex)) return regex;
  const found = matches(regex, text, mode === 1 ? MAX_COLUMNS + 1 : 1);
  const [first] = found;
  if (!first) return NA;
  if (mode === 0) return first.groups[0] as string;
  const parts = mode === 1 ? found.map((match) => match.groups[0]) : first.groups.slice(1);
  if (parts.length === 0) return NA;
  if (parts.length > MAX_COLUMNS) return NUM;
  return build(context, 1, parts.length, (_, c) => parts[c] ?? '');
}

const GROUP_REFERENCE = /\$(?:\$|([0-9]{1,2})|\{([0-9]{1,2})\})/g;

/** The replacement of one match; null where it names a group that the pattern lacks, or is too long for any text. */
function expanded(replacement: string, match: Match): string | null {
  let missing = false;
  let length = 0;
  const text = replacement.replace(GROUP_REFERENCE, (_, plain?: string, braced?: string) => {
    const number = plain ?? braced;
    if (number === undefined) return '$';
    const group = match.groups[Number(number)];
    if (group === undefined) missing = true;
    length += group?.length ?? 0;
    return length > MAX_TEXT_LENGTH ? '' : (group ?? '');
  });
  return missing || length > MAX_TEXT_LENGTH ? null : text;
}

function replace(
  context: FunctionContext,
  text: string,
  pattern: string,
  replacement: string,
  occurrence = 0,
  caseMode = 0,
): Scalar {
  const regex = prepared(context, text, pattern, caseMode);
  if (isError(regex)) return regex;
  const found = matches(regex, text, Number.POSITIVE_INFINITY);
  const chosen = occurrence === 0 ? found : found.slice(...picked(found.length, occurrence));
  let out = '';
  let from = 0;
  for (const match of chosen) {
    const part = expanded(replacement, match);
    if (part === null) return VALUE;
    out += text.slice(from, match.start) + part;
    if (out.length > MAX_TEXT_LENGTH) return VALUE;
    from = match.end;
  }
  return bounded(out + text.slice(from));
}

/** The slice that holds one occurrence, counted from the end where negative. */
function picked(count: number, occurrence: number): [number, number] {
  const at = occurrence > 0 ? occurrence - 1 : count + occurrence;
  return at < 0 ? [0, 0] : [at, at + 1];
}

const REGEXTEST = define('text', 'REGEXTEST', ['text', 'text', 'integer??'], (context, text, pattern, caseMode = 0) => {
  const regex = prepared(context, text, pattern, caseMode);
  return isError(regex) ? regex : regex.matcher(text).find();
});

export const REGEX: readonly FunctionSpec[] = [
  REGEXTEST,
  alias('REGEXMATCH', REGEXTEST, 'google'),
  define('text', 'REGEXEXTRACT', ['text', 'text', 'integer??', 'integer??'], extract),
  define('text', 'REGEXREPLACE', ['text', 'text', 'text', 'integer??', 'integer??'], replace),
];
