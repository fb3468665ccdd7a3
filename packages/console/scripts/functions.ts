import { readFileSync } from 'node:fs';
import { FORMS, FUNCTIONS } from '../../engine/src/functions/catalogue.ts';
import type { Callable } from '../../engine/src/functions/spec.ts';
import type { FunctionRow } from '../src/data/function-row.ts';

interface FunctionTexts {
  readonly args: readonly string[];
  readonly what: string;
}

/**
 * Returns the functions of the engine's catalogue with their texts in one language. `functions/LANGUAGE.txt` has one
 * line per function: `NAME|argument; argument|description`, or `NAME=OTHER` for the texts of another function. Optional
 * arguments are in brackets. An argument without a text shows its kind.
 */
export function listFunctionRows(language: 'en' | 'ru'): readonly FunctionRow[] {
  const texts = readFunctionTexts(language);
  return listCatalogue()
    .map((of): FunctionRow => {
      const { args, what } = texts.get(of.name) ?? { args: of.args.map(({ kind }) => kind), what: '' };
      const named = of.args.map(({ kind, optional }, i) => (optional ? `[${args[i] ?? kind}]` : (args[i] ?? kind)));
      // The last arguments repeat.
      const rest = (of.rest ?? []).map(({ kind }, i, { length }) => args[of.args.length - length + i] ?? kind);
      return [of.name, of.family, named, rest, what];
    })
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

export function listCatalogue(): readonly Callable[] {
  return [...FUNCTIONS.values(), ...FORMS.values()].filter(({ internal }) => !internal);
}

export function readFunctionTexts(language: 'en' | 'ru'): ReadonlyMap<string, FunctionTexts> {
  const text = readFileSync(new URL(`../functions/${language}.txt`, import.meta.url), 'utf8');
  const lines = text.trim().split('\n');
  const texts = new Map<string, FunctionTexts>();
  for (const line of lines) {
    const [name = '', args, what = ''] = line.split('|');
    if (args !== undefined) texts.set(name, { args: args === '' ? [] : args.split('; '), what });
  }
  for (const line of lines) {
    if (line.includes('|')) continue;
    const [name = '', other = ''] = line.split('=');
    const like = texts.get(other);
    if (like !== undefined) texts.set(name, like);
  }
  return texts;
}

/** Languages with local function names, in the column order of the file. */
const LOCAL_LANGUAGES = ['ru', 'de', 'fr', 'es'] as const;

/**
 * Returns pairs of local and English function names by language. `functions/local.txt` has one line per function:
 * `ENGLISH|ru|de|fr|es`. Names that are equal to the English name are left out.
 */
export function listLocalNames(): Readonly<Record<string, readonly (readonly [local: string, english: string])[]>> {
  const text = readFileSync(new URL('../functions/local.txt', import.meta.url), 'utf8');
  const rows = text
    .trim()
    .split('\n')
    .map((line) => line.split('|'));
  const of = (column: number) =>
    rows.flatMap(([english = '', ...local]) => {
      const name = local[column] ?? '';
      return name === english || name === '' ? [] : [[name, english] as const];
    });
  return Object.fromEntries(LOCAL_LANGUAGES.map((language, column) => [language, of(column)]));
}
