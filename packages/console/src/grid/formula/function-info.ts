import type { Language } from '../../text/index.ts';
import { type LocalNames, nameKey } from './typed-formula.ts';

/** What people are told of a function while they type it. */
export interface FunctionInfo {
  readonly name: string;
  readonly family: string;
  /** Names of its arguments; in brackets: may be left out. */
  readonly args: readonly string[];
  /** Those that may be given again and again after them. */
  readonly rest: readonly string[];
  readonly what: string;
}

let loading: Promise<ReadonlyMap<string, FunctionInfo>> | null = null;

/** The engine's catalogue in the page's language; empty while the service cannot be reached. */
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

/** The arguments as they are shown: those that repeat once more, in brackets. */
export function shownArguments({ args, rest }: FunctionInfo): readonly string[] {
  return [...args, ...rest.map((name) => `[${name}]`)];
}

/** The functions whose names, English or local, begin so, the shortest names first. */
export function findFunctions(
  infos: ReadonlyMap<string, FunctionInfo>,
  text: string,
  most: number,
  localNames: LocalNames = new Map(),
): readonly FunctionInfo[] {
  const wanted = text.toUpperCase();
  const key = nameKey(text);
  const local = new Set([...localNames].flatMap(([name, english]) => (name.startsWith(key) ? [english] : [])));
  return [...infos.values()]
    .filter(({ name }) => name.startsWith(wanted) || local.has(name))
    .sort((a, b) => a.name.length - b.name.length || (a.name < b.name ? -1 : 1))
    .slice(0, most);
}

/** Which of the shown arguments is the one being typed; repeated ones come round again. */
export function shownArgument({ args, rest }: FunctionInfo, argument: number): number {
  if (argument < args.length || rest.length === 0) return argument;
  return args.length + ((argument - args.length) % rest.length);
}
