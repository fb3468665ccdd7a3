import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { MAX_SHEETS } from '@cellwire/engine';
import AjvCompiler from '@fastify/ajv-compiler';
import { DEFAULTS } from '../../src/config/defaults.ts';
import { MAX_BATCH_BLOCKS, MAX_TRANSPOSED_GAPS } from '../../src/limits/requests.ts';
import { memberAt, startWorld, type World } from './support.ts';

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

type JsonSchema = { readonly [keyword: string]: unknown };

interface OpenApiOperation {
  readonly parameters?: readonly { readonly in: string; readonly name: string; readonly schema: JsonSchema }[];
  readonly requestBody?: { readonly content: Record<string, { readonly schema: JsonSchema }> };
}

/** A pattern without `*`, `+` and `{n,}` bounds the length of its matches. */
const UNBOUNDED_REPETITION = /[*+]|\{\d+,\}/;

/** Paths inside a schema that miss a bound, each with the missing keyword. */
function findMissingBounds(schema: JsonSchema, path: string): readonly string[] {
  if ('enum' in schema || 'const' in schema) return [];
  const types = [schema['type']].flat();
  const missing: string[] = [];
  if (types[0] === undefined) missing.push(`${path}: type`);
  const pattern = schema['pattern'];
  const finite = typeof pattern === 'string' && pattern.startsWith('^') && !UNBOUNDED_REPETITION.test(pattern);
  if (types.includes('string') && !('maxLength' in schema) && !finite) missing.push(`${path}: maxLength`);
  if (types.includes('integer') && !('maximum' in schema)) missing.push(`${path}: maximum`);
  if (types.includes('array')) {
    if (!('maxItems' in schema)) missing.push(`${path}: maxItems`);
    missing.push(...findMissingBounds((schema['items'] ?? {}) as JsonSchema, `${path}[]`));
  }
  if (types.includes('object')) {
    if (!('maxProperties' in schema) && schema['additionalProperties'] !== false)
      missing.push(`${path}: maxProperties`);
    for (const [name, member] of Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>)) {
      missing.push(...findMissingBounds(member, `${path}.${name}`));
    }
  }
  return missing;
}

/**
 * Lists the schema of every input of every route, with its position. Uploaded files are excluded: the service limits
 * their bytes while it reads them.
 */
async function readInputSchemas(): Promise<readonly (readonly [string, JsonSchema])[]> {
  const response = await fetch(`${world.server.address}/api/v1/openapi.json`);
  const { paths, components } = (await response.json()) as {
    readonly paths: Record<string, Record<string, OpenApiOperation>>;
    readonly components: { readonly schemas: Record<string, JsonSchema> };
  };
  const resolveReference = (schema: JsonSchema): JsonSchema => {
    const name = String(schema['$ref'] ?? '').replace('#/components/schemas/', '');
    return components.schemas[name] ?? schema;
  };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { parameters = [], requestBody }]) => {
      const json = requestBody?.content['application/json'];
      const bodies = json === undefined ? [] : [['body', resolveReference(json.schema)] as const];
      const parameterSchemas = parameters.map(({ in: place, name, schema }) => [`${place} ${name}`, schema] as const);
      return [...parameterSchemas, ...bodies].map(([name, schema]) => [`${method} ${path} ${name}`, schema] as const);
    }),
  );
}

describe('every input of every route', () => {
  it('has an upper bound', async () => {
    const all = await readInputSchemas();
    assert.ok(all.length > 50);
    assert.deepEqual(
      all.flatMap(([place, schema]) => findMissingBounds(schema, place)),
      [],
    );
  });

  it('has a valid JSON Schema, which the service itself does not check', async () => {
    const compile = AjvCompiler()({}, { customOptions: { validateSchema: true, strict: false, logger: false } });
    for (const [location, schema] of await readInputSchemas()) assert.doesNotThrow(() => compile({ schema }), location);
    assert.throws(() => compile({ schema: { type: 'string', maxLength: 'ten' } }), /maxLength/);
  });

  it('is covered: the check reports schemas without bounds', () => {
    const schema = {
      type: 'object',
      properties: { list: { type: 'array', items: { type: 'string', pattern: '^a+$' } }, n: { type: 'integer' } },
    };
    assert.deepEqual(findMissingBounds(schema, 'body'), [
      'body: maxProperties',
      'body.list: maxItems',
      'body.list[]: maxLength',
      'body.n: maximum',
    ]);
  });
});

describe('a matrix in columns', () => {
  it('is counted before it is transposed', async () => {
    const book = await world.createBook();
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
    const book = await world.createBook();
    const values = [...Array(100).fill([]), Array.from({ length: 1_000 }, () => 1)];
    const blocks = (MAX_TRANSPOSED_GAPS / (99 * 1_000)) | 0;
    const data = Array.from({ length: blocks + 2 }, () => ({ range: 'A1', values }));
    const refused = await book.batchUpdate(data, { major: 'COLUMNS' });
    assert.equal(refused.status, 422);
    assert.match(String(refused.body['message']), /^data\.\d+\.values leaves out/);
  });

  it('is written in the given order if it fits', async () => {
    const book = await world.createBook();
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
    const storedCells = JSON.parse(JSON.stringify(cells)) as ({ v: unknown } | null)[][];
    assert.deepEqual(
      storedCells.map((row) => row.map((cell) => cell?.v ?? null)),
      [
        [1, null, 4, 5, null],
        [2, null, null, null, null],
        [3, null, null, null, null],
      ],
    );
  });
});

describe('a batch', () => {
  const createBlocks = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ range: `A${2 * index + 1}`, values: [[index]] }));

  it('with the maximum number of blocks is written, with one audit entry per block', async () => {
    const book = await world.createBook();
    const { status, body } = await book.batchUpdate(createBlocks(MAX_BATCH_BLOCKS), { key: 'once' });
    assert.deepEqual([status, memberAt(body, 'updated')['cells']], [200, MAX_BATCH_BLOCKS]);
    assert.equal((await book.listAuditEntries())['total'], MAX_BATCH_BLOCKS);
  });

  it('with more blocks is refused with 422 and the limit', async () => {
    const book = await world.createBook();
    const { status, body } = await book.batchUpdate(createBlocks(MAX_BATCH_BLOCKS + 1));
    assert.equal(status, 422);
    assert.equal(memberAt(body, 'errors', 'data')[0], `data must not have more than ${MAX_BATCH_BLOCKS} items`);
    assert.equal(await book.revision(), '0');
  });
});

it('refuses a body with too many brackets or names before parsing it', async () => {
  const book = await world.createBook();
  const size = DEFAULTS.limits.maxBodyBytes - 64;
  const nestedLists = '['.repeat(size / 2) + ']'.repeat(size / 2);
  const lists = `[${'[],'.repeat(size / 3 - 1)}[]]`;
  const manyNames = `{${Array.from({ length: size / 12 }, (_, i) => `"${i.toString(36)}":{}`).join()}}`;
  const cases: readonly [raw: string, message: RegExp][] = [
    ['['.repeat(size), /nested deeper/],
    ['['.repeat(60_000), /nested deeper/],
    [`{"values":${'['.repeat(20)}${']'.repeat(20)}}`, /nested deeper/],
    [`{"values":${nestedLists}}`, /nested deeper/],
    [`{"values":${lists}}`, /lists and objects/],
    [manyNames, /more than 500000 names|lists and objects/],
    [`{"values":[[1]],"x":${manyNames}}`, /more than 500000 names/],
    [`{"values":[["${'[{:\\"'.repeat(200_000)}"]]}`, /characters/],
  ];
  for (const [raw, message] of cases) {
    const { status, body } = await book.requestInDocument('PUT', '/values/A1', { raw, key: 'k' });
    assert.equal(status, 422);
    assert.match(String(body['message']), message);
  }
});

it('truncates a long name in an error message', async () => {
  const book = await world.createBook();
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

it('refuses one sheet more than the limit with 422 and advice', async () => {
  const book = await world.createBook();
  const copies = Array.from({ length: MAX_SHEETS - 1 }, (_, i) => ({
    duplicateSheet: { sheet: 'Sheet1', name: `S${i}` },
  }));
  assert.equal((await book.post('/structure', { operations: copies })).status, 200);
  const message = `A document may have ${MAX_SHEETS} sheets at most: delete some first`;
  const refused = await book.addSheet();
  assert.deepEqual([refused.status, refused.body['errors']], [422, { name: [message] }]);
  const operations = [{ setName: { name: 'rate', refersTo: '=1' } }, { duplicateSheet: { sheet: 'S1' } }];
  const structureRefusal = await book.post('/structure', { operations });
  assert.deepEqual(
    [structureRefusal.status, structureRefusal.body['errors']],
    [422, { 'operations.1.name': [message] }],
  );
  assert.equal((await book.deleteSheet('S1')).status, 200);
  assert.equal((await book.addSheet()).status, 200);
});
