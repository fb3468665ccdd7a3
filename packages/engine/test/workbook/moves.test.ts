import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { scaleRunCount } from '../../../../test/depth.ts';
import {
  type Axis,
  cellText,
  cellView,
  type Edit,
  encodeInverse,
  type Input,
  type Move,
  parseArea,
  type Snapshot,
  type Span,
  Workbook,
} from '../../src/index.ts';
import {
  Book,
  createContext,
  describeContents,
  describeValues,
  replayBatch,
  StoredDocument,
  storeAndRestore,
  ThreadCopy,
} from './book.ts';
import { parseMove } from './parse-move.ts';

/** A move (see `parseMove`), and the formulas after it by their new cells. */
interface MoveExample {
  readonly title: string;
  readonly cells: Readonly<Record<string, string | number>>;
  readonly move: string;
  readonly formulas: Readonly<Record<string, string>>;
  readonly values?: Readonly<Record<string, string | number | boolean | null>>;
}

const NUMBERS: Readonly<Record<string, string | number>> = {
  A1: 1,
  A2: 2,
  A3: 3,
  A4: 4,
  A5: 5,
  B1: 10,
  B2: 20,
  B3: 30,
};

const EXAMPLES: readonly MoveExample[] = [
  {
    title: 'references below inserted rows move, those above stay',
    cells: { ...NUMBERS, D1: '=A1+A3', D4: '=$A$4*A1' },
    move: 'insert rows 2 1',
    formulas: { D1: '=A1+A4', D5: '=$A$5*A1' },
    values: { D1: 4, D5: 4, A4: 3, A2: null },
  },
  {
    title: '3-D references stay, and read the cells that moved there',
    cells: {
      A3: 5,
      A4: 7,
      C4: '=SUM(Sheet1:Other!A1:B4)',
      D4: '=SUM(Sheet1:Other!A1:D4)',
      E9: '=SUM(Sheet1:Other!A4)',
    },
    move: 'insert rows 1 1',
    formulas: { C5: '=SUM(Sheet1:Other!A1:B4)', D5: '=SUM(Sheet1:Other!A1:D4)', E10: '=SUM(Sheet1:Other!A4)' },
    values: { C5: 5, D5: 5, E10: 5 },
  },
  {
    title: 'insertion inside a range extends it, insertion before or after it does not',
    cells: { ...NUMBERS, D1: '=SUM(A2:A4)', E1: '=SUM(A1:A2)', F1: '=SUM(A3:A5)', G1: '=ROWS(A2:A4)' },
    move: 'insert rows 3 2',
    formulas: { D1: '=SUM(A2:A6)', E1: '=SUM(A1:A2)', F1: '=SUM(A5:A7)', G1: '=ROWS(A2:A6)' },
    values: { D1: 9, E1: 3, F1: 12, G1: 5 },
  },
  {
    title: 'deletion shortens a range, and a completely deleted range is #REF!',
    cells: { ...NUMBERS, D1: '=SUM(A1:A3)', E1: '=SUM(A2:A5)', F1: '=A2+1', G1: '=SUM(A2:A3)' },
    move: 'delete rows 2 2',
    formulas: { D1: '=SUM(A1:A1)', E1: '=SUM(A2:A3)', F1: '=#REF!+1', G1: '=SUM(#REF!)' },
    values: { D1: 1, E1: 9, F1: '#REF!', G1: '#REF!' },
  },
  {
    title: 'whole columns and open areas keep their open sides',
    cells: { ...NUMBERS, D1: '=SUM(A:A)', E1: '=SUM(A2:A)', F5: '=SUM(3:3)', G1: '=MATCH(3;A:A;0)' },
    move: 'insert rows 2 1',
    formulas: { D1: '=SUM(A:A)', E1: '=SUM(A3:A)', F6: '=SUM(4:4)', G1: '=MATCH(3;A:A;0)' },
    values: { D1: 15, E1: 14, F6: 33, G1: 4 },
  },
  {
    title: 'an open area that begins in the first row is not a whole column: its first row moves',
    cells: { ...NUMBERS, D1: '=SUM(A1:A)', E1: '=SUM(A:A)' },
    move: 'insert rows 1 1',
    formulas: { D2: '=SUM(A2:A)', E2: '=SUM(A:A)' },
    values: { D2: 15, E2: 15 },
  },
  {
    title: 'an open area whose first row becomes row 1 stays an open area',
    cells: { ...NUMBERS, D3: '=SUM(A2:A)' },
    move: 'delete rows 1 1',
    formulas: { D2: '=SUM(A1:A)' },
    values: { D2: 14 },
  },
  {
    title: 'inserted columns move references to the right',
    cells: { ...NUMBERS, D1: '=A1+B1', E1: '=SUM(A1:B3)', F1: '=SUM(B:B)', G1: '=SUM(1:1)*0+1', H9: '=$B$2' },
    move: 'insert columns B 1',
    formulas: { E1: '=A1+C1', F1: '=SUM(A1:C3)', G1: '=SUM(C:C)', I9: '=$C$2' },
    values: { E1: 11, F1: 66, G1: 60, I9: 20, C2: 20, B2: null },
  },
  {
    title: 'references to deleted columns are #REF!',
    cells: { ...NUMBERS, D1: '=A1+B1', E1: '=SUM(A1:B3)', F1: '=SUM(B:B)' },
    move: 'delete columns B 1',
    formulas: { C1: '=A1+#REF!', D1: '=SUM(A1:A3)', E1: '=SUM(#REF!)' },
    values: { C1: '#REF!', D1: 6, E1: '#REF!' },
  },
  {
    title: 'references to moved rows follow them, and ranges around them stay',
    cells: { ...NUMBERS, D9: '=A2', E9: '=SUM(A1:A5)', F9: '=A4', G9: '=SUM(A2:A3)', H9: '=SUM(A3:A4)' },
    move: 'reorder rows 2 2 6',
    formulas: { D9: '=A4', E9: '=SUM(A1:A5)', F9: '=A2', G9: '=SUM(A4:A5)' },
    values: { A2: 4, A3: 5, A4: 2, A5: 3, D9: 2, E9: 15, F9: 4, G9: 5 },
  },
  {
    title: 'rows that move out of a range shorten it',
    cells: { ...NUMBERS, D1: '=SUM(A1:A5)' },
    move: 'reorder rows 3 2 10',
    formulas: { D1: '=SUM(A1:A3)' },
    values: { D1: 8, A8: 3, A9: 4 },
  },
  {
    title: 'references follow columns that change places',
    cells: { ...NUMBERS, C1: 100, E1: '=A1+B1+C1', F1: '=SUM(A1:C1)' },
    move: 'reorder columns A 1 D',
    formulas: { E1: '=C1+A1+B1', F1: '=SUM(A1:C1)' },
    values: { A1: 10, B1: 100, C1: 1, E1: 111, F1: 111 },
  },
  {
    title: 'inserted cells shift only the cells below them',
    cells: { ...NUMBERS, D1: '=A3', E1: '=B3', F1: '=SUM(A2:A4)', G1: '=SUM(A2:B4)' },
    move: 'insert rows 2 1 across A',
    formulas: { D1: '=A4', E1: '=B3', F1: '=SUM(A3:A5)', G1: '=SUM(A2:B4)' },
    values: { D1: 3, E1: 30, F1: 9, G1: 55, A6: 5 },
  },
  {
    title: 'cells that are deleted let those to the right come nearer, in their rows alone',
    cells: { ...NUMBERS, C2: 200, D5: '=C2', E5: '=B1', F5: '=B2', G5: '=SUM(A2:C2)' },
    move: 'delete columns B 1 across 2',
    formulas: { D5: '=B2', E5: '=B1', F5: '=#REF!', G5: '=SUM(A2:B2)' },
    values: { B2: 200, B1: 10, D5: 200, G5: 202 },
  },
  {
    title: 'references follow cells that are cut, and lose those that these overwrite',
    cells: { ...NUMBERS, D1: '=A1', E1: '=A3', F1: '=SUM(A1:A2)', G1: '=SUM(A1:A5)', C2: '=A2' },
    move: 'carry A1:A2 Sheet1 A3',
    formulas: { D1: '=A3', E1: '=#REF!', F1: '=SUM(A3:A4)', G1: '=SUM(A1:A5)', C2: '=A4' },
    values: { A1: null, A3: 1, A4: 2, D1: 1, F1: 3, G1: 8 },
  },
  {
    title: 'a formula that is cut to another sheet reads the cells that it read',
    cells: { ...NUMBERS, D1: '=A1+$A$2', D2: '=D1*2', 'Other!B1': '=Sheet1!D1' },
    move: 'carry D1:D1 Other C3',
    formulas: { 'Other!C3': '=Sheet1!A1+Sheet1!$A$2', D2: '=Other!C3*2', 'Other!B1': '=Other!C3' },
    values: { 'Other!C3': 3, D2: 6, 'Other!B1': 3, D1: null },
  },
  {
    title: 'what tells where cells stand is calculated anew',
    cells: { ...NUMBERS, D1: '=ROW(A3)', D4: '=ROW()', E1: '=FORMULATEXT(D4)', F1: '=COLUMN(B3)' },
    move: 'insert rows 2 3',
    formulas: { D1: '=ROW(A6)', D7: '=ROW()', E1: '=FORMULATEXT(D7)' },
    values: { D1: 6, D7: 7, E1: '=ROW()', F1: 2 },
  },
  {
    title: 'array formulas that a row cuts through fill their area anew',
    cells: { D1: '=SEQUENCE(4)', E1: '=SUM(D1#)', F1: '=SUM(D1:D4)' },
    move: 'insert rows 3 1',
    formulas: { D1: '=SEQUENCE(4)', E1: '=SUM(D1#)', F1: '=SUM(D1:D5)' },
    values: { D3: 3, D4: 4, D5: null, E1: 10, F1: 10 },
  },
  {
    title: 'array formulas move with their areas',
    cells: { D3: '=SEQUENCE(3)', E1: '=D5' },
    move: 'insert rows 2 2',
    formulas: { D5: '=SEQUENCE(3)', E1: '=D7' },
    values: { D5: 1, D6: 2, D7: 3, D8: null, E1: 3 },
  },
  {
    title: 'array formulas that were in the way of another let it come',
    cells: { D1: '=SEQUENCE(3)', D2: 'here' },
    move: 'delete rows 2 1',
    formulas: { D1: '=SEQUENCE(3)' },
    values: { D1: 1, D2: 2, D3: 3 },
  },
];

describe('cells that change places', () => {
  for (const { title, cells, move, formulas, values: results = {} } of EXAMPLES) {
    it(title, () => {
      const book = new Book();
      book.addSheet('Other');
      for (const [at, input] of Object.entries(cells)) book.set(at, input);
      const before = storeAndRestore(book.head);
      const batch = book.apply([createMoveEdit(book, move)]);
      for (const [at, text] of Object.entries(formulas)) assert.equal(book.formula(at), text, at);
      for (const [at, value] of Object.entries(results)) assert.equal(book.plainValue(at), value, at);
      assert.deepEqual(describeContents(replayBatch(batch, before)), describeContents(book.head));
      assert.deepEqual(describeContents(storeAndRestore(book.head)), describeContents(book.head));
    });
  }

  it('keep references to missing sheets, which work when the sheets are added', () => {
    const book = new Book();
    book.addSheet('Other');
    const formulas = ['=Other!B2', '=SUM(Other!B$2:B8)', '=Later!B2', '=SUM(Sheet1:Sheet1!B9)'];
    book.set('A1', [formulas, [0, 0, 0, 0], formulas]);
    const { change } = book.deleteSheet('Other');
    const insert = createMoveEdit(book, 'insert rows 1 2');
    // A refused batch and a preview change the graph temporarily. The following edits must still be correct.
    assert.equal(book.tryEdits([createMoveEdit(book, 'insert rows 1048576 1')]).kind, 'applied');
    assert.equal(book.workbook.preview([insert], createContext()).kind, 'applied');
    book.apply([insert]);
    book.apply([{ kind: 'takeBack', inverse: encodeInverse(change), locked: [] }]);
    book.addSheet('Later');
    for (const row of [3, 5]) {
      const actual = ['A', 'B', 'C', 'D'].map((column) => book.formula(`${column}${row}`));
      assert.deepEqual(actual, formulas);
    }
  });

  it('record only existing cells when all rows of a sheet with two distant cells are deleted', () => {
    const book = new Book();
    book.set('A1048576', 'low');
    book.set('XFD3', 'right');
    const { change } = book.apply([createMoveEdit(book, 'delete rows 1 1048576')]);
    const inverse = encodeInverse(change);
    assert.ok(inverse.length < 10_000, `${inverse.length} bytes`);
    assert.deepEqual(book.head.sheets[0]?.extent(), { rows: 0, columns: 0 });
    book.apply([{ kind: 'takeBack', inverse, locked: [] }]);
    assert.deepEqual([book.plainValue('A1048576'), book.plainValue('XFD3')], ['low', 'right']);
  });

  const CUT: readonly (readonly [title: string, cut: string, deletedSheet: string])[] = [
    ['from a sheet that the batch then deletes', 'carry A1:B2 Other C1', 'Sheet1'],
    ['to a sheet that the batch then deletes', 'carry A1:B2 Other C1', 'Other'],
    ['to a sheet that the batch adds and then deletes', 'carry A1:B2 Between B1', 'Between'],
  ];
  for (const [title, cut, deletedSheet] of CUT) {
    it(`are restored with their references by undoing a cut ${title}`, () => {
      const book = new Book();
      book.addSheet('Other');
      book.apply([
        book.write('A1', [
          [1, '=A2+1'],
          ['=SUM(Other!A1:B9)', '=NOT(A3)'],
        ]),
        book.write('A3', [['=A1', '=SUM(A:A)']]),
        book.write('Other!A1', [
          ['=Sheet1!A1', 5, 'old', '=SUM(near)'],
          ['=Sheet1!B2', '=COUNTA(A1:D1)', 'older'],
        ]),
        { kind: 'setName', name: 'near', refersTo: '=Sheet1!$A$1:$A$2' },
      ]);
      const before = describeContents(book.head);
      const between = book.head.nextSheetId;
      const sheetId = (name: string) => (name === 'Between' ? between : book.sheetId(name));
      const { change } = book.apply([
        { kind: 'addSheet', name: 'Between' },
        createMoveEdit(book, 'insert rows 1 1'),
        { kind: 'moveCells', move: parseMove(cut, sheetId) },
        { kind: 'deleteSheet', sheet: sheetId(deletedSheet) },
      ]);
      const after = describeContents(book.head);
      const back = book.apply([{ kind: 'takeBack', inverse: encodeInverse(change), locked: [] }]);
      assert.deepEqual(describeContents(book.head), before);
      book.apply([{ kind: 'takeBack', inverse: encodeInverse(back.change), locked: [] }]);
      assert.deepEqual(describeContents(book.head), after);
    });
  }

  it('keep values that the same batch writes before and after the move', () => {
    const book = new Book();
    const texts = Array.from({ length: 60 }, (_, i) => [`text ${i}`]);
    const otherRows = Array.from({ length: 60 }, (_, i) => [`other ${i}`]);
    book.apply([
      book.write('A1', texts),
      createMoveEdit(book, 'insert columns A 1'),
      book.write('B1', otherRows),
      { kind: 'duplicateSheet', sheet: book.sheetId('Sheet1'), name: 'Copy' },
      book.write('B1', texts),
    ]);
    assert.deepEqual([book.grid('B1:B60'), book.grid('Copy!B1:B60')], [texts, otherRows]);
    assert.deepEqual(describeContents(storeAndRestore(book.head)), describeContents(book.head));
  });
});

function createMoveEdit(book: Book, text: string): Edit {
  return { kind: 'moveCells', move: parseMove(text, (name) => book.sheetId(name)) };
}

/** Moves stay in a small corner of the grid, so that they affect formulas, arrays and each other. */
const ROWS = 8;
const COLUMNS = 5;
const cell = fc
  .record({ row: fc.nat(ROWS - 1), column: fc.nat(COLUMNS - 1) })
  .map(({ row, column }) => cellText(row, column));
const absoluteReference = cell.map((at) => `$${at[0]}$${at.slice(1)}`);
const range = fc.tuple(cell, cell).map(([a, b]) => `${a}:${b}`);
const growingRange = fc.tuple(cell, cell).map(([a, b]) => `${a[0]}$${a.slice(1)}:${b}`);
const any = fc.oneof(
  cell,
  absoluteReference,
  cell.map((at) => `Other!${at}`),
  cell.map((at) => `Sheet1!${at}`),
);
const formula = fc.oneof(
  fc.tuple(any, any).map(([a, b]) => `=${a}+${b}`),
  fc.oneof(range, growingRange, fc.constantFrom('B:B', '3:3', 'C2:D', 'Other!A1:C3')).map((r) => `=SUM(${r})`),
  range.map((r) => `=ROWS(${r})*COLUMNS(${r})`),
  cell.map((a) => `=ROW(${a})+COLUMN()`),
  cell.map((a) => `=FORMULATEXT(${a})`),
  range.map((r) => `=COUNTBLANK(${r})`),
  range.map((r) => `=MATCH(2;${r};0)`),
);
const spillingFormula = fc.oneof(formula, fc.constantFrom('=SEQUENCE(2)', '=SEQUENCE(1;2)', '=B1:B3*2'));
const input = fc.oneof(fc.constantFrom<Input>(1, 2, 5, 'text', true, ''), formula);

const tableFormula = fc.oneof(
  input,
  fc.constantFrom<Input>('Qty', '=SUM(Sales[Qty])', '=SUM(Sales)', '=ROWS(Sales[#All])', '=[@Column2]+1'),
);
const formattedInput = fc.constantFrom<Input>('12,5%', '31.12.2026', '1:30', '=A1+B2');

const arbitraryLine = (axis: string) => fc.integer({ min: 0, max: (axis === 'rows' ? ROWS : COLUMNS) - 1 });
const move = fc.constantFrom<Axis>('rows', 'columns').chain((axis): fc.Arbitrary<MoveWords> => {
  const span = fc
    .tuple(arbitraryLine(axis === 'rows' ? 'columns' : 'rows'), fc.nat(1))
    .map(([first, length]) => ({ first, last: first + length }));
  const across = fc.option(span, { nil: null });
  const count = fc.integer({ min: 1, max: 3 });
  return fc.oneof(
    fc.record({
      kind: fc.constantFrom('insert' as const, 'delete' as const),
      axis: fc.constant(axis),
      at: arbitraryLine(axis),
      count,
      across,
    }),
    fc.record({
      kind: fc.constant('reorder' as const),
      axis: fc.constant(axis),
      at: arbitraryLine(axis),
      count,
      to: arbitraryLine(axis),
    }),
    fc.record({ kind: fc.constant('carry' as const), from: range, to: cell, other: fc.boolean() }),
  );
});

type MoveWords =
  | { kind: 'insert' | 'delete'; axis: Axis; at: number; count: number; across: Span | null }
  | { kind: 'reorder'; axis: Axis; at: number; count: number; to: number }
  | { kind: 'carry'; from: string; to: string; other: boolean };

type RandomStep = { readonly at: string; readonly values: Input[][] } | { readonly moves: readonly MoveWords[] };

const createSteps = (input: fc.Arbitrary<Input>) =>
  fc.array(
    fc.oneof(
      {
        weight: 3,
        arbitrary: fc.record({
          at: cell,
          values: fc.array(fc.array(input, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 4 }),
        }),
      },
      { weight: 3, arbitrary: fc.record({ moves: fc.array(move, { minLength: 1, maxLength: 3 }) }) },
    ),
    { minLength: 2, maxLength: 7 },
  );

function toEdits(book: Book, step: RandomStep): Edit[] {
  if ('at' in step) return [book.write(step.at, step.values)];
  return step.moves.flatMap((words): Edit[] => {
    const move = createMove(book, words);
    return move === null ? [] : [{ kind: 'moveCells', move: move }];
  });
}

function createMove(book: Book, words: MoveWords): Move | null {
  const sheet = book.sheetId('Sheet1');
  if (words.kind === 'carry') {
    const [a, b] = words.from.split(':');
    const area = parseArea(words.from);
    const to = parseArea(words.to);
    assert.ok(area && to && a && b);
    const { top, left, bottom, right } = area;
    const toSheet = words.other ? book.sheetId('Other') : sheet;
    return { kind: 'carry', sheet, area: { top, left, bottom, right }, toSheet, row: to.top, column: to.left };
  }
  if (words.kind !== 'reorder') {
    const { across, ...rest } = words;
    return { ...rest, sheet, ...(across ? { across } : {}) };
  }
  const { at, count, to } = words;
  return to < at || to > at + count ? { ...words, sheet } : null;
}

/** The same state in a process with additional formats and another order of formats. */
function replaceFormats(state: Snapshot): Snapshot {
  for (const code of ['0.000', 'hh:mm', 'dd.mm.yyyy', '0.00%']) state.formats.ensureFormat(code);
  return state;
}

/** A new workbook with the same cells and formulas. */
function buildEqualBook({ head }: Book): Book {
  const book = new Book();
  for (const { name } of head.sheets.slice(1)) book.addSheet(name);
  const edits: Edit[] = [];
  for (const [index, sheet] of head.sheets.entries()) {
    const id = book.head.sheets[index]?.id ?? 0;
    const { rows, columns } = sheet.extent();
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++) {
        const view = cellView(head, sheet.id, row, column);
        if (!view || (sheet.kind(row, column) & 32) !== 0) continue;
        const mode = view.f === undefined ? 'raw' : 'user';
        edits.push({ kind: 'setValues', sheet: id, row, column, values: [[view.f ?? view.v]], mode });
      }
    }
  }
  book.apply(edits);
  return book;
}

describe('a workbook under random moves and edits', () => {
  function run(
    steps: readonly RandomStep[],
    check: (book: Book, edits: Edit[]) => void,
    first: readonly Edit[] = [],
  ): void {
    const book = new Book();
    book.addSheet('Other');
    book.apply(first);
    for (const step of steps) check(book, toEdits(book, step));
  }

  it('equals a workbook built from its end state', () => {
    fc.assert(
      fc.property(createSteps(input), (steps) => {
        run(steps, (book, edits) => {
          book.apply(edits);
          assert.deepEqual(describeValues(book.head), describeValues(buildEqualBook(book).head));
        });
      }),
      { numRuns: scaleRunCount(50) },
    );
  });

  it('equals its replicas from deltas, in another thread and from checkpoints', () => {
    fc.assert(
      fc.property(createSteps(fc.oneof(input, spillingFormula, formattedInput)), (steps) => {
        const copy = new ThreadCopy();
        const document = new StoredDocument();
        let follower: Snapshot | null = null;
        run(steps, (book, edits) => {
          const before = storeAndRestore(book.head);
          follower ??= replaceFormats(before);
          copy.receiveChange(book.head);
          const batch = book.apply(edits);
          assert.deepEqual(describeContents(copy.receiveChange(book.head, batch.change)), describeContents(book.head));
          assert.deepEqual(describeContents(replayBatch(batch, before)), describeContents(book.head));
          follower = replayBatch(batch, follower);
          const byFollower = document.copy();
          byFollower.save(follower);
          document.save(book.head);
          assert.deepEqual(byFollower.bytes(), document.bytes(), 'whoever writes it');
          assert.deepEqual(describeContents(document.restore()), describeContents(book.head));
        });
      }),
      { numRuns: scaleRunCount(40) },
    );
  });

  it('has the values of a full calculation after each edit, with array formulas', () => {
    fc.assert(
      fc.property(createSteps(fc.oneof(input, spillingFormula)), (steps) => {
        run(steps, (book, edits) => {
          book.apply(edits);
          const fresh = Workbook.open(storeAndRestore(book.head));
          const outcome = fresh.apply([{ kind: 'recalculate', everything: true }], createContext());
          assert.equal(outcome.kind, 'applied');
          assert.deepEqual(describeValues(fresh.head), describeValues(book.head));
        });
      }),
      { numRuns: scaleRunCount(40) },
    );
  });

  const table: Edit = { kind: 'setTable', name: 'Sales', sheet: 1, area: { top: 1, left: 1, bottom: 4, right: 2 } };

  it('has the values of a full calculation with a table, and after undoing its batches', () => {
    fc.assert(
      fc.property(createSteps(tableFormula), (steps) => {
        const check = (book: Book, edits: Edit[]) => {
          const before = describeContents(book.head);
          const { change } = book.apply(edits);
          const fresh = Workbook.open(storeAndRestore(book.head));
          fresh.apply([{ kind: 'recalculate', everything: true }], createContext());
          assert.deepEqual(describeValues(fresh.head), describeValues(book.head));
          const after = describeContents(book.head);
          const back = book.apply([{ kind: 'takeBack', inverse: encodeInverse(change), locked: [] }]);
          assert.deepEqual(describeContents(book.head), before);
          book.apply([{ kind: 'takeBack', inverse: encodeInverse(back.change), locked: [] }]);
          assert.deepEqual(describeContents(book.head), after);
        };
        run(steps, check, [table]);
      }),
      { numRuns: scaleRunCount(40) },
    );
  });

  it("returns to its state by an undo, and to the batch's result by a redo", () => {
    fc.assert(
      fc.property(createSteps(input), (steps) => {
        run(steps, (book, edits) => {
          const before = describeContents(book.head);
          const batch = book.apply(edits);
          const after = describeContents(book.head);
          const back = book.apply([{ kind: 'takeBack', inverse: encodeInverse(batch.change), locked: [] }]);
          assert.deepEqual(describeContents(book.head), before);
          book.apply([{ kind: 'takeBack', inverse: encodeInverse(back.change), locked: [] }]);
          assert.deepEqual(describeContents(book.head), after);
        });
      }),
      { numRuns: scaleRunCount(60) },
    );
  });
});
