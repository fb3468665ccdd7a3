import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { RowSearch } from '../../src/records/index.ts';
import { composeText, foldName } from '../../src/value/fold.ts';
import { Book } from '../workbook/book.ts';
import { readColumns, runToEnd } from './support.ts';

const NO_TYPES = new Map();
const letters = fc.constantFrom('a', 'A', 'b', 'B', 'k', 'S', ' ', '-', 'é', 'É', 'ÿ', 'µ', 'ß');
const wideLetters = fc.oneof(
  { weight: 6, arbitrary: letters },
  fc.constantFrom('\u212a', 'ſ', 'я', 'Я', 'e\u0301', '日'),
);
const arbitraryText = (letter: fc.Arbitrary<string>) =>
  fc.array(letter, { minLength: 1, maxLength: 12 }).map((list) => `x${list.join('')}`);
const texts = (letter: fc.Arbitrary<string>) => fc.array(arbitraryText(letter), { minLength: 60, maxLength: 60 });
const part = fc.oneof(
  fc.array(letters, { minLength: 1, maxLength: 4 }).map((list) => list.join('')),
  fc.constantFrom('x', 'xa', 'ab', 'bab', '\u212a', 's', 'É', 'e', ''),
);
const op = fc.constantFrom('contains' as const, 'startsWith' as const, 'endsWith' as const);

describe('a filter by a part of a text', () => {
  it('finds the texts that have it, in any letter case or in the same one', () => {
    fc.assert(
      fc.property(
        fc.oneof(texts(letters), texts(wideLetters)),
        part,
        op,
        fc.boolean(),
        (rows, wanted, kind, caseSensitive) => {
          const book = new Book();
          book.set('A1', [['Text'], ...rows.map((text) => [text])]);
          const { head } = book;
          const filter = { all: [{ at: 0, test: { op: kind, text: wanted } }], oneOf: null, none: [], caseSensitive };
          const found = runToEnd(new RowSearch(filter, NO_TYPES).findRows(head, readColumns(head, 1), null));
          const fold = caseSensitive ? composeText : foldName;
          const has = (text: string) => {
            if (kind === 'contains') return text.includes(fold(wanted));
            return kind === 'startsWith' ? text.startsWith(fold(wanted)) : text.endsWith(fold(wanted));
          };
          assert.deepEqual(
            [...found],
            rows.flatMap((text, i) => (has(fold(text)) ? [i + 1] : [])),
          );
        },
      ),
      { numRuns: 150 },
    );
  });
});
