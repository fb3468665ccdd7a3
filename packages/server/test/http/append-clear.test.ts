import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { memberAt, startWorld, type World } from './support.ts';

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

describe('append', () => {
  it('writes below the last filled row of the whole sheet, from the column of the range', async () => {
    const book = await world.createBook();
    await book.put('A1', [[1], [2]]);
    await book.put('D5', [['lower, in another column']]);
    const { status, body } = await book.append('B2:C3', [
      ['x', 'y'],
      ['z', null],
    ]);
    assert.equal(status, 200);
    assert.deepEqual(body, {
      updated: {
        sheet: 'Sheet1',
        startRow: 6,
        updatedRange: 'Sheet1!B6:C7',
        updatedRows: 2,
        updatedColumns: 2,
        updatedCells: 3,
        cells: 3,
      },
    });
  });

  it('starts in the first row of an empty sheet', async () => {
    const book = await world.createBook();
    for (const [range, updatedRange] of [
      ['A1', 'Sheet1!A1'],
      ['C7', 'Sheet1!C2'],
      ['B:D', 'Sheet1!B3'],
      ['5:9', 'Sheet1!A4'],
      ['Sheet1', 'Sheet1!A5'],
      ["'Sheet1'!E1", 'Sheet1!E6'],
    ] as const) {
      assert.equal(memberAt((await book.append(range, [[1]])).body, 'updated')['updatedRange'], updatedRange, range);
    }
  });

  it('counts empty formula results and spilled cells as filled, but not number formats', async () => {
    const book = await world.createBook();
    await book.put('A1', [['=""']]);
    assert.equal(memberAt((await book.append('A1', [[1]])).body, 'updated')['startRow'], 2);
    await book.put('B1', [['=SEQUENCE(5)']]);
    assert.equal(memberAt((await book.append('A1', [[1]])).body, 'updated')['startRow'], 6);
    await book.put('C20', [['31.12.2026']]);
    await book.clear('C20');
    assert.equal(memberAt((await book.append('A1', [[1]])).body, 'updated')['startRow'], 7);
  });

  it('transposes values with majorDimension COLUMNS', async () => {
    const book = await world.createBook();
    const { body } = await book.append('A1', [[1, 2, 3]], { major: 'COLUMNS' });
    assert.equal(memberAt(body, 'updated')['updatedRange'], 'Sheet1!A1:A3');
  });

  it('never writes two requests to the same row', async () => {
    const book = await world.createBook();
    const answers = await Promise.all(Array.from({ length: 30 }, (_, index) => book.append('A1', [[index]])));
    const rows = answers.map(({ body }) => Number(memberAt(body, 'updated')['startRow']));
    assert.deepEqual(
      rows.toSorted((a, b) => a - b),
      Array.from({ length: 30 }, (_, index) => index + 1),
    );
  });

  it('refuses values that exceed the grid', async () => {
    const book = await world.createBook();
    assert.equal((await book.append('XFD1', [[1, 2]])).body['message'], 'Invalid range');
    await book.put('A1048576', [[1]]);
    const problem =
      'the rows do not fit below the last filled row, because a sheet has 1048576 rows; clear or delete rows at its end';
    const { status, body } = await book.append('A1', [[1]]);
    assert.deepEqual(
      [status, body, await book.revision()],
      [422, { message: 'Invalid range', errors: { range: [problem] } }, '1'],
    );
    await book.put('A1', [['Number']]);
    const appended = await book.post('/records/append', { range: 'Sheet1', records: [{ Number: 1 }] });
    assert.deepEqual([appended.status, appended.body], [422, body]);
  });
});

describe('clear', () => {
  it('removes filled cells only and counts them', async () => {
    const book = await world.createBook();
    await book.put('A1', [
      [1, '=A1', 'x'],
      [null, 2, null],
    ]);
    for (const [range, cells] of [
      ['C1:Z9', 1],
      ['B:B', 2],
      ['1:1', 1],
      ['A1:Z99', 0],
      ['Sheet1', 0],
    ] as const) {
      const { status, body } = await book.clear(range);
      assert.deepEqual([status, body], [200, { updated: { sheet: 'Sheet1', cells } }], range);
    }
  });

  it('keeps number formats', async () => {
    const book = await world.createBook();
    await book.put('A1', [['31.12.2026']]);
    await book.clear('A1');
    await book.put('A1', [[46387]]);
    assert.equal((await book.cell('A1'))['t'], 'd');
  });

  it('does not clear a spilled cell; clearing the anchor clears the whole spill', async () => {
    const book = await world.createBook();
    await book.put('A1', [['=SEQUENCE(3)']]);
    assert.equal(memberAt((await book.clear('A2')).body, 'updated')['cells'], 0);
    assert.deepEqual(await book.cell('A2'), { v: 2, m: '2' });
    await book.clear('A1');
    assert.equal(await book.cell('A2'), null);
  });
});
