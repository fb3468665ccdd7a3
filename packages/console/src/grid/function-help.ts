import type { Language } from '../text/index.ts';

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

/** The engine's catalogue in the page's language, loaded when somebody begins to type a formula. */
export function functionInfos(language: Language): Promise<ReadonlyMap<string, FunctionInfo>> {
  const rows = { en: () => import('virtual:functions/en'), ru: () => import('virtual:functions/ru') };
  loading ??= rows[language]().then(
    ({ default: all }) =>
      new Map(all.map(([name, family, args, rest, what]) => [name, { name, family, args, rest, what }])),
  );
  return loading;
}

/** The arguments as they are shown: those that repeat once more, in brackets. */
export function shownArguments({ args, rest }: FunctionInfo): readonly string[] {
  return [...args, ...rest.map((name) => `[${name}]`)];
}

/** The functions whose names begin so, the shortest names first. */
export function beginningWith(infos: ReadonlyMap<string, FunctionInfo>, text: string, most: number) {
  const wanted = text.toUpperCase();
  return [...infos.values()]
    .filter(({ name }) => name.startsWith(wanted))
    .sort((a, b) => a.name.length - b.name.length || (a.name < b.name ? -1 : 1))
    .slice(0, most);
}

/** Which of the shown arguments is the one being typed; repeated ones come round again. */
export function shownArgument({ args, rest }: FunctionInfo, argument: number): number {
  if (argument < args.length || rest.length === 0) return argument;
  return args.length + ((argument - args.length) % rest.length);
}
