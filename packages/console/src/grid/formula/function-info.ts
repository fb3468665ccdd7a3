import type { Language } from '../../text/index.ts';
import { type LocalNames, toNameKey } from './typed-formula.ts';

/** Help text of a function. */
export interface FunctionInfo {
  readonly name: string;
  readonly family: string;
  /** Names of the arguments; optional ones are in brackets. */
  readonly args: readonly string[];
  /** Names of the arguments that repeat after them. */
  readonly rest: readonly string[];
  readonly what: string;
}

let loading: Promise<ReadonlyMap<string, FunctionInfo>> | null = null;

/** Loads the engine's catalogue in the page's language; empty if the service cannot be reached. */
export async function loadFunctionInfos(language: Language): Promise<ReadonlyMap<string, FunctionInfo>> {
  const rows = { en: () => import('virtual:functions/en'), ru: () => import('virtual:functions/ru') };
  loading ??= rows[language]().then(
    ({ default: all }) =>
      new Map(all.map(([name, family, args, rest, what]) => [name, { name, family, args, rest, what }])),
  );
  try {
    return await loading;
  } catch {
    loading = null;
    return new Map();
  }
}

/** Arguments to show. The repeated arguments appear once more, in brackets. */
export function listShownArguments({ args, rest }: FunctionInfo): readonly string[] {
  return [...args, ...rest.map((name) => `[${name}]`)];
}

/** Functions whose English or local names start with a text, shortest first. */
export function findFunctions(
  infos: ReadonlyMap<string, FunctionInfo>,
  text: string,
  maxCount: number,
  localNames: LocalNames = new Map(),
): readonly FunctionInfo[] {
  const prefix = text.toUpperCase();
  const key = toNameKey(text);
  const local = new Set([...localNames].flatMap(([name, english]) => (name.startsWith(key) ? [english] : [])));
  return [...infos.values()]
    .filter(({ name }) => name.startsWith(prefix) || local.has(name))
    .sort((a, b) => a.name.length - b.name.length || (a.name < b.name ? -1 : 1))
    .slice(0, maxCount);
}

/** Index of the shown argument for the argument at the caret; repeating arguments wrap around. */
export function findShownArgument({ args, rest }: FunctionInfo, argument: number): number {
  if (argument < args.length || rest.length === 0) return argument;
  return args.length + ((argument - args.length) % rest.length);
}
