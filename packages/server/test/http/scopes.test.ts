import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { TokenScope } from '../../src/access/scopes.ts';
import { type Api, startWorld, type World } from './support.ts';

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

const ACCESS_DENIED = { success: false, access: false };

const CALLS: readonly [
  name: string,
  scope: TokenScope,
  call: (api: Api) => Promise<{ status: number; body: unknown }>,
][] = [
  ['list documents', 'sheets.read', (api) => api.request('GET', '/documents')],
  ['get a document', 'sheets.read', (api) => api.requestInDocument('GET', '')],
  ['get its content', 'sheets.read', (api) => api.requestInDocument('GET', '/content')],
  ['get its styles', 'sheets.read', (api) => api.requestInDocument('GET', '/styles')],
  ['read a range', 'sheets.read', (api) => api.get('A1')],
  ['read ranges', 'sheets.read', (api) => api.batchGet(['A1'])],
  ['list sheets', 'sheets.read', (api) => api.sheets()],
  ['read the log', 'sheets.read', (api) => api.requestInDocument('GET', '/audit')],
  ['put', 'sheets.write', (api) => api.put('A1', [[1]])],
  ['batchUpdate', 'sheets.write', (api) => api.batchUpdate([{ range: 'A1', values: [[1]] }])],
  ['append', 'sheets.write', (api) => api.append('A1', [[1]])],
  ['clear', 'sheets.write', (api) => api.clear('A1')],
  ['add a sheet', 'sheets.write', (api) => api.addSheet('X')],
  ['rename it', 'sheets.write', (api) => api.renameSheet('X', 'Y')],
  ['delete it', 'sheets.write', (api) => api.deleteSheet('Y')],
  ['list webhooks', 'sheets.webhooks', (api) => api.requestInDocument('GET', '/webhooks')],
  ['create a webhook', 'sheets.webhooks', (api) => api.post('/webhooks', { url: 'https://example.com' })],
  ['read across', 'sheets.crossbook.read', (api) => api.request('GET', `/values/batchGet?ranges=${api.document}!A1`)],
];

describe('a token', () => {
  it('permits the operations of its scopes only', async () => {
    const owner = await world.createUser();
    const document = await world.createDocument(owner.id);
    const tokens = new Map<TokenScope, Api>();
    for (const scope of ['sheets.read', 'sheets.write', 'sheets.webhooks', 'sheets.crossbook.read'] as const) {
      tokens.set(scope, world.apiFor(await world.createToken(owner.id, [scope]), document));
    }
    for (const [scope, api] of tokens) {
      for (const [name, requiredScope, call] of CALLS) {
        const { status, body } = await call(api);
        if (requiredScope === scope) assert.equal(status, 200, `${scope}: ${name}`);
        else assert.deepEqual([status, body], [403, ACCESS_DENIED], `${scope}: ${name}`);
      }
      assert.deepEqual((await api.request('GET', '/userinfo')).body, { scopes: [scope] });
      assert.equal((await api.request('GET', '/usage')).status, 200);
    }
  });

  it('of an agent may write without sheets.write, and its writes are marked', async () => {
    const owner = await world.createUser();
    const document = await world.createDocument(owner.id);
    const agent = world.apiFor(await world.createToken(owner.id, ['sheets.agent.write']), document);
    const withBothScopes = world.apiFor(
      await world.createToken(owner.id, ['sheets.agent.write', 'sheets.write']),
      document,
    );
    const reader = world.apiFor(await world.createToken(owner.id, ['sheets.read']), document);
    assert.equal((await agent.put('A1', [[1]])).status, 200);
    assert.equal((await agent.addSheet()).status, 200);
    assert.equal((await agent.get('A1')).status, 403);
    assert.equal((await withBothScopes.put('A1', [[1]])).status, 200);
    const entries = (await reader.listAuditEntries())['entries'] as unknown as { origin: string }[];
    assert.deepEqual(
      entries.map(({ origin }) => origin),
      ['api', 'agent', 'agent'],
    );
  });
});

describe('a read across documents', () => {
  it('returns ranges of several documents, and an error for each unreadable range', async () => {
    const owner = await world.createUser();
    const token = await world.createToken(owner.id);
    const first = world.apiFor(token, await world.createDocument(owner.id));
    const second = first.forDocument(await world.createDocument(owner.id));
    const foreign = await world.createBook();
    await first.put('A1', [[1]]);
    await second.put('A1', [[2]]);
    const nowhere = '00000000-0000-4000-8000-000000000000';
    const ranges = [
      `${first.document}!A1`,
      `${second.document.toUpperCase()}!'Sheet1'!A1`,
      `${first.document}!Nope!A1`,
      `${nowhere}!A1`,
      `${foreign.document}!A1`,
      'A1',
    ];
    const query = new URLSearchParams(ranges.map((range) => ['ranges[]', range]));
    const { status, body } = await first.request('GET', `/values/batchGet?${query}`);
    assert.equal(status, 200);
    const entries = body['valueRanges'] as unknown as Record<string, unknown>[];
    assert.deepEqual(
      entries.map(({ document, sheet, cells, range, error }) => error ?? [document, sheet, range, cells]),
      [
        [first.document, 'Sheet1', 'A1', [[{ v: 1, m: '1' }]]],
        [second.document, 'Sheet1', 'A1', [[{ v: 2, m: '2' }]]],
        'Sheet not found',
        'Document not found',
        'Access denied',
        'Invalid range',
      ],
    );
    assert.equal(entries[2]?.['range'], ranges[2]);
  });
});
