import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createProposingToken } from '../http/proposals-support.ts';
import { sendHttp } from '../http/send.ts';
import { type Api, type Json, memberAt, startWorld, type World } from '../http/support.ts';
import { type Agent, connectAgent, createOrdersAgent } from './support.ts';

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

async function createConsentAgent(owner: Api): Promise<Agent> {
  const { id } = await world.addMember(owner.document, 'edit');
  return connectAgent(world, await createProposingToken(world, id, owner.document));
}

const LONG_TEXT = 'x'.repeat(30_000);

describe('answers with long texts', () => {
  it('report every shortened text of a change, and never refuse a completed write', async () => {
    const { owner, bot } = await createOrdersAgent(world);
    const consent = await createConsentAgent(owner);
    const args = { range: 'A:C', records: [{ Number: LONG_TEXT, City: '"'.repeat(30_000) }] };
    const expected = [
      { cell: 'Sheet1!A4', length: 30_000 },
      { cell: 'Sheet1!B4', length: 30_000 },
    ];
    const proposal = (await consent.call('append_records', { ...args, note: '\u0001'.repeat(2_000) }))['proposal'];
    assert.deepEqual(memberAt(proposal, 'cut'), expected);
    const [storedProposal] = (await consent.call('proposals', { id: String(memberAt(proposal, 'id')) }))[
      'proposals'
    ] as unknown as Json[];
    assert.deepEqual([storedProposal?.['id'], storedProposal?.['cut']], [memberAt(proposal, 'id'), expected]);
    assert.deepEqual((await bot.call('append_records', args))['cut'], expected);
    const written = await bot.call('history', { of: 2 });
    assert.deepEqual([written['total'], written['cut']], [2, expected]);
  });

  it('report shortened formulas and displayed texts of a proposal', async () => {
    const { owner } = await createOrdersAgent(world);
    const consent = await createConsentAgent(owner);
    const formula = `=LEN("${'x'.repeat(7_000)}")`;
    const values = Array.from({ length: 10 }, () => [formula, '3/4/2026']);
    const written = await consent.call('write_ranges', { data: [{ range: 'F1', values }] });
    const [first, second] = memberAt(written, 'proposal', 'texts') as unknown as Json[];
    const shown = String(memberAt(first, 'formulas', 'after'));
    assert.ok(shown.length > 100 && formula.startsWith(shown), `${shown.length} characters`);
    assert.deepEqual(memberAt(second, 'shown'), { before: null, after: '3/4/2026' });
    assert.deepEqual(memberAt(written, 'proposal', 'cut', 0), { cell: 'Sheet1!F1', length: formula.length });
  });

  it('keep texts of changes that fit', async () => {
    const { bot } = await createOrdersAgent(world);
    const text = 'y'.repeat(1_000);
    const written = await bot.call('append_records', { range: 'A:C', records: [{ Number: text }] });
    assert.deepEqual(written['changes'], [{ cell: 'Sheet1!A4', before: null, after: text }]);
    assert.equal(written['cut'], undefined);
  });

  it('report when lists of changed cells are shortened', async () => {
    const { owner, bot } = await createOrdersAgent(world);
    const name = 'n'.repeat(100);
    await owner.addSheet(name);
    const data = Array.from({ length: 100 }, (_, i) => ({
      range: `${name}!A${i + 1}`,
      values: [[LONG_TEXT.slice(0, 500)]],
    }));
    const written = await bot.call('write_ranges', { data });
    assert.deepEqual([memberAt(written, 'updated', 'cells'), written['total'], written['truncated']], [100, 100, true]);
  });

  it('describe a wide sheet of long texts', async () => {
    const { owner, bot } = await createOrdersAgent(world);
    await owner.addSheet('Wide');
    await owner.put(
      'Wide!A1',
      Array.from({ length: 4 }, () => Array.from({ length: 60 }, () => '"'.repeat(60))),
    );
    const [sheet] = (await bot.call('describe_document', { sheet: 'Wide' }))['sheets'] as unknown as Json[];
    assert.deepEqual([sheet?.['columns'], (sheet?.['headers'] as unknown as string[] | undefined)?.length], [60, 60]);
  });
});

describe('a calculated formula', () => {
  it('may read whole columns and ranges larger than the data', async () => {
    const { bot } = await createOrdersAgent(world);
    for (const formula of ['SUM(A:Z)', 'SUM(A1:Z1000)', 'SUM(1:1000)', 'SUM(Sheet1!C2:C)']) {
      assert.deepEqual((await bot.call('calculate', { formula }))['rows'], [[300]], formula);
    }
  });

  it('returns whole rows in pages and the total count', async () => {
    const { bot } = await createOrdersAgent(world);
    const readRows: unknown[] = [];
    for (let offset: number | null = 0; offset !== null; ) {
      const page: Json = await bot.call('calculate', { formula: 'SEQUENCE(5000;2)', offset });
      assert.deepEqual([page['total'], page['truncated']], [5_000, page['nextOffset'] !== null]);
      readRows.push(...(page['rows'] as unknown as unknown[]));
      offset = page['nextOffset'] as unknown as number | null;
    }
    assert.deepEqual(
      readRows,
      Array.from({ length: 5_000 }, (_, i) => [2 * i + 1, 2 * i + 2]),
    );
    assert.deepEqual((await bot.call('calculate', { formula: 'A1', offset: 3 }))['rows'], []);
    assert.match(await bot.callRefused('calculate', { formula: 'SEQUENCE(2;5000)' }), /fewer columns/);
  });

  it('shortens long texts of a row that does not fit, and reports each', async () => {
    const { bot } = await createOrdersAgent(world);
    const page = await bot.call('calculate', { formula: 'REPT("x";30000)' });
    assert.deepEqual(page['cut'], [{ cell: 'A1', length: 30_000 }]);
  });

  it('does not read hidden sheets, also by references without a sheet name', async () => {
    const { owner } = await createOrdersAgent(world);
    await owner.addSheet('Salaries');
    await owner.put('Salaries!A1', [[1234]]);
    await world.protect(owner.document, 'Salaries', { hideValues: true });
    const bot = await connectAgent(world, (await world.addMember(owner.document, 'edit')).api);
    for (const args of [{ formula: 'Salaries!A1' }, { formula: 'A1', sheet: 'Salaries' }]) {
      assert.equal((await bot.callRefused('calculate', args)).includes('1234'), false);
    }
  });

  it('does not tell which cells of a hidden sheet are filled', async () => {
    const { owner } = await createOrdersAgent(world);
    await owner.addSheet('Salaries');
    await owner.put('Salaries!A1', [[1234]]);
    await world.protect(owner.document, 'Salaries', { hideValues: true });
    const bot = await connectAgent(world, (await world.addMember(owner.document, 'edit')).api);
    const answers: object[] = [];
    for (const range of ['Salaries!A1', 'Salaries!B2']) {
      const args = { data: [{ range, values: [['x']] }] };
      const refusal = await bot.callRefused('write_ranges', args);
      assert.match(refusal, /^Sheet values are hidden/);
      const overwrite = { ...args, onFilled: 'overwrite' };
      const { confirm, preview, changes, total } = (await bot.call('write_ranges', overwrite)) as unknown as Json;
      answers.push({ refusal, preview, changes, total });
      const written = await bot.call('write_ranges', { ...overwrite, confirm });
      assert.deepEqual(written['changes'], []);
    }
    assert.deepEqual(answers[0], answers[1]);
    assert.equal((await owner.cell('Salaries!A1'))['v'], 'x');
  });
});

describe('arguments of a write', () => {
  it('are validated like the API’s inputs', async () => {
    const { owner, bot } = await createOrdersAgent(world);
    const args = { range: 'A:C', records: [{ Number: 'x' }] };
    assert.match(
      await bot.callRefused('append_records', { ...args, ifRevision: 'abc' }),
      /^ifRevision must be a revision/,
    );
    assert.match(
      await bot.callRefused('append_records', { ...args, title: 'x'.repeat(201) }),
      /^title must not have more than 200 characters/,
    );
    assert.match(
      await bot.callRefused('append_records', { ...args, note: 'x'.repeat(2_001) }),
      /^note must not have more than 2000 characters/,
    );
    assert.match(await bot.callRefused('append_records', { ...args, ifRevision: 7 }), /^Precondition failed/);
    assert.equal(await owner.revision(), '1');
    assert.equal((await bot.call('append_records', { ...args, ifRevision: '1' }))['revision'], 2);
  });

  it('are refused with the error texts of the API', async () => {
    const { bot } = await createOrdersAgent(world);
    const refusals: [string, object, RegExp][] = [
      ['read_range', {}, /^range is required\./],
      ['read_range', { range: 'A1', nope: 1 }, /^unknown field\. This is about nope\./],
      ['read_range', { rnge: 'A1' }, /^unknown field; did you mean range\? This is about rnge\./],
      ['read_range', { range: 'A1', format: 'xml' }, /^format must be one of csv, json, formulas\./],
      ['read_range', { range: 'A1', limit: 0 }, /^limit must be >= 1\./],
      ['write_ranges', { data: [{ values: [[1]] }] }, /^data\.0\.range is required\. Correct/],
      [
        'upsert_records',
        { range: 'A:C', key: ['Number'], records: [{}], onMatch: 'x' },
        /^onMatch must be one of update/,
      ],
    ];
    for (const [tool, args, text] of refusals) assert.match(await bot.callRefused(tool, args), text);
  });

  it('create one proposal per idempotency key', async () => {
    const { owner } = await createOrdersAgent(world);
    const consent = await createConsentAgent(owner);
    const args = { data: [{ range: 'H1', values: [[1]] }], idempotencyKey: 'once' };
    const [first, again] = [await consent.call('write_ranges', args), await consent.call('write_ranges', args)];
    assert.deepEqual(again, first);
    assert.equal((await consent.call('proposals'))['total'], 1);
    const other = { ...args, data: [{ range: 'H1', values: [[2]] }] };
    assert.match(await consent.callRefused('write_ranges', other), /^Idempotency-Key/);
  });
});

it('each call in a body with several messages counts against the quota', async () => {
  // Both requests arrive in the same minute of this clock.
  const at = Date.now();
  const plans = { standard: { agentQuota: { window: 'minute', limit: 2 } } } as const;
  const limitedWorld = await startWorld({ clock: () => at, plans });
  after(() => limitedWorld.close());
  const user = await limitedWorld.createUser('standard');
  const document = await limitedWorld.createDocument(user.id);
  const token = await limitedWorld.createToken(user.id, ['sheets.read', 'sheets.agent.write']);
  const post = async (ids: readonly number[]): Promise<boolean[]> => {
    const params = { name: 'read_range', arguments: { document, range: 'A1' } };
    const { status, text } = await sendHttp(`${limitedWorld.server.address}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify(ids.map((id) => ({ jsonrpc: '2.0', id, method: 'tools/call', params }))),
    });
    assert.equal(status, 200, text);
    return (JSON.parse(text) as { result: { isError?: boolean } }[]).map(({ result }) => result.isError === true);
  };
  assert.deepEqual(await post([1, 2, 3]), [true, true, true]);
  assert.deepEqual(await post([4, 5]), [true, true], 'the quota is used up');
});
