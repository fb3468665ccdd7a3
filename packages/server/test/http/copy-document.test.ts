import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ALL_SCOPES, type Api, type Json, memberAt, pickStatusAndBody, startWorld, type World } from './support.ts';

let world: World;
before(async () => {
  world = await startWorld({ plans: { free: { tokensPerUser: null } } });
});
after(() => world.close());

const ACCESS_DENIED = { success: false, access: false };

async function copyDocument(api: Api, body: unknown = {}): Promise<Api> {
  const answer = await api.post('/copy', body);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return api.forDocument(String(memberAt(answer.body, 'document')['id']));
}

describe('a copy of a document', () => {
  it('has the same cells, formats, names and tables, and belongs to the caller', async () => {
    const book = await world.createBook({ title: 'Orders', locale: 'de-DE' });
    await book.put('A1', [
      ['Number', 'Sum', 'Date'],
      ['007', '1,5', '31.12.2026'],
      ['A', '=B2*2', '=C2+1'],
    ]);
    await book.addSheet('Lists');
    await book.requestInDocument('PATCH', '/sheets/Lists', { body: { hidden: true } });
    await book.post('/structure', {
      operations: [
        { setName: { name: 'Rate', refersTo: '=Sheet1!B2' } },
        { setTable: { name: 'Orders', range: 'Sheet1!A1:C3' } },
        { colorSheet: { sheet: 'Lists', color: '#ff0000' } },
      ],
    });
    const viewer = (await world.addMember(book.document, 'view')).api;
    const copy = await copyDocument(viewer);
    const document = memberAt((await copy.requestInDocument('GET', '')).body, 'document');
    assert.equal(document['title'], 'Copy of Orders');
    assert.equal(document['permission'], 'owner');
    const parts = ['/sheets', '/names', '/tables', '/styles', '/content'];
    for (const part of parts) {
      const [here, there] = [
        (await book.requestInDocument('GET', part)).body,
        (await copy.requestInDocument('GET', part)).body,
      ];
      assert.deepEqual({ ...there, documentId: '' }, { ...here, documentId: '' }, part);
    }
    assert.equal((await copy.put('B2', [[2]])).status, 200);
    assert.equal((await copy.cell('B3'))['v'], 4);
    assert.equal((await book.cell('B3'))['v'], 3);
    assert.deepEqual(pickStatusAndBody(await book.forDocument(copy.document).get('A1')), [403, ACCESS_DENIED]);
    const actions = ((await copy.listAuditEntries())['entries'] as unknown as Json[]).map((entry) => entry['action']);
    assert.deepEqual(actions, ['update', 'document.create']);
  });

  it('is independent: it can be restructured, undone, and read after a restart', async () => {
    const world = await startWorld();
    const book = await world.createBook();
    await book.put('A1', [[1], [2], ['=SUM(A1:A2)']]);
    const copy = await copyDocument(book, { title: 'Other' });
    const operations = [{ insertRows: { sheet: 'Sheet1', before: 1, count: 2 } }];
    const { body } = await copy.post('/structure', { operations });
    assert.equal((await copy.cell('A5'))['f'], '=SUM(A3:A4)');
    assert.equal((await copy.undo(String(memberAt(body, 'structure')['revisionId']))).status, 200);
    await copy.put('A1', [[5]]);
    const again = await world.restart();
    assert.equal((await again.apiFor(copy.token, copy.document).cell('A3'))['v'], 7);
    await again.close();
  });

  it('is created once per idempotency key', async () => {
    const book = await world.createBook();
    const answers = await Promise.all([1, 2, 3].map(() => book.post('/copy', { title: 'Once' }, 'copy')));
    const ids = new Set(answers.map(({ body }) => String(memberAt(body, 'document')['id'])));
    assert.equal(ids.size, 1);
    assert.equal((await book.post('/copy', { title: 'Twice' }, 'copy')).status, 422);
    const other = await world.createBook();
    assert.equal((await other.post('/copy', { title: 'Once' }, 'copy')).headers.has('idempotency-replayed'), false);
  });

  it('is refused for hidden sheets, restricted tokens, free plans and non-table documents', async () => {
    const book = await world.createBook();
    await book.addSheet('Salaries');
    await world.protect(book.document, 'Salaries', { hideValues: true });
    const editor = (await world.addMember(book.document, 'edit')).api;
    assert.deepEqual(pickStatusAndBody(await editor.post('/copy', {})), [403, { message: 'Sheet values are hidden' }]);
    const owner = await world.createUser();
    const ownDocument = await world.createDocument(owner.id);
    const deniedClients = [
      world.apiFor(await world.createToken(owner.id, ALL_SCOPES, [ownDocument]), ownDocument),
      world.apiFor(await world.createToken(owner.id, ['sheets.read', 'sheets.write']), ownDocument),
      (await world.addMember(ownDocument, 'view', ALL_SCOPES, 'free')).api,
      world.apiFor(await world.createToken((await world.createUser()).id), ownDocument),
    ];
    for (const api of deniedClients)
      assert.deepEqual(pickStatusAndBody(await api.post('/copy', { title: 5 })), [403, ACCESS_DENIED]);
    const text = await world.createBook({ type: 'text' });
    assert.deepEqual(pickStatusAndBody(await text.post('/copy', {})), [422, { message: 'Document is not a table' }]);
    assert.equal(memberAt((await book.post('/copy', { title: '' })).body, 'errors', 'title').constructor, Array);
    assert.equal((await book.forDocument('nowhere').post('/copy', {})).status, 404);
  });

  it("keeps sheet protection and calculates with its owner's permissions", async () => {
    const book = await world.createBook();
    await book.addSheet('Salaries');
    await book.put('Salaries!A1', [[1000]]);
    const { api: editor } = await world.addMember(book.document, 'edit');
    await editor.put('Sheet1!A1', [['=Salaries!A1*2']]);
    await world.protect(book.document, 'Salaries', { hideValues: true });
    assert.equal((await book.cell('Sheet1!A1'))['v'], '#REF!');
    const copy = await copyDocument(book);
    assert.equal((await copy.cell('Sheet1!A1'))['v'], 2000);
    const { id, api } = await world.addMember(copy.document, 'edit');
    assert.equal((await api.get('Salaries!A1')).status, 403);
    assert.equal((await api.get('Sheet1!A1')).status, 200);
    await copy.requestInDocument('PUT', '/sheets/Salaries/protection', { body: { hideValues: true, allow: [id] } });
    assert.equal((await api.get('Salaries!A1')).status, 200);
    assert.equal((await editor.get('Salaries!A1')).status, 403);
  });

  it('of a legacy table is a legacy table', async () => {
    const old = await world.createBook({ format: 'legacy' });
    const copy = await copyDocument(old);
    assert.equal((await copy.put('A1', [[1]])).body['message'], 'Value writes require a collaborative table');
  });
});
