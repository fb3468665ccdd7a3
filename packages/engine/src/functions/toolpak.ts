import { type CellError, NA, VALUE } from '../value/errors.ts';
import { isError, type Scalar } from '../value/scalar.ts';
import { toBoolean, toNumber, toText } from './coerce.ts';
import type { DefineOptions } from './define.ts';
import type { ArgumentSpec, Family, FunctionContext, FunctionSpec } from './spec.ts';
import type { Value } from './value.ts';

type StrictKind = 'number' | 'integer' | 'text' | 'boolean';

/** Codes of arguments as in `ArgumentCode`. `number??`: the argument may be missing or blank. */
type StrictCode = StrictKind | `${StrictKind}??`;

interface StrictKindTypes {
  number: number;
  integer: number;
  text: string;
  boolean: boolean;
}

type StrictArgument<C extends StrictCode> = C extends `${infer K extends StrictKind}??`
  ? StrictKindTypes[K] | undefined
  : C extends StrictKind
    ? StrictKindTypes[C]
    : never;

type StrictArguments<A extends readonly StrictCode[]> = { -readonly [I in keyof A]: StrictArgument<A[I]> };

/**
 * Defines a function of Excel's former Analysis ToolPak: it refuses booleans (`#VALUE!`), which other functions convert
 * to 1 and 0, and returns `#N/A` for an argument that is left empty (`MROUND(;3)`).
 */
export function defineStrict<const A extends readonly StrictCode[]>(
  family: Family,
  name: string,
  codes: A,
  run: (context: FunctionContext, ...args: StrictArguments<A>) => Value,
  options: DefineOptions = {},
): FunctionSpec {
  const specs = codes.map(
    (code): ArgumentSpec => ({ kind: 'scalar', optional: code.endsWith('??'), missingIsAbsent: true }),
  );
  const kinds = codes.map((code) => code.replace('??', '') as StrictKind);
  const strict = (context: FunctionContext, ...args: readonly unknown[]): Value => {
    const converted: (number | string | boolean | undefined)[] = [];
    for (let i = 0; i < codes.length; i++) {
      const given = args[i] as Scalar | undefined;
      if (given === undefined && !specs[i]?.optional) return NA;
      const value = convertStrict(given, kinds[i]!, context);
      if (isError(value)) return value;
      converted.push(value);
    }
    return (run as (context: FunctionContext, ...args: unknown[]) => Value)(context, ...converted);
  };
  return { family, name, args: specs, run: strict as FunctionSpec['run'], ...options };
}

/** Converts an argument as functions of the Analysis ToolPak do; an error for a boolean unless `kind` is `boolean`. */
function convertStrict(
  value: Scalar | undefined,
  kind: StrictKind,
  context: FunctionContext,
): number | string | boolean | undefined | CellError {
  if (value === undefined) return undefined;
  if (kind === 'boolean') return toBoolean(value);
  if (typeof value === 'boolean') return VALUE;
  if (kind === 'text') return toText(value, context);
  const number = toNumber(value, context);
  return kind === 'integer' && typeof number === 'number' ? Math.trunc(number) : number;
}
