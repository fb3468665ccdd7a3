import { MAX_COLUMNS } from '../../grid/limits.ts';
import { type CellError, NA, NUM, VALUE } from '../../value/errors.ts';
import { isError, type Scalar } from '../../value/scalar.ts';
import { define, defineAlias } from '../define.ts';
import { MAX_TEXT_LENGTH } from '../limits.ts';
import { buildMatrix } from '../shape.ts';
import type { FunctionContext, FunctionSpec } from '../spec.ts';
import type { Value } from '../value.ts';
import { limitText } from './basic.ts';
import { type CompiledPattern, compilePattern, MAX_PATTERN_LENGTH, MAX_STEPS } from './regex-pattern.ts';
import { estimatePatternSize } from './regex-size.ts';

/**
 * Maximum number of compiled patterns in the cache; the oldest is dropped. Each stores up to 8 MB of states (re2js,
 * `maxMem`).
 */
const MAX_COMPILED = 8;
/** Product of text length and pattern length that counts as one cell of the budget. */
const WORK_PER_CELL = 1000;
/**
 * Number of steps, or of instructions to compile, that count as one cell of the budget. A search that may exceed the
 * remaining time is not started; in the serving thread it ends within a few milliseconds.
 */
const STEPS_PER_CELL = 1;

const COMPILED = new Map<string, CompiledPattern | null>();

/** Returns the compiled pattern, for an engine with linear run time; null if the pattern is invalid or too large. */
function getCompiled(context: FunctionContext, pattern: string, ignoreCase: boolean): CompiledPattern | null {
  if (pattern.length > MAX_PATTERN_LENGTH) return null;
  const key = (ignoreCase ? 'i' : 's') + pattern;
  const cached = COMPILED.get(key);
  if (cached !== undefined) return cached;
  const size = estimatePatternSize(pattern);
  context.reportWork(size);
  const compiled = compilePattern(pattern, size, ignoreCase);
  if (COMPILED.size >= MAX_COMPILED) COMPILED.delete(COMPILED.keys().next().value!);
  COMPILED.set(key, compiled);
  return compiled;
}

/**
 * One match: its position and its groups, of which the first one is the whole match. A group that did not take part is
 * null.
 */
interface RegexMatch {
  readonly start: number;
  readonly end: number;
  readonly groups: readonly (string | null)[];
}

/** The first matches of a pattern, at most `most`. */
function findMatches(
  context: FunctionContext,
  { regex, size }: CompiledPattern,
  text: string,
  most: number,
): RegexMatch[] {
  const matcher = regex.matcher(text);
  const groupCount = matcher.groupCount();
  const matches: RegexMatch[] = [];
  // Each search may read the text to its end.
  const work = Math.ceil((text.length * size) / STEPS_PER_CELL);
  while (matches.length < most && matcher.find()) {
    context.reportWork(work);
    if (groupCount > 0) context.spendCells(groupCount);
    const groups: (string | null)[] = [];
    for (let i = 0; i <= groupCount; i++) groups.push(matcher.group(i));
    matches.push({ start: matcher.start(), end: matcher.end(), groups });
  }
  return matches;
}

/** Counts the work of a search before it starts; returns false if it may take too long. */
function canSearch(context: FunctionContext, { size }: CompiledPattern, text: string, pattern: string): boolean {
  const steps = text.length * size;
  if (steps > MAX_STEPS) return false;
  context.spendCells(Math.ceil((text.length * pattern.length) / WORK_PER_CELL));
  context.reportWork(Math.ceil(steps / STEPS_PER_CELL));
  return true;
}

/** Compiles a pattern for a search in `text`; an error if it is invalid or the search may take too long. */
function preparePattern(
  context: FunctionContext,
  text: string,
  pattern: string,
  caseMode: number,
): CompiledPattern | CellError {
  if (caseMode !== 0 && caseMode !== 1) return VALUE;
  const compiledPattern = getCompiled(context, pattern, caseMode === 1);
  return compiledPattern && canSearch(context, compiledPattern, text, pattern) ? compiledPattern : VALUE;
}

/**
 * Creates a case-sensitive test whether a pattern occurs in a text; an error for an invalid pattern. The test returns
 * false for texts that are too long.
 */
export function createRegexTester(context: FunctionContext, pattern: string): ((text: string) => boolean) | CellError {
  const compiledPattern = getCompiled(context, pattern, false);
  if (!compiledPattern) return VALUE;
  return (text) => canSearch(context, compiledPattern, text, pattern) && compiledPattern.regex.matcher(text).find();
}

/** REGEXEXTRACT by Excel's modes: 0 the first match, 1 all matches, 2 the groups of the first match. */
function extractMatches(context: FunctionContext, text: string, pattern: string, mode = 0, caseMode = 0): Value {
  if (mode < 0 || mode > 2) return VALUE;
  const prepared = preparePattern(context, text, pattern, caseMode);
  if (isError(prepared)) return prepared;
  const matches = findMatches(context, prepared, text, mode === 1 ? MAX_COLUMNS + 1 : 1);
  const [first] = matches;
  if (!first) return NA;
  if (mode === 0) return first.groups[0] as string;
  const parts = mode === 1 ? matches.map((match) => match.groups[0]) : first.groups.slice(1);
  if (parts.length === 0) return NA;
  if (parts.length > MAX_COLUMNS) return NUM;
  return buildMatrix(context, 1, parts.length, (_, c) => parts[c] ?? '');
}

const GROUP_REFERENCE = /\$(?:\$|([0-9]{1,2})|\{([0-9]{1,2})\})/g;

/** Returns the replacement for one match; null if it names a missing group or is too long. */
function expandReplacement(replacement: string, match: RegexMatch): string | null {
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

/** REGEXREPLACE: replaces one match or all matches of a pattern. */
function replaceMatches(
  context: FunctionContext,
  text: string,
  pattern: string,
  replacement: string,
  occurrence = 0,
  caseMode = 0,
): Scalar {
  const prepared = preparePattern(context, text, pattern, caseMode);
  if (isError(prepared)) return prepared;
  const matches = findMatches(context, prepared, text, Number.POSITIVE_INFINITY);
  const chosen = occurrence === 0 ? matches : matches.slice(...pickRange(matches.length, occurrence));
  let out = '';
  let from = 0;
  for (const match of chosen) {
    const part = expandReplacement(replacement, match);
    if (part === null) return VALUE;
    out += text.slice(from, match.start) + part;
    if (out.length > MAX_TEXT_LENGTH) return VALUE;
    from = match.end;
  }
  return limitText(out + text.slice(from));
}

/** Returns the range of matches to replace. `occurrence`: 0 for all; negative numbers count from the end. */
function pickRange(count: number, occurrence: number): [number, number] {
  const at = occurrence > 0 ? occurrence - 1 : count + occurrence;
  return at < 0 ? [0, 0] : [at, at + 1];
}

const REGEXTEST = define('text', 'REGEXTEST', ['text', 'text', 'integer??'], (context, text, pattern, caseMode = 0) => {
  const prepared = preparePattern(context, text, pattern, caseMode);
  return isError(prepared) ? prepared : prepared.regex.matcher(text).find();
});

export const REGEX: readonly FunctionSpec[] = [
  REGEXTEST,
  defineAlias('REGEXMATCH', REGEXTEST, 'google'),
  define('text', 'REGEXEXTRACT', ['text', 'text', 'integer??', 'integer??'], extractMatches),
  define('text', 'REGEXREPLACE', ['text', 'text', 'text', 'integer??', 'integer??'], replaceMatches),
];
