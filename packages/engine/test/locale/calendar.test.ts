import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  countDaysInMonth,
  type DateSystem,
  instantToSerial,
  isLeapYear,
  splitSerial,
  toDateSerial,
  toWeekday,
} from '../../src/locale/index.ts';

const SYSTEMS: readonly DateSystem[] = ['google', '1900', '1904'];

describe('serial numbers of dates', () => {
  const cases: readonly [DateSystem, number, number, number, number][] = [
    ['google', 1899, 12, 30, 0],
    ['google', 1899, 12, 31, 1],
    ['google', 1900, 1, 1, 2],
    ['google', 1900, 2, 28, 60],
    ['google', 1900, 3, 1, 61],
    ['google', 1899, 12, 29, -1],
    ['google', 1970, 1, 1, 25_569],
    ['google', 2026, 11, 20, 46_346],
    ['1900', 1900, 1, 1, 1],
    ['1900', 1900, 2, 28, 59],
    ['1900', 1900, 2, 29, 60],
    ['1900', 1900, 3, 1, 61],
    ['1900', 1970, 1, 1, 25_569],
    ['1900', 2000, 1, 1, 36_526],
    ['1900', 9999, 12, 31, 2_958_465],
    ['1904', 1904, 1, 1, 0],
    ['1904', 1904, 1, 2, 1],
    ['1904', 2000, 1, 1, 35_064],
    ['1904', 9999, 12, 31, 2_957_003],
  ];
  for (const [system, year, month, day, serial] of cases) {
    it(`${system}: ${year}-${month}-${day} is ${serial}`, () => {
      assert.equal(toDateSerial(year, month, day, system), serial);
      const parts = splitSerial(serial, system);
      assert.deepEqual([parts.year, parts.month, parts.day], [year, month, day]);
    });
  }

  it('shows serial 0 of the 1900 system as 1900-01-00', () => {
    const { year, month, day } = splitSerial(0, '1900');
    assert.deepEqual([year, month, day], [1900, 1, 0]);
  });

  it('accepts months and days outside their range, as DATE does', () => {
    assert.equal(toDateSerial(2025, 13, 1, 'google'), toDateSerial(2026, 1, 1, 'google'));
    assert.equal(toDateSerial(2026, 0, 1, 'google'), toDateSerial(2025, 12, 1, 'google'));
    assert.equal(toDateSerial(2026, -11, 1, 'google'), toDateSerial(2025, 1, 1, 'google'));
    assert.equal(toDateSerial(2026, 3, 0, 'google'), toDateSerial(2026, 2, 28, 'google'));
    assert.equal(toDateSerial(1900, 1, 60, '1900'), 60);
  });

  it('splits every serial number into the date that it was created from', () => {
    fc.assert(
      fc.property(fc.constantFrom(...SYSTEMS), fc.integer({ min: 1, max: 2_900_000 }), (system, serial) => {
        const { year, month, day } = splitSerial(serial, system);
        assert.equal(toDateSerial(year, month, day, system), serial);
      }),
    );
  });

  it('extends the google system with negative numbers to year 1', () => {
    fc.assert(
      fc.property(fc.integer({ min: -693_593, max: 0 }), (serial) => {
        const { year, month, day } = splitSerial(serial, 'google');
        assert.ok(day >= 1 && day <= countDaysInMonth(year, month));
        assert.equal(toDateSerial(year, month, day, 'google'), serial);
      }),
    );
    assert.equal(toDateSerial(1, 1, 1, 'google'), -693_593);
  });
});

describe('times of day', () => {
  it('are fractions of a day, to the millisecond', () => {
    const { hour, minute, second, millisecond } = splitSerial(46_346 + (13 * 3600 + 5 * 60 + 9.25) / 86_400, 'google');
    assert.deepEqual([hour, minute, second, millisecond], [13, 5, 9, 250]);
  });

  it('are on the next day if they round to midnight', () => {
    const { day, hour, minute } = splitSerial(toDateSerial(2026, 11, 20, 'google') + 0.999999999999, 'google');
    assert.deepEqual([day, hour, minute], [21, 0, 0]);
  });

  it('of a negative serial belong to the day before', () => {
    const { day, hour } = splitSerial(-0.25, 'google');
    assert.deepEqual([day, hour], [29, 18]);
  });
});

describe('the calendar', () => {
  it('has leap years', () => {
    assert.deepEqual([1900, 1904, 2000, 2024, 2026, 2100].map(isLeapYear), [false, true, true, true, false, false]);
  });

  it('has the number of days of each month', () => {
    assert.deepEqual(
      [1, 2, 4, 12].map((month) => countDaysInMonth(2026, month)),
      [31, 28, 30, 31],
    );
    assert.equal(countDaysInMonth(2024, 2), 29);
  });

  it('has weekdays: 20 November 2026 is a Friday, and serial 1 of the 1900 system a Sunday as in Excel', () => {
    for (const system of SYSTEMS) assert.equal(toWeekday(toDateSerial(2026, 11, 20, system), system), 5);
    assert.equal(toWeekday(1, '1900'), 0);
    assert.equal(toWeekday(-1, 'google'), 5);
  });
});

describe('the serial number of an instant', () => {
  const noon = Date.UTC(2026, 10, 20, 12);
  it('is the local time of the time zone', () => {
    assert.equal(instantToSerial(noon, 'UTC', 'google'), 46_346.5);
    assert.equal(instantToSerial(noon, 'Europe/Moscow', 'google'), 46_346.625);
    assert.equal(instantToSerial(noon, 'America/New_York', 'google'), 46_346 + 7 / 24);
    assert.equal(instantToSerial(noon, 'UTC', '1904'), 46_346.5 - 1462);
  });

  it('has the local day of the time zone', () => {
    const late = Date.UTC(2026, 10, 20, 23, 30);
    assert.equal(Math.floor(instantToSerial(late, 'Europe/Moscow', 'google')), 46_347);
  });

  it('equals the UTC time for any instant in UTC', () => {
    fc.assert(
      fc.property(fc.integer({ min: -2_000_000_000_000, max: 4_000_000_000_000 }), (ms) => {
        const direct = instantToSerial(ms, 'UTC', 'google');
        assert.ok(Math.abs(instantToSerial(ms, 'Etc/UTC', 'google') - direct) < 1e-9);
      }),
    );
  });
});
