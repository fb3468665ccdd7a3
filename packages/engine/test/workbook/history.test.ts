import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { scaleRunCount } from '../../../../test/depth.ts';
import { elementAt } from '../../../../test/elements.ts';
import { columnName } from '../../src/grid/a1.ts';
import {
  applyDelta,
  type Edit,
  encodeCheckpoint,
  encodeDelta,
  encodeInverse,
  exportData,
  type Input,
  type NameData,
  type Sheet,
  type Snapshot,
  type TableData,
  Workbook,
} from '../../src/index.ts';
import { Book, createContext, describeContents, describeValues, storeAndRestore, ThreadCopy } from './book.ts';

/*
 * All sheets have the same layout, so that results do not depend on the order of edits: there are no circular
 * references, and no two arrays need the same cells. Columns A and B contain values. Formulas in other columns read
 * columns to their left, on any sheet. Arrays in the last column spill to the right, other arrays spill downwards.
 */
const PLAIN = 2;
const SINGLE = 3;
const SPILLING = 3;
const COLUMNS = PLAIN + SINGLE + SPILLING;
/** Formulas in this column spill to the right. */
const ACROSS = COLUMNS;
const ROWS = 7;

const NAMES: readonly NameData[] = [
  { name: 'First', formula: 'Sheet1!$A$1' },
  { name: 'Both', formula: 'S2!$A$1:$B$2' },
  { name: 'Across', formula: 'SUM(S2:S4!$A$1:$A$3)' },
  { name: 'Local', formula: 'Sheet1!$B$1' },
  { name: 'Local', sheet: 'S2', formula: 'S2!$B$2' },
  { name: 'Ghost', formula: 'Later!$A$1' },
  { name: 'Haunted', formula: 'Ghost+First' },
  { name: 'Next', formula: 'LAMBDA(x,x+First)' },
  { name: 'Own', sheet: 'S3', formula: 'LAMBDA(x,x*2)' },
];

const TABLES: readonly TableData[] = [
  {
    ...{ name: 'Sales', sheet: 'Sheet1', headerRow: true, totalsRow: false, columns: ['Qty', 'Price'] },
    area: { top: 1, left: 0, bottom: 4, right: 1 },
  },
  {
    ...{ name: 'Costs', sheet: 'S3', headerRow: true, totalsRow: true, columns: ['Net', 'Gross'] },
    area: { top: 0, left: 0, bottom: 3, right: 1 },
  },
];

/** Names of existing and of later sheets. Some names are equal in two spellings. */
const SHEETS = ['Sheet1', 'S2', 'S3', 'S4', 'Later', "It's", 'Café', 'Cafe\u0301', 'a:b', ...createNumberedNames(12)];

function createNumberedNames(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `N${i}`);
}

const sheetName = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...SHEETS.slice(0, 9)) },
  { weight: 1, arbitrary: fc.constantFrom(...SHEETS) },
);
const quotedName = sheetName.map((name) => `'${name.replaceAll("'", "''")}'`);
const prefix = fc.oneof(
  { weight: 6, arbitrary: fc.constant('') },
  { weight: 2, arbitrary: quotedName.map((name) => `${name}!`) },
);
const manySheets = fc
  .tuple(sheetName, sheetName)
  .map(([a, b]) => `'${a.replaceAll("'", "''")}:${b.replaceAll("'", "''")}'!`);
const row = fc.integer({ min: 1, max: ROWS });
const dollar = fc.constantFrom('', '$');

const DAY_MS = 24 * 60 * 60 * 1000;

/** A cell in a column to the left of a formula. */
const arbitraryCellLeftOf = (column: number) =>
  fc
    .tuple(dollar, fc.nat(column - 1).map(columnName), dollar, row)
    .map(([a, letter, b, number]) => `${a}${letter}${b}${number}`);

const arbitraryRangeLeftOf = (column: number) =>
  fc
    .tuple(fc.nat(column - 1), fc.nat(column - 1), row, row)
    .map(
      ([a, b, top, bottom]) =>
        `${columnName(Math.min(a, b))}${Math.min(top, bottom)}:${columnName(Math.max(a, b))}${Math.max(top, bottom)}`,
    );

/** Formulas with a single value as result. */
function arbitrarySingleFormula(column: number): fc.Arbitrary<string> {
  const cell = fc.tuple(prefix, arbitraryCellLeftOf(column)).map(([sheet, ref]) => sheet + ref);
  const range = fc.tuple(prefix, arbitraryRangeLeftOf(column)).map(([sheet, ref]) => sheet + ref);
  const number = fc.integer({ min: 1, max: 3 });
  return fc.oneof(
    fc.tuple(cell, fc.constantFrom('+', '*', '-', '&', '='), cell).map(([a, op, b]) => `=${a}${op}${b}`),
    fc.tuple(fc.constantFrom('SUM', 'COUNTA', 'MAX', 'AVERAGE'), range).map(([name, r]) => `=${name}(${r})`),
    fc.tuple(manySheets, arbitraryRangeLeftOf(column)).map(([sheets, r]) => `=SUM(${sheets}${r})`),
    fc.tuple(manySheets, arbitraryCellLeftOf(column)).map(([sheets, c]) => `=COUNT(${sheets}${c};1)`),
    fc.constantFrom('=First', '=SUM(Both)', '=Across', '=Local', '=Ghost', '=Haunted', '=Next(2)', '=Own(3)'),
    quotedName.chain((sheet) => fc.constantFrom(`=${sheet}!Local`, `=${sheet}!First+1`, `=${sheet}!Own(2)`)),
    fc.constantFrom(
      ...['=SUM(Sales[Qty])', '=Sales[@Qty]*2', '=[@Price]&"x"', '=COUNTA(Sales[#Headers])', '=SUM(Costs)'],
      ...['=SUM(Costs[[#Totals],[Net]])', '=[@Net]+1', '=ROWS(Sales)', '=SUM(Sales[[#All],[Qty]:[Price]])'],
    ),
    fc.constantFrom('=SHEETS()', '=SHEET()', '=CELL("filename")', '=INFO("numfile")', '=LET(f;SHEETS;f())', '=TODAY()'),
    quotedName.map((sheet) => `=IFERROR(SHEET(${sheet}!A1);"none")`),
    sheetName.map((name) => `=IFERROR(SHEET("${name}");"none")`),
    cell.chain((c) => fc.constantFrom(`=FORMULATEXT(${c})`, `=ISFORMULA(${c})`, `=CELL("filename";${c})`)),
    fc.tuple(quotedName, arbitraryCellLeftOf(column)).map(([sheet, c]) => `=INDIRECT("${sheet}!${c}")`),
    fc.tuple(cell, number).map(([c, n]) => `=SUM(OFFSET(${c};${n};0;2;1))`),
    range.map((r) => `=SUBTOTAL(109;${r})`),
    range.map((r) => `=AGGREGATE(9;4;${r})`),
    fc.tuple(cell, range).map(([c, r]) => `=IFERROR(VLOOKUP(${c};${r};1;FALSE);"none")`),
    fc.tuple(range, cell).map(([r, c]) => `=SUMIF(${r};${c})`),
    fc.tuple(cell, cell).map(([a, b]) => `=LET(x;${a};IF(x>1;${b};x))`),
    fc.tuple(cell, cell).map(([a, b]) => `=IFERROR(${a}/${b};LAMBDA(y;y&"!")(${a}))`),
    range.map((r) => `=SUM(MAP(${r};LAMBDA(x;N(x)+1)))`),
    quotedName.map((sheet) => `=LET(f;INDIRECT;f("${sheet}!A1"))`),
    fc.tuple(range, fc.constantFrom('SUM', 'COUNTA', 'ROWS')).map(([r, f]) => `=SUM(BYROW(${r};${f}))`),
    fc.tuple(range, range).map(([a, b]) => `=SUM((${a}~${b}))`),
    quotedName.map((sheet) => `=SUM(MAP({"A1"\\"B2"};LAMBDA(a;N(INDIRECT("${sheet}!"&a)))))`),
    fc.tuple(quotedName, fc.nat(column - 1).map(columnName)).map(([sheet, c]) => `=SUM(${sheet}!${c}:${c})`),
  );
}

/** Formulas whose result may spill downwards. */
function arbitrarySpillDownwards(column: number): fc.Arbitrary<string> {
  const range = fc.tuple(prefix, arbitraryRangeLeftOf(column)).map(([sheet, ref]) => sheet + ref);
  const letter = fc.nat(column - 1).map(columnName);
  return fc.oneof(
    arbitrarySingleFormula(column),
    fc.tuple(prefix, fc.nat(column - 1).map(columnName), row, row).chain(([sheet, c, a, b]) => {
      const r = `${sheet}${c}${Math.min(a, b)}:${c}${Math.max(a, b)}`;
      return fc.constantFrom(`=SORT(${r})`, `=${r}*2`, `=FILTER(${r};${r}>1;0)`, `=UNIQUE(${r})`, `=ISFORMULA(${r})`);
    }),
    fc.tuple(prefix, arbitraryCellLeftOf(column)).map(([sheet, c]) => `=SEQUENCE(IFERROR(MOD(${sheet}${c};6);1))`),
    fc.tuple(letter, range).map(([c, r]) => `=IFERROR(${c}1#;SUM(${r}))`),
    fc.constantFrom('=Sales[Qty]', '=Costs[Net]*2', '=INDEX(Both;0;1)', '=SEQUENCE(SHEETS())'),
    letter.map((c) => `=TAKE(${c}:${c};3)`),
  );
}

/** Formulas whose result may spill to the right. */
function arbitrarySpillToRight(column: number): fc.Arbitrary<string> {
  const cell = fc.tuple(prefix, arbitraryCellLeftOf(column)).map(([sheet, ref]) => sheet + ref);
  return fc.oneof(
    fc.tuple(cell, fc.integer({ min: 1, max: 3 })).map(([c, n]) => `=SEQUENCE(1;${n};N(${c}))`),
    cell.map((c) => `=SEQUENCE(1;IFERROR(MOD(${c};4);0)+1)`),
    fc.tuple(prefix, row).map(([sheet, r]) => `=${sheet}A${r}:B${r}*2`),
    fc.tuple(prefix, fc.nat(column - 1).map(columnName)).map(([sheet, c]) => `=TRANSPOSE(${sheet}${c}1:${c}3)`),
    fc.constantFrom('=Sales[#Headers]', '=TRANSPOSE(Costs[Net])', '=Sales[@]', '=Both'),
  );
}

const literal = fc.constantFrom<Input>(
  0,
  1,
  2,
  3,
  5,
  -1,
  46000,
  'text',
  'Qty',
  true,
  '',
  '01.02.2026',
  '5%',
  '09.12.2025',
);

type SheetChange =
  | {
      readonly kind: 'write';
      readonly sheet: number;
      readonly row: number;
      readonly column: number;
      readonly values: Input[][];
    }
  | { readonly kind: 'append'; readonly sheet: number; readonly values: Input[][] }
  | { readonly kind: 'clear' | 'format'; readonly sheet: number; readonly row: number; readonly column: number }
  | { readonly kind: 'add'; readonly name: string }
  | { readonly kind: 'rename'; readonly sheet: number; readonly name: string }
  | { readonly kind: 'delete' | 'hide'; readonly sheet: number };

/** An edit, or an event before the batch. */
type BatchStep = SheetChange | { readonly between: 'restart' | 'exhaust' | 'day' };

const plainCell = { sheet: fc.nat(40), row: fc.nat(ROWS - 1), column: fc.nat(PLAIN - 1) };
const formulaAt = (column: number, first: number, formula: fc.Arbitrary<string>) =>
  fc.record({
    kind: fc.constant('write' as const),
    sheet: fc.nat(40),
    row: fc.constant(first),
    column: fc.constant(column),
    values: formula.map((text): Input[][] => [[text]]),
  });

const step: fc.Arbitrary<BatchStep> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      ...plainCell,
      values: literal.map((value): Input[][] => [[value]]),
    }),
  },
  {
    weight: 9,
    arbitrary: fc
      .tuple(fc.integer({ min: PLAIN, max: PLAIN + SINGLE - 1 }), fc.nat(ROWS - 1))
      .chain(([column, first]) => formulaAt(column, first, arbitrarySingleFormula(column))),
  },
  {
    weight: 3,
    arbitrary: fc.integer({ min: PLAIN, max: PLAIN + SINGLE - 1 }).chain((column) =>
      fc.record({
        kind: fc.constant('write' as const),
        sheet: fc.nat(40),
        row: fc.constant(0),
        column: fc.constant(column),
        values: arbitrarySingleFormula(column).map((text) => createFilledDownInputs(text)),
      }),
    ),
  },
  {
    weight: 6,
    arbitrary: fc
      .integer({ min: PLAIN + SINGLE, max: COLUMNS - 1 })
      .chain((column) => formulaAt(column, 0, arbitrarySpillDownwards(column))),
  },
  { weight: 2, arbitrary: fc.nat(ROWS - 1).chain((first) => formulaAt(ACROSS, first, arbitrarySpillToRight(ACROSS))) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      sheet: fc.nat(40),
      row: fc.constant(0),
      column: fc.constant(ACROSS),
      values: arbitrarySpillToRight(ACROSS).map((text) => createFilledDownInputs(text)),
    }),
  },
  {
    // Blocks arrays that spill downwards, and unblocks them.
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      sheet: fc.nat(40),
      row: fc.integer({ min: 1, max: ROWS }),
      column: fc.integer({ min: PLAIN, max: COLUMNS - 1 }),
      values: fc.constantFrom<Input[][]>([[9]], [['']], [['']]),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('append' as const),
      sheet: fc.nat(40),
      values: literal.map((v): Input[][] => [[v]]),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('clear' as const, 'format' as const),
      ...plainCell,
      column: fc.nat(COLUMNS - 1),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('add' as const), name: sheetName }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('rename' as const), sheet: fc.nat(40), name: sheetName }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('delete' as const, 'hide' as const), sheet: fc.nat(40) }) },
  {
    weight: 2,
    arbitrary: fc.record({ between: fc.constantFrom('restart' as const, 'exhaust' as const, 'day' as const) }),
  },
);

/** Writes into the area of a fixed array formula, which turns it into a dynamic array. */
const INTO_ARRAY: BatchStep = { kind: 'write', sheet: 0, row: 1, column: 2, values: [['']] };

/** A formula filled down. References without `$` move with it. */
function createFilledDownInputs(text: string): Input[][] {
  return Array.from({ length: ROWS - 2 }, (_, i) => [
    text.replaceAll(
      /(?<![A-Za-z"'$])(\$?[A-H])([1-9])(?![0-9A-Za-z])/g,
      (_, letter: string, number: string) => `${letter}${Number(number) + i}`,
    ),
  ]);
}

function getSheet(head: Snapshot, index: number): Sheet {
  return elementAt(head.sheets, index % head.sheets.length);
}

function toEdit(head: Snapshot, next: SheetChange): Edit {
  if (next.kind === 'add') return { kind: 'addSheet', name: next.name };
  const sheet = getSheet(head, next.sheet).id;
  switch (next.kind) {
    case 'write':
      return { kind: 'setValues', sheet, row: next.row, column: next.column, values: next.values, mode: 'user' };
    case 'append':
      return { kind: 'append', sheet, column: 0, values: next.values, mode: 'user' };
    case 'clear':
    case 'format': {
      const area = { top: next.row, left: next.column, bottom: next.row + 1, right: next.column };
      return next.kind === 'clear'
        ? { kind: 'clear', sheet, area }
        : { kind: 'setFormat', sheet, area, format: '0.00' };
    }
    case 'rename':
      return { kind: 'renameSheet', sheet, name: next.name };
    case 'delete':
      return { kind: 'deleteSheet', sheet };
    case 'hide':
      return { kind: 'hideSheet', sheet, hidden: !getSheet(head, next.sheet).hidden };
  }
}

function createBook(isLarge: boolean): Book {
  const table = { A1: 1, B1: 2, A2: 'Qty', B2: 'Price', A3: 3, B3: 4, A4: 5, B4: 6 };
  const array = { value: null, formula: 'A1:A3*2', array: { top: 0, left: 2, bottom: 3, right: 2 } };
  const extraSheets = isLarge
    ? Array.from({ length: 20 }, (_, i) => [`M${i}`, { A1: i, F1: '=SEQUENCE(3,1,A1)' }])
    : [];
  return Book.fromFile({
    names: NAMES,
    tables: TABLES,
    sheets: {
      Sheet1: { ...table, C1: array, D1: { value: null, formula: 'A1:A3' }, D2: { value: null, formula: 'A1:A3' } },
      S2: { A1: 7, B2: 8, C1: '=Local', D1: '=SUM(Sheet1:S4!A1)' },
      S3: { A1: 'Net', B1: 'Gross', A2: 1, B2: 2, A4: '=SUBTOTAL(109,Costs[Net])' },
      S4: { A1: 10, B1: '=First' },
      ...Object.fromEntries(extraSheets),
    },
  });
}

/** The parts of a document other than its cells. */
function describeDocumentParts({ names, tables, hasClock, sheets }: Snapshot): unknown {
  return { names, tables, hasClock, hidden: sheets.map((sheet) => sheet.hidden) };
}

function recalculate(book: Book): Snapshot {
  const fresh = Workbook.open(storeAndRestore(book.head));
  const outcome = fresh.apply([{ kind: 'recalculate', everything: true }], book.context);
  assert.equal(outcome.kind, 'applied');
  return fresh.head;
}

function exportAndImport(book: Book): Snapshot {
  const workbook = Workbook.import(exportData(book.head), book.context);
  assert.ok(workbook instanceof Workbook);
  return workbook.head;
}

function removeIds(sheets: unknown): unknown {
  return (sheets as { id: number }[]).map(({ id: _, ...rest }) => rest);
}

/** A book, and replicas in another process and thread that receive every change. */
class ReplicatedBook {
  readonly book: Book;
  private replica: Snapshot;
  private threadCopy = new ThreadCopy();
  /** The inverse of each batch so far. */
  readonly inverses: Uint8Array[] = [];
  /** The visible state before each batch. */
  readonly states: unknown[] = [];

  constructor(book: Book) {
    this.book = book;
    this.replica = storeAndRestore(book.head);
    this.threadCopy.receiveChange(book.head);
  }

  perform(batch: readonly BatchStep[]): void {
    const { book } = this;
    const edits: Edit[] = [];
    for (const next of batch) {
      if ('between' in next) this.runEvent(next.between);
      else edits.push(toEdit(book.head, next));
    }
    this.apply(edits);
  }

  apply(edits: readonly Edit[]): void {
    const { book } = this;
    this.states.push(describeVisibleState(book.head));
    const outcome = book.tryEdits(edits);
    const batch = outcome.kind === 'applied' ? outcome : book.apply([{ kind: 'recalculate' }]);
    this.inverses.push(encodeInverse(batch.change));
    this.replica = applyDelta(this.replica, encodeDelta(batch.change));
    this.threadCopy.receiveChange(book.head);
  }

  private runEvent(event: 'restart' | 'exhaust' | 'day'): void {
    const { book } = this;
    if (event === 'restart') this.restart();
    else if (event === 'exhaust') this.exceedBudget();
    else book.context = { ...book.context, now: book.context.now + DAY_MS };
  }

  private restart(): void {
    this.book.workbook = Workbook.open(storeAndRestore(this.book.head));
    this.replica = storeAndRestore(this.replica);
    // A reopened document renumbers its formats, so its threads need a complete copy.
    this.threadCopy = new ThreadCopy();
  }

  /** Attempts a batch that exceeds its budget. Afterwards the document must be as before. */
  private exceedBudget(): void {
    const { context } = this.book;
    this.book.context = createContext({ budget: { cells: 12, milliseconds: 1, clock: () => 0 } });
    this.book.tryEdits([
      this.book.write('A1', 77),
      { kind: 'addSheet', name: 'Later' },
      this.book.write('C1', '=SUM(SEQUENCE(99))'),
    ]);
    this.book.context = context;
  }

  /** Asserts that all replicas, a full recalculation and an export have the same contents. */
  check(): void {
    const { head } = this.book;
    const expected = describeContents(head);
    for (const copy of [this.replica, this.threadCopy.snapshot as Snapshot, recalculate(this.book)]) {
      assert.deepEqual(describeContents(copy), expected);
      assert.deepEqual(describeDocumentParts(copy), describeDocumentParts(head));
    }
    assert.deepEqual(removeIds(describeValues(exportAndImport(this.book))), removeIds(describeValues(head)));
  }
}

function describeVisibleState(head: Snapshot): unknown {
  return { sheets: describeContents(head), ...(describeDocumentParts(head) as object) };
}

/** Undoes batches from the last to the first, and asserts the state after each undo. */
function undoAll(copies: ReplicatedBook, inverses: readonly Uint8Array[], states: readonly unknown[]): void {
  for (let i = inverses.length - 1; i >= 0; i--) {
    copies.apply([{ kind: 'takeBack', inverse: elementAt(inverses, i), locked: [] }]);
    assert.deepEqual(describeVisibleState(copies.book.head), states[i]);
  }
}

describe('a workbook with names, tables and many sheets', () => {
  it('has the same values after any history in replicas, after a full recalculation, and after export and import', () => {
    const histories = fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(fc.nat(9), histories, (size, batches) => {
        const copies = new ReplicatedBook(createBook(size === 0));
        for (const batch of batches) {
          copies.perform(batch);
          copies.check();
        }
      }),
      { numRuns: scaleRunCount(40) },
    );
  });

  it('returns to each state after undoing all batches, and after redoing them', () => {
    const change = step.filter((next) => !('between' in next && next.between === 'day'));
    const histories = fc.array(fc.array(change, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(histories, (batches) => {
        const copies = new ReplicatedBook(createBook(false));
        for (const batch of batches) copies.perform(batch);
        const last = describeVisibleState(copies.book.head);
        const { inverses, states } = copies;
        const [inversesBefore, statesBefore] = [inverses.slice(), states.slice()];
        undoAll(copies, inversesBefore, statesBefore);
        undoAll(copies, inverses.slice(inversesBefore.length), states.slice(inversesBefore.length));
        assert.deepEqual(describeVisibleState(copies.book.head), last);
        copies.check();
      }),
      { numRuns: scaleRunCount(20), examples: [[[[INTO_ARRAY]]]] },
    );
  });

  it('can be restored to any stored state', () => {
    const change = step.filter((next) => !('between' in next && next.between === 'day'));
    const histories = fc.array(fc.array(change, { minLength: 1, maxLength: 3 }), { minLength: 2, maxLength: 6 });
    fc.assert(
      fc.property(histories, (batches) => {
        const copies = new ReplicatedBook(createBook(false));
        const checkpoints = batches.map((batch) => {
          const state = encodeCheckpoint(copies.book.head, -1);
          copies.perform(batch);
          return state;
        });
        const expected = copies.states.slice(0, checkpoints.length);
        for (const [i, state] of checkpoints.entries()) {
          copies.apply([{ kind: 'restore', state, locked: [] }]);
          assert.deepEqual(describeVisibleState(copies.book.head), expected[i]);
          copies.check();
        }
      }),
      { numRuns: 8 },
    );
  });
});
