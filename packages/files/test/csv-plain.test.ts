import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { scaleRunCount } from '../../../test/depth.ts';
import { parseDateShape } from '../src/csv/date-shape.ts';
import { isCode, parseNumberShapes, toNumber } from '../src/csv/number-shape.ts';
import {
  areUnevenDigits,
  computeDayKey,
  decodeFirstLetter,
  isWord,
  NO_KEY,
  PlainNumber,
} from '../src/csv/plain-bytes.ts';

/** Texts with the characters of numbers, dates and telephone numbers. */
const fields = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'0123456789.-+ ,:/eE%'), minLength: 1, maxLength: 20 }),
  fc.stringMatching(/^-?\d{1,17}(\.\d{1,6})?$/),
  fc.stringMatching(/^[-+]?\d{1,4}( \d{1,4}){0,4}$/),
);
const words = fc.oneof(
  fc.stringMatching(/^[A-Za-z]{1,12}\.? \d{1,3}[ ,]{0,2}\d{0,4}$/),
  fc.stringMatching(/^[A-Za-zéДж]{1,12}[-. 1é,]{0,4}$/),
);

function parseEncoded<T>(parse: (bytes: Buffer, start: number, end: number) => T, text: string): T {
  const bytes = Buffer.from(`1.${text}9 `);
  return parse(bytes, 2, bytes.length - 2);
}

describe('a field that is read from its bytes', () => {
  it('has the same number as its text', () => {
    const number = new PlainNumber();
    fc.assert(
      fc.property(fields, (field) => {
        const mark = parseEncoded((...bytes) => number.readNumber(...bytes), field);
        if (mark === 'none') return;
        const [first, second, ...furtherShapes] = parseNumberShapes(field);
        assert.ok(first && furtherShapes.length === 0);
        const shape = first.mark === '.' || first.mark === '' ? first : second;
        assert.equal(mark === 'either', second !== undefined);
        assert.equal(mark === 'whole', first.mark === '');
        assert.ok(!isCode(first));
        assert.equal(number.value, shape && toNumber(shape));
      }),
      { numRuns: scaleRunCount(2_000) },
    );
  });

  it('is neither a number nor a date if its digits have uneven groups', () => {
    for (const field of ['+371 21234567', '12 34', '1234 567']) assert.ok(parseEncoded(areUnevenDigits, field), field);
    fc.assert(
      fc.property(fields, (field) => {
        if (!parseEncoded(areUnevenDigits, field)) return;
        assert.deepEqual(parseNumberShapes(field), []);
        assert.equal(parseDateShape(field), null);
      }),
      { numRuns: scaleRunCount(2_000) },
    );
  });

  it('is no date if it is a word without a day', () => {
    for (const field of ['May', 'note 17', 'note 417', 'май', 'заметка 17', 'Ж. 417'])
      assert.ok(parseEncoded(isWord, field), field);
    fc.assert(
      fc.property(words, (field) => {
        assert.equal(parseEncoded(decodeFirstLetter, field), field.charCodeAt(0));
        if (parseEncoded(isWord, field)) assert.equal(parseDateShape(field), null);
      }),
      { numRuns: scaleRunCount(2_000) },
    );
  });

  it('has a unique key', () => {
    fc.assert(
      fc.property(fields, fields, (first, second) => {
        const keys = [first, second].map((field) => parseEncoded(computeDayKey, field));
        if (keys[0] === keys[1] && keys[0] !== NO_KEY) assert.equal(first, second);
      }),
      { numRuns: scaleRunCount(2_000) },
    );
  });
});
