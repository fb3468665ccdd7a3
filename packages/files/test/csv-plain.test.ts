import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { scaleRunCount } from '../../../test/depth.ts';
import { findSlashedPair, parseDateShape, toDateValue } from '../src/csv/date-shape.ts';
import { isProgramForm } from '../src/csv/field-text.ts';
import { isCode, parseNumberShapes, toNumber } from '../src/csv/number-shape.ts';
import {
  areUnevenDigits,
  COMMA,
  decodeFirstLetter,
  isWord,
  isWordWithDigits,
  PlainNumber,
  POINT,
} from '../src/csv/plain-bytes.ts';
import { DATE_FORMS, PlainDate } from '../src/csv/plain-date.ts';

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

const day = fc.stringMatching(/^\d{1,5}[-./]\d{1,3}[-./]\d{1,5}$/);
const time = fc.stringMatching(/^\d{1,3}:\d{1,2}(:\d{1,2})?$/);
const twoDigits = (max: number) => fc.integer({ min: 0, max }).map((number) => String(number).padStart(2, '0'));
/** Texts of digits and separators, most of which are dates or times. */
const dates = fc.oneof(
  day,
  time,
  fc.tuple(day, fc.constantFrom(' ', 'T', '  '), time).map((parts) => parts.join('')),
  fc
    .tuple(fc.integer({ min: 1890, max: 2100 }), twoDigits(13), twoDigits(31), twoDigits(24), twoDigits(60))
    .chain(([year, month, date, hour, minute]) =>
      fc.constantFrom(
        ...[`${year}-${month}-${date}`, `${date}.${month}.${year}`, `${date}/${month}/${year}`],
        ...[`${date}.${month}.${String(year).slice(2)}`, `${date}-${month}-${year}`],
        ...[`${year}-${month}-${date} ${hour}:${minute}`, `${year}-${month}-${date}T${hour}:${minute}:${minute}`],
      ),
    ),
);
/** Texts that begin with digits and contain the letters of dates, numbers and other words. */
const mixtures = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'0123456789eEATMpmarch.- :/,%€'), minLength: 1, maxLength: 14 }),
  fc.stringMatching(/^\d{1,4}[-. ]?[A-Za-z]{1,5}[-. ]?\d{0,4}$/),
);

function parseEncoded<T>(parse: (bytes: Buffer, start: number, end: number) => T, text: string): T {
  const bytes = Buffer.from(`1.${text}9 `);
  return parse(bytes, 2, bytes.length - 2);
}

describe('a field that is read from its bytes', () => {
  it('has the same number as its text', () => {
    const number = new PlainNumber();
    for (const mark of ['.', ','] as const) {
      fc.assert(
        fc.property(fields, (text) => {
          const field = mark === ',' ? text.replaceAll('.', ',') : text;
          const byte = mark === '.' ? POINT : COMMA;
          if (!parseEncoded((bytes, from, end) => number.readNumber(bytes, from, end, byte) === end, field)) return;
          const [first, second, ...furtherShapes] = parseNumberShapes(field);
          assert.ok(first && furtherShapes.length === 0);
          const shape = first.mark === mark || first.mark === '' ? first : second;
          assert.equal(number.kind === 'either', second !== undefined);
          assert.equal(number.kind === 'whole', first.mark === '');
          assert.ok(!isCode(first));
          assert.equal(number.value, shape && toNumber(shape));
        }),
        { numRuns: scaleRunCount(2_000) },
      );
    }
  });

  it('has the same date as its text', () => {
    const date = new PlainDate();
    for (const order of ['dmy', 'mdy', null] as const) {
      fc.assert(
        fc.property(dates, (field) => {
          const isRead = parseEncoded((bytes, from, end) => date.readDate(bytes, from, end, order), field);
          const shape = parseDateShape(field);
          const expected = shape && toDateValue(shape, order, 'de-DE');
          if (!isRead) return;
          assert.deepEqual(parseNumberShapes(field), []);
          assert.ok(shape && DATE_FORMS.includes(date.form as (typeof DATE_FORMS)[number]));
          const format = `${date.form.hasDay ? 'dd.mm.yyyy' : ''} ${date.form.time}`.trim();
          assert.deepEqual({ value: date.serial, format }, expected);
          assert.equal(date.isProgramForm, isProgramForm(field, false));
          assert.equal(date.hasBlank, field.includes(' '));
          assert.deepEqual(date.first === 0 ? null : [date.first, date.second], findSlashedPair(shape));
        }),
        { numRuns: scaleRunCount(2_000) },
      );
    }
  });

  it('is read as a date in all common forms', () => {
    const date = new PlainDate();
    const common = ['2026-12-31', '31.12.2026', '31.12.26', '12/31/2026', '1/2/2026', '31-12-2026', '2026/1/2'];
    const timed = ['2026-12-31T10:20', '2026-12-31 10:20:30', '31.12.2026 9:05', '9:05', '23:59:59', '30:00:00'];
    const others = ['2026-13-01', '31.02.2026', '2026-12', '31.12.2026T10:20', '9:60', '9:05:', '1.2.26', '123:00:00'];
    const read = (field: string) => parseEncoded((bytes, from, end) => date.readDate(bytes, from, end, 'dmy'), field);
    const monthFirst = ['12/31/2026'];
    for (const field of [...common, ...timed]) assert.equal(read(field), !monthFirst.includes(field), field);
    for (const field of others) assert.equal(read(field), false, field);
  });

  it('is a word if it has letters that no number and no date has', () => {
    const isText = (field: string) =>
      parseEncoded((bytes, from, end) => isWordWithDigits(bytes, from, end, true), field);
    for (const field of ['12345-AB', '3f2504e0-4f89-11d3', '221b Baker Street', '1st']) assert.ok(isText(field), field);
    for (const field of ['12e4', '1-Mar-2026', '1 March 2026', '10:20 pm', '5 €', 'A1'])
      assert.ok(!isText(field), field);
    fc.assert(
      fc.property(mixtures, (field) => {
        if (!isText(field)) return;
        assert.deepEqual(parseNumberShapes(field), []);
        assert.equal(parseDateShape(field), null);
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
});
