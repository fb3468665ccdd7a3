import { testFormulas } from './test-formulas.ts';

// Examples of Microsoft's function pages.
const STAFF = [
  [101, 'Davis', 'Sara', 'Sales Rep.'],
  [102, 'Fontana', 'Olivier', 'VP of Sales'],
  [103, 'Leal', 'Karina', 'Sales Rep.'],
  [104, 'Patten', 'Michael', 'Sales Rep.'],
  [105, 'Burke', 'Brian', 'Manager'],
];
testFormulas(
  'lookups',
  [
    ['=VLOOKUP("Fontana",B1:D5,2,FALSE)', 'Olivier'],
    ['=VLOOKUP(102,A1:C5,2,FALSE)', 'Fontana'],
    ['=VLOOKUP(103.5,A1:C5,2)', 'Leal'],
    ['=VLOOKUP(100,A1:C5,2)', '#N/A'],
    ['=VLOOKUP("F*",B1:C5,2,FALSE)', 'Olivier'],
    ['=VLOOKUP("?urke",B1:C5,2,0)', 'Brian'],
    ['=VLOOKUP({101;105},A1:B5,2,FALSE)', [['Davis'], ['Burke']]],
    ['=VLOOKUP(101,A1:D5,{2,3},FALSE)', [['Davis', 'Sara']]],
    ['=VLOOKUP("102",A1:B5,2,FALSE)', '#N/A'],
    ['=VLOOKUP(101,A1:B5,3,FALSE)', '#REF!'],
    ['=VLOOKUP(101,A1:B5,0,FALSE)', '#VALUE!'],
    ['=VLOOKUP(,A1:B5,2,FALSE)', '#N/A'],
    ['=HLOOKUP("B",{"A","B";1,2},2,TRUE)', 2],
    ['=HLOOKUP(3,{1,2,3;"a","b","c";"d","e","f"},2,TRUE)', 'c'],
    ['=HLOOKUP("x",{"A","B";1,2},2,FALSE)', '#N/A'],
    ['=LOOKUP(103.9,A1:A5,B1:B5)', 'Leal'],
    ['=LOOKUP("C",{"a","b","c","d";1,2,3,4})', 3],
    ['=LOOKUP("bump",{"a",1;"b",2;"c",3})', 2],
    ['=LOOKUP(0,A1:A5,B1:B5)', '#N/A'],
    ['=LOOKUP(2,1/(D1:D5="Sales Rep."),B1:B5)', 'Patten'],
    ['=MATCH(103,A1:A5,0)', 3],
    ['=MATCH(103.5,A1:A5)', 3],
    ['=MATCH(40,{41,40,38,25},-1)', 2],
    ['=MATCH(39,{41,40,38,25},-1)', 2],
    ['=MATCH(42,{41,40,38,25},-1)', '#N/A'],
    ['=MATCH("b*",B1:B5,0)', 5],
    ['=MATCH("~*",{"a","*"},0)', 2],
    ['=MATCH(1,A1:B5,0)', '#N/A'],
    ['=INDEX(A1:D5,2,2)', 'Fontana'],
    ['=INDEX({1,2;3,4},0,2)', [[2], [4]]],
    ['=INDEX({1,2;3,4},2,0)', [[3, 4]]],
    ['=INDEX({1,2;3,4},3,1)', '#REF!'],
    ['=INDEX({1,2,3},2)', 2],
    ['=SUM(INDEX(A1:A5,0))', 515],
    ['=INDEX(A1:D5,{1,3},2)', [['Davis', 'Leal']]],
    ['=XLOOKUP(104,A1:A5,B1:B5)', 'Patten'],
    ['=XLOOKUP(104,A1:A5,B1:D1)', '#VALUE!'],
    ['=XLOOKUP(104,A1:A5,B1:C5)', [['Patten', 'Michael']]],
    ['=XLOOKUP(9,A1:A5,B1:B5,"none")', 'none'],
    ['=XLOOKUP(9,A1:A5,B1:B5)', '#N/A'],
    ['=XLOOKUP(103.5,A1:A5,B1:B5,,-1)', 'Leal'],
    ['=XLOOKUP(103.5,A1:A5,B1:B5,,1)', 'Patten'],
    ['=XLOOKUP("sales*",D1:D5,B1:B5,,2)', 'Davis'],
    ['=XLOOKUP("sales*",D1:D5,B1:B5,,2,-1)', 'Patten'],
    ['=XLOOKUP("Sales Rep.",D1:D5,B1:B5,,0,-1)', 'Patten'],
    ['=XLOOKUP({101,105},A1:A5,B1:B5)', [['Davis', 'Burke']]],
    ['=SUM(XLOOKUP(102,A1:A5,A1:A5):XLOOKUP(104,A1:A5,A1:A5))', 309],
    ['=XMATCH(103.5,A1:A5,1)', 4],
    ['=XMATCH(103.5,A1:A5,-1)', 3],
    ['=XMATCH("Leal",B1:B5)', 3],
    ['=XMATCH(104,A1:A5,0,2)', 4],
    ['=XMATCH(1,A1:A5)', '#N/A'],
    ['=OFFSET(A1,1,1)', 'Fontana'],
    ['=SUM(OFFSET(A1,0,0,5,1))', 515],
    ['=SUM(OFFSET(A5,0,0,-2,1))', 209],
    ['=OFFSET(A1,-1,0)', '#REF!'],
    ['=OFFSET(A1:A2,1,0)', [[102], [103]]],
    ['=OFFSET(A1,0,0,0,1)', '#REF!'],
    [
      '=TRANSPOSE({1,2;3,4})',
      [
        [1, 3],
        [2, 4],
      ],
    ],
    ['=ROWS(A1:B3)', 3],
    ['=COLUMNS({1,2,3;4,5,6})', 3],
    ['=AREAS(A1:B2)', 1],
    ['=HYPERLINK("http://example.com","text")', 'text'],
    ['=HYPERLINK("http://example.com")', 'http://example.com'],
    ['=INDEX(SORT(A1:A5,1,-1),1)', 105],
  ],
  { rows: STAFF },
);

testFormulas(
  'dynamic arrays',
  [
    [
      '=FILTER(A1:B5,A1:A5>103)',
      [
        [104, 'Patten'],
        [105, 'Burke'],
      ],
    ],
    ['=FILTER(B1:B5,D1:D5="x","none")', 'none'],
    ['=FILTER(B1:B5,D1:D5="x")', '#CALC!'],
    ['=FILTER(B1:B5,{1,0})', '#VALUE!'],
    ['=FILTER({1,2,3},{1,0,1})', [[1, 3]]],
    ['=SORT({3;1;2})', [[1], [2], [3]]],
    ['=SORT({3;1;2},1,-1)', [[3], [2], [1]]],
    ['=SORT({3,1,2},1,1,TRUE)', [[1, 2, 3]]],
    ['=SORT({1},2)', '#VALUE!'],
    ['=SORT({3;1},1,0)', '#VALUE!'],
    ['=SORTBY(C1:C5,B1:B5)', [['Brian'], ['Sara'], ['Olivier'], ['Karina'], ['Michael']]],
    ['=SORTBY({1;2},{1;2;3})', '#VALUE!'],
    ['=UNIQUE(D1:D5)', [['Sales Rep.'], ['VP of Sales'], ['Manager']]],
    ['=UNIQUE(D1:D5,,TRUE)', [['VP of Sales'], ['Manager']]],
    ['=UNIQUE({1,1,2},TRUE)', [[1, 2]]],
    ['=TAKE(A1:A5,2)', [[101], [102]]],
    ['=TAKE(A1:A5,-2)', [[104], [105]]],
    ['=TAKE(A1:B5,1,-1)', 'Davis'],
    ['=DROP(A1:A5,3)', [[104], [105]]],
    ['=DROP(A1:A5,5)', '#CALC!'],
    ['=DROP(A1:B5,-4,1)', 'Davis'],
    ['=CHOOSECOLS(A1:C1,3,1)', [['Sara', 101]]],
    ['=CHOOSECOLS(A1:C1,-1)', 'Sara'],
    ['=CHOOSECOLS(A1:C1,4)', '#VALUE!'],
    ['=CHOOSEROWS(A1:A5,{5,1})', [[105], [101]]],
    [
      '=EXPAND({1,2},2,3,0)',
      [
        [1, 2, 0],
        [0, 0, 0],
      ],
    ],
    [
      '=EXPAND({1,2},2)',
      [
        [1, 2],
        ['#N/A', '#N/A'],
      ],
    ],
    ['=EXPAND({1,2},1,1)', '#VALUE!'],
    [
      '=HSTACK({1;2},{3})',
      [
        [1, 3],
        [2, '#N/A'],
      ],
    ],
    [
      '=VSTACK({1,2},{3})',
      [
        [1, 2],
        [3, '#N/A'],
      ],
    ],
    ['=TOCOL({1,2;3,4})', [[1], [2], [3], [4]]],
    ['=TOCOL({1,2;3,4},0,TRUE)', [[1], [3], [2], [4]]],
    ['=TOROW({1,#N/A;3,4},2)', [[1, 3, 4]]],
    [
      '=WRAPROWS({1,2,3,4,5},3)',
      [
        [1, 2, 3],
        [4, 5, '#N/A'],
      ],
    ],
    [
      '=WRAPCOLS({1,2,3,4,5},3,"x")',
      [
        [1, 4],
        [2, 5],
        [3, 'x'],
      ],
    ],
    ['=WRAPROWS({1,2;3,4},2)', '#VALUE!'],
    [
      '=TRIMRANGE(F1:H5)',
      [
        ['a', 0],
        [0, 'b'],
      ],
    ],
    [
      '=GROUPBY({"x";"y";"x"},{1;2;3},SUM)',
      [
        ['x', 4],
        ['y', 2],
        ['Total', 6],
      ],
    ],
    [
      '=GROUPBY({"x";"y";"x"},{1;2;3},SUM,0,0)',
      [
        ['x', 4],
        ['y', 2],
      ],
    ],
    [
      '=PIVOTBY({"x";"y";"x"},{"p";"p";"q"},{1;2;3},SUM,0,0,,0)',
      [
        ['', 'p', 'q'],
        ['x', 1, 3],
        ['y', 2, ''],
      ],
    ],
    ['=PERCENTOF({1,2},{1,2,3,4})', 0.3],
    [
      '={1,2}+{10;20}',
      [
        [11, 12],
        [21, 22],
      ],
    ],
    ['={1,2,3}+{1,2}', [[2, 4, '#N/A']]],
    ['=SUM(--({1,2,3}>1))', 2],
  ],
  { rows: STAFF, cells: { G2: 'a', H3: 'b' } },
);

// The examples of DSUM and similar functions use one table of trees.
const ORCHARD = [
  ['Tree', 'Height', 'Age', 'Yield', 'Profit', 'Height'],
  ['="=Apple"', '>10', null, null, null, '<16'],
  ['="=Pear"', '>12'],
  ['Tree', 'Height', 'Age', 'Yield', 'Profit'],
  ['Apple', 18, 20, 14, 105],
  ['Pear', 12, 12, 10, 96],
  ['Cherry', 13, 14, 9, 105],
  ['Apple', 14, 'N/A', 10, 75],
  ['Pear', 9, 8, 8, 77],
  ['Apple', 12, 11, 6, 45],
];
testFormulas(
  'databases',
  [
    ['=DAVERAGE(A4:E10,"Yield",A1:B2)', 10],
    ['=DAVERAGE(A4:E10,3,A4:E10)', 13],
    ['=DCOUNT(A4:E10,"Age",A1:F2)', 1],
    ['=DCOUNT(A4:E10,,A1:F2)', 2],
    ['=DCOUNTA(A4:E10,"Profit",A1:F2)', 2],
    ['=DGET(A4:E10,"Yield",A1:A3)', '#NUM!'],
    ['=DGET(A4:E10,"Yield",A1:F2)', '#NUM!'],
    ['=DMAX(A4:E10,"Profit",A1:F3)', 75],
    ['=DMIN(A4:E10,"Profit",A1:B2)', 45],
    ['=DPRODUCT(A4:E10,"Yield",A1:B2)', 840],
    ['=DSTDEV(A4:E10,"Yield",A1:A3)', 2.966479395],
    ['=DSTDEVP(A4:E10,"Yield",A1:A3)', 2.653299832],
    ['=DSUM(A4:E10,"Profit",A1:A2)', 225],
    ['=DSUM(A4:E10,"Profit",A1:F2)', 120],
    ['=DVAR(A4:E10,"Yield",A1:A3)', 8.8],
    ['=DVARP(A4:E10,"Yield",A1:A3)', 7.04],
    ['=DSUM(A4:E10,"Nothing",A1:A2)', '#VALUE!'],
    ['=DSUM(A4:E10,9,A1:A2)', '#VALUE!'],
  ],
  { rows: ORCHARD, tolerance: 1e-9 },
);

// Apache POI, MatchFunctionTestCaseData.xls, and PhpSpreadsheet issue 1116: Excel compares the elements one by one
// for type -1 and stops before the first smaller one.
testFormulas('MATCH with type -1 in data out of order', [
  ['=MATCH(4,{5;3;9;8;7},-1)', 1],
  ['=MATCH(2,{5;3;1;4;2},-1)', 2],
  ['=MATCH(3,{5;3;3;1},-1)', 2],
  ['=MATCH(6,{5;3},-1)', '#N/A'],
  ['=MATCH("b",{"d";1;"c";"a"},-1)', 3],
  ['=MATCH("ed*",{"Albert";"Charles";"Ed"},-1)', '#N/A'],
  ['=MATCH("??eg",{"Albert";"Charles";"Ed"},-1)', 3],
]);

// Microsoft, “XMATCH function”: -1 the next smaller, 1 the next larger item. The items are in the order of SORT:
// numbers, texts, truth values, errors, blanks.
testFormulas(
  'the next smaller or larger item among items of other types',
  [
    ['=XMATCH(5,A1:A6,1)', 6],
    ['=XMATCH(8,A1:A6,1)', 2],
    ['=XMATCH(8,A3:A6,1)', 1],
    ['=XMATCH(8,A4:A6,1)', 1],
    ['=XMATCH(8,A5:A6,1)', 1],
    ['=XMATCH(8,A6:A6,1)', '#N/A'],
    ['=XMATCH("b",A1:A6,-1)', 2],
    ['=XMATCH("A",A6:A6,-1)', 1],
    ['=XMATCH("b",A1:A6,1)', 3],
    ['=XMATCH(TRUE,A1:A6,1)', 3],
    ['=XMATCH(FALSE,A1:A2,-1)', 2],
    ['=XLOOKUP(8,A1:A6,B1:B6,"none",1)', 'text'],
  ],
  {
    rows: [
      [1, 'one'],
      ['a', 'text'],
      [true, 'yes'],
      ['=NA()', 'error'],
      [null, 'blank'],
      [7, 'seven'],
    ],
  },
);

// Microsoft, “XLOOKUP function” and “XMATCH function”, match mode 3; “REGEXTEST function” for the meaning of a match.
testFormulas(
  'lookups by regular expression',
  [
    ['=XMATCH("rr",A1:A4,3)', 2],
    ['=XMATCH("^b",A1:A4,3)', '#N/A'],
    ['=XMATCH("(?i)^b",A1:A4,3)', 2],
    ['=XMATCH("p",A1:A4,3,-1)', 4],
    ['=XMATCH("^1.$",A1:A4,3)', 3],
    ['=XMATCH("(",A1:A4,3)', '#VALUE!'],
    ['=XMATCH("p",A1:A4,3,2)', '#VALUE!'],
    ['=XMATCH("p",A1:A4,4)', '#VALUE!'],
    ['=XLOOKUP("[0-9]+",A1:A4,B1:B4,,3)', 3],
    ['=XLOOKUP("x{2}",A1:A4,B1:B4,"none",3)', 'none'],
    ['=XLOOKUP({"rr";"pp"},A1:A4,B1:B4,,3)', [[2], [1]]],
  ],
  {
    rows: [
      ['apple', 1],
      ['Berry', 2],
      [12, 3],
      ['pear', 4],
    ],
  },
);

// LibreOffice, function documents of ROWS and COLUMNS.
testFormulas('sizes', [
  ['=ROWS({1;2})', 2],
  ['=COLUMNS(A1:C9)', 3],
]);
