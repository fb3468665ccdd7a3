import { type Area, type CellData, CellError, errorByIndex, type Scalar, TextMap } from '@cellwire/engine';

/** A formula of a file: its text, or an object that computes the text for each cell. */
interface StoredFormula {
  readonly text: string | { getTextAt(row: number, column: number): string };
  /** On the first cell of an array formula: the area that it fills. */
  readonly array?: Area;
  readonly dynamic?: boolean;
}

/** Stored instead of a formula: the value is a result of another cell's array formula. */
const SPILLED = 'spilled';
/** Id of `SPILLED` in every store. */
const SPILLED_ID = 1;

// Kinds of values in `StoredColumnCells.kinds`.
const BLANK = 0;
const NUMBER = 1;
const TEXT = 2;
const BOOLEAN = 3;
const ERROR = 4;

const INITIAL_CAPACITY = 16;
/** The style of cells that have neither a number format nor a style. */
const NO_STYLE = { format: undefined, style: undefined, styleId: 0 };

/**
 * A list of integers that mostly form a progression with a fixed `step`, such as rows from top to bottom, or the style
 * of a whole column. It uses memory (4 bytes per integer) only from the first deviation on.
 */
class Progression {
  private length = 0;
  private first = 0;
  private values: Uint32Array | null = null;
  private readonly step: number;

  constructor(step: number) {
    this.step = step;
  }

  /** Appends a number. While all numbers follow in steps of `step`, only the first one is stored. */
  appendNumber(number: number): void {
    const i = this.length++;
    if (i === 0) this.first = number;
    if (this.values === null && number === this.first + i * this.step) return;
    this.values ??= Uint32Array.from({ length: Math.max(INITIAL_CAPACITY, i) }, (_, at) => this.first + at * this.step);
    if (i >= this.values.length) this.values = copyInto(this.values, new Uint32Array(2 * i));
    this.values[i] = number;
  }

  getNumber(i: number): number {
    return this.values === null ? this.first + i * this.step : (this.values[i] as number);
  }
}

/**
 * The cells of one column in the order in which they were added: 9 to 21 bytes for each cell, plus texts and formulas.
 */
class StoredColumnCells {
  length = 0;
  readonly rows = new Progression(1);
  kinds = new Uint8Array(INITIAL_CAPACITY);
  /** The number, 0 or 1 for a boolean, the index of the error, or the index in `texts`. */
  values = new Float64Array(INITIAL_CAPACITY);
  readonly texts: string[] = [];
  /** Index in the store's styles; 0 for none. */
  readonly styles = new Progression(0);
  /** Index in the store's formulas; 0 for none. */
  readonly formulas = new Progression(0);
  /**
   * The last style. Most cells of a column have the same style, and finding its index takes as long as looking up a
   * text.
   */
  last: { readonly format: string | undefined; readonly style: string | undefined; readonly styleId: number } =
    NO_STYLE;

  growCapacity(): void {
    const capacity = this.length * 2;
    this.kinds = copyInto(this.kinds, new Uint8Array(capacity));
    this.values = copyInto(this.values, new Float64Array(capacity));
  }
}

/** Copies all elements of an array to the beginning of a longer one, and returns the longer one. */
function copyInto<T extends Uint8Array | Float64Array | Uint32Array>(source: T, target: T): T {
  target.set(source);
  return target;
}

/**
 * A compact store for the cells of one sheet between a file and the engine. Files are ordered by row, the engine by
 * column; the store accepts and returns cells in both orders. Cells become objects only when they are read, so that a
 * million of them take 10 to 20 MB instead of 150 MB.
 */
export class FileCellStore implements Iterable<CellData> {
  size = 0;
  private rows = 0;
  private readonly columns = new Map<number, StoredColumnCells>();
  /** The combinations of number format and style that cells have. */
  private readonly styles: Pick<CellData, 'format' | 'style'>[] = [{}];
  /** Indexes in `styles`, by style, then by number format. */
  private readonly idByStyleAndFormat = new TextMap<TextMap<number>>();
  private readonly formulas: (StoredFormula | typeof SPILLED | undefined)[] = [undefined, SPILLED];

  /** Adds a cell. `formula`: an id from `addFormula`; 0 for none. */
  putCell(row: number, column: number, value: Scalar, format?: string, formula = 0, style?: string): void {
    let target = this.columns.get(column);
    if (target === undefined) {
      target = new StoredColumnCells();
      this.columns.set(column, target);
    } else if (target.length === target.kinds.length) {
      target.growCapacity();
    }
    const i = target.length++;
    target.rows.appendNumber(row);
    const { last } = target;
    if (format !== last.format || style !== last.style) {
      const styleId = format === undefined && style === undefined ? 0 : this.ensureStyleId(format, style);
      target.last = { format, style, styleId };
    }
    target.styles.appendNumber(target.last.styleId);
    target.formulas.appendNumber(formula);
    this.setValue(target, i, value);
    this.size++;
    if (row >= this.rows) this.rows = row + 1;
  }

  /** Adds a cell, given in the form that the store returns. */
  addCell({ row, column, value, format, style, formula, array, dynamic, spilled }: CellData): void {
    if (spilled) return this.putSpilledValue(row, column, value, format, style);
    const marks = { ...(array && { array }), ...(dynamic && { dynamic }) };
    const id = formula === undefined ? 0 : this.addFormula({ text: formula, ...marks });
    this.putCell(row, column, value, format, id, style);
  }

  /** Adds a result of another cell's array formula. */
  putSpilledValue(row: number, column: number, value: Scalar, format?: string, style?: string): void {
    this.putCell(row, column, value, format, SPILLED_ID, style);
  }

  /**
   * Adds a formula for one cell, or for several cells if its text depends on the position. Returns the id for `putCell`.
   */
  addFormula(formula: StoredFormula): number {
    return this.formulas.push(formula) - 1;
  }

  /** Returns the cells column by column; cells of a column in the order in which they were added. */
  *[Symbol.iterator](): Generator<CellData> {
    for (const [index, column] of this.listSortedColumns()) {
      for (let i = 0; i < column.length; i++) yield this.toCellData(column, index, i);
    }
  }

  /** Iterates over the cells once. Frees the memory of each column after reading it. */
  *drain(): Generator<CellData> {
    const order = this.listSortedColumns().map(([index]) => index);
    for (const index of order) {
      const column = this.columns.get(index) as StoredColumnCells;
      this.columns.delete(index);
      for (let i = 0; i < column.length; i++) yield this.toCellData(column, index, i);
    }
  }

  /** Returns the cells row by row, each row from left to right. */
  *listCellsByRow(): Generator<CellData> {
    const columns = this.listSortedColumns();
    const starts = indexRowStarts(columns, this.rows);
    const owners = new Uint16Array(this.size);
    const positions = new Uint32Array(this.size);
    for (const [order, [, column]] of columns.entries()) {
      for (let i = 0; i < column.length; i++) {
        const row = column.rows.getNumber(i);
        const place = starts[row] as number;
        starts[row] = place + 1;
        owners[place] = order;
        positions[place] = i;
      }
    }
    for (let place = 0; place < this.size; place++) {
      const [index, column] = columns[owners[place] as number] as [number, StoredColumnCells];
      yield this.toCellData(column, index, positions[place] as number);
    }
  }

  private listSortedColumns(): [number, StoredColumnCells][] {
    return [...this.columns].sort((a, b) => a[0] - b[0]);
  }

  private setValue(column: StoredColumnCells, i: number, value: Scalar): void {
    if (typeof value === 'number') {
      column.kinds[i] = NUMBER;
      column.values[i] = value;
    } else if (typeof value === 'string') {
      column.kinds[i] = TEXT;
      column.values[i] = column.texts.push(value) - 1;
    } else if (typeof value === 'boolean') {
      column.kinds[i] = BOOLEAN;
      column.values[i] = value ? 1 : 0;
    } else if (value instanceof CellError) {
      column.kinds[i] = ERROR;
      column.values[i] = value.index;
    } else {
      column.kinds[i] = BLANK;
    }
  }

  /** The number of a pair of number format and style. A new pair gets the next number. */
  private ensureStyleId(format = '', style = ''): number {
    let ids = this.idByStyleAndFormat.get(style);
    if (ids === undefined) {
      ids = new TextMap<number>();
      this.idByStyleAndFormat.set(style, ids);
    }
    let id = ids.get(format);
    if (id === undefined) {
      id = this.styles.push({ ...(format !== '' && { format }), ...(style !== '' && { style }) }) - 1;
      ids.set(format, id);
    }
    return id;
  }

  /** The cell number `i` of a column; `index` is the column's position in the grid. */
  private toCellData(column: StoredColumnCells, index: number, i: number): CellData {
    const row = column.rows.getNumber(i);
    const value = readValue(column, i);
    const styleId = column.styles.getNumber(i);
    const plain =
      styleId === 0 ? { row, column: index, value } : { row, column: index, value, ...this.styles[styleId] };
    const formula = this.formulas[column.formulas.getNumber(i)];
    if (formula === undefined) return plain;
    if (formula === SPILLED) return { ...plain, spilled: true };
    const text = typeof formula.text === 'string' ? formula.text : formula.text.getTextAt(row, index);
    return {
      ...plain,
      formula: text,
      ...(formula.array && { array: formula.array }),
      ...(formula.dynamic && { dynamic: true }),
    };
  }
}

/** Index of each row's first cell if all cells are ordered by row. */
function indexRowStarts(columns: readonly (readonly [number, StoredColumnCells])[], rows: number): Uint32Array {
  const starts = new Uint32Array(rows + 1);
  for (const [, column] of columns) {
    for (let i = 0; i < column.length; i++) {
      const next = column.rows.getNumber(i) + 1;
      starts[next] = (starts[next] as number) + 1;
    }
  }
  for (let row = 1; row <= rows; row++) starts[row] = (starts[row] as number) + (starts[row - 1] as number);
  return starts;
}

function readValue(column: StoredColumnCells, i: number): Scalar {
  const value = column.values[i] as number;
  switch (column.kinds[i]) {
    case NUMBER:
      return value;
    case TEXT:
      return column.texts[value] as string;
    case BOOLEAN:
      return value === 1;
    case ERROR:
      return errorByIndex(value);
    default:
      return null;
  }
}
