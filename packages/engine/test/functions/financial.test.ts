import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { toCalendarDate, toDateSerial } from '../../src/locale/index.ts';
import { type CallEnvironment, callAndReadScalar, createMatrix, createReference, findSpec } from './call.ts';
import { assertNear, checkCalls } from './cases.ts';

function toSerial(year: number, month: number, day: number): number {
  return toDateSerial(year, month, day, '1900');
}

// Examples in Excel's documentation. Results that it prints to the cent are checked to the cent.
test('computes payments, terms and rates of loans', () => {
  const cents: CallEnvironment = {};
  checkCalls(
    [
      ['PMT', [0.08 / 12, 10, 10000], -1037.032089],
      ['PMT', [0.08 / 12, 10, 10000, 0, 1], -1030.164327],
      ['PMT', [0.06 / 12, 216, 0, 50000], -129.0811609],
      ['PMT', [0, 10, 1000], -100],
      ['PV', [0.08 / 12, 240, 500], -59777.14585],
      ['FV', [0.06 / 12, 10, -200, -500, 1], 2581.403374],
      ['FV', [0, 10, -100, -500], 1500],
      ['NPER', [0.01, -100, -1000, 10000, 1], 59.67386567],
      ['NPER', [0, -100, 1000], 10],
      ['RATE', [48, -200, 8000], 0.00770147248820175],
      ['IPMT', [0.1 / 12, 1, 36, 8000], -66.66666667],
      ['IPMT', [0.1, 3, 3, 8000], -292.4471299],
      ['IPMT', [0.1, 4, 3, 8000], '#NUM!'],
      ['PPMT', [0.1 / 12, 1, 24, 2000], -75.62318601],
      ['PPMT', [0.08, 10, 10, 200000], -27598.05346],
      ['CUMIPMT', [0.09 / 12, 360, 125000, 13, 24, 0], -11135.23213],
      ['CUMPRINC', [0.09 / 12, 360, 125000, 13, 24, 0], -934.1071234],
      ['CUMPRINC', [0.09 / 12, 360, 125000, 1, 1, 0], -68.27827118],
      ['CUMPRINC', [0.09 / 12, 360, 125000, 2, 1, 0], '#NUM!'],
      ['ISPMT', [0.1 / 12, 1, 36, 8000000], -64814.81481],
      ['EFFECT', [0.0525, 4], 0.053542667370758],
      ['NOMINAL', [0.053543, 4], 0.052500319868356],
      ['PDURATION', [0.025, 2000, 2200], 3.859866162622],
      ['RRI', [96, 10000, 11000], 1.1 ** (1 / 96) - 1],
    ],
    cents,
    1e-6,
  );
  assert.equal(findSpec('PMT').format, 'currency');
  assert.equal(findSpec('RATE').format, 'percent');
});

test('interest and principal add up to the payments, and repay the loan', () => {
  const loan = fc.record({
    // Rates below RATE's first guess, from which its method always converges.
    rate: fc.double({ min: 0.0001, max: 0.1, noNaN: true }),
    periods: fc.integer({ min: 2, max: 60 }),
    due: fc.constantFrom(0, 1),
  });
  fc.assert(
    fc.property(loan, ({ rate, periods, due }) => {
      const payment = callAndReadScalar('PMT', [rate, periods, 1000, 0, due]) as number;
      let principal = 0;
      for (let period = 1; period <= periods; period++) {
        const interest = callAndReadScalar('IPMT', [rate, period, periods, 1000, 0, due]) as number;
        const part = callAndReadScalar('PPMT', [rate, period, periods, 1000, 0, due]) as number;
        assertNear(interest + part, payment, `period ${period}`, 1e-9);
        principal += part;
      }
      assertNear(principal, -1000, 'principal', 1e-9);
      assertNear(callAndReadScalar('CUMPRINC', [rate, periods, 1000, 1, periods, due]), -1000, 'CUMPRINC', 1e-9);
      assertNear(callAndReadScalar('RATE', [periods, payment, 1000, 0, due]), rate, 'RATE', 1e-7);
    }),
    { numRuns: 50 },
  );
});

test('computes present values and rates of return of cash flows', () => {
  const flows: CallEnvironment = { grid: [[-70000], [12000], [15000], [18000], [21000], [26000]] };
  checkCalls(
    [
      ['NPV', [0.1, -10000, 3000, 4200, 6800], 1188.443412],
      ['IRR', [createReference('A1:A6')], 0.0866309480365],
      ['IRR', [createReference('A1:A5')], -0.0212448482734],
      ['IRR', [createReference('A1:A3'), -0.1], -0.443506941334],
      ['IRR', [createMatrix([[1, 2, 3]])], '#NUM!'],
      ['MIRR', [createMatrix([[-120000, 39000, 30000, 21000, 37000, 46000]]), 0.1, 0.12], 0.126094131],
      ['MIRR', [createMatrix([[1, 2]]), 0.1, 0.12], '#DIV/0!'],
      ['FVSCHEDULE', [1, createMatrix([[0.09, 0.11, 0.1]])], 1.33089],
      ['FVSCHEDULE', [1, createMatrix([['x']])], '#VALUE!'],
    ],
    flows,
    1e-8,
  );
  const dates = createMatrix([
    [toSerial(2008, 1, 1)],
    [toSerial(2008, 3, 1)],
    [toSerial(2008, 10, 30)],
    [toSerial(2009, 2, 15)],
    [toSerial(2009, 4, 1)],
  ]);
  const values = createMatrix([[-10000], [2750], [4250], [3250], [2750]]);
  checkCalls(
    [
      ['XNPV', [0.09, values, dates], 2086.647602],
      ['XIRR', [values, dates, 0.1], 0.373362535],
      ['XIRR', [values, createMatrix([[1], [2]])], '#NUM!'],
      ['XNPV', [-0.5, values, dates], '#NUM!'],
    ],
    {},
    1e-8,
  );
});

test('cash flows in a range are read row by row', () => {
  const environment: CallEnvironment = {
    grid: [
      [-100, 60],
      [70, 'note'],
    ],
  };
  assertNear(callAndReadScalar('NPV', [0, createReference('A1:B2')], environment), 30, 'NPV');
  assertNear(
    callAndReadScalar('IRR', [createReference('A1:B2')], environment),
    (60 + Math.sqrt(3600 + 28000)) / 200 - 1,
    'IRR',
    1e-12,
  );
});

test('computes depreciation', () => {
  checkCalls(
    [
      ['SLN', [30000, 7500, 10], 2250],
      ['SLN', [1, 0, 0], '#DIV/0!'],
      ['SYD', [30000, 7500, 10, 1], 4090.909091],
      ['SYD', [30000, 7500, 10, 10], 409.0909091],
      ['DB', [1000000, 100000, 6, 1, 7], 186083.3333],
      ['DB', [1000000, 100000, 6, 2, 7], 259639.4167],
      ['DB', [1000000, 100000, 6, 7, 7], 15845.09849],
      ['DDB', [2400, 300, 3650, 1], 1.315068493],
      ['DDB', [2400, 300, 10, 10], 22.1225472],
      ['DDB', [2400, 300, 10, 2, 1.5], 306],
      ['VDB', [2400, 300, 3650, 0, 1], 1.315068493],
      ['VDB', [2400, 300, 120, 6, 18], 396.3060533],
      ['VDB', [2400, 300, 120, 6, 18, 1.5], 311.8089367],
      ['VDB', [2400, 300, 10, 0, 0.875, 1.5], 315],
      ['AMORLINC', [2400, toSerial(2008, 8, 19), toSerial(2008, 12, 31), 300, 1, 0.15, 1], 360],
      ['AMORDEGRC', [2400, toSerial(2008, 8, 19), toSerial(2008, 12, 31), 300, 1, 0.15, 1], 776],
    ],
    {},
    1e-8,
  );
  assertNear(
    callAndReadScalar('VDB', [2400, 300, 10, 0, 10]),
    2100,
    'the whole life writes off all but the salvage value',
    1e-12,
  );
});

test('computes coupon dates and days', () => {
  const settlement = toSerial(2011, 1, 25);
  const maturity = toSerial(2011, 11, 15);
  checkCalls([
    ['COUPDAYBS', [settlement, maturity, 2, 1], 71],
    ['COUPDAYS', [settlement, maturity, 2, 1], 181],
    ['COUPDAYSNC', [settlement, maturity, 2, 1], 110],
    ['COUPNCD', [settlement, maturity, 2, 1], toSerial(2011, 5, 15)],
    ['COUPPCD', [settlement, maturity, 2, 1], toSerial(2010, 11, 15)],
    ['COUPNUM', [toSerial(2007, 1, 25), toSerial(2008, 11, 15), 2, 1], 4],
    ['COUPNUM', [settlement, maturity, 3], '#NUM!'],
    ['COUPNUM', [maturity, settlement, 2], '#NUM!'],
    ['COUPDAYS', [settlement, maturity, 2, 5], '#NUM!'],
    ['COUPPCD', [toSerial(2011, 3, 1), toSerial(2012, 8, 31), 2], toSerial(2011, 2, 28)],
  ]);
  assert.equal(findSpec('COUPNCD').format, 'date');
});

test('the settlement lies between the previous and the next coupon date', () => {
  const day = fc.integer({ min: toSerial(2000, 1, 1), max: toSerial(2040, 12, 31) });
  fc.assert(
    fc.property(day, fc.integer({ min: 1, max: 9000 }), fc.constantFrom(1, 2, 4), (settlement, days, frequency) => {
      const maturity = settlement + days;
      const previous = callAndReadScalar('COUPPCD', [settlement, maturity, frequency]) as number;
      const next = callAndReadScalar('COUPNCD', [settlement, maturity, frequency]) as number;
      assert.ok(previous <= settlement && settlement < next && next <= maturity);
      const a = toCalendarDate(previous, '1900');
      const b = toCalendarDate(next, '1900');
      assert.equal((b.year - a.year) * 12 + b.month - a.month, 12 / frequency);
    }),
  );
});

test('computes prices and yields of bonds and bills', () => {
  const feb = toSerial(2008, 2, 15);
  checkCalls(
    [
      ['PRICE', [feb, toSerial(2017, 11, 15), 0.0575, 0.065, 100, 2, 0], 94.63436162],
      ['YIELD', [feb, toSerial(2016, 11, 15), 0.0575, 95.04287, 100, 2, 0], 0.065000006880731],
      ['DURATION', [toSerial(2018, 7, 1), toSerial(2048, 1, 1), 0.08, 0.09, 2, 1], 10.9191452816],
      ['MDURATION', [toSerial(2008, 1, 1), toSerial(2016, 1, 1), 0.08, 0.09, 2, 1], 5.73566981391884],
      ['DISC', [toSerial(2018, 7, 1), toSerial(2048, 1, 1), 97.975, 100, 1], 0.000686384],
      ['INTRATE', [feb, toSerial(2008, 5, 15), 1000000, 1014420, 2], 0.05768],
      ['RECEIVED', [feb, toSerial(2008, 5, 15), 1000000, 0.0575, 2], 1014584.654],
      ['PRICEDISC', [toSerial(2008, 2, 16), toSerial(2008, 3, 1), 0.0525, 100, 2], 99.79583333],
      ['YIELDDISC', [toSerial(2008, 2, 16), toSerial(2008, 3, 1), 99.795, 100, 2], 0.052822572],
      ['PRICEMAT', [feb, toSerial(2008, 4, 13), toSerial(2007, 11, 11), 0.061, 0.061, 0], 99.98449888],
      [
        'YIELDMAT',
        [toSerial(2008, 3, 15), toSerial(2008, 11, 3), toSerial(2007, 11, 8), 0.0625, 100.0123, 0],
        0.060954333691538,
      ],
      ['ACCRINT', [toSerial(2008, 3, 1), toSerial(2008, 8, 31), toSerial(2008, 5, 1), 0.1, 1000, 2, 0], 16.66666667],
      [
        'ACCRINT',
        [toSerial(2008, 3, 5), toSerial(2008, 8, 31), toSerial(2008, 5, 1), 0.1, 1000, 2, 0, false],
        15.55555556,
      ],
      ['ACCRINTM', [toSerial(2008, 4, 1), toSerial(2008, 6, 15), 0.1, 1000, 3], 20.54794521],
      ['TBILLEQ', [toSerial(2008, 3, 31), toSerial(2008, 6, 1), 0.0914], 0.094151494],
      ['TBILLPRICE', [toSerial(2008, 3, 31), toSerial(2008, 6, 1), 0.09], 98.45],
      ['TBILLYIELD', [toSerial(2008, 3, 31), toSerial(2008, 6, 1), 98.45], 0.091416963],
      ['TBILLPRICE', [toSerial(2008, 3, 31), toSerial(2009, 4, 1), 0.09], '#NUM!'],
      [
        'ODDFPRICE',
        [
          toSerial(2008, 11, 11),
          toSerial(2021, 3, 1),
          toSerial(2008, 10, 15),
          toSerial(2009, 3, 1),
          0.0785,
          0.0625,
          100,
          2,
          1,
        ],
        113.5977175,
      ],
      [
        'ODDFYIELD',
        [
          toSerial(2008, 11, 11),
          toSerial(2021, 3, 1),
          toSerial(2008, 10, 15),
          toSerial(2009, 3, 1),
          0.0575,
          84.5,
          100,
          2,
          0,
        ],
        0.0772455415972,
      ],
      [
        'ODDLPRICE',
        [toSerial(2008, 2, 7), toSerial(2008, 6, 15), toSerial(2007, 10, 15), 0.0375, 0.0405, 100, 2, 0],
        99.87828601,
      ],
      [
        'ODDLYIELD',
        [toSerial(2008, 4, 20), toSerial(2008, 6, 15), toSerial(2007, 12, 24), 0.0375, 99.875, 100, 2, 0],
        0.045192229,
      ],
      ['DOLLARDE', [1.02, 16], 1.125],
      ['DOLLARDE', [1.1, 32], 1.3125],
      ['DOLLARFR', [1.125, 16], 1.02],
      ['DOLLARFR', [1, 0.5], '#DIV/0!'],
    ],
    {},
    1e-6,
  );
});

test('YIELD returns the yield from which PRICE computed the price', () => {
  const rate = fc.double({ min: 0, max: 0.2, noNaN: true });
  fc.assert(
    fc.property(
      rate,
      rate,
      fc.integer({ min: 1, max: 8000 }),
      fc.integer({ min: 0, max: 4 }),
      (coupon, annual, days, basis) => {
        const settlement = toSerial(2020, 2, 29);
        const terms = [settlement, settlement + days, coupon] as const;
        const price = callAndReadScalar('PRICE', [...terms, annual, 100, 2, basis]);
        // With basis 2 (actual/360) a coupon period may end before its coupon date. In this case no yield belongs to a
        // price.
        fc.pre(price !== callAndReadScalar('PRICE', [...terms, annual + 0.01, 100, 2, basis]));
        assertNear(callAndReadScalar('YIELD', [...terms, price, 100, 2, basis]), annual, `YIELD of ${price}`, 1e-5);
      },
    ),
    { numRuns: 60 },
  );
});

test('XNPV pairs the numbers of both lists, XIRR pairs their cells', () => {
  const dates = createMatrix([[44958, 44986, 45017]]);
  checkCalls(
    [
      ['XNPV', [0.1, createMatrix([[-20, 5, 25]]), dates], -20 + 5 / 1.1 ** (28 / 365) + 25 / 1.1 ** (59 / 365)],
      ['XNPV', [0.1, createMatrix([[-20, null, 25]]), dates], '#NUM!'],
      ['XNPV', [0.1, createMatrix([[-20, true, 25]]), dates], '#NUM!'],
      ['XNPV', [0.1, createMatrix([[-20, 'x', 25]]), dates], '#NUM!'],
      ['XIRR', [createMatrix([[-20, 'x', 25]]), dates], '#VALUE!'],
      ['XIRR', [createMatrix([[-20, null, 20]]), dates], 0],
    ],
    {},
    1e-9,
  );
});

test('a rate of −100 % cannot be reversed', () => {
  checkCalls([
    ['FV', [-1, -2, 1], '#DIV/0!'],
    ['FV', [-1, 2, 1], -1],
  ]);
});

test('ACCRINT measures a partial period by the period before the first interest date', () => {
  const issue = toSerial(2021, 6, 1);
  const first = toSerial(2021, 12, 1);
  // From 2021-06-01 to 2021-12-01 there are 183 days.
  checkCalls([
    ['ACCRINT', [issue, first, toSerial(2022, 3, 1), 0.025, 5000, 2, 1], 62.5 * (1 + 90 / 183)],
    ['ACCRINT', [issue, first, toSerial(2022, 9, 1), 0.075, 100, 2, 1], 3.75 * (2 + 92 / 183)],
    ['ACCRINT', [toSerial(2020, 12, 26), first, toSerial(2021, 3, 1), 0.025, 5000, 2, 2], (62.5 * 65) / 180],
    // On a coupon date the last period counts by its actual days.
    [
      'ACCRINT',
      [toSerial(2020, 1, 1), toSerial(2020, 7, 1), toSerial(2021, 1, 1), 0.025, 5000, 2, 2],
      62.5 * (1 + 184 / 180),
    ],
  ]);
});

test('an empty factor is an error, and an omitted factor is 2', () => {
  checkCalls([
    ['DDB', [2400, 300, 10, 2, null], '#NUM!'],
    ['VDB', [2400, 300, 10, 0, 1, null], '#NUM!'],
    ['DDB', [2400, 300, 10, 2, undefined], 384],
  ]);
});

test('AMORDEGRC depreciates by half in the last year but one, and by the remainder in the last year', () => {
  // For a life of five years the rate of 20 % is doubled. The first year is complete.
  const year = [toSerial(2020, 1, 1), toSerial(2020, 12, 31)] as const;
  const amounts = [0, 1, 2, 3, 4, 5].map((period) =>
    callAndReadScalar('AMORDEGRC', [1000, ...year, 0, period, 0.2, 4]),
  );
  // 400 of 1,000, 240 of 600, 144 of 360; in the last two years half of 216, then the remaining 108.
  assert.deepEqual(amounts.slice(0, 3), [399, 240, 144]);
  checkCalls([
    ['AMORDEGRC', [2400, 39679, 39813, 300, 1, 0.15, 1], 776],
    ['AMORDEGRC', [1000, ...year, 0, 9, 0.2, 4], 0],
    ['AMORDEGRC', [1000, ...year, 0, 1, 0.22, 4], '#NUM!'],
  ]);
});
