import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import fc from 'fast-check';
import type { RunningServer } from '../../src/compose/server.ts';
import { decideProposal, readProposal } from './proposals-support.ts';
import { Api, type Json, memberAt, startWorld, type World } from './support.ts';

let world: World;
let secondService: RunningServer;
before(async () => {
  world = await startWorld();
  secondService = await world.startSecondService();
});
after(async () => {
  await secondService.close();
  await world.close();
});

interface WriteCall {
  readonly method: string;
  readonly path: string;
  readonly body: object;
}

const createWriteCall = (method: string, path: string, body: object): WriteCall => ({ method, path, body });
const row = fc.integer({ min: 1, max: 6 });
const column = fc.constantFrom('A', 'B', 'C', 'D');
const value = fc.constantFrom<string | number>('Riga', 'Oslo', 7, 8, '=A2', '=SUM(B2:B4)', '', '=Other!A1+C2');

const put = fc.record({ row, column, values: fc.array(fc.tuple(value, value), { minLength: 1, maxLength: 2 }) });
const writes = fc.oneof(
  put.map(({ row: r, column: c, values }) => createWriteCall('PUT', `/values/Data!${c}${r}`, { values })),
  put.map(({ row: r, column: c, values }) => createWriteCall('PUT', `/values/Other!${c}${r}`, { values })),
  fc
    .tuple(row, column)
    .map(([r, c]) => createWriteCall('POST', '/values/clear', { range: `Data!${c}${r}:${c}${r + 1}` })),
  value.map((one) => createWriteCall('POST', '/values/append', { range: 'Data!A:A', values: [[one || 'x']] })),
  value.map((one) =>
    createWriteCall('POST', '/records/upsert', {
      range: 'Data!A:D',
      key: ['K'],
      records: [
        { K: 'a', V: String(one) },
        { K: 'q', V: '1' },
      ],
    }),
  ),
  fc.constant(createWriteCall('POST', '/records/update', { range: 'Data!A:D', where: { C: 'Riga' }, set: { V: 5 } })),
  fc.constant(createWriteCall('POST', '/records/delete', { range: 'Data!A:D', where: { C: 'Riga' } })),
  fc.constant(createWriteCall('POST', '/records/append', { range: 'Data!A:D', records: [{ K: 'n', V: 1 }] })),
);
const structures = fc.oneof(
  fc
    .tuple(row, fc.integer({ min: 1, max: 2 }), fc.constantFrom('Data', 'Other'))
    .map(([position, count, sheet]) => ({ insertRows: { sheet, before: position, count } })),
  fc.tuple(row, fc.constantFrom('Data', 'Other')).map(([from, sheet]) => ({ deleteRows: { sheet, from, count: 1 } })),
  column.map((position) => ({ insertColumns: { sheet: 'Data', before: position, count: 1 } })),
  fc.constant({ moveRows: { sheet: 'Data', from: 2, count: 1, before: 5 } }),
  fc.constant({ renameSheet: { sheet: 'Other', name: 'Renamed' } }),
  fc.constant({ duplicateSheet: { sheet: 'Data', name: 'Twin' } }),
);
const structure = structures.map((operation) => createWriteCall('POST', '/structure', { operations: [operation] }));
/** An event between a proposal and its decision. */
type InterveningEvent =
  | { readonly kind: 'write'; readonly call: WriteCall }
  | { readonly kind: 'otherProposal'; readonly call: WriteCall; readonly how: 'apply' | 'reject' }
  | { readonly kind: 'protect'; readonly sheet: string; readonly hides: boolean }
  | { readonly kind: 'unprotect'; readonly sheet: string }
  | { readonly kind: 'role'; readonly who: 'author' | 'editor'; readonly role: string };

const interveningWrite = fc
  .oneof(writes, structure, fc.constant(createWriteCall('POST', '/revisions/LAST/undo', {})))
  .map((one): InterveningEvent => ({ kind: 'write', call: one }));
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
const interveningEvents = fc.oneof(
  { weight: 6, arbitrary: interveningWrite },
  { weight: 2, arbitrary: otherProposal },
  { weight: 1, arbitrary: protection },
  { weight: 1, arbitrary: role },
);
const proposals = fc.oneof(
  { weight: 4, arbitrary: writes },
  { weight: 2, arbitrary: structure },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      createWriteCall('POST', '/revisions/2/undo', {}),
      createWriteCall('POST', '/revisions/1/restore', {}),
    ),
  },
);

/** `reader` can open the document, even if the sender has lost access. */
async function send(api: Api, { method, path, body }: WriteCall, query = '', reader = api) {
  const resolvedPath = path.includes('LAST') ? path.replace('LAST', await reader.revision()) : path;
  return api.requestInDocument(method, `${resolvedPath}${query}`, { body });
}

/** The participants of one run. */
interface Participants {
  readonly owner: Api;
  /** The member who creates the proposal. */
  readonly author: Member;
  /** The member who writes in between and decides. */
  readonly editor: Member;
}

interface Member {
  readonly id: string;
  readonly api: Api;
}

async function performEvent({ owner, author, editor }: Participants, event: InterveningEvent): Promise<void> {
  const { document } = owner;
  switch (event.kind) {
    case 'write':
      await send(editor.api, event.call, '', owner);
      return;
    case 'otherProposal': {
      const { status, body } = await send(owner, event.call, '?propose=true');
      if (status === 202) await decideProposal(editor.api, memberAt(body, 'proposal'), event.how);
      return;
    }
    case 'protect':
      await owner.requestInDocument('PUT', `/sheets/${event.sheet}/protection`, {
        body: { hideValues: event.hides, lock: true },
      });
      return;
    case 'unprotect':
      await owner.requestInDocument('DELETE', `/sheets/${event.sheet}/protection`);
      return;
    default:
      await world.share(document, (event.who === 'author' ? author : editor).id, event.role);
  }
}

/** Creates a document with values that refer to each other, and its participants. */
async function createParticipants(address: string): Promise<Participants> {
  const owner = await world.createBook();
  const [author, editor] = [
    await world.addMember(owner.document, 'edit'),
    await world.addMember(owner.document, 'edit'),
  ];
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

type PlainCells = ReadonlyMap<string, unknown>;

/** Plain values of all cells of a document, by sheet name and address. */
async function readCells(api: Api): Promise<PlainCells> {
  const cells = new Map<string, unknown>();
  for (const { name } of (await api.sheets()).body['sheets'] as unknown as { name: string }[]) {
    const { body } = await api.get(`'${name}'!A1:J14`, { render: 'plain' });
    for (const [r, line] of (memberAt(body, 'values')['cells'] as unknown as unknown[][]).entries()) {
      for (const [c, one] of line.entries()) {
        if (one !== null && one !== '') cells.set(`${name}!${String.fromCharCode(65 + c)}${r + 1}`, one);
      }
    }
  }
  return cells;
}

/** The cells of the document with the changes of a preview applied. */
function applyPreview(cellsBefore: PlainCells, proposal: Json): PlainCells {
  const cells = new Map(cellsBefore);
  for (const { cell, after: value_ } of proposal['changes'] as unknown as { cell: string; after: unknown }[]) {
    if (value_ === null || value_ === '') cells.delete(cell);
    else cells.set(cell, value_);
  }
  return cells;
}

const sortCells = (cells: PlainCells) => [...cells].sort(([a], [b]) => (a < b ? -1 : 1));

/** True if a write moves cells. Then the preview names addresses before and after the move. */
function isMove({ path }: WriteCall): boolean {
  return path === '/structure' || path.startsWith('/records/delete') || path.startsWith('/revisions');
}

/** Sorted, because the order of calculated cells may differ. */
function listChanges(proposal: Json): readonly { readonly cell: string }[] {
  const changes = proposal['changes'] as unknown as readonly { readonly cell: string }[];
  return changes.toSorted((a, b) => (a.cell < b.cell ? -1 : 1));
}

/** Values that the proposal itself writes. */
function listWrittenValues(proposal: Json): readonly unknown[] {
  return (proposal['changes'] as unknown as Json[])
    .filter((change) => change['derived'] === undefined)
    .map((change) => change['after']);
}

/**
 * Applies a proposal and checks that the document equals the preview, or is unchanged. Returns whether it was
 * applied.
 */
async function applyAndCheck(
  { owner, editor }: Pick<Participants, 'owner' | 'editor'>,
  write: WriteCall,
  proposal: Json,
) {
  const preview = await readProposal(owner, proposal);
  const cellsBefore = await readCells(owner);
  const decision = await decideProposal(editor.api, proposal, 'apply');
  const cellsAfter = await readCells(owner);
  if (decision.status !== 200) {
    assert.ok([412, 403, 404, 422].includes(decision.status), JSON.stringify(decision.body));
    assert.deepEqual(sortCells(cellsAfter), sortCells(cellsBefore));
    assert.equal((await readProposal(owner, proposal))['state'], 'open');
    return false;
  }
  assert.deepEqual(preview['conflicts'] as unknown, []);
  assert.deepEqual(listChanges(await readProposal(owner, proposal)), listChanges(preview));
  if (!isMove(write)) assert.deepEqual(sortCells(cellsAfter), sortCells(applyPreview(cellsBefore, preview)));
  // The written values equal the originally proposed values.
  const hasFormulas = JSON.stringify(write.body).includes('=') || isMove(write);
  if (!hasFormulas) assert.deepEqual(listWrittenValues(preview), listWrittenValues(proposal));
  return true;
}

it('an accepted proposal applies exactly its preview, or nothing, after any intervening events', async () => {
  let applied = 0;
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(
      proposals,
      fc.array(interveningEvents, { maxLength: 3 }),
      fc.boolean(),
      async (write, between, isOtherNode) => {
        const participants = await createParticipants(isOtherNode ? secondService.address : world.server.address);
        const answer = await send(participants.author.api, write, '?propose=true');
        if (answer.status !== 202) return;
        for (const event of between) await performEvent(participants, event);
        const proposal = await readProposal(participants.owner, memberAt(answer.body, 'proposal'));
        if (await applyAndCheck(participants, write, { ...answer.body['proposal'], id: proposal['id'] } as Json))
          applied++;
        else refused++;
      },
    ),
    { numRuns: 80 },
  );
  assert.ok(applied > 10 && refused > 5, `${applied} applied, ${refused} refused`);
});

it('an accepted proposal applies exactly its preview after a restart', async () => {
  let ownWorld = await startWorld();
  try {
    const sampledWrites = fc.sample(proposals, { numRuns: 12, seed: 26 });
    const openProposals: { readonly write: WriteCall; readonly proposal: Json; readonly participants: Participants }[] =
      [];
    const outer = world;
    world = ownWorld;
    try {
      for (const write of sampledWrites) {
        const participants = await createParticipants(ownWorld.server.address);
        const { status, body } = await send(participants.author.api, write, '?propose=true');
        if (status === 202) openProposals.push({ write, proposal: memberAt(body, 'proposal'), participants });
      }
    } finally {
      world = outer;
    }
    assert.ok(openProposals.length > 5);
    ownWorld = await ownWorld.restart();
    for (const { write, proposal, participants } of openProposals) {
      const createOwnWorldApi = ({ token, document }: Api) => ownWorld.apiFor(token, document);
      const now = {
        owner: createOwnWorldApi(participants.owner),
        editor: { ...participants.editor, api: createOwnWorldApi(participants.editor.api) },
      };
      assert.ok(await applyAndCheck(now, write, proposal), JSON.stringify(write));
    }
  } finally {
    await ownWorld.close();
  }
});
