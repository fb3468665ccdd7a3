import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import Schema from 'typebox/schema';
import { sendHttp } from './send.ts';
import { type Api, type ApiResponse, startWorld, type World } from './support.ts';

let world: World;
let description: OpenApiDocument;
before(async () => {
  world = await startWorld({ limits: { maxBodyBytes: 10_000 }, plans: { standard: { requestsPerSecond: 1 } } });
  description = resolveReferences(
    JSON.parse((await sendHttp(`${world.server.address}/api/v1/openapi.json`)).text),
  ) as OpenApiDocument;
});
after(() => world.close());

type JsonSchema = { readonly [keyword: string]: unknown };

interface MediaType {
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

interface OpenApiOperation {
  readonly operationId: string;
  readonly description?: string;
  readonly requestBody?: { readonly content: Record<string, MediaType> };
  readonly responses: Record<string, { readonly content?: Record<string, MediaType> }>;
}

/** Replaces every reference by the named schema. */
function resolveReferences(document: { readonly components: { readonly schemas: Record<string, unknown> } }): unknown {
  const resolve = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(resolve);
    if (typeof node !== 'object' || node === null) return node;
    const { $ref, ...rest } = node as { readonly $ref?: string };
    if ($ref === undefined)
      return Object.fromEntries(Object.entries(node).map(([key, child]) => [key, resolve(child)]));
    const type = document.components.schemas[$ref.replace('#/components/schemas/', '')];
    assert.ok(type, `${$ref} is not there`);
    return { ...(resolve(type) as object), ...rest };
  };
  return resolve(document);
}

interface OpenApiDocument {
  readonly paths: Record<string, Record<string, OpenApiOperation>>;
}

function findOperation(id: string): OpenApiOperation {
  const all = Object.values(description.paths).flatMap((methods) => Object.values(methods));
  const match = all.find(({ operationId }) => operationId === id);
  assert.ok(match, id);
  return match;
}

/** The schema without undeclared properties. An undeclared property of a response is a gap in the description. */
function refuseUnknownMembers(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(refuseUnknownMembers);
  if (typeof schema !== 'object' || schema === null) return schema;
  const additional =
    'properties' in schema && !('additionalProperties' in schema) ? { additionalProperties: false } : {};
  const members = Object.entries(schema).map(([key, value]) => [key, refuseUnknownMembers(value)]);
  return { ...Object.fromEntries(members), ...additional };
}

function assertMatchesDescription(id: string, { status, body }: ApiResponse): void {
  const response = findOperation(id).responses[String(status)];
  assert.ok(response, `${id} ${status} is not described: ${JSON.stringify(body)}`);
  const schema = response.content?.['application/json']?.schema;
  assert.ok(schema, `${id} ${status} has no body described`);
  const [valid, errors] = Schema.Compile(refuseUnknownMembers(schema) as JsonSchema).Errors(body);
  assert.ok(valid, `${id} ${status}: ${JSON.stringify(errors)} in ${JSON.stringify(body)}`);
}

/** Binary content and files, which need no example. */
const IS_FILE = /spreadsheetml|octet-stream|csv$/;

function assertExampleIsValid(id: string, { schema, example }: MediaType): void {
  assert.notEqual(example, undefined, `${id} has no example`);
  const [valid, errors] = Schema.Compile(refuseUnknownMembers(schema) as JsonSchema).Errors(example);
  assert.ok(valid, `the example of ${id}: ${JSON.stringify(errors)}`);
}

/** Every operation with responses to valid, invalid and impossible requests. */
const CALLS: readonly [id: string, status: number, call: (book: Api) => Promise<ApiResponse>][] = [
  ['listDocuments', 200, (book) => book.request('GET', '/documents')],
  ['listDocuments', 422, (book) => book.request('GET', '/documents?permission=none')],
  ['getDocument', 200, (book) => book.requestInDocument('GET', '')],
  ['getDocument', 404, (book) => book.forDocument('nowhere').requestInDocument('GET', '')],
  ['getContent', 200, (book) => book.requestInDocument('GET', '/content')],
  ['getStyles', 200, (book) => book.requestInDocument('GET', '/styles')],
  ['getValues', 200, (book) => book.get('A1:E9')],
  ['getValues', 200, (book) => book.get('A1:E9', { limit: '2', majorDimension: 'COLUMNS' })],
  ['getValues', 404, (book) => book.get('Nope!A1')],
  ['queryRecords', 200, (book) => book.post('/records/query', { range: 'A:C', limit: 1 })],
  ['appendRecords', 200, (book) => book.post('/records/append', { range: 'A:C', records: [{ text: 'x' }] })],
  [
    'upsertRecords',
    200,
    (book) => book.post('/records/upsert', { range: 'A:C', key: ['text'], records: [{ text: 'x' }] }),
  ],
  [
    'updateRecords',
    200,
    (book) => book.post('/records/update?dryRun=true', { range: 'A:C', all: true, set: { text: 1 } }),
  ],
  ['deleteRecords', 200, (book) => book.post('/records/delete', { range: 'A:C', where: { text: 'x' } })],
  ['queryRecords', 422, (book) => book.post('/records/query', { range: 'A:C', where: { Colour: 1 } })],
  [
    'getRecords',
    200,
    (book) => book.requestInDocument('GET', '/records/query?range=A:C&aggregate={"measures":{"n":{"count":"*"}}}'),
  ],
  ['getValues', 422, (book) => book.get('A1', { limit: '0' })],
  ['getValues', 422, (book) => book.get('A0')],
  ['batchGetValues', 200, (book) => book.batchGet(['A1', 'A0', 'Nope!A1'])],
  ['batchGetValues', 422, (book) => book.batchGet([])],
  ['batchGetAcrossDocuments', 200, (book) => book.request('GET', `/values/batchGet?ranges[]=${book.document}!A1`)],
  ['batchGetAcrossDocuments', 200, (book) => book.request('GET', '/values/batchGet?ranges[]=A1')],
  ['putValues', 200, (book) => book.put('G1', [[1, 'x', null]])],
  ['putValues', 200, (book) => book.put('G1', [['=SUM(1,2']])],
  ['putValues', 413, (book) => book.put('G1', [['x'.repeat(20_000)]])],
  ['putValues', 422, (book) => book.put('G1', [])],
  ['batchUpdateValues', 200, (book) => book.batchUpdate([{ range: 'G1', values: [['=1+']] }])],
  ['batchUpdateValues', 422, (book) => book.batchUpdate([])],
  ['appendValues', 200, (book) => book.append('A1', [['=1+']])],
  ['appendValues', 404, (book) => book.append('Nope!A1', [[1]])],
  ['clearValues', 200, (book) => book.clear('G:G')],
  ['clearValues', 422, (book) => book.post('/values/clear', {})],
  ['listSheets', 200, (book) => book.sheets()],
  ['addSheet', 200, (book) => book.addSheet('Two')],
  ['addSheet', 422, (book) => book.addSheet('two')],
  ['renameSheet', 200, (book) => book.renameSheet('Two', 'Three')],
  ['renameSheet', 404, (book) => book.renameSheet('Two', 'Three')],
  ['deleteSheet', 200, (book) => book.deleteSheet('Three')],
  ['deleteSheet', 422, (book) => book.deleteSheet('Sheet1')],
  ['createWebhook', 200, (book) => book.post('/webhooks', { url: 'https://example.com/' })],
  ['createWebhook', 200, (book) => book.post('/webhooks', { channel: 'messenger', botToken: '1:a', chatId: '-1' })],
  ['createWebhook', 422, (book) => book.post('/webhooks', {})],
  ['listWebhooks', 200, (book) => book.requestInDocument('GET', '/webhooks')],
  ['deleteWebhook', 404, (book) => book.requestInDocument('DELETE', '/webhooks/0')],
  ['getAudit', 200, (book) => book.requestInDocument('GET', '/audit')],
  ['getUserinfo', 200, (book) => book.request('GET', '/userinfo')],
  ['getUserinfo', 401, (book) => world.apiFor('nobody', book.document).request('GET', '/userinfo')],
  ['getUsage', 200, (book) => book.request('GET', '/usage')],
];

describe('the API description', () => {
  it('covers all fields of valid and invalid responses', async () => {
    const book = await world.createBook({ locale: 'ru-RU' });
    await book.put('A1', [
      [1, 'text', true, '31.12.2026', '=1/0'],
      ['50%', '=SEQUENCE(2)', null, '=A1+', '=TODAY()'],
    ]);
    await book.renameSheet('Лист1', 'Sheet1');
    for (const [id, status, call] of CALLS) {
      const answer = await call(book);
      assert.equal(answer.status, status, `${id}: ${JSON.stringify(answer.body)}`);
      assertMatchesDescription(id, answer);
    }
  });

  it('covers denied access, quotas and rate limits', { timeout: 120_000 }, async () => {
    const owner = await world.createBook({ plan: 'professional' });
    assertMatchesDescription('getUsage', await owner.request('GET', '/usage'));
    const stranger = await world.createBook();
    assertMatchesDescription('getValues', await stranger.forDocument(owner.document).get('A1'));
    const viewer = await world.addMember(owner.document, 'view');
    assertMatchesDescription('putValues', await viewer.api.put('A1', [[1]]));
    const slow = await world.createBook({ plan: 'standard' });
    for (let isRefused = false; !isRefused; ) {
      // On a busy machine, the requests may fall into different seconds. The test then repeats them.
      const answers = await Promise.all([slow.get('A1'), slow.get('A1'), slow.get('A1')]);
      for (const answer of answers) assertMatchesDescription('getValues', answer);
      isRefused = answers.some(({ status }) => status === 429);
    }
  });

  it('describes every operation and has valid examples for its bodies', () => {
    for (const methods of Object.values(description.paths)) {
      for (const { operationId, description: descriptionText, requestBody, responses } of Object.values(methods)) {
        assert.ok((descriptionText ?? '').length > 20, `${operationId} is not described`);
        const answers = responses['200']?.content ?? {};
        assert.ok(Object.keys(answers).length > 0, `${operationId} has no content type`);
        const { 'application/json': body } = requestBody?.content ?? {};
        if (body !== undefined) assertExampleIsValid(operationId, body);
        for (const [type, media] of Object.entries(answers)) {
          if (type === 'application/json') assertExampleIsValid(operationId, media);
          else assert.ok(typeof media.example === 'string' || IS_FILE.test(type), `${operationId} ${type}`);
        }
      }
    }
  });

  it('lists the content types of streams and files', () => {
    const listResponseTypes = (id: string) => Object.keys(findOperation(id).responses['200']?.content ?? {});
    assert.deepEqual(listResponseTypes('streamChanges'), ['text/event-stream']);
    for (const id of ['getValues', 'getRecords', 'queryRecords']) {
      assert.deepEqual(listResponseTypes(id), ['application/json', 'application/x-ndjson'], id);
    }
    assert.equal(listResponseTypes('exportDocument').length, 3);
    assert.equal(Object.keys(findOperation('createDocument').requestBody?.content ?? {}).length, 4);
  });

  it('lists status 500 for every operation, and 413 for every operation with a body', () => {
    for (const methods of Object.values(description.paths)) {
      for (const [method, { operationId, responses }] of Object.entries(methods)) {
        assert.ok(responses['500'], operationId);
        const { requestBody } = methods[method] as { readonly requestBody?: unknown };
        assert.equal('413' in responses, requestBody !== undefined, operationId);
      }
    }
  });
});
