import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { formatIsoDate, formatTime, parseMoment } from '../../src/index.ts';
import type { DateSystem } from '../../src/locale/date-system.ts';

const MICROSECOND = 1 / 86_400 / 1e6;
/** The last day of the year 9999. */
const LAST_DAY = 2_958_465;

/** Half a microsecond plus the distances to the neighbouring doubles on both sides. */
function computeMaxRoundingError(serial: number): number {
  return MICROSECOND / 2 + 2 * Math.abs(serial) * Number.EPSILON;
}

/** Serial numbers of every size, whole seconds, and sums that are rounded differently from single values. */
const serial = fc.oneof(
  fc.double({ min: 1, max: LAST_DAY, noNaN: true }),
  fc.integer({ min: 86_400, max: LAST_DAY * 86_400 }).map((seconds) => seconds / 86_400),
  fc.tuple(fc.integer({ min: 1, max: LAST_DAY - 1 }), fc.nat(86_399)).map(([day, second]) => day + second / 86_400),
  fc
    .tuple(fc.integer({ min: 1, max: LAST_DAY - 1 }), fc.nat(999))
    .map(([day, ms]) => day + 0.1 + ms / 86_400_000 + 0.2),
);

describe('moments in plain form', () => {
  it('are dates to the microsecond, and the same text when they are read again', () => {
    fc.assert(
      fc.property(serial, fc.constantFrom<DateSystem>('google', '1900'), (value, system) => {
        const text = formatIsoDate(value, system) ?? assert.fail();
        const read = parseMoment(text, system)?.serial ?? assert.fail(text);
        assert.ok(Math.abs(read - value) <= computeMaxRoundingError(value), `${value}: ${text}`);
        assert.equal(formatIsoDate(read, system), text);
      }),
      { numRuns: 5_000 },
    );
  });

  it('are times and durations to the microsecond, and the same text when they are read again', () => {
    fc.assert(
      fc.property(serial, fc.boolean(), (size, isNegative) => {
        const value = isNegative ? -size : size;
        const text = formatTime(value) ?? assert.fail();
        const read = parseMoment(text, 'google')?.serial ?? assert.fail(text);
        assert.ok(Math.abs(read - value) <= computeMaxRoundingError(value), `${value}: ${text}`);
        assert.equal(formatTime(read), text);
      }),
      { numRuns: 5_000 },
    );
  });

  it('keep the microseconds and milliseconds of a text', () => {
    const day = fc.integer({ min: 61, max: 65_535 });
    fc.assert(
      fc.property(day, fc.integer({ min: 2, max: 999_998 }), fc.nat(999), (date, micros, ms) => {
        const createTime = (decimals: string) => `${formatIsoDate(date, 'google')}T10:20:30.${decimals}`;
        const late = `2999-12-31T10:20:30.${String(ms).padStart(3, '0')}`;
        for (const text of [createTime(String(micros).padStart(6, '0')), late]) {
          const shown = formatIsoDate(parseMoment(text, 'google')?.serial ?? assert.fail(text), 'google') ?? '';
          assert.equal(shown, text.replace(/(?:\.000|000)$/, ''));
        }
      }),
      { numRuns: 5_000 },
    );
  });

  it('have no decimals if they are whole seconds', () => {
    const second = fc.tuple(fc.integer({ min: 61, max: LAST_DAY - 1 }), fc.nat(86_399));
    fc.assert(
      fc.property(second, ([day, of]) => {
        assert.doesNotMatch(formatIsoDate(day + of / 86_400, 'google') ?? '.', /\./);
        assert.doesNotMatch(formatIsoDate((day * 86_400 + of) / 86_400, 'google') ?? '.', /\./);
      }),
      { numRuns: 2_000 },
    );
  });
});
