import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  ALL_SCOPES,
  Api,
  type ApiResponse,
  type Json,
  memberAt,
  pickStatusAndBody,
  startWorld,
  type World,
} from './support.ts';

let world: World;
before(async () => {
  world = await startWorld({ plans: { free: { tokensPerUser: null } } });
});
after(() => world.close());

const ACCESS_DENIED = { success: false, access: false };
const ROLE_DENIED = { message: 'Insufficient permissions' };
const VALUES_HIDDEN = { message: 'Sheet values are hidden' };

function createDocument(api: Api, body: unknown, key?: string): Promise<ApiResponse> {
  return api.request('POST', '/documents', { body, ...(key === undefined ? {} : { key }) });
}

async function readTitles(api: Api): Promise<unknown[]> {
  const { body } = await api.request('GET', '/documents');
  return (body['documents'] as unknown as Json[]).map((item) => item['title']);
}

describe('creating documents', () => {
  it('returns the document as GET does, owned by the caller', async () => {
    const api = world.apiFor(await world.createToken((await world.createUser()).id));
    const created = await createDocument(api, { title: ' Orders ', locale: 'en-US' });
    assert.equal(created.status, 200, JSON.stringify(created.body));
    const document = memberAt(created.body, 'document');
    assert.equal(document['title'], 'Orders');
    assert.equal(document['permission'], 'owner');
    const createdApi = api.forDocument(String(document['id']));
    assert.deepEqual((await createdApi.requestInDocument('GET', '')).body, created.body);
    assert.equal(memberAt((await createdApi.sheets()).body, 'sheets', 0)['name'], 'Sheet1');
    assert.equal((await createdApi.put('A1', [['1/2/2026']])).status, 200);
    assert.deepEqual(
      [
        memberAt(await createdApi.listAuditEntries(), 'entries', 1)['action'],
        memberAt(await createdApi.listAuditEntries(), 'entries', 1)['origin'],
      ],
      ['document.create', 'api'],
    );
  });

  it('works without title, locale or body', async () => {
    const api = world.apiFor(await world.createToken((await world.createUser()).id));
    for (const options of [{}, { body: {} }, { raw: '' }]) {
      assert.equal(memberAt((await api.request('POST', '/documents', options)).body, 'document')['title'], 'Untitled');
    }
  });

  it('refuses invalid values and creates nothing', async () => {
    const api = world.apiFor(await world.createToken((await world.createUser()).id));
    const cases: readonly [body: unknown, field: string][] = [
      [{ title: '' }, 'title'],
      [{ title: '   ' }, 'title'],
      [{ title: 'x'.repeat(256) }, 'title'],
      [{ title: 'a\u0000b' }, 'title'],
      [{ title: '\ud800' }, 'title'],
      [{ title: 5 }, 'title'],
      [{ title: 'x'.repeat(2_000) }, 'title'],
      [{ title: 'X', locale: 'xx-XX' }, 'locale'],
      [{ title: 'X', locale: null }, 'locale'],
      [[], 'body'],
      ['Orders', 'body'],
    ];
    for (const [body, field] of cases) {
      const { status, body: answer } = await createDocument(api, body);
      assert.equal(status, 422, JSON.stringify(body));
      assert.ok(memberAt(answer, 'errors')[field], `${JSON.stringify(body)}: ${JSON.stringify(answer)}`);
    }
    assert.deepEqual(await readTitles(api), []);
    assert.equal((await createDocument(api, { title: '😀'.repeat(255) })).status, 200);
  });

  it('creates one document per Idempotency-Key, even for simultaneous requests', async () => {
    const user = await world.createUser();
    const api = world.apiFor(await world.createToken(user.id));
    const answers = await Promise.all(Array.from({ length: 8 }, () => createDocument(api, { title: 'Once' }, 'k')));
    const ids = new Set(answers.map(({ body }) => String(memberAt(body, 'document')['id'])));
    assert.equal(ids.size, 1);
    assert.equal(answers.filter(({ headers }) => headers.get('idempotency-replayed') === 'true').length, 7);
    assert.deepEqual(await readTitles(api), ['Once']);
    assert.equal((await createDocument(api, { title: 'Other' }, 'k')).status, 422);
    // Keys of different users are independent.
    const other = world.apiFor(await world.createToken((await world.createUser()).id));
    assert.equal((await createDocument(other, { title: 'Once' }, 'k')).headers.has('idempotency-replayed'), false);
  });

  it('creates one document per key on two services with the same folder', async () => {
    const user = await world.createUser();
    const token = await world.createToken(user.id);
    const secondService = await world.startSecondService();
    try {
      const firstApi = world.apiFor(token);
      const secondApi = new Api(secondService.address, token, '');
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, i) =>
          createDocument(i % 2 === 0 ? firstApi : secondApi, { title: 'Once' }, 'two'),
        ),
      );
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
      assert.deepEqual(await readTitles(secondApi), ['Once']);
    } finally {
      await secondService.close();
    }
  });
});

describe('renaming and deleting documents', () => {
  it('returns the new title and a new ETag after a rename', async () => {
    const book = await world.createBook({ title: 'Old' });
    const tag = (await book.requestInDocument('GET', '')).headers.get('etag') ?? '';
    const renamed = await book.requestInDocument('PATCH', '', { body: { title: 'New' }, key: 'r' });
    assert.equal(memberAt(renamed.body, 'document')['title'], 'New');
    const again = await book.requestInDocument('PATCH', '', { body: { title: 'New' }, key: 'r' });
    assert.equal(again.headers.get('idempotency-replayed'), 'true');
    const after = await book.requestInDocument('GET', '', { headers: { 'if-none-match': tag } });
    assert.equal(after.status, 200);
    assert.deepEqual(after.body, renamed.body);
    assert.equal(memberAt(await book.listAuditEntries(), 'entries', 0)['action'], 'document.rename');
    assert.equal((await book.requestInDocument('PATCH', '', { body: {} })).status, 422);
    assert.equal((await book.requestInDocument('PATCH', '', { body: { title: ' ' } })).status, 422);
  });

  it('deletes a document for all users immediately', async () => {
    const book = await world.createBook({ title: 'Gone' });
    const { api: reader } = await world.addMember(book.document, 'view');
    assert.equal((await reader.get('A1')).status, 200);
    const deleted = await book.requestInDocument('DELETE', '');
    assert.equal(deleted.status, 200);
    assert.equal(memberAt(deleted.body, 'deleted')['id'], book.document);
    assert.equal(memberAt(deleted.body, 'deleted')['title'], 'Gone');
    for (const answer of [await book.get('A1'), await reader.get('A1'), await book.requestInDocument('DELETE', '')]) {
      assert.deepEqual(pickStatusAndBody(answer), [404, { message: 'Document not found' }]);
    }
  });

  it('renames and deletes legacy tables and other document types', async () => {
    for (const options of [{ format: 'legacy' }, { type: 'text' }]) {
      const book = await world.createBook(options);
      assert.equal((await book.requestInDocument('PATCH', '', { body: { title: 'X' } })).status, 200);
      assert.equal((await book.requestInDocument('DELETE', '')).status, 200);
    }
  });
});

describe('options for cell writes', () => {
  const routes: readonly (readonly [method: string, path: string, body: unknown])[] = [
    ['PATCH', '', { title: 'Other' }],
    ['POST', '/copy', {}],
    ['POST', '/share', { user: 1, role: 'view' }],
    ['PUT', '/sheets/Sheet1/protection', { lock: true }],
    ['DELETE', '/sheets/Sheet1/protection', undefined],
    ['PUT', '/revisions/1', { name: 'Offer' }],
    ['POST', '/webhooks', { url: 'https://example.com/' }],
    ['DELETE', '', undefined],
  ];
  const writeOptions: readonly (readonly [field: string, query: string, headers: Record<string, string>])[] = [
    ['dryRun', '?dryRun=true', {}],
    ['ifRevision', '?ifRevision=99', {}],
    ['If-Match', '', { 'if-match': '"another"' }],
  ];
  for (const [method, path, body] of routes) {
    it(`are refused by other operations: ${method} ${path}`, async () => {
      const book = await world.createBook({ title: 'Kept' });
      await book.put('A1', [[1]]);
      const before = [
        await readTitles(book),
        (await book.requestInDocument('GET', '')).body,
        (await book.listAuditEntries())['total'],
      ];
      for (const [field, query, headers] of writeOptions) {
        const answer = await book.requestInDocument(method, path + query, {
          ...(body === undefined ? {} : { body }),
          headers,
        });
        assert.equal(answer.status, 422, JSON.stringify(answer.body));
        assert.deepEqual(Object.keys(memberAt(answer.body, 'errors')), [field]);
      }
      const after = [
        await readTitles(book),
        (await book.requestInDocument('GET', '')).body,
        (await book.listAuditEntries())['total'],
      ];
      assert.deepEqual(after, before);
    });
  }
});

describe('sharing documents', () => {
  it('grants, changes and removes roles, by id or email address', async () => {
    const book = await world.createBook();
    const { id } = await world.createUser();
    const api = world.apiFor(await world.createToken(id), book.document);
    const share = async (user: unknown, role: string) => (await book.post('/share', { user, role })).body;
    assert.deepEqual(await share(Number(id), 'view'), { shared: { user: Number(id), role: 'view' } });
    assert.deepEqual(pickStatusAndBody(await api.put('A1', [[1]])), [403, ROLE_DENIED]);
    assert.deepEqual(await share(`USER${id}@example.org`.toLowerCase(), 'edit'), {
      shared: { user: Number(id), role: 'edit' },
    });
    assert.equal((await api.put('A1', [[1]])).status, 200);
    assert.deepEqual(await share(id, 'none'), { shared: { user: Number(id), role: 'none' } });
    assert.deepEqual(pickStatusAndBody(await api.get('A1')), [403, ACCESS_DENIED]);
    const actions = (await book.listAuditEntries())['entries'] as unknown as Json[];
    assert.equal(actions.filter((entry) => String(entry['action']) === 'document.share').length, 3);
  });

  it('refuses unknown users, the owner and invalid roles', async () => {
    const book = await world.createBook();
    const { id } = await world.createUser();
    await book.put('A1', [[1]]);
    const userId = memberAt(await book.listAuditEntries(), 'entries', 0, 'userId');
    const cases: readonly [body: unknown, field: string][] = [
      [{ user: 'nobody@example.org', role: 'view' }, 'user'],
      [{ user: 999_999, role: 'view' }, 'user'],
      [{ user: -1, role: 'view' }, 'user'],
      [{ user: 'a\u0000', role: 'view' }, 'user'],
      [{ user: userId, role: 'view' }, 'user'],
      [{ user: id, role: 'owner' }, 'role'],
      [{ user: id }, 'role'],
      [{ role: 'view' }, 'user'],
      [{ user: null, role: 'view' }, 'user'],
    ];
    for (const [body, field] of cases) {
      const answer = await book.post('/share', body);
      assert.equal(answer.status, 422, JSON.stringify(body));
      assert.ok(memberAt(answer.body, 'errors')[field], JSON.stringify([body, answer.body]));
    }
  });

  it('replays the first response for a repeated key', async () => {
    const book = await world.createBook();
    const { id } = await world.createUser();
    const first = await book.post('/share', { user: id, role: 'edit' }, 's');
    await book.post('/share', { user: id, role: 'none' });
    const again = await book.post('/share', { user: id, role: 'edit' }, 's');
    assert.deepEqual([again.status, again.body], [first.status, first.body]);
    assert.equal(again.headers.get('idempotency-replayed'), 'true');
    assert.deepEqual(pickStatusAndBody(await world.apiFor(await world.createToken(id), book.document).get('A1')), [
      403,
      ACCESS_DENIED,
    ]);
  });
});

describe('protecting sheets', () => {
  const PATH = '/sheets/sheet1/protection';

  it('hides values and locks the sheet for everyone except the owner and listed users', async () => {
    const book = await world.createBook();
    await book.put('A1', [[1]]);
    const [ben, eve] = [await world.addMember(book.document, 'edit'), await world.addMember(book.document, 'edit')];
    const requested = { hideValues: true, lock: true, allow: [Number(ben.id)] };
    const put = await book.requestInDocument('PUT', PATH, { body: { ...requested, allow: [ben.id] } });
    assert.deepEqual(pickStatusAndBody(put), [200, { protection: { sheet: 'Sheet1', ...requested } }]);
    assert.deepEqual((await book.requestInDocument('GET', PATH)).body, put.body);
    assert.deepEqual((await ben.api.requestInDocument('GET', PATH)).body, put.body);
    assert.deepEqual(memberAt((await eve.api.requestInDocument('GET', PATH)).body, 'protection')['allow'], []);
    assert.deepEqual(pickStatusAndBody(await eve.api.get('A1')), [403, VALUES_HIDDEN]);
    assert.deepEqual(pickStatusAndBody(await eve.api.put('A1', [[2]])), [403, { message: 'Sheet is protected' }]);
    assert.equal((await ben.api.put('A1', [[2]])).status, 200);
    const endResponse = await book.requestInDocument('DELETE', PATH);
    const none = { sheet: 'Sheet1', hideValues: false, lock: false, allow: [] };
    assert.deepEqual(pickStatusAndBody(endResponse), [200, { protection: none }]);
    assert.deepEqual((await book.requestInDocument('DELETE', PATH)).body, { protection: none });
    assert.deepEqual((await eve.api.requestInDocument('GET', PATH)).body, { protection: none });
    assert.equal((await eve.api.get('A1')).status, 200);
    const actions = ((await book.listAuditEntries())['entries'] as unknown as Json[]).map((entry) => entry['action']);
    assert.deepEqual(actions, ['sheet.unprotect', 'sheet.unprotect', 'update', 'sheet.protect', 'update']);
  });

  it('recalculates formulas with the new permissions', async () => {
    const book = await world.createBook();
    await book.addSheet('Open');
    await book.put('A1', [[41]]);
    const { api } = await world.addMember(book.document, 'edit');
    await api.put('Open!A1', [['=Sheet1!A1+1']]);
    await book.requestInDocument('PUT', PATH, { body: { hideValues: true } });
    assert.equal((await api.cell('Open!A1'))['v'], '#REF!');
    await book.requestInDocument('DELETE', PATH);
    assert.equal((await api.cell('Open!A1'))['v'], 42);
  });

  it('refuses empty protections, unknown users and missing sheets', async () => {
    const book = await world.createBook();
    const cases: readonly [body: unknown, field: string][] = [
      [{}, 'lock'],
      [{ hideValues: false, lock: false, allow: [] }, 'lock'],
      [{ lock: 'yes' }, 'lock'],
      [{ lock: true, allow: 'ben' }, 'allow'],
      [{ lock: true, allow: ['nobody@example.org'] }, 'allow'],
      [{ lock: true, allow: [null] }, 'allow.0'],
      [{ lock: true, allow: Array.from({ length: 1_001 }, (_, i) => i) }, 'allow'],
    ];
    for (const [body, field] of cases) {
      const answer = await book.requestInDocument('PUT', PATH, { body });
      assert.equal(answer.status, 422, JSON.stringify(body).slice(0, 80));
      assert.ok(memberAt(answer.body, 'errors')[field], JSON.stringify(answer.body));
    }
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const options = method === 'PUT' ? { body: { lock: true } } : {};
      const answer = await book.requestInDocument(method, '/sheets/Nope/protection', options);
      assert.deepEqual(pickStatusAndBody(answer), [404, { message: 'Sheet not found' }]);
    }
  });
});

describe('hiding a sheet', () => {
  it('is visible in the sheet list and refuses no access', async () => {
    const book = await world.createBook();
    await book.addSheet('Lists');
    const sendPatch = (body: unknown) => book.requestInDocument('PATCH', '/sheets/Lists', { body });
    assert.equal(memberAt((await sendPatch({ hidden: true })).body, 'sheet')['hidden'], true);
    assert.equal(memberAt((await book.sheets()).body, 'sheets', 1)['hidden'], true);
    assert.equal((await book.put('Lists!A1', [[1]])).status, 200);
    const both = await sendPatch({ hidden: false, name: 'Words' });
    assert.deepEqual(both.body['sheet'], { name: 'Words', hidden: false, order: 1, color: null });
    const actions = ((await book.listAuditEntries())['entries'] as unknown as Json[]).map((entry) => entry['action']);
    assert.deepEqual(actions, ['sheet.show', 'sheet.rename', 'update', 'sheet.hide', 'sheet.create']);
  });

  it('requires one visible sheet, checks preconditions and requires a change', async () => {
    const book = await world.createBook();
    const sendPatch = (body: unknown, query = '') =>
      book.requestInDocument('PATCH', `/sheets/Sheet1${query}`, { body });
    assert.equal((await sendPatch({ hidden: true })).status, 422);
    assert.equal(memberAt((await sendPatch({})).body, 'errors', 'name')[0], 'name is required');
    assert.equal((await sendPatch({ hidden: 'yes' })).status, 422);
    await book.addSheet();
    assert.equal((await sendPatch({ hidden: true, ifRevision: 99 })).status, 412);
    assert.equal(memberAt((await sendPatch({ hidden: true }, '?dryRun=true')).body, 'sheet')['hidden'], true);
    assert.equal(memberAt((await book.sheets()).body, 'sheets', 0)['hidden'], false);
  });

  it('is refused on a locked sheet', async () => {
    const book = await world.createBook();
    await book.addSheet('Locked');
    await world.protect(book.document, 'Locked', { lock: true });
    const { api } = await world.addMember(book.document, 'edit');
    const answer = await api.requestInDocument('PATCH', '/sheets/Locked', { body: { hidden: true } });
    assert.deepEqual(pickStatusAndBody(answer), [403, { message: 'Sheet is protected' }]);
  });
});

describe('defined names and tables', () => {
  it('are listed with their references and an ETag', async () => {
    const book = await world.createBook();
    await book.put('A1', [
      ['Number', 'Sum'],
      ['A-1', 5],
    ]);
    await book.post('/structure', {
      operations: [
        { setName: { name: 'Rate', refersTo: '=1,5' } },
        { setTable: { name: 'Orders', range: 'Sheet1!A1:B2' } },
      ],
    });
    const names = await book.requestInDocument('GET', '/names');
    assert.deepEqual(names.body, { names: [{ name: 'Rate', refersTo: '=1,5' }] });
    const tables = await book.requestInDocument('GET', '/tables');
    const orders = { name: 'Orders', range: 'Sheet1!A1:B2', columns: ['Number', 'Sum'] };
    assert.deepEqual(tables.body, { tables: [orders] });
    for (const [path, answer] of [
      ['/names', names],
      ['/tables', tables],
    ] as const) {
      const headers = { 'if-none-match': answer.headers.get('etag') ?? '' };
      assert.equal((await book.requestInDocument('GET', path, { headers })).status, 304);
    }
    const { api } = await world.addMember(book.document, 'view');
    assert.deepEqual((await api.requestInDocument('GET', '/tables')).body, tables.body);
    await world.protect(book.document, 'Sheet1', { hideValues: true });
    const headers = { 'if-none-match': tables.headers.get('etag') ?? '' };
    assert.deepEqual((await api.requestInDocument('GET', '/tables', { headers })).body, {
      tables: [{ ...orders, columns: [] }],
    });
  });
});

/** A request and its status for each role; `outside` has no access. */
type RoleCase = readonly [
  routeName: string,
  request: (api: Api) => Promise<ApiResponse>,
  expected: { readonly owner: number; readonly edit: number; readonly view: number; readonly outside: number },
  scope: 'documents.write' | 'sheets.read' | 'sheets.write',
];

const WRITERS = { owner: 422, edit: 422, view: 403, outside: 403 };
const OWNERS = { owner: 422, edit: 403, view: 403, outside: 403 };
const READERS = { owner: 200, edit: 200, view: 200, outside: 403 };

/** The bodies are invalid, so that permitted requests change nothing and one document serves all cases. */
const ROUTES: readonly RoleCase[] = [
  ['rename', (api) => api.requestInDocument('PATCH', '', { body: {} }), WRITERS, 'documents.write'],
  ['share', (api) => api.requestInDocument('POST', '/share', { body: {} }), OWNERS, 'documents.write'],
  [
    'protect',
    (api) => api.requestInDocument('PUT', '/sheets/Sheet1/protection', { body: {} }),
    OWNERS,
    'documents.write',
  ],
  [
    'unprotect',
    (api) => api.requestInDocument('DELETE', '/sheets/Nope/protection'),
    { ...OWNERS, owner: 404 },
    'documents.write',
  ],
  ['protection', (api) => api.requestInDocument('GET', '/sheets/Sheet1/protection'), READERS, 'sheets.read'],
  ['names', (api) => api.requestInDocument('GET', '/names'), READERS, 'sheets.read'],
  ['tables', (api) => api.requestInDocument('GET', '/tables'), READERS, 'sheets.read'],
  ['hide', (api) => api.requestInDocument('PATCH', '/sheets/Sheet1', { body: {} }), WRITERS, 'sheets.write'],
];

describe('permissions for documents', () => {
  it('depend on role, scope and the documents of the token', async () => {
    const owner = await world.createUser();
    const document = await world.createDocument(owner.id);
    const apis = {
      owner: world.apiFor(await world.createToken(owner.id), document),
      edit: (await world.addMember(document, 'edit')).api,
      view: (await world.addMember(document, 'view')).api,
      outside: world.apiFor(await world.createToken((await world.createUser()).id), document),
    };
    const limited = world.apiFor(await world.createToken(owner.id, ALL_SCOPES, [document]), document);
    const elsewhere = await world.createDocument(owner.id);
    for (const [routeName, send, expected, scope] of ROUTES) {
      for (const [role, api] of Object.entries(apis)) {
        const answer = await send(api);
        assert.equal(answer.status, expected[role as keyof typeof apis], `${routeName} by ${role}`);
        if (role === 'outside') assert.deepEqual(answer.body, ACCESS_DENIED, routeName);
        else if (answer.status === 403) assert.deepEqual(answer.body, ROLE_DENIED, `${routeName} by ${role}`);
      }
      const otherScopes = ALL_SCOPES.filter((scopeName) => scopeName !== scope);
      const denied = await send(world.apiFor(await world.createToken(owner.id, otherScopes), document));
      assert.deepEqual(pickStatusAndBody(denied), [403, ACCESS_DENIED], routeName);
      assert.match(denied.headers.get('www-authenticate') ?? '', new RegExp(`scope="${scope}"`));
      assert.equal((await send(limited)).status, expected.owner, `${routeName} by a limited token`);
      assert.deepEqual(pickStatusAndBody(await send(limited.forDocument(elsewhere))), [403, ACCESS_DENIED], routeName);
      assert.equal((await send(apis.owner.forDocument('nowhere'))).status, 404, routeName);
    }
  });

  it('do not include creation for restricted tokens, free plans and tokens without the scope', async () => {
    const owner = await world.createUser();
    const document = await world.createDocument(owner.id);
    const cases = [
      world.apiFor(await world.createToken(owner.id, ALL_SCOPES, [document])),
      world.apiFor(await world.createToken(owner.id, ['sheets.read', 'sheets.write'])),
      world.apiFor(await world.createToken((await world.createUser('free')).id)),
    ];
    // The check runs before the body is validated.
    for (const api of cases)
      assert.deepEqual(pickStatusAndBody(await createDocument(api, { title: 5 })), [403, ACCESS_DENIED]);
    assert.equal((await createDocument(world.apiFor('nonsense'), {})).status, 401);
  });

  it('include deletion, sharing and protection of the documents of a restricted token', async () => {
    const owner = await world.createUser();
    const document = await world.createDocument(owner.id);
    const limited = world.apiFor(await world.createToken(owner.id, ALL_SCOPES, [document]), document);
    const { id } = await world.createUser();
    assert.equal((await limited.post('/share', { user: id, role: 'view' })).status, 200);
    assert.equal(
      (await limited.requestInDocument('PUT', '/sheets/Sheet1/protection', { body: { lock: true } })).status,
      200,
    );
    assert.equal((await limited.requestInDocument('DELETE', '')).status, 200);
  });

  it('include agents, whose actions have their own origin in the log', async () => {
    const owner = await world.createUser();
    const agent = world.apiFor(
      await world.createToken(owner.id, ['sheets.agent.write', 'sheets.read', 'documents.write']),
    );
    const created = agent.forDocument(
      String(memberAt((await createDocument(agent, { title: 'By an agent' })).body, 'document')['id']),
    );
    assert.equal(memberAt(await created.listAuditEntries(), 'entries', 0)['origin'], 'agent');
  });
});
