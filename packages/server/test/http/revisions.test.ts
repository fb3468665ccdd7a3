import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Move } from '@cellwire/engine';
import { prepareStatement } from '../../../store/src/database/database.ts';
import { sql } from '../../../store/src/database/dialect.ts';
import { everything, structure } from './revisions-support.ts';
import { ALL_SCOPES, type Answer, type Api, startWorld, type World } from './support.ts';

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

const PROTECTED = { status: 403, body: { message: 'Sheet is protected' } };
const HIDDEN = { status: 403, body: { message: 'Sheet values are hidden' } };
const NOT_FOUND = { status: 404, body: { message: 'Revision not found' } };
const CLOSED = { status: 403, body: { success: false, access: false } };

function shown({ status, body }: Answer) {
  return { status, body };
}

async function newest(api: Api): Promise<number> {
  return Number(await api.revision());
}

/** The values of a column from A1 on, as they were at a revision. */
async function column(api: Api, revision: number): Promise<unknown> {
  const { status, body } = await api.get('A1:A3', { revision: String(revision) });
  assert.equal(status, 200, JSON.stringify(body));
  return (body['values']['cells'] as unknown as ({ v: unknown } | null)[][]).map(([cell]) => cell?.v ?? null);
}

describe('revisions', () => {
  it('are listed with who wrote what, newest first', async () => {
    const api = await world.book();
    await api.put('A1:B1', [[1, 2]]);
    await api.put('A2', [['=A1+1']]);
    const { entries, total, offset, limit } = (await api.revisions('?limit=1')) as unknown as Record<string, never>;
    const [entry] = entries as unknown as Record<string, unknown>[];
    const { at, userId, userName, requestId, ...rest } = entry ?? {};
    assert.deepEqual([total, offset, limit], [2, 0, 1]);
    assert.deepEqual(rest, { revision: 2, token: 'test token', origin: 'api', ranges: ['Sheet1!A2'], cells: 1 });
    assert.equal(typeof requestId, 'string');
    assert.ok(typeof at === 'string' && typeof userId === 'number' && typeof userName === 'string');
    assert.equal((await api.revisions('?offset=1'))['entries'][0]['revision'], 1);
    assert.equal((await api.here('GET', '/revisions?limit=0')).status, 422);
  });

  it('can be read as they were, results included', async () => {
    const api = await world.book();
    await api.put('A1:A2', [[1], ['=A1*2']]);
    await api.put('A1', [[5]]);
    await api.clear('A1:A2');
    assert.deepEqual(await column(api, 0), [null, null, null]);
    assert.deepEqual(await column(api, 1), [1, 2, null]);
    assert.deepEqual(await column(api, 2), [5, 10, null]);
    assert.deepEqual(await column(api, 3), [null, null, null]);
    assert.deepEqual(shown(await api.get('A1', { revision: '4' })), NOT_FOUND);
    assert.equal((await api.get('A1', { revision: 'x' })).status, 422);
    assert.equal((await api.get('A1', { revision: '-1' })).status, 422);
  });

  it('keep a name', async () => {
    const api = await world.book();
    await api.put('A1', [[1]]);
    const { status, body } = await api.here('PUT', '/revisions/1', { body: { name: ' Offer ' } });
    assert.deepEqual([status, body['revision']['revision'], body['revision']['name']], [200, 1, 'Offer']);
    assert.equal((await api.revisions())['entries'][0]['name'], 'Offer');
    assert.equal((await api.here('PUT', '/revisions/1', { body: { name: ' ' } })).status, 422);
    assert.deepEqual(shown(await api.here('PUT', '/revisions/7', { body: { name: 'x' } })), NOT_FOUND);
  });
});

const forgetInverses = prepareStatement((p: { id: string }) =>
  sql.updateTable('commits').set({ inverse: null }).where('document_id', '=', p.id),
);

describe('undo', () => {
  it('of a revision that a version wrote which stored nothing to undo it by says why it cannot be', async () => {
    const api = await world.book();
    await api.put('A1', [[1]]);
    await api.put('A1', [[2]]);
    const { database } = world.server.service.context;
    await database.write({ document: api.document, statements: [forgetInverses({ id: api.document })] });
    assert.deepEqual(await column(api, 1), [1, null, null]);
    const { status, body } = await api.undo(2);
    assert.equal(status, 422);
    assert.match(
      String(body['message']),
      /^Revision 2 was written by an older version, which stored nothing to undo it/,
    );
    assert.equal((await api.here('POST', '/revisions/1/restore')).status, 200);
    assert.equal((await api.cell('A1')).v, 1);
  });

  it('takes values, formulas, formats and spills back as a new revision, and is taken back itself', async () => {
    const api = await world.book();
    await api.put('A1:A3', [[1], ['=A1+1'], ['text']]);
    const before = await everything(api);
    await api.put('A1:A3', [['5%'], ['=SEQUENCE(3)'], ['01.02.2026']]);
    const changed = await everything(api);
    assert.deepEqual(shown(await api.undo(2)), { status: 200, body: { undone: { revision: 2, revisionId: '3' } } });
    assert.deepEqual(await everything(api), before);
    assert.equal((await api.undo(3)).body['undone']['revisionId'], '4');
    assert.deepEqual(await everything(api), changed);
    assert.equal((await api.undo(2)).status, 200, 'it stands again');
    assert.deepEqual(await everything(api), before);
  });

  it('is done and taken back again by turns, however often', async () => {
    const api = await world.book();
    await api.put('A1', [['before']]);
    await api.put('A1', [['after']]);
    for (const revision of [2, 3, 4, 5, 6]) {
      assert.equal((await api.undo(revision)).status, 200);
      const isTakenBack = revision % 2 === 0;
      assert.equal((await api.cell('A1'))['v'], isTakenBack ? 'before' : 'after');
      const entries = (await api.revisions())['entries'] as unknown as Record<string, unknown>[];
      const takeAll = entries.flatMap((one) => ('undoneBy' in one ? [[one['revision'], one['undoneBy']]] : []));
      const pairs = Array.from({ length: revision }, (_, i) => [i + 1, i + 2]).filter(([by]) => by! >= 2);
      const standing = pairs.filter(([one]) => (revision - one!) % 2 === 0);
      assert.deepEqual(takeAll.reverse(), standing);
    }
    assert.deepEqual(shown(await api.undo(2)), {
      status: 412,
      body: { message: 'Precondition failed', revisionId: '7', conflicts: [] },
    });
  });

  it('takes many insertions of rows and columns back as one, and knows what was written into them', async () => {
    const api = await world.book();
    await api.put('A1:B3', [
      [1, '=A1+1'],
      [2, '=A2+1'],
      [3, '=SUM(A1:A3)'],
    ]);
    const before = await everything(api);
    const rows = Array.from({ length: 150 }, (_, i) => ({ insertRows: { sheet: 'Sheet1', before: 1 + (i % 7) * 3 } }));
    const columns = Array.from({ length: 100 }, (_, i) => ({
      insertColumns: { sheet: 'Sheet1', before: 'ABC'[i % 3] },
    }));
    const others = [{ deleteRows: { sheet: 'Sheet1', from: 300, count: 5 } }];
    const made = await api.post('/structure', { operations: [...rows, ...columns, ...others] });
    const revision = Number(made.body['structure']['revisionId']);
    const inserted = await everything(api);
    await api.put('A1', [['written']]);
    const { status, body } = await api.undo(revision);
    assert.deepEqual([status, body['conflicts'] as unknown], [412, ['Sheet1!A1']]);
    assert.equal((await api.clear('A1')).status, 200);
    assert.equal((await api.undo(revision, { force: true })).status, 200);
    assert.deepEqual(await everything(api), before);
    assert.equal((await api.undo(await newest(api))).status, 200);
    assert.deepEqual(await everything(api), inserted);
  });

  it('gives lines that come back what was written into them, though that was redone before them', async () => {
    const api = await world.book();
    await structure(api, { deleteColumns: { sheet: 'Sheet1', from: 'A', count: 1 } });
    await structure(api, { insertColumns: { sheet: 'Sheet1', before: 'B', count: 2 } });
    await api.put('A1:C1', [['a', 'b', 'c']]);
    const last = await everything(api);
    for (const revision of [3, 1, 2, 4, 5, 6]) assert.equal((await api.undo(revision)).status, 200);
    assert.deepEqual(await everything(api), last);
  });

  it('is refused where it is not certain in which order columns would come to stand', async () => {
    const api = await world.book();
    await api.put('A1', [['a', 'b', 'c']]);
    await structure(api, { deleteColumns: { sheet: 'Sheet1', from: 'B', count: 1 } });
    await structure(api, { insertColumns: { sheet: 'Sheet1', before: 'B', count: 1 } });
    await structure(api, { moveColumns: { sheet: 'Sheet1', from: 'C', count: 1, before: 'B' } });
    // The move, the inserted column and the deleted one, then the inserted one again: the move went past that one.
    for (const revision of [4, 3, 2, 6]) assert.equal((await api.undo(revision)).status, 200);
    assert.equal((await api.undo(5)).status, 412);
    assert.equal((await api.undo(5, { force: true })).status, 200);
  });

  it('names what others have written there since, and overwrites it when told to', async () => {
    const api = await world.book();
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
    assert.equal(await newest(api), 2);
    assert.equal((await api.undo(1, { force: true })).status, 200);
    assert.deepEqual(await api.cells('A1:C2'), [
      [null, null, null],
      [null, null, { v: 6, m: '6' }],
    ]);
    assert.deepEqual((await api.undo(1, { force: true })).status, 412, 'taken back already');
  });

  it('takes no recalculated cell, and nothing that was taken back itself, for a conflict', async () => {
    const api = await world.book();
    await api.put('A1:A2', [[1], ['=A1+1']]);
    await api.put('A1', [[7]]);
    assert.equal((await api.undo(2)).status, 200);
    assert.equal((await api.undo(1)).status, 200);
    assert.deepEqual(await api.cells('A1:A2'), [[null], [null]]);
  });

  it('brings a deleted sheet back with its contents, its place, its formulas and its protection', async () => {
    const api = await world.book();
    await api.addSheet('Data');
    await api.addSheet('Last');
    await api.put('Data!A1:A2', [[7], ['=A1*Sheet1!A1']]);
    await api.put('A1:A2', [[2], ['=SUM(Data!A:A)']]);
    await world.protect(api.document, 'Data', { hideValues: true, lock: true });
    const { api: editor } = await world.member(api.document, 'edit');
    const before = await everything(api);
    await api.deleteSheet('Data');
    const deleted = await newest(api);
    assert.equal((await api.cell('A2'))['v'], '#REF!');
    assert.deepEqual(shown(await editor.undo(deleted)), PROTECTED);
    assert.deepEqual(shown(await editor.get('Data!A1', { revision: String(deleted - 1) })), HIDDEN);
    assert.equal((await api.undo(deleted)).status, 200);
    assert.deepEqual(await everything(api), before);
    assert.deepEqual(shown(await editor.get('Data!A1')), HIDDEN);
    assert.deepEqual(shown(await editor.put('Data!A1', [[1]])), PROTECTED);
  });

  it('brings a sheet back whose name another one has by now: only by force, and under a name like it', async () => {
    const api = await world.book();
    await api.addSheet('Data');
    await api.put('Data!A1', [[7]]);
    await api.put('A1', [['=Data!A1']]);
    await api.deleteSheet('Data');
    const deleted = await newest(api);
    await api.addSheet('DATA');
    const refused = await api.undo(deleted);
    assert.deepEqual([refused.status, refused.body['conflicts']], [412, ['DATA!A1:XFD1048576']]);
    assert.equal((await api.undo(deleted, { force: true })).status, 200);
    assert.deepEqual([(await api.cell('A1'))['f'], (await api.cell("'Data 2'!A1"))['v']], ["='Data 2'!A1", 7]);
    await api.renameSheet('DATA', 'Other');
    const renamed = await newest(api);
    await api.addSheet('data');
    assert.equal((await api.undo(renamed)).status, 412);
    assert.equal((await api.undo(renamed, { force: true })).status, 200);
    assert.equal((await api.get("'DATA 3'!A1")).status, 200);
  });

  it('takes sheets that came, and other names of sheets, back', async () => {
    const api = await world.book();
    const before = await everything(api);
    await api.addSheet('New');
    await api.renameSheet('Sheet1', 'First');
    await api.put('New!A1', [[1]]);
    const conflict = await api.undo(1);
    assert.deepEqual([conflict.status, conflict.body['conflicts']], [412, ['New!A1']]);
    for (const revision of [3, 2, 1]) assert.equal((await api.undo(revision)).status, 200);
    assert.deepEqual(await everything(api), before);
    const { entries } = (await api.here('GET', '/changes?since=3')).body['changes'] as unknown as { entries: never[] };
    assert.deepEqual(
      entries.map(({ structure }) => structure),
      [[], [{ renameSheet: { sheet: 'First', name: 'Sheet1' } }], [{ deleteSheet: { sheet: 'New' } }]],
    );
  });

  it('leaves a locked sheet alone, force or not', async () => {
    const api = await world.book();
    await api.put('A1', [[1]]);
    const { api: editor } = await world.member(api.document, 'edit');
    await world.protect(api.document, 'Sheet1', { lock: true });
    assert.deepEqual(shown(await editor.undo(1)), PROTECTED);
    assert.deepEqual(shown(await editor.undo(1, { force: true })), PROTECTED);
    assert.deepEqual(shown(await editor.restore(0)), PROTECTED);
  });

  it('lets nobody newly read what is hidden from them, and keeps formulas their writers', async () => {
    const owner = await world.book();
    await owner.addSheet('Secret');
    await owner.put('Secret!A1', [[7]]);
    await owner.put('A1', [['=Secret!A1']]);
    const { api: editor } = await world.member(owner.document, 'edit');
    await world.protect(owner.document, 'Secret', { hideValues: true });
    await editor.put('A1', [[1]]);
    const replaced = await newest(owner);
    assert.deepEqual(shown(await editor.undo(replaced)), HIDDEN);
    assert.deepEqual(shown(await editor.restore(replaced - 1)), HIDDEN);
    assert.equal((await owner.undo(replaced)).status, 200);
    assert.equal((await editor.cell('A1'))['v'], 7);
  });

  it('is audited, told in the feed, and kept under its key', async () => {
    const api = await world.book();
    await api.put('A1:A2', [[1], [2]]);
    const first = await api.undo(1, { force: false }, 'k');
    const again = await api.undo(1, { force: false }, 'k');
    assert.deepEqual(again.body, first.body);
    assert.equal(again.headers.get('idempotency-replayed'), 'true');
    const [entry] = (await api.audit())['entries'] as unknown as Record<string, unknown>[];
    assert.deepEqual([entry?.['action'], entry?.['properties']], ['undo', { range: 'Sheet1!A1:A2', cells: 2 }]);
    assert.equal(await newest(api), 2);
    const { entries } = (await api.here('GET', '/changes?since=1')).body['changes'] as unknown as { entries: never[] };
    assert.deepEqual(
      entries.map(({ ranges }) => ranges),
      [['Sheet1!A1:A2']],
    );
  });

  /** Moves cells as `POST …/structure` does. */
  async function moved(api: Api, move: (sheet: number) => Move): Promise<void> {
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

  it('follows cells that have moved since, and takes moves back', async () => {
    const api = await world.book();
    await api.put('A1:A3', [[1], [2], ['=A2*10']]);
    await api.put('A2:A3', [[5], ['=A1*100']]);
    await moved(api, insertRow(1));
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
    assert.deepEqual(await column(api, await newest(api)), [1, 5, 100]);
    assert.equal((await api.undo(2)).status, 200);
    assert.deepEqual(await column(api, await newest(api)), [1, 2, 20]);
  });

  it('of a long write knows what others have written into it since, as of a short one', async () => {
    const api = await world.book();
    const rows = Array.from({ length: 20_000 }, (_, row) => [row, `text ${row}`]);
    assert.equal((await api.put('A1', rows)).status, 200);
    const long = await newest(api);
    await api.put('B7', [['mine']]);
    await api.put('D1', [['beside']]);
    const refused = await api.undo(long);
    assert.deepEqual([refused.status, refused.body['conflicts']], [412, ['Sheet1!B7']]);
    assert.equal((await api.undo(long, { force: true })).status, 200);
    assert.deepEqual([await api.cell('A20000'), await api.cell('B7')], [null, null]);
    assert.equal((await api.cell('D1'))['v'], 'beside');
    assert.equal((await api.undo(await newest(api))).status, 200);
    assert.equal((await api.cell('B20000'))['v'], 'text 19999');
    assert.equal((await api.cell('B7'))['v'], 'mine');
  });

  it('of an old revision knows what a long log has done since', async () => {
    const api = await world.book();
    await api.put('A1', [['first']]);
    const old = await newest(api);
    for (let i = 0; i < 250; i++) await api.put('C1', [[i]]);
    await api.put('A1', [['second']]);
    const refused = await api.undo(old);
    assert.deepEqual([refused.status, refused.body['conflicts']], [412, ['Sheet1!A1']]);
    assert.equal((await api.undo(await newest(api))).status, 200);
    assert.equal((await api.undo(old)).status, 200);
    assert.equal(await api.cell('A1'), null);
    assert.equal((await api.cell('C1'))['v'], 249);
  });

  it('is refused where the cells were deleted', async () => {
    const api = await world.book();
    await api.put('A1:A3', [[1], [2], [3]]);
    await api.put('A2', [[7]]);
    await moved(api, deleteRow(1));
    const { status, body } = await api.undo(2);
    assert.deepEqual([status, body['conflicts']], [412, ['Sheet1!A2']]);
    assert.equal((await api.undo(3)).status, 200);
    assert.equal((await api.undo(2)).status, 200);
    assert.deepEqual(await column(api, await newest(api)), [1, 2, 3]);
  });

  it('has nothing in its way where somebody wrote what it only would have rewritten', async () => {
    const api = await world.book();
    await api.put('A1:C3', [[1, '=SUM(A1:A3)', '=SUM(A1:A3)'], [2], [4]]);
    await structure(api, { deleteRows: { sheet: 'Sheet1', from: 3, count: 1 } });
    await api.put('B1', [['mine']]);
    const shown = async () => {
      const cells = await Promise.all([api.cell('B1'), api.cell('C1')]);
      return cells.map((cell) => cell['f'] ?? cell['v']);
    };
    assert.equal((await api.undo(2)).status, 200);
    assert.deepEqual(await shown(), ['mine', '=SUM(A1:A3)']);
    await api.put('C1', [['mine, too']]);
    assert.equal((await api.undo(4)).status, 200);
    assert.deepEqual(await shown(), ['mine', 'mine, too']);
    for (const revision of [5, 6, 3]) assert.equal((await api.undo(revision)).status, 200);
    assert.deepEqual(await shown(), ['=SUM(A1:A3)', '=SUM(A1:A3)']);
  });

  it('says what it would change without changing it', async () => {
    const api = await world.book();
    await api.put('A1:A2', [[1], ['=A1+1']]);
    await api.put('A1', [[5]]);
    const key = { 'idempotency-key': 'dry' };
    const { status, body } = await api.here('POST', '/revisions/2/undo?dryRun=true', { body: {}, headers: key });
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
    assert.equal((await api.here('POST', '/revisions/1/undo?dryRun=true', { body: {} })).status, 412);
    assert.equal((await api.here('POST', '/revisions/1/undo?dryRun=yes', { body: {} })).status, 422);
    assert.deepEqual([await newest(api), (await api.audit())['total']], [2, 2]);
    assert.equal((await api.cell('A2'))['v'], 6);
    assert.equal((await api.undo(2)).status, 200);
    assert.equal((await api.cell('A2'))['v'], 2);
  });

  it('says what it is about', async () => {
    const api = await world.book();
    await api.put('A1', [[1]]);
    assert.deepEqual(shown(await api.undo(9)), NOT_FOUND);
    assert.deepEqual(shown(await api.undo('x')), NOT_FOUND);
    assert.deepEqual(shown(await api.undo(0)), NOT_FOUND);
    assert.equal((await api.here('POST', '/revisions/1/undo', { body: { force: 1 } })).status, 422);
    assert.equal((await api.here('POST', '/revisions/1/undo', {})).status, 200);
  });
});

describe('restore', () => {
  it('brings everything back, sheets included, and can be taken back', async () => {
    const api = await world.book();
    await api.put('A1:A2', [[1], ['=A1+1']]);
    await api.addSheet('Other');
    await api.put('Other!A1', [['=Sheet1!A2']]);
    const there = await newest(api);
    const before = await everything(api);
    await api.renameSheet('Other', 'Else');
    await api.deleteSheet('Sheet1');
    await api.addSheet('Third');
    await api.put('Else!A1:B1', [['x', '5%']]);
    const later = await everything(api);
    const { status, body } = await api.restore(there);
    assert.deepEqual(
      { status, body },
      { status: 200, body: { restored: { revision: there, revisionId: String(there + 5) } } },
    );
    assert.deepEqual(await everything(api), before);
    assert.equal((await api.undo(there + 5)).status, 200);
    assert.deepEqual(await everything(api), later);
    assert.deepEqual(shown(await api.restore(99)), NOT_FOUND);
    assert.equal((await api.audit('?limit=2'))['entries'][1]['action'], 'restore');
  });
});

describe('plans, scopes and roles', () => {
  it('of history are those of the audit log to read, and those of writing to take back', async () => {
    const owner = await world.book();
    await owner.put('A1', [[1]]);
    const standard = await world.book({ plan: 'standard' });
    await standard.put('A1', [[1]]);
    assert.deepEqual(shown(await standard.here('GET', '/revisions')), CLOSED);
    assert.deepEqual(shown(await standard.get('A1', { revision: '1' })), CLOSED);
    assert.equal((await standard.undo(1)).status, 200);
    const { api: viewer } = await world.member(owner.document, 'view');
    assert.equal((await viewer.here('GET', '/revisions')).status, 200);
    assert.deepEqual(shown(await viewer.undo(1)), { status: 403, body: { message: 'Insufficient permissions' } });
    const scopes = ALL_SCOPES.filter((scope) => scope !== 'sheets.write');
    const { api: reader } = await world.member(owner.document, 'edit', scopes);
    assert.deepEqual(shown(await reader.undo(1)), CLOSED);
    assert.deepEqual(shown(await reader.here('PUT', '/revisions/1', { body: { name: 'x' } })), CLOSED);
  });
});
