import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { expectProposal, proposePut } from '../http/proposals-support.ts';
import { type Api, type Json, startWorld, type World } from '../http/support.ts';
import { type Agent, agent } from './support.ts';

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

async function setting(values: unknown[][]): Promise<{ owner: Api; bot: Agent }> {
  const owner = await world.book({ title: `Orders ${Math.random()}` });
  if (values.length > 0) await owner.put('A1', values);
  return { owner, bot: await agent(world, owner) };
}

/** All pages of a list in the answers of a tool, each page checked against the total. */
async function pages(bot: Agent, tool: string, args: object, listOf: (page: Json) => unknown): Promise<unknown[]> {
  const seen: unknown[] = [];
  for (let offset: number | null = 0; offset !== null; ) {
    const page: Json = await bot.call(tool, { ...args, offset });
    seen.push(...(listOf(page) as unknown[]));
    assert.equal(page['truncated'], seen.length < Number(page['total']), `${tool} at ${offset}`);
    offset = page['nextOffset'] as unknown as number | null;
  }
  return seen;
}

describe('what is missing in an answer is announced', () => {
  it('by the description of a sheet, which keeps the complete names of its columns', async () => {
    const header = `Amount ${'in euro '.repeat(20)}`.trim();
    const { bot } = await setting([[header], ['n'.repeat(500)]]);
    const about = await bot.call('describe_document');
    const [sheet] = about['sheets'] as unknown as Json[];
    assert.deepEqual(sheet?.['headers'], [header]);
    assert.equal(String(sheet?.['sample'][0]?.[0]).length, 60);
    assert.deepEqual(about['cut'], [{ cell: 'Sheet1!A2', length: 500 }]);
    const wide = await setting([Array.from({ length: 100 }, (_, i) => `C${i}`)]);
    const [other] = (await wide.bot.call('describe_document'))['sheets'] as unknown as Json[];
    assert.deepEqual([other?.['columns'], other?.['truncated']], [100, true]);
  });

  it('by a search, for values that it shortens', async () => {
    const { bot } = await setting([['needle '.repeat(200)], ['a needle']]);
    const found = await bot.call('find', { text: 'needle' });
    assert.deepEqual(found['cut'], [{ cell: 'Sheet1!A1', length: 1_400 }]);
    assert.deepEqual(found['matches'][1], { cell: 'Sheet1!A2', value: 'a needle' });
  });

  it('by a query, for columns that it does not list', async () => {
    const names = Array.from({ length: 200 }, (_, i) => `Column ${i} ${'x'.repeat(60)}`);
    const { bot } = await setting([names, names.map((_, i) => i)]);
    const page = await bot.call('query_records', { range: 'Sheet1', select: [names[0]] });
    assert.deepEqual([page['records'][0]?.['fields'], page['columnsTotal']], [{ [names[0] ?? '']: 0 }, undefined]);
    const every = await bot.call('query_records', { range: 'Sheet1' });
    const listed = every['columns'] as unknown as Json[];
    assert.ok(listed.length > 0 && listed.length < 200);
    assert.equal(every['columnsTotal'], 200);
    const wider = await setting([Array.from({ length: 500 }, (_, i) => `Column ${i} ${'x'.repeat(60)}`), [1]]);
    assert.match(await wider.bot.refused('query_records', { range: 'Sheet1' }), /Name the columns .* in select/);
  });

  it('by the history, for the values of a revision and its ranges', async () => {
    const { owner, bot } = await setting(Array.from({ length: 1_200 }, (_, i) => [i]));
    const changes: unknown[] = [];
    for (let offset: number | null = 0; offset !== null; ) {
      const page: Json = await bot.call('history', { of: 1, offset });
      assert.deepEqual([page['total'], page['truncated']], [1_200, true]);
      changes.push(...(page['changes'] as unknown as unknown[]));
      offset = page['nextOffset'] as unknown as number | null;
    }
    assert.equal(changes.length, 1_000);
    await owner.batchUpdate(Array.from({ length: 12 }, (_, i) => ({ range: `D${2 * i + 1}`, values: [[i]] })));
    const [last] = (await bot.call('history', { limit: 1 }))['revisions'] as unknown as Json[];
    assert.deepEqual([(last?.['ranges'] as unknown as string[] | undefined)?.length, last?.['truncated']], [10, true]);
  });

  it('by a proposal, whose changes are read page by page', async () => {
    const { owner, bot } = await setting([]);
    const values = Array.from({ length: 120 }, (_, i) => [`row ${i}`]);
    const { id } = await expectProposal(proposePut(owner, 'A1', values));
    const changes = await pages(bot, 'proposals', { id }, (page) => page['proposals'][0]?.['changes']);
    assert.deepEqual(
      changes.map((change) => (change as Json)['after']),
      values.map(([text]) => text),
    );
    const short = await bot.call('proposals', { id, limit: 3 });
    assert.deepEqual([short['nextOffset'], short['proposals'][0]?.['truncated']], [3, true]);
  });
});

describe('an empty page', () => {
  it('of a range has the names of its columns', async () => {
    const { bot } = await setting([]);
    assert.equal((await bot.call('read_range', { range: 'B:D' }))['csv'], 'row,B,C,D');
    const after = await bot.call('read_range', { range: 'A1', offset: 5 });
    assert.deepEqual([after['csv'], after['range'], after['nextOffset']], ['row,A', 'Sheet1!A1', null]);
  });
});
