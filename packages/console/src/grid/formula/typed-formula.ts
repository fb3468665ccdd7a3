import type { LocaleId } from '@cellwire/engine';
import { getFormulaSeparators } from './formula-text.ts';

/** English function names by the `toNameKey` of local names. */
export type LocalNames = ReadonlyMap<string, string>;

const NO_NAMES: LocalNames = new Map();
/** Names without brackets. All other names are functions. */
const CONSTANT_NAMES: ReadonlySet<string> = new Set(['TRUE', 'FALSE']);
/** Texts, quoted sheet names, names and numbers inside them, and single characters. */
const TOKENS = /"(?:[^"]|"")*"?|'(?:[^']|'')*'?|[\p{L}_\\][\p{L}\p{M}\p{N}_.]*|[\s\S]/gu;

let loadingNames: Promise<Readonly<Record<string, LocalNames>>> | null = null;
let loadedNames: Readonly<Record<string, LocalNames>> = {};

/** Loads the local function names. Runs when a document opens, so that the names are available offline. */
export async function loadLocalNames(): Promise<void> {
  loadingNames ??= import('virtual:local-names').then(({ default: all }) =>
    Object.fromEntries(
      Object.entries(all).map(([language, pairs]) => [
        language,
        new Map(pairs.map(([local, english]) => [toNameKey(local), english])),
      ]),
    ),
  );
  try {
    loadedNames = await loadingNames;
  } catch {
    loadingNames = null;
  }
}

/** Returns the local function names of a locale; none before they are loaded. */
export function getLocalNames(locale: LocaleId | null): LocalNames {
  return loadedNames[locale?.slice(0, 2) ?? ''] ?? NO_NAMES;
}

/** Returns a name without case and accents: `СЧЕТ` equals `СЧЁТ`, `ano` equals `AÑO`. */
export function toNameKey(name: string): string {
  return name.toUpperCase().normalize('NFD').replace(/\p{M}/gu, '');
}

const CLOSING: ReadonlyMap<string, string> = new Map([
  ['(', ')'],
  ['{', '}'],
]);

/** Closes the open brackets and braces at the end of a formula. Other texts do not change. */
export function closeBrackets(text: string): string {
  if (!text.startsWith('=') || text.length === 1) return text;
  const open: string[] = [];
  for (const [token] of text.matchAll(TOKENS)) {
    // The formula ends inside a quoted text, so the position of the missing brackets is unknown.
    if (/^"(?:[^"]|"")*$/.test(token) || /^'(?:[^']|'')*$/.test(token)) return text;
    const closing = CLOSING.get(token);
    if (closing !== undefined) open.push(closing);
    else if (token === open.at(-1)) open.pop();
    // A bracket of another kind is closed here, so brackets at the end cannot repair the formula.
    else if (open.length > 0 && (token === ')' || token === '}')) return text;
  }
  return text + open.toReversed().join('');
}

/**
 * Converts a typed formula to the form that the service reads: English function names and the locale's argument
 * separator. `;` separates arguments in each locale.
 */
export function toApiFormula(text: string, locale: LocaleId | null, names = getLocalNames(locale)): string {
  if (!text.startsWith('=')) return text;
  const { separator } = getFormulaSeparators(locale);
  const tokens = [...text.matchAll(TOKENS)];
  let braces = 0;
  return tokens
    .map(([token], i) => {
      if (token === '{') braces++;
      if (token === '}') braces--;
      // In array constants `;` separates rows.
      if (token === ';') return braces > 0 ? token : separator;
      return isName(token) ? toEnglishName(token, tokens, i, names) : token;
    })
    .join('');
}

function isName(token: string): boolean {
  return /^[\p{L}_]/u.test(token);
}

function toEnglishName(
  token: string,
  tokens: readonly RegExpExecArray[],
  tokenIndex: number,
  names: LocalNames,
): string {
  const english = names.get(toNameKey(token));
  if (english === undefined) return token;
  const after = tokens.slice(tokenIndex + 1).find(([next]) => next.trim() !== '')?.[0];
  if (after === '(') return english;
  const before = tokens[tokenIndex - 1]?.[0];
  return CONSTANT_NAMES.has(english) && after !== '!' && before !== '!' && before !== '[' ? english : token;
}
