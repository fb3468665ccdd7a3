import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { scaleRunCount } from '../../../../test/depth.ts';
import { type Edit, encodeInverse, exportData, nameViews, Workbook } from '../../src/index.ts';
import { Book, createContext, describeContents, replayBatch, storeAndRestore, ThreadCopy } from './book.ts';

/** Formulas in column A of each sheet, in the API's grammar, before and after `Rate` is renamed to `Tax`. */
const RENAMED: readonly (readonly [before: string, after: string])[] = [
  ['=Rate', '=Tax'],
  ['=RATE+rate*2', '=Tax+Tax*2'],
  ['=Sheet1!Rate', '=Sheet1!Tax'],
  ['=SUM(Rate;1)', '=SUM(Tax;1)'],
  ['="Rate"&Rate', '="Rate"&Tax'],
  ['=Rates+Rate', '=Rates+Tax'],
  ['=LET(rate;2;rate*3)', '=LET(rate;2;rate*3)'],
  ['=LET(x;Rate;Rate;x*2;Rate)', '=LET(x;Tax;Rate;x*2;Rate)'],
  ['=LET(Rate;Rate+1;Rate)', '=LET(Rate;Tax+1;Rate)'],
  ['=LAMBDA(rate;rate+1)(Rate)', '=LAMBDA(rate;rate+1)(Tax)'],
  ['=LET(rate;2;Sheet1!Rate*rate)', '=LET(rate;2;Sheet1!Tax*rate)'],
  ['=LET(tax;7;Rate*tax)', '=LET(tax;7;Sheet1!Tax*tax)'],
  ['=LAMBDA(TAX;Rate+TAX)(1)', '=LAMBDA(TAX;Sheet1!Tax+TAX)(1)'],
  ['=INDEX(Rate;1)', '=INDEX(Tax;1)'],
  ['=MAP(Rate;LAMBDA(x;x+Rate))', '=MAP(Tax;LAMBDA(x;x+Tax))'],
];

const rename: Edit = { kind: 'renameName', name: 'rate', newName: 'Tax' };

function undo(book: Book, inverse: Uint8Array) {
  return book.apply([{ kind: 'takeBack', inverse, locked: [] }]);
}

/** A document in which `Rate` is a cell of `Data`. */
function createBookWithRate(): Book {
  const book = new Book('en-US');
  book.addSheet('Data');
  book.set('Data!B1', 5);
  book.apply([
    { kind: 'setName', name: 'Rate', refersTo: '=Data!$B$1' },
    { kind: 'setName', name: 'Rates', refersTo: '=7' },
  ]);
  return book;
}

/**
 * Asserts that edits give the same result when the log is applied again, in another thread, after storing, and after
 * undo and redo.
 */
function assertRepeatable(book: Book, edits: readonly Edit[]): void {
  const before = storeAndRestore(book.head);
  const copy = new ThreadCopy();
  copy.receiveChange(book.head);
  const old = describeContents(book.head);
  const outcome = book.apply(edits);
  const renamed = describeContents(book.head);
  assert.deepEqual(describeContents(replayBatch(outcome, before)), renamed);
  assert.deepEqual(describeContents(copy.receiveChange(book.head, outcome.change)), renamed);
  assert.deepEqual(describeContents(storeAndRestore(book.head)), renamed);
  const { change } = undo(book, encodeInverse(outcome.change));
  assert.deepEqual(describeContents(book.head), old);
  undo(book, encodeInverse(change));
  assert.deepEqual(describeContents(book.head), renamed);
}

describe('renaming a name', () => {
  for (const [before, after] of RENAMED) {
    it(`changes ${before} to ${after}`, () => {
      const book = createBookWithRate();
      book.set('A1', before);
      book.set('Data!C3', before);
      const values = [book.plainValue('A1'), book.plainValue('Data!C3')];
      assert.ok(
        values.every((value) => typeof value !== 'string' || !value.startsWith('#')),
        String(values),
      );
      assertRepeatable(book, [rename]);
      assert.deepEqual([book.formula('A1'), book.formula('Data!C3')], [after, after]);
      assert.deepEqual([book.plainValue('A1'), book.plainValue('Data!C3')], values);
      // The text of the formula is parsed to the same formula.
      book.set('A1', after);
      assert.deepEqual([book.formula('A1'), book.plainValue('A1')], [after, values[0]]);
      book.set('Data!B1', 6);
      assert.notEqual(book.formula('A1'), undefined);
    });
  }

  it('keeps the cells that formulas follow', () => {
    const book = createBookWithRate();
    book.set('A1', '=Rate*2');
    book.apply([rename]);
    book.set('Data!B1', 6);
    assert.equal(book.plainValue('A1'), 12);
    const [tax] = nameViews(book.head);
    assert.deepEqual(tax, { name: 'Tax', refersTo: '=Data!$B$1' });
  });

  it('changes calls of a name that is a function', () => {
    const book = new Book('en-US');
    book.apply([{ kind: 'setName', name: 'twice', refersTo: '=LAMBDA(x;x*2)' }]);
    book.set('A1', [
      ['=twice(4)', '=MAP({1;2};twice)', null, '=LET(twice;LAMBDA(x;x);twice(3))', '=LET(double;1;twice(double))'],
    ]);
    const values = book.grid('A1:E2');
    book.apply([{ kind: 'renameName', name: 'twice', newName: 'double' }]);
    assert.deepEqual(
      ['A1', 'B1', 'D1', 'E1'].map((cell) => book.formula(cell)),
      ['=DOUBLE(4)', '=MAP({1;2};double)', '=LET(twice;LAMBDA(x;x);TWICE(3))', '=LET(double;1;Sheet1!double(double))'],
    );
    assert.deepEqual(book.grid('A1:E2'), values);
    book.set('E1', book.formula('E1') ?? '');
    assert.deepEqual(book.grid('A1:E2'), values);
  });

  it('does not call a function of the same name', () => {
    const book = new Book('en-US');
    book.apply([{ kind: 'setName', name: 'twice', refersTo: '=LAMBDA(x;x*2)' }]);
    book.set('A1', '=twice(4)');
    book.apply([{ kind: 'renameName', name: 'twice', newName: 'sum' }]);
    assert.deepEqual([book.plainValue('A1'), book.formula('A1')], [8, '=Sheet1!sum(4)']);
    book.set('A1', '=SUM(4)');
    book.apply([{ kind: 'renameName', name: 'SUM', newName: 'twice' }]);
    assert.deepEqual([book.plainValue('A1'), book.formula('A1')], [4, '=SUM(4)']);
  });

  it('changes names and rules that use it', () => {
    const sheet = { hidden: false, color: null, hiddenRows: [], columnFormats: new Map() };
    const rule = {
      kind: 'rule',
      areas: [{ top: 0, left: 0, bottom: 4, right: 0 }],
      formulas: ['$B1>Rate'],
      texts: ['Rate'],
    };
    const layout = { columns: [], rows: [], merges: [], carried: {}, attachments: [rule] };
    const workbook = Workbook.import(
      {
        settings: { locale: 'en-US', dateSystem: 'google', timeZone: 'UTC' },
        names: [
          { name: 'Above', formula: 'Sheet1!A1048576*Rate' },
          { name: 'Rate', formula: 'Sheet1!$C$1' },
          { name: 'Twice', formula: 'Above+RATE' },
        ],
        tables: [],
        sheets: [{ ...sheet, name: 'Sheet1', layout, cells: [{ row: 0, column: 2, value: 3 }] }],
      },
      createContext(),
    );
    assert.ok(workbook instanceof Workbook);
    const book = new Book();
    book.workbook = workbook;
    book.set('A1', [[4], ['=Twice']]);
    assertRepeatable(book, [rename]);
    assert.equal(book.plainValue('A2'), 15);
    const data = exportData(book.head);
    assert.deepEqual(
      data.names.map(({ name, formula }) => [name, formula]),
      [
        ['Above', 'Sheet1!A1048576*Tax'],
        ['Tax', 'Sheet1!$C$1'],
        ['Twice', 'Above+Tax'],
      ],
    );
    assert.deepEqual(data.sheets[0]?.layout?.attachments, [{ ...rule, formulas: ['$B1>Tax'] }]);
  });

  it('of the document leaves names of sheets with the same spelling, and the reverse', () => {
    const file = () =>
      Book.fromFile({
        names: [
          { name: 'Rate', formula: '1' },
          { name: 'Rate', sheet: 'Own', formula: '2' },
        ],
        sheets: {
          Sheet1: { A1: '=Rate', A2: '=Own!Rate', A3: '=Sheet1!Rate' },
          Own: { A1: '=Rate', A2: '=Sheet1!Rate' },
        },
      });
    const formulas = (book: Book) => ['A1', 'A2', 'A3', 'Own!A1', 'Own!A2'].map((cell) => book.formula(cell));
    const common = file();
    common.apply([rename]);
    assert.deepEqual(formulas(common), ['=Tax', '=Own!Rate', '=Sheet1!Tax', '=Rate', '=Sheet1!Tax']);
    const scoped = file();
    scoped.apply([{ ...rename, scope: scoped.sheetId('Own') }]);
    assert.deepEqual(formulas(scoped), ['=Rate', '=Own!Tax', '=Sheet1!Rate', '=Tax', '=Sheet1!Rate']);
    for (const book of [common, scoped]) {
      assert.deepEqual(
        [book.grid('A1:A3'), book.grid('Own!A1:A2')],
        [
          [[1], [2], [1]],
          [[2], [1]],
        ],
      );
    }
  });

  it('changes its letter case only, and back within one batch', () => {
    const book = createBookWithRate();
    book.set('A1', '=Rate');
    book.apply([{ kind: 'renameName', name: 'Rate', newName: 'RATE' }]);
    assert.equal(book.formula('A1'), '=RATE');
    const there: Edit = { kind: 'renameName', name: 'rate', newName: 'Tax' };
    book.apply([there, book.write('A2', '=Tax+1'), { kind: 'renameName', name: 'TAX', newName: 'Rate' }]);
    assert.deepEqual([book.formula('A1'), book.formula('A2'), book.plainValue('A2')], ['=Rate', '=Rate+1', 6]);
  });

  it('makes formulas that already contain the new name use it', () => {
    const book = createBookWithRate();
    book.set('A1', '=Tax');
    assert.equal(book.plainValue('A1'), '#NAME?');
    book.apply([rename]);
    assert.equal(book.plainValue('A1'), 5);
  });

  it('is refused for a missing name, an invalid name and a name that is taken', () => {
    const book = Book.fromFile({
      names: [
        { name: 'Rate', formula: '1' },
        { name: 'Other', sheet: 'Own', formula: '2' },
      ],
      sheets: { Sheet1: { A1: 'Qty', A2: 1 }, Own: {} },
    });
    book.apply([
      {
        kind: 'setTable',
        name: 'Orders',
        sheet: book.sheetId('Sheet1'),
        area: { top: 0, left: 0, bottom: 1, right: 0 },
      },
    ]);
    const { head } = book;
    const to = (newName: string) => book.tryEdits([{ kind: 'renameName', name: 'Rate', newName }]);
    for (const name of ['other', 'ORDERS', 'A1', '', 'two words']) {
      const outcome = to(name);
      assert.equal(outcome.kind === 'refusal' && outcome.reason, 'invalidName', name);
    }
    const missing = book.tryEdits([{ kind: 'renameName', name: 'Missing', newName: 'Tax' }]);
    assert.equal(missing.kind === 'refusal' && missing.reason, 'nameNotFound');
    const elsewhere = book.tryEdits([{ kind: 'renameName', name: 'Rate', scope: book.sheetId('Own'), newName: 'Tax' }]);
    assert.equal(elsewhere.kind === 'refusal' && elsewhere.reason, 'nameNotFound');
    assert.equal(book.head, head);
  });

  it('counts as work for each formula that uses names', () => {
    const book = createBookWithRate();
    book.set(
      'A1',
      Array.from({ length: 3_000 }, (_, i) => [`=Rate+${i}`]),
    );
    let now = 0;
    const budget = { cells: 1_000_000, milliseconds: 10, clock: () => now++ };
    const edits = Array.from(
      { length: 40 },
      (_, i): Edit => ({ kind: 'renameName', name: i % 2 ? 'Tax' : 'Rate', newName: i % 2 ? 'Rate' : 'Tax' }),
    );
    assert.deepEqual(book.workbook.apply(edits, createContext({ budget })), {
      kind: 'refusal',
      reason: 'calculationLimit',
    });
  });

  it('keeps all values, and an undo restores all texts', () => {
    const atom = fc.constantFrom('Rate', 'RATE', 'Sheet1!Rate', 'Data!rate', 'Rates', 'x', 'tax', 'A9', '2', '"Rate"');
    const { expression } = fc.letrec<{ expression: string }>((tie) => ({
      expression: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        atom,
        fc.tuple(tie('expression'), fc.constantFrom('+', '&', '*'), tie('expression')).map((parts) => parts.join('')),
        fc
          .tuple(fc.constantFrom('x', 'rate', 'tax'), tie('expression'), tie('expression'))
          .map(([name, value, body]) => `LET(${name};${value};${body})`),
        fc
          .tuple(fc.constantFrom('x', 'Rate', 'Tax'), tie('expression'), tie('expression'))
          .map(([name, body, value]) => `LAMBDA(${name};${body})(${value})`),
        tie('expression').map((inner) => `SUM(${inner};Rate)`),
        tie('expression').map((inner) => `IFERROR(${inner};0)`),
      ),
    }));
    // If `tax` were already used as an unbound name, it would begin to mean the renamed name.
    const formula = fc.oneof(
      expression.map((text) => `=LET(tax;3;x;4;${text})`),
      expression.map((text) => `=LET(y;3;x;4;${text.replaceAll(/tax/gi, 'y')})`),
    );
    fc.assert(
      fc.property(fc.array(formula, { minLength: 1, maxLength: 8 }), (formulas) => {
        const book = createBookWithRate();
        book.set(
          'A1',
          formulas.map((text) => [text]),
        );
        book.set(
          'Data!D1',
          formulas.map((text) => [text]),
        );
        const areas = [`A1:A${formulas.length}`, `Data!D1:D${formulas.length}`];
        const values = areas.map((area) => book.grid(area));
        assertRepeatable(book, [rename]);
        assert.deepEqual(
          areas.map((area) => book.grid(area)),
          values,
        );
        for (let row = 1; row <= formulas.length; row++) book.set(`A${row}`, book.formula(`A${row}`) ?? '');
        assert.deepEqual(
          areas.map((area) => book.grid(area)),
          values,
        );
      }),
      { numRuns: scaleRunCount(90) },
    );
  });
});
