import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runSynchronously } from '@cellwire/event-loop';
import fc from 'fast-check';
import { createTextArbitrary } from '../../../../test/any-text.ts';
import { MAX_BODY_DEPTH, MAX_BODY_LISTS } from '../../src/limits/http.ts';
import { JsonError, parseInPieces } from '../../src/operations/json/json-pieces.ts';

const PIECE_BYTES = 64 * 1024;

/** Parses a text in pieces of the given size. */
function parsePieces(text: string, pieceBytes: number): unknown {
  try {
    return { value: runSynchronously(parseInPieces(Buffer.from(text), pieceBytes)) };
  } catch (error) {
    assert.ok(error instanceof JsonError);
    return null;
  }
}

function parseWhole(text: string): unknown {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return null;
  }
}

function assertEqualParses(text: string, pieceBytes: number): void {
  const [pieces, whole] = [parsePieces(text, pieceBytes), parseWhole(text)];
  assert.deepEqual(pieces, whole, text);
  // Also compares the order of names, which `deepEqual` ignores.
  assert.equal(JSON.stringify(pieces), JSON.stringify(whole), text);
}

/** Without backslashes, because V8 may reuse an escaped name of an earlier text (see `ESCAPED`). */
const name = fc
  .oneof(fc.constantFrom('a', 'b', '__proto__', '1', '"', 'я'), fc.string({ maxLength: 3 }))
  .map((text) => text.replaceAll('\\', '/'));
const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(fc.integer(), fc.boolean(), fc.constant(null), createTextArbitrary({ maxLength: 6 })).map(toJson),
    fc
      .tuple(createBlankText(), fc.array(tie('json'), { maxLength: 6 }))
      .map(([space, parts]) => `[${parts.join(`,${space}`)}]`),
    fc
      .array(fc.tuple(name, tie('json')), { maxLength: 5 })
      .map((members) => `{${members.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`),
  ),
}));

function toJson(value: unknown): string {
  return JSON.stringify(value);
}

function createBlankText() {
  return fc.constantFrom('', ' ', '\n\t ');
}

test('a long row of numbers is parsed with pauses', () => {
  for (const number of ['12.5', '0.12345678901234567']) {
    const text = `{"values":[[${new Array(200_000).fill(number).join(',')}]]}`;
    const steps = parseInPieces(Buffer.from(text), PIECE_BYTES);
    let pauses = 0;
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done) {
        assert.deepEqual(step.value, JSON.parse(text));
        break;
      }
      pauses++;
    }
    // Parsing a piece takes less than a millisecond.
    assert.ok(pauses >= text.length / PIECE_BYTES, `${pauses} pauses`);
  }
});

/** Sizes of pieces: shorter than most texts, or longer than all texts. */
const pieceBytes = fc.oneof({ weight: 3, arbitrary: fc.integer({ min: 1, max: 12 }) }, fc.constant(PIECE_BYTES));

test('parsing in pieces equals parsing at once', () => {
  fc.assert(
    fc.property(json, pieceBytes, (text, bytes) => assertEqualParses(String(text), bytes)),
    { numRuns: 500 },
  );
});

test('invalid JSON is refused in pieces, too', () => {
  const damage = fc.record({
    at: fc.nat(),
    by: fc.constantFrom(',', ']', '}', '[', '{', '"', ':', ' ', '-', '0', '\\'),
  });
  fc.assert(
    fc.property(json, fc.array(damage, { minLength: 1, maxLength: 3 }), pieceBytes, (text, damages, bytes) => {
      const damaged = damages.reduce((text_, { at, by }) => {
        const index = at % (text_.length + 1);
        return text_.slice(0, index) + by + text_.slice(index + (at % 2));
      }, String(text));
      assertEqualParses(damaged.toWellFormed(), bytes);
    }),
    { numRuns: 2_000 },
  );
});

/** Numbers with at most 15 digits, with more, and with exponents; and tokens that are no numbers. */
const numberToken = fc.oneof(
  { weight: 6, arbitrary: fc.integer().map(String) },
  { weight: 6, arbitrary: fc.integer().map((number) => String(number / 100)) },
  { weight: 3, arbitrary: fc.double({ noNaN: true, min: -1e9, max: 1e9 }).map(toJson) },
  fc.constantFrom(
    '-0',
    '-0.0',
    '0.1',
    '1e2',
    '1E-7',
    '123456789012.345',
    '999999999999999',
    '0.3000000000000004',
    '1e400',
  ),
);
const otherToken = fc.constantFrom('01', '1.', '-', '.5', '+1', '1e', 'null', '"[1]"', '"]"', '[1]', '', '1 2', 'NaN');
const prefix = fc.constantFrom('', '{"values":', '{"a":"[[1,2],[3]]","values":', '{"\\"[[":[[0]],"v" :', '[1,');

test('rows of numbers are parsed exactly as at once', () => {
  const blank = createBlankText();
  const row = fc
    .tuple(blank, fc.array(fc.oneof({ weight: 40, arbitrary: numberToken }, otherToken), { maxLength: 6 }), blank)
    .map(([before, tokens, between]) => `[${before}${tokens.join(`${between},${before}`)}${between}]`);
  const rows = fc
    .tuple(fc.array(row, { minLength: 1, maxLength: 6 }), blank)
    .map(([texts, between]) => `[${between}${texts.join(`,${between}`)}${between}]`);
  const suffix = fc.constantFrom('', ',"z":[[1]]', ',', ']');
  fc.assert(
    fc.property(prefix, rows, suffix, fc.integer({ min: 1, max: 40 }), (start, list, more, bytes) => {
      const end = { '{': '}', '[': ']' }[start[0] ?? ''] ?? '';
      assertEqualParses(start + list + more + end, bytes);
    }),
    { numRuns: 3_000 },
  );
});

test('rows of numbers count as lists, and as levels', () => {
  const rows = (count: number) => Buffer.from(`{"values":[${Array(count).fill('[1]').join(',')}]}`);
  assert.doesNotThrow(() => runSynchronously(parseInPieces(rows(MAX_BODY_LISTS - 2))));
  assert.throws(() => runSynchronously(parseInPieces(rows(MAX_BODY_LISTS - 1))), /more than \d+ lists/);
  const nested = (levels: number) => Buffer.from(`${'{"a":'.repeat(levels - 2)}[[1,2],[3]]${'}'.repeat(levels - 2)}`);
  assert.doesNotThrow(() => runSynchronously(parseInPieces(nested(MAX_BODY_DEPTH), 1)));
  assert.throws(() => runSynchronously(parseInPieces(nested(MAX_BODY_DEPTH + 1), 1)), /nested deeper/);
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
  test(`${text} gives the same result in pieces and at once`, () => {
    for (const bytes of [1, 2, 3, 5, 100]) assertEqualParses(text, bytes);
  });
}

/** Names whose escapes V8 confuses if they occur at the same position. */
const CONFUSABLE_NAMES = ['', '\\', '"', '\n', 'a\\', 'a"', 'a\\"', '\u0001', '__proto__', '2', 'я'];
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom<unknown>(null, true, -1.5e-7, 0, 'a\\":{', ']', ''),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...CONFUSABLE_NAMES), tie('value'), { noNullPrototype: true }),
  ),
}));

test('names are parsed independently of earlier texts', () => {
  fc.assert(
    fc.property(value, pieceBytes, fc.constantFrom(0, 1), (original, bytes, indent) => {
      const text = JSON.stringify(original, null, indent);
      const parsed = parsePieces(text, bytes) as { value: unknown };
      assert.deepEqual(parsed, { value: original }, text);
      assert.equal(JSON.stringify(parsed.value, null, indent), text);
    }),
    { numRuns: 2_000 },
  );
});

for (const length of [17, 60_000, 100_000]) {
  test(`${length} nested brackets are refused before parsing`, () => {
    assert.throws(
      () => runSynchronously(parseInPieces(Buffer.from('['.repeat(length)))),
      /nested deeper than 16 levels/,
    );
    const lists = '['.repeat(length) + ']'.repeat(length);
    assert.throws(() => runSynchronously(parseInPieces(Buffer.from(lists))), /nested deeper than 16 levels/);
  });
}

test('a byte order mark is skipped', () => {
  assert.deepEqual(parsePieces('\ufeff[1,2]', 2), { value: [1, 2] });
});
