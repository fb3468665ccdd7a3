import assert from 'node:assert/strict';
import { it } from 'node:test';
import { calculate, testFormulas } from './test-formulas.ts';

const GRID = [
  [1, 10, 100],
  [2, 20, 200],
  [3, 30, 300],
];

testFormulas(
  'reference operators',
  [
    ['=SUM(A1:B2)', 33],
    ['=SUM(A1:B2 B1:C2)', 30],
    ['=A1:A3 A2:C2', 2],
    ['=SUM(A1:A3 C1:C3)', '#NULL!'],
    ['=SUM((A1:A3,C1:C3))', 606],
    ['=SUM((A1:B2,B2:C3))', 583],
    ['=COUNT((A1,A1,A1))', 3],
    ['=AREAS((A1,B2:C3))', 2],
    ['=(A1,B1)', '#VALUE!'],
    ['=INDEX((A1:B2,C1:C3),3,1,2)', 300],
    ['=LARGE((A1:A3,C1:C3),2)', 200],
    ['=RANK(30,(A1:A3,B1:B3))', 1],
    ['=SUM(A1:INDEX(A1:A3,2))', 3],
    ['=SUM(OFFSET(A1,1,1):C3)', 550],
    ['=SUM(A1:A2:C1)', 333],
    ['=ROWS(A1:C3 B:B)', 3],
    ['=COLUMNS(2:2 A1:C3)', 3],
    ['=SUM(B:B)', 60],
    ['=SUM(2:2)', 222],
    ['=-A1:A3', [[-1], [-2], [-3]]],
    ['=SUM(C3:A1)', 666],
    ['=SUM(A1:A3 A2,10)', 12],
  ],
  { rows: GRID },
);

testFormulas(
  'implicit intersection by @',
  [
    ['=@A1:A3', '#VALUE!'],
    ['=@A1:C1', '#VALUE!'],
    ['=@A1', 1],
    ['=@{7,8,9}', 7],
    ['=@INDEX(A1:A3,2)', 2],
    ['=SUM(@A1:A3,1)', '#VALUE!'],
    ['=E2', 2],
    ['=B5', 20],
    ['=E3', 33],
  ],
  { rows: GRID, cells: { E2: '=@A1:A3', B5: '=@A2:C2', E3: '=@A1:A3+B3' } },
);

it('a formula from before dynamic arrays has implicit intersection where a single value is expected', () => {
  const examples: readonly (readonly [string, unknown])[] = [
    ['=A1:A3+1', '#VALUE!'],
    ['=SUM(A1:A3+1)', '#VALUE!'],
    ['=SUMPRODUCT(A1:A3*B1:B3)', 140],
    ['=SUM(A1:A3)', 6],
    ['=ABS(A1:A3)', '#VALUE!'],
    ['=INDEX(A1:C3,2,0)', '#VALUE!'],
    ['=CHOOSE(1,5,6)', 5],
    ['=PROB({1,2},{0.4,0.6},A1:A3)', '#VALUE!'],
    ['=FORECAST(A1:A3,B1:B3,C1:C3)', '#VALUE!'],
    ['=LOOKUP(2,1/(A1:A3>1),B1:B3)', 30],
    ['=IF(1,A1:A3)', '#VALUE!'],
    ['=VLOOKUP(A1:A3,A1:B3,2,FALSE)', '#VALUE!'],
    ['=MATCH(A1:A3,A1:A3,0)', '#VALUE!'],
    ['=LARGE(A1:A3,A1:A3)', '#VALUE!'],
    ['=MATCH(1,INDEX((A1:A3>1)*(B1:B3>10),0),0)', '2'],
    ['=SUMPRODUCT(1/COUNTIF(A1:A3,A1:A3))', '3'],
    ['=SUMPRODUCT(SUMIF(A1:A3,A1:A3,B1:B3))', '60'],
    ['=VLOOKUP(20,CHOOSE({1,2},B1:B3,A1:A3),2,0)', '2'],
    ['=MAX((A1:A3>1)*B1:B3)', '#VALUE!'],
    ['=SUM(LARGE(A1:A3,{1,2}))', '5'],
    ['=RANK(A1:A3,A1:A3)', '#VALUE!'],
    ['=LOOKUP(A1:A3,A1:A3,B1:B3)', '#VALUE!'],
    ['=MATCH(2,A1:A3*1,0)', '#VALUE!'],
  ];
  const head = calculate(
    examples.map(([formula]) => formula),
    { rows: GRID, legacy: true },
  );
  const sheet = head.sheets[0];
  const actual = examples.map(([formula], i) => [formula, String(sheet?.value(999 + 40 * i, 60))]);
  assert.deepEqual(
    actual,
    examples.map(([formula, value]) => [formula, String(value)]),
  );
});

testFormulas(
  'spilled ranges by #',
  [
    ['=SUM(E1#)', 10],
    ['=ROWS(E1#)', 4],
    ['=E1#*2', [[2], [4], [6], [8]]],
    ['=SUM(A1#)', '#REF!'],
    ['=SUM(F1#)', '#REF!'],
    ['=INDEX(E1#,3)', 3],
    ['=SUM(E1#:G1)', 10],
    ['=SUM(E2#)', '#REF!'],
    ['=COUNT(OFFSET(E1#,1,0))', 3],
  ],
  { rows: GRID, cells: { E1: '=SEQUENCE(4)' } },
);

testFormulas(
  '3-D references',
  [
    ['=SUM(Sheet1:Third!A1)', 111],
    ['=SUM(Second:Third!A1:A2)', 330],
    ['=AVERAGE(Sheet1:Third!A1)', 37],
    ['=COUNT(Sheet1:Third!A:A)', 5],
    ['=MAX(Second:Third!A2)', 200],
    ['=SUM(Third:Second!A1)', 110],
    ['=Sheet1:Third!A1', '#VALUE!'],
    ['=Second:Third!A1+1', '#VALUE!'],
    ['=LARGE(Sheet1:Third!A1,1)', 100],
    ['=STDEV.P(Second:Third!A1)', 45],
    ['=SUM(Second:Missing!A1)', '#REF!'],
    ['=SUM(Missing!A1)', '#REF!'],
  ],
  { rows: [[1]], sheets: { Second: [[10], [20]], Third: [[100], [200]] } },
);

const TABLES = [
  {
    name: 'Sales',
    sheet: 'Sheet1',
    area: { top: 0, left: 0, bottom: 4, right: 2 },
    headerRow: true,
    totalsRow: true,
    columns: ['Item', 'Net', 'Tax [%]'],
  },
];
testFormulas(
  'structured references',
  [
    ['=SUM(Sales[Net])', 60],
    ['=SUM(Sales)', 66],
    ["=SUM(Sales[[Net]:[Tax '[%']]])", 66],
    ['=SUM(Sales[[#Data],[Net]])', 60],
    ['=Sales[[#Headers],[Net]]', 'Net'],
    ['=Sales[[#Totals],[Net]]', 60],
    ['=COUNTA(Sales[#All])', 14],
    ['=COUNTA(Sales[#Headers])', 3],
    ['=ROWS(Sales[[#Headers],[#Data]])', 4],
    ['=ROWS(Sales[[#Data],[#Totals],[Net]])', 4],
    ['=SUM(Sales[missing])', '#REF!'],
    ['=SUM(sales[net])', 60],
    ['=D2', 11],
    ['=D4', 33],
    ['=Sales[@Net]', '#VALUE!'],
    ['=SUM(INDIRECT("Sales[Net]"))', 60],
    ['=XLOOKUP("b",Sales[Item],Sales[Net])', 20],
  ],
  {
    rows: [
      ['Item', 'Net', 'Tax [%]'],
      ['a', 10, 1, "=Sales[@Net]+Sales[@[Tax '[%']]]"],
      ['b', 20, 2],
      ['c', 30, 3, "=Sales[[#This Row],[Net]]+Sales[[#This Row],[Tax '[%']]]"],
      ['Total', '=SUBTOTAL(109,Sales[Net])'],
    ],
    tables: TABLES,
  },
);

testFormulas(
  'defined names: names of the sheet precede names of the workbook',
  [
    ['=Rate', 0.2],
    ['=rate*100', 20],
    ['=Second!Rate', 0.1],
    ['=Second!A1', 0.1],
    ['=SUM(Numbers)', 6],
    ['=Numbers', [[1], [2], [3]]],
    ['=Twice(21)', 42],
    ['=Below', 0],
    ['=B2', 3],
    ['=SUM(Sheet1!Numbers)', 6],
    ['=Nowhere', '#NAME?'],
    ['=Broken', '#REF!'],
    ['=COUNT(Both)', 5],
    ['=ROW(Numbers)', [[1], [2], [3]]],
    ['=ISREF(Numbers)', true],
    ['=ISREF(Rate)', false],
  ],
  {
    rows: [[1], [2, '=Below'], [3]],
    sheets: { Second: [['=Rate']] },
    names: [
      { name: 'Rate', formula: '0.2' },
      { name: 'Rate', sheet: 'Second', formula: '0.1' },
      { name: 'Numbers', formula: 'Sheet1!$A$1:$A$3' },
      { name: 'Twice', formula: 'LAMBDA(x,x*2)' },
      { name: 'Below', formula: 'OFFSET(INDIRECT(ADDRESS(ROW(),1)),1,0)' },
      { name: 'Broken', formula: '#REF!' },
      { name: 'Both', formula: 'Sheet1!$A$1:$A$3,Sheet1!$A$2:$A$3' },
    ],
  },
);

testFormulas(
  'references from texts, and the position of the formula',
  [
    ['=INDIRECT("A2")', 2],
    ['=INDIRECT("R2C1",FALSE)', 2],
    ['=SUM(INDIRECT("A1:A"&3))', 6],
    ['=INDIRECT("Second!A1")', 'there'],
    ['=INDIRECT("\'Second\'!A1")', 'there'],
    ['=INDIRECT("nothing here")', '#REF!'],
    ['=INDIRECT("")', '#REF!'],
    ['=ROW(B7)', 7],
    ['=COLUMN(B7)', 2],
    ['=ROW(A2:A4)', [[2], [3], [4]]],
    ['=COLUMN(B1:D1)', [[2, 3, 4]]],
    ['=C5', 5],
    ['=D5', 4],
    ['=ADDRESS(2,3)', '$C$2'],
    ['=ADDRESS(2,3,2)', 'C$2'],
    ['=ADDRESS(2,3,2,FALSE)', 'R2C[3]'],
    ['=ADDRESS(2,3,1,FALSE,"[Book1]Sheet1")', '[Book1]Sheet1!R2C3'],
    ['=ADDRESS(2,3,1,FALSE,"EXCEL SHEET")', "'EXCEL SHEET'!R2C3"],
    ['=SHEET("Second")', 2],
    ['=SHEETS()', 2],
    ['=FORMULATEXT(C5)', '=ROW()'],
    ['=ISFORMULA(C5)', true],
    ['=CELL("address",B2)', '$B$2'],
    ['=CELL("contents",A2)', 2],
    ['=CELL("row",A2)', 2],
  ],
  { rows: GRID, cells: { C5: '=ROW()', D5: '=COLUMN()' }, sheets: { Second: [['there']] } },
);

// Many workbooks add up sheets or filtered rows with an array of references.
testFormulas(
  'arrays of references',
  [
    ['=SUM(SUMIF(INDIRECT({"Second","Third"}&"!A1:A2"),">10"))', 320],
    ['=SUMPRODUCT(SUMIF(INDIRECT(D1:D2&"!A1:A2"),">0",INDIRECT(D1:D2&"!A1:A2")))', 330],
    ['=SUM(COUNTIF(INDIRECT("\'"&D1:D2&"\'!A1:A2"),{10,20}))', 2],
    ['=SUMIF(INDIRECT({"Second","Third"}&"!A1:A2"),">0")', [[30, 300]]],
    ['=SUBTOTAL(9,OFFSET(A1,ROW(A1:A3)-1,0))', [[1], [2], [3]]],
    ['=SUBTOTAL(109,OFFSET(A1,{0;1;2},0))', [[1], [0], [3]]],
    ['=SUMPRODUCT(SUBTOTAL(103,OFFSET(A1,ROW(A1:A3)-1,0)),B1:B3)', 40],
    ['=SUBTOTAL(9,OFFSET(A1,0,0,{1,2,3},1))', [[1, 3, 6]]],
    ['=SUBTOTAL(9,OFFSET(A1,0,0,3,1))', 6],
    ['=COUNTIF(OFFSET(A1,{0;1},0,2,1),">1")', [[1], [2]]],
    ['=SUM(N(OFFSET(A1,{0;2},0)))', 4],
    ['=SUMIF(INDIRECT({"A1:A3","nonsense here"}),">0")', [[6, '#REF!']]],
  ],
  {
    rows: [
      [1, 10, null, 'Second'],
      [2, 20, null, 'Third'],
      [3, 30],
    ],
    sheets: { Second: [[10], [20]], Third: [[100], [200]] },
    hiddenRows: [1],
  },
);
