import type { Area } from '../grid/area.ts';
import { type CellError, VALUE } from '../value/errors.ts';
import type { Scalar } from '../value/scalar.ts';

/** Ids of number formats in the document's table, row by row; one id for elements that are all alike. 0: General. */
export type ElementFormats = number | Uint16Array;

/** A rectangle of scalars, row by row. Never empty: functions answer `#CALC!` in place of an empty array. */
export class Matrix {
  readonly rows: number;
  readonly columns: number;
  /** `rows × columns` scalars; the cell (r, c) is at `r * columns + c`. */
  readonly data: readonly Scalar[];
  /** The number formats that came with the elements, while formats are followed (`FunctionContext.formats`). */
  readonly formats: ElementFormats;

  constructor(rows: number, columns: number, data: readonly Scalar[], formats: ElementFormats = 0) {
    this.rows = rows;
    this.columns = columns;
    this.data = data;
    this.formats = formats;
  }

  /** The format of an element by its place in `data`. */
  formatAt(index: number): number {
    return typeof this.formats === 'number' ? this.formats : this.formats[index]!;
  }

  withFormats(formats: ElementFormats): Matrix {
    return formats === this.formats ? this : new Matrix(this.rows, this.columns, this.data, formats);
  }

  get(row: number, column: number): Scalar {
    return this.data[row * this.columns + column] ?? null;
  }
}

/** One rectangle on one sheet. */
export interface SheetArea extends Area {
  readonly sheet: number;
}

/** A reference value: one or (by union or 3-D) several rectangles. */
export class Reference {
  readonly areas: readonly [SheetArea, ...SheetArea[]];

  constructor(areas: readonly [SheetArea, ...SheetArea[]]) {
    this.areas = areas;
  }
}

export type LambdaBody = (args: readonly (Value | undefined)[], formats: readonly number[] | null) => Value;

/** A LAMBDA's value: called through `FunctionContext.call`. */
export class Lambda {
  /** The number of parameters, and how many of them (from the end) may be left out. */
  readonly parameters: number;
  readonly optional: number;
  /** `formats`: those of the scalars among the arguments, where formats are followed. */
  readonly body: LambdaBody;
  /** The built-in function that it is; null for a LAMBDA of the formula's own. */
  readonly name: string | null;

  constructor(parameters: number, optional: number, body: LambdaBody, name: string | null = null) {
    this.parameters = parameters;
    this.optional = optional;
    this.body = body;
    this.name = name;
  }
}

/**
 * Several functions side by side (`HSTACK(SUM;AVERAGE)`) or one below the other, as GROUPBY and PIVOTBY take them. No
 * other function can call it.
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

/** What a call that joins nothing but functions gives; null for other values. */
export function lambdaList(values: readonly Value[], layout: 'across' | 'down'): LambdaList | null {
  const items: Lambda[] = [];
  for (const value of values) {
    if (!(value instanceof Lambda)) return null;
    if (value instanceof LambdaList) items.push(...value.items);
    else items.push(value);
  }
  return new LambdaList(items, layout);
}

/** Everything an expression can evaluate to. */
export type Value = Scalar | Matrix | Reference | Lambda;

export type { CellError, Scalar };
