import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { callAndReadScalar, createMatrix } from './call.ts';

type DateCase = readonly [
  name: string,
  args: readonly (string | number | boolean | null | undefined)[],
  expected: unknown,
];

function testCases(title: string, cases: readonly DateCase[], dateSystem: '1900' | '1904' | 'google' = '1900') {
  describe(title, () => {
    for (const [name, args, expected] of cases) {
      it(`${name}(${args.map((a) => JSON.stringify(a) ?? '').join(', ')})`, () => {
        const actual = callAndReadScalar(name, args, { dateSystem });
        if (typeof expected === 'number' && typeof actual === 'number')
          assert.ok(Math.abs(actual - expected) < 1e-9, `${actual}`);
        else assert.equal(actual, expected);
      });
    }
  });
}

testCases('dates of the 1900 system', [
  ['DATE', [2008, 1, 2], 39449],
  ['DATE', [108, 1, 2], 39449],
  ['DATE', [2008, 14, 2], 39846],
  ['DATE', [2008, -3, 2], 39327],
  ['DATE', [2008, 1, -15], 39432],
  ['DATE', [1900, 2, 29], 60],
  ['DATE', [1900, 3, 1], 61],
  ['DATE', [-1, 1, 1], '#NUM!'],
  ['DATE', [10_000, 1, 1], '#NUM!'],
  ['DATE', [9999, 12, 32], '#NUM!'],
  ['DATE', [9999, 13, -1], '#NUM!'],
  ['DATE', [9999, 12, 31], 2958465],
  ['YEAR', [39448], 2008],
  ['MONTH', [60], 2],
  ['DAY', [60], 29],
  ['DAY', [0], 0],
  ['YEAR', [-1], '#NUM!'],
  ['HOUR', [0.75], 18],
  ['MINUTE', [0.78125], 45],
  ['SECOND', [0.700243055555556], 21],
  ['HOUR', [0.999999], 0],
  ['TIME', [12, 0, 0], 0.5],
  ['TIME', [16, 48, 10], 0.700115740740741],
  ['TIME', [27, 0, 0], 0.125],
  ['TIME', [0, -1, 0], '#NUM!'],
  ['TIME', [32_768, 0, 0], '#NUM!'],
  ['DATEVALUE', ['2011/02/23'], 40597],
  ['DATEVALUE', ['22-MAY-2011'], 40685],
  ['DATEVALUE', ['8/22/2011'], 40777],
  ['DATEVALUE', ['word'], '#VALUE!'],
  ['TIMEVALUE', ['2:24 AM'], 0.1],
  ['TIMEVALUE', ['22-Aug-2011 6:35 AM'], 0.274305555555556],
]);

testCases(
  'dates of new documents',
  [
    ['DATE', [1900, 1, 1], 2], // 1899-12-30 is day 0
    ['DATE', [1900, 3, 1], 61],
    ['DAY', [60], 28],
    ['YEAR', [-1], 1899],
    ['WEEKDAY', [0], 7], // a Saturday
  ],
  'google',
);

testCases(
  'dates of the 1904 system',
  [
    ['DATE', [1904, 1, 1], 0],
    ['DATE', [2008, 1, 2], 39449 - 1462],
    ['WEEKDAY', [0], 6], // a Friday
  ],
  '1904',
);

testCases('weeks', [
  ['WEEKDAY', [39492], 5], // Thursday, 2008-02-14
  ['WEEKDAY', [39492, 2], 4],
  ['WEEKDAY', [39492, 3], 3],
  ['WEEKDAY', [39492, 14], 1],
  ['WEEKDAY', [39492, 4], '#NUM!'],
  ['WEEKNUM', [40977], 10], // 2012-03-09
  ['WEEKNUM', [40977, 2], 11],
  ['WEEKNUM', [40977, 21], 10],
  ['WEEKNUM', [40977, 3], '#NUM!'],
  ['ISOWEEKNUM', [40977], 10],
  ['ISOWEEKNUM', [42370], 53], // 2016-01-01 belongs to 2015
]);

testCases('months', [
  ['EDATE', [40558, 1], 40589], // 2011-01-15
  ['EDATE', [40574, 1], 40602], // 2011-01-31 → 02-28
  ['EDATE', [40574, -2], 40512], // → 2010-11-30
  ['EDATE', [true, 1], '#VALUE!'],
  ['EDATE', [10, -1], '#NUM!'],
  ['EOMONTH', [40544, 1], 40602],
  ['EOMONTH', [40544, -3], 40482],
]);

testCases('spans', [
  ['DAYS', ['2021-03-15', '2021-02-01'], 42],
  ['DAYS360', [40573, 40575], 1], // 2011-01-30 to 02-01
  ['DAYS360', [40544, 40908], 360],
  ['DATEDIF', [36892, 37622, 'Y'], 2], // 2001-01-01 to 2003-01-01
  ['DATEDIF', [36892, 37621, 'Y'], 1],
  ['DATEDIF', [37043, 37483, 'D'], 440], // 2001-06-01 to 2002-08-15
  ['DATEDIF', [37043, 37483, 'YD'], 75],
  ['DATEDIF', [37043, 37483, 'ym'], 2],
  ['DATEDIF', [37043, 37483, 'MD'], 14],
  ['DATEDIF', [40574, 40603, 'MD'], -2], // 2011-01-31 to 03-01
  ['DATEDIF', [2, 1, 'D'], '#NUM!'],
  ['YEARFRAC', [40909, 41120], 0.580555555555556], // 2012-01-01 to 07-30
  ['YEARFRAC', [40909, 41120, 1], 0.576502732240437],
  ['YEARFRAC', [40909, 41120, 3], 0.578082191780822],
  ['YEARFRAC', [41120, 40909, 2], 211 / 360],
  ['YEARFRAC', [40909, 41120, 4], 209 / 360],
  ['YEARFRAC', [40909, 41120, 5], '#NUM!'],
]);

describe('workdays', () => {
  const holidays = createMatrix([[41235], [41247], [41295]]); // 2012-11-22, 2012-12-04, 2013-01-21
  const start = 41183; // 2012-10-01
  const end = 41334; // 2013-03-01
  it('NETWORKDAYS counts both ends and skips holidays', () => {
    assert.equal(callAndReadScalar('NETWORKDAYS', [start, end]), 110);
    assert.equal(callAndReadScalar('NETWORKDAYS', [start, end, 41235]), 109);
    assert.equal(callAndReadScalar('NETWORKDAYS', [start, end, holidays]), 107);
    assert.equal(callAndReadScalar('NETWORKDAYS', [end, start, holidays]), -107);
  });
  it('NETWORKDAYS.INTL accepts weekends as a number or as a text of 0 and 1', () => {
    assert.equal(callAndReadScalar('NETWORKDAYS.INTL', [38718, 38748]), 22); // January 2006
    assert.equal(callAndReadScalar('NETWORKDAYS.INTL', [38718, 38749, 7, createMatrix([[38719, 38733]])]), 22);
    assert.equal(callAndReadScalar('NETWORKDAYS.INTL', [38718, 38749, '0010001', createMatrix([[38719, 38733]])]), 20);
    assert.equal(callAndReadScalar('NETWORKDAYS.INTL', [38718, 38749, '1111111']), 0);
    assert.equal(callAndReadScalar('NETWORKDAYS.INTL', [38718, 38749, 8]), '#NUM!');
    assert.equal(callAndReadScalar('NETWORKDAYS.INTL', [38718, 38749, '00100x1']), '#VALUE!');
  });
  it('weekends may be arrays, and NETWORKDAYS accepts OpenFormula’s list of numbers from Sunday on', () => {
    assert.equal(callAndReadScalar('WORKDAY.INTL', [41944, 5, createMatrix([[1], [0]])]), 41950); // 2014-11-01 is a Saturday
    const sundayAndMonday = createMatrix([[1, 1, 0, 0, 0, 0, 0]]);
    assert.equal(callAndReadScalar('NETWORKDAYS', [41944, 41950, undefined, sundayAndMonday]), 5);
    assert.equal(callAndReadScalar('NETWORKDAYS', [41944, 41945, undefined, createMatrix([[0, 1]])]), '#VALUE!');
  });
  it('WORKDAY skips weekends and holidays', () => {
    assert.equal(callAndReadScalar('WORKDAY', [39722, 151]), 39933); // 2008-10-01 → 2009-04-30
    assert.equal(callAndReadScalar('WORKDAY', [39722, 151, createMatrix([[39778, 39786, 39834]])]), 39938);
    assert.equal(callAndReadScalar('WORKDAY', [39722, 0]), 39722);
    assert.equal(callAndReadScalar('WORKDAY.INTL', [40909, 90, 11]), 41013);
    assert.equal(callAndReadScalar('WORKDAY.INTL', [40909, 30, 17]), 40944);
    assert.equal(callAndReadScalar('WORKDAY.INTL', [40909, 1, '1111111']), '#VALUE!');
  });
  it('WORKDAY returns the day up to which NETWORKDAYS counts the same number', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 40_000, max: 41_000 }),
        fc.integer({ min: 1, max: 400 }),
        fc.array(fc.integer({ min: 40_000, max: 41_500 }), { minLength: 1, maxLength: 60 }),
        fc.constantFrom(1, 2, 7, 11, 17),
        (from, steps, free, weekend) => {
          const list = createMatrix([free]);
          const to = callAndReadScalar('WORKDAY.INTL', [from, steps, weekend, list]);
          assert.equal(callAndReadScalar('NETWORKDAYS.INTL', [from + 1, to, weekend, list]), steps);
          assert.equal(callAndReadScalar('NETWORKDAYS.INTL', [to, to, weekend, list]), 1);
          const back = callAndReadScalar('WORKDAY.INTL', [from, -steps, weekend, list]);
          assert.equal(callAndReadScalar('NETWORKDAYS.INTL', [back, from - 1, weekend, list]), steps);
          assert.equal(callAndReadScalar('NETWORKDAYS.INTL', [back, back, weekend, list]), 1);
        },
      ),
    );
  });
});

describe('now', () => {
  it('TODAY is the integer part of NOW', () => {
    assert.equal(callAndReadScalar('NOW', [], { now: 46_037.75 }), 46_037.75);
    assert.equal(callAndReadScalar('TODAY', [], { now: 46_037.75 }), 46_037);
  });
});
