import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { callAndReadScalar, createMatrix, createReference } from './call.ts';
import { assertNear, checkCalls } from './cases.ts';

test('numbers in other bases are ten digits in two’s complement', () => {
  checkCalls([
    ['BIN2DEC', ['1100100'], 100],
    ['BIN2DEC', ['1111111111'], -1],
    ['BIN2DEC', ['12'], '#NUM!'],
    ['BIN2HEX', ['11111011', 4], '00FB'],
    ['BIN2OCT', ['1111111111'], '7777777777'],
    ['DEC2BIN', [9, 4], '1001'],
    ['DEC2BIN', [-100], '1110011100'],
    ['DEC2BIN', [512], '#NUM!'],
    ['DEC2BIN', [9, 3], '#NUM!'],
    ['DEC2BIN', [true], '#VALUE!'],
    ['DEC2HEX', [100, 4], '0064'],
    ['DEC2HEX', [-54], 'FFFFFFFFCA'],
    ['DEC2OCT', [-100], '7777777634'],
    ['HEX2BIN', ['B7'], '10110111'],
    ['HEX2DEC', ['FFFFFFFF5B'], -165],
    ['HEX2DEC', ['3da408b9'], 1034160313],
    ['HEX2OCT', ['3B4E'], '35516'],
    ['OCT2BIN', ['7777777000'], '1000000000'],
    ['OCT2DEC', ['7777777533'], -165],
    ['OCT2HEX', ['100', 4], '0040'],
    ['BIN2DEC', [''], 0],
  ]);
});

test('numbers survive conversion to each base and back', () => {
  fc.assert(
    fc.property(fc.integer({ min: -(2 ** 39), max: 2 ** 39 - 1 }), (value) => {
      assert.equal(callAndReadScalar('HEX2DEC', [callAndReadScalar('DEC2HEX', [value])]), value);
    }),
  );
});

test('bit functions compute with 48-bit numbers', () => {
  checkCalls([
    ['BITAND', [13, 25], 9],
    ['BITOR', [23, 10], 31],
    ['BITXOR', [5, 3], 6],
    ['BITLSHIFT', [4, 2], 16],
    ['BITRSHIFT', [13, 2], 3],
    ['BITLSHIFT', [13, -2], 3],
    ['BITLSHIFT', [1, 48], '#NUM!'],
    ['BITAND', [-1, 1], '#NUM!'],
    ['BITAND', [1.5, 1], '#NUM!'],
  ]);
});

test('complex numbers are texts that keep their imaginary unit', () => {
  checkCalls([
    ['COMPLEX', [3, 4], '3+4i'],
    ['COMPLEX', [0, 1], 'i'],
    ['COMPLEX', [1, -1, 'j'], '1-j'],
    ['COMPLEX', [1, 0], '1'],
    ['COMPLEX', [1, 1, 'k'], '#VALUE!'],
    ['IMREAL', ['6-9i'], 6],
    ['IMAGINARY', ['3+4i'], 4],
    ['IMAGINARY', ['0-j'], -1],
    ['IMAGINARY', [4], 0],
    ['IMREAL', ['1+2'], '#NUM!'],
    ['IMABS', ['5+12i'], 13],
    ['IMARGUMENT', ['3+4i'], 0.9272952180016122],
    ['IMARGUMENT', [0], '#DIV/0!'],
    ['IMCONJUGATE', ['3+4i'], '3-4i'],
    ['IMSUM', ['3+4i', '5-3i'], '8+i'],
    ['IMSUB', ['13+4i', '5+3i'], '8+i'],
    ['IMPRODUCT', ['3+4i', '5-3i'], '27+11i'],
    ['IMDIV', ['-238+240i', '10+24i'], '5+12i'],
    ['IMDIV', ['1', '0'], '#NUM!'],
    ['IMSUM', ['1+i', '1+j'], '#VALUE!'],
    ['IMPOWER', ['2', 3], '8'],
    ['IMSQRT', ['-4'], '2i'],
    ['IMSUM', [createMatrix([['1+i'], ['2']])], '3+i'],
  ]);
  const parts = (name: string, text: string, re: number, im: number) => {
    assertNear(callAndReadScalar('IMREAL', [callAndReadScalar(name, [text])]), re, `${name} real`, 1e-12);
    assertNear(callAndReadScalar('IMAGINARY', [callAndReadScalar(name, [text])]), im, `${name} imaginary`, 1e-12);
  };
  // cos(10) = −0.8390715290764524, sin(10) = −0.5440211108893698; cosh and sinh of 24 are e^24 / 2 to 20 digits.
  parts('IMTAN', '5+12i', -4.107505776880881e-11, 1.000000000063347);
  parts('IMEXP', '1+i', Math.E * Math.cos(1), Math.E * Math.sin(1));
  parts('IMLN', '3+4i', Math.log(5), Math.atan2(4, 3));
  parts('IMSIN', '4+3i', Math.sin(4) * Math.cosh(3), Math.cos(4) * Math.sinh(3));
  parts('IMCOSH', '4+3i', Math.cosh(4) * Math.cos(3), Math.sinh(4) * Math.sin(3));
});

test('complex numbers use the decimal mark of the locale', () => {
  checkCalls(
    [
      ['COMPLEX', [1.5, -2.5], '1,5-2,5i'],
      ['IMREAL', ['1,5-2,5i'], 1.5],
    ],
    { locale: 'ru-RU' },
  );
});

test('CONVERT converts between units of the same kind', () => {
  checkCalls([
    ['CONVERT', [1, 'lbm', 'kg'], 0.45359237],
    ['CONVERT', [68, 'F', 'C'], 20],
    ['CONVERT', [2.5, 'ft', 'sec'], '#N/A'],
    ['CONVERT', [1, 'ft', 'FT'], '#N/A'],
    ['CONVERT', [1, 'ft^2', 'm^2'], 0.09290304],
    ['CONVERT', [1, 'km', 'mi'], 1 / 1.609344],
    ['CONVERT', [1, 'Nmi', 'm'], 1852],
    ['CONVERT', [1, 'cm2', 'm2'], 1e-4],
    ['CONVERT', [6, 'tsp', 'tbs'], 2],
    ['CONVERT', [1, 'kibyte', 'bit'], 8192],
    ['CONVERT', [1, 'kbyte', 'bit'], 8000],
    ['CONVERT', [0, 'K', 'F'], -459.67],
    ['CONVERT', [1, 'kin', 'm'], '#N/A'],
    ['CONVERT', [1, 'day', 'hr'], 24],
    ['CONVERT', [1, 'gal', 'l'], 3.785411784],
  ]);
});

// The expected values were computed by series and recurrences with 30 digits.
test('computes Bessel and error functions', () => {
  checkCalls(
    [
      ['BESSELJ', [1.9, 2], 0.329925727692387],
      ['BESSELY', [2.5, 1], 0.145918137966786],
      ['BESSELI', [1.5, 1], 0.9816664285779076],
      ['BESSELK', [1.5, 1], 0.27738780045684375],
      ['BESSELJ', [100, 3], 0.07628420172034],
      ['BESSELK', [0, 1], '#NUM!'],
      ['BESSELJ', [1, -1], '#NUM!'],
      ['ERF', [0.745], 0.70792892009519],
      ['ERF', [1], 0.842700792949715],
      ['ERF', [0, 1], 0.842700792949715],
      ['ERFC', [1], 0.157299207050285],
      ['ERFC.PRECISE', [10], 2.088487583762545e-45],
      ['DELTA', [5, 4], 0],
      ['DELTA', [0.5, 0.5], 1],
      ['GESTEP', [5, 4], 1],
      ['GESTEP', [-4, -5], 1],
      ['GESTEP', [-1], 0],
    ],
    {},
    1e-12,
  );
});

test('a blank cell is the number 0 in a product of complex numbers', () => {
  assert.equal(
    callAndReadScalar('IMPRODUCT', [createReference('A1'), createReference('B1')], { grid: [['3+i', null]] }),
    '0',
  );
});

test('CONVERT accepts the prefixes that Excel allows', () => {
  checkCalls(
    [
      ['CONVERT', [1, 'kmph', 'mph'], 1000],
      ['CONVERT', [0.0002, 'Muk_pt', 'm3'], 0.113652249999],
      ['CONVERT', [1, 'Mmi', 'mi'], '#N/A'],
    ],
    {},
    1e-9,
  );
});

test('converted temperatures have no rounding noise', () => {
  const scales = { C: [0, 100], F: [32, 212], K: [273.15, 373.15], Rank: [491.67, 671.67], Reau: [0, 80] } as const;
  for (const [from, [freezing, boiling]] of Object.entries(scales)) {
    for (const [to, [target, end]] of Object.entries(scales)) {
      for (let part = -3; part <= 3; part++) {
        const value = Number((freezing + part * (boiling - freezing)).toFixed(2));
        const expected = Number((target + part * (end - target)).toFixed(2));
        assert.equal(callAndReadScalar('CONVERT', [value, from, to]), expected, `${value} ${from} as ${to}`);
      }
    }
  }
  for (const [value, from, to, expected] of [
    [0, 'C', 'F', 32],
    [37, 'C', 'F', 98.6],
    [33, 'F', 'C', 5 / 9],
    [-40, 'F', 'C', -40],
    [300, 'K', 'C', 26.85],
    [-459.67, 'F', 'K', 0],
    [1, 'mK', 'K', 0.001],
    [25, 'C', 'mK', 298_150],
    [298_150, 'mK', 'C', 25],
    [21.5, 'cel', 'fah', 70.7],
  ] as const) {
    assert.equal(callAndReadScalar('CONVERT', [value, from, to]), expected, `${value} ${from} as ${to}`);
  }
});
