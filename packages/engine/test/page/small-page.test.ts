import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { scaleRunCount } from '../../../../test/depth.ts';
import { runToEnd } from '../../src/grid/steps.ts';
import {
  type Area,
  boundedPage,
  type Edit,
  type LocaleId,
  type Major,
  pageInSteps,
  smallPageText,
} from '../../src/index.ts';
import { Book } from '../workbook/book.ts';
import { AREA, edit, number } from './random-cells.ts';

const decoder = new TextDecoder('utf-8', { fatal: true });
const ASCII = /^[\x20-\x7e]*$/;
const UNLIMITED = Number.POSITIVE_INFINITY;

/** Up to four cells of the area of random edits. */
const smallArea = fc
  .record({ top: fc.nat(6), left: fc.nat(3), height: fc.constantFrom(1, 2), width: fc.constantFrom(1, 2) })
  .map(({ top, left, height, width }): Area => ({ top, left, bottom: top + height - 1, right: left + width - 1 }));

/** An edit that shows cells as dates, percentages or in a style. */
const formatEdit = fc
  .tuple(fc.nat(AREA.bottom), fc.nat(AREA.right), fc.constantFrom('dd.mm.yyyy', '0.00%', 'General', '"ÿ"0', '@'))
  .map(([row, column, code]): Edit => {
    const area = { top: row, left: column, bottom: row + 1, right: column + 1 };
    return { kind: 'setFormat', sheet: 1, area, format: code };
  });

describe('a small page as text', () => {
  it('equals the page as bytes after any edits, in any direction and locale', () => {
    const place = fc.record({
      area: smallArea,
      major: fc.constantFrom<Major>('ROWS', 'COLUMNS'),
      input: fc.constantFrom<LocaleId | null>(null, 'ru-RU', 'en-US'),
    });
    let texts = 0;
    fc.assert(
      fc.property(
        fc.array(fc.oneof({ weight: 3, arbitrary: edit }, formatEdit), { minLength: 1, maxLength: 8 }),
        fc.array(place, { minLength: 1, maxLength: 4 }),
        fc.constantFrom('ru-RU', 'en-US'),
        (edits, places, locale) => {
          const book = new Book(locale);
          book.addSheet('Other');
          for (const next of edits) {
            book.apply([next]);
            for (const { area, major, input } of places) {
              const bounds = { maxBytes: UNLIMITED, sliceBytes: UNLIMITED, input };
              const small = smallPageText(book.head, 1, area, major, bounds);
              if (small === null) continue;
              texts++;
              const { bytes } = runToEnd(pageInSteps(book.head, 1, area, major, bounds));
              assert.equal(small.text, decoder.decode(bytes));
              if (small.isAscii) assert.match(small.text, ASCII);
            }
          }
        },
      ),
      { numRuns: scaleRunCount(150) },
    );
    assert.ok(texts > 300, `${texts} pages`);
  });

  it('shows any number as a page of bytes does', () => {
    fc.assert(
      fc.property(number, fc.constantFrom('ru-RU', 'en-US'), (value, locale) => {
        const book = new Book(locale);
        book.set('A1', [[value, `=A1`, 'é']], 'raw');
        for (const right of [0, 2]) {
          const area = { top: 0, left: 0, bottom: 0, right };
          const small = smallPageText(book.head, 1, area, 'ROWS', { maxBytes: UNLIMITED });
          if (small === null) assert.ok(Math.abs(value) >= 2 ** 53);
          else assert.equal(small.text, decoder.decode(boundedPage(book.head, 1, area, 'ROWS', UNLIMITED).bytes));
        }
      }),
    );
  });

  it('is not written for many cells, long texts and low limits', () => {
    const book = new Book();
    book.set('A1', [['x'.repeat(2_000), 1]], 'raw');
    const read = (right: number, maxBytes = 1_000_000) =>
      smallPageText(book.head, 1, { top: 0, left: 1, bottom: 0, right }, 'ROWS', { maxBytes })?.text ?? null;
    assert.equal(read(1), '[[{"v":1,"m":"1"}]]');
    assert.equal(read(1, 1_000), null);
    assert.equal(read(4), '[[{"v":1,"m":"1"},null,null,null]]');
    assert.equal(read(5), null);
    const long = { top: 0, left: 0, bottom: 0, right: 0 };
    assert.equal(smallPageText(book.head, 1, long, 'ROWS', { maxBytes: 1_000_000 }), null);
  });
});
