import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Browser, createPerson, type Person, signInAs } from './browser.ts';
import { type Api, startWorld, type World } from './support.ts';

let world: World;
let anna: Person;
let annaBrowser: Browser;
before(async () => {
  world = await startWorld();
  anna = await createPerson(world);
  annaBrowser = await signInAs(world, anna);
});
after(() => world.close());

async function createBookWithValues(values: Parameters<Api['put']>[1]): Promise<Api> {
  const book = world.apiFor(await world.createToken(String(anna.id)), await world.createDocument(String(anna.id)));
  await book.put('A1', values);
  return book;
}

async function requestStatistics(
  book: Api,
  kind: string,
  ranges: readonly string[],
  browser = annaBrowser,
): Promise<unknown> {
  const search = ranges.map((range) => `ranges[]=${range}`).join('&');
  const { status, body } = await browser.request('GET', `/documents/${book.document}/sheets/Sheet1/${kind}?${search}`);
  return status === 200 ? body[kind] : status;
}

describe('selection statistics', () => {
  it('cover several areas and skip filtered rows', async () => {
    const book = await createBookWithValues([
      ['City', 'Count'],
      ['Riga', 1],
      ['Oslo', 10],
      ['riga', 2],
      ['', '=1/0'],
    ]);
    assert.deepEqual(await requestStatistics(book, 'statistics', ['A1:A5', 'B1:B1048576']), {
      filled: 9,
      numbers: 3,
      sum: 13,
      least: 1,
      greatest: 10,
    });
    assert.equal(await requestStatistics(book, 'distinct', ['A1:B5']), 8);
    await book.post('/structure', {
      operations: [{ setFilter: { range: 'A1:B5', columns: { A: { values: ['Riga'] } } } }],
    });
    assert.deepEqual(await requestStatistics(book, 'statistics', ['B2:B5']), {
      filled: 2,
      numbers: 2,
      sum: 3,
      least: 1,
      greatest: 2,
    });
    assert.equal(await requestStatistics(book, 'distinct', ['A2:A5']), 1);
  });

  it('format dates and times, and omit a sum of numbers and dates', async () => {
    const book = await createBookWithValues([
      ['2026-03-01', '20:00', 5],
      ['2026-01-31', '10:30', 6],
    ]);
    const readFormattedValue = async (cell: string) => (await book.cell(cell))['m'];
    const dates = { least: await readFormattedValue('A2'), greatest: await readFormattedValue('A1') };
    assert.deepEqual(await requestStatistics(book, 'statistics', ['A1:A2']), { filled: 2, numbers: 0, dates });
    const times = {
      sum: '30:30:00',
      average: '15:15:00',
      least: await readFormattedValue('B2'),
      greatest: await readFormattedValue('B1'),
    };
    assert.deepEqual(await requestStatistics(book, 'statistics', ['B1:B2']), { filled: 2, numbers: 0, times });
    const mixed = { filled: 4, numbers: 2, sum: 11, least: 5, greatest: 6 };
    assert.deepEqual(await requestStatistics(book, 'statistics', ['A1:A2', 'C1:C2']), mixed);
  });

  it('are refused for hidden values', async () => {
    const book = await createBookWithValues([[1], [2]]);
    const ben = await createPerson(world);
    await world.share(book.document, String(ben.id), 'edit');
    await book.requestInDocument('PUT', '/sheets/Sheet1/protection', { body: { hideValues: true, lock: false } });
    const benBrowser = await signInAs(world, ben);
    for (const kind of ['statistics', 'distinct'])
      assert.equal(await requestStatistics(book, kind, ['A1:A2'], benBrowser), 403);
    const block = await benBrowser.request('GET', `/documents/${book.document}/sheets/Sheet1/block?range=A1`);
    assert.equal(block.status, 403);
  });
});

describe('the block around a cell', () => {
  const readBlock = async (book: Api, range: string) => {
    const { body } = await annaBrowser.request('GET', `/documents/${book.document}/sheets/Sheet1/block?range=${range}`);
    const { range: blockRange, hasHeader, hasTotal } = (body['block'] ?? {}) as unknown as Record<string, unknown>;
    return [blockRange, hasHeader, hasTotal];
  };

  it('ends at empty rows and columns, and reports its header and total', async () => {
    const book = await createBookWithValues([
      ['Report', '', '', '', ''],
      ['', '', '', '', ''],
      ['City', 'Count', '', 'Other', 1],
      ['Riga', 3, '', '', ''],
      ['Oslo', '', '', '', ''],
      ['Итого', '=SUM(B4:B5)', '', '', ''],
    ]);
    assert.deepEqual(await readBlock(book, 'B5'), ['A3:B6', true, true]);
    assert.deepEqual(await readBlock(book, 'E3'), ['D3:E3', false, false]);
    assert.deepEqual(await readBlock(book, 'A1'), ['A1', false, false]);
    assert.deepEqual(await readBlock(book, 'A4:B5'), ['A4:B5', false, false]);
    assert.deepEqual(await readBlock(book, 'J40'), ['A1:E6', true, true]);
  });

  it('includes all columns of a filter or a table, although one is empty', async () => {
    const book = await createBookWithValues([
      ['Report', '', '', ''],
      ['City', 'Kind', '', 'Count'],
      ['Riga', 'a', '', 3],
      ['Oslo', 'b', '', 4],
    ]);
    assert.deepEqual(await readBlock(book, 'B3'), ['A1:B4', true, false]);
    await book.post('/structure', { operations: [{ setFilter: { range: 'Sheet1!A2:D3' } }] });
    assert.deepEqual(await readBlock(book, 'B3'), ['A2:D4', true, false]);
    assert.deepEqual(await readBlock(book, 'A1'), ['A1:B4', true, false]);
    const operations = [{ deleteFilter: { sheet: 'Sheet1' } }, { setTable: { name: 'Cities', range: 'Sheet1!A2:D4' } }];
    await book.post('/structure', { operations });
    assert.deepEqual(await readBlock(book, 'D4'), ['A2:D4', true, false]);
  });
});
