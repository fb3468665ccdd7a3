import type { Scalar } from '../value/scalar.ts';
import type { CompileForm } from './forms/compiler.ts';
import type {
  ArgumentKind,
  ArgumentSpec,
  Family,
  FormSpec,
  FunctionContext,
  FunctionSpec,
  FunctionTraits,
} from './spec.ts';
import type { Lambda, Matrix, Reference, Value } from './value.ts';

/**
 * Short form of a parameter. `number`: required. `number?`: optional, blank if the argument is empty. `number??`:
 * optional, absent if the argument is empty.
 */
type ArgumentCode = ArgumentKind | `${ArgumentKind}?` | `${ArgumentKind}??`;

interface KindTypes {
  number: number;
  integer: number;
  text: string;
  boolean: boolean;
  scalar: Exclude<Scalar, import('../value/errors.ts').CellError>;
  any: Scalar;
  value: Value;
  matrix: Matrix;
  reference: Reference;
  lambda: Lambda;
}

type ReceivedArgument<C extends ArgumentCode> = C extends `${infer K extends ArgumentKind}??`
  ? KindTypes[K] | undefined
  : C extends `${infer K extends ArgumentKind}?`
    ? KindTypes[K] | undefined
    : C extends ArgumentKind
      ? KindTypes[C]
      : never;

type ReceivedArguments<A extends readonly ArgumentCode[]> = { -readonly [I in keyof A]: ReceivedArgument<A[I]> };

export interface DefineOptions extends FunctionTraits {
  readonly source?: string;
}

/** Declares a function with a fixed list of parameters. */
export function define<const A extends readonly ArgumentCode[]>(
  family: Family,
  name: string,
  args: A,
  run: (context: FunctionContext, ...args: ReceivedArguments<A>) => Value,
  options: DefineOptions = {},
): FunctionSpec {
  return { family, name, args: args.map(parseArgumentCode), run: run as FunctionSpec['run'], ...options };
}

/** Defines a function whose last group of parameters repeats. The repeated arguments are passed as one flat list. */
export function defineVariadic<const A extends readonly ArgumentCode[], const R extends readonly ArgumentCode[]>(
  family: Family,
  name: string,
  args: A,
  rest: R,
  run: (context: FunctionContext, ...args: [...ReceivedArguments<A>, readonly ReceivedArgument<R[number]>[]]) => Value,
  options: DefineOptions = {},
): FunctionSpec {
  const fixed = args.length;
  const spread = (context: FunctionContext, ...all: Value[]) =>
    (run as (context: FunctionContext, ...args: unknown[]) => Value)(context, ...all.slice(0, fixed), all.slice(fixed));
  return {
    family,
    name,
    args: args.map(parseArgumentCode),
    rest: rest.map(parseArgumentCode),
    run: spread as FunctionSpec['run'],
    ...options,
  };
}

/** Declares another name of a function. */
export function defineAlias(name: string, target: FunctionSpec, family: Family = target.family): FunctionSpec {
  return { ...target, name, family };
}

/** Returns a copy of a function with additional traits. */
export function withTraits(spec: FunctionSpec, traits: FunctionTraits): FunctionSpec {
  return { ...spec, ...traits };
}

/** Declares a special form. */
export function defineForm(
  name: string,
  args: readonly ArgumentCode[],
  rest: readonly ArgumentCode[],
  compile: CompileForm,
  options: FunctionTraits & { readonly most?: number } = {},
): FormSpec {
  const signature = { family: 'logical' as const, name, args: args.map(parseArgumentCode), compile, ...options };
  return rest.length === 0 ? signature : { ...signature, rest: rest.map(parseArgumentCode) };
}

function parseArgumentCode(code: ArgumentCode): ArgumentSpec {
  const kind = code.replace(/\?+$/, '') as ArgumentKind;
  if (code.endsWith('??')) return { kind, optional: true, missingIsAbsent: true };
  if (code.endsWith('?')) return { kind, optional: true };
  return { kind };
}
