import { RE2JS, RE2JSException } from 're2js';

/** Maximum length of a pattern, in UTF-16 units. */
export const MAX_PATTERN_LENGTH = 1000;
/**
 * Maximum number of instructions of a pattern (`estimatePatternSize`). The time for compiling and matching is
 * proportional to it.
 */
const MAX_PATTERN_SIZE = 3000;
/**
 * Maximum number of steps of one match: characters times instructions. A step takes about 40 ns if the matcher has no
 * shortcut.
 */
export const MAX_STEPS = 4_000_000;

/** A compiled pattern, and its maximum number of instructions. */
export interface CompiledPattern {
  readonly regex: RE2JS;
  readonly size: number;
}

/**
 * Compiles a pattern for an engine with linear run time. `size`: its estimated number of instructions. Null if the
 * pattern is invalid or too large.
 */
export function compilePattern(pattern: string, size: number, ignoreCase: boolean): CompiledPattern | null {
  if (size > MAX_PATTERN_SIZE) return null;
  try {
    const regex = RE2JS.compile(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
    return { regex, size: Math.max(size, regex.programSize()) };
  } catch (error) {
    if (error instanceof RE2JSException) return null;
    throw error;
  }
}
