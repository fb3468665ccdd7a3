import type { Area } from '../grid/area.ts';
import { VALUE } from '../value/errors.ts';
import type { Scalar } from '../value/scalar.ts';
import { TypedElements } from './elements/typed-elements.ts';

/**
 * Number format ids of the document's format table, row by row; a single id if all elements have the same. 0: General.
 */
export type ElementFormats = number | Uint16Array;

/** A rectangle of scalars, row by row. Never empty: functions return `#CALC!` instead of an empty array. */
export class Matrix {
  readonly rows: number;
  readonly columns: number;
  /** The elements as typed arrays; null if the matrix was created from scalars. */
  readonly elements: TypedElements | null;
  /** The number formats of the elements, if formats are tracked (`FunctionContext.formats`). */
  readonly formats: ElementFormats;
  private scalars: readonly Scalar[] | null;

  /** `data`: the elements row by row. */
  constructor(rows: number, columns: number, data: readonly Scalar[] | TypedElements, formats: ElementFormats = 0) {
    this.rows = rows;
    this.columns = columns;
    this.elements = data instanceof TypedElements ? data : null;
    this.scalars = data instanceof TypedElements ? null : data;
    this.formats = formats;
  }

  /** Number of elements. */
  get length(): number {
    return this.rows * this.columns;
  }

  /** `rows × columns` scalars; the cell (r, c) has the index `r * columns + c`. Typed elements are converted once. */
  get data(): readonly Scalar[] {
    this.scalars ??= this.elements!.toScalars();
    return this.scalars;
  }

  /** The format of an element by its index in `data`. */
  formatAt(index: number): number {
    return typeof this.formats === 'number' ? this.formats : this.formats[index]!;
  }

  /** Returns the same matrix with other formats. */
  withFormats(formats: ElementFormats): Matrix {
    return formats === this.formats ? this : new Matrix(this.rows, this.columns, this.elements ?? this.data, formats);
  }

  get(row: number, column: number): Scalar {
    return this.at(row * this.columns + column);
  }

  /** The element at an index of `data`; blank outside the array. */
  at(index: number): Scalar {
    return this.scalars === null ? this.elements!.get(index) : (this.scalars[index] ?? null);
  }
}

/** One rectangle on one sheet. */
export interface SheetArea extends Area {
  readonly sheet: number;
}

/** A reference as a value: one rectangle, or several (of a union or a 3-D reference). */
export class Reference {
  readonly areas: readonly [SheetArea, ...SheetArea[]];

  constructor(areas: readonly [SheetArea, ...SheetArea[]]) {
    this.areas = areas;
  }
}

export type LambdaBody = (args: readonly (Value | undefined)[], formats: readonly number[] | null) => Value;

/** The value of a LAMBDA. `FunctionContext.callLambda` calls it. */
export class Lambda {
  /** The number of parameters, and the number of optional ones at the end. */
  readonly parameters: number;
  readonly optional: number;
  /** The body of the lambda. `formats`: the formats of scalar arguments, if formats are tracked. */
  readonly body: LambdaBody;
  /** The name of the built-in function; null for a LAMBDA of the formula. */
  readonly name: string | null;

  constructor(parameters: number, optional: number, body: LambdaBody, name: string | null = null) {
    this.parameters = parameters;
    this.optional = optional;
    this.body = body;
    this.name = name;
  }
}

/**
 * Several functions side by side (`HSTACK(SUM;AVERAGE)`) or below one another (`VSTACK`), for GROUPBY and PIVOTBY.
 * Other functions cannot call it.
 */
export class LambdaList extends Lambda {
  readonly items: readonly Lambda[];
  readonly layout: 'across' | 'down';

  constructor(items: readonly Lambda[], layout: 'across' | 'down') {
    super(0, 0, () => VALUE);
    this.items = items;
    this.layout = layout;
  }
}

/** Creates the value of a HSTACK or VSTACK call whose arguments are all functions; null for other arguments. */
export function createLambdaList(values: readonly Value[], layout: 'across' | 'down'): LambdaList | null {
  const items: Lambda[] = [];
  for (const value of values) {
    if (!(value instanceof Lambda)) return null;
    if (value instanceof LambdaList) items.push(...value.items);
    else items.push(value);
  }
  return new LambdaList(items, layout);
}

/** Every possible value of an expression. */
export type Value = Scalar | Matrix | Reference | Lambda;
