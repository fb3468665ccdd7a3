import type { FormatHint } from '../locale/format-class.ts';
import type { FunctionContext } from './context.ts';
import type { Form } from './forms/compiler.ts';
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
   * What an argument left out in place (`F(1;;2)`) becomes. By default it is a blank converted by the kind (0, "",
   * FALSE); with `true` the function gets `undefined`, just as for an argument not written at all.
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
 * What a function is beyond its arguments: all that the graph, the calculation, files and explanations go by. What is
 * left out does not hold.
 */
export interface FunctionTraits {
  /** Evaluated anew at every change of the document. */
  readonly volatile?: boolean;
  /** Its result follows the clock (TODAY, NOW): the document is calculated anew on a new day. */
  readonly clock?: boolean;
  /** Its result may depend on cells that its arguments do not name (INDIRECT, OFFSET): reads are checked as it runs. */
  readonly indirect?: boolean;
  /** Its result depends on which sheets there are, on their names or on their order. */
  readonly structural?: boolean;
  /** It reads what no document has, so that its results in files are all that is known of them (GETPIVOTDATA). */
  readonly unavailable?: boolean;
  /** Its result depends on where cells stand or on how their formulas read, beyond their values. */
  readonly positional?: boolean;
  /** The number format of its result; with none of the three that follow it has none. */
  readonly format?: FormatHint;
  /** The argument, from 0, whose number format the result takes on; -1: the last given. */
  readonly carries?: number;
  /**
   * Its result is a value of its arguments (INDEX, FILTER) or of a LAMBDA, whose number format comes along: the
   * function hands it on itself (`element`), or it is that of the first number `equal` to the result (MAX).
   */
  readonly picks?: 'element' | 'equal';
  /** Answered by a column's index where its arguments are plain: a table's row, a place, or the result beside it. */
  readonly lookup?: 'table' | 'position' | 'result';
  /** Answered, for one range, by the sums that columns keep. */
  readonly total?: TotalKind;
  /** Leaves out the cells of its range that hold a call of its kind (SUBTOTAL, AGGREGATE). */
  readonly subtotal?: boolean;
  /** Runs once for each of an array of references (`taken`), or gives such an array for an array (`given`). */
  readonly referenceArrays?: 'taken' | 'given';
  /** Gives one of its arguments as it is, references too (IF, CHOOSE). */
  readonly branches?: boolean;
  /** The function that a call with more arguments means in files of OpenFormula programs (FLOOR with a mode). */
  readonly longer?: string;
  /** Stands for an operator in files (`A1:.A9`): no list of functions shows it. */
  readonly internal?: boolean;
  /** Binds names: the first of each pair of arguments (LET), or all but the last (LAMBDA). */
  readonly binds?: 'pairs' | 'parameters';

  // In files from before dynamic arrays, where a formula gave one value unless it said otherwise:
  /** Its result may be more than one cell: the formula shows the one it means. */
  readonly manyCells?: boolean;
  /** Calculates its arguments as arrays. */
  readonly calculatesArrays?: boolean;
  /**
   * Arguments that want one value although the function takes them whole, to run over arrays: in Excel's terms
   * parameters of class “value” (Apache POI, functionMetadata.txt).
   */
  readonly singles?: readonly number[];
  /** Arguments in which a calculation runs over arrays. */
  readonly arrays?: readonly number[];
}

/** Functions of one range that the sums kept by column answer. */
export type TotalKind = 'sum' | 'count' | 'average';

interface Signature extends FunctionTraits {
  readonly name: string;
  readonly family: Family;
  /** Fixed arguments in order. */
  readonly args: readonly ArgumentSpec[];
  /** Arguments after the fixed ones, repeating as a group: one for SUM, two for SUMIFS. */
  readonly rest?: readonly ArgumentSpec[];
  /** Arguments in all where they repeat; 255 by default. */
  readonly most?: number;
  /** Where the semantics come from: an Excel page, an ODF section. */
  readonly source?: string;
}

/** A function that is given its arguments calculated. */
export interface FunctionSpec extends Signature {
  /** Takes the converted arguments; what was not given is `undefined`. Never throws: refusals are error values. */
  readonly run: (context: FunctionContext, ...args: never[]) => Value;
}

/** A special form: it decides itself which of its arguments are calculated, and what their names mean. */
export interface FormSpec extends Signature {
  /** Compiles a call with as many arguments as it takes. */
  readonly compile: Form;
}

/** Everything that a formula can call by name. */
export type Callable = FunctionSpec | FormSpec;
