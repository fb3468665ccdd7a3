import assert from 'node:assert/strict';
import { columnName, type LocaleId } from '../../src/index.ts';
import { Book, createContext } from './book.ts';

/** Creates a book whose budget suffices for formulas that read all cells of a range in every row. */
export function createLargeBudgetBook(locale: LocaleId): Book {
  const book = new Book(locale);
  book.context = createContext({ budget: { cells: 100_000_000, milliseconds: 60_000, clock: () => 0 } });
  return book;
}

/** A formula and its cell. */
interface PlacedFormula {
  readonly ref: string;
  readonly formula: string;
}

/** The formulas of some rows: the first of `formulas` in the column `first`, and the others in the columns after it. */
export function listFormulas(
  formulas: readonly ((row: number) => string)[],
  first: number,
  rows: readonly number[],
): readonly PlacedFormula[] {
  return formulas.flatMap((create, i) =>
    rows.map((row) => ({ ref: `${columnName(first + i)}${row}`, formula: `=${create(row)}` })),
  );
}

/**
 * Compares formulas of `book` with the same formulas in `alone`, which contains only one of them at a time. That formula
 * is calculated without anything that formulas share.
 */
export function assertSameAlone(
  book: Book,
  alone: Book,
  formulas: readonly PlacedFormula[],
  readCell: (book: Book, ref: string) => unknown,
): void {
  for (const { ref, formula } of formulas) {
    alone.set(ref, formula);
    assert.notEqual(alone.plainValue(ref), '#ERROR!', `${formula} must be valid`);
    assert.deepEqual(readCell(book, ref), readCell(alone, ref), `${ref} ${formula}`);
    alone.clear(ref);
  }
}
