import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { LOCALE_IDS } from '../../src/locale/index.ts';
import { calculate, testFormulas } from './test-formulas.ts';

// Microsoft, “TEXT function” and “Number format codes”; ECMA-376 part 1, 18.8.31.
testFormulas('TEXT: digits, groups, scales', [
  ['=TEXT(1234.567,"$#,##0.00")', '$1,234.57'],
  ['=TEXT(0.285,"0.0%")', '28.5%'],
  ['=TEXT(4.34,"# ?/?")', '4 1/3'],
  ['=TEXT(0.34,"# ?/?")', ' 1/3'],
  ['=TEXT(12200000,"0.00E+00")', '1.22E+07'],
  ['=TEXT(1234567898,"[<=9999999]###-####;(###) ###-####")', '(123) 456-7898'],
  ['=TEXT(5551234,"[<=9999999]###-####;(###) ###-####")', '555-1234'],
  ['=TEXT(1234,"0000000")', '0001234'],
  ["=TEXT(123456,\"##0° 00' 00''\")", "12° 34' 56''"],
  ['=TEXT(1234.59,"####.#")', '1234.6'],
  ['=TEXT(8.9,"#.000")', '8.900'],
  ['=TEXT(0.631,"0.#")', '0.6'],
  ['=TEXT(12,"#.0#")', '12.0'],
  ['=TEXT(1234.568,"#.0#")', '1234.57'],
  ['=TEXT(12000,"#,###")', '12,000'],
  ['=TEXT(12000,"#,")', '12'],
  ['=TEXT(12200000,"0.0,,")', '12.2'],
  ['=TEXT(1234567,"#,.#,")', '1.2'],
  ['=TEXT(1234567,"0,.0")', '1234.6'],
  ['=TEXT(44.398,"???.???")', ' 44.398'],
  ['=TEXT(102.65,"???.???")', '102.65 '],
  ['=TEXT(2.8,"???.???")', '  2.8  '],
  ['=TEXT(5.25,"# ???/???")', '5   1/4  '],
  ['=TEXT(0.5,"0%%")', '5000%%'],
  ['=TEXT(0.0123,"0.00%")', '1.23%'],
  ['=TEXT(-1234.5,"#,##0.00;(#,##0.00)")', '(1,234.50)'],
  ['=TEXT(0,"0;-0;""zero""")', 'zero'],
  ['=TEXT("word","0;-0;0;""<""@"">""")', '<word>'],
  ['=TEXT("word","0.00")', 'word'],
  ['=TEXT(-5,"0;;")', ''],
  ['=TEXT(12345.678,"0.0e+00")', '1.2e+04'],
  ['=TEXT(0.00012,"##0.0E+0")', '120.0E-6'],
  ['=TEXT(12,"0"" units""")', '12 units'],
  ['=TEXT(12,"0\\x")', '12x'],
  ['=TEXT(TRUE,"0.00")', 'TRUE'],
  ['=TEXT(1.5,"General")', '1.5'],
  ['=TEXT(1.5,"")', ''],
  ['=TEXT("12","0.00")', '12.00'],
]);

testFormulas('TEXT: dates and times', [
  ['=TEXT(41000.7423,"m/d/yy")', '4/1/12'],
  ['=TEXT(41000.7423,"dddd, mmmm d, yyyy")', 'Sunday, April 1, 2012'],
  ['=TEXT(41000.7423,"ddd d mmm yy")', 'Sun 1 Apr 12'],
  ['=TEXT(41000.7423,"mmmmm")', 'A'],
  ['=TEXT(41000.7423,"H:MM AM/PM")', '5:48 PM'],
  ['=TEXT(41000.7423,"h:mm a/p")', '5:48 p'],
  ['=TEXT(41000.7423,"h:mm A/P")', '5:48 P'],
  ['=TEXT(41000.7423,"hh:mm:ss")', '17:48:55'],
  ['=TEXT(41000.7423,"ss.00")', '54.72'],
  ['=TEXT(1.5,"[h]:mm")', '36:00'],
  ['=TEXT(1.5,"[mm]")', '2160'],
  ['=TEXT(1.5,"[s]")', '129600'],
  ['=TEXT(1.25,"[h]"" of ""h")', '30 of 30'],
  ['=TEXT(0.5,"m")', '1'],
  ['=TEXT(0.5,"h:m")', '12:0'],
  ['=TEXT("2012-04-01","mmm")', 'Apr'],
  ['=TEXT(60,"yyyy-mm-dd")', '1900-02-29'],
  ['=TEXT(0,"yyyy-mm-dd")', '1900-01-00'],
  ['=TEXT(-1,"yyyy")', '#VALUE!'],
  ['=TEXT(-1,"[h]:mm")', '#VALUE!'],
  ['=TEXT("25:30","[h]:mm")', '25:30'],
  ['=TEXT("25:30","h:mm")', '1:30'],
  ['=TEXT(2958466,"yyyy")', '#VALUE!'],
]);

testFormulas(
  'TEXT in a comma locale',
  [
    ['=TEXT(1234.5,"#,##0.00")', '1 234,50'],
    ['=TEXT(0.5,"0.0%")', '50,0%'],
    ['=TEXT(46054,"d mmmm yyyy")', '1 Февраль 2026'],
    ['=TEXT(46054,"[$-FC19]d mmmm yyyy")', '1 февраля 2026'],
    ['=TEXT(1234.5,"0,00")', '1234,50'],
    ['=TEXT(1234.5,"# ##0,00")', '1 234,50'],
    ['=TEXT(46054,"ДД.ММ.ГГГГ")', '01.02.2026'],
    ['=TEXT("1234,5","0,0")', '1234,5'],
    ['=VALUE("1.5")', '#VALUE!'],
    ['="1.5"*1', '#VALUE!'],
    ['=VALUE("1,5")+"1,5"', 3],
    ['=NUMBERVALUE("1 234,5")', 1234.5],
    ['=DATEVALUE("5 марта 2020")', 43895],
    ['=TIMEVALUE("18:00")', 0.75],
    ['=COUNTIF(A1:A4,">1,5")', 2],
    ['=COUNTIF(A1:A4,"2,5")', 2],
    ['=--"2,5"', 2.5],
    ['=N("2,5")', 0],
    ['=FIXED(1234.5,1)', '1 234,5'],
  ],
  { locale: 'ru-RU', rows: [[1], [2], [2.5], ['2,5']] },
);

describe('VALUE(x) is x*1, or else the date that DATEVALUE reads', () => {
  const alphabet = fc.constantFrom(
    ...'0123456789 ,.-+/:%₽$€eE()'.split(''),
    'Jan',
    ' мая ',
    'AM',
    ' 2020',
    '20:',
    '1.5',
  );
  const texts = fc.array(
    fc.array(alphabet, { maxLength: 8 }).map((parts) => parts.join('')),
    { minLength: 20, maxLength: 40 },
  );
  for (const locale of LOCALE_IDS) {
    it(`in ${locale}`, () => {
      fc.assert(
        fc.property(texts, (list) => {
          const conversion = 'IFERROR(A1:A40*1,IFERROR(DATEVALUE(A1:A40)+TIMEVALUE(A1:A40),"x"))';
          const { sheets } = calculate(
            [`=SUM(N(IF(ISNUMBER(SEARCH("?.?",A1:A40)),TRUE,IFERROR(VALUE(A1:A40),"x")=${conversion})))`],
            {
              locale,
              rows: Array.from({ length: 40 }, (_, i) => [list[i] || 'x']),
            },
          );
          assert.equal(sheets[0]?.value(999, 60), 40);
        }),
        { numRuns: 10 },
      );
    });
  }
});

testFormulas(
  'TEXT in the 1904 date system',
  [
    ['=TEXT(0,"yyyy-mm-dd")', '1904-01-01'],
    ['=TEXT(366,"yyyy-mm-dd")', '1905-01-01'],
  ],
  { dateSystem: '1904' },
);

// Microsoft, “VALUE”, “DATEVALUE”, “TIMEVALUE”, “NUMBERVALUE”, “FIXED”, “DOLLAR”.
testFormulas(
  'numbers and dates from texts, and back',
  [
    ['=VALUE("$1,000")', 1000],
    ['=VALUE("16:48:00")-VALUE("12:00:00")', 0.2],
    ['=VALUE("1e2")', 100],
    ['=VALUE("5%")', 0.05],
    ['=VALUE("(100)")', -100],
    ['=VALUE("-5")', -5],
    ['=VALUE("")', '#VALUE!'],
    ['=VALUE("abc")', '#VALUE!'],
    ['=VALUE(TRUE)', '#VALUE!'],
    ['=VALUE(12)', 12],
    ['=DATEVALUE("8/22/2011")', 40777],
    ['=DATEVALUE("22-MAY-2011")', 40685],
    ['=DATEVALUE("2011/02/23")', 40597],
    ['=DATEVALUE("January 5, 2024")', 45296],
    ['=DATEVALUE("5 January 2024")', 45296],
    ['=DATEVALUE("2024-01-05 13:00")', 45296],
    ['=DATEVALUE("Jan 2024")', 45292],
    ['=DATEVALUE("13/13/2024")', '#VALUE!'],
    ['=DATEVALUE("x")', '#VALUE!'],
    ['=DATEVALUE(45296)', '#VALUE!'],
    ['=TIMEVALUE("2:24 AM")', 0.1],
    ['=TIMEVALUE("22-Aug-2011 6:35 AM")', 0.274305555555556],
    ['=TIMEVALUE("13:45")', 0.572916666666667],
    ['=TIMEVALUE("12:00 PM")', 0.5],
    ['=TIMEVALUE("12:00 AM")', 0],
    ['=TIMEVALUE("1:30:45 pm")', 0.563020833333333],
    ['=TIMEVALUE("x")', '#VALUE!'],
    ['=NUMBERVALUE("2.500,27",",",".")', 2500.27],
    ['=NUMBERVALUE("3.5%")', 0.035],
    ['=NUMBERVALUE("9%%")', 0.0009],
    ['=NUMBERVALUE("")', 0],
    ['=NUMBERVALUE(" 3 000 ")', 3000],
    ['=NUMBERVALUE("1.2.3")', '#VALUE!'],
    ['=NUMBERVALUE("x")', '#VALUE!'],
    ['=FIXED(1234.567,1)', '1,234.6'],
    ['=FIXED(1234.567,-1)', '1,230'],
    ['=FIXED(-1234.567,-1,TRUE)', '-1230'],
    ['=FIXED(44.332)', '44.33'],
    ['=DOLLAR(1234.567,2)', '$1,234.57'],
    ['=DOLLAR(1234.567,-2)', '$1,200'],
    ['=DOLLAR(-1234.567,-2)', '($1,200)'],
    ['=DOLLAR(-0.123,4)', '($0.1230)'],
    ['=DOLLAR(99.888)', '$99.89'],
    ['=BAHTTEXT(1234)', 'หนึ่งพันสองร้อยสามสิบสี่บาทถ้วน'],
  ],
  { tolerance: 1e-9 },
);
