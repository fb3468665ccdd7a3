import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { deleteDocument } from '../../src/service/operator/documents.ts';
import { importBook } from './imported-book.ts';
import { createProposingToken, decideProposal, expectProposal, proposePut } from './proposals-support.ts';
import { type Api, type Json, memberAt, startWorld, type World } from './support.ts';

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

async function listTitles(api: Api, query = ''): Promise<unknown[]> {
  const { status, body } = await api.request('GET', `/documents${query}`);
  assert.equal(status, 200);
  return (body['documents'] as unknown as { title: string; permission: string }[]).map(({ title, permission }) => [
    title,
    permission,
  ]);
}

interface DatedDocument {
  readonly dateSystem: string;
}

interface DocumentPage {
  readonly documents: readonly { readonly id: string; readonly title: string }[];
  readonly nextCursor?: string | null;
}

async function listPage(api: Api, query: string): Promise<DocumentPage> {
  const { status, body } = await api.request('GET', `/documents?${query}`);
  assert.equal(status, 200);
  return body as unknown as DocumentPage;
}

/** The ids on all pages. `between` runs before each further page. */
async function readPages(api: Api, query: string, between: (page: DocumentPage) => Promise<unknown> = async () => {}) {
  const ids: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: DocumentPage = await listPage(api, `${query}${cursor === '' ? '' : `&cursor=${cursor}`}`);
    ids.push(...page.documents.map(({ id }) => id));
    cursor = page.nextCursor ?? null;
    if (cursor !== null) await between(page);
  }
  return ids;
}

describe('pages of the document list', () => {
  it('contain the whole list in order', async () => {
    const caller = await world.createUser();
    const friend = await world.createUser();
    for (let i = 0; i < 5; i++) await world.createDocument(caller.id, { title: `mine ${i}` });
    for (const role of ['view', 'edit'] as const)
      await world.share(await world.createDocument(friend.id), caller.id, role);
    const api = world.apiFor(await world.createToken(caller.id));
    for (const filter of [
      'type=table',
      'permission=owner',
      'permission=edit',
      'permission=view',
      'permission=comment',
    ]) {
      const allIds = (await listPage(api, filter)).documents.map(({ id }) => id);
      for (const limit of [1, 2, 3, 7, 5000])
        assert.deepEqual(await readPages(api, `${filter}&limit=${limit}`), allIds);
    }
    assert.equal((await listPage(api, 'permission=owner')).nextCursor, undefined);
    assert.equal((await listPage(api, 'permission=owner&limit=5')).nextCursor, null);
  });

  it('include every document, even if documents change or are created between two pages', async () => {
    const caller = await world.createUser();
    const ids: string[] = [];
    for (let i = 0; i < 6; i++) ids.push(await world.createDocument(caller.id));
    const api = world.apiFor(await world.createToken(caller.id));
    // The last documents of the list change after each page and so move to its front.
    const listedIds = await readPages(api, 'limit=2', async () => {
      for (const id of ids.slice(0, 2)) await api.forDocument(id).put('A1', [[1]]);
      if (ids.length === 6) ids.push(await world.createDocument(caller.id));
    });
    assert.deepEqual(new Set(listedIds), new Set(ids));
  });

  it('contain only the documents that a restricted token names and its user may open', async () => {
    const caller = await world.createUser();
    const friend = await world.createUser();
    const [ownDocument, other] = [await world.createDocument(caller.id), await world.createDocument(caller.id)];
    const shared = await world.createDocument(friend.id);
    await world.share(shared, caller.id, 'view');
    const foreign = await world.createDocument(friend.id);
    const api = world.apiFor(await world.createToken(caller.id, undefined, [ownDocument, shared, foreign]));
    assert.deepEqual(new Set(await readPages(api, 'limit=1')), new Set([ownDocument, shared]));
    assert.deepEqual(await readPages(api, 'limit=1&permission=view'), [shared]);
    assert.deepEqual(await readPages(api, 'limit=9&permission=edit'), [ownDocument]);
    assert.ok(!(await readPages(api, 'limit=9')).includes(other));
  });

  it('are refused for a cursor of another list or an invalid limit', async () => {
    const caller = await world.createUser();
    for (let i = 0; i < 2; i++) await world.createDocument(caller.id);
    const api = world.apiFor(await world.createToken(caller.id));
    const { nextCursor } = await listPage(api, 'limit=1');
    for (const query of ['cursor=x', 'cursor=', `cursor=${nextCursor}&type=table`, 'limit=0', 'limit=x']) {
      const { status, body } = await api.request('GET', `/documents?${query}`);
      assert.deepEqual(
        [status, Object.keys(memberAt(body, 'errors'))],
        [422, [query.startsWith('l') ? 'limit' : 'cursor']],
        query,
      );
    }
  });
});

describe('documents', () => {
  it("are listed with the caller's permission, last changed first", async () => {
    const caller = await world.createUser();
    const friend = await world.createUser();
    const ownDocument = await world.createDocument(caller.id, { title: 'mine' });
    const viewed = await world.createDocument(friend.id, { title: 'viewed' });
    const edited = await world.createDocument(friend.id, { title: 'edited' });
    await world.createDocument(friend.id, { title: 'not shared' });
    await world.createDocument(caller.id, { title: 'a text', type: 'text' });
    await world.share(viewed, caller.id, 'view');
    await world.share(edited, caller.id, 'edit');
    const api = world.apiFor(await world.createToken(caller.id));
    await api.forDocument(ownDocument).put('A1', [[1]]);
    // Documents of the same millisecond may be listed in any order.
    const allTitles = await listTitles(api);
    assert.deepEqual(allTitles[0], ['mine', 'owner']);
    assert.deepEqual(allTitles.slice(1).sort(), [
      ['a text', 'owner'],
      ['edited', 'edit'],
      ['viewed', 'view'],
    ]);
    const times = (
      (await api.request('GET', '/documents')).body['documents'] as unknown as { updatedAt: string }[]
    ).map(({ updatedAt }) => updatedAt);
    assert.deepEqual(times, [...times].sort().reverse());
    assert.deepEqual(await listTitles(api, '?type=table&permission=view'), [['viewed', 'view']]);
    // `edit` matches every writable document; the other values match exactly.
    assert.deepEqual(await listTitles(api, '?permission=edit&type=table'), [
      ['mine', 'owner'],
      ['edited', 'edit'],
    ]);
    assert.deepEqual(await listTitles(api, '?permission=owner'), [
      ['mine', 'owner'],
      ['a text', 'owner'],
    ]);
    assert.deepEqual(await listTitles(api, '?permission=comment'), []);
    assert.deepEqual(await listTitles(api, '?type=drawing'), []);
    const { status, body } = await api.request('GET', '/documents?permission=admin');
    assert.deepEqual([status, Object.keys(memberAt(body, 'errors'))], [422, ['permission']]);
  });

  it('are described with the URLs of their contents', async () => {
    const book = await world.createBook({ title: 'A title' });
    const { body } = await book.requestInDocument('GET', '');
    const { createdAt, updatedAt, content, ...rest } = body['document'] as unknown as Record<string, string>;
    assert.deepEqual(rest, {
      id: book.document,
      type: 'table',
      title: 'A title',
      permission: 'owner',
      revisionId: '0',
      dateSystem: '1899-12-30',
      openProposals: 0,
    });
    for (const time of [createdAt, updatedAt]) assert.equal(new Date(time ?? '').toISOString(), time);
    const base = `${world.server.address}/api/v1/documents/${book.document}`;
    assert.deepEqual(content, { contentUrl: `${base}/content`, stylesUrl: `${base}/styles` });
  });

  it('return the same date system in all responses', async () => {
    const cells = [{ row: 0, column: 0, value: 1, format: 'yyyy-mm-dd' }];
    const systems = [
      { dateSystem: 'google', expected: '1899-12-30' },
      { dateSystem: '1900', expected: '1900' },
      { dateSystem: '1904', expected: '1904' },
    ] as const;
    for (const { dateSystem, expected } of systems) {
      const book = await importBook(world, { cells, settings: { dateSystem } });
      const readDateSystem = async (method: string, path: string, body?: object) => {
        const answer = (await book.request(method, path, body === undefined ? {} : { body }))
          .body as unknown as Readonly<Record<string, DatedDocument>>;
        return (answer['document'] ?? answer['deleted'])?.dateSystem;
      };
      const list = (await book.request('GET', '/documents')).body['documents'] as unknown as readonly DatedDocument[];
      const documentPath = `/documents/${book.document}`;
      assert.deepEqual(
        [
          await readDateSystem('GET', documentPath),
          list[0]?.dateSystem,
          await readDateSystem('POST', `${documentPath}/copy`, { title: 'Copy' }),
          await readDateSystem('PATCH', documentPath, { title: 'Renamed' }),
          await readDateSystem('DELETE', documentPath),
        ],
        Array(5).fill(expected),
      );
    }
  });

  it('have URLs under the configured public URL', async () => {
    const proxiedWorld = await startWorld({ publicUrl: 'https://sheets.example.org/cells' });
    try {
      const book = await proxiedWorld.createBook();
      const { body } = await book.requestInDocument('GET', '', {
        headers: { 'x-forwarded-host': 'elsewhere.example.org' },
      });
      const base = `https://sheets.example.org/cells/api/v1/documents/${book.document}`;
      assert.deepEqual(memberAt(body, 'document')['content'], {
        contentUrl: `${base}/content`,
        stylesUrl: `${base}/styles`,
      });
    } finally {
      await proxiedWorld.close();
    }
  });

  it('count their revisions', async () => {
    const book = await world.createBook();
    await book.put('A1', [[1]]);
    await book.put('A1', [[2]]);
    await book.put('nonsense', [[2]]);
    assert.equal(await book.revision(), '2');
  });

  it('return all cells and number formats', async () => {
    const book = await world.createBook({ locale: 'ru-RU' });
    await book.put('A1', [['31.12.2026', '=A1+1'], ['50%']]);
    await book.addSheet('Far');
    await book.put('Far!XFD1048576', [['end']]);
    const { body } = await book.requestInDocument('GET', '/content');
    assert.deepEqual(body, {
      documentId: book.document,
      revisionId: '3',
      locale: 'ru-RU',
      dateSystem: 'google',
      timeZone: 'UTC',
      sheets: [
        {
          name: 'Лист1',
          hidden: false,
          order: 0,
          color: null,
          cells: {
            A1: { v: 46387, m: '31.12.2026', t: 'd' },
            A2: { v: 0.5, m: '50%' },
            B1: { v: 46388, m: '01.01.2027', f: '=A1+1', t: 'd' },
          },
        },
        { name: 'Far', hidden: false, order: 1, color: null, cells: { XFD1048576: { v: 'end', m: 'end' } } },
      ],
    });
    const formats = memberAt((await book.requestInDocument('GET', '/styles')).body, 'sheets', 0)[
      'formats'
    ] as unknown as object;
    assert.deepEqual(Object.keys(formats), ['A1', 'A2', 'B1']);
  });

  it('are not found after deletion', async () => {
    const book = await world.createBook();
    await book.put('A1', [[1]]);
    await deleteDocument(world.server.service.context, book.document);
    for (const answer of [await book.get('A1'), await book.put('A1', [[1]]), await book.requestInDocument('GET', '')]) {
      assert.deepEqual([answer.status, answer.body], [404, { message: 'Document not found' }]);
    }
  });

  it('stay readable and consistent during writes', async () => {
    const book = await world.createBook();
    await book.put('A1', [[0, '=A1*2']]);
    const writes = Promise.all(Array.from({ length: 20 }, (_, value) => book.put('A1', [[value]])));
    for (let i = 0; i < 20; i++) {
      const [[a, b]] = (await book.cells('A1:B1')) as unknown as [[{ v: number }, { v: number }]];
      assert.equal(b.v, a.v * 2);
    }
    await writes;
  });
});

describe('a conditional request for the document list', () => {
  it('returns 304 until the list changes', async () => {
    const owner = await world.createBook();
    const stranger = await world.addMember(owner.document, 'edit');
    const { id: user } = await world.createUser();
    const own = world.apiFor(await world.createToken(user), await world.createDocument(user));
    await world.share(owner.document, user, 'view');
    const invisibleDocument = stranger.api.forDocument(await world.createDocument(stranger.id));
    const assistant = await createProposingToken(world, user, own.document);
    let proposal: Json = {};
    let tag = '';
    const requestList = () => own.request('GET', '/documents', { headers: { 'if-none-match': tag } });
    const changes: Readonly<Record<string, () => Promise<unknown>>> = {
      'the first look': async () => {},
      'a write': () => own.put('A1', [[1]]),
      'a write of the owner of a shared document': () => owner.put('A1', [[1]]),
      'a rename': () => own.requestInDocument('PATCH', '', { body: { title: 'renamed' } }),
      'a proposal': async () => {
        proposal = await expectProposal(proposePut(assistant, 'A1', [[2]]));
      },
      'a rejected proposal': () => decideProposal(own, proposal, 'reject'),
      'an accepted proposal': async () => {
        const accepted = await expectProposal(proposePut(assistant, 'A1', [[3]]));
        assert.equal((await requestList()).status, 200);
        assert.equal((await decideProposal(own, accepted, 'apply')).status, 200);
      },
      'a new document': () => own.request('POST', '/documents', { body: { title: 'another' } }),
      'another role': () => world.share(owner.document, user, 'edit'),
      'an ended share': () => world.share(owner.document, user, 'none'),
      'a deleted document': () => own.requestInDocument('DELETE', ''),
    };
    for (const [name, change] of Object.entries(changes)) {
      await change();
      const changed = await requestList();
      assert.equal(changed.status, 200, name);
      const fresh = await own.request('GET', '/documents');
      assert.deepEqual(changed.body, fresh.body, name);
      tag = String(fresh.headers.get('etag'));
      assert.equal((await requestList()).status, 304, name);
      await invisibleDocument.put('A1', [[name]]);
      assert.equal((await requestList()).status, 304, `${name}, then a write that the caller does not see`);
    }
  });
});
