/** What people are told of a function while they type it. */
export interface FunctionInfo {
  readonly name: string;
  readonly family: string;
  /** Kinds of its arguments; in brackets: may be left out. */
  readonly args: readonly string[];
  /** Those that may be given again and again after them. */
  readonly rest: readonly string[];
}

let loading: Promise<ReadonlyMap<string, FunctionInfo>> | null = null;

/** The engine's catalogue, loaded when somebody begins to type a formula. */
export function functionInfos(): Promise<ReadonlyMap<string, FunctionInfo>> {
  loading ??= import('virtual:functions').then(
    ({ default: rows }) => new Map(rows.map(([name, family, args, rest]) => [name, { name, family, args, rest }])),
  );
  return loading;
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
