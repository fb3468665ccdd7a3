import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runSynchronously } from '@cellwire/event-loop';
import fc from 'fast-check';
import { anyText } from '../../../../test/any-text.ts';
import { JsonError, parseInPieces } from '../../src/operations/json/json-pieces.ts';

/** What becomes of a text in pieces of so many bytes. */
function inPieces(text: string, pieceBytes: number): unknown {
  try {
    return { value: runSynchronously(parseInPieces(Buffer.from(text), pieceBytes)) };
  } catch (error) {
    assert.ok(error instanceof JsonError);
    return null;
  }
}

function atATime(text: string): unknown {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return null;
  }
}

function alike(text: string, pieceBytes: number): void {
  const [pieces, whole] = [inPieces(text, pieceBytes), atATime(text)];
  assert.deepEqual(pieces, whole, text);
  // The order of names, which `deepEqual` does not look at.
  assert.equal(JSON.stringify(pieces), JSON.stringify(whole), text);
}

/** Without backslashes: what `JSON.parse` makes of a text with such names depends on the texts before it. */
const name = fc
  .oneof(fc.constantFrom('a', 'b', '__proto__', '1', '"', 'я'), fc.string({ maxLength: 3 }))
  .map((text) => text.replaceAll('\\', '/'));
const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(fc.integer(), fc.boolean(), fc.constant(null), anyText({ maxLength: 6 })).map(textOf),
    fc.tuple(blank(), fc.array(tie('json'), { maxLength: 6 })).map(([space, parts]) => `[${parts.join(`,${space}`)}]`),
    fc
      .array(fc.tuple(name, tie('json')), { maxLength: 5 })
      .map((members) => `{${members.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`),
  ),
}));

function textOf(value: unknown): string {
  return JSON.stringify(value);
}

function blank() {
  return fc.constantFrom('', ' ', '\n\t ');
}

test('a text in pieces is what it is in one', () => {
  fc.assert(
    fc.property(json, fc.integer({ min: 1, max: 12 }), (text, bytes) => alike(String(text), bytes)),
    { numRuns: 500 },
  );
});

test('a text that is no JSON is none in pieces', () => {
  const damage = fc.record({
    at: fc.nat(),
    by: fc.constantFrom(',', ']', '}', '[', '{', '"', ':', ' ', '-', '0', '\\'),
  });
  fc.assert(
    fc.property(json, fc.array(damage, { minLength: 1, maxLength: 3 }), fc.nat(12), (text, damages, bytes) => {
      const damaged = damages.reduce((held, { at, by }) => {
        const place = at % (held.length + 1);
        return held.slice(0, place) + by + held.slice(place + (at % 2));
      }, String(text));
      alike(damaged.toWellFormed(), bytes + 1);
    }),
    { numRuns: 2_000 },
  );
});

for (const text of [
  ...[
    '[,[1,2,3]]',
    '[[1,2,3],]',
    '[[1,2,3],,4]',
    '[1 [1,2,3]]',
    '[[1,2,3] 4]',
    '[[1,2,3}]',
    '{"a":[1,2,3]]',
    '[[1,2,3]]]',
  ],
  ...['{"a":-[1,2,3]}', '{"a" [1,2,3]}', '{[1,2,3]}', '{"a":1 "b":[1,2,3]}', '{"a":[1,2,3],}', '{"a":[1,2,3]"b":1}'],
  ...[
    '{"a":[1,2,3],"a":1,"a":[4,5,6]}',
    '{"__proto__":[1,2,3],"toString":[1,2,3]}',
    '[          ]',
    '{         }',
    '[1,         ]',
  ],
]) {
  test(`${text} in pieces is what it is in one`, () => {
    for (const bytes of [1, 2, 3, 5, 100]) alike(text, bytes);
  });
}

/** Names whose escapes V8 takes for one another where they stand in the same place. */
const ESCAPED = ['', '\\', '"', '\n', 'a\\', 'a"', 'a\\"', '\u0001', '__proto__', '2', 'я'];
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom<unknown>(null, true, -1.5e-7, 0, 'a\\":{', ']', ''),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...ESCAPED), tie('value'), { noNullPrototype: true }),
  ),
}));

test('names are as they were sent, whatever other texts had in their place', () => {
  fc.assert(
    fc.property(value, fc.integer({ min: 1, max: 40 }), fc.constantFrom(0, 1), (sent, bytes, indent) => {
      const text = JSON.stringify(sent, null, indent);
      const read = inPieces(text, bytes) as { value: unknown };
      assert.deepEqual(read, { value: sent }, text);
      assert.equal(JSON.stringify(read.value, null, indent), text);
    }),
    { numRuns: 2_000 },
  );
});

for (const length of [17, 60_000, 100_000]) {
  test(`${length} brackets in one another are refused before anything is made of them`, () => {
    assert.throws(
      () => runSynchronously(parseInPieces(Buffer.from('['.repeat(length)))),
      /nested deeper than 16 levels/,
    );
    const lists = '['.repeat(length) + ']'.repeat(length);
    assert.throws(() => runSynchronously(parseInPieces(Buffer.from(lists))), /nested deeper than 16 levels/);
  });
}

test('a byte order mark is no part of a text', () => {
  assert.deepEqual(inPieces('\ufeff[1,2]', 2), { value: [1, 2] });
});
