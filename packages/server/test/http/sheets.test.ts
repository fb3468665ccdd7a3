import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setSheetHidden } from '../../src/service/operator/sheets.ts';
import { startWorld, type World } from './support.ts';

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

const sheet = (name: string, order: number, hidden = false) => ({ name, hidden, order, color: null });

describe('sheets', () => {
  it('are added last, under the first free number without a name', async () => {
    const book = await world.book();
    assert.deepEqual((await book.sheets()).body, { sheets: [sheet('Sheet1', 0)] });
    const added = await book.addSheet();
    assert.deepEqual([added.status, added.body], [200, { sheet: sheet('Sheet2', 1) }]);
    await book.addSheet('Sheet4');
    // The smallest free number greater than the number of sheets (3): 5, as 4 is taken.
    assert.deepEqual((await book.addSheet()).body, { sheet: sheet('Sheet5', 3) });
    const bare = await book.here('POST', '/sheets');
    assert.deepEqual([bare.status, bare.body], [200, { sheet: sheet('Sheet6', 4) }]);
  });

  it('are named in the language of the document', async () => {
    const book = await world.book({ locale: 'ru-RU' });
    assert.deepEqual((await book.addSheet()).body, { sheet: sheet('Лист2', 1) });
  });

  it('take names of 1 to 255 characters without control characters, trimmed', async () => {
    const book = await world.book();
    assert.deepEqual((await book.addSheet('  Data  ')).body, { sheet: sheet('Data', 1) });
    assert.equal((await book.addSheet('🙂'.repeat(255))).status, 200);
    for (const name of ['', '   ', '🙂'.repeat(256), 'a\nb', 'a\u0000', 'a\u0085b']) {
      const { status, body } = await book.addSheet(name);
      assert.deepEqual([status, Object.keys(body['errors'])], [422, ['name']], JSON.stringify(name));
    }
    const wrongType = await book.post('/sheets', { name: 5 });
    assert.deepEqual([wrongType.status, wrongType.body['message']], [422, 'name must be string']);
  });

  it('are unique, whatever the case', async () => {
    const book = await world.book();
    await book.addSheet('Données');
    for (const name of ['données', 'DONNÉES', ' Données ']) {
      const { status, body } = await book.addSheet(name);
      assert.deepEqual([status, body], [422, { message: 'Sheet name already taken' }], name);
    }
    assert.equal((await book.renameSheet('Sheet1', 'données')).body['message'], 'Sheet name already taken');
    // Its own name, or another case of it, is free for the sheet itself.
    assert.deepEqual((await book.renameSheet('données', 'DONNÉES')).body, { sheet: sheet('DONNÉES', 1) });
    assert.equal((await book.renameSheet('DONNÉES', 'DONNÉES')).status, 200);
  });

  it('take their formulas along when renamed, and leave #REF! when deleted', async () => {
    const book = await world.book();
    await book.addSheet('Data');
    await book.put('Data!A1', [[7]]);
    await book.put('A1', [['=Data!A1']]);
    await book.renameSheet('data', 'New data');
    assert.deepEqual(await book.cell('A1'), { v: 7, m: '7', f: "='New data'!A1" });
    const gone = await book.deleteSheet('new DATA');
    assert.deepEqual([gone.status, gone.body], [200, { deleted: sheet('New data', 1) }]);
    assert.equal((await book.cell('A1'))['v'], '#REF!');
  });

  it('are named as they are called now in pages that were read before', async () => {
    const book = await world.book();
    await book.addSheet('Data');
    await book.put('Data!A1', [[7]]);
    await book.put('A1', [['=IFERROR(Data!A1;7)']]);
    assert.deepEqual(await book.cell('A1'), { v: 7, m: '7', f: '=IFERROR(Data!A1;7)' });
    await book.renameSheet('Data', 'Facts');
    assert.deepEqual(await book.cell('A1'), { v: 7, m: '7', f: '=IFERROR(Facts!A1;7)' });
    await book.deleteSheet('Facts');
    assert.deepEqual(await book.cell('A1'), { v: 7, m: '7', f: '=IFERROR(#REF!;7)' });
  });

  it('stay in a contiguous order', async () => {
    const book = await world.book();
    for (const name of ['B', 'C']) await book.addSheet(name);
    await book.deleteSheet('B');
    assert.deepEqual((await book.sheets()).body, { sheets: [sheet('Sheet1', 0), sheet('C', 1)] });
  });

  it('cannot all be deleted, nor the last visible one', async () => {
    const book = await world.book();
    assert.equal((await book.deleteSheet('Sheet1')).status, 422);
    await book.addSheet('Hidden');
    await setSheetHidden(world.server.service.context, { document: book.document, sheet: 'Hidden', hidden: true });
    assert.deepEqual((await book.sheets()).body['sheets'][1], sheet('Hidden', 1, true));
    assert.equal((await book.deleteSheet('Sheet1')).status, 422);
    // Hidden is a matter of the user interface: it is read and written like any other.
    assert.equal((await book.put('Hidden!A1', [[1]])).status, 200);
    assert.deepEqual(await book.cell('Hidden!A1'), { v: 1, m: '1' });
  });

  it('that are not there are 404', async () => {
    const book = await world.book();
    for (const answer of [await book.renameSheet('Nope', 'X'), await book.deleteSheet('Nope')]) {
      assert.deepEqual([answer.status, answer.body], [404, { message: 'Sheet not found' }]);
    }
    // What is wrong with the body comes first.
    assert.equal((await book.renameSheet('Nope', '')).status, 422);
    assert.equal((await book.here('PATCH', '/sheets/Nope', { body: {} })).status, 422);
  });

  it('are reached by names with any characters', async () => {
    const book = await world.book();
    for (const name of ['100%', 'a b', 'Ünïcödé', '%41', 'batchGet']) {
      await book.addSheet(name);
      assert.equal((await book.renameSheet(name, `${name}!`)).status, 200, name);
      assert.equal((await book.deleteSheet(`${name}!`)).status, 200, name);
    }
  });
});
