import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Move } from '@cellwire/engine';
import { prepareStatement } from '../../../store/src/database/database.ts';
import { sql } from '../../../store/src/database/dialect.ts';
import { applyStructure, readDocumentContent } from './revisions-support.ts';
import { ALL_SCOPES, type Api, memberAt, pickStatusAndBody, startWorld, type World } from './support.ts';

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

const PROTECTED = [403, { message: 'Sheet is protected' }];
const HIDDEN = [403, { message: 'Sheet values are hidden' }];
const NOT_FOUND = [404, { message: 'Revision not found' }];
const ACCESS_DENIED = [403, { success: false, access: false }];

async function readNewestRevision(api: Api): Promise<number> {
  return Number(await api.revision());
}

/** The first three values of column A at a revision. */
async function readColumnAt(api: Api, revision: number): Promise<unknown> {
  const { status, body } = await api.get('A1:A3', { revision: String(revision) });
  assert.equal(status, 200, JSON.stringify(body));
  return (memberAt(body, 'values')['cells'] as unknown as ({ v: unknown } | null)[][]).map(([cell]) => cell?.v ?? null);
}

describe('revisions', () => {
  it('are listed with author and ranges, newest first', async () => {
    const api = await world.createBook();
    await api.put('A1:B1', [[1, 2]]);
    await api.put('A2', [['=A1+1']]);
    const { entries, total, offset, limit } = (await api.listRevisions('?limit=1')) as unknown as Record<string, never>;
    const [entry] = entries as unknown as Record<string, unknown>[];
    const { at, userId, userName, requestId, ...rest } = entry ?? {};
    assert.deepEqual([total, offset, limit], [2, 0, 1]);
    assert.deepEqual(rest, { revision: 2, token: 'test token', origin: 'api', ranges: ['Sheet1!A2'], cells: 1 });
    assert.equal(typeof requestId, 'string');
    assert.ok(typeof at === 'string' && typeof userId === 'number' && typeof userName === 'string');
    assert.equal(memberAt(await api.listRevisions('?offset=1'), 'entries', 0)['revision'], 1);
    assert.equal((await api.requestInDocument('GET', '/revisions?limit=0')).status, 422);
  });

  it('can be read, including results', async () => {
    const api = await world.createBook();
    await api.put('A1:A2', [[1], ['=A1*2']]);
    await api.put('A1', [[5]]);
    await api.clear('A1:A2');
    assert.deepEqual(await readColumnAt(api, 0), [null, null, null]);
    assert.deepEqual(await readColumnAt(api, 1), [1, 2, null]);
    assert.deepEqual(await readColumnAt(api, 2), [5, 10, null]);
    assert.deepEqual(await readColumnAt(api, 3), [null, null, null]);
    assert.deepEqual(pickStatusAndBody(await api.get('A1', { revision: '4' })), NOT_FOUND);
    assert.equal((await api.get('A1', { revision: 'x' })).status, 422);
    assert.equal((await api.get('A1', { revision: '-1' })).status, 422);
  });

  it('can have a name', async () => {
    const api = await world.createBook();
    await api.put('A1', [[1]]);
    const { status, body } = await api.requestInDocument('PUT', '/revisions/1', { body: { name: ' Offer ' } });
    assert.deepEqual(
      [status, memberAt(body, 'revision')['revision'], memberAt(body, 'revision')['name']],
      [200, 1, 'Offer'],
    );
    assert.equal(memberAt(await api.listRevisions(), 'entries', 0)['name'], 'Offer');
    assert.equal((await api.requestInDocument('PUT', '/revisions/1', { body: { name: ' ' } })).status, 422);
    assert.deepEqual(
      pickStatusAndBody(await api.requestInDocument('PUT', '/revisions/7', { body: { name: 'x' } })),
      NOT_FOUND,
    );
  });
});

const forgetInverses = prepareStatement((p: { id: string }) =>
  sql.updateTable('commits').set({ inverse: null }).where('document_id', '=', p.id),
);

describe('undo', () => {
  it('explains why it cannot undo a revision of an old version without undo data', async () => {
    const api = await world.createBook();
    await api.put('A1', [[1]]);
    await api.put('A1', [[2]]);
    const { database } = world.server.service.context;
    await database.write({ document: api.document, statements: [forgetInverses({ id: api.document })] });
    assert.deepEqual(await readColumnAt(api, 1), [1, null, null]);
    const { status, body } = await api.undo(2);
    assert.equal(status, 422);
    assert.match(
      String(body['message']),
      /^Revision 2 was written by an older version, which stored nothing to undo it/,
    );
    assert.equal((await api.requestInDocument('POST', '/revisions/1/restore')).status, 200);
    assert.equal((await api.cell('A1')).v, 1);
  });

  it('reverts values, formulas, formats and spills in a new revision, which can be undone, too', async () => {
    const api = await world.createBook();
    await api.put('A1:A3', [[1], ['=A1+1'], ['text']]);
    const before = await readDocumentContent(api);
    await api.put('A1:A3', [['5%'], ['=SEQUENCE(3)'], ['01.02.2026']]);
    const changed = await readDocumentContent(api);
    assert.deepEqual(pickStatusAndBody(await api.undo(2)), [200, { undone: { revision: 2, revisionId: '3' } }]);
    assert.deepEqual(await readDocumentContent(api), before);
    assert.equal(memberAt((await api.undo(3)).body, 'undone')['revisionId'], '4');
    assert.deepEqual(await readDocumentContent(api), changed);
    assert.equal((await api.undo(2)).status, 200, 'it stands again');
    assert.deepEqual(await readDocumentContent(api), before);
  });

  it('can be undone and redone any number of times', async () => {
    const api = await world.createBook();
    await api.put('A1', [['before']]);
    await api.put('A1', [['after']]);
    for (const revision of [2, 3, 4, 5, 6]) {
      assert.equal((await api.undo(revision)).status, 200);
      const isUndone = revision % 2 === 0;
      assert.equal((await api.cell('A1'))['v'], isUndone ? 'before' : 'after');
      const entries = (await api.listRevisions())['entries'] as unknown as Record<string, unknown>[];
      const undonePairs = entries.flatMap((one) => ('undoneBy' in one ? [[one['revision'], one['undoneBy']]] : []));
      const pairs = Array.from({ length: revision }, (_, i) => [i + 1, i + 2]).filter(([by]) => by! >= 2);
      const effectivePairs = pairs.filter(([one]) => (revision - one!) % 2 === 0);
      assert.deepEqual(undonePairs.reverse(), effectivePairs);
    }
    assert.deepEqual(pickStatusAndBody(await api.undo(2)), [
      412,
      { message: 'Precondition failed', revisionId: '7', conflicts: [] },
    ]);
  });

  it('reverts many inserted rows and columns, and reports cells written into them', async () => {
    const api = await world.createBook();
    await api.put('A1:B3', [
      [1, '=A1+1'],
      [2, '=A2+1'],
      [3, '=SUM(A1:A3)'],
    ]);
    const before = await readDocumentContent(api);
    const rows = Array.from({ length: 150 }, (_, i) => ({ insertRows: { sheet: 'Sheet1', before: 1 + (i % 7) * 3 } }));
    const columns = Array.from({ length: 100 }, (_, i) => ({
      insertColumns: { sheet: 'Sheet1', before: 'ABC'[i % 3] },
    }));
    const others = [{ deleteRows: { sheet: 'Sheet1', from: 300, count: 5 } }];
    const inserting = await api.post('/structure', { operations: [...rows, ...columns, ...others] });
    const revision = Number(memberAt(inserting.body, 'structure')['revisionId']);
    const inserted = await readDocumentContent(api);
    await api.put('A1', [['written']]);
    const { status, body } = await api.undo(revision);
    assert.deepEqual([status, body['conflicts'] as unknown], [412, ['Sheet1!A1']]);
    assert.equal((await api.clear('A1')).status, 200);
    assert.equal((await api.undo(revision, { force: true })).status, 200);
    assert.deepEqual(await readDocumentContent(api), before);
    assert.equal((await api.undo(await readNewestRevision(api))).status, 200);
    assert.deepEqual(await readDocumentContent(api), inserted);
  });

  it('restores the contents of rows and columns even if these were redone earlier', async () => {
    const api = await world.createBook();
    await applyStructure(api, { deleteColumns: { sheet: 'Sheet1', from: 'A', count: 1 } });
    await applyStructure(api, { insertColumns: { sheet: 'Sheet1', before: 'B', count: 2 } });
    await api.put('A1:C1', [['a', 'b', 'c']]);
    const last = await readDocumentContent(api);
    for (const revision of [3, 1, 2, 4, 5, 6]) assert.equal((await api.undo(revision)).status, 200);
    assert.deepEqual(await readDocumentContent(api), last);
  });

  it('is refused if the order of columns is ambiguous', async () => {
    const api = await world.createBook();
    await api.put('A1', [['a', 'b', 'c']]);
    await applyStructure(api, { deleteColumns: { sheet: 'Sheet1', from: 'B', count: 1 } });
    await applyStructure(api, { insertColumns: { sheet: 'Sheet1', before: 'B', count: 1 } });
    await applyStructure(api, { moveColumns: { sheet: 'Sheet1', from: 'C', count: 1, before: 'B' } });
    // Undo the move, the inserted column and the deleted column. Then redo the insertion, which the move crossed.
    for (const revision of [4, 3, 2, 6]) assert.equal((await api.undo(revision)).status, 200);
    assert.equal((await api.undo(5)).status, 412);
    assert.equal((await api.undo(5, { force: true })).status, 200);
  });

  it('reports cells that others have written since, and overwrites them with force', async () => {
    const api = await world.createBook();
    await api.put('A1:B2', [
      [1, 2],
      [3, 4],
    ]);
    await api.put('B2:C2', [[5, 6]]);
    const { status, body } = await api.undo(1);
    assert.deepEqual(
      { status, body },
      { status: 412, body: { message: 'Precondition failed', revisionId: '2', conflicts: ['Sheet1!B2'] } },
    );
    assert.equal(await readNewestRevision(api), 2);
    assert.equal((await api.undo(1, { force: true })).status, 200);
    assert.deepEqual(await api.cells('A1:C2'), [
      [null, null, null],
      [null, null, { v: 6, m: '6' }],
    ]);
    assert.deepEqual((await api.undo(1, { force: true })).status, 412, 'taken back already');
  });

  it('ignores recalculated cells and undone revisions in conflicts', async () => {
    const api = await world.createBook();
    await api.put('A1:A2', [[1], ['=A1+1']]);
    await api.put('A1', [[7]]);
    assert.equal((await api.undo(2)).status, 200);
    assert.equal((await api.undo(1)).status, 200);
    assert.deepEqual(await api.cells('A1:A2'), [[null], [null]]);
  });

  it('restores a deleted sheet with its contents, position, formulas and protection', async () => {
    const api = await world.createBook();
    await api.addSheet('Data');
    await api.addSheet('Last');
    await api.put('Data!A1:A2', [[7], ['=A1*Sheet1!A1']]);
    await api.put('A1:A2', [[2], ['=SUM(Data!A:A)']]);
    await world.protect(api.document, 'Data', { hideValues: true, lock: true });
    const { api: editor } = await world.addMember(api.document, 'edit');
    const before = await readDocumentContent(api);
    await api.deleteSheet('Data');
    const deleted = await readNewestRevision(api);
    assert.equal((await api.cell('A2'))['v'], '#REF!');
    assert.deepEqual(pickStatusAndBody(await editor.undo(deleted)), PROTECTED);
    assert.deepEqual(pickStatusAndBody(await editor.get('Data!A1', { revision: String(deleted - 1) })), HIDDEN);
    assert.equal((await api.undo(deleted)).status, 200);
    assert.deepEqual(await readDocumentContent(api), before);
    assert.deepEqual(pickStatusAndBody(await editor.get('Data!A1')), HIDDEN);
    assert.deepEqual(pickStatusAndBody(await editor.put('Data!A1', [[1]])), PROTECTED);
  });

  it('restores a sheet under a similar name if its name is used, but only with force', async () => {
    const api = await world.createBook();
    await api.addSheet('Data');
    await api.put('Data!A1', [[7]]);
    await api.put('A1', [['=Data!A1']]);
    await api.deleteSheet('Data');
    const deleted = await readNewestRevision(api);
    await api.addSheet('DATA');
    const refused = await api.undo(deleted);
    assert.deepEqual([refused.status, refused.body['conflicts']], [412, ['DATA!A1:XFD1048576']]);
    assert.equal((await api.undo(deleted, { force: true })).status, 200);
    assert.deepEqual([(await api.cell('A1'))['f'], (await api.cell("'Data 2'!A1"))['v']], ["='Data 2'!A1", 7]);
    await api.renameSheet('DATA', 'Other');
    const renamed = await readNewestRevision(api);
    await api.addSheet('data');
    assert.equal((await api.undo(renamed)).status, 412);
    assert.equal((await api.undo(renamed, { force: true })).status, 200);
    assert.equal((await api.get("'DATA 3'!A1")).status, 200);
  });

  it('reverts added and renamed sheets', async () => {
    const api = await world.createBook();
    const before = await readDocumentContent(api);
    await api.addSheet('New');
    await api.renameSheet('Sheet1', 'First');
    await api.put('New!A1', [[1]]);
    const conflict = await api.undo(1);
    assert.deepEqual([conflict.status, conflict.body['conflicts']], [412, ['New!A1']]);
    for (const revision of [3, 2, 1]) assert.equal((await api.undo(revision)).status, 200);
    assert.deepEqual(await readDocumentContent(api), before);
    const { entries } = (await api.requestInDocument('GET', '/changes?since=3')).body['changes'] as unknown as {
      entries: never[];
    };
    assert.deepEqual(
      entries.map(({ structure }) => structure),
      [[], [{ renameSheet: { sheet: 'First', name: 'Sheet1' } }], [{ deleteSheet: { sheet: 'New' } }]],
    );
  });

  it('is refused on a locked sheet, with or without force', async () => {
    const api = await world.createBook();
    await api.put('A1', [[1]]);
    const { api: editor } = await world.addMember(api.document, 'edit');
    await world.protect(api.document, 'Sheet1', { lock: true });
    assert.deepEqual(pickStatusAndBody(await editor.undo(1)), PROTECTED);
    assert.deepEqual(pickStatusAndBody(await editor.undo(1, { force: true })), PROTECTED);
    assert.deepEqual(pickStatusAndBody(await editor.restore(0)), PROTECTED);
  });

  it('reveals no hidden values and keeps the writers of formulas', async () => {
    const owner = await world.createBook();
    await owner.addSheet('Secret');
    await owner.put('Secret!A1', [[7]]);
    await owner.put('A1', [['=Secret!A1']]);
    const { api: editor } = await world.addMember(owner.document, 'edit');
    await world.protect(owner.document, 'Secret', { hideValues: true });
    await editor.put('A1', [[1]]);
    const replaced = await readNewestRevision(owner);
    assert.deepEqual(pickStatusAndBody(await editor.undo(replaced)), HIDDEN);
    assert.deepEqual(pickStatusAndBody(await editor.restore(replaced - 1)), HIDDEN);
    assert.equal((await owner.undo(replaced)).status, 200);
    assert.equal((await editor.cell('A1'))['v'], 7);
  });

  it('is logged, published in the change feed, and stored under its idempotency key', async () => {
    const api = await world.createBook();
    await api.put('A1:A2', [[1], [2]]);
    const first = await api.undo(1, { force: false }, 'k');
    const again = await api.undo(1, { force: false }, 'k');
    assert.deepEqual(again.body, first.body);
    assert.equal(again.headers.get('idempotency-replayed'), 'true');
    const [entry] = (await api.listAuditEntries())['entries'] as unknown as Record<string, unknown>[];
    assert.deepEqual([entry?.['action'], entry?.['properties']], ['undo', { range: 'Sheet1!A1:A2', cells: 2 }]);
    assert.equal(await readNewestRevision(api), 2);
    const { entries } = (await api.requestInDocument('GET', '/changes?since=1')).body['changes'] as unknown as {
      entries: never[];
    };
    assert.deepEqual(
      entries.map(({ ranges }) => ranges),
      [['Sheet1!A1:A2']],
    );
  });

  /** Moves cells as `POST …/structure` does. */
  async function moveCells(api: Api, move: (sheet: number) => Move): Promise<void> {
    const document = await world.server.service.context.documents.open(api.document);
    const outcome = await document?.write<null, never>(({ sheets }) => ({
      kind: 'proposal',
      edits: [{ kind: 'moveCells', move: move(sheets[0]?.id ?? 0) }],
      author: { userId: null, origin: 'operator', tokenId: null, tokenName: null },
      finish: () => ({ reply: null, statements: [] }),
    }));
    assert.equal(outcome?.kind, 'written');
  }
  const insertRow = (at: number) => (sheet: number) => ({ kind: 'insert', sheet, axis: 'rows', at, count: 1 }) as const;
  const deleteRow = (at: number) => (sheet: number) => ({ kind: 'delete', sheet, axis: 'rows', at, count: 1 }) as const;

  it('follows cells that have moved since, and reverts moves', async () => {
    const api = await world.createBook();
    await api.put('A1:A3', [[1], [2], ['=A2*10']]);
    await api.put('A2:A3', [[5], ['=A1*100']]);
    await moveCells(api, insertRow(1));
    assert.equal((await api.undo(2)).status, 200);
    assert.deepEqual(
      ((await api.cells('A1:A4')) as unknown as ({ v: unknown; f?: string } | null)[][]).map(
        ([one]) => one?.f ?? one?.v,
      ),
      [1, undefined, 2, '=A3*10'],
    );
    await api.put('A2', [['new']]);
    const refused = await api.undo(3);
    assert.deepEqual([refused.status, refused.body['conflicts']], [412, ['Sheet1!A2']]);
    assert.equal((await api.undo(5)).status, 200);
    assert.equal((await api.undo(4)).status, 200, 'what was written before the row came');
    assert.equal((await api.undo(3)).status, 200);
    assert.deepEqual(await readColumnAt(api, await readNewestRevision(api)), [1, 5, 100]);
    assert.equal((await api.undo(2)).status, 200);
    assert.deepEqual(await readColumnAt(api, await readNewestRevision(api)), [1, 2, 20]);
  });

  it('reports conflicts in a long write', async () => {
    const api = await world.createBook();
    const rows = Array.from({ length: 20_000 }, (_, row) => [row, `text ${row}`]);
    assert.equal((await api.put('A1', rows)).status, 200);
    const long = await readNewestRevision(api);
    await api.put('B7', [['mine']]);
    await api.put('D1', [['beside']]);
    const refused = await api.undo(long);
    assert.deepEqual([refused.status, refused.body['conflicts']], [412, ['Sheet1!B7']]);
    assert.equal((await api.undo(long, { force: true })).status, 200);
    assert.deepEqual([await api.cell('A20000'), await api.cell('B7')], [null, null]);
    assert.equal((await api.cell('D1'))['v'], 'beside');
    assert.equal((await api.undo(await readNewestRevision(api))).status, 200);
    assert.equal((await api.cell('B20000'))['v'], 'text 19999');
    assert.equal((await api.cell('B7'))['v'], 'mine');
  });

  it('reports conflicts across a long log', async () => {
    const api = await world.createBook();
    await api.put('A1', [['first']]);
    const oldRevision = await readNewestRevision(api);
    for (let i = 0; i < 250; i++) await api.put('C1', [[i]]);
    await api.put('A1', [['second']]);
    const refused = await api.undo(oldRevision);
    assert.deepEqual([refused.status, refused.body['conflicts']], [412, ['Sheet1!A1']]);
    assert.equal((await api.undo(await readNewestRevision(api))).status, 200);
    assert.equal((await api.undo(oldRevision)).status, 200);
    assert.equal(await api.cell('A1'), null);
    assert.equal((await api.cell('C1'))['v'], 249);
  });

  it('is refused if the cells were deleted', async () => {
    const api = await world.createBook();
    await api.put('A1:A3', [[1], [2], [3]]);
    await api.put('A2', [[7]]);
    await moveCells(api, deleteRow(1));
    const { status, body } = await api.undo(2);
    assert.deepEqual([status, body['conflicts']], [412, ['Sheet1!A2']]);
    assert.equal((await api.undo(3)).status, 200);
    assert.equal((await api.undo(2)).status, 200);
    assert.deepEqual(await readColumnAt(api, await readNewestRevision(api)), [1, 2, 3]);
  });

  it('has no conflict with writes to formulas that it would only adjust', async () => {
    const api = await world.createBook();
    await api.put('A1:C3', [[1, '=SUM(A1:A3)', '=SUM(A1:A3)'], [2], [4]]);
    await applyStructure(api, { deleteRows: { sheet: 'Sheet1', from: 3, count: 1 } });
    await api.put('B1', [['mine']]);
    const readFormulasOrValues = async () => {
      const cells = await Promise.all([api.cell('B1'), api.cell('C1')]);
      return cells.map((cell) => cell['f'] ?? cell['v']);
    };
    assert.equal((await api.undo(2)).status, 200);
    assert.deepEqual(await readFormulasOrValues(), ['mine', '=SUM(A1:A3)']);
    await api.put('C1', [['mine, too']]);
    assert.equal((await api.undo(4)).status, 200);
    assert.deepEqual(await readFormulasOrValues(), ['mine', 'mine, too']);
    for (const revision of [5, 6, 3]) assert.equal((await api.undo(revision)).status, 200);
    assert.deepEqual(await readFormulasOrValues(), ['=SUM(A1:A3)', '=SUM(A1:A3)']);
  });

  it('is previewed by a dry run', async () => {
    const api = await world.createBook();
    await api.put('A1:A2', [[1], ['=A1+1']]);
    await api.put('A1', [[5]]);
    const key = { 'idempotency-key': 'dry' };
    const { status, body } = await api.requestInDocument('POST', '/revisions/2/undo?dryRun=true', {
      body: {},
      headers: key,
    });
    assert.deepEqual(
      { status, body },
      {
        status: 200,
        body: {
          undone: { revision: 2, revisionId: '3' },
          dryRun: true,
          changes: [
            { cell: 'Sheet1!A1', before: 5, after: 1 },
            { cell: 'Sheet1!A2', before: 6, after: 2, derived: true },
          ],
        },
      },
    );
    assert.equal((await api.requestInDocument('POST', '/revisions/1/undo?dryRun=true', { body: {} })).status, 412);
    assert.equal((await api.requestInDocument('POST', '/revisions/1/undo?dryRun=yes', { body: {} })).status, 422);
    assert.deepEqual([await readNewestRevision(api), (await api.listAuditEntries())['total']], [2, 2]);
    assert.equal((await api.cell('A2'))['v'], 6);
    assert.equal((await api.undo(2)).status, 200);
    assert.equal((await api.cell('A2'))['v'], 2);
  });

  it('validates the revision and the body', async () => {
    const api = await world.createBook();
    await api.put('A1', [[1]]);
    assert.deepEqual(pickStatusAndBody(await api.undo(9)), NOT_FOUND);
    assert.deepEqual(pickStatusAndBody(await api.undo('x')), NOT_FOUND);
    assert.deepEqual(pickStatusAndBody(await api.undo(0)), NOT_FOUND);
    assert.equal((await api.requestInDocument('POST', '/revisions/1/undo', { body: { force: 1 } })).status, 422);
    assert.equal((await api.requestInDocument('POST', '/revisions/1/undo', {})).status, 200);
  });
});

describe('restore', () => {
  it('reverts everything including sheets, and can be undone', async () => {
    const api = await world.createBook();
    await api.put('A1:A2', [[1], ['=A1+1']]);
    await api.addSheet('Other');
    await api.put('Other!A1', [['=Sheet1!A2']]);
    const target = await readNewestRevision(api);
    const before = await readDocumentContent(api);
    await api.renameSheet('Other', 'Else');
    await api.deleteSheet('Sheet1');
    await api.addSheet('Third');
    await api.put('Else!A1:B1', [['x', '5%']]);
    const later = await readDocumentContent(api);
    const { status, body } = await api.restore(target);
    assert.deepEqual(
      { status, body },
      { status: 200, body: { restored: { revision: target, revisionId: String(target + 5) } } },
    );
    assert.deepEqual(await readDocumentContent(api), before);
    assert.equal((await api.undo(target + 5)).status, 200);
    assert.deepEqual(await readDocumentContent(api), later);
    assert.deepEqual(pickStatusAndBody(await api.restore(99)), NOT_FOUND);
    assert.equal(memberAt(await api.listAuditEntries('?limit=2'), 'entries', 1)['action'], 'restore');
  });
});

describe('permissions for the history', () => {
  it('are the rights of the audit log for reading and the rights of writes for undo', async () => {
    const owner = await world.createBook();
    await owner.put('A1', [[1]]);
    const standard = await world.createBook({ plan: 'standard' });
    await standard.put('A1', [[1]]);
    assert.deepEqual(pickStatusAndBody(await standard.requestInDocument('GET', '/revisions')), ACCESS_DENIED);
    assert.deepEqual(pickStatusAndBody(await standard.get('A1', { revision: '1' })), ACCESS_DENIED);
    assert.equal((await standard.undo(1)).status, 200);
    const { api: viewer } = await world.addMember(owner.document, 'view');
    assert.equal((await viewer.requestInDocument('GET', '/revisions')).status, 200);
    assert.deepEqual(pickStatusAndBody(await viewer.undo(1)), [403, { message: 'Insufficient permissions' }]);
    const scopes = ALL_SCOPES.filter((scope) => scope !== 'sheets.write');
    const { api: reader } = await world.addMember(owner.document, 'edit', scopes);
    assert.deepEqual(pickStatusAndBody(await reader.undo(1)), ACCESS_DENIED);
    assert.deepEqual(
      pickStatusAndBody(await reader.requestInDocument('PUT', '/revisions/1', { body: { name: 'x' } })),
      ACCESS_DENIED,
    );
  });
});
