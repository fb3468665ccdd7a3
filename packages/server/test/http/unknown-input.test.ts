import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { createPerson, signInAs } from './browser.ts';
import { createProposingToken } from './proposals-support.ts';
import { type Api, type ApiResponse, memberAt, startWorld, type World } from './support.ts';

let world: World;
before(async () => {
  world = await startWorld({ plans: { enterprise: { webhooksPerDocument: 1_000 } } });
});
after(() => world.close());

interface JsonSchema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly additionalProperties?: unknown;
}

interface OpenApiOperation {
  readonly operationId: string;
  readonly requestBody?: {
    readonly content: Record<string, { readonly schema: JsonSchema; readonly example?: unknown }>;
  };
}

const DESCRIPTION = JSON.parse(readFileSync(new URL('../../../../openapi.json', import.meta.url), 'utf8')) as {
  readonly paths: Record<string, Record<string, OpenApiOperation>>;
  readonly components: { readonly schemas: Record<string, JsonSchema> };
};
const OPERATIONS = Object.entries(DESCRIPTION.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
);
/** Reads of all state that a request can change. */
const STATE_PATHS = ['', '/content', '/sheets', '/names', '/webhooks', '/revisions', '/audit'];

async function readState(book: Api): Promise<unknown> {
  const reads = STATE_PATHS.map(async (path) => (await book.requestInDocument('GET', path)).body);
  const protection = book.requestInDocument('GET', '/sheets/Sheet1/protection');
  const { documents } = (await book.request('GET', '/documents')).body as unknown as { documents: unknown[] };
  return [await Promise.all(reads), (await protection).body, documents.length];
}

function formatAddress(book: Api, path: string): string {
  return path
    .replace('/api/v1', '')
    .replace('{document}', book.document)
    .replace('{range}', 'A1')
    .replace('{sheet}', 'Sheet1')
    .replace('{revision}', '1')
    .replace(/\{\w+\}/, '1');
}

/** Required query parameters of operations. */
const REQUIRED_QUERY: Readonly<Record<string, string>> = {
  batchGetValues: 'ranges[]=A1&',
  batchGetAcrossDocuments: 'ranges[]=A1&',
  getRecords: 'range=A:C&',
  listChanges: 'since=0&',
};

function assertRefused(answer: ApiResponse, field: string, description: string): void {
  assert.deepEqual([answer.status, Object.keys(answer.body?.['errors'] ?? {})], [422, [field]], description);
  assert.match(String(memberAt(answer.body, 'errors', field)[0]), /^unknown field/, description);
}

/** Copies of a body with one additional member, at each depth with a closed list of members. */
function* generateBodiesWithUnknownMember(
  schema: JsonSchema,
  value: unknown,
  path: string,
): Generator<readonly [field: string, body: unknown]> {
  const { $ref, properties = {}, items, additionalProperties } = schema;
  if ($ref !== undefined) {
    const referenced = DESCRIPTION.components.schemas[$ref.slice($ref.lastIndexOf('/') + 1)];
    if (referenced !== undefined) yield* generateBodiesWithUnknownMember(referenced, value, path);
  } else if (Array.isArray(value)) {
    for (const [i, child] of value.entries()) {
      for (const [field, body] of generateBodiesWithUnknownMember(items ?? {}, child, `${path}${i}.`))
        yield [field, value.with(i, body)];
    }
  } else if (typeof value === 'object' && value !== null) {
    if (additionalProperties === false) yield [`${path}unheardOf`, { ...value, unheardOf: 1 }];
    for (const [name, child] of Object.entries(value)) {
      for (const [field, body] of generateBodiesWithUnknownMember(properties[name] ?? {}, child, `${path}${name}.`)) {
        yield [field, { ...value, [name]: body }];
      }
    }
  }
}

describe('every described route', () => {
  for (const { method, path, operation } of OPERATIONS) {
    const { operationId, requestBody } = operation;
    it(`refuses an unknown query parameter: ${operationId}`, async () => {
      const book = await world.createBook();
      await book.put('A1', [['Name'], ['Anna']]);
      const before = await readState(book);
      const { example = {} } = requestBody?.content['application/json'] ?? {};
      const query = `${REQUIRED_QUERY[operationId] ?? ''}unheardOf=1`;
      const body = method === 'GET' ? {} : { body: example };
      assertRefused(
        await book.request(method, `${formatAddress(book, path)}?${query}`, body),
        'unheardOf',
        operationId,
      );
      assert.deepEqual(await readState(book), before);
    });
    if (method === 'GET') continue;
    it(`refuses an unknown member of its body: ${operationId}`, async () => {
      const book = await world.createBook();
      await book.put('A1', [['Name'], ['Anna']]);
      const before = await readState(book);
      const { schema = { additionalProperties: false }, example = {} } = requestBody?.content['application/json'] ?? {};
      const bodies = [...generateBodiesWithUnknownMember(schema, example, '')];
      assert.ok(bodies.length > 0, `${operationId} takes any member`);
      for (const [field, body] of bodies) {
        assertRefused(
          await book.request(method, formatAddress(book, path), { body }),
          field,
          `${operationId} ${field}`,
        );
      }
      assert.deepEqual(await readState(book), before);
    });
  }
});

/** Unknown members at deeper levels than the schema describes. */
const NESTED_CASES: readonly (readonly [path: string, body: object, field: string, text: string])[] = [
  [
    '/values/append',
    { range: 'A1', values: [[1, { value: 1, as: 'text', kind: 'x' }]] },
    'values.0.1.kind',
    'unknown field',
  ],
  [
    '/values/append',
    { range: 'A1', values: [[{ valu: 1, as: 'text' }]] },
    'values.0.0.valu',
    'unknown field; did you mean value?',
  ],
  ['/values/append', { range: 'A1', values: [[{ error: '#N/A', value: 1 }]] }, 'values.0.0.value', 'unknown field'],
  [
    '/values/batchUpdate',
    { data: [{ range: 'A1', value: [[1]] }] },
    'data.0.value',
    'unknown field; did you mean values?',
  ],
  [
    '/values/append',
    { range: 'A1', values: [[1]], expect: [{ range: 'A1', value: [[1]] }] },
    'expect.0.value',
    'unknown field; did you mean values?',
  ],
  [
    '/structure',
    { operations: [{ insertRows: { sheet: 'Sheet1', before: 1, cnt: 2 } }] },
    'operations.0.cnt',
    'unknown field; did you mean count?',
  ],
  [
    '/structure',
    { operations: [{ sort: { range: 'A1:B2', by: [{ column: 'A', oder: 'descending' }] } }] },
    'operations.0.by.0.oder',
    'unknown field; did you mean order?',
  ],
  [
    '/structure',
    { operations: [{ setName: { name: 'n', refersTo: '1', comment: 'x' } }] },
    'operations.0.comment',
    'unknown field',
  ],
  [
    '/records/append',
    { range: 'A:B', records: [{ Name: { value: 'x', as: 'text', note: 1 } }] },
    'records.0.Name.note',
    'unknown field',
  ],
  [
    '/records/update',
    { range: 'A:B', all: true, set: { Name: { value: 'x', as: 'text', note: 1 } } },
    'set.Name.note',
    'unknown field',
  ],
  [
    '/records/query',
    { range: 'A:B', aggregate: { groupby: ['Name'], measures: { n: { count: '*' } } } },
    'aggregate.groupby',
    'unknown field; did you mean groupBy?',
  ],
  ['/records/query', { range: 'A:B', filter: { Name: 'x' } }, 'filter', 'unknown field'],
  ['/records/query', { range: 'A:B', wher: { Name: 'x' } }, 'wher', 'unknown field; did you mean where?'],
  ['/records/delete', { range: 'A:B', all: true, dryrun: true }, 'dryrun', 'unknown field; did you mean dryRun?'],
  [
    '/records/delete',
    { range: 'A:B', all: true, if_revision: 1 },
    'if_revision',
    'unknown field; did you mean ifRevision?',
  ],
  ['/records/delete', { range: 'A:B', all: true, expects: [] }, 'expects', 'unknown field; did you mean expect?'],
  ['/records/delete', { range: 'A:B', all: true, limit: 1 }, 'limit', 'unknown field'],
  ['/webhooks', { url: 'https://example.com/', keys: ['Name'] }, 'keys', 'unknown field; did you mean key?'],
];

describe('an unknown member', () => {
  it('is refused at every depth, with a suggestion', async () => {
    const book = await world.createBook();
    await book.put('A1', [
      ['Name', 'Sum'],
      ['Anna', 1],
    ]);
    const before = await readState(book);
    for (const [path, body, field, text] of NESTED_CASES) {
      const answer = await book.post(path, body);
      const sentBody = JSON.stringify(body);
      assert.deepEqual([answer.status, answer.body['errors']], [422, { [field]: [text] }], sentBody);
    }
    assert.deepEqual(await readState(book), before);
  });

  it('of a filter is refused with its operator', async () => {
    const book = await world.createBook();
    await book.put('A1', [['Name'], ['Anna']]);
    const operator = await book.post('/records/query', { range: 'A:A', where: { Name: { gtee: 1 } } });
    assert.match(
      String(memberAt(operator.body, 'errors', 'where')[0]),
      /^where\."Name"\.gtee: unknown field; did you mean gte\?/,
    );
    const measure = { measures: { n: { summ: 'Name' } } };
    const kind = await book.post('/records/query', { range: 'A:A', aggregate: measure });
    assert.match(String(memberAt(kind.body, 'errors', 'aggregate')[0]), /summ: unknown field; did you mean sum\?/);
    const address = `/records/query?range=A:A&aggregate=${encodeURIComponent(JSON.stringify({ measure }))}`;
    const inQuery = (await book.requestInDocument('GET', address)).body['errors'];
    assert.deepEqual(inQuery, { 'aggregate.measure': ['unknown field; did you mean measures?'] });
    const operation = await book.post('/structure', { operations: [{ insertRow: { sheet: 'Sheet1', before: 1 } }] });
    assert.match(String(memberAt(operation.body, 'errors', 'operations')[0]), /did you mean insertRows\?/);
  });

  it('is reported before missing members, together with other unknown members', async () => {
    const book = await world.createBook();
    const { status, body } = await book.post('/values/append', { rang: 'A1', valuse: [[1]] });
    assert.equal(status, 422);
    assert.deepEqual(body['errors'], {
      rang: ['unknown field; did you mean range?'],
      valuse: ['unknown field; did you mean values?'],
    });
  });

  it('cannot reach prototypes', async () => {
    const book = await world.createBook();
    for (const name of ['__proto__', 'constructor', 'hasOwnProperty', 'toString', '']) {
      const raw = `{"values":[[1]],${JSON.stringify(name)}:{"dryRun":true}}`;
      const inBody = await book.requestInDocument('PUT', '/values/A1', { raw });
      const inQuery = await book.requestInDocument('PUT', `/values/A1?${name}=1`, { body: { values: [[1]] } });
      for (const { status, body } of [inBody, inQuery]) {
        assert.deepEqual([status, Object.entries(memberAt(body, 'errors'))], [422, [[name, ['unknown field']]]], name);
      }
      const operation = await book.post('/structure', { operations: [{ [name]: {} }] });
      assert.deepEqual(
        [operation.status, Object.keys(memberAt(operation.body, 'errors'))],
        [422, ['operations']],
        name,
      );
    }
    assert.equal(await book.revision(), '0');
  });

  it('gets a short response, even among many or with a long name', async () => {
    const book = await world.createBook();
    const manyMembers = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`dryRun${i}`, i]));
    const longMember = { ['x'.repeat(200_000)]: 1 };
    for (const more of [manyMembers, longMember]) {
      const { status, body } = await book.requestInDocument('PUT', '/values/A1', { body: { values: [[1]], ...more } });
      assert.equal(status, 422);
      assert.ok(Object.keys(memberAt(body, 'errors')).length <= 10);
      assert.ok(JSON.stringify(body).length < 20_000);
    }
    const query = Array.from({ length: 1_500 }, (_, i) => `x${i}=`).join('&');
    const { status, body } = await book.requestInDocument('GET', `/values/A1?${query}`);
    assert.deepEqual([status, Object.keys(memberAt(body, 'errors')).length], [422, 10]);
    assert.equal(await book.revision(), '0');
  });

  it('is checked after access and after an idempotent replay', async () => {
    const book = await world.createBook();
    const viewer = await world.addMember(book.document, 'view');
    assert.equal(
      (await viewer.api.requestInDocument('PUT', '/values/A1?x=1', { body: { values: [[1]], y: 1 } })).status,
      403,
    );
    assert.equal((await book.requestInDocument('PUT', '/values/batchGet?x=1', { body: {} })).status, 404);
    await book.put('A1', [[1]], { key: 'once' });
    const replay = await book.requestInDocument('PUT', '/values/A1?x=1', { body: { values: [[1]] }, key: 'once' });
    assert.deepEqual([replay.status, replay.headers.get('idempotency-replayed')], [200, 'true']);
  });

  it('of a stream is refused in the query; field names of records are unrestricted', async () => {
    const book = await world.createBook();
    await book.put('A1', [['dryrun', 'constructor', 'Name']]);
    const lines = { raw: '{"dryrun":1,"constructor":2}\n', headers: { 'content-type': 'application/x-ndjson' } };
    const refused = await book.requestInDocument('POST', '/records/append?range=A:C&bach=1', lines);
    assert.deepEqual(refused.body['errors'], { bach: ['unknown field; did you mean batch?'] });
    const record = await book.post('/records/append', { range: 'A:C', records: [{ dryrun: 1, constructor: 2 }] });
    assert.equal(record.status, 200);
    const misplaced = await book.requestInDocument('POST', '/records/append?batch=1', {
      body: { range: 'A:C', records: [{ Name: 'x' }] },
    });
    assert.deepEqual([misplaced.status, Object.keys(memberAt(misplaced.body, 'errors'))], [422, ['batch']]);
  });
});

describe('dryRun and ifRevision', () => {
  const writes: readonly (readonly [method: string, path: string, body: object])[] = [
    ['PUT', '/values/A1', { values: [[2]] }],
    ['POST', '/values/batchUpdate', { data: [{ range: 'A1', values: [[2]] }] }],
    ['POST', '/values/append', { range: 'A1', values: [[2]] }],
    ['POST', '/values/clear', { range: 'A1' }],
    ['POST', '/sheets', { name: 'Other' }],
    ['PATCH', '/sheets/Sheet1', { name: 'Other' }],
    ['DELETE', '/sheets/Second', {}],
    ['POST', '/structure', { operations: [{ insertRows: { sheet: 'Sheet1', before: 1 } }] }],
    ['POST', '/records/append', { range: 'A:A', records: [{ Name: 'x' }] }],
    ['POST', '/records/upsert', { range: 'A:A', key: ['Name'], records: [{ Name: 'x' }] }],
    ['POST', '/records/update', { range: 'A:A', all: true, set: { Name: 'x' } }],
    ['POST', '/records/delete', { range: 'A:A', all: true }],
    ['POST', '/revisions/2/undo', {}],
    ['POST', '/revisions/1/restore', {}],
  ];
  const createBook = async () => {
    const book = await world.createBook();
    await book.put('A1', [['Name'], ['Anna']]);
    await book.addSheet('Second');
    return book;
  };

  it('are accepted in the query or the body of every cell write', async () => {
    const book = await createBook();
    const before = await readState(book);
    for (const [method, path, body] of writes) {
      const description = `${method} ${path}`;
      for (const [query, more] of [
        ['?dryRun=true', {}],
        ['', { dryRun: true }],
        ['?dryRun=true', { dryRun: true }],
      ] as const) {
        const preview = await book.requestInDocument(method, path + query, { body: { ...body, ...more } });
        assert.deepEqual(
          [preview.status, preview.body['dryRun']],
          [200, true],
          `${description} ${JSON.stringify(preview.body)}`,
        );
      }
      for (const [query, more] of [
        ['?ifRevision=1', {}],
        ['', { ifRevision: 1 }],
        ['?ifRevision=1', { ifRevision: '1' }],
      ] as const) {
        assert.equal(
          (await book.requestInDocument(method, path + query, { body: { ...body, ...more } })).status,
          412,
          description,
        );
      }
      for (const [field, query, more] of [
        ['dryRun', '?dryRun=true', { dryRun: false }],
        ['dryRun', '?dryRun=false', { dryRun: true }],
        ['ifRevision', '?ifRevision=2', { ifRevision: 1 }],
        ['dryRun', '', { dryRun: 'true' }],
        ['dryRun', '?dryRun=yes', {}],
      ] as const) {
        const refused = await book.requestInDocument(method, path + query, { body: { ...body, ...more } });
        assert.deepEqual([refused.status, Object.keys(memberAt(refused.body, 'errors'))], [422, [field]], description);
      }
    }
    assert.deepEqual(await readState(book), before);
  });

  it('are refused by operations that do not support them', async () => {
    const book = await createBook();
    for (const [method, path, body] of [
      ['DELETE', '', {}],
      ['POST', '/copy', {}],
      ['PATCH', '', { title: 'Other' }],
      ['POST', '/share', { user: 1, role: 'none' }],
      ['DELETE', '/sheets/Sheet1/protection', {}],
      ['DELETE', '/webhooks/1', {}],
      ['PUT', '/revisions/1', { name: 'Offer' }],
    ] as const) {
      for (const [name, value] of [
        ['dryRun', true],
        ['ifRevision', '1'],
      ] as const) {
        const inBody = await book.requestInDocument(method, path, { body: { ...body, [name]: value } });
        const inQuery = await book.requestInDocument(method, `${path}?${name}=${value}`, { body });
        for (const answer of [inBody, inQuery]) {
          assert.deepEqual(
            [answer.status, Object.keys(memberAt(answer.body, 'errors'))],
            [422, [name]],
            `${method} ${path}`,
          );
        }
      }
    }
    assert.equal((await book.requestInDocument('GET', '')).status, 200);
  });

  it('in the body do not use up an idempotency key', async () => {
    const book = await createBook();
    const preview = await book.requestInDocument('PUT', '/values/A1', {
      body: { values: [[5]], dryRun: true },
      key: 'k',
    });
    assert.equal(preview.body['dryRun'], true);
    const written = await book.requestInDocument('PUT', '/values/A1', { body: { values: [[5]] }, key: 'k' });
    assert.deepEqual([written.status, (await book.cell('A1'))['v']], [200, 5]);
  });
});

describe('input without an effect', () => {
  it('is refused with the input that would give it an effect', async () => {
    const book = await world.createBook();
    const before = await readState(book);
    const url = 'https://example.com/hook';
    const cases: readonly (readonly [method: string, path: string, body: object, field: string, hint: RegExp])[] = [
      ['PUT', '/values/A1?title=New', { values: [[1]] }, 'title', /propose=true/],
      ['PUT', '/values/A1?propose=false&note=New', { values: [[1]] }, 'note', /propose=true/],
      [
        'POST',
        '/structure?note=New',
        { operations: [{ deleteRows: { sheet: 'Sheet1', from: 1 } }] },
        'note',
        /propose/,
      ],
      ['POST', '/values/clear?dryRun=true&title=New', { range: 'A1' }, 'title', /propose=true/],
      ['POST', '/webhooks', { url, chatId: '1' }, 'chatId', /messenger/],
      ['POST', '/webhooks', { url, botToken: '1:x' }, 'botToken', /messenger/],
      ['POST', '/webhooks', { channel: 'messenger', botToken: '1:x', chatId: '1', url }, 'url', /channel http/],
      ['POST', '/webhooks', { url, key: ['Number'] }, 'range', /range/],
    ];
    for (const [method, path, body, field, hint] of cases) {
      const { status, body: answer } = await book.requestInDocument(method, path, { body });
      assert.deepEqual([status, Object.keys(answer['errors'] ?? {})], [422, [field]], `${method} ${path}`);
      assert.match(String(answer['message']), hint);
    }
    for (const [query, body, field] of [
      ['?delimiter=;', { title: 'New' }, 'delimiter'],
      ['?sheet=Data', {}, 'sheet'],
      ['?title=Other', { title: 'New' }, 'title'],
      ['?locale=de-DE', { locale: 'en-US' }, 'locale'],
    ] as const) {
      const { status, body: answer } = await book.request('POST', `/documents${query}`, { body });
      assert.deepEqual([status, Object.keys(answer['errors'] ?? {})], [422, [field]], query);
    }
    assert.deepEqual(await readState(book), before);
    const same = await book.request('POST', '/documents?title=New', { body: { title: 'New' } });
    assert.equal(same.status, 200);
  });

  it('has an effect for a token whose writes all become proposals', async () => {
    const { document } = await world.createBook();
    const { id } = await world.addMember(document, 'edit');
    const assistant = await createProposingToken(world, id, document);
    const answer = await assistant.requestInDocument('PUT', '/values/A1?title=New&note=Please', {
      body: { values: [[1]] },
    });
    assert.deepEqual([answer.status, memberAt(answer.body, 'proposal')['title']], [202, 'New']);
  });
});

describe('the console routes', () => {
  it('refuse unknown input, too', async () => {
    const account = await createPerson(world);
    const browser = await signInAs(world, account);
    const document = await world.createDocument(String(account.id));
    const { email, password } = account;
    const cases: readonly (readonly [method: string, path: string, body: object | undefined, field: string])[] = [
      ['POST', '/session', { email, password, remember: true }, 'remember'],
      ['PUT', '/password', { current: password, password: 'battery staple', confirm: 'x' }, 'confirm'],
      ['GET', '/me?x=1', undefined, 'x'],
      ['DELETE', '/sessions?x=1', undefined, 'x'],
      ['DELETE', '/session', { all: true }, 'all'],
      ['POST', '/tokens', { name: 'import', scopes: ['sheets.read'], expires: 'never' }, 'expires'],
      ['POST', '/invitations', { email: 'nina@example.org', role: 'owner' }, 'role'],
      ['GET', '/log?ofset=1', undefined, 'ofset'],
      ['PUT', `/documents/${document}/format/A1`, { format: '0', dryRun: true }, 'dryRun'],
      ['GET', `/api/documents/${document}/values/A1?rendr=plain`, undefined, 'rendr'],
      ['PUT', `/api/documents/${document}/values/A1`, { values: [[1]], dryrun: true }, 'dryrun'],
    ];
    for (const [method, path, body, field] of cases) {
      const answer = await browser.request(method, path, body === undefined ? {} : { body });
      assert.deepEqual([answer.status, Object.keys(memberAt(answer.body, 'errors'))], [422, [field]], path);
    }
    assert.equal((await browser.request('GET', '/me')).status, 200);
  });
});
