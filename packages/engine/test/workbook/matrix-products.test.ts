import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { scaleRunCount } from '../../../../test/depth.ts';
import { columnName, type Input } from '../../src/index.ts';
import { assertSameAlone, createLargeBudgetBook, listFormulas } from './alone.ts';
import { createDraw, type Draw, drawElement } from './draw.ts';

const ROWS = 30;
const COLUMNS = 7;
const LAST_ROW = ROWS + 1;
const LAST_COLUMN = columnName(COLUMNS);

/** Row headers, column headers, days above them, and the matrix that they belong to. */
const ROW_KEYS = `$A$2:$A$${LAST_ROW}`;
const COLUMN_KEYS = `$B$1:$${LAST_COLUMN}$1`;
const DAYS = `$B$32:$${LAST_COLUMN}$32`;
const CELLS = `$B$2:$${LAST_COLUMN}$${LAST_ROW}`;
const FIRST_NUMBERS = `$B$2:$B$${LAST_ROW}`;

/** Formulas for a row. J, K and L contain a row key, a column key and a day. */
const FORMULAS: readonly ((row: number) => string)[] = [
  (row) => `SUMPRODUCT((${ROW_KEYS}=J${row})*(${COLUMN_KEYS}=K${row})*${CELLS})`,
  (row) => `SUM((${COLUMN_KEYS}=K${row})*(${ROW_KEYS}=J${row})*${CELLS})`,
  (row) => `SUMPRODUCT((${ROW_KEYS}=J${row})*(${COLUMN_KEYS}=K${row});${CELLS})`,
  (row) => `SUMPRODUCT((${ROW_KEYS}=J${row})*(${DAYS}<=L${row})*${CELLS})`,
  (row) => `SUMPRODUCT(--(${ROW_KEYS}=J${row})*(${DAYS}>=L${row})*(${DAYS}<L${row}+40)*${CELLS}/2)`,
  (row) => `SUMPRODUCT((${ROW_KEYS}<>J${row})*${CELLS})`,
  (row) => `SUMPRODUCT((LEFT(${COLUMN_KEYS};1)=LEFT(K${row};1))*${CELLS})`,
  (row) => `SUMPRODUCT((MONTH(${DAYS})=MONTH(L${row}))*(${ROW_KEYS}=J${row})*${CELLS}*${FIRST_NUMBERS})`,
  (row) => `SUM((${ROW_KEYS}=J${row})*(${COLUMN_KEYS}=K${row})*${DAYS})`,
  (row) => `SUM((${ROW_KEYS}=J${row})*(${COLUMN_KEYS}=K${row}))*SUMPRODUCT((${ROW_KEYS}=J${row})*(${ROW_KEYS}>""))`,
  (row) => `SUMPRODUCT(--(${ROW_KEYS}=J${row});${CELLS})`,
  (row) => `SUMPRODUCT((${ROW_KEYS}=J${row})*(${CELLS}=3)*${CELLS})`,
  (row) => `SUMPRODUCT((${CELLS}=L${row}-46000)*(${ROW_KEYS}=J${row}))`,
  (row) => `SUMPRODUCT((${ROW_KEYS}=J${row})*($B$1:$F$1=K${row})*${CELLS})`,
  (row) => `LET(k;${ROW_KEYS};SUMPRODUCT((k=J${row})*(${COLUMN_KEYS}=K${row})*${CELLS}))`,
];

const KEYS: readonly Input[] = ['red', 'RED', 'blue', 'green', '', '5', 5, 0.3, 0.1 + 0.2];
const ODD: readonly Input[] = ['text', '', null, true, '5', { as: 'error', value: '#N/A' }, 1e308];

/** Creates the rows of the sheet. Some cells of the matrix or of a header are odd. */
function createRows(seed: number): Input[][] {
  const draw = createDraw(seed);
  const oddPlace = draw(4);
  const drawOdd = (place: number, plain: Input) =>
    oddPlace === place && draw(50) === 0 ? drawElement(draw, ODD) : plain;
  const keys = Array.from({ length: COLUMNS }, () => drawOdd(0, drawElement(draw, KEYS)));
  const days = Array.from({ length: COLUMNS }, () => 46_000 + draw(120));
  const cells = Array.from({ length: ROWS }, () => [
    drawOdd(1, drawElement(draw, KEYS)),
    ...Array.from({ length: COLUMNS }, () => drawOdd(2, (draw(40) - 8) / 4)),
  ]);
  return [['', ...keys], ...cells, ['', ...days]];
}

function createQueries(draw: Draw): Input[][] {
  return Array.from({ length: ROWS }, () => [drawElement(draw, KEYS), drawElement(draw, KEYS), 46_000 + draw(120)]);
}

/** The first column of formulas. */
const FIRST = 12;

describe('sums of a matrix by its row and column headers', () => {
  it('give the same values and formats as formulas that are calculated alone', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(ROWS - 1), (seed, edited) => {
        const [book, alone] = [createLargeBudgetBook('en-US'), createLargeBudgetBook('en-US')];
        const [data, queries] = [createRows(seed), createQueries(createDraw(seed + 1))];
        for (const each of [book, alone]) {
          each.set('A1', data, 'raw');
          each.set('J1', queries, 'raw');
        }
        if (seed % 2 === 0) for (const each of [book, alone]) each.set('C3', '12%');
        book.set(
          `${columnName(FIRST)}1`,
          queries.map((_, i) => FORMULAS.map((create) => `=${create(i + 1)}`)),
        );
        const formulas = listFormulas(FORMULAS, FIRST, [1, 2, 3 + (seed % (ROWS - 2)), ROWS]);
        assertSameAlone(book, alone, formulas, (each, ref) => each.view(ref));
        for (const each of [book, alone]) each.set(`A${edited + 2}`, [['red', 2.5, 3]]);
        assertSameAlone(book, alone, formulas, (each, ref) => each.plainValue(ref));
      }),
      { numRuns: scaleRunCount(30) },
    );
  });

  it('are calculated for 10,000 cells and a matrix of 200 × 200 within the default budget', () => {
    const size = 200;
    const book = createLargeBudgetBook('en-US');
    const cellAt = (row: number, column: number) => (row * 31 + column * 17) % 1_009;
    const header = ['', ...Array.from({ length: size }, (_, column) => `c${column}`)];
    book.set('A1', [
      header,
      ...Array.from({ length: size }, (_, row) => [
        `r${row}`,
        ...Array.from({ length: size }, (_, column) => cellAt(row, column)),
      ]),
    ]);
    book.context = { ...book.context, budget: { cells: 20_000_000, milliseconds: 10_000, clock: () => 0 } };
    const [last, first] = [columnName(size), columnName(size + 2)];
    const rows = Array.from({ length: 10_000 }, (_, i) => [(i * 7) % size, (i * 13) % size] as const);
    book.set(
      `${first}1`,
      rows.map(([row, column], i) => {
        const key = `${columnName(size + 3)}${i + 1}`;
        const other = `${columnName(size + 4)}${i + 1}`;
        const product = `($A$2:$A$${size + 1}=${key})*($B$1:$${last}$1=${other})*$B$2:$${last}$${size + 1}`;
        return [`=SUMPRODUCT(${product})`, `r${row}`, `c${column}`];
      }),
    );
    for (const at of [0, 1, 4_999, 9_999]) {
      const [row, column] = rows[at]!;
      assert.equal(book.plainValue(`${first}${at + 1}`), cellAt(row, column));
    }
  });
});
