import type { Node } from '../../formula/ast.ts';
import type { Scalar } from '../../value/scalar.ts';
import type { FunctionContext } from '../context.ts';
import type { Lambda, Matrix, Value } from '../value.ts';
import type { Environment, VariableScope } from './environment.ts';

/** A compiled expression. It is run by a calculation of type `E` for a formula cell. */
export type Code<E> = (e: E, env: Environment | null) => Value;

/** The services of the calculation for special forms. */
export interface FormContext extends FunctionContext {
  /** Replaces a reference by the cell values: one cell by a scalar, several cells by a matrix. */
  dereference(value: Value): Scalar | Matrix | Lambda;
}

/** Compiles the arguments of forms. The calculation implements it, so that forms need not import the calculation. */
export interface Compiler<E> {
  /** Compiles an argument whose value may be a scalar, a Reference, an array or a Lambda. */
  value(node: Node, names: VariableScope | null): Code<E>;
  /** Compiles an argument whose references are replaced by their cells: the value is a scalar, an array or a Lambda. */
  operand(node: Node, names: VariableScope | null): Code<E>;
}

/** Compiles a special form. The number of arguments has already been checked. */
export type CompileForm = <E extends FormContext>(
  args: readonly Node[],
  names: VariableScope | null,
  compiler: Compiler<E>,
) => Code<E>;

/** Compiles a constant, which has no format. */
export function compileConstant(value: Value): (e: Pick<FunctionContext, 'formats'>) => Value {
  return (e) => {
    if (e.formats !== null) e.formats.last = 0;
    return value;
  };
}
