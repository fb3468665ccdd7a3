import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  ColumnReader,
  findColumn,
  findKeyRows,
  KeyList,
  type KeyValue,
  RecordIndexes,
} from '../../src/records/index.ts';
import { readKeyValue } from '../../src/records/key-lookup.ts';
import { createPartRules, keyText } from '../../src/records/key-text.ts';
import { Book } from '../workbook/book.ts';
import { readColumns, runToEnd } from './support.ts';

/** Enough rows for the engine to use an index. */
const ROWS = 700;
const NO_TYPES = new Map();

/** Texts that are equal by folding, composition or as the spelling of a number, and others. */
const text = fc.oneof(
  fc.constantFrom(
    'A-1',
    'a-1',
    'A-10',
    'K',
    'k',
    '\u212a',
    '`',
    '\u1fef',
    'é',
    'e\u0301',
    'E\u0301',
    'ß',
    'I',
    'İ',
    'ı',
  ),
  fc.constantFrom('7', '7.0', '-7', '1e3', '2026-03-26', '08:30:00', '-', '-x', ' 7', 'true'),
  fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 4 }),
  fc.integer({ min: 0, max: 400 }).map((i) => `key ${i}`),
);
const key = fc.oneof({ weight: 4, arbitrary: text }, { weight: 1, arbitrary: fc.constantFrom(7, -7, 1000, 7.5, true) });

/** Adds keys like the service does: texts of ASCII characters as bytes. Returns the result of `addKey` for each key. */
function fillList(list: KeyList, bytes: Buffer, keys: readonly (string | number | boolean)[]): (number | null)[] {
  let at = 0;
  return keys.map((scalar) => {
    if (typeof scalar !== 'string' || Buffer.byteLength(scalar) !== scalar.length || scalar === '')
      return list.addKey([{ scalar, moment: null }]);
    const start = at;
    at += bytes.write(scalar, at, 'latin1');
    return list.addAsciiKey(start, at);
  });
}

describe('lists of keys', () => {
  for (const caseSensitive of [false, true]) {
    it(`find equal keys and their rows like the texts of the keys do, caseSensitive: ${caseSensitive}`, () => {
      fc.assert(
        fc.property(fc.array(key, { minLength: 1, maxLength: 60 }), fc.array(key, { minLength: 5 }), (keys, cells) => {
          const columns = { at: [0], types: NO_TYPES, caseSensitive };
          const rules = createPartRules(columns, 'google');
          const bytes = Buffer.alloc(100 * 16);
          const list = new KeyList(columns, 'google', keys.length, bytes);
          const places = new Map<string, number>();
          const twins = keys.map((scalar) => {
            const formatted = keyText([{ scalar, moment: null }], rules);
            const twin = places.get(formatted);
            if (twin === undefined) places.set(formatted, places.size);
            return twin ?? null;
          });
          assert.deepEqual(fillList(list, bytes, keys), twins);
          const book = new Book();
          const inputs = Array.from({ length: ROWS }, (_, i) => cells[(i * i) % cells.length] as string);
          book.set('A1', [['Key'], ...inputs.map((input) => [typeof input === 'string' ? `'${input}` : input])]);
          const { head } = book;
          const region = readColumns(head, 1);
          const reader = { column: findColumn(head, region, 0), reader: new ColumnReader(head, 0, null) };
          const found = runToEnd(findKeyRows(head, region, list, new RecordIndexes(10 * ROWS).getDocumentIndexes('d')));
          const rowsOf = new Map<string, number[]>();
          for (let row = 1; row < region.end; row++) {
            const formatted = keyText([readKeyValue(reader, row)] as KeyValue[], rules);
            rowsOf.set(formatted, [...(rowsOf.get(formatted) ?? []), row]);
          }
          for (const [formatted, i] of places) {
            const expected = rowsOf.get(formatted) ?? [];
            assert.deepEqual([found.getRows(i), found.getFirstRow(i)], [expected, expected[0] ?? null]);
            assert.deepEqual(list.getText(i), formatted);
          }
        }),
        { numRuns: 60 },
      );
    });
  }

  it('find keys whose hashes were chosen to collide', () => {
    const keys = findCollidingTexts(1_500);
    const columns = { at: [0], types: NO_TYPES, caseSensitive: true };
    const bytes = Buffer.from(keys.join(''), 'latin1');
    const list = new KeyList(columns, 'google', keys.length + 1, bytes);
    const { length } = keys[0] as string;
    for (const i of keys.keys()) assert.equal(list.addAsciiKey(i * length, (i + 1) * length), null);
    assert.equal(list.addAsciiKey(700 * length, 701 * length), 700);
  });
});

/** Different texts in lower case with the same FNV-1a hash, by a chain of blocks: each block has two equal forms. */
function findCollidingTexts(count: number): string[] {
  let texts = [''];
  let hash = 0x811c9dc5;
  while (texts.length < count) {
    const [a, b, after] = findCollidingBlocks(hash);
    texts = texts.flatMap((prefix) => [prefix + a, prefix + b]);
    hash = after;
  }
  return texts;
}

/** Two blocks of twelve letters that lead from one state of the hash to the same other state. */
function findCollidingBlocks(from: number): [string, string, number] {
  const seen = new Map<number, string>();
  let random = 1;
  for (;;) {
    let block = '';
    for (let letter = 0; letter < 12; letter++) {
      random = Math.imul(random, 1_103_515_245) + 12_345;
      block += String.fromCharCode(97 + ((random >>> 16) % 26));
    }
    let hash = from;
    for (const letter of block) hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193);
    const twin = seen.get(hash);
    if (twin !== undefined) return [twin, block, hash];
    seen.set(hash, block);
  }
}
