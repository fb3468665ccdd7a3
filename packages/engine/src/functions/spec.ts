import type { Node } from '../formula/ast.ts';
import type { FormatHint } from '../locale/format-class.ts';
import type { FunctionContext } from './context.ts';
import type { CompileForm } from './forms/compiler.ts';
import type { Value } from './value.ts';

export type { FormatTrace, FunctionContext, WorkbookInfo } from './context.ts';

/**
 * The way in which an argument is passed to a function.
 *
 * Lifted kinds are scalars. If an argument is an array or a range, the function runs once for each element, and the
 * results form an array (arrays of one row or one column are repeated). If it is an error, the error is the result of
 * the call.
 * - `number`: texts that can be read as numbers and booleans are converted, blank is 0; `#VALUE!` otherwise. → number
 * - `integer`: a number truncated toward zero. → number
 * - `text`: numbers in General form, booleans as TRUE/FALSE, blank is "". → string
 * - `boolean`: numbers ≠ 0, texts TRUE/FALSE; `#VALUE!` otherwise. → boolean
 * - `scalar`: every scalar except an error. → Scalar
 * - `any`: every scalar, including errors (ISERROR). → Scalar
 *
 * Whole kinds are passed once, without conversion of their elements:
 * - `value`: a scalar, Matrix, Reference or Lambda, including errors. → Value
 * - `matrix`: a Matrix (a scalar as 1 × 1, the cells of a reference); an error scalar is the result of the call. →
 *   Matrix
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
   * The value of an argument that is left empty (`F(1;;2)`). By default it is a blank that is converted by the kind (0,
   * "", FALSE). With `true` the function gets `undefined`, as for a missing argument.
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
 * Properties of a function beyond its arguments, for the graph, the calculation, files and explanations. An absent
 * property means false or none.
 */
export interface FunctionTraits {
  /** True if the function is evaluated with every change of the document. */
  readonly volatile?: boolean;
  /**
   * Present if the result depends on the date (TODAY) or the time (NOW). The document is recalculated on a new day, and
   * `time` with every change.
   */
  readonly clock?: 'day' | 'time';
  /**
   * True if the result may depend on cells that the arguments do not name (INDIRECT, OFFSET). Reads are therefore
   * checked while the function runs.
   */
  readonly indirect?: boolean;
  /**
   * Present if the function returns a reference that is derived from its first argument: a part of it (INDEX), or the
   * reference moved by rows and columns, with a height and a width (OFFSET). The graph derives from this trait which
   * cells the formula can read.
   */
  readonly refersTo?: 'part' | 'offset';
  /** The zero-based argument whose range gets the size of the first argument (SUMIF). */
  readonly resizes?: number;
  /** True if the result depends on the sheets, their names or their order. */
  readonly structural?: boolean;
  /**
   * True if the function needs something that this engine does not have, so that only its results in files are known
   * (GETPIVOTDATA).
   */
  readonly unavailable?: boolean;
  /** True if the result depends on positions or formula texts of cells, not only on their values. */
  readonly positional?: boolean;
  /** The number format of the result. Without this trait, `carries` and `picks` the result has no format. */
  readonly format?: FormatHint;
  /** The zero-based argument whose number format the result takes; -1 for the last one. */
  readonly carries?: number;
  /**
   * Present if the result is one of the argument values (INDEX, FILTER) or a result of a LAMBDA, and keeps its number
   * format. `element`: the function sets the format. `equal`: the format is that of the first number equal to the
   * result (MAX).
   */
  readonly picks?: 'element' | 'equal';
  /**
   * The result of a lookup function with plain arguments, which a column index can find: a cell in a row of a table, a
   * position, or a cell in the same row.
   */
  readonly lookup?: 'table' | 'position' | 'result';
  /**
   * How the function uses an array of comparisons (`(A1:A9=E1)*(B1:B9>F1)`), so that criteria can replace it:
   * - `summed`: it sums the array.
   * - `multiplied`: it sums the products of its arguments.
   * - `averaged`, `counted`, `greatest`, `least`: it returns this figure of the array's numbers.
   * - `position`: it finds the position of 1 if its type is 0. `exactPosition`: it always finds this position.
   * - `result`: it returns the cell of another range at the first 1. `lastResult`: the cell at the last number.
   * - `filtered`: it returns the rows of another range at which the array is not 0.
   * - `chosen`: it takes the second argument's elements at which the array is not 0, and the third argument's at 0.
   */
  readonly comparisons?:
    | 'summed'
    | 'multiplied'
    | 'averaged'
    | 'counted'
    | 'greatest'
    | 'least'
    | 'position'
    | 'exactPosition'
    | 'result'
    | 'lastResult'
    | 'filtered'
    | 'chosen';
  /**
   * Elements that the function omits in its array arguments: all except numbers and errors (in all arguments, or in the
   * first one), or empty texts if the second argument is TRUE.
   */
  readonly omits?: 'nonNumbers' | 'firstNonNumbers' | 'emptyTexts';
  /** Returns true if the function omits all elements of an array argument except numbers (AGGREGATE with option 6). */
  readonly omitsErrors?: (args: readonly Node[], index: number) => boolean;
  /**
   * Present if the function takes part in a count of distinct values. `listed`: it lists them (UNIQUE). `counted`: it
   * counts the rows of a list (ROWS). `countedFilled`: it counts the elements of a list that are not blank (COUNTA).
   * `countedEqual`: it counts the cells that are equal to a value (COUNTIF). `countedByBins`: it counts numbers between
   * the numbers of another range (FREQUENCY).
   */
  readonly distinct?: 'listed' | 'counted' | 'countedFilled' | 'countedEqual' | 'countedByBins';
  /** Present if the result depends only on the position or the size of the argument, not on its cells (ROW, ROWS). */
  readonly measures?: 'row' | 'column' | 'size';
  /** Present if the result for scalars is always a boolean, or a boolean or an error. */
  readonly returns?: 'boolean' | 'booleanOrError';
  /** True if the result TRUE means that the operator `=` finds a text equal to the other argument, too (EXACT). */
  readonly impliesEqual?: boolean;
  /** True if the result for numbers, blanks and booleans is always a number. */
  readonly isTotal?: boolean;
  /**
   * Present if the result for numbers rises or falls with the first argument, and if the numbers that give no error have no
   * gaps. `eachSide`: it falls below 0 and rises above 0, or the reverse.
   */
  readonly monotone?: 'always' | 'eachSide';
  /** True if the result depends on the number formats of cells. */
  readonly readsFormats?: boolean;
  /** Name of the cached column total that equals the result of a call with one range. */
  readonly total?: TotalKind;
  /** True if the function omits cells of its range that contain a similar call (SUBTOTAL, AGGREGATE). */
  readonly subtotal?: boolean;
  /**
   * `taken`: the function runs once for each element of an array of references. `given`: the function returns an array
   * of references if an argument is an array.
   */
  readonly referenceArrays?: 'taken' | 'given';
  /** True if the function returns one of its arguments unchanged, including references (IF, CHOOSE). */
  readonly branches?: boolean;
  /**
   * Name of the function that replaces this one if a file of an OpenFormula program contains a call with more arguments
   * (FLOOR with a mode).
   */
  readonly longer?: string;
  /** True for the name of an operator (`A1:.A9`) in files. Lists of functions do not contain it. */
  readonly internal?: boolean;
  /**
   * Which arguments bind names: the first one of each pair (`pairs`, LET), or all except the last one (`parameters`,
   * LAMBDA).
   */
  readonly binds?: 'pairs' | 'parameters';

  // The next four traits are for files from before dynamic arrays. A formula then gave one value unless it was an array
  // formula.
  /** True if the result may be a reference to several cells, of which the formula shows one. */
  readonly manyCells?: boolean;
  /** True if the arguments are calculated as arrays. */
  readonly calculatesArrays?: boolean;
  /**
   * Indexes of arguments that need one value, although the function takes the argument as a whole: parameters of class
   * “value” in Excel's terms (Apache POI, functionMetadata.txt).
   */
  readonly singles?: readonly number[];
  /** Indexes of arguments that are calculated as arrays. */
  readonly arrays?: readonly number[];
}

/** Functions of one range whose result is a cached total of columns. */
export type TotalKind = 'sum' | 'count' | 'average';

interface Signature extends FunctionTraits {
  readonly name: string;
  readonly family: Family;
  /** Fixed parameters in order. */
  readonly args: readonly ArgumentSpec[];
  /** Parameters after the fixed ones, which repeat as a group: one for SUM, two for SUMIFS. */
  readonly rest?: readonly ArgumentSpec[];
  /** Maximum number of arguments if parameters repeat; 255 by default. */
  readonly most?: number;
  /** The source of the semantics: an Excel page or ODF section. */
  readonly source?: string;
}

/** A function whose arguments are calculated before the call. */
export interface FunctionSpec extends Signature {
  /** Receives the converted arguments; a missing argument is `undefined`. Never throws: errors are values. */
  readonly run: (context: FunctionContext, ...args: never[]) => Value;
}

/** A special form: it decides which of its arguments are calculated, and which names they bind. */
export interface FormSpec extends Signature {
  /** Compiles a call with a valid number of arguments. */
  readonly compile: CompileForm;
}

/** Everything that a formula can call by name. */
export type Callable = FunctionSpec | FormSpec;
