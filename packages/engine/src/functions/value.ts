import type { Area } from '../grid/area.ts';
import type { CellError } from '../value/errors.ts';
import type { Scalar } from '../value/scalar.ts';

/** A rectangle of scalars, row by row. Never empty: functions answer `#CALC!` in place of an empty array. */
export class Matrix {
  readonly rows: number;
  readonly columns: number;
  /** `rows × columns` scalars; the cell (r, c) is at `r * columns + c`. */
  readonly data: readonly Scalar[];

  constructor(rows: number, columns: number, data: readonly Scalar[]) {
    this.rows = rows;
    this.columns = columns;
    this.data = data;
  }

  get(row: number, column: number): Scalar {
    return this.data[row * this.columns + column] as Scalar;
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

/** A LAMBDA's value: called through `FunctionContext.call`. */
export class Lambda {
  /** The number of parameters, and how many of them (from the end) may be left out. */
  readonly parameters: number;
  readonly optional: number;
  readonly body: (args: readonly (Value | undefined)[]) => Value;

  constructor(parameters: number, optional: number, body: (args: readonly (Value | undefined)[]) => Value) {
    this.parameters = parameters;
    this.optional = optional;
    this.body = body;
  }
}

/** Everything an expression can evaluate to. */
export type Value = Scalar | Matrix | Reference | Lambda;

export type { CellError, Scalar };
