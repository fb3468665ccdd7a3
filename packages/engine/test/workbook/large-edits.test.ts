import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { compareScalars } from '../../src/functions/order.ts';
import {
  type AppliedBatch,
  type Area,
  cellView,
  type Edit,
  encodeInverse,
  type Scalar,
  type Snapshot,
} from '../../src/index.ts';
import { LOCALE_IDS, readPlainNumber, recogniseAs } from '../../src/locale/index.ts';
import { EMPTY, TEXT } from '../../src/sheet/cell-kind.ts';
import { CHUNK_MASK, CHUNK_SHIFT } from '../../src/sheet/chunk.ts';
import { Book, describeContents, replayBatch, storeAndRestore } from './book.ts';

/** More rows than one chunk has. */
const ROWS = 300;
const COLUMNS = 3;
const AREA = { top: 3, left: 0, bottom: ROWS - 4, right: COLUMNS - 1 };
const LONG_TEXT = 'a1'.repeat(200);
const VALUES: readonly Scalar[] = [
  1,
  10,
  5,
  -21,
  1.5,
  0.1,
  1e21,
  2 ** 53,
  'a1',
  'A1b',
  '1',
  'ſ',
  '.',
  true,
  false,
  null,
];
const REPLACEMENTS = [
  ['1', '2'],
  ['1', ''],
  ['a', '$&'],
  ['0', ',0'],
  ['S', '='],
  ['.', '1'],
  ['5', '%'],
];
const FORMATS = ['0%', '@', 'yyyy-mm-dd', '0.00'];

/** A number generator with a seed, because fast-check takes longer for each cell than the edits do. */
function createChoice(seed: number): <T>(items: readonly T[]) => T {
  let state = seed;
  return (items) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return items[Math.floor((state / 2 ** 32) * items.length)] as (typeof items)[number];
  };
}

/** A sheet of random values with formats, hidden rows, a merged range and, with `hasFormulas`, formulas in a column. */
function createBook(seed: number, hasFormulas: boolean): Book {
  const choose = createChoice(seed);
  const book = new Book('de-DE');
  const values = Array.from({ length: ROWS }, () =>
    Array.from({ length: COLUMNS }, (_, column) =>
      choose(
        column === 0
          ? VALUES.slice(0, 8)
          : column === 1
            ? VALUES
            : [...VALUES, LONG_TEXT, 'новый 1', `a${choose(VALUES)}`],
      ),
    ),
  );
  book.set('A1', values as never, 'raw');
  const sheet = book.sheetId('Sheet1');
  for (let i = 0; i < 6; i++) {
    const top = choose(Array.from({ length: ROWS - 40 }, (_, row) => row));
    const area = { top, bottom: top + choose([0, 39]), left: i % COLUMNS, right: i % COLUMNS };
    book.apply([{ kind: 'setFormat', sheet, area, format: choose(FORMATS) }]);
  }
  if (hasFormulas) for (const row of [20, 21, 22, 270]) book.set(`B${row}`, `=A${row - 1}+1`);
  book.set('F1', `=SUM(A1:C${ROWS})`);
  book.apply([
    { kind: 'hideLines', sheet, axis: 'rows', first: 30, last: 35, hidden: true },
    { kind: 'mergeCells', sheet, areas: [{ top: 290, bottom: 291, left: 0, right: 1 }] },
  ]);
  return book;
}

const books = fc.tuple(fc.nat(), fc.boolean());

/** Undo and the delta of a batch must lead to the same documents as the batch. */
function assertCanReplay(book: Book, edit: Edit): AppliedBatch {
  const before = describeContents(book.head);
  const reopened = storeAndRestore(book.head);
  const batch = book.apply([edit]);
  assert.deepEqual(describeContents(replayBatch(batch, reopened)), describeContents(book.head));
  assert.deepEqual(describeContents(storeAndRestore(book.head)), describeContents(book.head));
  const done = describeContents(book.head);
  const undo = book.apply([{ kind: 'takeBack', inverse: encodeInverse(batch.change), locked: [] }]);
  assert.deepEqual(describeContents(book.head), before);
  book.apply([{ kind: 'takeBack', inverse: encodeInverse(undo.change), locked: [] }]);
  assert.deepEqual(describeContents(book.head), done);
  return batch;
}

/** Returns the written cells of batches as keys, without repetitions. */
function listWrittenCells(batches: readonly AppliedBatch[]): readonly number[] {
  const cells = new Set<number>();
  for (const { change } of batches) {
    for (const { top, left, bottom, right } of change.written.flatMap(({ areas }) => areas)) {
      for (let row = top; row <= bottom; row++) for (let c = left; c <= right; c++) cells.add(row * COLUMNS + c);
    }
  }
  return [...cells].sort((a, b) => a - b);
}

/**
 * Returns the numbers in chunks, with null for texts. Comparisons of chunks read them, so an empty cell must have 0.
 */
function listNumbers({ sheets }: Snapshot): readonly (number | null)[] {
  return Array.from({ length: ROWS * COLUMNS }, (_, i) => {
    const row = Math.floor(i / COLUMNS);
    const chunk = sheets[0]?.chunk(i % COLUMNS, row >> CHUNK_SHIFT);
    const isText = (chunk?.kind(row & CHUNK_MASK) ?? EMPTY) === TEXT;
    return chunk === undefined || isText || (row & CHUNK_MASK) >= chunk.rows ? null : chunk.number(row & CHUNK_MASK);
  });
}

/** Performs an edit on a whole area and, in a copy, on one cell after another. Compares both documents. */
function assertSameAsCellByCell(
  seed: number,
  hasFormulas: boolean,
  createEdit: (sheet: number, area: Area) => Edit,
): void {
  const [whole, single] = [createBook(seed, hasFormulas), createBook(seed, hasFormulas)];
  const sheet = whole.sheetId('Sheet1');
  const batch = assertCanReplay(whole, createEdit(sheet, AREA));
  const batches: AppliedBatch[] = [];
  for (let column = AREA.left; column <= AREA.right; column++) {
    for (let top = AREA.top; top <= AREA.bottom; top += 10) {
      const bottom = Math.min(top + 9, AREA.bottom);
      batches.push(single.apply([createEdit(sheet, { top, bottom, left: column, right: column })]));
    }
  }
  assert.deepEqual(describeContents(whole.head), describeContents(single.head));
  assert.deepEqual(listNumbers(batch.change.after), listNumbers(single.head));
  assert.equal(
    batch.outcomes[0]?.cells,
    batches.reduce((sum, { outcomes }) => sum + (outcomes[0]?.cells ?? 0), 0),
  );
  assert.deepEqual(listWrittenCells([batch]), listWrittenCells(batches));
}

describe('edits of many cells', () => {
  it('clearing an area does the same as clearing its cells', () => {
    fc.assert(
      fc.property(books, ([seed, hasFormulas]) => {
        assertSameAsCellByCell(seed, hasFormulas, (sheet, area) => ({ kind: 'clear', sheet, area }));
      }),
      { numRuns: 3 },
    );
  });

  it('replacing texts in an area does the same as replacing them in its cells', () => {
    const options = fc.record({ matchCase: fc.boolean(), formulas: fc.boolean() });
    const locales = fc.constantFrom(null, 'en-US', 'de-DE');
    const replaceAll = (find: string, replacement: string): void => {
      fc.assert(
        fc.property(books, options, locales, ([seed, hasFormulas], option, locale) => {
          assertSameAsCellByCell(seed, hasFormulas, (sheet, area) => ({
            ...{ kind: 'replace', sheet, area, find, with: replacement, entireCell: false, locale },
            ...option,
          }));
        }),
        { numRuns: 1 },
      );
    };
    for (const [find = '', by = ''] of REPLACEMENTS) replaceAll(find, by);
  });

  it('replacing in a number enters the result as typing it into the cell does', () => {
    for (const format of [...FORMATS, 'hh:mm']) {
      for (const [number, text] of [
        [15, '17'],
        [0.5, '0,7'],
        [-5, '-7'],
        [45_000, '47000'],
      ] as const) {
        const [replaced, typed] = [new Book('de-DE'), new Book('de-DE')];
        const sheet = replaced.sheetId('Sheet1');
        const area = { top: 0, left: 0, bottom: 0, right: 0 };
        for (const book of [replaced, typed]) {
          book.set('A1', number);
          book.apply([{ kind: 'setFormat', sheet, area, format }]);
        }
        const options = { matchCase: false, entireCell: false, formulas: false };
        replaced.apply([{ kind: 'replace', sheet, area, find: '5', with: '7', ...options }]);
        typed.set('A1', text);
        assert.deepEqual(replaced.view('A1'), typed.view('A1'), `${text} with the format ${format}`);
      }
    }
  });

  it('sorting moves whole rows, by several keys, stable, with blanks last', () => {
    const keys = fc.uniqueArray(fc.record({ column: fc.nat(COLUMNS - 1), descending: fc.boolean() }), {
      ...{ minLength: 1, selector: ({ column }) => column },
    });
    fc.assert(
      fc.property(books, keys, ([seed], by) => {
        const book = createBook(seed, false);
        const sheet = book.sheetId('Sheet1');
        const before = readRows(book);
        const places = before.map((_, i) => i);
        const sorted = places.toSorted((a, b) => {
          for (const { column, descending } of by) {
            const [x = null, y = null] = [before[a]?.values[column], before[b]?.values[column]];
            if ((x === null) !== (y === null)) return x === null ? 1 : -1;
            const order = compareScalars(x, y, 'de-DE');
            if (order !== 0) return descending ? -order : order;
          }
          return 0;
        });
        const batch = assertCanReplay(book, { kind: 'sort', sheet, area: AREA, by });
        const after = readRows(book);
        assert.deepEqual(
          after,
          sorted.map((place) => before[place]),
        );
        const written = after.flatMap(({ views }, r) =>
          views.flatMap((view, c) => (isSameView(view, before[r]?.views[c]) ? [] : [(AREA.top + r) * COLUMNS + c])),
        );
        assert.deepEqual(listWrittenCells([batch]), written);
      }),
      { numRuns: 6 },
    );
  });

  it('reads a plain number like other inputs of its grammar', () => {
    const texts = fc.stringMatching(/^-?[0-9]{0,12}[.,]?[0-9]{0,12}(e[0-9])?$/);
    fc.assert(
      fc.property(
        texts,
        fc.constantFrom(null, ...LOCALE_IDS),
        fc.constantFrom(...LOCALE_IDS),
        (text, typed, locale) => {
          const decimal = (1.5).toLocaleString(typed ?? 'de-DE').charAt(1);
          const number = readPlainNumber(text, decimal);
          if (number === null) return;
          assert.deepEqual(recogniseAs(text, typed, { locale, system: 'google', percentCell: false }), {
            value: number,
          });
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

interface ReadRow {
  readonly values: readonly Scalar[];
  /** Values with their formats. */
  readonly views: readonly unknown[];
}

function readRows({ head }: Book): readonly ReadRow[] {
  const sheet = head.sheets[0];
  assert.ok(sheet);
  const columns = Array.from({ length: COLUMNS }, (_, column) => column);
  return Array.from({ length: AREA.bottom - AREA.top + 1 }, (_, i) => ({
    values: columns.map((column) => sheet.value(AREA.top + i, column)),
    views: columns.map((column) => ({
      view: cellView(head, sheet.id, AREA.top + i, column),
      format: sheet.format(AREA.top + i, column),
    })),
  }));
}

function isSameView(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
