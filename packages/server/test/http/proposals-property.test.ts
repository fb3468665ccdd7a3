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
/** What happens between a proposal and its decision beside writes. */
type Happening =
  | { readonly kind: 'write'; readonly call: Call }
  | { readonly kind: 'otherProposal'; readonly call: Call; readonly how: 'apply' | 'reject' }
  | { readonly kind: 'protect'; readonly sheet: string; readonly hides: boolean }
  | { readonly kind: 'unprotect'; readonly sheet: string }
  | { readonly kind: 'role'; readonly who: 'author' | 'editor'; readonly role: string };

const written = fc
  .oneof(writes, structure, fc.constant(call('POST', '/revisions/LAST/undo', {})))
  .map((one): Happening => ({ kind: 'write', call: one }));
const otherProposal = fc.record({
  kind: fc.constant('otherProposal' as const),
  call: fc.oneof(writes, structure),
  how: fc.constantFrom('apply' as const, 'reject' as const),
});
const sheet = fc.constantFrom('Data', 'Other');
const protection = fc.oneof(
  fc.record({ kind: fc.constant('protect' as const), sheet, hides: fc.boolean() }),
  fc.record({ kind: fc.constant('unprotect' as const), sheet }),
);
const role = fc.record({
  kind: fc.constant('role' as const),
  who: fc.constantFrom('author' as const, 'editor' as const),
  role: fc.constantFrom('edit', 'view', 'none'),
});
const happenings = fc.oneof(
  { weight: 6, arbitrary: written },
  { weight: 2, arbitrary: otherProposal },
  { weight: 1, arbitrary: protection },
  { weight: 1, arbitrary: role },
);
const proposals = fc.oneof(
  { weight: 4, arbitrary: writes },
  { weight: 2, arbitrary: structure },
  {
    weight: 1,
    arbitrary: fc.constantFrom(call('POST', '/revisions/2/undo', {}), call('POST', '/revisions/1/restore', {})),
  },
);

/** `reader` may open the document, whatever became of the sender's rights. */
async function send(api: Api, { method, path, body }: Call, query = '', reader = api) {
  const there = path.includes('LAST') ? path.replace('LAST', await reader.revision()) : path;
  return api.here(method, `${there}${query}`, { body });
}

/** Who takes part in one run. */
interface Cast {
  readonly owner: Api;
  /** Proposes. */
  readonly author: Member;
  /** Writes meanwhile, and decides. */
  readonly editor: Member;
}

interface Member {
  readonly id: string;
  readonly api: Api;
}

async function happen({ owner, author, editor }: Cast, happening: Happening): Promise<void> {
  const { document } = owner;
  switch (happening.kind) {
    case 'write':
      await send(editor.api, happening.call, '', owner);
      return;
    case 'otherProposal': {
      const { status, body } = await send(owner, happening.call, '?propose=true');
      if (status === 202) await decide(editor.api, body['proposal'], happening.how);
      return;
    }
    case 'protect':
      await owner.here('PUT', `/sheets/${happening.sheet}/protection`, {
        body: { hideValues: happening.hides, lock: true },
      });
      return;
    case 'unprotect':
      await owner.here('DELETE', `/sheets/${happening.sheet}/protection`);
      return;
    default:
      await world.share(document, (happening.who === 'author' ? author : editor).id, happening.role);
  }
}

/** A document with values that refer to each other, and the people of a run. */
async function stage(address: string): Promise<Cast> {
  const owner = await world.book();
  const [author, editor] = [await world.member(owner.document, 'edit'), await world.member(owner.document, 'edit')];
  const { token, document } = editor.api;
  await owner.renameSheet('Sheet1', 'Data');
  await owner.put('A1', [
    ['K', 'V', 'C', 'D'],
    ['a', 1, 'Riga', '=B2'],
    ['b', 2, 'Oslo', '=B3'],
    ['c', 3, 'Riga', '=B4'],
  ]);
  await owner.addSheet('Other');
  await owner.put('Other!A1', [[10], [20], ['=Data!B2']]);
  return { owner, author, editor: { id: editor.id, api: new Api(address, token, document) } };
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

/** Whether a write moves cells, so that a preview names places from before and after it. */
function isMove({ path }: Call): boolean {
  return path === '/structure' || path.startsWith('/records/delete') || path.startsWith('/revisions');
}

/** Dependants come in the order in which they were calculated, which may differ. */
function changesOf(proposal: Json): readonly { readonly cell: string }[] {
  const changes = proposal['changes'] as unknown as readonly { readonly cell: string }[];
  return changes.toSorted((a, b) => (a.cell < b.cell ? -1 : 1));
}

/** Values that a proposal itself writes. */
function writtenValues(proposal: Json): readonly unknown[] {
  return (proposal['changes'] as unknown as Json[])
    .filter((change) => change['derived'] === undefined)
    .map((change) => change['after']);
}

/** Applies a proposal and checks that the document is as its preview showed it, or as it was. True: it was applied. */
async function applies({ owner, editor }: Pick<Cast, 'owner' | 'editor'>, write: Call, proposal: Json) {
  const preview = await shown(owner, proposal);
  const before_ = await cellsOf(owner);
  const decision = await decide(editor.api, proposal, 'apply');
  const after_ = await cellsOf(owner);
  if (decision.status !== 200) {
    assert.ok([412, 403, 404, 422].includes(decision.status), JSON.stringify(decision.body));
    assert.deepEqual(sorted(after_), sorted(before_));
    assert.equal((await shown(owner, proposal))['state'], 'open');
    return false;
  }
  assert.deepEqual(preview['conflicts'] as unknown, []);
  assert.deepEqual(changesOf(await shown(owner, proposal)), changesOf(preview));
  if (!isMove(write)) assert.deepEqual(sorted(after_), sorted(expected(before_, preview)));
  // What it writes is what it proposed to write in the first place.
  const hasFormulas = JSON.stringify(write.body).includes('=') || isMove(write);
  if (!hasFormulas) assert.deepEqual(writtenValues(preview), writtenValues(proposal));
  return true;
}

it('applies exactly what its preview shows, or nothing, whatever happens in between', async () => {
  let applied = 0;
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(
      proposals,
      fc.array(happenings, { maxLength: 3 }),
      fc.boolean(),
      async (write, between, isOtherNode) => {
        const cast = await stage(isOtherNode ? beside.address : world.server.address);
        const answer = await send(cast.author.api, write, '?propose=true');
        if (answer.status !== 202) return;
        for (const happening of between) await happen(cast, happening);
        const proposal = await shown(cast.owner, answer.body['proposal']);
        if (await applies(cast, write, { ...answer.body['proposal'], id: proposal['id'] } as Json)) applied++;
        else refused++;
      },
    ),
    { numRuns: 80 },
  );
  assert.ok(applied > 10 && refused > 5, `${applied} applied, ${refused} refused`);
});

it('applies exactly what its preview shows after a restart', async () => {
  let place = await startWorld();
  try {
    const writes_ = fc.sample(proposals, { numRuns: 12, seed: 26 });
    const opened: { readonly write: Call; readonly proposal: Json; readonly cast: Cast }[] = [];
    const outer = world;
    world = place;
    try {
      for (const write of writes_) {
        const cast = await stage(place.server.address);
        const { status, body } = await send(cast.author.api, write, '?propose=true');
        if (status === 202) opened.push({ write, proposal: body['proposal'], cast });
      }
    } finally {
      world = outer;
    }
    assert.ok(opened.length > 5);
    place = await place.restart();
    for (const { write, proposal, cast } of opened) {
      const here = ({ token, document }: Api) => place.api(token, document);
      const now = { owner: here(cast.owner), editor: { ...cast.editor, api: here(cast.editor.api) } };
      assert.ok(await applies(now, write, proposal), JSON.stringify(write));
    }
  } finally {
    await place.close();
  }
});
