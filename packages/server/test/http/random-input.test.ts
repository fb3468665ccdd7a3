import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { createTextArbitrary } from '../../../../test/any-text.ts';
import { scaleRunCount } from '../../../../test/depth.ts';
import { type ApiResponse, memberAt, startWorld, type World } from './support.ts';

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

const MIB = 1024 * 1024;
const RUNS = scaleRunCount(150);
const EXPECTED_STATUSES = [200, 404, 413, 422, 431];

/** Texts that look like ranges, and other texts. */
const rangeText = fc.oneof(
  createTextArbitrary({ maxLength: 40 }),
  fc.stringMatching(/^[A-Za-z0-9$:!' ]{1,20}$/),
  fc
    .tuple(fc.constantFrom('Sheet1', "'Sheet1'", "'It''s'", 'Nope', ''), fc.stringMatching(/^[A-Z]{1,4}[0-9]{0,8}$/))
    .map(([sheet, cell]) => (sheet === '' ? cell : `${sheet}!${cell}`)),
);
const json = fc.jsonValue({ maxDepth: 4 });
const values = fc.oneof(
  json,
  fc.array(fc.array(fc.oneof(createTextArbitrary(), fc.double(), fc.boolean(), fc.constant(null)))),
);

/** A lone surrogate cannot be part of a URL. */
function encodeText(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

function assertExpected({ status, body }: ApiResponse): void {
  assert.ok(EXPECTED_STATUSES.includes(status), `${status} ${JSON.stringify(body)}`);
  if (status >= 400) assert.equal(typeof body['message'], 'string');
}

describe('arbitrary input', () => {
  it('as a range gets a response without a server error', async () => {
    const book = await world.createBook();
    const property = fc.asyncProperty(rangeText, async (text) => {
      assertExpected(await book.requestInDocument('GET', `/values/${encodeText(text)}`));
      assertExpected(await book.requestInDocument('GET', `/values/batchGet?ranges=${encodeText(text)}`));
      assertExpected(await book.clear(text));
    });
    await fc.assert(property, { numRuns: RUNS });
  });

  it('as values is written and read back, or refused', async () => {
    const book = await world.createBook();
    const property = fc.asyncProperty(values, fc.constantFrom('RAW', 'USER_ENTERED'), async (inputValues, mode) => {
      const body = { values: inputValues, valueInputOption: mode };
      const written = await book.requestInDocument('PUT', '/values/B2', { body });
      assertExpected(written);
      assertExpected(await book.get('A1:Z50'));
      if (written.status === 200) assert.equal((await book.clear('Sheet1')).status, 200);
    });
    await fc.assert(property, { numRuns: RUNS });
  });

  it('as the body of a write gets a response without a server error', async () => {
    const book = await world.createBook();
    const paths = ['/values/append', '/values/clear', '/values/batchUpdate', '/webhooks'] as const;
    const property = fc.asyncProperty(fc.constantFrom(...paths), json, async (path, body) => {
      assertExpected(await book.post(path, body));
    });
    await fc.assert(property, { numRuns: RUNS });
  });

  it('as a sheet name is stored unchanged, or refused', async () => {
    const book = await world.createBook();
    const property = fc.asyncProperty(createTextArbitrary({ maxLength: 30 }), async (name) => {
      const added = await book.addSheet(name);
      assertExpected(added);
      if (added.status !== 200) return;
      const stored = String(memberAt(added.body, 'sheet')['name']);
      assert.equal(stored, name.trim());
      const range = `'${stored.replaceAll("'", "''")}'!A1`;
      assert.equal(memberAt((await book.put(range, [[1]])).body, 'updated')['sheet'], stored);
      assert.equal((await book.deleteSheet(stored)).status, 200);
    });
    await fc.assert(property, { numRuns: RUNS });
  });

  it('as a query gets a response without a server error', async () => {
    const book = await world.createBook();
    const name = fc.constantFrom('offset', 'limit', 'majorDimension', 'ranges', 'ranges[]', 'ranges[0]', '__proto__');
    const pair = fc.tuple(name, createTextArbitrary({ maxLength: 12 }));
    const property = fc.asyncProperty(fc.array(pair, { maxLength: 4 }), async (pairs) => {
      const query = pairs.map(([key, value]) => `${encodeURIComponent(key)}=${encodeText(value)}`).join('&');
      for (const path of ['/values/A1', '/values/batchGet', '/audit']) {
        assertExpected(await book.requestInDocument('GET', `${path}?${query}`));
      }
    });
    await fc.assert(property, { numRuns: RUNS });
  });
});

describe('formulas that produce huge texts', () => {
  it('are refused before they exhaust the memory', async () => {
    const book = await world.createBook();
    // A million texts of 30,000 characters take 30 GB.
    for (const formula of [
      '=MAKEARRAY(1000;1000;LAMBDA(r;c;REPT("x";30000)&r&c))',
      '=MAP(SEQUENCE(1000000);LAMBDA(x;REPT("ab";15000)&x))',
      '=SCAN("";SEQUENCE(1000000);LAMBDA(a;b;RIGHT(a&REPT("x";9000);20000)))',
      '=REPT("x";SEQUENCE(1000000)*0+30000)',
      '=SEQUENCE(1000000)&REPT("x";30000)',
      '=IF(SEQUENCE(1000000)>0;REPT("x";30000))',
    ]) {
      const { status, body } = await book.put('A1', [[formula]]);
      assert.deepEqual([status, body['message']], [422, 'Calculation limit exceeded'], formula);
    }
    // The same holds for many cells with a long text each, or with a copy of another cell's text.
    const long = Array.from({ length: 20_000 }, (_, index) => ['=REPT("x";30000)', `=A${index + 1}`]);
    assert.equal((await book.put('A1', long)).status, 422);
    assert.equal(await book.revision(), '0');
  });

  it('share the memory of equal texts', async () => {
    const book = await world.createBook();
    const { documents } = world.server.service.context;
    const before = documents.collectMetrics().bytes;
    // 130 MB of text.
    const equalTexts = Array.from({ length: 4_000 }, () => ['=REPT("x";32767)']);
    assert.equal((await book.put('A1', equalTexts)).status, 200);
    assert.ok(documents.collectMetrics().bytes - before < 2 * MIB);
    assert.equal(String((await book.cell('A4000'))['v']).length, 32_767);
  });

  it('are calculated if the texts have ordinary lengths', async () => {
    const book = await world.createBook();
    const formula = '=MAP(SEQUENCE(100000);LAMBDA(x;"An order of "&x&" pieces, delivered to the usual place"))';
    assert.equal((await book.put('A1', [[formula]])).status, 200);
    assert.equal((await book.cell('A100000'))['v'], 'An order of 100000 pieces, delivered to the usual place');
  });
});
