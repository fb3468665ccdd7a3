import { type CompiledPattern, compilePattern, MAX_PATTERN_LENGTH, MAX_STEPS } from './regex-pattern.ts';
import { estimatePatternSize } from './regex-size.ts';

/** A text, or the number of a group of the pattern. */
type ReplacementPart = string | number;

interface ReplacerOptions {
  readonly ignoreCase: boolean;
  /** True: the pattern has to match the whole text. */
  readonly matchesWhole: boolean;
  /** Maximum length of a result and of the replacement, in UTF-16 units. */
  readonly maxLength: number;
}

interface ReplacedText {
  /** Number of replaced matches. */
  readonly matches: number;
  readonly text: string;
}

/**
 * Replaces the matches of a pattern. The replacement follows Java's rules: `$1`, `${name}`, and `\\` before a character
 * that stands for itself.
 */
class RegexReplacer {
  private readonly pattern: CompiledPattern;
  private readonly parts: readonly ReplacementPart[];
  private readonly options: ReplacerOptions;

  constructor(pattern: CompiledPattern, parts: readonly ReplacementPart[], options: ReplacerOptions) {
    this.pattern = pattern;
    this.parts = parts;
    this.options = options;
  }

  /**
   * Replaces the matches in a text. Before each search it yields the maximum number of steps of that search. Null if the
   * text is too long to search, or the result is longer than `maxLength`.
   */
  *replaceSteps(text: string): Generator<number, ReplacedText | null> {
    const { regex, size } = this.pattern;
    const { matchesWhole, maxLength } = this.options;
    if (text.length * size > MAX_STEPS) return null;
    const matcher = regex.matcher(text);
    let matches = 0;
    let replaced = '';
    let from = 0;
    for (;;) {
      yield (text.length - from) * size + this.parts.length;
      if (matchesWhole ? matches > 0 || !matcher.matches() : !matcher.find()) break;
      matches++;
      replaced += text.slice(from, matcher.start());
      for (const part of this.parts) {
        replaced += typeof part === 'string' ? part : (matcher.group(part) ?? '');
        if (replaced.length > maxLength) return null;
      }
      from = matcher.end();
    }
    const whole = replaced + text.slice(from);
    return whole.length > maxLength ? null : { matches, text: whole };
  }
}

/**
 * Returns a replacer for a pattern that has the same meaning in RE2 and Java, or the name of the argument that is
 * invalid. Patterns with features that only one of them has are invalid.
 */
export function createRegexReplacer(
  pattern: string,
  replacement: string,
  options: ReplacerOptions,
): RegexReplacer | 'pattern' | 'replacement' {
  if (pattern.length > MAX_PATTERN_LENGTH || hasNestedClass(pattern)) return 'pattern';
  if (replacement.length > options.maxLength) return 'replacement';
  const compiled = compilePattern(pattern, estimatePatternSize(pattern), options.ignoreCase);
  if (compiled === null) return 'pattern';
  const parts = parseReplacement(replacement, compiled);
  return parts === null ? 'replacement' : new RegexReplacer(compiled, parts, options);
}

const CLASS_START = /\[\^?\]?/y;
const ESCAPED = /\\Q.*?(?:\\E|$)|\\.?/sy;

/** True if a class contains a class or an intersection. Java supports them; RE2 takes their characters literally. */
function hasNestedClass(pattern: string): boolean {
  let inClass = false;
  for (let at = 0; at < pattern.length; ) {
    const escaped = matchLength(ESCAPED, pattern, at);
    const opened = inClass ? 0 : matchLength(CLASS_START, pattern, at);
    if (inClass && (pattern.charAt(at) === '[' || pattern.startsWith('&&', at))) return true;
    if (opened > 0) inClass = true;
    else if (pattern.charAt(at) === ']') inClass = false;
    at += escaped || opened || 1;
  }
  return false;
}

/** The length of the match of a sticky expression at a position; 0 if there is none. */
function matchLength(regex: RegExp, text: string, position: number): number {
  regex.lastIndex = position;
  return regex.exec(text)?.[0].length ?? 0;
}

const REPLACEMENT_PART = /\\(.)|\$\{(\w+)\}|\$(\d+)|([^$\\]+)/sy;

/** The parts of a replacement; null if it is malformed or names a missing group. */
function parseReplacement(replacement: string, { regex }: CompiledPattern): readonly ReplacementPart[] | null {
  const names = regex.namedGroups();
  const groups = regex.groupCount();
  const parts: ReplacementPart[] = [];
  for (let at = 0; at < replacement.length; ) {
    REPLACEMENT_PART.lastIndex = at;
    const [all, escaped, name, digits, plain] = REPLACEMENT_PART.exec(replacement) ?? [];
    if (all === undefined) return null;
    at += all.length;
    const literal = escaped ?? plain;
    const length = digits === undefined ? 0 : countGroupDigits(digits, groups);
    const number = digits === undefined ? names[name ?? ''] : Number(digits.slice(0, length));
    if (literal !== undefined) parts.push(literal);
    else if (number === undefined || number > groups) return null;
    else parts.push(number, digits?.slice(length) ?? '');
  }
  return parts;
}

/** Number of digits that name a group: at least one. Digits that would name a missing group are literal. */
function countGroupDigits(digits: string, groups: number): number {
  let length = 1;
  while (length < digits.length && Number(digits.slice(0, length + 1)) <= groups) length++;
  return length;
}
