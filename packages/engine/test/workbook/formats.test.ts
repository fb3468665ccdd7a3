import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { scaleRunCount } from '../../../../test/depth.ts';
import { columnName, type Input } from '../../src/index.ts';
import { Book, createContext, describeContents } from './book.ts';

type FormatKind = 'date' | 'percent' | 'currency' | 'time' | 'plain';

function detectFormatKind(text: string | undefined): FormatKind {
  if (text === undefined) return 'plain';
  if (/^\d\d\.\d\d\.\d{4}$/.test(text)) return 'date';
  if (/^\d\d?:\d\d(:\d\d)?$/.test(text)) return 'time';
  if (text.endsWith('%')) return 'percent';
  return text.includes('₽') ? 'currency' : 'plain';
}

/** A book with headings, dates in A2:A4, plain numbers in B, percentages in C, amounts in D, a blank E1, a time in F2. */
function createBook(): Book {
  const book = new Book();
  book.set('A1', [
    ['Day', 'Count', 'Share', 'Price', null, 'Hour', 'Key'],
    ['01.03.2026', 1, '5%', '10 ₽', null, '12:30:00', 'a'],
    ['02.03.2026', 2, '15%', '20 ₽', null, null, 'b'],
    ['03.03.2026', 3, '25%', '30 ₽', null, null, 'c'],
  ]);
  return book;
}

describe('the format of a result', () => {
  const cases: readonly [formula: string, shown: FormatKind][] = [
    // Arithmetic.
    ['=A2', 'date'],
    ['=A2+30', 'date'],
    ['=30+A2', 'date'],
    ['=A3-A2', 'plain'],
    ['=A2-1', 'date'],
    ['=-A2', 'plain'],
    ['=A2*2', 'plain'],
    ['=C2*2', 'percent'],
    ['=D2*B2', 'currency'],
    ['=D2/D3', 'plain'],
    ['=5%+B2', 'percent'],
    ['=B2^2', 'plain'],
    ['=A2=A3', 'plain'],
    ['=A2&""', 'plain'],
    ['=YEAR(A2)', 'plain'],
    // Aggregates have the format of their numbers. Headings have no effect.
    ['=SUM(D1:D4)', 'currency'],
    ['=SUM(D2;B2)', 'currency'],
    ['=SUM(B2;D2)', 'plain'],
    ['=AVERAGE(A2:A4)', 'date'],
    ['=COUNT(A2:A4)', 'plain'],
    ['=SUMIF(B2:B4;">1";D2:D4)', 'currency'],
    ['=SUMIFS(D2:D4;B2:B4;">1")', 'currency'],
    ['=SUBTOTAL(9;D2:D4)', 'currency'],
    ['=ROUND(D2;1)', 'currency'],
    ['=ROUND(A2+1;0)', 'date'],
    ['=SUMPRODUCT(A2:A4;B2:B4)', 'plain'],
    // The format of the branch that returned the value.
    ['=IF(A2="";"";A2+30)', 'date'],
    ['=IF(A2>B2;B2;A2)', 'plain'],
    ['=IF(A2<B2;B2;A2)', 'date'],
    ['=IF(A2<B2;A2)+0', 'plain'],
    ['=IF(TRUE;C2;A2)', 'percent'],
    ['=IFS(B2>1;A2;B3>1;D2)', 'currency'],
    ['=SWITCH(B3;1;A2;2;C2;D2)', 'percent'],
    ['=SWITCH(9;1;A2;D2)', 'currency'],
    ['=CHOOSE(2;A2;B2)', 'plain'],
    ['=CHOOSE(1;A2;B2)', 'date'],
    ['=IFERROR(1/0;A2)', 'date'],
    ['=IFERROR(B2;A2)', 'plain'],
    ['=IFERROR(A2;B2)', 'date'],
    ['=IFNA(MATCH(9;B2:B4;0);A2)', 'date'],
    ['=IF(B2=1;IF(B3=1;A2;C2);D2)', 'percent'],
    ['=IF(B2>0;5;A2)', 'plain'],
    // Names.
    ['=LET(x;A2;y;B2;x+y)', 'date'],
    ['=LET(x;A2;y;B2;y)', 'plain'],
    ['=LET(x;A2+1;x)', 'date'],
    ['=LAMBDA(a;b;b)(A2;C2)', 'percent'],
    ['=LAMBDA(a;a+1)(A2+1)', 'date'],
    ['=LET(f;LAMBDA(a;b;IF(a;b;0));f(TRUE;D2*2))', 'currency'],
    ['=LET(f;SUM;f(D2:D4))', 'currency'],
    ['=LET(f;DATE;f(2026;1;1))', 'date'],
    // The format of the cell that a lookup returned.
    ['=INDEX(A2:B2;2)', 'plain'],
    ['=INDEX(A2:B2;1)', 'date'],
    ['=INDEX(A1:D4;3;3)', 'percent'],
    ['=INDEX(A2:B4*1;2;1)', 'plain'],
    ['=INDEX(FILTER(A2:D4;B2:B4>1);1;1)', 'date'],
    ['=INDEX(FILTER(A2:D4;B2:B4>1);1;2)', 'plain'],
    ['=OFFSET(A2;0;1)', 'plain'],
    ['=OFFSET(B2;0;-1)+1', 'date'],
    ['=INDIRECT("A2")', 'date'],
    ['=INDIRECT("B2")', 'plain'],
    ['=VLOOKUP(2;B2:D4;2;FALSE)', 'percent'],
    ['=VLOOKUP(2;B2:D4;3)', 'currency'],
    ['=VLOOKUP(2;CHOOSE({1\\2};B2:B4;A2:A4);2;FALSE)', 'date'],
    ['=HLOOKUP("Count";A1:D4;2;FALSE)', 'plain'],
    ['=HLOOKUP("Day";A1:D4;2;FALSE)', 'date'],
    ['=XLOOKUP(2;B2:B4;A2:A4)', 'date'],
    ['=XLOOKUP(9;B2:B4;A2:A4;5)', 'plain'],
    ['=XLOOKUP(9;B2:B4;B2:B4;D2+1)', 'currency'],
    ['=XLOOKUP(A3;A2:A4;B2:B4)', 'plain'],
    ['=LOOKUP(2;B2:B4;A2:A4)', 'date'],
    ['=LOOKUP(A3;A2:A4;B2:B4)', 'plain'],
    ['=MATCH(A3;A2:A4;0)', 'plain'],
    ['=XMATCH(A3;A2:A4)', 'plain'],
    ['=XLOOKUP("b";G2:G4;A2:A4)+1', 'date'],
    // The format of the element that equals the result.
    ['=MAX(A2:A4)', 'date'],
    ['=MAX(B2;A2)', 'date'],
    ['=MIN(A2;B2)', 'plain'],
    ['=MIN(A2:A4)', 'date'],
    ['=MAX(1;D2*2)', 'currency'],
    ['=LARGE(A2:A4;2)', 'date'],
    ['=SMALL(A2:D4;1)', 'percent'],
    ['=MAXIFS(A2:A4;B2:B4;"<3")', 'date'],
    ['=MINIFS(B2:B4;A2:A4;">0")', 'plain'],
    // LAMBDA helper functions.
    ['=REDUCE(0;D2:D4;LAMBDA(a;b;a+b))', 'currency'],
    ['=REDUCE(A2;B2:B4;LAMBDA(a;b;a+b))', 'date'],
    ['=REDUCE(A2+0;B2:B4;LAMBDA(a;b;a+b))', 'date'],
    ['=REDUCE(0;A2:A4;LAMBDA(a;b;a+1))', 'plain'],
    ['=INDEX(MAP(A2:A4;LAMBDA(d;d+1));2)', 'date'],
    ['=INDEX(MAP(A2:A4;YEAR);2)', 'plain'],
    ['=INDEX(MAP(A2:A4*1;B2:B4;LAMBDA(d;n;n));2)', 'plain'],
    ['=INDEX(SCAN(0;D2:D4;LAMBDA(a;b;a+b));3)', 'currency'],
    ['=INDEX(BYROW(A2:B4;LAMBDA(r;INDEX(r;1;1)));2)', 'date'],
    ['=INDEX(BYCOL(A2:D4;MAX);1)', 'date'],
    ['=INDEX(BYCOL(A2:D4;MAX);2)', 'plain'],
    // Functions that determine the format.
    ['=IF(B2;TODAY();B2)', 'date'],
    ['=IF(B2;B2;TODAY())', 'plain'],
    ['=EDATE(A2;1)', 'date'],
    ['=TIME(1;2;3)', 'time'],
    ['=DATE(2026;1;1)+TIME(1;0;0)-DATE(2026;1;1)', 'plain'],
    ['=DATEDIF(A2;A4;"d")', 'plain'],
    ['=N(A2)', 'date'],
    // Texts and blanks have no format.
    ['=TEXT(A2;"yyyy")*1', 'plain'],
    ['=IF(TRUE;E2)', 'plain'],
  ];
  for (const [formula, expected] of cases) {
    it(`${formula} is ${expected}`, () => {
      const book = createBook();
      book.set('J9', formula);
      assert.equal(detectFormatKind(book.text('J9')), expected);
    });
  }
});

describe('the formats of an array that spills', () => {
  const cases: readonly [formula: string, expected: readonly (readonly FormatKind[])[]][] = [
    [
      '=FILTER(A2:B4;B2:B4>1)',
      [
        ['date', 'plain'],
        ['date', 'plain'],
      ],
    ],
    [
      '=SORT(A1:D2;1;1)',
      [
        ['date', 'plain', 'percent', 'currency'],
        ['plain', 'plain', 'plain', 'plain'],
      ],
    ],
    [
      '=SORTBY(A2:B3;B2:B3;-1)',
      [
        ['date', 'plain'],
        ['date', 'plain'],
      ],
    ],
    [
      '=UNIQUE(A2:B3)',
      [
        ['date', 'plain'],
        ['date', 'plain'],
      ],
    ],
    ['=TAKE(A1:C4;-1)', [['date', 'plain', 'percent']]],
    ['=DROP(A2:C3;1;1)', [['plain', 'percent']]],
    [
      '=CHOOSECOLS(A2:D3;4;1)',
      [
        ['currency', 'date'],
        ['currency', 'date'],
      ],
    ],
    [
      '=CHOOSEROWS(A1:B4;2;3)',
      [
        ['date', 'plain'],
        ['date', 'plain'],
      ],
    ],
    [
      '=VSTACK(A2:B2;C2:D2;7)',
      [
        ['date', 'plain'],
        ['percent', 'currency'],
        ['plain', 'plain'],
      ],
    ],
    ['=VSTACK(A2+1;B2)', [['date'], ['plain']]],
    [
      '=HSTACK(A2:A3;B2:B3;C2+0)',
      [
        ['date', 'plain', 'percent'],
        ['date', 'plain', 'plain'],
      ],
    ],
    ['=TOCOL(A2:B3)', [['date'], ['plain'], ['date'], ['plain']]],
    ['=TOCOL(A2:B3;0;TRUE)', [['date'], ['date'], ['plain'], ['plain']]],
    ['=TOROW(A2:B2)', [['date', 'plain']]],
    [
      '=WRAPROWS(A2:D2;2)',
      [
        ['date', 'plain'],
        ['percent', 'currency'],
      ],
    ],
    [
      '=WRAPCOLS(A2:D2;2)',
      [
        ['date', 'percent'],
        ['plain', 'currency'],
      ],
    ],
    [
      '=EXPAND(A2:B2;2;2;9)',
      [
        ['date', 'plain'],
        ['plain', 'plain'],
      ],
    ],
    ['=TRANSPOSE(A2:C2)', [['date'], ['plain'], ['percent']]],
    [
      '=A2:B3',
      [
        ['date', 'plain'],
        ['date', 'plain'],
      ],
    ],
    ['=A2:A3+B2:B3', [['date'], ['date']]],
    ['=A3:A4-A2:A3', [['plain'], ['plain']]],
    ['=A2:D2*1', [['plain', 'plain', 'percent', 'currency']]],
    ['=IF(B2:B4>1;A2:A4;B2:B4)', [['plain'], ['date'], ['date']]],
    ['=IF(B2:B3>1;A2+1;0)', [['plain'], ['date']]],
    ['=IFERROR(A2:A3/(B2:B3-1);D2:D3)', [['currency'], ['plain']]],
    ['=CHOOSE(B2:B3;A2:A3;C2:C3)', [['date'], ['percent']]],
    ['=SWITCH(B2:B3;1;A2:A3;C2:C3)', [['date'], ['percent']]],
    ['=IFS(B2:B3>1;A2:A3;TRUE;D2:D3)', [['currency'], ['date']]],
    ['=XLOOKUP(2;B2:B4;C2:D4)', [['percent', 'currency']]],
    ['=XLOOKUP({1;2};B2:B4;A2:A4)', [['date'], ['date']]],
    ['=INDEX(A2:D4;2;0)', [['date', 'plain', 'percent', 'currency']]],
    ['=INDEX(A2:D2;{1\\2\\4})', [['date', 'plain', 'currency']]],
    ['=MAP(A2:A3;B2:B3;LAMBDA(d;n;IF(n>1;d;n)))', [['plain'], ['date']]],
    ['=MAP(A2:A3+0;LAMBDA(d;d))', [['date'], ['date']]],
    ['=SCAN(A2;B2:B3;LAMBDA(a;b;a+b))', [['date'], ['date']]],
    ['=MAKEARRAY(1;2;LAMBDA(r;c;INDEX(A2:B2;c)))', [['date', 'plain']]],
    ['=ROUND(A2:C2;2)', [['date', 'plain', 'percent']]],
    ['=YEAR(A2:A3)', [['plain'], ['plain']]],
    ['=EDATE(A2:A3+0;1)', [['date'], ['date']]],
    ['=SEQUENCE(2;1;A2)', [['plain'], ['plain']]],
    ['=DATE(2026;1;SEQUENCE(2))', [['date'], ['date']]],
    ['=ARRAYFORMULA(A2:A3+1)', [['date'], ['date']]],
    ['=ARRAY_CONSTRAIN(A2:D4;1;2)', [['date', 'plain']]],
    ['=FLATTEN(A2:B2;C2)', [['date'], ['plain'], ['percent']]],
    ['=SORTN(A2:B4;1)', [['date', 'plain']]],
    [
      '=GROUPBY(A2:A3;C2:D3;SUM;0;0)',
      [
        ['date', 'percent', 'currency'],
        ['date', 'percent', 'currency'],
      ],
    ],
    [
      '=PIVOTBY(B2:B3;A2:A3;D2:D3;SUM;0;0;;0)',
      [
        ['plain', 'date', 'date'],
        ['plain', 'currency', 'plain'],
      ],
    ],
    ['=SUBTOTAL(9;OFFSET(A2;0;{0\\1\\3}))', [['date', 'plain', 'currency']]],
  ];
  for (const [formula, expected] of cases) {
    it(formula, () => {
      const book = createBook();
      book.set('J9', formula);
      const columns = 'JKLM';
      const actual = expected.map((row, r) =>
        row.map((_, c) => detectFormatKind(book.text(`${columns.charAt(c)}${9 + r}`))),
      );
      assert.deepEqual(actual, expected);
    });
  }
});

const FORMATS = ['General', 'dd.mm.yyyy', '0%', '#,##0.00 ₽', '0.00'] as const;

const FORMULAS = [
  '=A1+B1',
  '=A1-B1',
  '=IF(C1>0;A1;B1)',
  '=IFERROR(A1/C1;B1)',
  '=SUM(A1:B1)',
  '=MAX(A1:C1)',
  '=INDEX(A1:C1;1+MOD(ABS(C1);3))',
  '=OFFSET(A1;0;MOD(ABS(C1);3))',
  '=LET(x;E1;x+1)',
  '=CHOOSE(1+MOD(ABS(C1);2);E1;G1)',
  '=FILTER(A1:C1;A1:C1>B1;0)',
  '=REDUCE(0;A1:C1;LAMBDA(a;b;IF(b>a;b;a)))',
  '=IF(C1>1;"";O1+1)',
];

/** Edits of A1:C1. The formulas are in E1, G1 and so on, so that the array has free cells to its right. */
const edits = fc.array(
  fc.record({
    column: fc.integer({ min: 0, max: 2 }),
    value: fc.constantFrom(0, 1, 2, 46_000.5, '', 'x', null),
    format: fc.constantFrom(...FORMATS),
  }),
  { minLength: 1, maxLength: 8 },
);

function enterFormulas(book: Book): void {
  for (const [i, formula] of FORMULAS.entries()) book.set(`${columnName(4 + 2 * i)}1`, formula);
}

function enterWithFormat(
  book: Book,
  { column, value, format }: { column: number; value: Input; format: string },
): void {
  const sheet = book.sheetId('Sheet1');
  const area = { top: 0, left: column, bottom: 0, right: column };
  book.apply([
    { kind: 'setFormat', sheet, area, format },
    value === null
      ? { kind: 'clear', sheet, area }
      : { kind: 'setValues', sheet, row: 0, column, values: [[value]], mode: 'raw' },
  ]);
}

describe('formats of results', () => {
  it('are the same after edits as in a full calculation', () => {
    fc.assert(
      fc.property(edits, (list) => {
        const edited = new Book();
        enterFormulas(edited);
        for (const edit of list) enterWithFormat(edited, edit);
        const fresh = new Book();
        const last = new Map(list.map((edit) => [edit.column, edit]));
        for (const edit of last.values()) enterWithFormat(fresh, edit);
        enterFormulas(fresh);
        assert.deepEqual(describeContents(edited.head), describeContents(fresh.head));
      }),
      { numRuns: scaleRunCount(300) },
    );
  });

  it('are removed from cells that a spill no longer fills', () => {
    const book = createBook();
    book.set('J9', '=FILTER(A2:A4;B2:B4<=B2)');
    book.set('B2', 3);
    book.set('B2', 1);
    book.set('K9', '=J10+J9');
    assert.equal(book.text('J10'), undefined);
    const { formats, sheets } = book.head;
    assert.equal(formats.code(sheets[0]?.format(9, 9) ?? 0), 'General');
  });

  it('reveal nothing of a sheet that the writer may no longer see', () => {
    const [owner, editor] = [1, 2];
    const book = new Book();
    book.addSheet('Secret');
    book.set('Secret!A1', '01.03.2026');
    book.context = createContext({ writer: editor, rights: { owner, hidden: [] } });
    book.set('A1', [['=AGGREGATE(9;6;Secret!A1)', '=IFERROR(MAX(5;Secret!A1);5)']]);
    assert.deepEqual([detectFormatKind(book.text('A1')), detectFormatKind(book.text('B1'))], ['date', 'date']);
    const hidden = [{ sheet: book.sheetId('Secret'), seenBy: [] }];
    book.context = createContext({ writer: null, rights: { owner, hidden } });
    book.apply([{ kind: 'recalculate', everything: true }]);
    assert.deepEqual([book.text('A1'), book.text('B1')], ['#VALUE!', '5']);
  });
});
