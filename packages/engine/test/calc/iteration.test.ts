import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type CellData, exportData, ITERATION_KEY, type Iteration, Workbook } from '../../src/index.ts';
import { Book, createContext, storeAndRestore } from '../workbook/book.ts';

/** Imports a workbook with settings for iterative calculation; null turns it off. */
function createBook(cells: readonly CellData[], iteration: Iteration | null): Book {
  const settings = { locale: 'en-US', dateSystem: 'google', timeZone: 'UTC' } as const;
  const sheet = { name: 'Sheet1', hidden: false, color: null, hiddenRows: [], columnFormats: new Map(), cells };
  const fileParts = iteration === null ? {} : { [ITERATION_KEY]: JSON.stringify(iteration) };
  const workbook = Workbook.import(
    { settings, names: [], tables: [], sheets: [sheet], carried: fileParts },
    createContext(),
  );
  assert.ok(workbook instanceof Workbook);
  const book = new Book();
  book.workbook = workbook;
  return book;
}

/** Formulas in A1, A2, …, each with its result in the file. */
function createFormulaCells(...cells: readonly (readonly [formula: string, value: number | null])[]): CellData[] {
  return cells.map(([formula, value], row) => ({ row, column: 0, formula, value }));
}

function readNumbers(book: Book, ...cells: readonly string[]): number[] {
  return cells.map((cell) => book.plainValue(cell) as number);
}

const COUNT_100 = { count: 100, delta: 1e-9 };

describe('iterative calculation', () => {
  it('finds the solution of a circular reference, with or without results in the file', () => {
    for (const value of [null, 10]) {
      const book = createBook(createFormulaCells(['A2/2+5', value], ['A1/2+5', value]), COUNT_100);
      for (const value of readNumbers(book, 'A1', 'A2')) assert.ok(Math.abs(value - 10) < 1e-6, String(value));
    }
  });

  it('continues from the previous values after a change, for at most the configured number of rounds', () => {
    const book = createBook(createFormulaCells(['A1+B1', 7]), { count: 3, delta: 0.001 });
    const before = book.plainValue('A1') as number;
    book.set('B1', 1);
    assert.equal(book.plainValue('A1'), before + 3);
    book.set('B1', 10);
    assert.equal(book.plainValue('A1'), before + 33);
  });

  it('ends when no number changes by more than the threshold', () => {
    const book = createBook(createFormulaCells(['A1/2+B1', null]), { count: 1_000, delta: 1 });
    book.set('B1', 64);
    const value = book.plainValue('A1') as number;
    assert.ok(value > 126 && value < 128, String(value));
  });

  it('also calculates formulas that depend on the circle or that the circle depends on', () => {
    const book = createBook(createFormulaCells(['A2/2+A4', 1], ['A1', 1], ['A1*3', 3], ['B1+1', 1]), COUNT_100);
    book.set('B1', 4);
    const [a = Number.NaN, b = Number.NaN, c = Number.NaN] = readNumbers(book, 'A1', 'A2', 'A3');
    assert.ok(Math.abs(a - 10) < 1e-6 && Math.abs(a - b) < 1e-6 && Math.abs(c - 3 * a) < 1e-6, String([a, b, c]));
  });

  it('continues after the document was stored and reopened', () => {
    const book = createBook(createFormulaCells(['A2/2+B1', 0], ['A1', 0]), COUNT_100);
    book.workbook = Workbook.open(storeAndRestore(book.head));
    book.set('B1', 5);
    assert.ok(Math.abs((book.plainValue('A1') as number) - 10) < 1e-6);
  });

  it('keeps the results of the file if they are a solution, or if the rounds find none', () => {
    const cases: readonly [cells: CellData[], expected: readonly number[]][] = [
      // The results differ from the solution by less than the threshold.
      [createFormulaCells(['A2/2+5', 9.99999], ['A1/2+5', 9.99998]), [9.99999, 9.99998]],
      // A counter, an oscillation and a divergence.
      [createFormulaCells(['A1+1', 7]), [7]],
      [createFormulaCells(['1-A2', 1], ['A1', 1]), [1, 1]],
      [createFormulaCells(['A1*2+1', 3], ['A1*10', 0]), [3, 30]],
    ];
    for (const [cells, expected] of cases) {
      const book = createBook(cells, { count: 100, delta: 0.001 });
      const names = expected.map((_, row) => `A${row + 1}`);
      assert.deepEqual(readNumbers(book, ...names), expected);
    }
  });

  it('calculates a circle again after a change, even if the import kept the results of the file', () => {
    const book = createBook(createFormulaCells(['A1+B1', 7]), { count: 3, delta: 0.001 });
    assert.equal(book.plainValue('A1'), 7);
    book.set('B1', 1);
    assert.equal(book.plainValue('A1'), 10);
  });

  it('runs the rounds of the document for a circle that has no results in the file', () => {
    const book = createBook(createFormulaCells(['A1+1', null], ['A3', 5], ['A2', null]), { count: 100, delta: 0.001 });
    assert.equal(book.plainValue('A1'), 100);
  });

  it('gives the same results when an exported document is imported again', () => {
    const iteration = { count: 20, delta: 0.001 };
    const cells = createFormulaCells(['A2/2+5', 0], ['A1/2+5', 0], ['A3+1', 5], ['A3*2', 0], ['A5/3+B1', null]);
    const first = createBook(cells, iteration);
    const again = createBook([...(exportData(first.head).sheets[0]?.cells ?? [])], iteration);
    const names = ['A1', 'A2', 'A3', 'A4', 'A5'];
    assert.deepEqual(readNumbers(again, ...names), readNumbers(first, ...names));
  });

  it('does not run if it is off in the workbook', () => {
    const book = createBook(createFormulaCells(['A2/2+5', 10], ['A1/2+5', 10]), null);
    assert.deepEqual([book.plainValue('A1'), book.plainValue('A2')], ['#REF!', '#REF!']);
  });
});
