import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { convertDocument } from '../../src/service/operator/documents.ts';
import { createToken, revokeToken } from '../../src/service/operator/tokens.ts';
import { setPlan } from '../../src/service/operator/users.ts';
import { ALL_SCOPES, type ApiResponse, pickStatusAndBody, startWorld, type World } from './support.ts';

let world: World;
let clockOffset = 0;
before(async () => {
  world = await startWorld({ clock: () => Date.now() + clockOffset });
});
after(() => world.close());

const ACCESS_DENIED = { success: false, access: false };
const HOUR_MS = 3_600_000;
const NOWHERE = '00000000-0000-4000-8000-000000000000';

describe('request checks', () => {
  it('run in the order route, token, rate, scope, document, access, plan, role', async () => {
    const book = await world.createBook();
    const readOnly = await world.createToken(
      (await world.createUser()).id,
      ALL_SCOPES.filter((scope) => scope !== 'sheets.write'),
    );
    const stranger = world.apiFor(await world.createToken((await world.createUser()).id), book.document);
    const free = await world.addMember(book.document, 'view', ALL_SCOPES, 'free');
    const viewer = await world.addMember(book.document, 'view');
    const badBody = { body: { values: 'no matrix' } };
    const steps: readonly [what: string, answer: ApiResponse, expected: unknown[]][] = [
      [
        'an unknown route, even without a token',
        await world.apiFor('nonsense').request('GET', '/nothing'),
        [404, { message: 'Not found' }],
      ],
      [
        'the token, before anything of the document',
        await world.apiFor('nonsense', 'no-uuid').put('A1', [[1]]),
        [401, { message: 'Unauthenticated' }],
      ],
      ['the scope, before the document', await world.apiFor(readOnly, NOWHERE).put('A1', [[1]]), [403, ACCESS_DENIED]],
      ['the document', await book.forDocument(NOWHERE).put('A1', [[1]]), [404, { message: 'Document not found' }]],
      [
        'a malformed uuid',
        await book.forDocument('no-uuid').put('A1', [[1]]),
        [404, { message: 'Document not found' }],
      ],
      ['access, before the body', await stranger.requestInDocument('PUT', '/values/A1', badBody), [403, ACCESS_DENIED]],
      ['the plan, before the role', await free.api.put('A1', [[1]]), [403, ACCESS_DENIED]],
      [
        'the role, before the body',
        await viewer.api.requestInDocument('PUT', '/values/nonsense', badBody),
        [403, { message: 'Insufficient permissions' }],
      ],
      [
        'the body, before the range',
        await book.requestInDocument('PUT', '/values/nonsense', badBody),
        [422, { message: 'values must be array', errors: { values: ['values must be array'] } }],
      ],
      ['the range, before the sheet', await book.put('Nope!nonsense', [[1]]), [422, { message: 'Invalid range' }]],
      ['the sheet', await book.put('Nope!A1', [[1]]), [404, { message: 'Sheet not found' }]],
    ];
    for (const [what, answer, expected] of steps) assert.deepEqual(pickStatusAndBody(answer), expected, what);
  });

  it('give a restricted token the same response for all other documents', async () => {
    const owner = await world.createUser();
    const ownDocument = await world.createDocument(owner.id);
    const other = await world.createDocument(owner.id);
    const limited = world.apiFor(await world.createToken(owner.id, ALL_SCOPES, [ownDocument]), ownDocument);
    assert.equal((await limited.put('A1', [[1]])).status, 200);
    for (const document of [other, NOWHERE, 'no-uuid']) {
      for (const answer of [
        await limited.forDocument(document).get('A1'),
        await limited.forDocument(document).put('A1', [[1]]),
        await limited.forDocument(document).sheets(),
        await limited.forDocument(document).requestInDocument('GET', ''),
        await limited.forDocument(document).requestInDocument('GET', '/webhooks'),
        await limited.forDocument(document).requestInDocument('GET', '/audit'),
      ]) {
        assert.deepEqual(pickStatusAndBody(answer), [403, ACCESS_DENIED], document);
      }
    }
    const documents = (await limited.request('GET', '/documents')).body['documents'] as unknown as { id: string }[];
    assert.deepEqual(
      documents.map(({ id }) => id),
      [ownDocument],
    );
    assert.equal((await limited.forDocument(ownDocument.toUpperCase()).get('A1')).status, 200);
  });

  it('refuse other document types, and writes to legacy tables', async () => {
    const owner = await world.createUser();
    const token = await world.createToken(owner.id);
    const text = world.apiFor(token, await world.createDocument(owner.id, { type: 'text' }));
    const old = world.apiFor(token, await world.createDocument(owner.id, { format: 'legacy' }));
    const notTable = [422, { message: 'Document is not a table' }];
    for (const answer of [await text.get('A1'), await text.put('A1', [[1]]), await text.sheets()]) {
      assert.deepEqual(pickStatusAndBody(answer), notTable);
    }
    const legacy = [422, { message: 'Value writes require a collaborative table' }];
    for (const answer of [
      await old.put('A1', [[1]]),
      await old.batchUpdate([{ range: 'A1', values: [[1]] }]),
      await old.append('A1', [[1]]),
      await old.clear('A1'),
      await old.addSheet(),
      await old.renameSheet('Sheet1', 'X'),
      await old.deleteSheet('Sheet1'),
      // The format is checked before the range and the sheet.
      await old.put('Nope!A1', [[1]]),
      await old.put('nonsense', [[1]]),
    ]) {
      assert.deepEqual(pickStatusAndBody(answer), legacy);
    }
    assert.equal((await old.get('A1')).status, 200);
    await convertDocument(world.server.service.context, old.document);
    assert.equal((await old.put('A1', [[1]])).status, 200);
  });
});

describe('tokens', () => {
  it('are accepted in a Bearer header only', async () => {
    const book = await world.createBook();
    const readStatus = async (authorization: string | null) => {
      const headers = authorization === null ? {} : { authorization };
      const response = await fetch(`${world.server.address}/api/v1/userinfo`, { headers });
      return response.status;
    };
    const cases: readonly [string | null, number][] = [
      [`Bearer ${book.token}`, 200],
      [`bearer  ${book.token}`, 200],
      [null, 401],
      ['', 401],
      [book.token, 401],
      ['Bearer', 401],
      ['Bearer ', 401],
      [`Basic ${book.token}`, 401],
      [`Bearer ${book.token}x`, 401],
      [`Bearer ${book.token.slice(0, -1)}`, 401],
      [`Bearer ${book.token} ${book.token}`, 401],
      [`Bearer ${'x'.repeat(5000)}`, 401],
    ];
    for (const [header, expected] of cases) assert.equal(await readStatus(header), expected, String(header));
    assert.equal((await fetch(`${world.server.address}/api/v1/userinfo?access_token=${book.token}`)).status, 401);
  });

  it('end immediately when they are revoked or expire', async () => {
    const owner = await world.createUser();
    const { context } = world.server.service;
    const created = await createToken(context, { user: owner.id, name: 't', scopes: ['sheets.read'] });
    assert.ok('token' in created);
    const api = world.apiFor(created.token);
    assert.equal((await api.request('GET', '/userinfo')).status, 200);
    await revokeToken(context, created.id);
    assert.deepEqual(pickStatusAndBody(await api.request('GET', '/userinfo')), [401, { message: 'Unauthenticated' }]);

    const expiresAt = new Date(Date.now() + HOUR_MS).toISOString();
    const expiringToken = await createToken(context, { user: owner.id, name: 't', scopes: ['sheets.read'], expiresAt });
    assert.ok('token' in expiringToken);
    const expiringApi = world.apiFor(expiringToken.token);
    assert.equal((await expiringApi.request('GET', '/userinfo')).status, 200);
    clockOffset = HOUR_MS;
    assert.equal((await expiringApi.request('GET', '/userinfo')).status, 401);
    clockOffset = 0;
  });

  it('have the current permissions of their user', async () => {
    const owner = await world.createBook();
    const { id, api } = await world.addMember(owner.document, 'edit');
    const put = async () => (await api.put('A1', [[1]])).status;
    assert.equal(await put(), 200);
    await world.share(owner.document, id, 'comment');
    assert.equal(await put(), 403);
    assert.equal((await api.get('A1')).status, 200);
    await world.share(owner.document, id, 'none');
    assert.deepEqual(pickStatusAndBody(await api.get('A1')), [403, ACCESS_DENIED]);
    await world.share(owner.document, id, 'edit');
    assert.equal(await put(), 200);
    await setPlan(world.server.service.context, { user: id, plan: 'free' });
    assert.deepEqual(pickStatusAndBody(await api.put('A1', [[1]])), [403, ACCESS_DENIED]);
  });
});
