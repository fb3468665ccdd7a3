import { testFormulas } from './test-formulas.ts';

// Regression tests: results of Excel that are confirmed by the test suites of other products.

testFormulas(
  'booleans next to texts',
  [
    ['=AND(TRUE,"z")', true],
    ['=OR(FALSE,"z")', false],
    ['=XOR(TRUE,"z")', true],
    ['=OR("z",TRUE)', true],
    ['=AND("z")', '#VALUE!'],
    ['=AND("z","y")', '#VALUE!'],
    ['=AND(TRUE,"FALSE")', false],
    ['=AND(A1,TRUE)', true],
    ['=AND(A1)', '#VALUE!'],
    ['=AND(TRUE,1/0,"z")', '#DIV/0!'],
  ],
  { cells: { A1: 'x' } },
);

testFormulas('binary search among values of several types', [
  ['=XMATCH("b",{1,2,"a","c",TRUE},-1,2)', 3],
  ['=XMATCH(5,{1,2,"a","c",TRUE},1,2)', 3],
  ['=XMATCH(5,{1,2,"a","c",TRUE},-1,2)', 2],
  ['=XMATCH("z",{1,2,"a","c",TRUE},1,2)', 5],
  ['=XMATCH(FALSE,{1,2,"a"},-1,2)', 3],
  ['=XMATCH(5,{TRUE,"c","a",2,1},-1,-2)', 4],
  ['=XMATCH(5,{TRUE,"c","a",2,1},1,-2)', 3],
  ['=XMATCH("c",{1,2,"a","c",TRUE},0,2)', 4],
  ['=XMATCH(5,{"a","b"},-1,2)', '#N/A'],
  ['=XLOOKUP(5,{1,2,"a"},{10,20,30},"n",1,2)', 30],
  ['=XLOOKUP(5,{1,2,"a"},{10,20,30},"n",-1,2)', 20],
]);

testFormulas(
  'results of blanks and invalid arguments',
  [
    ['=LCM(Z1:Z3)', 0],
    ['=GCD(Z1:Z3)', 0],
    ['=LCM(Z1:Z3,4)', 4],
    ['=PMT(-1,10,100)', '#NUM!'],
    ['=IRR({-100,50,70},-1)', '#VALUE!'],
    ['=IRR({-100,50,70},-2)', '#VALUE!'],
    ['=SERIESSUM(TRUE,0,1,{1,2})', '#VALUE!'],
    ['=SERIESSUM(2,TRUE,1,{1,2})', '#VALUE!'],
    ['=SERIESSUM(2,0,FALSE,{1,2})', '#VALUE!'],
    ['=SERIESSUM("2",0,1,{1,2})', 5],
    ['=MODE(1,"1",2)', '#VALUE!'],
    ['=MODE.SNGL(1,1,"x")', '#VALUE!'],
    ['=MODE({1;"1";1})', 1],
    ['=MIRR({-1,-2,-3},0.1,0.1)', '#DIV/0!'],
    ['=MIRR({1,2,3},0.1,0.1)', '#DIV/0!'],
    ['=XNPV(0.1,{-100,50},{"x",45000})', '#VALUE!'],
    ['=HYPGEOM.DIST(0,0,5,10,FALSE)', '#NUM!'],
    ['=HYPGEOM.DIST(0,0,5,10,TRUE)', '#NUM!'],
    ['=HYPGEOM.DIST(0,3,0,10,TRUE)', '#NUM!'],
    ['=DGET(A1:B3,B1,D1:D2)', 5],
    ['=DGET(A1:B3,"Note",D1:D2)', '#VALUE!'],
    ['=DGET(A1:B3,1/0,D1:D2)', '#DIV/0!'],
    ['=DGET(A1:C3,"Sum",D1:D2)', 5],
    ['=TYPE({1})', 64],
    ['=TYPE({1,2})', 64],
    ['=TYPE(A2)', 2],
    ['=TYPE(A2:A3*1)', 64],
  ],
  {
    cells: { A1: 'Name', B1: 'Sum', C1: '=1/0', A2: 'Tea', B2: 5, A3: 'Cup', B3: 7, D1: 'Name', D2: 'Tea' },
  },
);

for (const locale of ['en-US', 'ru-RU', 'de-DE', 'fr-FR'] as const) {
  testFormulas(
    `money in texts, ${locale}`,
    [
      ['=VALUE("€100")', 100],
      ['=VALUE("100 €")', 100],
      ['=VALUE("-€100")', -100],
      ['="€5"*2', 10],
      ['=VALUE("€")', '#VALUE!'],
      ['=VALUE("€5€")', '#VALUE!'],
    ],
    { locale },
  );
}

testFormulas(
  'roubles in texts',
  [
    ['=VALUE("5 руб.")', 5],
    ['=VALUE("5 руб")', 5],
    ['=VALUE("1 234,5 руб.")', 1234.5],
    ['=VALUE("-5 руб.")', -5],
    ['=VALUE("руб.")', '#VALUE!'],
    ['=VALUE("5 рублей")', '#VALUE!'],
  ],
  { locale: 'ru-RU' },
);

testFormulas('rounding of numbers above 1E15', [
  ['=ROUND(1234567890123456,-1)', 1234567890123460],
  ['=ROUND(1000000000000000.5,0)', 1000000000000001],
  ['=ROUNDUP(1000000000000000.5,0)', 1000000000000001],
  ['=ROUNDUP(1234567890123451,-1)', 1234567890123460],
  ['=ROUNDDOWN(1234567890123459,-1)', 1234567890123450],
  ['=ROUND(1234567890123456,0)', 1234567890123456],
  ['=ROUND(4503599627370497,0)', 4503599627370497],
  ['=ROUND(9007199254740991,-3)', 9007199254741000],
  ['=ROUND(123456789012345680,-3)', 123456789012346000],
  ['=ROUND(-1234567890123456,-1)', -1234567890123460],
  ['=CEILING(1000000000000001,10)', 1000000000000010],
  ['=CEILING(1000000000000000.5,1)', 1000000000000001],
  ['=CEILING(-1000000000000001,10)', -1000000000000000],
  ['=CEILING.MATH(1234567890123456,1000)', 1234567890124000],
  ['=FLOOR(1234567890123456,10)', 1234567890123450],
  ['=FLOOR(1000000000000009,10)', 1000000000000000],
  ['=MROUND(1000000000000006,10)', 1000000000000010],
]);

testFormulas('the number of arguments is checked', [
  ['=CEILING(2.5,1)', 3],
  ['=FLOOR(2.5,1)', 2],
  ['=CEILING(2.5,1,1)', '#N/A'],
  ['=FLOOR(2.5,1,0)', '#N/A'],
  ['=COLUMNS()', '#N/A'],
  ['=ROWS()', '#N/A'],
]);

testFormulas(
  'OpenFormula’s mode of rounding in files',
  [
    ['=FLOOR(-11,-2,1)', -10],
    ['=FLOOR(-11,-2,0)', -12],
    ['=CEILING(-11,-2,1)', -12],
  ],
  {
    legacy: true,
  },
);

testFormulas(
  'functions of Google Sheets',
  [
    ['=POW(2,10)', 1024],
    ['=COUNTUNIQUEIFS(A1:A5,B1:B5,">0")', 2],
    ['=COUNTUNIQUEIFS(A1:A5,B1:B5,">0",A1:A5,"a")', 1],
    ['=COUNTUNIQUEIFS(A1:A5,B1:B4,">0")', '#VALUE!'],
    ['=PERCENTIF(B1:B5,">0")', 0.8],
    ['=PERCENTIF(A1:A5,"a")', 0.4],
    ['=ROUND(MARGINOFERROR(D1:D4,0.95),3)', 3.528],
    ['=MARGINOFERROR(D1:D4,1)', '#NUM!'],
    ['=IMREAL(IMLOG("8",2))', 3],
    ['=IMAGINARY(IMLOG("-1",EXP(1)))', Math.PI],
    ['=IMLOG("0",2)', '#NUM!'],
    ['=IMREAL(IMTANH("1"))', Math.tanh(1)],
    ['=IMAGINARY(IMTANH("i"))', Math.tan(1)],
    ['=IMREAL(IMCOTH("1"))', 1 / Math.tanh(1)],
    ['=IMCOTH("0")', '#NUM!'],
    ['=IMABS(IMSUB(IMTANH("1+2i"),IMDIV(IMSINH("1+2i"),IMCOSH("1+2i"))))<1E-14', true],
  ],
  { cells: { A1: 'a', A2: 'A', A3: 'b', A4: 'c', B1: 1, B2: 2, B3: 3, B4: -1, B5: 5, D1: 8, D2: 4, D3: 3, D4: 6 } },
);

testFormulas(
  'booleans and times as texts',
  [
    ['=TEXT(TRUE,";;;-@-")', '-TRUE-'],
    ['=TEXT(FALSE,"@!")', 'FALSE!'],
    ['=TEXT(TRUE,"0")', 'TRUE'],
    ['=TEXT(TIME(1,0,0)-TIME(2,30,0),"hh:mm")', '-01:30'],
    ['=TEXT(-1.25,"h:mm:ss")', '-30:00:00'],
    ['=TEXT(-0.01,"mm:ss")', '-14:24'],
    ['=TEXT(-0.000001,"hh:mm")', '00:00'],
    ['=TEXT(0.9,"hh:mm")', '21:36'],
    ['=TEXT(-0.0625,"[h]:mm")', '-1:30'],
  ],
  { dateSystem: 'google' },
);

testFormulas('dates in texts are values', [
  ['=VALUE("May 2020")', 43952],
  ['=VALUE(" 2020-01-01 ")', 43831],
  ['=VALUE("1-May-2020")=DATEVALUE("1-May-2020")', true],
  ['=VALUE("1 May")=DATEVALUE("1 May")', true],
  ['=VALUE("10:30 PM")', 0.9375],
  ['=VALUE("no date")', '#VALUE!'],
]);

testFormulas('patterns that RE2 does not have', [
  ['=REGEXEXTRACT("abc12","b(?=c)")', '#VALUE!'],
  ['=REGEXEXTRACT("abc12","(?<=c)\\d+")', '#VALUE!'],
  ['=REGEXTEST("aa","(a)\\1")', '#VALUE!'],
  ['=REGEXEXTRACT("abc-12","([a-z]+)-(\\d+)")', 'abc-12'],
  ['=REGEXEXTRACT("abc-12","([a-z]+)-(\\d+)",2)', [['abc', '12']]],
]);
