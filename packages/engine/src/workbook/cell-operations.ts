import type { Meter } from '../calc/budget.ts';
import { type Grammar, grammarOf, placesWithin, print, withinGrid } from '../formula/index.ts';
import { compareScalars } from '../functions/order.ts';
import { type Area, area, contains, height, WHOLE_SHEET, width } from '../grid/area.ts';
import type { RowOrder } from '../grid/row-order.ts';
import type { LocaleId } from '../locale/index.ts';
import { CHUNK_MASK, EMPTY, FORMULA, SPILLED } from '../sheet/chunk.ts';
import type { Draft } from '../sheet/draft.ts';
import type { Sheet } from '../sheet/snapshot.ts';
import { Template } from '../sheet/template.ts';
import { foldCase } from '../value/fold.ts';
import { isError, type Scalar } from '../value/scalar.ts';
import { withoutCachedResult } from './cached-results.ts';
import { checkLength } from './check.ts';
import type { Edit, Entering, OrderedRows, Refusal, SortKey, TextLimits } from './types.ts';

/** What a cell holds as it was entered. */
interface Entered {
  readonly template: Template | null;
  /** Cells in which all that the formula refers to is inside the grid. */
  readonly places: Area;
  readonly writer: number | null;
  readonly value: Scalar;
  readonly format: number;
}

/** An area of one sheet. */
interface Place {
  readonly sheet: number;
  readonly area: Area;
}

/** Where the top left cell of an area is to be. */
type Target = Pick<Place, 'sheet'> & Pick<Area, 'top' | 'left'>;

/** The cells of a batch under way, as these operations read and write them. */
interface Cells {
  readonly draft: Draft;
  readonly meter: Meter;
  /** Who sends the batch. */
  readonly writer: number | null;
  readonly textLimits: TextLimits;
  /** Why the batch cannot be, once that is known. */
  refusal: Refusal | null;
  /** Row orders of the edit that is being performed, for its outcome. */
  readonly orders: OrderedRows[];
  /** Brings formulas that were entered into their columns. */
  flush(): void;
  /** Calculates what the edits before have left to be. */
  bringUpToDate(): void;
  put(sheet: number, row: number, column: number, value: Scalar): void;
  enter(sheet: number, row: number, column: number, input: string, how: Entering): void;
  enterTemplate(sheet: number, row: number, column: number, template: Template, writer: number | null): void;
  format(sheet: number, row: number, column: number, format: number): void;
}

/** Edits that put the contents of cells elsewhere. */
type CellOperation = Extract<Edit, { readonly kind: 'copy' | 'fill' | 'sort' | 'replace' | 'removeDuplicates' }>;

/** Gives the cells written. */
export function operate(transaction: Cells, edit: CellOperation): number {
  switch (edit.kind) {
    case 'copy':
      return copyCells(transaction, edit, { sheet: edit.toSheet, top: edit.row, left: edit.column });
    case 'fill':
      return fillCells(transaction, edit.sheet, edit.area, edit.to);
    case 'sort':
      return sortRows(transaction, edit, edit.by);
    case 'replace':
      return replaceTexts(transaction, edit, edit);
    case 'removeDuplicates':
      return removeDuplicates(transaction, edit, edit.columns);
  }
}

/** Copies an area to where its top left cell is to be; blanks clear. Formulas are the caller's. Gives cells written. */
function copyCells(transaction: Cells, from: Place, to: Target): number {
  const source = withinHeld(transaction, from, to);
  const cells = enteredIn(transaction, { sheet: from.sheet, area: source }, formulasAlone());
  cells.forEach((row, r) => {
    row.forEach((cell, c) => {
      enter(transaction, to.sheet, to.top + r, to.left + c, cell, transaction.writer);
    });
  });
  return cells.length * width(source);
}

/** Fills an area with another, which repeats in both directions from its own place on. Gives cells written. */
function fillCells(transaction: Cells, sheet: number, from: Area, to: Area): number {
  transaction.meter.spend(height(to) * width(to));
  const cells = enteredIn(transaction, { sheet, area: from }, formulasAlone());
  for (let row = to.top; row <= to.bottom; row++) {
    const source = cells[modulo(row - from.top, height(from))] ?? [];
    for (let column = to.left; column <= to.right; column++) {
      const cell = source[modulo(column - from.left, width(from))];
      if (cell) enter(transaction, sheet, row, column, cell, transaction.writer);
    }
  }
  return height(to) * width(to);
}

/** Sorts the rows of an area, stable; formulas keep their writers. Gives the cells of rows that changed places. */
function sortRows(transaction: Cells, place: Place, by: readonly SortKey[]): number {
  const within = filledRowsOf(transaction, place);
  if (within === null) return 0;
  const sheet = sheetOf(transaction, place.sheet);
  const keys = Array.from({ length: height(within) }, (_, i) =>
    by.map(({ column }) => sheet.value(within.top + i, column)),
  );
  const { locale } = transaction.draft.base.settings;
  const order = Array.from(keys, (_, i) => i).sort(
    (a, b) => compareRows(keys[a] ?? [], keys[b] ?? [], by, locale) || a - b,
  );
  return putRows(transaction, { sheet: place.sheet, area: within }, order);
}

/** Takes rows out that hold what one above does in some columns, and closes up. Gives the cells of rows taken out. */
function removeDuplicates(transaction: Cells, place: Place, columns: readonly number[]): number {
  const within = filledRowsOf(transaction, place);
  if (within === null) return 0;
  const sheet = sheetOf(transaction, place.sheet);
  const known = new Set<string>();
  const order: number[] = [];
  for (let i = 0; i < height(within); i++) {
    const key = JSON.stringify(columns.map((column) => keyOf(sheet.value(within.top + i, column))));
    if (known.has(key)) continue;
    known.add(key);
    order.push(i);
  }
  const gone = height(within) - order.length;
  putRows(transaction, { sheet: place.sheet, area: within }, order);
  return gone * width(within);
}

/** What is looked for, and what comes in its place; both literal. */
interface Replacement {
  readonly find: string;
  readonly with: string;
  readonly matchCase: boolean;
  readonly entireCell: boolean;
  readonly formulas: boolean;
  readonly locale?: LocaleId | null;
}

/** Replaces texts in cells; a cell that becomes empty is cleared. Gives the cells that changed. */
function replaceTexts(transaction: Cells, place: Place, replacement: Replacement): number {
  const within = filledRowsOf(transaction, place);
  if (within === null) return 0;
  const sheet = sheetOf(transaction, place.sheet);
  const { formulas, locale = null } = replacement;
  const grammar = grammarOf(locale);
  let cells = 0;
  for (let column = within.left; column <= within.right; column++) {
    for (let row = within.top; row <= within.bottom; row++) {
      transaction.meter.pass(1);
      const text = shownText(transaction, sheet, { row, column }, formulas, grammar);
      const next = text === null ? null : replaced(text, replacement);
      if (next === null || next === text) continue;
      const isText = typeof sheet.value(row, column) === 'string' && (sheet.kind(row, column) & FORMULA) === 0;
      transaction.refusal ??= checkLength(next, !isText && next.startsWith('='), transaction.textLimits);
      if (transaction.refusal !== null) return cells;
      transaction.enter(place.sheet, row, column, next, { mode: isText ? 'raw' : 'user', locale });
      cells++;
    }
  }
  return cells;
}

/** What is searched in a cell: its text or number, or the text of its formula; null for anything else. */
function shownText(
  transaction: Cells,
  sheet: Sheet,
  { row, column }: { readonly row: number; readonly column: number },
  formulas: boolean,
  grammar: Grammar,
): string | null {
  const kind = sheet.kind(row, column);
  if (kind === EMPTY || (kind & SPILLED) !== 0) return null;
  if ((kind & FORMULA) !== 0) {
    const run = formulas ? sheet.run(row, column) : undefined;
    const names = { sheetName: (id: number) => transaction.draft.sheet(id)?.name ?? null };
    return run ? print(run.template.node, grammar, { row, column }, names) : null;
  }
  const value = sheet.value(row, column);
  if (typeof value === 'number') return String(value).replace('.', grammar.decimal);
  return typeof value === 'string' ? value : null;
}

function replaced(text: string, { find, with: by, matchCase, entireCell }: Replacement): string {
  if (entireCell) return (matchCase ? text === find : foldCase(text) === foldCase(find)) ? by : text;
  if (matchCase) return text.split(find).join(by);
  return text.replace(new RegExp(find.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'), 'giu'), () => by);
}

function compareRows(a: readonly Scalar[], b: readonly Scalar[], by: readonly SortKey[], locale: LocaleId): number {
  for (const [i, { descending }] of by.entries()) {
    const x = a[i] ?? null;
    const y = b[i] ?? null;
    if (x === null || y === null) {
      if (x !== y) return x === null ? 1 : -1;
      continue;
    }
    const order = compareScalars(x, y, locale);
    if (order !== 0) return descending ? -order : order;
  }
  return 0;
}

/** What makes values the same as others: texts in any case. */
function keyOf(value: Scalar): readonly unknown[] {
  if (typeof value === 'string') return ['text', foldCase(value)];
  return isError(value) ? ['error', value.code] : [typeof value, value];
}

/** Rows whose order is kept with a sort: 7 characters of the log each. */
const MAX_ORDERED_ROWS = 20_000;

/** Puts rows of an area in another order; those that are not among them any more leave empty ones at the end. */
function putRows(transaction: Cells, { sheet, area: within }: Place, order: readonly number[]): number {
  const cells = enteredIn(transaction, { sheet, area: within });
  const isKept = order.length <= MAX_ORDERED_ROWS;
  const isSame = order.length === height(within) && order.every((from, to) => from === to);
  if (!isSame) {
    const rows: RowOrder = { kind: 'order', sheet, area: within, order: isKept ? order : null };
    transaction.orders.push({ after: transaction.draft.moves.length, rows });
  }
  const blank: Entered = { template: null, places: WHOLE_SHEET, writer: null, value: null, format: 0 };
  let moved = 0;
  for (let r = 0; r < height(within); r++) {
    const from = order[r];
    if (from === r) continue;
    moved += width(within);
    for (let c = 0; c < width(within); c++) {
      const held = cells[r]?.[c] ?? blank;
      const cell = from === undefined ? { ...blank, format: held.format } : (cells[from]?.[c] ?? blank);
      enter(transaction, sheet, within.top + r, within.left + c, cell, cell.writer);
    }
  }
  return moved;
}

/** Templates for cells elsewhere, which read others than those that a file's result came from. */
function formulasAlone(): (template: Template) => Template {
  const known = new Map<Template, Template>();
  return (template) => {
    const node = withoutCachedResult(template.node);
    if (node === template.node) return template;
    const alone = known.get(template) ?? new Template(node);
    known.set(template, alone);
    return alone;
  };
}

/** The cells of an area as they were entered, row by row. What an array formula filled counts as empty. */
function enteredIn(
  transaction: Cells,
  { sheet: id, area: read }: Place,
  templateOf = (template: Template) => template,
): readonly (readonly Entered[])[] {
  // Counted before they are made: a range of a few characters may be the whole grid.
  transaction.meter.spend(height(read) * width(read));
  transaction.flush();
  const sheet = sheetOf(transaction, id);
  const known = new Map<Template, Area>();
  const placesOf = (template: Template) => {
    const places = known.get(template) ?? placesWithin(template.node);
    known.set(template, places);
    return places;
  };
  return Array.from({ length: height(read) }, (_, r) =>
    Array.from({ length: width(read) }, (_unused, c): Entered => {
      transaction.meter.pass(1);
      const row = read.top + r;
      const column = read.left + c;
      const kind = sheet.kind(row, column);
      const run = (kind & FORMULA) === 0 ? undefined : sheet.run(row, column);
      const value = (kind & SPILLED) !== 0 ? null : sheet.value(row, column);
      const format = sheet.format(row, column);
      if (run === undefined) return { template: null, places: WHOLE_SHEET, writer: null, value, format };
      const template = templateOf(run.template);
      return { template, places: placesOf(template), writer: run.writer, value: null, format };
    }),
  );
}

function enter(
  transaction: Cells,
  sheet: number,
  row: number,
  column: number,
  { template, places, value, format }: Entered,
  writer: number | null,
): void {
  transaction.meter.pass(1);
  if (template === null) transaction.put(sheet, row, column, value);
  else if (contains(places, row, column)) transaction.enterTemplate(sheet, row, column, template, writer);
  else {
    const cut = new Template(withinGrid(template.node, { row, column }));
    transaction.enterTemplate(sheet, row, column, cut, writer);
  }
  transaction.format(sheet, row, column, format);
}

/** An area as far as it holds anything, or what it is copied over does: what is copied clears no more than that. */
function withinHeld(transaction: Cells, from: Place, to: Target): Area {
  const { top, left, bottom, right } = from.area;
  const [source, target] = [sheetOf(transaction, from.sheet), sheetOf(transaction, to.sheet)];
  const rows = Math.max(lastRow(source) - top, lastRow(target) - to.top, 0);
  const columns = Math.max(source.columns.length - left, target.columns.length - to.left, 1);
  return area(top, left, Math.min(bottom, top + rows), Math.min(right, left + columns - 1));
}

/** The last row of the last block that may hold anything, with results that are not there yet. */
function lastRow(sheet: Sheet): number {
  return sheet.extent().rows | CHUNK_MASK;
}

/** An area down to the last row that holds anything; null where it holds nothing. */
function filledRowsOf(transaction: Cells, { sheet, area: asked }: Place): Area | null {
  transaction.bringUpToDate();
  const { rows, columns } = sheetOf(transaction, sheet).extent();
  if (asked.top >= rows || asked.left >= columns) return null;
  return area(asked.top, asked.left, Math.min(asked.bottom, rows - 1), Math.min(asked.right, columns - 1));
}

function sheetOf(transaction: Cells, id: number): Sheet {
  return transaction.draft.sheet(id) as Sheet;
}

function modulo(value: number, by: number): number {
  return ((value % by) + by) % by;
}
