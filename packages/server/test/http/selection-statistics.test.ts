import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Browser, type Person, person, signedIn } from './browser.ts';
import { type Api, startWorld, type World } from './support.ts';

let world: World;
let anna: Person;
let annas: Browser;
before(async () => {
  world = await startWorld();
  anna = await person(world);
  annas = await signedIn(world, anna);
});
after(() => world.close());

async function bookOf(values: Parameters<Api['put']>[1]): Promise<Api> {
  const book = world.api(await world.token(String(anna.id)), await world.document(String(anna.id)));
  await book.put('A1', values);
  return book;
}

async function ask(book: Api, what: string, ranges: readonly string[], who = annas): Promise<unknown> {
  const search = ranges.map((range) => `ranges[]=${range}`).join('&');
  const { status, body } = await who.ask('GET', `/documents/${book.document}/sheets/Sheet1/${what}?${search}`);
  return status === 200 ? body[what] : status;
}

describe('what a selection holds', () => {
  it('is counted over several areas, without rows that the filter hides', async () => {
    const book = await bookOf([
      ['City', 'Count'],
      ['Riga', 1],
      ['Oslo', 10],
      ['riga', 2],
      ['', '=1/0'],
    ]);
    assert.deepEqual(await ask(book, 'statistics', ['A1:A5', 'B1:B1048576']), {
      filled: 9,
      numbers: 3,
      sum: 13,
      least: 1,
      greatest: 10,
    });
    assert.equal(await ask(book, 'distinct', ['A1:B5']), 8);
    await book.post('/structure', {
      operations: [{ setFilter: { range: 'A1:B5', columns: { A: { values: ['Riga'] } } } }],
    });
    assert.deepEqual(await ask(book, 'statistics', ['B2:B5']), {
      filled: 2,
      numbers: 2,
      sum: 3,
      least: 1,
      greatest: 2,
    });
    assert.equal(await ask(book, 'distinct', ['A2:A5']), 1);
  });

  it('shows dates as dates and times as times, and no sum of numbers and dates', async () => {
    const book = await bookOf([
      ['2026-03-01', '20:00', 5],
      ['2026-01-31', '10:30', 6],
    ]);
    const shown = async (cell: string) => (await book.cell(cell))['m'];
    const dates = { least: await shown('A2'), greatest: await shown('A1') };
    assert.deepEqual(await ask(book, 'statistics', ['A1:A2']), { filled: 2, numbers: 0, dates });
    const times = { sum: '30:30:00', average: '15:15:00', least: await shown('B2'), greatest: await shown('B1') };
    assert.deepEqual(await ask(book, 'statistics', ['B1:B2']), { filled: 2, numbers: 0, times });
    const mixed = { filled: 4, numbers: 2, sum: 11, least: 5, greatest: 6 };
    assert.deepEqual(await ask(book, 'statistics', ['A1:A2', 'C1:C2']), mixed);
  });

  it('is told to nobody from whom the values are hidden', async () => {
    const book = await bookOf([[1], [2]]);
    const ben = await person(world);
    await world.share(book.document, String(ben.id), 'edit');
    await book.here('PUT', '/sheets/Sheet1/protection', { body: { hideValues: true, lock: false } });
    const bens = await signedIn(world, ben);
    for (const what of ['statistics', 'distinct']) assert.equal(await ask(book, what, ['A1:A2'], bens), 403);
    const block = await bens.ask('GET', `/documents/${book.document}/sheets/Sheet1/block?range=A1`);
    assert.equal(block.status, 403);
  });
});

describe('the block around a cell', () => {
  const block = async (book: Api, range: string) => {
    const { body } = await annas.ask('GET', `/documents/${book.document}/sheets/Sheet1/block?range=${range}`);
    const { range: found, hasHeader, hasTotal } = (body['block'] ?? {}) as unknown as Record<string, unknown>;
    return [found, hasHeader, hasTotal];
  };

  it('ends at empty rows and columns, and tells its header and total', async () => {
    const book = await bookOf([
      ['Report', '', '', '', ''],
      ['', '', '', '', ''],
      ['City', 'Count', '', 'Other', 1],
      ['Riga', 3, '', '', ''],
      ['Oslo', '', '', '', ''],
      ['Итого', '=SUM(B4:B5)', '', '', ''],
    ]);
    assert.deepEqual(await block(book, 'B5'), ['A3:B6', true, true]);
    assert.deepEqual(await block(book, 'E3'), ['D3:E3', false, false]);
    assert.deepEqual(await block(book, 'A1'), ['A1', false, false]);
    assert.deepEqual(await block(book, 'A4:B5'), ['A4:B5', false, false]);
    assert.deepEqual(await block(book, 'J40'), ['A1:E6', true, true]);
  });
});
