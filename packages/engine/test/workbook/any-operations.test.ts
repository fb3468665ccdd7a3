import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { scaleRunCount } from '../../../../test/depth.ts';
import { elementAt } from '../../../../test/elements.ts';
import { type Edit, encodeInverse, type Input, MAX_COLUMNS, MAX_ROWS, type Snapshot } from '../../src/index.ts';
import {
  Book,
  createContext,
  describeContents,
  describeValues,
  replayBatch,
  storeAndRestore,
  ThreadCopy,
} from './book.ts';
import {
  type Axis,
  type Formula,
  formatFormula,
  formatReference,
  type GridContent,
  PlainGrid,
  type Rectangle,
  type Reference,
} from './plain-grid.ts';

/** Operations stay in a small corner of the grid, so that they affect formulas and each other. */
const ROWS = 8;
const COLUMNS = 5;
const SHEETS = ['Sheet1', 'Other', 'Third'];

const row = fc.nat(ROWS - 1);
const column = fc.nat(COLUMNS - 1);
const sheet = fc.constantFrom('Sheet1', 'Sheet1', 'Sheet1', 'Other', 'Other', 'Third');
const rectangle = fc.tuple(row, row, column, column).map(
  ([a, b, c, d]): Rectangle => ({
    top: Math.min(a, b),
    bottom: Math.max(a, b),
    left: Math.min(c, d),
    right: Math.max(c, d),
  }),
);

const pins = fc.tuple(fc.boolean(), fc.boolean(), fc.boolean(), fc.boolean());
const FREE = [false, false, false, false] as const;
const onSheet = fc.option(fc.constantFrom('Sheet1', 'Other'), { nil: null });
const cellReference = fc.record({ row, column, absolute: pins, sheet: onSheet }).map(
  ({ row: r, column: c, absolute: [top, left], sheet: on }): Reference => ({
    ...{ sheet: on, isCell: true, isOpen: false, absolute: [top, left, top, left] },
    ...{ top: r, bottom: r, left: c, right: c },
  }),
);
const areaReference = fc
  .record({ place: rectangle, absolute: pins, sheet: onSheet })
  .map(
    ({ place, absolute, sheet: on }): Reference => ({ ...place, absolute, sheet: on, isCell: false, isOpen: false }),
  );
const openReference = fc
  .record({ place: rectangle, sheet: onSheet, kind: fc.constantFrom('rows', 'columns', 'below') })
  .map(({ place, sheet: on, kind }): Reference => {
    const open = { sheet: on, absolute: FREE, isCell: false, isOpen: kind === 'below' };
    if (kind === 'rows') return { ...place, ...open, left: 0, right: MAX_COLUMNS - 1 };
    return { ...place, ...open, bottom: MAX_ROWS - 1, ...(kind === 'columns' ? { top: 0 } : {}) };
  });
const anyReference = fc.oneof(
  { weight: 3, arbitrary: areaReference },
  { weight: 2, arbitrary: cellReference },
  { weight: 1, arbitrary: openReference },
);
const formula: fc.Arbitrary<Formula> = fc.oneof(
  fc.tuple(cellReference, cellReference).map(([a, b]) => ['=', a, '+', b]),
  anyReference.map((a) => ['=SUM(', a, ')']),
  areaReference.map((a) => ['=ROWS(', a, ')*COLUMNS(', a, ')']),
  fc.tuple(areaReference, cellReference).map(([a, b]) => ['=IFERROR(MATCH(', b, ';', a, ';0);0)']),
  cellReference.map((a) => ['=ROW(', a, ')+COLUMN()']),
  anyReference.map((a) => ['=COUNTA(', a, ')']),
  fc.constantFrom(['=SUM(area)'], ['=SUM(zone)']),
);
const content: fc.Arbitrary<GridContent | ''> = fc.oneof(
  fc.constantFrom<GridContent | ''>(1, 2, 5, 1.5, 'text', 'Text 5', 'TEXT', 'ab', true, false, ''),
  formula.map((parts) => ({ formula: parts })),
);

type Operation =
  | {
      readonly kind: 'write';
      readonly sheet: string;
      readonly row: number;
      readonly column: number;
      readonly values: readonly (readonly (GridContent | '')[])[];
    }
  | {
      readonly kind: 'insert' | 'delete';
      readonly sheet: string;
      readonly axis: Axis;
      readonly at: number;
      readonly count: number;
      readonly across: readonly [number, number] | null;
    }
  | {
      readonly kind: 'reorder';
      readonly sheet: string;
      readonly axis: Axis;
      readonly at: number;
      readonly count: number;
      readonly to: number;
    }
  | {
      readonly kind: 'cut' | 'copy';
      readonly sheet: string;
      readonly from: Rectangle;
      readonly toSheet: string;
      readonly row: number;
      readonly column: number;
    }
  | { readonly kind: 'fill'; readonly sheet: string; readonly from: Rectangle; readonly to: Rectangle }
  | { readonly kind: 'clear'; readonly sheet: string; readonly from: Rectangle }
  | { readonly kind: 'sort'; readonly sheet: string; readonly from: Rectangle; readonly descending: boolean }
  | { readonly kind: 'removeDuplicates'; readonly sheet: string; readonly from: Rectangle }
  | {
      readonly kind: 'replace';
      readonly sheet: string;
      readonly from: Rectangle;
      readonly find: string;
      readonly by: string;
    }
  | { readonly kind: 'duplicateSheet' | 'deleteSheet' | 'addSheet' | 'renameSheet'; readonly sheet: string }
  | { readonly kind: 'moveSheet'; readonly sheet: string; readonly order: number }
  | { readonly kind: 'setName'; readonly reference: Reference }
  | { readonly kind: 'deleteName' | 'renameName' };

const line = fc.nat(ROWS - 1);
const count = fc.integer({ min: 1, max: 3 });
const axis = fc.constantFrom<Axis>('rows', 'columns');
const across = fc.option(
  fc.tuple(fc.nat(COLUMNS - 1), fc.nat(1)).map(([first, length]) => [first, first + length] as const),
  { nil: null },
);
const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      ...{ sheet, row, column },
      values: fc.array(fc.array(content, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 4 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('insert' as const, 'delete' as const),
      ...{ sheet, axis, at: line, count, across },
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('reorder' as const), sheet, axis, at: line, count, to: line }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom('cut' as const, 'copy' as const),
      ...{ sheet, from: rectangle, toSheet: sheet, row, column },
    }),
  },
  fc.record({ kind: fc.constant('fill' as const), sheet, from: rectangle, to: rectangle }),
  fc.record({ kind: fc.constantFrom('clear' as const, 'removeDuplicates' as const), sheet, from: rectangle }),
  fc.record({ kind: fc.constant('sort' as const), sheet, from: rectangle, descending: fc.boolean() }),
  fc.record({
    kind: fc.constant('replace' as const),
    ...{ sheet, from: rectangle },
    find: fc.constantFrom('te', '5', 'TEXT', '1'),
    by: fc.constantFrom('', '2', 'a'),
  }),
  fc.record({
    kind: fc.constantFrom(
      'duplicateSheet' as const,
      'deleteSheet' as const,
      'addSheet' as const,
      'renameSheet' as const,
    ),
    sheet,
  }),
  fc.record({ kind: fc.constant('moveSheet' as const), sheet, order: fc.nat(2) }),
  fc.record({ kind: fc.constant('setName' as const), reference: areaReference }),
  fc.record({ kind: fc.constantFrom('deleteName' as const, 'renameName' as const) }),
);
/** Fills a sheet before the operations start. */
const fillSheet = fc.constantFrom('Sheet1', 'Other').chain((name) =>
  fc.record({
    kind: fc.constant('write' as const),
    ...{ sheet: fc.constant(name), row: fc.constant(0), column: fc.constant(0) },
    values: fc.array(fc.array(content, { minLength: COLUMNS, maxLength: COLUMNS }), {
      minLength: ROWS,
      maxLength: ROWS,
    }),
  }),
);
const SECOND: Operation = { kind: 'addSheet', sheet: 'Sheet1' };
const batches = fc
  .tuple(fillSheet, fc.array(fc.array(operation, { minLength: 1, maxLength: 4 }), { minLength: 2, maxLength: 6 }))
  .map(([first, laterBatches]): readonly (readonly Operation[])[] => [[SECOND], [first], ...laterBatches]);

/** Performs an operation on the plain grid and returns the equivalent edit; null if the operation is impossible. */
function planEdit(grid: PlainGrid, operation: Operation, ids: Map<string, number>): Edit | null {
  const names = grid.sheets.map(({ name }) => name);
  const id = (name: string) => ids.get(name) ?? -1;
  if ('sheet' in operation && operation.kind !== 'addSheet' && !names.includes(operation.sheet)) return null;
  switch (operation.kind) {
    case 'write': {
      operation.values.forEach((cells, r) => {
        cells.forEach((cell, c) => {
          grid.setContent(operation.sheet, operation.row + r, operation.column + c, cell === '' ? undefined : cell);
        });
      });
      const inputs = operation.values.map((cells) => cells.map(toInput));
      const target = { row: operation.row, column: operation.column };
      return { kind: 'setValues', sheet: id(operation.sheet), ...target, values: inputs, mode: 'user' };
    }
    case 'insert':
    case 'delete': {
      const { kind, sheet: on, axis: along, at, count: lines, across: within } = operation;
      if (kind === 'insert') grid.insertLines(on, along, at, lines, within);
      else grid.removeLines(on, along, at, lines, within);
      const span = within ? { across: { first: within[0], last: within[1] } } : {};
      return { kind: 'moveCells', move: { kind, sheet: id(on), axis: along, at, count: lines, ...span } };
    }
    case 'reorder': {
      const { sheet: on, axis: along, at, count: lines, to } = operation;
      if (to >= at && to <= at + lines) return null;
      grid.reorderLines(on, along, at, lines, to);
      return { kind: 'moveCells', move: { kind: 'reorder', sheet: id(on), axis: along, at, count: lines, to } };
    }
    case 'cut':
    case 'copy': {
      const { kind, sheet: on, from, toSheet, row: r, column: c } = operation;
      const isSame = on === toSheet && from.top === r && from.left === c;
      if (!names.includes(toSheet) || isSame) return null;
      if (kind === 'cut') grid.cutCells(on, from, toSheet, r, c);
      else grid.pasteCells(on, from, toSheet, r, c);
      const move = { sheet: id(on), area: from, toSheet: id(toSheet), row: r, column: c };
      return kind === 'cut' ? { kind: 'moveCells', move: { kind: 'carry', ...move } } : { kind, ...move };
    }
    case 'fill':
      grid.fillCells(operation.sheet, operation.from, operation.to);
      return { kind: 'fill', sheet: id(operation.sheet), area: operation.from, to: operation.to };
    case 'clear':
      visitCells(operation.from, (r, c) => grid.setContent(operation.sheet, r, c, undefined));
      return { kind: 'clear', sheet: id(operation.sheet), area: operation.from };
    case 'sort':
      return planSort(grid, operation, id(operation.sheet));
    case 'removeDuplicates':
      return planRemoveDuplicates(grid, operation, id(operation.sheet));
    case 'replace':
      return planReplace(grid, operation, id(operation.sheet));
    default:
      return planSheets(grid, operation, ids);
  }
}

function planSheets(grid: PlainGrid, operation: Operation, ids: Map<string, number>): Edit | null {
  const names = grid.sheets.map(({ name }) => name);
  const free = SHEETS.find((name) => !names.includes(name));
  const next = Math.max(...ids.values()) + 1;
  switch (operation.kind) {
    case 'addSheet':
      if (free === undefined) return null;
      grid.addSheet(free);
      ids.set(free, next);
      return { kind: 'addSheet', name: free };
    case 'duplicateSheet':
      if (free === undefined) return null;
      // The engine would also copy the defined name. The plain grid does not model this.
      if ([...grid.names.values()].some((reference) => reference?.sheet === operation.sheet)) return null;
      grid.duplicateSheet(operation.sheet, free);
      ids.set(free, next);
      return { kind: 'duplicateSheet', sheet: ids.get(operation.sheet) ?? -1, name: free };
    case 'renameSheet': {
      // The new name is not in use, because formulas that name a missing sheet would then refer to the renamed sheet.
      const id = ids.get(operation.sheet) ?? -1;
      const name = `${operation.sheet}'s`;
      if (names.includes(name)) return null;
      grid.renameSheet(operation.sheet, name);
      ids.set(name, id);
      return { kind: 'renameSheet', sheet: id, name };
    }
    case 'deleteSheet':
      if (names.length === 1) return null;
      grid.deleteSheet(operation.sheet);
      return { kind: 'deleteSheet', sheet: ids.get(operation.sheet) ?? -1 };
    case 'moveSheet':
      if (operation.order >= names.length) return null;
      grid.moveSheet(operation.sheet, operation.order);
      return { kind: 'moveSheet', sheet: ids.get(operation.sheet) ?? -1, order: operation.order };
    case 'setName': {
      const { absolute: _, ...place } = operation.reference;
      const on = place.sheet ?? names[0] ?? '';
      if (!names.includes(on)) return null;
      const reference = { ...place, sheet: on, absolute: [true, true, true, true] as const };
      grid.names.set('area', reference);
      return { kind: 'setName', name: 'area', refersTo: `=${formatReference(reference)}` };
    }
    case 'deleteName':
      return grid.names.delete('area') ? { kind: 'deleteName', name: 'area' } : null;
    case 'renameName': {
      const [name = ''] = grid.names.keys();
      if (grid.names.size !== 1) return null;
      const newName = name === 'area' ? 'zone' : 'area';
      grid.renameName(name, newName);
      return { kind: 'renameName', name, newName };
    }
    default:
      return null;
  }
}

function toInput(content: GridContent | ''): Input {
  return typeof content === 'object' ? formatFormula(content.formula) : content;
}

function visitCells({ top, left, bottom, right }: Rectangle, visit: (row: number, column: number) => void): void {
  for (let r = top; r <= bottom; r++) for (let c = left; c <= right; c++) visit(r, c);
}

/** The values of a sheet's cells, calculated by a new workbook with the same contents. */
function calculateValues(grid: PlainGrid, sheetName: string): (row: number, column: number) => unknown {
  const book = buildBook(grid);
  const sheet = book.head.sheetByName(sheetName);
  return (r, c) => sheet?.value(r, c) ?? null;
}

/** Sort key: numbers, texts ignoring letter case, FALSE, TRUE, errors. Blanks are last in both directions. */
function createSortKey(value: unknown): readonly [number, number | string] {
  if (typeof value === 'number') return [0, value];
  if (typeof value === 'string') return [1, value.toLowerCase()];
  return typeof value === 'boolean' ? [2, Number(value)] : [3, 0];
}

function compareValues(a: unknown, b: unknown, descending: boolean): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  const [[x, p], [y, q]] = [createSortKey(a), createSortKey(b)];
  const order = x - y || (p < q ? -1 : Number(p > q));
  return descending ? -order : order;
}

/** The part of an area within the filled extent of the sheet; null if there is none. */
function clipToExtent(grid: PlainGrid, sheetName: string, requestedArea: Rectangle): Rectangle | null {
  const { rows, columns } = grid.measureExtent(sheetName);
  if (requestedArea.top >= rows || requestedArea.left >= columns) return null;
  return {
    ...requestedArea,
    bottom: Math.min(requestedArea.bottom, rows - 1),
    right: Math.min(requestedArea.right, columns - 1),
  };
}

function planSort(
  grid: PlainGrid,
  { sheet: sheetName, from, descending }: Extract<Operation, { kind: 'sort' }>,
  id: number,
): Edit {
  const within = clipToExtent(grid, sheetName, from);
  if (within) {
    const value = calculateValues(grid, sheetName);
    const order = Array.from({ length: within.bottom - within.top + 1 }, (_, i) => i).sort(
      (a, b) => compareValues(value(within.top + a, from.left), value(within.top + b, from.left), descending) || a - b,
    );
    grid.permuteRows(sheetName, within, order);
  }
  return { kind: 'sort', sheet: id, area: from, by: [{ column: from.left, descending }] };
}

function planRemoveDuplicates(
  grid: PlainGrid,
  { sheet: sheetName, from }: Extract<Operation, { kind: 'removeDuplicates' | 'clear' }>,
  id: number,
): Edit {
  const within = clipToExtent(grid, sheetName, from);
  if (within) {
    const value = calculateValues(grid, sheetName);
    const seenKeys = new Set<string>();
    const order: number[] = [];
    for (let r = within.top; r <= within.bottom; r++) {
      const cell = value(r, from.left);
      const key = JSON.stringify(typeof cell === 'string' ? cell.toLowerCase() : cell);
      if (!seenKeys.has(key)) order.push(r - within.top);
      seenKeys.add(key);
    }
    grid.permuteRows(sheetName, within, order);
  }
  return { kind: 'removeDuplicates', sheet: id, area: from, columns: [from.left] };
}

function planReplace(
  grid: PlainGrid,
  { sheet: sheetName, from, find, by }: Extract<Operation, { kind: 'replace' }>,
  id: number,
): Edit {
  visitCells(from, (r, c) => {
    const cell = grid.getContent(sheetName, r, c);
    if (typeof cell !== 'string' && typeof cell !== 'number') return;
    const text = String(cell).replace('.', ',');
    const next = text.replaceAll(new RegExp(find, 'gi'), by);
    if (next === text) return;
    const isNumber = typeof cell === 'number' && /^[0-9]*(,[0-9]+)?$/.test(next);
    grid.setContent(sheetName, r, c, next === '' ? undefined : isNumber ? Number(next.replace(',', '.')) : next);
  });
  const literal = { find, with: by, matchCase: false, entireCell: false, formulas: false };
  return { kind: 'replace', sheet: id, area: from, ...literal };
}

/** A new workbook with the contents of a grid. */
function buildBook(grid: PlainGrid): Book {
  const book = new Book();
  const [first, ...otherNames] = grid.sheets.map(({ name }) => name);
  if (first !== 'Sheet1') book.renameSheet('Sheet1', first ?? '');
  for (const name of otherNames) book.addSheet(name);
  const edits: Edit[] = [];
  for (const [name, reference] of grid.names) {
    const text = reference ? formatReference(reference) : '#REF!';
    edits.push({ kind: 'setName', name, refersTo: `=${text}` });
  }
  for (const { name, cells } of grid.sheets) {
    const id = book.sheetId(name);
    for (const [key, content] of cells) {
      const [r = 0, c = 0] = key.split(',').map(Number);
      const mode = typeof content === 'object' ? 'user' : 'raw';
      edits.push({ kind: 'setValues', sheet: id, row: r, column: c, values: [[toInput(content)]], mode });
    }
  }
  book.apply(edits);
  return book;
}

/** Values and formulas by sheet and cell. */
function listValuesBySheet(head: Snapshot): unknown {
  const sheets = describeValues(head) as readonly { name: string; cells: unknown }[];
  return sheets.map(({ name, cells }) => [name, cells]);
}

interface PlannedBatch {
  readonly edits: readonly Edit[];
  readonly after: PlainGrid;
}

/** Plans a batch of edits for each list of operations, starting from one empty sheet. Skips batches without edits. */
function* planBatches(operationBatches: readonly (readonly Operation[])[]): Generator<PlannedBatch> {
  const ids = new Map([['Sheet1', new Book().sheetId('Sheet1')]]);
  let grid = new PlainGrid();
  for (const operations of operationBatches) {
    const after = grid.copy();
    const edits = operations.flatMap((operation) => planEdit(after, operation, ids) ?? []);
    if (edits.length === 0) continue;
    grid = after;
    yield { edits, after };
  }
}

describe('a workbook under any operations', () => {
  it('equals a workbook built from the end state, its replicas, and after undoing and redoing every batch', () => {
    fc.assert(
      fc.property(batches, (operationBatches) => {
        const book = new Book();
        const copy = new ThreadCopy();
        const states = [describeContents(book.head)];
        const inverses: Uint8Array[] = [];
        for (const { edits, after } of planBatches(operationBatches)) {
          const before = storeAndRestore(book.head);
          copy.receiveChange(book.head);
          // A preview changes the graph temporarily. Afterwards the graph must be as before.
          assert.equal(book.workbook.preview(edits, createContext()).kind, 'applied');
          const outcome = book.apply(edits);
          assert.deepEqual(listValuesBySheet(book.head), listValuesBySheet(buildBook(after).head));
          const state = describeContents(book.head);
          assert.deepEqual(describeContents(replayBatch(outcome, before)), state);
          assert.deepEqual(describeContents(copy.receiveChange(book.head, outcome.change)), state);
          assert.deepEqual(describeContents(storeAndRestore(book.head)), state);
          inverses.push(encodeInverse(outcome.change));
          states.push(state);
        }
        const redo: Uint8Array[] = [];
        for (let i = inverses.length - 1; i >= 0; i--) {
          redo.unshift(encodeInverse(undoBatch(book, elementAt(inverses, i)).change));
          assert.deepEqual(describeContents(book.head), states[i]);
        }
        for (const [i, inverse] of redo.entries()) {
          undoBatch(book, inverse);
          assert.deepEqual(describeContents(book.head), states[i + 1]);
        }
      }),
      { numRuns: scaleRunCount(25) },
    );
  });
});

function undoBatch(book: Book, inverse: Uint8Array) {
  return book.apply([{ kind: 'takeBack', inverse, locked: [] }]);
}
