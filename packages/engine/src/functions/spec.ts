import type { FormatHint } from '../locale/format-class.ts';
import type { FunctionContext } from './context.ts';
import type { CompileForm } from './forms/compiler.ts';
import type { Value } from './value.ts';

export type { FormatTrace, FunctionContext, WorkbookInfo } from './context.ts';

/**
 * How an argument reaches a function.
 *
 * Lifted kinds take one scalar; given an array or a range they run the function once per element and the results
 * form an array (broadcasting one-row and one-column arrays). An error given to them is the call's result.
 * - `number`: texts that read as numbers and booleans are converted, blank is 0; `#VALUE!` otherwise. → number
 * - `integer`: a number cut toward zero. → number
 * - `text`: numbers in General form, booleans as TRUE/FALSE, blank is "". → string
 * - `boolean`: numbers ≠ 0, texts TRUE/FALSE; `#VALUE!` otherwise. → boolean
 * - `scalar`: every scalar but an error. → Scalar
 * - `any`: every scalar, errors too (ISERROR). → Scalar
 *
 * Whole kinds are handed over as they are, once:
 * - `value`: a scalar, Matrix, Reference or Lambda, errors too. → Value
 * - `matrix`: a Matrix (a scalar as 1 × 1, a reference read); an error scalar is the call's result. → Matrix
 * - `reference`: a Reference; `#VALUE!` for anything else. → Reference
 * - `lambda`: a Lambda; `#VALUE!` for anything else. → Lambda
 */
export type ArgumentKind =
  | 'number'
  | 'integer'
  | 'text'
  | 'boolean'
  | 'scalar'
  | 'any'
  | 'value'
  | 'matrix'
  | 'reference'
  | 'lambda';

export interface ArgumentSpec {
  readonly kind: ArgumentKind;
  readonly optional?: boolean;
  /**
   * What an argument that is left empty (`F(1;;2)`) becomes. By default a blank converted by the kind (0, "", FALSE);
   * with `true` the function gets `undefined`, as for a missing argument.
   */
  readonly missingIsAbsent?: boolean;
}

export type Family =
  | 'math'
  | 'statistical'
  | 'lookup'
  | 'text'
  | 'date'
  | 'financial'
  | 'logical'
  | 'information'
  | 'engineering'
  | 'database'
  | 'array'
  | 'compatibility'
  | 'google';

/**
 * Properties of a function beyond its arguments, for the graph, the calculation, files and explanations. A missing
 * trait does not hold.
 */
export interface FunctionTraits {
  /** True if the function is evaluated with every change of the document. */
  readonly volatile?: boolean;
  /** True if the result depends on the clock (TODAY, NOW). The document is recalculated on a new day. */
  readonly clock?: boolean;
  /**
   * True if the result may depend on cells that the arguments do not name (INDIRECT, OFFSET): reads are checked while
   * the function runs.
   */
  readonly indirect?: boolean;
  /** True if the result depends on the sheets, their names or their order. */
  readonly structural?: boolean;
  /**
   * True if the function needs something that no document has, so only its results in files are known (GETPIVOTDATA).
   */
  readonly unavailable?: boolean;
  /** True if the result depends on positions or formula texts of cells, not only on their values. */
  readonly positional?: boolean;
  /** The number format of the result. Without this trait and the next two the result has none. */
  readonly format?: FormatHint;
  /** The zero-based argument whose number format the result takes; -1 for the last one. */
  readonly carries?: number;
  /**
   * Present if the result is a value of the arguments (INDEX, FILTER) or of a LAMBDA and keeps its number format: the
   * function passes it on (`element`), or it is that of the first number `equal` to the result (MAX).
   */
  readonly picks?: 'element' | 'equal';
  /**
   * What a column index finds for a call with plain arguments: a row of a table, a position, or a result in the same
   * row.
   */
  readonly lookup?: 'table' | 'position' | 'result';
  /** The cached figure of columns that answers a call with one range. */
  readonly total?: TotalKind;
  /** True if the function omits cells of its range that contain a similar call (SUBTOTAL, AGGREGATE). */
  readonly subtotal?: boolean;
  /** Runs once per element of an array of references (`taken`), or returns such an array for an array (`given`). */
  readonly referenceArrays?: 'taken' | 'given';
  /** True if the function returns one of its arguments unchanged, including references (IF, CHOOSE). */
  readonly branches?: boolean;
  /**
   * Function that replaces this one when a file of an OpenFormula program is read and the call has more arguments
   * (FLOOR with a mode).
   */
  readonly longer?: string;
  /** True for the name of an operator (`A1:.A9`) in files. Lists of functions omit it. */
  readonly internal?: boolean;
  /** Binds names: the first of each pair of arguments (LET), or all but the last (LAMBDA). */
  readonly binds?: 'pairs' | 'parameters';

  // In files from before dynamic arrays, where a formula gave one value unless it said otherwise:
  /** True if the result may be a reference to several cells, of which the formula shows one. */
  readonly manyCells?: boolean;
  /** True if arguments are calculated as arrays. */
  readonly calculatesArrays?: boolean;
  /**
   * Arguments that need one value although the function takes them whole, to run over arrays: parameters of class
   * “value” in Excel's terms (Apache POI, functionMetadata.txt).
   */
  readonly singles?: readonly number[];
  /** Indexes of arguments in which a calculation runs over arrays. */
  readonly arrays?: readonly number[];
}

/** Functions of one range that the cached sums of columns can answer. */
export type TotalKind = 'sum' | 'count' | 'average';

interface Signature extends FunctionTraits {
  readonly name: string;
  readonly family: Family;
  /** Fixed parameters in order. */
  readonly args: readonly ArgumentSpec[];
  /** Parameters after the fixed ones, which repeat as a group: one for SUM, two for SUMIFS. */
  readonly rest?: readonly ArgumentSpec[];
  /** Maximum number of arguments if they repeat; 255 by default. */
  readonly most?: number;
  /** The source of the semantics: an Excel page or ODF section. */
  readonly source?: string;
}

/** A function whose arguments are calculated before the call. */
export interface FunctionSpec extends Signature {
  /** Receives the converted arguments; missing ones are `undefined`. Never throws: errors are values. */
  readonly run: (context: FunctionContext, ...args: never[]) => Value;
}

/** A special form: it decides which of its arguments are calculated, and what their names mean. */
export interface FormSpec extends Signature {
  /** Compiles a call with a valid number of arguments. */
  readonly compile: CompileForm;
}

/** Everything that a formula can call by name. */
export type Callable = FunctionSpec | FormSpec;
