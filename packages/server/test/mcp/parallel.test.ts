import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Api, type Json, memberAt, startWorld, type World } from '../http/support.ts';
import { connectAgent, createOrdersAgent } from './support.ts';

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

async function readFirstColumn(api: Api): Promise<string[]> {
  const cells = (await api.cells('A1:A60')) as unknown as (Json | null)[][];
  return cells.flatMap(([cell]) => (cell == null ? [] : [String(cell['v'])]));
}

describe('parallel calls', () => {
  it('of one agent are each executed once', async () => {
    const { owner, bot } = await createOrdersAgent(world);
    const numbers = Array.from({ length: 15 }, (_, i) => `N-${i}`);
    await Promise.all(
      numbers.flatMap((number, i) => [
        bot.call('append_records', { range: 'A:C', records: [{ Number: number }] }),
        bot.call('upsert_records', { range: 'A:C', key: ['Number'], records: [{ Number: `U-${i}`, Sum: i }] }),
        bot.call('write_ranges', { data: [{ range: `K${i + 1}`, values: [[i]] }] }),
      ]),
    );
    const numbersInCells = (await readFirstColumn(owner)).slice(3).sort();
    assert.deepEqual(numbersInCells, [...numbers, ...numbers.map((_, i) => `U-${i}`)].sort());
    assert.equal(await owner.revision(), '46');
  });

  it('of several users append while others write, without a refusal', async () => {
    const { owner, bot } = await createOrdersAgent(world);
    const agents = [bot];
    for (let i = 0; i < 3; i++)
      agents.push(await connectAgent(world, (await world.addMember(owner.document, 'edit')).api));
    const appends = agents.flatMap((one, a) =>
      Array.from({ length: 4 }, (_, i) =>
        one.call('append_records', { range: 'A:C', records: [{ Number: `${a}-${i}` }] }),
      ),
    );
    const writes = Array.from({ length: 10 }, (_, i) => owner.append('A:C', [[`w-${i}`]]));
    await Promise.all([...appends, ...writes]);
    assert.equal(new Set(await readFirstColumn(owner)).size, 3 + 16 + 10);
  });

  it('with one idempotency key write once', async () => {
    const { owner, bot } = await createOrdersAgent(world);
    const args = { range: 'A:C', records: [{ Number: 'once' }], idempotencyKey: 'same' };
    const answers = await Promise.all([1, 2, 3, 4].map(() => bot.call('append_records', args)));
    assert.equal(answers.filter((answer) => answer['replayed']).length, 3);
    assert.equal(await owner.revision(), '2');
  });
});

describe('a confirmation', () => {
  it('is valid if the first call names the document by title and the second by id', async () => {
    const { owner, bot } = await createOrdersAgent(world);
    const title = String(memberAt((await owner.requestInDocument('GET', '')).body, 'document', 'title'));
    const args = { range: 'A:C', where: { City: 'Oslo' } };
    const { confirm } = (await bot.call('delete_records', { ...args, document: title })) as unknown as {
      confirm: string;
    };
    assert.equal(memberAt(await bot.call('delete_records', { ...args, confirm }), 'deleted', 'deleted'), 1);
  });

  it('of another document is refused, even for the same arguments', async () => {
    const [one, other] = [await createOrdersAgent(world), await createOrdersAgent(world)];
    const args = { range: 'A:C', where: { City: 'Oslo' } };
    const { confirm } = (await one.bot.call('delete_records', args)) as unknown as { confirm: string };
    const text = await one.bot.callRefused('delete_records', { ...args, document: other.owner.document, confirm });
    assert.match(text, /another call\. Nothing was written/);
    assert.equal(await other.owner.revision(), '1');
  });
});

describe('a preview', () => {
  it('of a deleted sheet lists the cells that would disappear', async () => {
    const { owner, bot } = await createOrdersAgent(world);
    await owner.addSheet('Archive');
    await owner.put('Archive!B2', [['x'], [7]]);
    const preview = await bot.call('manage_sheets', { action: 'delete', sheet: 'Archive' });
    assert.deepEqual(preview['changes'], [
      { cell: 'Archive!B2', before: 'x', after: null, deleted: true },
      { cell: 'Archive!B3', before: 7, after: null, deleted: true },
    ]);
    assert.equal(preview['total'], 2);
  });
});

describe('an unreadable formula', () => {
  it('causes a warning', async () => {
    const { bot } = await createOrdersAgent(world);
    const written = await bot.call('write_ranges', { data: [{ range: 'H1', values: [['=SUM(A1,B1)']] }] });
    assert.match(JSON.stringify(written['warnings']), /Sheet1!H1.*;/);
    const calculated = await bot.call('calculate', { formula: 'SUM(A1,B1)' });
    assert.deepEqual(calculated['rows'], [['#ERROR!']]);
    assert.match(String(memberAt(calculated, 'warnings', 0)), /;/);
  });
});
