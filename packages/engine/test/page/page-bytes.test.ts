import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { scaleRunCount } from '../../../../test/depth.ts';
import { parse, print, printByRow, WIRE } from '../../src/formula/index.ts';
import {
  type Area,
  boundedPage,
  cellView,
  type Input,
  type Major,
  pageBytes,
  pageInSteps,
  type Snapshot,
} from '../../src/index.ts';
import { Book } from '../workbook/book.ts';
import { AREA, edit, number } from './random-cells.ts';

const decoder = new TextDecoder('utf-8', { fatal: true });

function writePageAsText(snapshot: Snapshot, area: Area, major: Major = 'ROWS', sheet = 1): string {
  return decoder.decode(pageBytes(snapshot, sheet, area, major));
}

/** The expected page: the cells in the form of `JSON.stringify`. */
function createExpectedJson(snapshot: Snapshot, area: Area, major: Major = 'ROWS', sheet = 1): string {
  const rows = Array.from({ length: area.bottom - area.top + 1 }, (_, i) => area.top + i);
  const columns = Array.from({ length: area.right - area.left + 1 }, (_, i) => area.left + i);
  const view = (row: number, column: number) => cellView(snapshot, sheet, row, column);
  return JSON.stringify(
    major === 'ROWS'
      ? rows.map((row) => columns.map((column) => view(row, column)))
      : columns.map((column) => rows.map((row) => view(row, column))),
  );
}

function assertPageEqual(book: Book, area: Area, sheet = 1): void {
  for (const major of ['ROWS', 'COLUMNS'] as const) {
    assert.equal(writePageAsText(book.head, area, major, sheet), createExpectedJson(book.head, area, major, sheet));
  }
}

describe('a page as JSON', () => {
  it('equals the output of JSON.stringify after any edits', () => {
    fc.assert(
      fc.property(
        fc.array(edit, { minLength: 1, maxLength: 8 }),
        fc.constantFrom('ru-RU', 'en-US'),
        (edits, locale) => {
          const book = new Book(locale);
          book.addSheet('Other');
          for (const next of edits) {
            book.apply([next]);
            assertPageEqual(book, AREA);
          }
        },
      ),
      { numRuns: scaleRunCount(150) },
    );
  });

  it('shows any number as its cell shows it', () => {
    fc.assert(
      fc.property(
        fc.array(number, { minLength: 1, maxLength: 40 }),
        fc.constantFrom('ru-RU', 'en-US'),
        (row, locale) => {
          const book = new Book(locale);
          book.set('A1', [row], 'raw');
          const area = { top: 0, left: 0, bottom: 0, right: row.length - 1 };
          assert.equal(writePageAsText(book.head, area), createExpectedJson(book.head, area));
        },
      ),
    );
  });

  it('shows every short decimal as its cell shows it', () => {
    const rows = Array.from({ length: 12_000 }, (_, i) => [i / 100, -i / 1e4, i / 1e6, 7 * i, (i * 83_333) / 100]);
    const book = new Book();
    book.set('A1', rows, 'raw');
    const area = { top: 0, left: 0, bottom: rows.length - 1, right: 4 };
    assert.equal(writePageAsText(book.head, area), createExpectedJson(book.head, area));
  });
});

describe('a page of many rows', () => {
  const rows = Array.from({ length: 600 }, (_, i) => [i / 8, `row ${i}`, `=A${i + 1}*2+A$1`, i % 3 === 0 ? '' : i]);
  const area = { top: 3, left: 0, bottom: 590, right: 5 };
  const createFilledBook = () => {
    const book = new Book();
    book.set('A1', rows);
    return book;
  };

  it("names the rows of each formula's own cell", () => {
    const book = createFilledBook();
    assertPageEqual(book, area);
    assert.match(writePageAsText(book.head, area), /"=A4\*2\+A\$1".*"=A591\*2\+A\$1"/);
  });

  const edits: readonly { name: string; change: (book: Book) => void }[] = [
    { name: 'a number', change: (book) => book.set('D300', 5) },
    { name: 'a text', change: (book) => book.set('B300', 'other') },
    { name: 'a number that formulas read', change: (book) => book.set('A1', 5) },
    { name: 'a formula in the middle of others', change: (book) => book.set('C300', '=A300*2+A$1+0') },
    { name: 'a cell beyond the columns filled', change: (book) => book.set('F591', true) },
    { name: 'a cell cleared', change: (book) => book.clear('A4:D5') },
    { name: 'a cell below the page', change: (book) => book.set('A599', 1) },
    { name: 'a date in place of the same number', change: (book) => book.set('D302', '27.10.1900') },
  ];
  for (const { name, change } of edits) {
    it(`shows the change of an edit: ${name}`, () => {
      const book = createFilledBook();
      assertPageEqual(book, area);
      const before = book.head;
      const pageBefore = createExpectedJson(before, area);
      change(book);
      assertPageEqual(book, area);
      assert.equal(writePageAsText(before, area), pageBefore, 'and the revision before as it was');
    });
  }

  it('explains each error, also in a row of many errors', () => {
    const book = new Book();
    const inputs = [0, 'x', 5, true, '#N/A', 0, 'y', 0];
    book.set(
      'A1',
      inputs.map((input, i) => [input, `=10/A${i + 1}`, `=UNKNOWN(A${i + 1})`]),
    );
    book.set('D1', '=A1:A8/0');
    assertPageEqual(book, { top: 0, left: 0, bottom: 7, right: 3 });
  });

  it('returns the same bytes until something in it changes', () => {
    const book = createFilledBook();
    const first = pageBytes(book.head, 1, area, 'ROWS');
    book.set('H1', 1);
    assert.equal(pageBytes(book.head, 1, area, 'ROWS'), first);
  });

  it('uses the current names of other sheets', () => {
    const book = new Book();
    book.addSheet('Other');
    book.set('A1', '=Other!A1');
    assertPageEqual(book, { top: 0, left: 0, bottom: 1, right: 1 });
    book.apply([{ kind: 'renameSheet', sheet: book.sheetId('Other'), name: 'Renamed' }]);
    assertPageEqual(book, { top: 0, left: 0, bottom: 1, right: 1 });
  });

  it('uses the current names of cells', () => {
    const book = new Book();
    book.apply([{ kind: 'setName', name: 'rate', refersTo: '=Sheet1!$A$2' }]);
    book.set(
      'A1',
      Array.from({ length: 600 }, (_, row) => [row === 0 ? '=rate' : row]),
    );
    const area = { top: 0, left: 0, bottom: 599, right: 1 };
    assertPageEqual(book, area);
    book.apply([{ kind: 'renameName', name: 'rate', newName: 'tax' }]);
    assert.equal(book.formula('A1'), '=tax');
    assertPageEqual(book, area);
  });
});

describe('a page with a limit of bytes', () => {
  /** Length of the first rows of an area as JSON. */
  const length = (snapshot: Snapshot, area: Area, rows: number) =>
    Buffer.byteLength(createExpectedJson(snapshot, { ...area, bottom: area.top + rows - 1 }));

  const holds = (snapshot: Snapshot, area: Area, maxBytes: number) => {
    const byRows = boundedPage(snapshot, 1, area, 'ROWS', maxBytes);
    const rowCount = area.bottom - area.top + 1;
    for (const major of ['ROWS', 'COLUMNS'] as const) {
      const { bytes, rows } = boundedPage(snapshot, 1, area, major, maxBytes);
      if (rows > 0) {
        assert.ok(bytes.length <= maxBytes);
        assert.equal(
          decoder.decode(bytes),
          createExpectedJson(snapshot, { ...area, bottom: area.top + rows - 1 }, major),
        );
      } else assert.equal(decoder.decode(bytes), '[]');
      assert.ok(rows === rowCount || byRows.rows - rows <= 1 + rows, `${rows} by columns, ${byRows.rows} by rows`);
    }
    assert.ok(byRows.rows === rowCount || length(snapshot, area, byRows.rows + 1) > maxBytes, 'one more row would fit');
  };

  it('has as many rows as the limit allows, after any requests and edits', () => {
    const bound = fc.oneof(fc.nat(40), fc.nat(3_000));
    fc.assert(
      fc.property(fc.array(fc.tuple(edit, bound), { minLength: 1, maxLength: 6 }), (steps) => {
        const book = new Book();
        book.addSheet('Other');
        for (const [next, maxBytes] of steps) {
          book.apply([next]);
          holds(book.head, AREA, maxBytes);
          assertPageEqual(book, AREA);
          holds(book.head, AREA, maxBytes);
        }
      }),
      { numRuns: scaleRunCount(100) },
    );
  });

  it('is the same if it is created in slices, alternating with other pages', () => {
    const bounds = fc.record({ maxBytes: fc.nat(3_000), sliceBytes: fc.integer({ min: 1, max: 500 }) });
    const major = fc.constantFrom('ROWS', 'COLUMNS');
    fc.assert(
      fc.property(fc.array(edit, { maxLength: 4 }), edit, bounds, major, (edits, change, limits, direction) => {
        const book = new Book();
        book.addSheet('Other');
        // The second page reuses rows of the first.
        for (const next of [edits, [change]]) {
          book.apply(next);
          const { head } = book;
          const steps = pageInSteps(head, 1, AREA, direction, limits);
          let step = steps.next();
          for (; !step.done; step = steps.next()) assertPageEqual(book, { ...AREA, bottom: AREA.bottom - 1 });
          const { bytes, rows } = step.value;
          const shownArea = { ...AREA, bottom: AREA.top + rows - 1 };
          assert.equal(decoder.decode(bytes), rows === 0 ? '[]' : createExpectedJson(head, shownArea, direction));
          assert.equal(rows, boundedPage(head, 1, AREA, direction, limits.maxBytes).rows);
        }
      }),
      { numRuns: scaleRunCount(100) },
    );
  });

  it('pauses within long rows, and not for rows that it reuses', () => {
    const book = new Book();
    book.set('A1', [Array.from({ length: 1_000 }, () => 'x'.repeat(1_000)), [1]], 'raw');
    const page = { top: 0, left: 0, bottom: 1, right: 999 };
    const pauses = () => {
      const steps = pageInSteps(book.head, 1, page, 'ROWS', { maxBytes: 10_000_000, sliceBytes: 100_000 });
      let count = 0;
      while (!steps.next().done) count++;
      return count;
    };
    assert.ok(pauses() >= 19);
    book.set('A2', 2);
    assert.equal(pauses(), 0);
  });

  it('pauses more often for formulas than for values of the same size', () => {
    const pauses = (input: (row: number) => Input) => {
      const book = new Book();
      book.set(
        'A1',
        Array.from({ length: 1_000 }, (_, row) => [input(row)]),
      );
      const page = { top: 0, left: 0, bottom: 999, right: 0 };
      const steps = pageInSteps(book.head, 1, page, 'ROWS', { maxBytes: 10_000_000, sliceBytes: 100_000 });
      let count = 0;
      while (!steps.next().done) count++;
      return count;
    };
    assert.equal(
      pauses((row) => `${row} is a text`),
      0,
    );
    assert.ok(pauses((row) => `=${row}+$B$1*${row}`) > 5);
    assert.ok(pauses((row) => `=${row}+$B$1*nothing`) > 10);
  });

  it('ends at the limit', () => {
    const book = new Book();
    const long = '\u0001'.repeat(50_000);
    book.set('A1', [Array.from({ length: 1_000 }, () => long)], 'raw');
    // The whole page would take 600 MB.
    const { rows } = boundedPage(book.head, 1, { top: 0, left: 0, bottom: 9, right: 999 }, 'ROWS', 100_000);
    assert.equal(rows, 0);
    const narrow = { top: 0, left: 0, bottom: 9, right: 0 };
    assert.equal(boundedPage(book.head, 1, narrow, 'COLUMNS', 700_000).rows, 10);
    assert.equal(boundedPage(book.head, 1, narrow, 'COLUMNS', 600_000).rows, 0);
  });
});

describe('a formula printed by row', () => {
  const names = { getSheetName: () => 'Other', findSheetId: () => 1 };
  const texts = ['=A5*2', '=$A$1+B$2+$C7', '=SUM(A1:A5;Other!B5:C9)', '=5:5', '=A:A', '=A2:B', '="a"&A5'];
  for (const text of texts) {
    it(`equals ${text} printed in each row`, () => {
      const node = parse(text, WIRE, { row: 4, column: 2 }, names);
      assert.ok(node);
      const byRow = printByRow(node, WIRE, 2, names);
      assert.ok(byRow);
      for (const row of [4, 5, 99, 1_000_000]) {
        const inRow: string = byRow.pieces.reduce(
          (text, piece, i) => text + (row + (byRow.offsets[i - 1] ?? 0) + 1) + piece,
        );
        assert.equal(inRow, print(node, WIRE, { row, column: 2 }, names));
      }
    });
  }

  for (const [reason, text] of [
    ['it holds the mark itself', '="\u0000"&A1'],
    ['the order of its corners differs between rows', '=C5:C$2'],
    ['the corners of whole rows change their order', '=5:$2'],
  ] as const) {
    it(`is not used if ${reason}`, () => {
      const node = parse(text, WIRE, { row: 0, column: 1 }, names);
      assert.ok(node);
      assert.equal(printByRow(node, WIRE, 1, names), null);
    });
  }
});
