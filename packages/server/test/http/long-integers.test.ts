import assert from 'node:assert/strict';
import { after, before, describe, it, test } from 'node:test';
import { runSynchronously } from '@cellwire/event-loop';
import fc from 'fast-check';
import { scaleRunCount } from '../../../../test/depth.ts';
import { LongIntegerError, parseInPieces } from '../../src/operations/json/json-pieces.ts';
import { type Api, type ApiResponse, startWorld, type World } from './support.ts';

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

function assertRefused({ status, body }: ApiResponse, field: string, path_: string, integer: string): void {
  const message = `${path_}: ${integer} cannot be stored exactly as a number; send it as text`;
  assert.deepEqual([status, body], [422, { message, errors: { [field]: [message] } }]);
}

async function createBook(): Promise<Api> {
  const created = await world.createBook();
  await created.put('A1', [
    ['Number', 'Sum'],
    ['A-1', 1],
  ]);
  return created;
}

const TOO_LONG = ['9007199254740992', '9007199254740993', '-9007199254740992', '12345678901234567890', '1'.repeat(400)];
const EXACT = ['9007199254740991', '-9007199254740991', '9007199254740992.0', '9.007199254740993e15', '1e300', '1E+22'];

describe('an integer beyond the exact range of a double', () => {
  it('is refused as a value, with and without a key, and nothing is written', async () => {
    const api = await createBook();
    for (const integer of TOO_LONG) {
      const printed = integer.length > 40 ? `${integer.slice(0, 40)}…` : integer;
      const raw = `{"values":[["x", ${integer}]]}`;
      assertRefused(await api.requestInDocument('PUT', '/values/C1', { raw }), 'values.0.1', 'values.0.1', printed);
      assertRefused(
        await api.requestInDocument('PUT', '/values/C1', { raw, key: 'k' }),
        'values.0.1',
        'values.0.1',
        printed,
      );
    }
    assert.equal(await api.revision(), '1');
  });

  it('is stored if it is exact, not written as an integer, or sent as text', async () => {
    const api = await createBook();
    for (const number of EXACT) {
      const { status, body } = await api.requestInDocument('PUT', '/values/C1', { raw: `{"values":[[${number}]]}` });
      assert.equal(status, 200, JSON.stringify(body));
      assert.equal((await api.cell('C1'))['v'], Number(number));
    }
    const texts = ['"9007199254740993"', '" 9007199254740993 "', '"\\"9007199254740993"', '"order 9007199254740993,"'];
    for (const text of texts) {
      const { status } = await api.requestInDocument('PUT', '/values/C1?dryRun=true', {
        raw: `{"values":[[${text}]]}`,
      });
      assert.equal(status, 200, text);
    }
    assert.equal(
      (await api.requestInDocument('PUT', '/values/C1', { raw: '{"values":[["9007199254740993"]]}' })).status,
      200,
    );
    assert.equal((await api.cell('C1'))['v'], '9007199254740993');
  });

  it('is refused with its path in values, records and filters', async () => {
    const api = await createBook();
    const n = '9007199254740993';
    const cases: readonly (readonly [path: string, raw: string, field: string, path_: string])[] = [
      ['/values/append', `{"range":"A1","values":[[1],[2,${n}]]}`, 'values.1.1', 'values.1.1'],
      [
        '/values/append',
        `{"range":"A1","values":[[{"value":${n},"as":"text"}]]}`,
        'values.0.0.value',
        'values.0.0.value',
      ],
      [
        '/values/batchUpdate',
        `{"data":[{"range":"A1","values":[[1]]},{"range":"A2","values":[[ ${n} ]]}]}`,
        'data.1.values.0.0',
        'data.1.values.0.0',
      ],
      [
        '/values/clear',
        `{"range":"A1","expect":[{"range":"A1","values":[[${n}]]}]}`,
        'expect.0.values.0.0',
        'expect.0.values.0.0',
      ],
      [
        '/records/append',
        `{"range":"A:B","records":[{"Sum":1},{"Number":${n}}]}`,
        'records.1.Number',
        'records.1.Number',
      ],
      [
        '/records/upsert',
        `{"range":"A:B","key":["Number"],"records":[{"N\\u0075mber":-${n}}]}`,
        'records.0.Number',
        'records.0.Number',
      ],
      ['/records/update', `{"range":"A:B","all":true,"set":{"Sum":${n}}}`, 'set.Sum', 'set.Sum'],
      ['/records/delete', `{"range":"A:B","where":{"Sum":${n}}}`, 'where', 'where."Sum"'],
      ['/records/query', `{"range":"A:B","where":{"Sum":{"gte":${n}}}}`, 'where', 'where."Sum".gte'],
      ['/records/query', `{"range":"A:B","any":[{"Sum":1},{"Sum":[2,${n}]}]}`, 'any', 'any."Sum".1'],
      [
        '/structure',
        `{"operations":[{"insertRows":{"sheet":"Sheet1","before":${n}}}]}`,
        'operations.0.before',
        'operations.0.before',
      ],
    ];
    for (const [path, raw, field, path_] of cases) {
      const integer = /-?\d{16,}/.exec(raw)?.[0] ?? '';
      assertRefused(await api.requestInDocument('POST', path, { raw }), field, path_, integer);
    }
    const where = encodeURIComponent(`{"Sum":{"in":[1,${n}]}}`);
    assertRefused(
      await api.requestInDocument('GET', `/records/query?range=A:B&where=${where}`),
      'where',
      'where."Sum".in.1',
      n,
    );
    assert.equal(await api.revision(), '1');
  });

  it('ends an NDJSON upload with the number of its record', async () => {
    const api = await createBook();
    const headers = { 'content-type': 'application/x-ndjson' };
    const lines = ['{"Sum":1}', '', '{"Sum":2}', '{"Sum":9007199254740993}', ''].join('\n');
    const response = await api.requestInDocument('POST', '/records/append?range=A:B', { raw: lines, headers });
    assertRefused(response, 'records.2.Sum', 'records.2.Sum', '9007199254740993');
    assert.equal(await api.revision(), '1');
  });
});

test('a long integer is found at every position of a large body', () => {
  const mebibyte = 1024 * 1024;
  for (const boundary of [mebibyte, 2 * mebibyte]) {
    for (let offset = boundary - 20; offset <= boundary + 4; offset++) {
      const createBody = (token: string) => Buffer.from(`["${'x'.repeat(offset - 4)}",${token}]`);
      assert.throws(
        () => runSynchronously(parseInPieces(createBody('9007199254740993'))),
        LongIntegerError,
        String(offset),
      );
      assert.doesNotThrow(
        () => runSynchronously(parseInPieces(createBody('0.99071992547409931111111111111111'))),
        String(offset),
      );
    }
  }
});

/** Tokens of 15 to 18 digits in all contexts of JSON. */
const digits = fc.stringMatching(/^[1-9][0-9]{14,17}$/);
const token = fc.oneof(
  digits,
  digits.map((text) => `-${text}`),
  digits.map((text) => `0.${text}`),
  digits.map((text) => `${text}.5`),
  digits.map((text) => `${text}e1`),
  digits.map((text) => `1e-0${text}`),
  digits.map((text) => `"${text}"`),
  digits.map((text) => `{"${text}":1}`),
  digits.map((text) => `["a\\\\",${text}]`),
  digits.map((text) => `[[1,2.5],[${text},3]]`),
  digits.map((text) => `[[1,2.5],[0.${text},3]]`),
  fc.constantFrom('1', '"x"', '[]', '"\\""'),
);

test('a text is refused exactly if it contains an integer above 2^53 − 1', () => {
  const list = fc.array(fc.tuple(fc.constantFrom('', ' ', '\n      '), token), { maxLength: 8 });
  fc.assert(
    fc.property(list, (parts) => {
      const text = `[${parts.map(([blank, token_]) => `${blank}${token_}${blank}`).join(',')}]`;
      const longInteger = /(?<![\d.eE+"])(?<![eE]-0*)\b\d{16,}\b(?![.eE"])/g;
      const hasLongInteger = [...text.matchAll(longInteger)].some(
        ([token_]) => BigInt(token_) > BigInt(Number.MAX_SAFE_INTEGER),
      );
      let refused = false;
      try {
        runSynchronously(parseInPieces(Buffer.from(text), 64));
      } catch (error) {
        refused = error instanceof LongIntegerError;
      }
      assert.equal(refused, hasLongInteger, text);
    }),
    { numRuns: scaleRunCount(1_000) },
  );
});
