import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { memberAt, startWorld, type World } from './support.ts';

let world: World;
before(async () => {
  world = await startWorld({ limits: { calculationCells: 20_000 } });
});
after(() => world.close());

describe('formulas', () => {
  it('are returned in the form that a write accepts', async () => {
    const book = await world.createBook({ locale: 'ru-RU' });
    const cases: readonly [typed: string, f: string, v: unknown][] = [
      ['=sum(1,5;2)', '=SUM(1,5;2)', 3.5],
      ['=SUM({1\\2;3\\4})', '=SUM({1\\2;3\\4})', 10],
      ['=IF(TRUE;"a,b";"c;d")', '=IF(TRUE;"a,b";"c;d")', 'a,b'],
      ["='Sheet 2'!A1+1", "='Sheet 2'!A1+1", 42],
      ['=-2^2', '=-2^2', 4],
    ];
    await book.addSheet('Sheet 2');
    await book.put("'Sheet 2'!A1", [[41]]);
    for (const [typed, f, v] of cases) {
      await book.put('A1', [[typed]]);
      const cell = await book.cell('A1');
      assert.deepEqual([cell['f'], cell['v']], [f, v], typed);
      await book.put('A1', [[f]]);
      assert.deepEqual(await book.cell('A1'), cell, typed);
    }
  });

  it('are recalculated when their inputs change', async () => {
    const book = await world.createBook();
    await book.put('A1', [[1, '=A1*10', '=B1+1']]);
    await book.put('A1', [[5]]);
    assert.deepEqual(await book.cell('C1'), { v: 51, m: '51', f: '=B1+1' });
  });

  it('with errors show the error code as value and text', async () => {
    const book = await world.createBook();
    const cases: readonly [formula: string, code: string][] = [
      ['=1/0', '#DIV/0!'],
      ['=NA()', '#N/A'],
      ['=NOSUCHFUNCTION(1)', '#NAME?'],
      ['=SQRT(-1)', '#NUM!'],
      ['="a"+1', '#VALUE!'],
      ['=Nope!A1', '#REF!'],
    ];
    for (const [formula, code] of cases) {
      assert.equal((await book.put('A1', [[formula]])).status, 200, formula);
      const cell = await book.cell('A1');
      assert.deepEqual([cell['v'], cell['m'], memberAt(cell, 'error')['code']], [code, code, code], formula);
    }
  });

  it('in a cycle are #REF!, including dependent formulas', async () => {
    const book = await world.createBook();
    await book.put('A1', [['=B1', '=A1', '=B1+1']]);
    const [row] = (await book.cells('A1:C1')) as unknown as { v: unknown }[][];
    assert.deepEqual(
      row?.map((cell) => cell.v),
      ['#REF!', '#REF!', '#REF!'],
    );
  });

  it('with syntax errors are stored, with a warning and advice', async () => {
    const book = await world.createBook();
    await book.addSheet("It's");
    const { status, body } = await book.put("'It''s'!B2", [['=SUM(A1,A2)', '=1+1']]);
    assert.equal(status, 200);
    assert.deepEqual(body['warnings'], [
      { cell: "'It''s'!B2", message: 'use `;` between arguments and a decimal comma, or send "inputLocale": "en-US"' },
    ]);
    const cell = await book.cell("'It''s'!B2");
    assert.deepEqual([cell['v'], cell['f'], memberAt(cell, 'error')['code']], ['#ERROR!', '=SUM(A1,A2)', '#ERROR!']);
  });

  it('spill, are blocked by a value, and spill again', async () => {
    const book = await world.createBook();
    await book.put('A1', [['=SEQUENCE(3)']]);
    assert.deepEqual(await book.cell('A3'), { v: 3, m: '3' });
    await book.put('A2', [['in the way']]);
    assert.equal((await book.cell('A1'))['v'], '#SPILL!');
    await book.clear('A2');
    assert.deepEqual(await book.cells('A1:A3'), [
      [{ v: 1, m: '1', f: '=SEQUENCE(3)' }],
      [{ v: 2, m: '2' }],
      [{ v: 3, m: '3' }],
    ]);
  });

  it('keep the date type', async () => {
    const book = await world.createBook({ locale: 'ru-RU' });
    await book.put('A1', [['31.12.2026', '=A1+1', '=B1-A1', '=DATE(2026;1;2)']]);
    assert.deepEqual((await book.cell('B1'))['m'], '01.01.2027');
    assert.deepEqual(await book.cell('C1'), { v: 1, m: '1', f: '=B1-A1' });
    assert.equal((await book.cell('D1'))['t'], 'd');
  });

  it('nested beyond the limit are refused with the limit and the cell', async () => {
    const book = await world.createBook();
    for (const nestedFormula of [
      `=${'-'.repeat(4000)}1`,
      `=B1${'#'.repeat(3000)}`,
      `=${'('.repeat(257)}1${')'.repeat(257)}`,
    ]) {
      const { status, body } = await book.put('A1', [[1], [nestedFormula]]);
      const message = 'A formula may be nested 256 levels deep at most, and that of Sheet1!A2 is deeper';
      assert.deepEqual([status, body], [422, { message, errors: { values: [message] } }]);
    }
    assert.deepEqual(await book.cell('A1'), null);
    assert.equal((await book.put('A1', [[`=1${'+1'.repeat(4000)}`]])).status, 200);
    assert.equal((await book.cell('A1'))['v'], 4001);
  });

  it('over the calculation limit are refused without writing anything', async () => {
    const book = await world.createBook();
    await book.put('A1', [[1]]);
    const { status, body } = await book.put('B1', [['=SUM(SEQUENCE(300;300))'], ['x']]);
    assert.deepEqual([status, body], [422, { message: 'Calculation limit exceeded' }]);
    assert.deepEqual([await book.revision(), await book.cell('B2')], ['1', null]);
  });
});
