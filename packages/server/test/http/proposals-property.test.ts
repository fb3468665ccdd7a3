import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import fc from 'fast-check';
import type { RunningServer } from '../../src/compose/server.ts';
import { decide, shown } from './proposals-support.ts';
import { Api, type Json, startWorld, type World } from './support.ts';

let world: World;
let beside: RunningServer;
before(async () => {
  world = await startWorld();
  beside = await world.beside();
});
after(async () => {
  await beside.close();
  await world.close();
});

interface Call {
  readonly method: string;
  readonly path: string;
  readonly body: object;
}

const call = (method: string, path: string, body: object): Call => ({ method, path, body });
const row = fc.integer({ min: 1, max: 6 });
const column = fc.constantFrom('A', 'B', 'C', 'D');
const value = fc.constantFrom<string | number>('Riga', 'Oslo', 7, 8, '=A2', '=SUM(B2:B4)', '', '=Other!A1+C2');

const put = fc.record({ row, column, values: fc.array(fc.tuple(value, value), { minLength: 1, maxLength: 2 }) });
const writes = fc.oneof(
  put.map(({ row: r, column: c, values }) => call('PUT', `/values/Data!${c}${r}`, { values })),
  put.map(({ row: r, column: c, values }) => call('PUT', `/values/Other!${c}${r}`, { values })),
  fc.tuple(row, column).map(([r, c]) => call('POST', '/values/clear', { range: `Data!${c}${r}:${c}${r + 1}` })),
  value.map((one) => call('POST', '/values/append', { range: 'Data!A:A', values: [[one || 'x']] })),
  value.map((one) =>
    call('POST', '/records/upsert', {
      range: 'Data!A:D',
      key: ['K'],
      records: [
        { K: 'a', V: String(one) },
        { K: 'q', V: '1' },
      ],
    }),
  ),
  fc.constant(call('POST', '/records/update', { range: 'Data!A:D', where: { C: 'Riga' }, set: { V: 5 } })),
  fc.constant(call('POST', '/records/delete', { range: 'Data!A:D', where: { C: 'Riga' } })),
  fc.constant(call('POST', '/records/append', { range: 'Data!A:D', records: [{ K: 'n', V: 1 }] })),
);
const structures = fc.oneof(
  fc
    .tuple(row, fc.integer({ min: 1, max: 2 }), fc.constantFrom('Data', 'Other'))
    .map(([before_, count, sheet]) => ({ insertRows: { sheet, before: before_, count } })),
  fc.tuple(row, fc.constantFrom('Data', 'Other')).map(([from, sheet]) => ({ deleteRows: { sheet, from, count: 1 } })),
  column.map((before_) => ({ insertColumns: { sheet: 'Data', before: before_, count: 1 } })),
  fc.constant({ moveRows: { sheet: 'Data', from: 2, count: 1, before: 5 } }),
  fc.constant({ renameSheet: { sheet: 'Other', name: 'Renamed' } }),
  fc.constant({ duplicateSheet: { sheet: 'Data', name: 'Twin' } }),
);
const structure = structures.map((operation) => call('POST', '/structure', { operations: [operation] }));
const others = fc.oneof(writes, structure, fc.constant(call('POST', '/revisions/LAST/undo', {})));
const proposals = fc.oneof(
  { weight: 4, arbitrary: writes },
  { weight: 2, arbitrary: structure },
  {
    weight: 1,
    arbitrary: fc.constantFrom(call('POST', '/revisions/2/undo', {}), call('POST', '/revisions/1/restore', {})),
  },
);

async function send(api: Api, { method, path, body }: Call, query = '') {
  const there = path.includes('LAST') ? path.replace('LAST', await api.revision()) : path;
  return api.here(method, `${there}${query}`, { body });
}

type Cells = ReadonlyMap<string, unknown>;

/** Plain values of all cells of a document, by the name of the sheet. */
async function cellsOf(api: Api): Promise<Cells> {
  const cells = new Map<string, unknown>();
  for (const { name } of (await api.sheets()).body['sheets'] as unknown as { name: string }[]) {
    const { body } = await api.get(`'${name}'!A1:J14`, { render: 'plain' });
    for (const [r, line] of (body['values']['cells'] as unknown as unknown[][]).entries()) {
      for (const [c, one] of line.entries()) {
        if (one !== null && one !== '') cells.set(`${name}!${String.fromCharCode(65 + c)}${r + 1}`, one);
      }
    }
  }
  return cells;
}

/** What a preview says of the cells that it names, and all other cells as they were. */
function expected(before_: Cells, proposal: Json): Cells {
  const cells = new Map(before_);
  for (const { cell, after: value_ } of proposal['changes'] as unknown as { cell: string; after: unknown }[]) {
    if (value_ === null || value_ === '') cells.delete(cell);
    else cells.set(cell, value_);
  }
  return cells;
}

const sorted = (cells: Cells) => [...cells].sort(([a], [b]) => (a < b ? -1 : 1));

it('applies exactly what its preview shows, or nothing, whatever happens in between', async () => {
  let applied = 0;
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(
      proposals,
      fc.array(others, { maxLength: 3 }),
      fc.boolean(),
      async (write, between, isOtherNode) => {
        const owner = await world.book();
        const { api } = await world.member(owner.document, 'edit');
        const editor = isOtherNode ? new Api(beside.address, api.token, api.document) : api;
        await owner.renameSheet('Sheet1', 'Data');
        await owner.put('A1', [
          ['K', 'V', 'C', 'D'],
          ['a', 1, 'Riga', '=B2'],
          ['b', 2, 'Oslo', '=B3'],
          ['c', 3, 'Riga', '=B4'],
        ]);
        await owner.addSheet('Other');
        await owner.put('Other!A1', [[10], [20], ['=Data!B2']]);
        const answer = await send(owner, write, '?propose=true');
        if (answer.status !== 202) return;
        const proposal = answer.body['proposal'];
        for (const one of between) await send(editor, one);
        const preview = await shown(editor, proposal);
        const before_ = await cellsOf(editor);
        const decision = await decide(editor, proposal, 'apply');
        const after_ = await cellsOf(editor);
        const isFree = (preview['conflicts'] as unknown as string[]).length === 0;
        if (decision.status !== 200) {
          refused++;
          assert.ok([412, 403, 404, 422].includes(decision.status), JSON.stringify(decision.body));
          assert.deepEqual(sorted(after_), sorted(before_));
          assert.equal((await shown(owner, proposal))['state'], 'open');
          return;
        }
        applied++;
        assert.ok(isFree, JSON.stringify(preview));
        const changes = decision.body['proposal']['changes'];
        assert.deepEqual(changes, preview['changes']);
        const moves =
          write.path === '/structure' ||
          write.path.startsWith('/records/delete') ||
          write.path.startsWith('/revisions');
        if (!moves) assert.deepEqual(sorted(after_), sorted(expected(before_, preview)));
        // What it writes is what it proposed to write in the first place.
        const written = (one: Json) =>
          (one['changes'] as unknown as Json[])
            .filter((change) => change['derived'] === undefined)
            .map((change) => change['after']);
        const [first, last] = [written(proposal), written(preview)];
        const formulas = JSON.stringify(write.body).includes('=') || moves;
        if (!formulas) assert.deepEqual(last, first);
      },
    ),
    { numRuns: 60 },
  );
  assert.ok(applied > 10 && refused > 1, `${applied} applied, ${refused} refused`);
});
