import type { Node } from '../../formula/ast.ts';
import type { Scalar } from '../../value/scalar.ts';
import type { FunctionContext } from '../context.ts';
import type { Lambda, Matrix, Value } from '../value.ts';
import type { Environment, NameScope } from './environment.ts';

/** A compiled expression, to be run by a calculation `E` for the formula cell that it stands at. */
export type Code<E> = (e: E, env: Environment | null) => Value;

/** What forms ask of the calculation beside what functions do. */
export interface FormContext extends FunctionContext {
  /** A value without references: one cell as its scalar, more as a matrix. */
  dereference(value: Value): Scalar | Matrix | Lambda;
}

/** How forms have their arguments compiled: what the calculation hands them, so that they need not know it. */
export interface Compiler<E> {
  /** Gives what the expression does: a Reference, an array or a Lambda too. */
  value(node: Node, names: NameScope | null): Code<E>;
  /** For where cells are wanted and not references: gives scalars, arrays or a Lambda. */
  operand(node: Node, names: NameScope | null): Code<E>;
}

/** The compile hook of a special form. It is handed as many arguments as the form takes. */
export type Form = <E extends FormContext>(
  args: readonly Node[],
  names: NameScope | null,
  compiler: Compiler<E>,
) => Code<E>;

/** A value without a format. */
export function constant(value: Value): (e: Pick<FunctionContext, 'formats'>) => Value {
  return (e) => {
    if (e.formats !== null) e.formats.last = 0;
    return value;
  };
}
