import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { expectProposal, proposePut } from '../http/proposals-support.ts';
import { type Api, type Json, memberAt, startWorld, type World } from '../http/support.ts';
import { type Agent, connectAgent } from './support.ts';

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

async function createBookAgent(values: unknown[][]): Promise<{ owner: Api; bot: Agent }> {
  const owner = await world.createBook({ title: `Orders ${Math.random()}` });
  if (values.length > 0) await owner.put('A1', values);
  return { owner, bot: await connectAgent(world, owner) };
}

/** Reads all pages of a list in a tool's answers, and checks each page against the total. */
async function readAllPages(
  bot: Agent,
  tool: string,
  args: object,
  listOf: (page: Json) => unknown,
): Promise<unknown[]> {
  const items: unknown[] = [];
  for (let offset: number | null = 0; offset !== null; ) {
    const page: Json = await bot.call(tool, { ...args, offset });
    items.push(...(listOf(page) as unknown[]));
    assert.equal(page['truncated'], items.length < Number(page['total']), `${tool} at ${offset}`);
    offset = page['nextOffset'] as unknown as number | null;
  }
  return items;
}

describe('answers that are incomplete', () => {
  it('are reported by describe_document, which keeps column names complete', async () => {
    const header = `Amount ${'in euro '.repeat(20)}`.trim();
    const { bot } = await createBookAgent([[header], ['n'.repeat(500)]]);
    const description = await bot.call('describe_document');
    const [sheet] = description['sheets'] as unknown as Json[];
    assert.deepEqual(sheet?.['headers'], [header]);
    assert.equal(String(memberAt(sheet, 'sample', 0, 0)).length, 60);
    assert.deepEqual(description['cut'], [{ cell: 'Sheet1!A2', length: 500 }]);
    const wide = await createBookAgent([Array.from({ length: 100 }, (_, i) => `C${i}`)]);
    const [other] = (await wide.bot.call('describe_document'))['sheets'] as unknown as Json[];
    assert.deepEqual([other?.['columns'], other?.['truncated']], [100, true]);
  });

  it('are reported by describe_document, which reads all tables and names page by page', async () => {
    const { owner, bot } = await createBookAgent([]);
    const names = Array.from({ length: 250 }, (_, i) => ({
      setName: { name: `Name_${i}`, refersTo: `=${i}+${'1'.repeat(100)}` },
    }));
    const columns = Array.from({ length: 300 }, (_, i) => `Column ${i} of the table`);
    await owner.put('A1', [columns]);
    const tables = [{ setTable: { name: 'A_wide', range: 'Sheet1!A1:KN2' } }];
    for (let at = 0; at < 60; at++) {
      await owner.put(`A${10 * at + 10}`, [['Number', 'Text that is as long as texts of headings are']]);
      tables.push({ setTable: { name: `Table_${at}`, range: `Sheet1!A${10 * at + 10}:B${10 * at + 12}` } });
    }
    for (const operations of [names.slice(0, 100), names.slice(100, 200), names.slice(200), tables]) {
      const answer = await owner.post('/structure', { operations });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
    }
    const first = await bot.call('describe_document');
    assert.deepEqual([first['tablesTotal'], first['namesTotal']], [61, 250]);
    for (const list of ['tables', 'names']) {
      const body = (await owner.requestInDocument('GET', `/${list}`)).body[list] as unknown as Json[];
      assert.deepEqual(await readAllPages(bot, 'describe_document', { list }, (page) => page[list]), body);
      const shown = first[list] as unknown as Json[];
      assert.equal(first[`${list}NextOffset`], shown.length);
      assert.ok(shown.length > 0);
    }
    const [wide] = first['tables'] as unknown as Json[];
    assert.deepEqual([memberAt(wide, 'name'), memberAt(wide, 'truncated')], ['A_wide', true]);
    const small = await createBookAgent([]);
    const description = await small.bot.call('describe_document');
    assert.deepEqual([description['tablesNextOffset'], description['namesNextOffset']], [undefined, undefined]);
  });

  it('are reported by find, for values that it shortens', async () => {
    const { bot } = await createBookAgent([['needle '.repeat(200)], ['a needle']]);
    const result = await bot.call('find', { text: 'needle' });
    assert.deepEqual(result['cut'], [{ cell: 'Sheet1!A1', length: 1_400 }]);
    assert.deepEqual(memberAt(result, 'matches', 1), { cell: 'Sheet1!A2', value: 'a needle' });
  });

  it('are reported by query_records, for columns that it omits', async () => {
    const names = Array.from({ length: 200 }, (_, i) => `Column ${i} ${'x'.repeat(60)}`);
    const { bot } = await createBookAgent([names, names.map((_, i) => i)]);
    const page = await bot.call('query_records', { range: 'Sheet1', select: [names[0]] });
    assert.deepEqual(
      [memberAt(page, 'records', 0)?.['fields'], page['columnsTotal']],
      [{ [names[0] ?? '']: 0 }, undefined],
    );
    const allColumns = await bot.call('query_records', { range: 'Sheet1' });
    const listed = allColumns['columns'] as unknown as Json[];
    assert.ok(listed.length > 0 && listed.length < 200);
    assert.equal(allColumns['columnsTotal'], 200);
    const wider = await createBookAgent([Array.from({ length: 500 }, (_, i) => `Column ${i} ${'x'.repeat(60)}`), [1]]);
    assert.match(await wider.bot.callRefused('query_records', { range: 'Sheet1' }), /Name the columns .* in select/);
  });

  it('are reported by history, for values and ranges of a revision', async () => {
    const { owner, bot } = await createBookAgent(Array.from({ length: 1_200 }, (_, i) => [i]));
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

  it('are reported by proposals, whose changes are read in pages', async () => {
    const { owner, bot } = await createBookAgent([]);
    const values = Array.from({ length: 120 }, (_, i) => [`row ${i}`]);
    const { id } = await expectProposal(proposePut(owner, 'A1', values));
    const changes = await readAllPages(bot, 'proposals', { id }, (page) => memberAt(page, 'proposals', 0)?.['changes']);
    assert.deepEqual(
      changes.map((change) => (change as Json)['after']),
      values.map(([text]) => text),
    );
    const short = await bot.call('proposals', { id, limit: 3 });
    assert.deepEqual([short['nextOffset'], memberAt(short, 'proposals', 0)?.['truncated']], [3, true]);
  });
});

describe('an empty page', () => {
  it('of a range contains its column names', async () => {
    const { bot } = await createBookAgent([]);
    assert.equal((await bot.call('read_range', { range: 'B:D' }))['csv'], 'row,B,C,D');
    const after = await bot.call('read_range', { range: 'A1', offset: 5 });
    assert.deepEqual([after['csv'], after['range'], after['nextOffset']], ['row,A', 'Sheet1!A1', null]);
  });
});
