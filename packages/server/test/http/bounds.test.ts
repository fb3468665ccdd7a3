import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { MAX_SHEETS } from '@cellwire/engine';
import AjvCompiler from '@fastify/ajv-compiler';
import { DEFAULTS } from '../../src/config/defaults.ts';
import { MAX_BATCH_BLOCKS, MAX_TRANSPOSED_GAPS } from '../../src/limits/requests.ts';
import { startWorld, type World } from './support.ts';

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

type Schema = { readonly [keyword: string]: unknown };

interface Operation {
  readonly parameters?: readonly { readonly in: string; readonly name: string; readonly schema: Schema }[];
  readonly requestBody?: { readonly content: Record<string, { readonly schema: Schema }> };
}

/** Patterns without `*`, `+` and `{n,}` match nothing that is longer than they say. */
const ENDLESS = /[*+]|\{\d+,\}/;

/** Where a schema lets through what has no bound: paths, each with what is missing there. */
function unbounded(schema: Schema, path: string): readonly string[] {
  if ('enum' in schema || 'const' in schema) return [];
  const types = [schema['type']].flat();
  const found: string[] = [];
  if (types[0] === undefined) found.push(`${path}: type`);
  const pattern = schema['pattern'];
  const finite = typeof pattern === 'string' && pattern.startsWith('^') && !ENDLESS.test(pattern);
  if (types.includes('string') && !('maxLength' in schema) && !finite) found.push(`${path}: maxLength`);
  if (types.includes('integer') && !('maximum' in schema)) found.push(`${path}: maximum`);
  if (types.includes('array')) {
    if (!('maxItems' in schema)) found.push(`${path}: maxItems`);
    found.push(...unbounded((schema['items'] ?? {}) as Schema, `${path}[]`));
  }
  if (types.includes('object')) {
    if (!('maxProperties' in schema) && schema['additionalProperties'] !== false) found.push(`${path}: maxProperties`);
    for (const [name, member] of Object.entries((schema['properties'] ?? {}) as Record<string, Schema>)) {
      found.push(...unbounded(member, `${path}.${name}`));
    }
  }
  return found;
}

/** The schema of every input of every route, by where it is. Files are bounded in bytes as they come. */
async function inputs(): Promise<readonly (readonly [string, Schema])[]> {
  const response = await fetch(`${world.server.address}/api/v1/openapi.json`);
  const { paths, components } = (await response.json()) as {
    readonly paths: Record<string, Record<string, Operation>>;
    readonly components: { readonly schemas: Record<string, Schema> };
  };
  const inPlace = (schema: Schema): Schema => {
    const name = String(schema['$ref'] ?? '').replace('#/components/schemas/', '');
    return components.schemas[name] ?? schema;
  };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { parameters = [], requestBody }]) => {
      const json = requestBody?.content['application/json'];
      const bodies = json === undefined ? [] : [['body', inPlace(json.schema)] as const];
      const named = parameters.map(({ in: place, name, schema }) => [`${place} ${name}`, schema] as const);
      return [...named, ...bodies].map(([name, schema]) => [`${method} ${path} ${name}`, schema] as const);
    }),
  );
}

describe('every input of every route', () => {
  it('has a bound', async () => {
    const all = await inputs();
    assert.ok(all.length > 50);
    assert.deepEqual(
      all.flatMap(([place, schema]) => unbounded(schema, place)),
      [],
    );
  });

  it('has a schema that JSON Schema allows: the service itself does not look', async () => {
    const compile = AjvCompiler()({}, { customOptions: { validateSchema: true, strict: false, logger: false } });
    for (const [place, schema] of await inputs()) assert.doesNotThrow(() => compile({ schema }), place);
    assert.throws(() => compile({ schema: { type: 'string', maxLength: 'ten' } }), /maxLength/);
  });

  it('is looked at by a check that finds what has none', () => {
    const schema = {
      type: 'object',
      properties: { list: { type: 'array', items: { type: 'string', pattern: '^a+$' } }, n: { type: 'integer' } },
    };
    assert.deepEqual(unbounded(schema, 'body'), [
      'body: maxProperties',
      'body.list: maxItems',
      'body.list[]: maxLength',
      'body.n: maximum',
    ]);
  });
});

describe('a matrix of columns', () => {
  it('is counted before it is turned', async () => {
    const book = await world.book();
    const long = Array.from({ length: 1_200_000 }, () => 1);
    const cases: readonly [name: string, values: readonly (readonly unknown[])[], message: RegExp][] = [
      ['more rows than a sheet', [long], /more than 1048576/],
      ['more columns than a sheet', Array.from({ length: 16_385 }, () => [1]), /^Invalid range$/],
      ['a long column behind many short ones', [...Array(16_000).fill([]), long.slice(0, 10_000)], /leaves out/],
      ['both long and wide', [...Array(16_000).fill([]), long.slice(0, 1_000_000)], /leaves out/],
    ];
    for (const [name, values, message] of cases) {
      const put = await book.put('A1', values, { major: 'COLUMNS' });
      assert.equal(put.status, 422, name);
      assert.match(String(put.body['message']), message, name);
      assert.equal((await book.append('A1', values, { major: 'COLUMNS' })).status, 422, name);
      assert.equal((await book.batchUpdate([{ range: 'A1', values }], { major: 'COLUMNS' })).status, 422, name);
    }
    assert.equal(await book.revision(), '0');
  });

  it('has its gaps counted over all blocks of a batch', async () => {
    const book = await world.book();
    const values = [...Array(100).fill([]), Array.from({ length: 1_000 }, () => 1)];
    const blocks = (MAX_TRANSPOSED_GAPS / (99 * 1_000)) | 0;
    const data = Array.from({ length: blocks + 2 }, () => ({ range: 'A1', values }));
    const refused = await book.batchUpdate(data, { major: 'COLUMNS' });
    assert.equal(refused.status, 422);
    assert.match(String(refused.body['message']), /^data\.\d+\.values leaves out/);
  });

  it('that fits is written as it was sent', async () => {
    const book = await world.book();
    const { body } = await book.put('B2', [[1, 2, 3], [], [4], [5, null, ''], []], { major: 'COLUMNS' });
    assert.deepEqual(body['updated'], {
      sheet: 'Sheet1',
      updatedRange: 'Sheet1!B2:F4',
      updatedRows: 3,
      updatedColumns: 5,
      updatedCells: 6,
      cells: 6,
    });
    const cells = await book.cells('B2:F4');
    const shown = JSON.parse(JSON.stringify(cells)) as ({ v: unknown } | null)[][];
    assert.deepEqual(
      shown.map((row) => row.map((cell) => cell?.v ?? null)),
      [
        [1, null, 4, 5, null],
        [2, null, null, null, null],
        [3, null, null, null, null],
      ],
    );
  });
});

describe('a batch', () => {
  const blocks = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ range: `A${2 * index + 1}`, values: [[index]] }));

  it('of as many blocks as may be is written, each with its entry in the audit log', async () => {
    const book = await world.book();
    const { status, body } = await book.batchUpdate(blocks(MAX_BATCH_BLOCKS), { key: 'once' });
    assert.deepEqual([status, body['updated']['cells']], [200, MAX_BATCH_BLOCKS]);
    assert.equal((await book.audit())['total'], MAX_BATCH_BLOCKS);
  });

  it('of more is 422 and says how many may be', async () => {
    const book = await world.book();
    const { status, body } = await book.batchUpdate(blocks(MAX_BATCH_BLOCKS + 1));
    assert.equal(status, 422);
    assert.equal(body['errors']['data'][0], `data must not have more than ${MAX_BATCH_BLOCKS} items`);
    assert.equal(await book.revision(), '0');
  });
});

it('a body of nothing but brackets or names is 422 before it is parsed', async () => {
  const book = await world.book();
  const size = DEFAULTS.limits.maxBodyBytes - 64;
  const nested = '['.repeat(size / 2) + ']'.repeat(size / 2);
  const lists = `[${'[],'.repeat(size / 3 - 1)}[]]`;
  const named = `{${Array.from({ length: size / 12 }, (_, i) => `"${i.toString(36)}":{}`).join()}}`;
  const cases: readonly [raw: string, message: RegExp][] = [
    ['['.repeat(size), /nested deeper/],
    ['['.repeat(60_000), /nested deeper/],
    [`{"values":${'['.repeat(20)}${']'.repeat(20)}}`, /nested deeper/],
    [`{"values":${nested}}`, /nested deeper/],
    [`{"values":${lists}}`, /lists and objects/],
    [named, /more than 500000 names|lists and objects/],
    [`{"values":[[1]],"x":${named}}`, /more than 500000 names/],
    [`{"values":[["${'[{:\\"'.repeat(200_000)}"]]}`, /characters/],
  ];
  for (const [raw, message] of cases) {
    const { status, body } = await book.here('PUT', '/values/A1', { raw, key: 'k' });
    assert.equal(status, 422);
    assert.match(String(body['message']), message);
  }
});

it('a refusal names what was sent as far as it fits', async () => {
  const book = await world.book();
  await book.put('A1', [['Sum'], [1]]);
  const name = 'x'.repeat(900_000);
  const cases: readonly [path: string, body: object][] = [
    ['/records/query', { range: 'A:A', sort: [name] }],
    ['/records/query', { range: 'A:A', types: { [name]: 'colour' } }],
    ['/records/query', { range: 'A:A', aggregate: { measures: { n: { sum: name } } } }],
    ['/records/append', { range: 'A:A', records: [{ [name]: 1 }] }],
  ];
  for (const [path, body] of cases) {
    const answer = await book.post(path, body);
    assert.equal(answer.status, 422, path);
    assert.match(String(answer.body['message']), /x{500}/);
    assert.ok(JSON.stringify(answer.body).length < 5_000, path);
  }
});

it('one sheet more than a document may have is 422 and says what to do', async () => {
  const book = await world.book();
  const copies = Array.from({ length: MAX_SHEETS - 1 }, (_, i) => ({
    duplicateSheet: { sheet: 'Sheet1', name: `S${i}` },
  }));
  assert.equal((await book.post('/structure', { operations: copies })).status, 200);
  const message = `A document may have ${MAX_SHEETS} sheets at most: delete some first`;
  const refused = await book.addSheet();
  assert.deepEqual([refused.status, refused.body['errors']], [422, { name: [message] }]);
  const operations = [{ setName: { name: 'rate', refersTo: '=1' } }, { duplicateSheet: { sheet: 'S1' } }];
  const listed = await book.post('/structure', { operations });
  assert.deepEqual([listed.status, listed.body['errors']], [422, { 'operations.1.name': [message] }]);
  assert.equal((await book.deleteSheet('S1')).status, 200);
  assert.equal((await book.addSheet()).status, 200);
});
