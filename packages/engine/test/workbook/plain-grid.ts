import { columnName, MAX_COLUMNS, MAX_ROWS, quoteSheetName } from '../../src/index.ts';

/*
 * A simple model of a workbook: a map of cells for each sheet, and formulas as lists of texts and references. Every
 * operation visits all cells and all references and follows Excel's description, without chunks, runs, graphs or moves.
 * The model calculates nothing; tests build a workbook from its contents.
 */

export type Axis = 'rows' | 'columns';

/** A rectangle with zero-based rows and columns, including its corners. */
export interface Rectangle {
  readonly top: number;
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
}

/** `sheet`: null if the text contains none. `absolute`: marks the sides with a `$`. */
export interface Reference extends Rectangle {
  readonly sheet: string | null;
  readonly absolute: readonly [top: boolean, left: boolean, bottom: boolean, right: boolean];
  /** True if the text has one corner, such as `A1`. */
  readonly isCell: boolean;
  /** True for `A2:A`, which extends to the last row. `A1:A` differs from `A:A`, because its first row can move. */
  readonly isOpen: boolean;
}

function isWholeRows({ left, right }: Reference): boolean {
  return left === 0 && right === MAX_COLUMNS - 1;
}

function isWholeColumns({ top, bottom, isOpen }: Reference): boolean {
  return top === 0 && bottom === MAX_ROWS - 1 && !isOpen;
}

type FormulaPart = string | Reference;
export type Formula = readonly FormulaPart[];
export type GridContent = number | string | boolean | { readonly formula: Formula };

/** Maps a line to its new position; null if it is lost. */
type LineMap = (line: number) => number | null;

interface PlainSheet {
  name: string;
  cells: Map<string, GridContent>;
}

const toCellKey = (row: number, column: number) => `${row},${column}`;
const parseCellKey = (key: string): readonly [row: number, column: number] => {
  const [row = Number.NaN, column = Number.NaN] = key.split(',').map(Number);
  return [row, column];
};
const toCellArea = (key: string): Rectangle => {
  const [row, column] = parseCellKey(key);
  return { top: row, left: column, bottom: row, right: column };
};
const isFormula = (content: GridContent): content is { readonly formula: Formula } => typeof content === 'object';

export class PlainGrid {
  sheets: PlainSheet[] = [{ name: 'Sheet1', cells: new Map() }];
  /** References of defined names. */
  names = new Map<string, Reference | null>();

  copy(): PlainGrid {
    const copy = new PlainGrid();
    copy.sheets = this.sheets.map(({ name, cells }) => ({ name, cells: new Map(cells) }));
    copy.names = new Map(this.names);
    return copy;
  }

  findSheet(name: string): PlainSheet {
    const match = this.sheets.find((sheet) => sheet.name === name);
    if (!match) throw new Error(name);
    return match;
  }

  getContent(sheet: string, row: number, column: number): GridContent | undefined {
    return this.findSheet(sheet).cells.get(toCellKey(row, column));
  }

  setContent(sheet: string, row: number, column: number, content: GridContent | undefined): void {
    if (content === undefined) this.findSheet(sheet).cells.delete(toCellKey(row, column));
    else this.findSheet(sheet).cells.set(toCellKey(row, column), content);
  }

  /** One past the last filled row and column. */
  measureExtent(sheet: string): { rows: number; columns: number } {
    const places = [...this.findSheet(sheet).cells.keys()].map(parseCellKey);
    return {
      rows: Math.max(0, ...places.map(([row]) => row + 1)),
      columns: Math.max(0, ...places.map(([, column]) => column + 1)),
    };
  }

  renameName(name: string, newName: string): void {
    this.names = new Map([...this.names].map(([key, reference]) => [key === name ? newName : key, reference]));
    for (const { cells } of this.sheets) {
      for (const [key, content] of cells) {
        if (!isFormula(content)) continue;
        const rename = (part: FormulaPart) => (typeof part === 'string' ? part.replaceAll(name, newName) : part);
        cells.set(key, { formula: content.formula.map(rename) });
      }
    }
  }

  /** Changes every reference of formulas and names. `at` and `cell` are the formula's sheet and cell; null for names. */
  private rewriteReferences(
    change: (reference: Reference, formulaSheet: string, cell: Rectangle | null) => Reference | null,
  ): void {
    for (const { name, cells } of this.sheets) {
      for (const [key, content] of cells) {
        if (!isFormula(content)) continue;
        const cell = toCellArea(key);
        const formula = content.formula.map((part) =>
          typeof part === 'string' ? part : (change(part, name, cell) ?? '#REF!'),
        );
        cells.set(key, { formula });
      }
    }
    for (const [name, reference] of this.names) this.names.set(name, reference && change(reference, '', null));
  }

  shiftLines(sheet: string, axis: Axis, across: readonly [number, number] | null, map: LineMap, span: SpanMap): void {
    const grid = this.findSheet(sheet);
    const isWithin = (first: number, last: number) => !across || (first >= across[0] && last <= across[1]);
    const cells = new Map<string, GridContent>();
    for (const [key, content] of grid.cells) {
      const [row, column] = parseCellKey(key);
      const [line, crossLine] = axis === 'rows' ? [row, column] : [column, row];
      const to = isWithin(crossLine, crossLine) ? map(line) : line;
      if (to !== null) cells.set(axis === 'rows' ? toCellKey(to, column) : toCellKey(row, to), content);
    }
    grid.cells = cells;
    this.rewriteReferences((reference, at) => {
      if ((reference.sheet ?? at) !== sheet) return reference;
      const { top, left, bottom, right } = reference;
      const [first, last, from, to] = axis === 'rows' ? [top, bottom, left, right] : [left, right, top, bottom];
      if (!isWithin(Math.min(from, to), Math.max(from, to))) return reference;
      const isWhole = axis === 'rows' ? isWholeColumns(reference) : isWholeRows(reference);
      if (isWhole) return reference;
      const newSpan = mapSpan(first, last, axis === 'rows' ? MAX_ROWS : MAX_COLUMNS, span);
      if (!newSpan) return null;
      return axis === 'rows'
        ? { ...reference, top: newSpan[0], bottom: newSpan[1] }
        : { ...reference, left: newSpan[0], right: newSpan[1] };
    });
  }

  insertLines(
    sheet: string,
    axis: Axis,
    firstLine: number,
    count: number,
    across: readonly [number, number] | null,
  ): void {
    const map: LineMap = (line) => (line < firstLine ? line : line + count);
    this.shiftLines(sheet, axis, across, map, (first, last) => findRemainingSpan(first, last, map));
  }

  removeLines(
    sheet: string,
    axis: Axis,
    firstLine: number,
    count: number,
    across: readonly [number, number] | null,
  ): void {
    const map: LineMap = (line) => (line < firstLine ? line : line < firstLine + count ? null : line - count);
    this.shiftLines(sheet, axis, across, map, (first, last) => findRemainingSpan(first, last, map));
  }

  /** Moves `count` lines that begin at `firstLine` to before line `to`. */
  reorderLines(sheet: string, axis: Axis, firstLine: number, count: number, to: number): void {
    const isMoved = (line: number) => line >= firstLine && line < firstLine + count;
    const by = to > firstLine ? to - firstLine - count : to - firstLine;
    const map = (line: number) => {
      if (isMoved(line)) return line + by;
      if (to > firstLine) return line >= firstLine + count && line < to ? line - count : line;
      return line >= to && line < firstLine ? line + count : line;
    };
    const [bandFirst, bandLast] = [Math.min(firstLine, to), Math.max(firstLine + count, to) - 1];
    this.shiftLines(sheet, axis, null, map, (first, last) => {
      if (isMoved(first) && isMoved(last)) return [first + by, last + by];
      if (first <= bandFirst && last >= bandLast) return [first, last];
      return findRemainingSpan(first, last, (line) => (isMoved(line) ? null : map(line)));
    });
  }

  cutCells(sheet: string, from: Rectangle, toSheet: string, row: number, column: number): void {
    const rows = row - from.top;
    const columns = column - from.left;
    const target = { top: row, left: column, bottom: from.bottom + rows, right: from.right + columns };
    this.rewriteReferences((reference, at, cell) => {
      const on = reference.sheet ?? at;
      // A reference to the sheet to which its formula moves does not name the sheet.
      const formulaSheet = at === sheet && cell && isInside(cell, from) ? toSheet : at;
      const sheetPart = (sheetName: string) =>
        reference.sheet === null && sheetName === formulaSheet ? null : sheetName;
      const { top, left, bottom, right } = reference;
      if (on === sheet && isInside(reference, from)) {
        const target = { top: top + rows, left: left + columns, bottom: bottom + rows, right: right + columns };
        return { ...reference, ...target, sheet: sheetPart(toSheet) };
      }
      return on === toSheet && isInside(reference, target) ? null : { ...reference, sheet: sheetPart(on) };
    });
    const movedCells: [number, number, GridContent][] = [];
    for (const [key, content] of this.findSheet(sheet).cells) {
      const [r, c] = parseCellKey(key);
      if (!isInside(toCellArea(key), from)) continue;
      movedCells.push([r + rows, c + columns, content]);
      this.findSheet(sheet).cells.delete(key);
    }
    for (const key of [...this.findSheet(toSheet).cells.keys()]) {
      if (isInside(toCellArea(key), target)) this.findSheet(toSheet).cells.delete(key);
    }
    for (const [r, c, content] of movedCells) this.setContent(toSheet, r, c, content);
  }

  /** Writes contents that were copied over a distance of rows and columns. */
  private pasteCell(
    sheet: string,
    row: number,
    column: number,
    content: GridContent | undefined,
    rows: number,
    columns: number,
  ) {
    this.setContent(sheet, row, column, content === undefined ? content : moveContent(content, rows, columns));
  }

  pasteCells(sheet: string, from: Rectangle, toSheet: string, row: number, column: number): void {
    const contents = this.listContents(sheet, from);
    contents.forEach((line, r) => {
      line.forEach((content, c) => {
        this.pasteCell(toSheet, row + r, column + c, content, row - from.top, column - from.left);
      });
    });
  }

  fillCells(sheet: string, from: Rectangle, to: Rectangle): void {
    const contents = this.listContents(sheet, from);
    for (let row = to.top; row <= to.bottom; row++) {
      for (let column = to.left; column <= to.right; column++) {
        const r = modulo(row - from.top, contents.length);
        const c = modulo(column - from.left, contents[0]?.length ?? 1);
        this.pasteCell(sheet, row, column, contents[r]?.[c], row - from.top - r, column - from.left - c);
      }
    }
  }

  /** Reorders rows of an area. Omitted rows become empty rows at the end. */
  permuteRows(sheet: string, { top, left, bottom, right }: Rectangle, order: readonly number[]): void {
    const contents = this.listContents(sheet, { top, left, bottom, right });
    for (let row = top; row <= bottom; row++) {
      const from = order[row - top];
      for (let column = left; column <= right; column++) {
        const content = from === undefined ? undefined : contents[from]?.[column - left];
        this.pasteCell(sheet, row, column, content, row - top - (from ?? 0), 0);
      }
    }
  }

  private listContents(sheet: string, { top, left, bottom, right }: Rectangle): (GridContent | undefined)[][] {
    return listLines(top, bottom).map((row) =>
      listLines(left, right).map((column) => this.getContent(sheet, row, column)),
    );
  }

  addSheet(name: string): void {
    this.sheets.push({ name, cells: new Map() });
  }

  duplicateSheet(sheet: string, name: string): void {
    this.sheets.push({ name, cells: new Map(this.findSheet(sheet).cells) });
  }

  renameSheet(sheet: string, name: string): void {
    this.findSheet(sheet).name = name;
    this.rewriteReferences((reference) => (reference.sheet === sheet ? { ...reference, sheet: name } : reference));
  }

  deleteSheet(name: string): void {
    this.sheets = this.sheets.filter((sheet) => sheet.name !== name);
    this.rewriteReferences((reference) => (reference.sheet === name ? null : reference));
  }

  moveSheet(name: string, order: number): void {
    const movedSheet = this.findSheet(name);
    this.sheets = this.sheets.filter((sheet) => sheet !== movedSheet).toSpliced(order, 0, movedSheet);
  }
}

/** Maps the lines from `first` to `last` to their new span; null if none remains. */
type SpanMap = (first: number, last: number) => readonly [number, number] | null;

function findRemainingSpan(first: number, last: number, map: LineMap): readonly [number, number] | null {
  const remaining = listLines(first, last).flatMap((line) => map(line) ?? []);
  return remaining.length === 0 ? null : [Math.min(...remaining), Math.max(...remaining)];
}

/** Maps the rows or columns from `a` to `b`, in either order. A span up to the last line `end - 1` still ends there. */
function mapSpan(a: number, b: number, end: number, map: SpanMap): readonly [number, number] | null {
  const [first, last] = [Math.min(a, b), Math.max(a, b)];
  if (last === end - 1) {
    // An open side is mapped like a span of 100 lines, because all cells are within them.
    const movedSpan = map(first, first + 100);
    return movedSpan && [movedSpan[0], last];
  }
  const newSpan = map(first, last);
  return newSpan && (a <= b ? newSpan : [newSpan[1], newSpan[0]]);
}

function moveContent(content: GridContent, rows: number, columns: number): GridContent {
  if (!isFormula(content)) return content;
  return {
    formula: content.formula.map((part) => (typeof part === 'string' ? part : moveReference(part, rows, columns))),
  };
}

function moveReference(reference: Reference, rows: number, columns: number): FormulaPart {
  const { absolute } = reference;
  const moveLine = (line: number, isAbsolute: boolean, count: number, end: number) =>
    isAbsolute || line === end - 1 ? line : line + count;
  const target = {
    top: isWholeColumns(reference) ? 0 : moveLine(reference.top, absolute[0], rows, MAX_ROWS),
    left: isWholeRows(reference) ? 0 : moveLine(reference.left, absolute[1], columns, MAX_COLUMNS),
    bottom: moveLine(reference.bottom, absolute[2], rows, MAX_ROWS),
    right: moveLine(reference.right, absolute[3], columns, MAX_COLUMNS),
  };
  return Object.values(target).some((line) => line < 0) ? '#REF!' : { ...reference, ...target };
}

export function isInside(inner: Rectangle, outer: Rectangle): boolean {
  const [top, bottom] = [Math.min(inner.top, inner.bottom), Math.max(inner.top, inner.bottom)];
  const [left, right] = [Math.min(inner.left, inner.right), Math.max(inner.left, inner.right)];
  return top >= outer.top && bottom <= outer.bottom && left >= outer.left && right <= outer.right;
}

/** Returns a formula in the API's grammar. */
export function formatFormula(formula: Formula): string {
  return formula.map((part) => (typeof part === 'string' ? part : formatReference(part))).join('');
}

export function formatReference(reference: Reference): string {
  const { sheet, absolute, isCell, isOpen, top, left, bottom, right } = reference;
  const prefix = sheet === null ? '' : `${quoteSheetName(sheet)}!`;
  const mark = (isAbsolute: boolean | undefined) => (isAbsolute ? '$' : '');
  const column = (index: number, isAbsolute: boolean) => mark(isAbsolute) + columnName(index);
  const row = (index: number, isAbsolute: boolean) => mark(isAbsolute) + String(index + 1);
  if (isWholeRows(reference)) return `${prefix}${row(top, absolute[0])}:${row(bottom, absolute[2])}`;
  if (isWholeColumns(reference)) return `${prefix}${column(left, absolute[1])}:${column(right, absolute[3])}`;
  const first = column(left, absolute[1]) + row(top, absolute[0]);
  if (isCell) return prefix + first;
  if (isOpen) return `${prefix}${first}:${column(right, absolute[3])}`;
  return `${prefix}${first}:${column(right, absolute[3])}${row(bottom, absolute[2])}`;
}

function listLines(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

function modulo(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor;
}
