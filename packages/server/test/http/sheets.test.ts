import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setSheetHidden } from '../../src/service/operator/sheets.ts';
import { memberAt, startWorld, type World } from './support.ts';

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

const createExpectedSheet = (name: string, order: number, hidden = false) => ({ name, hidden, order, color: null });

describe('sheets', () => {
  it('are added last, with the first free number as default name', async () => {
    const book = await world.createBook();
    assert.deepEqual((await book.sheets()).body, { sheets: [createExpectedSheet('Sheet1', 0)] });
    const added = await book.addSheet();
    assert.deepEqual([added.status, added.body], [200, { sheet: createExpectedSheet('Sheet2', 1) }]);
    await book.addSheet('Sheet4');
    // The smallest free number above the number of sheets (3) is 5, because 4 is used.
    assert.deepEqual((await book.addSheet()).body, { sheet: createExpectedSheet('Sheet5', 3) });
    const bare = await book.requestInDocument('POST', '/sheets');
    assert.deepEqual([bare.status, bare.body], [200, { sheet: createExpectedSheet('Sheet6', 4) }]);
  });

  it('have default names in the language of the document', async () => {
    const book = await world.createBook({ locale: 'ru-RU' });
    assert.deepEqual((await book.addSheet()).body, { sheet: createExpectedSheet('Лист2', 1) });
  });

  it('accept trimmed names of 1 to 255 characters without control characters', async () => {
    const book = await world.createBook();
    assert.deepEqual((await book.addSheet('  Data  ')).body, { sheet: createExpectedSheet('Data', 1) });
    assert.equal((await book.addSheet('🙂'.repeat(255))).status, 200);
    for (const name of ['', '   ', '🙂'.repeat(256), 'a\nb', 'a\u0000', 'a\u0085b']) {
      const { status, body } = await book.addSheet(name);
      assert.deepEqual([status, Object.keys(memberAt(body, 'errors'))], [422, ['name']], JSON.stringify(name));
    }
    const wrongType = await book.post('/sheets', { name: 5 });
    assert.deepEqual([wrongType.status, wrongType.body['message']], [422, 'name must be string']);
  });

  it('have unique names, ignoring case', async () => {
    const book = await world.createBook();
    await book.addSheet('Données');
    for (const name of ['données', 'DONNÉES', ' Données ']) {
      const { status, body } = await book.addSheet(name);
      assert.deepEqual([status, body], [422, { message: 'Sheet name already taken' }], name);
    }
    assert.equal((await book.renameSheet('Sheet1', 'données')).body['message'], 'Sheet name already taken');
    // A sheet may keep its name or change its case.
    assert.deepEqual((await book.renameSheet('données', 'DONNÉES')).body, { sheet: createExpectedSheet('DONNÉES', 1) });
    assert.equal((await book.renameSheet('DONNÉES', 'DONNÉES')).status, 200);
  });

  it('update formulas when renamed, and leave #REF! when deleted', async () => {
    const book = await world.createBook();
    await book.addSheet('Data');
    await book.put('Data!A1', [[7]]);
    await book.put('A1', [['=Data!A1']]);
    await book.renameSheet('data', 'New data');
    assert.deepEqual(await book.cell('A1'), { v: 7, m: '7', f: "='New data'!A1" });
    const deletion = await book.deleteSheet('new DATA');
    assert.deepEqual([deletion.status, deletion.body], [200, { deleted: createExpectedSheet('New data', 1) }]);
    assert.equal((await book.cell('A1'))['v'], '#REF!');
  });

  it('appear with their current name in cached pages', async () => {
    const book = await world.createBook();
    await book.addSheet('Data');
    await book.put('Data!A1', [[7]]);
    await book.put('A1', [['=IFERROR(Data!A1;7)']]);
    assert.deepEqual(await book.cell('A1'), { v: 7, m: '7', f: '=IFERROR(Data!A1;7)' });
    await book.renameSheet('Data', 'Facts');
    assert.deepEqual(await book.cell('A1'), { v: 7, m: '7', f: '=IFERROR(Facts!A1;7)' });
    await book.deleteSheet('Facts');
    assert.deepEqual(await book.cell('A1'), { v: 7, m: '7', f: '=IFERROR(#REF!;7)' });
  });

  it('have consecutive positions', async () => {
    const book = await world.createBook();
    for (const name of ['B', 'C']) await book.addSheet(name);
    await book.deleteSheet('B');
    assert.deepEqual((await book.sheets()).body, {
      sheets: [createExpectedSheet('Sheet1', 0), createExpectedSheet('C', 1)],
    });
  });

  it('cannot all be deleted, and one must stay visible', async () => {
    const book = await world.createBook();
    assert.equal((await book.deleteSheet('Sheet1')).status, 422);
    await book.addSheet('Hidden');
    await setSheetHidden(world.server.service.context, { document: book.document, sheet: 'Hidden', hidden: true });
    assert.deepEqual(memberAt((await book.sheets()).body, 'sheets')[1], createExpectedSheet('Hidden', 1, true));
    assert.equal((await book.deleteSheet('Sheet1')).status, 422);
    // Hidden sheets are readable and writable; `hidden` affects the user interface only.
    assert.equal((await book.put('Hidden!A1', [[1]])).status, 200);
    assert.deepEqual(await book.cell('Hidden!A1'), { v: 1, m: '1' });
  });

  it('are not found under an unknown name', async () => {
    const book = await world.createBook();
    for (const answer of [await book.renameSheet('Nope', 'X'), await book.deleteSheet('Nope')]) {
      assert.deepEqual([answer.status, answer.body], [404, { message: 'Sheet not found' }]);
    }
    // The body is validated first.
    assert.equal((await book.renameSheet('Nope', '')).status, 422);
    assert.equal((await book.requestInDocument('PATCH', '/sheets/Nope', { body: {} })).status, 422);
  });

  it('are addressed by names with any characters', async () => {
    const book = await world.createBook();
    for (const name of ['100%', 'a b', 'Ünïcödé', '%41', 'batchGet']) {
      await book.addSheet(name);
      assert.equal((await book.renameSheet(name, `${name}!`)).status, 200, name);
      assert.equal((await book.deleteSheet(`${name}!`)).status, 200, name);
    }
  });
});
