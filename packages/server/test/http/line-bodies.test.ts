import assert from 'node:assert/strict';
import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { runSynchronously } from '@cellwire/event-loop';
import fc from 'fast-check';
import { createTextArbitrary } from '../../../../test/any-text.ts';
import { LineBody, readLineBatches } from '../../src/http/bodies/line-bodies.ts';
import { parseInPieces } from '../../src/operations/json/json-pieces.ts';
import { hashBody } from '../../src/service/idempotency.ts';
import type { SentRecords } from '../../src/service/records/sent-records.ts';
import { isRefusal } from '../../src/service/refusal.ts';

/** The content of a body up to its first invalid line. */
interface BodyContent {
  /** The values of each batch. */
  readonly batches: readonly (readonly unknown[])[];
  readonly bytes: readonly number[];
  /** The hash of each batch's canonical JSON. */
  readonly hashes: readonly string[];
  /** The message of the refusal that ended the batches; null: none. */
  readonly refusal: string | null;
}

interface BatchBounds {
  readonly lines: number;
  readonly bytes: number;
}

/** Reads a body that arrives in pieces. */
async function readBody(pieces: readonly Buffer[], bounds: BatchBounds): Promise<BodyContent> {
  const batches: unknown[][] = [];
  const hashes: string[] = [];
  const bytes: number[] = [];
  for await (const batch of readLineBatches(new LineBody(Readable.from(pieces)), bounds, () => true)) {
    if (isRefusal(batch)) {
      assert.ok('message' in batch);
      return { batches, bytes, hashes, refusal: batch.message };
    }
    const { records } = batch;
    batches.push(Array.from({ length: records.count }, (_, i) => readRecord(records, i)));
    bytes.push(batch.bytes);
    hashes.push(runSynchronously(hashBody(records.firstInvalid === null ? records : null)));
  }
  return { batches, bytes, hashes, refusal: null };
}

/** A record as entries, because `deepEqual` ignores the order of names. */
function readRecord(records: SentRecords, record: number): unknown {
  if (record === records.firstInvalid) return 'no object';
  const names = records.names[record]?.names ?? [];
  return names.map((name, i) => [name, records.readValue((records.firstFields[record] ?? 0) + i)]);
}

/** The plain definition: the lines of the whole body, parsed one by one. */
function parseBody(body: Buffer, bounds: BatchBounds): BodyContent {
  const batches: unknown[][] = [];
  const hashes: string[] = [];
  const bytes: number[] = [];
  let values: unknown[] = [];
  let [size, count] = [0, 0];
  const endBatch = () => {
    const firstInvalid = values.findIndex((value) => !isObject(value));
    batches.push(
      values.map((value, i) => (i === firstInvalid ? 'no object' : isObject(value) ? Object.entries(value) : [])),
    );
    hashes.push(runSynchronously(hashBody(firstInvalid < 0 ? values : null)));
    bytes.push(size);
    values = [];
    size = 0;
  };
  for (let from = 0; from < body.length; ) {
    const newline = body.indexOf('\n', from);
    const line = body.subarray(from, newline < 0 ? body.length : newline);
    from += line.length + 1;
    if (line.length < 16 && /^\s*$/.test(line.toString('latin1'))) continue;
    const refusal = findRefusal(line, count);
    if (refusal !== null) return { batches, bytes, hashes, refusal };
    values.push(JSON.parse(new TextDecoder().decode(line)));
    count++;
    size += line.length;
    if (size > bounds.bytes)
      return {
        batches,
        bytes,
        hashes,
        refusal: `Lines of more than ${bounds.bytes} bytes cannot be one commit: send batch, or a smaller one`,
      };
    if (values.length === bounds.lines) endBatch();
  }
  if (values.length > 0) endBatch();
  return { batches, bytes, hashes, refusal: null };
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function findRefusal(line: Buffer, index: number): string | null {
  const invalid = `records.${index} (line ${index + 1}) is not valid JSON in UTF-8`;
  if (!isUtf8(line)) return invalid;
  try {
    runSynchronously(parseInPieces(line));
    return null;
  } catch (error) {
    const isLong = error instanceof Error && 'integer' in error && 'path' in error && Array.isArray(error.path);
    if (!isLong) return invalid;
    return `records.${[index, ...(error.path as string[])].join('.')}: ${error.integer} cannot be stored exactly as a number; send it as text`;
  }
}

/** JSON of values. */
const validValue = fc.oneof(
  fc.string({ unit: 'grapheme-ascii', maxLength: 5 }).map((text) => JSON.stringify(text)),
  createTextArbitrary({ maxLength: 5 }).map((text) => JSON.stringify(text)),
  fc.double().map((number) => JSON.stringify(number)),
  fc.integer().map(String),
  fc
    .tuple(fc.maxSafeInteger(), fc.nat(25))
    .map(([digits, decimals]) => Number(digits).toFixed(decimals > 20 ? 0 : decimals)),
  fc.constantFrom('null', 'true', 'false', '-0', '0.0', '-0.10', '1e5', '1E+2', '5e-324', '1e999', '1.0e0', '""'),
  fc.constantFrom('9007199254740991', '0.1234567890123456789', '123456789012345678.5'),
  fc.constantFrom(
    '"\\u0000"',
    '"\\ud800"',
    '"\\n\\"\\\\"',
    '"\\u0041"',
    '"2026-03-26"',
    '"я"',
    '"日本語"',
    '"😀"',
    '"\\ufeff"',
  ),
  fc.constantFrom('[]', '{}', '[1,"a"]', '{"value":"1","as":"text"}', '{"error":"#N/A"}'),
);
const invalidValue = fc.oneof(
  fc.constantFrom('9007199254740993', '-12345678901234567890', `${'['.repeat(17)}${']'.repeat(17)}`),
  fc.constantFrom('01', '-', '.5', '1.', '+1', 'nul', 'truefalse', "'a'", 'NaN', '"', '"a', '1 2', ''),
);
const value = fc.oneof({ weight: 30, arbitrary: validValue }, { weight: 1, arbitrary: invalidValue });
const names = fc.constantFrom(
  ['a'],
  ['a', 'b'],
  ['a', 'b', 'c'],
  ['b', 'a'],
  ['1', 'a', '0'],
  ['__proto__', 'a'],
  ['a', 'a'],
  ['я', ''],
  ['"', '\\'],
);
const style = fc.constantFrom(
  { comma: ',', colon: ':' },
  { comma: ', ', colon: ': ' },
  { comma: '\t,\r', colon: ' : ' },
);
const record = fc
  .tuple(names, fc.array(value, { minLength: 3, maxLength: 3 }), style)
  .map(
    ([list, values, { comma, colon }]) =>
      `{${list.map((name, i) => `${JSON.stringify(name)}${colon}${values[i]}`).join(comma)}}`,
  );
const line = fc.oneof(
  { weight: 12, arbitrary: record },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '',
      '  ',
      ' '.repeat(20),
      '1',
      '[]',
      'null',
      '{"a":1}{"a":1}',
      '{"a":1},',
      '\ufeff{"a":1}',
      '{"a":1',
      '}',
    ),
  },
);
const damage = fc.record({
  at: fc.nat(),
  isInserted: fc.boolean(),
  byte: fc.oneof(fc.nat(255), fc.constantFrom(...Buffer.from('",:{}\\\n-.e0'))),
});

function damageBytes(bytes: Buffer, damages: readonly { at: number; isInserted: boolean; byte: number }[]): Buffer {
  return damages.reduce((body, { at, isInserted, byte }) => {
    const index = at % (body.length + 1);
    return Buffer.concat([body.subarray(0, index), Buffer.of(byte), body.subarray(isInserted ? index : index + 1)]);
  }, bytes);
}

/** Cuts a body into pieces of the lengths, and a last one. */
function cutIntoPieces(body: Buffer, lengths: readonly number[]): Buffer[] {
  const pieces: Buffer[] = [];
  let from = 0;
  for (const length of lengths) {
    pieces.push(body.subarray(from, from + length));
    from += length;
  }
  return [...pieces, body.subarray(from)];
}

test('records of a body equal its lines parsed one by one, also if the body arrives in pieces', async () => {
  const body = fc.record({
    lines: fc.array(line, { maxLength: 8 }),
    lineEnd: fc.constantFrom('\n', '\r\n', '\n\n'),
    isEnded: fc.boolean(),
    damages: fc.oneof(fc.constant([]), fc.array(damage, { maxLength: 2 })),
    pieces: fc.array(fc.nat(40), { maxLength: 6 }),
    bounds: fc.record({ lines: fc.integer({ min: 1, max: 9 }), bytes: fc.constantFrom(60, 10_000) }),
  });
  let valid = 0;
  await fc.assert(
    fc.asyncProperty(body, async ({ lines, lineEnd, isEnded, damages, pieces, bounds }) => {
      const bytes = damageBytes(Buffer.from(lines.join(lineEnd) + (isEnded ? lineEnd : '')), damages);
      const expected = parseBody(bytes, bounds);
      assert.deepEqual(
        await readBody(cutIntoPieces(bytes, pieces), bounds),
        expected,
        JSON.stringify(bytes.toString()),
      );
      if (expected.refusal === null && expected.batches.length > 0) valid++;
    }),
    { numRuns: 3_000 },
  );
  assert.ok(valid > 500, `${valid} valid bodies`);
});

test('numbers of lines are the nearest doubles', async () => {
  const number = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true, max: 2 ** 53 - 1, min: -(2 ** 53 - 1) }).map(String),
    fc.tuple(fc.bigInt(0n, 10n ** 15n), fc.nat(15)).map(([digits, decimals]) => {
      const text = String(digits).padStart(decimals + 1, '0');
      return decimals === 0 ? text : `${text.slice(0, -decimals)}.${text.slice(-decimals)}`;
    }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(number, { minLength: 1, maxLength: 20 }), async (numbers) => {
      const body = Buffer.from(numbers.map((text) => `{"a":${text}}\n`).join(''));
      const { batches } = await readBody([body], { lines: 100, bytes: 10_000 });
      assert.deepEqual(batches, [numbers.map((text) => [['a', JSON.parse(text)]])]);
    }),
    { numRuns: 1_000 },
  );
});

test('many different names are read like few', async () => {
  const lines = Array.from({ length: 5_000 }, (_, i) => `{"n${i % 3_000}":${i},"m${i % 7}":"x"}\n`);
  const { batches } = await readBody([Buffer.from(lines.join(''))], { lines: 10_000, bytes: 1_000_000 });
  assert.deepEqual(batches, [lines.map((text) => Object.entries(JSON.parse(text)))]);
});
