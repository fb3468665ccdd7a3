import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { columnName } from '../../src/grid/a1.ts';
import {
  applyDelta,
  type Edit,
  encodeDelta,
  exportData,
  type Input,
  type NameData,
  type Sheet,
  type Snapshot,
  type TableData,
  Workbook,
} from '../../src/index.ts';
import { Book, contextWith, storedAndRestored, values } from './dialect.ts';

/*
 * Every sheet is laid out alike, so that neither circles nor arrays that want the same cells make results depend on the
 * order of edits: columns A and B hold plain values, each further one formulas that read columns to its left, on any
 * sheet. Arrays spill downwards from the first row of the last columns.
 */
const PLAIN = 2;
const SINGLE = 3;
const SPILLING = 3;
const COLUMNS = PLAIN + SINGLE + SPILLING;
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

/** Sheets that are there at the beginning or may come; some are one name in two spellings. */
const SHEETS = ['Sheet1', 'S2', 'S3', 'S4', 'Later', "It's", 'Café', 'Cafe\u0301', 'a:b', ...numbered(12)];

function numbered(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `N${i}`);
}

const sheetName = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...SHEETS.slice(0, 9)) },
  { weight: 1, arbitrary: fc.constantFrom(...SHEETS) },
);
const quoted = sheetName.map((name) => `'${name.replaceAll("'", "''")}'`);
const prefix = fc.oneof(
  { weight: 6, arbitrary: fc.constant('') },
  { weight: 2, arbitrary: quoted.map((name) => `${name}!`) },
);
const manySheets = fc
  .tuple(sheetName, sheetName)
  .map(([a, b]) => `'${a.replaceAll("'", "''")}:${b.replaceAll("'", "''")}'!`);
const row = fc.integer({ min: 1, max: ROWS });
const dollar = fc.constantFrom('', '$');

/** A cell of a column to the left of a formula's own. */
const cellLeftOf = (column: number) =>
  fc
    .tuple(dollar, fc.nat(column - 1).map(columnName), dollar, row)
    .map(([a, letter, b, number]) => `${a}${letter}${b}${number}`);

const rangeLeftOf = (column: number) =>
  fc
    .tuple(fc.nat(column - 1), fc.nat(column - 1), row, row)
    .map(
      ([a, b, top, bottom]) =>
        `${columnName(Math.min(a, b))}${Math.min(top, bottom)}:${columnName(Math.max(a, b))}${Math.max(top, bottom)}`,
    );

/** Formulas whose result is one value. */
function single(column: number): fc.Arbitrary<string> {
  const cell = fc.tuple(prefix, cellLeftOf(column)).map(([sheet, ref]) => sheet + ref);
  const range = fc.tuple(prefix, rangeLeftOf(column)).map(([sheet, ref]) => sheet + ref);
  const number = fc.integer({ min: 1, max: 3 });
  return fc.oneof(
    fc.tuple(cell, fc.constantFrom('+', '*', '-', '&', '='), cell).map(([a, op, b]) => `=${a}${op}${b}`),
    fc.tuple(fc.constantFrom('SUM', 'COUNTA', 'MAX', 'AVERAGE'), range).map(([name, r]) => `=${name}(${r})`),
    fc.tuple(manySheets, rangeLeftOf(column)).map(([sheets, r]) => `=SUM(${sheets}${r})`),
    fc.tuple(manySheets, cellLeftOf(column)).map(([sheets, c]) => `=COUNT(${sheets}${c};1)`),
    fc.constantFrom('=First', '=SUM(Both)', '=Across', '=Local', '=Ghost', '=Haunted', '=Next(2)', '=Own(3)'),
    quoted.chain((sheet) => fc.constantFrom(`=${sheet}!Local`, `=${sheet}!First+1`, `=${sheet}!Own(2)`)),
    fc.constantFrom(
      ...['=SUM(Sales[Qty])', '=Sales[@Qty]*2', '=[@Price]&"x"', '=COUNTA(Sales[#Headers])', '=SUM(Costs)'],
      ...['=SUM(Costs[[#Totals],[Net]])', '=[@Net]+1', '=ROWS(Sales)', '=SUM(Sales[[#All],[Qty]:[Price]])'],
    ),
    fc.constantFrom('=SHEETS()', '=SHEET()', '=CELL("filename")', '=INFO("numfile")', '=LET(f;SHEETS;f())', '=TODAY()'),
    quoted.map((sheet) => `=IFERROR(SHEET(${sheet}!A1);"none")`),
    sheetName.map((name) => `=IFERROR(SHEET("${name}");"none")`),
    cell.chain((c) => fc.constantFrom(`=FORMULATEXT(${c})`, `=ISFORMULA(${c})`, `=CELL("filename";${c})`)),
    fc.tuple(quoted, cellLeftOf(column)).map(([sheet, c]) => `=INDIRECT("${sheet}!${c}")`),
    fc.tuple(cell, number).map(([c, n]) => `=SUM(OFFSET(${c};${n};0;2;1))`),
    range.map((r) => `=SUBTOTAL(109;${r})`),
    range.map((r) => `=AGGREGATE(9;4;${r})`),
    fc.tuple(cell, range).map(([c, r]) => `=IFERROR(VLOOKUP(${c};${r};1;FALSE);"none")`),
    fc.tuple(range, cell).map(([r, c]) => `=SUMIF(${r};${c})`),
    fc.tuple(cell, cell).map(([a, b]) => `=LET(x;${a};IF(x>1;${b};x))`),
    fc.tuple(cell, cell).map(([a, b]) => `=IFERROR(${a}/${b};LAMBDA(y;y&"!")(${a}))`),
    range.map((r) => `=SUM(MAP(${r};LAMBDA(x;N(x)+1)))`),
    fc.tuple(range, range).map(([a, b]) => `=SUM((${a}~${b}))`),
    quoted.map((sheet) => `=SUM(MAP({"A1"\\"B2"};LAMBDA(a;N(INDIRECT("${sheet}!"&a)))))`),
    fc.tuple(quoted, fc.nat(column - 1).map(columnName)).map(([sheet, c]) => `=SUM(${sheet}!${c}:${c})`),
  );
}

/** Formulas whose result may run down. */
function spilling(column: number): fc.Arbitrary<string> {
  const range = fc.tuple(prefix, rangeLeftOf(column)).map(([sheet, ref]) => sheet + ref);
  const letter = fc.nat(column - 1).map(columnName);
  return fc.oneof(
    single(column),
    fc.tuple(prefix, fc.nat(column - 1).map(columnName), row, row).chain(([sheet, c, a, b]) => {
      const r = `${sheet}${c}${Math.min(a, b)}:${c}${Math.max(a, b)}`;
      return fc.constantFrom(`=SORT(${r})`, `=${r}*2`, `=FILTER(${r};${r}>1;0)`, `=UNIQUE(${r})`, `=ISFORMULA(${r})`);
    }),
    fc.tuple(prefix, cellLeftOf(column)).map(([sheet, c]) => `=SEQUENCE(IFERROR(MOD(${sheet}${c};6);1))`),
    fc.tuple(letter, range).map(([c, r]) => `=IFERROR(${c}1#;SUM(${r}))`),
    fc.constantFrom('=Sales[Qty]', '=Costs[Net]*2', '=INDEX(Both;0;1)', '=SEQUENCE(SHEETS())'),
    letter.map((c) => `=TAKE(${c}:${c};3)`),
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

type Step =
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
  | { readonly kind: 'delete' | 'hide'; readonly sheet: number }
  | { readonly kind: 'restart' };

const place = { sheet: fc.nat(40), row: fc.nat(ROWS - 1), column: fc.nat(PLAIN - 1) };
const filled = (column: number, first: number, formula: fc.Arbitrary<string>) =>
  fc.record({
    kind: fc.constant('write' as const),
    sheet: fc.nat(40),
    row: fc.constant(first),
    column: fc.constant(column),
    values: formula.map((text): Input[][] => [[text]]),
  });

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      ...place,
      values: literal.map((value): Input[][] => [[value]]),
    }),
  },
  {
    weight: 9,
    arbitrary: fc
      .tuple(fc.integer({ min: PLAIN, max: PLAIN + SINGLE - 1 }), fc.nat(ROWS - 1))
      .chain(([column, first]) => filled(column, first, single(column))),
  },
  {
    weight: 3,
    arbitrary: fc.integer({ min: PLAIN, max: PLAIN + SINGLE - 1 }).chain((column) =>
      fc.record({
        kind: fc.constant('write' as const),
        sheet: fc.nat(40),
        row: fc.constant(0),
        column: fc.constant(column),
        values: single(column).map((text) => filledDown(text)),
      }),
    ),
  },
  {
    weight: 6,
    arbitrary: fc
      .integer({ min: PLAIN + SINGLE, max: COLUMNS - 1 })
      .chain((column) => filled(column, 0, spilling(column))),
  },
  {
    // In the way of what runs down, and out of it again.
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
      ...place,
      column: fc.nat(COLUMNS - 1),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('add' as const), name: sheetName }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('rename' as const), sheet: fc.nat(40), name: sheetName }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('delete' as const, 'hide' as const), sheet: fc.nat(40) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
);

/** The formula in each of the rows, its references without `$` moved down with it. */
function filledDown(text: string): Input[][] {
  return Array.from({ length: ROWS - 2 }, (_, i) => [
    text.replaceAll(
      /(?<![A-Za-z"'$])(\$?[A-H])([1-9])(?![0-9A-Za-z])/g,
      (_, letter: string, number: string) => `${letter}${Number(number) + i}`,
    ),
  ]);
}

function sheetAt(head: Snapshot, index: number): Sheet {
  return head.sheets[index % head.sheets.length] as Sheet;
}

function editOf(head: Snapshot, next: Exclude<Step, { kind: 'restart' }>): Edit {
  if (next.kind === 'add') return { kind: 'addSheet', name: next.name };
  const sheet = sheetAt(head, next.sheet).id;
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
      return { kind: 'hideSheet', sheet, hidden: !sheetAt(head, next.sheet).hidden };
  }
}

function start(): Book {
  const table = { A1: 1, B1: 2, A2: 'Qty', B2: 'Price', A3: 3, B3: 4, A4: 5, B4: 6 };
  return Book.of({
    names: NAMES,
    tables: TABLES,
    sheets: {
      Sheet1: table,
      S2: { A1: 7, B2: 8, C1: '=Local', D1: '=SUM(Sheet1:S4!A1)' },
      S3: { A1: 'Net', B1: 'Gross', A2: 1, B2: 2, A4: '=SUBTOTAL(109,Costs[Net])' },
      S4: { A1: 10, B1: '=First' },
    },
  });
}

function fromScratch(head: Snapshot): unknown {
  const fresh = Workbook.open(storedAndRestored(head));
  const applied = fresh.apply([{ kind: 'recalculate', everything: true }], contextWith());
  assert.equal(applied.kind, 'applied');
  return values(fresh.head);
}

function imported(head: Snapshot): unknown {
  const workbook = Workbook.import(exportData(head), contextWith());
  assert.ok(workbook instanceof Workbook);
  return withoutIds(values(workbook.head));
}

function withoutIds(sheets: unknown): unknown {
  return (sheets as { id: number }[]).map(({ id: _, ...rest }) => rest);
}

describe('a workbook with names, tables and many sheets', () => {
  it('holds after any history what it holds calculated anew, repeated elsewhere, and read from a file', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 14 }),
        (batches) => {
          const book = start();
          let replica = storedAndRestored(book.head);
          for (const batch of batches) {
            const steps = batch.filter((next) => next.kind !== 'restart');
            if (steps.length < batch.length) {
              book.workbook = Workbook.open(storedAndRestored(book.head));
              replica = storedAndRestored(replica);
            }
            const applied = book.try(steps.map((next) => editOf(book.head, next)));
            if (applied.kind === 'refusal') continue;
            replica = applyDelta(replica, encodeDelta(applied.change));
            const held = values(book.head);
            assert.deepEqual(values(replica), held);
            assert.deepEqual(fromScratch(book.head), held);
            assert.deepEqual(imported(book.head), withoutIds(held));
          }
        },
      ),
      { numRuns: Number(process.env['RUNS'] ?? 100) },
    );
  });
});
