import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { memberAt, startWorld, type World } from './support.ts';

let world: World;
before(async () => {
  // One limit is above the engine's own, the other below.
  world = await startWorld({ limits: { maxStringLength: 50_100, maxFormulaLength: 50 } });
});
after(() => world.close());

describe('a single write', () => {
  it('returns the figures of the contract', async () => {
    const book = await world.createBook();
    const { status, body } = await book.put('B2:Z99', [[1, 'two', null, ''], [true]]);
    assert.equal(status, 200);
    assert.deepEqual(body, {
      updated: {
        sheet: 'Sheet1',
        updatedRange: 'Sheet1!B2:E3',
        updatedRows: 2,
        updatedColumns: 4,
        updatedCells: 4,
        cells: 4,
      },
    });
  });

  it('takes its shape from the values, not from the range', async () => {
    const book = await world.createBook();
    // The example of the contract: a 1×3 matrix in A1:A3 writes A1:C1.
    const { body } = await book.put('A1:A3', [[1, 2, 3]]);
    assert.equal(memberAt(body, 'updated')['updatedRange'], 'Sheet1!A1:C1');
    const transposed = await book.put('A1', [[1, 2, 3]], { major: 'COLUMNS' });
    assert.deepEqual(
      [memberAt(transposed.body, 'updated')['updatedRange'], memberAt(transposed.body, 'updated')['updatedRows']],
      ['Sheet1!A1:A3', 3],
    );
    assert.deepEqual(await book.cell('A3'), { v: 3, m: '3' });
  });

  it('skips null and missing cells, and clears cells for an empty text', async () => {
    for (const mode of ['RAW', 'USER_ENTERED'] as const) {
      const book = await world.createBook();
      await book.put('A1', [
        [1, 2, 3],
        [4, 5, 6],
      ]);
      await book.put('A1', [[null, '', 9], [7]], { mode });
      const numbers = (await book.cells('A1:C2')) as unknown as ({ v: unknown } | null)[][];
      assert.deepEqual(
        numbers.map((row) => row.map((cell) => cell?.v ?? null)),
        [
          [1, null, 9],
          [7, 5, 6],
        ],
        mode,
      );
    }
  });

  it('without values creates a revision without cells', async () => {
    const book = await world.createBook();
    const { status, body } = await book.put('A1', [[null, null]]);
    assert.deepEqual(
      [status, memberAt(body, 'updated')['updatedRange'], memberAt(body, 'updated')['cells']],
      [200, 'Sheet1!A1:B1', 0],
    );
    assert.equal(await book.revision(), '1');
  });

  it('quotes the sheet name if needed', async () => {
    const book = await world.createBook();
    await book.addSheet("It's new");
    const { body } = await book.put("'It''s new'!A1", [[1]]);
    assert.equal(memberAt(body, 'updated')['updatedRange'], "'It''s new'!A1");
    assert.equal(memberAt(body, 'updated')['sheet'], "It's new");
  });
});

describe('input', () => {
  it('is stored unchanged with RAW', async () => {
    const book = await world.createBook();
    const texts = ['=A1', '1,5', "'x", 'TRUE', '01.02.2026', ' 5 '];
    await book.put('A1', [[...texts, 1.5, true]], { mode: 'RAW' });
    const [row] = (await book.cells('A1:H1')) as unknown as { v: unknown; f?: string }[][];
    assert.deepEqual(
      row?.map((cell) => cell.v),
      [...texts, 1.5, true],
    );
    assert.equal(row?.[0]?.f, undefined);
  });

  it('is parsed with USER_ENTERED as if it were typed', async () => {
    const cases: readonly [typed: string | number | boolean, v: unknown, t?: 'd'][] = [
      ['1,5', 1.5],
      ['-1 234,5', -1234.5],
      ['1\u00a0234,5', 1234.5],
      ['1\u202f234,5', 1234.5],
      ['1234.5', '1234.5'],
      ['1,5e3', 1500],
      ['2E-2', 0.02],
      ['12E4', '12E4'],
      ['1,000', 1],
      ['1,00 ₽', 1],
      ['1,000 ₽', '1,000 ₽'],
      ['50%', 0.5],
      ['007', '007'],
      ['1234567890123456', '1234567890123456'],
      ['+79991234567', '+79991234567'],
      ["'5", '5'],
      ['TRUE', true],
      ['false', false],
      ['ИСТИНА', true],
      ['31.12.2026', 46387, 'd'],
      ['2026-12-31', 46387, 'd'],
      ['31.12.26', 46387, 'd'],
      ['31.12.2026 12:00', 46387.5, 'd'],
      ['30.02.2026', '30.02.2026'],
      ['1.5', '1.5'],
      ['12:00', 0.5, 'd'],
      ['24:00', 1, 'd'],
      ['36:00:00', 1.5, 'd'],
      ['100:00', '100:00'],
      ['31.12.2026 24:00', '31.12.2026 24:00'],
      ['=', '='],
      ['2026-12-31T00:00:00Z', '2026-12-31T00:00:00Z'],
      [1234.5, 1234.5],
      [true, true],
    ];
    const book = await world.createBook({ locale: 'ru-RU' });
    await book.put(
      'A1',
      cases.map(([typed]) => [typed]),
    );
    const cells = (await book.cells(`A1:A${cases.length}`)) as unknown as { v: unknown; t?: string }[][];
    for (const [index, [typed, v, t]] of cases.entries()) {
      assert.deepEqual([cells[index]?.[0]?.v, cells[index]?.[0]?.t], [v, t], String(typed));
    }
  });

  it('is formatted with the locale of the document', async () => {
    const book = await world.createBook({ locale: 'ru-RU' });
    await book.put('A1', [[1234.5, '31.12.2026', '50%', true]]);
    assert.deepEqual(await book.cells('A1:D1'), [
      [
        { v: 1234.5, m: '1234,5' },
        { v: 46387, m: '31.12.2026', t: 'd' },
        { v: 0.5, m: '50%' },
        { v: true, m: 'TRUE' },
      ],
    ]);
  });

  it('is formatted with the short date of the locale, independent of the typed form', async () => {
    for (const [locale, formatted] of [
      ['en-US', '3/5/2026'],
      ['en-GB', '05/03/2026'],
      ['fr-FR', '05/03/2026'],
      ['de-DE', '05.03.2026'],
      ['ru-RU', '05.03.2026'],
    ] as const) {
      const book = await world.createBook({ locale });
      await book.put('A1', [['2026-03-05', '05.03.2026', '05.03.2026 09:30', '=A1+0', '=DATE(2026;3;5)']]);
      const [row] = (await book.cells('A1:E1')) as unknown as { m: string; t: string }[][];
      assert.deepEqual(
        row?.map(({ m }) => m),
        [formatted, formatted, `${formatted} 09:30`, formatted, formatted],
        locale,
      );
    }
  });

  it('is a percentage in a cell with a percent format, except for JSON numbers', async () => {
    const book = await world.createBook({ locale: 'ru-RU' });
    const valueInPercentCell = async (input: string | number, mode: 'RAW' | 'USER_ENTERED' = 'USER_ENTERED') => {
      await book.put('A1', [['50%']]);
      await book.put('A1', [[input]], { mode });
      return (await book.cell('A1'))['v'];
    };
    assert.equal(await valueInPercentCell('7'), 0.07);
    assert.equal(await valueInPercentCell('7,5'), 0.075);
    assert.equal(await valueInPercentCell('7%'), 0.07);
    assert.equal(await valueInPercentCell(7), 7);
    assert.equal(await valueInPercentCell('7', 'RAW'), '7');
    await book.put('A1', [['50%'], ['x']]);
    await book.put('A1', [['7'], ['7']]);
    assert.deepEqual(await book.cells('A1:A2'), [[{ v: 0.07, m: '7%' }], [{ v: 7, m: '7' }]]);
  });

  it('of TEXT uses the language of the locale', async () => {
    const book = await world.createBook({ locale: 'ru-RU' });
    const cases: readonly (readonly [formula: string, formatted: string])[] = [
      ['=TEXT(1234,5;"0,00")', '1234,50'],
      ['=TEXT(1234567,891;"# ##0,00")', '1 234 567,89'],
      ['=TEXT(DATE(2026;3;5);"ДД.ММ.ГГГГ")', '05.03.2026'],
      ['=TEXT(DATE(2026;3;5);"yyyy-mm-dd")', '2026-03-05'],
      ['=TEXT(1234,5;"#,##0.00")', '1 234,50'],
      ['=VALUE("1.5")', '#VALUE!'],
      ['="1.5"*1', '#VALUE!'],
      ['=VALUE("1,5")', '1,5'],
    ];
    await book.put(
      'A1',
      cases.map(([formula]) => [formula]),
    );
    const cells = (await book.cells(`A1:A${cases.length}`)) as unknown as { m: string }[][];
    for (const [index, [formula, formatted]] of cases.entries()) assert.equal(cells[index]?.[0]?.m, formatted, formula);
  });

  it('has at most eleven characters in General, with the exponent form of spreadsheets', async () => {
    const book = await world.createBook({ locale: 'ru-RU' });
    await book.put('A1', [[1e21, -1e22, 1_234_567_890, -1_234_567_890, 99_999_999_999, 1e11, 0.1 + 0.2]]);
    const [row] = (await book.cells('A1:G1')) as unknown as { m: string }[][];
    assert.deepEqual(
      row?.map(({ m }) => m),
      ['1E+21', '-1E+22', '1234567890', '-1234567890', '99999999999', '1E+11', '0,3'],
    );
  });

  it('keeps the number format of its cell', async () => {
    const book = await world.createBook({ locale: 'ru-RU' });
    await book.put('A1', [['31.12.2026']]);
    await book.put('A1', [[46388]]);
    assert.deepEqual(await book.cell('A1'), { v: 46388, m: '01.01.2027', t: 'd' });
    await book.put('A1', [['soon']]);
    assert.deepEqual(await book.cell('A1'), { v: 'soon', m: 'soon' });
    await book.put('A1', [[46389]]);
    assert.equal((await book.cell('A1'))['t'], 'd');
  });

  it('has length limits', async () => {
    const book = await world.createBook();
    const long = 'x'.repeat(50_100);
    assert.equal((await book.put('A1', [[long]])).status, 200);
    for (const [values, mode] of [
      [[[`${long}x`]], 'RAW'],
      [[[`${long}x`]], 'USER_ENTERED'],
      [[[1], [`=${'1+'.repeat(30)}1`]], 'USER_ENTERED'],
    ] as const) {
      const { status, body } = await book.put('A1', values, { mode });
      assert.equal(status, 422);
      assert.match(Object.keys(memberAt(body, 'errors')).join(), /^values\.\d\.0$/);
    }
    // With RAW, this text is not a formula.
    assert.equal((await book.put('A1', [[`=${'1+'.repeat(30)}1`]], { mode: 'RAW' })).status, 200);
  });

  it('has the same limits for replacements and names', async () => {
    const book = await world.createBook();
    await book.put('A1', [['x', '=LEN("x")']]);
    const before = await book.cells('A1:B1');
    const replace = (replacement: string) => ({
      replace: { range: 'A1:B1', find: 'x', with: replacement, formulas: true },
    });
    for (const [operation, message, path] of [
      [replace('y'.repeat(50_101)), 'A text may have 50100 characters at most', 'operations.0.values'],
      [replace('y'.repeat(50)), 'A formula may have 50 characters at most', 'operations.0.values'],
      [
        { setName: { name: 'long', refersTo: `=${'1+'.repeat(30)}1` } },
        'refersTo may have 50 characters at most',
        'operations.0.refersTo',
      ],
    ] as const) {
      const { status, body } = await book.post('/structure', { operations: [operation] });
      assert.deepEqual([status, body['errors']], [422, { [path]: [message] }]);
    }
    assert.deepEqual(await book.cells('A1:B1'), before);
    assert.equal((await book.post('/structure', { operations: [replace('y'.repeat(40))] })).status, 200);
  });

  it('may contain any characters except lone surrogates', async () => {
    const book = await world.createBook();
    for (const text of ['a\u0000b', '\u0001\u001f\u007f', 'line\r\nbreak\ttab', '🙂', '\u2028', '"\\/']) {
      assert.equal((await book.put('A1', [[text]], { mode: 'RAW' })).status, 200, JSON.stringify(text));
      assert.deepEqual(await book.cell('A1'), { v: text, m: text }, JSON.stringify(text));
    }
    const half = await book.requestInDocument('PUT', '/values/A1', { raw: '{"values":[["\\ud83d"]]}' });
    assert.equal(half.status, 422);
    assert.deepEqual(Object.keys(memberAt(half.body, 'errors')), ['values.0.0']);
  });
});

describe('batchUpdate', () => {
  it('returns each range as requested, and the sum', async () => {
    const book = await world.createBook();
    await book.addSheet('Data');
    const { status, body } = await book.batchUpdate([
      { range: 'a1:z9', values: [[1, 2]] },
      { range: 'Data!B2', values: [[3], ['']] },
    ]);
    assert.equal(status, 200);
    assert.deepEqual(body, {
      updated: {
        ranges: [
          {
            sheet: 'Sheet1',
            range: 'a1:z9',
            updatedRange: 'Sheet1!A1:B1',
            updatedRows: 1,
            updatedColumns: 2,
            updatedCells: 2,
            cells: 2,
          },
          {
            sheet: 'Data',
            range: 'Data!B2',
            updatedRange: 'Data!B2:B3',
            updatedRows: 2,
            updatedColumns: 1,
            updatedCells: 2,
            cells: 2,
          },
        ],
        cells: 4,
      },
    });
  });

  it('is one revision, and later blocks overwrite earlier ones', async () => {
    const book = await world.createBook();
    const before = Number(await book.revision());
    await book.batchUpdate([
      { range: 'A1', values: [[1, 1]] },
      { range: 'B1', values: [['=A1+1']] },
      { range: 'A1', values: [[5]] },
    ]);
    assert.equal(Number(await book.revision()), before + 1);
    assert.deepEqual(await book.cells('A1:B1'), [
      [
        { v: 5, m: '5' },
        { v: 6, m: '6', f: '=A1+1' },
      ],
    ]);
  });

  it('writes nothing if one range is invalid, and returns 422 before 404', async () => {
    const book = await world.createBook();
    const cases: readonly [ranges: readonly string[], status: number, message: string][] = [
      [['A1', 'nonsense range'], 422, 'Invalid range'],
      [['A1', 'Nope!A1'], 404, 'Sheet not found'],
      [['Nope!A1', 'nonsense range'], 422, 'Invalid range'],
      [['A1', 'XFD1048576'], 422, 'Invalid range'],
    ];
    for (const [ranges, status, message] of cases) {
      const answer = await book.batchUpdate(ranges.map((range) => ({ range, values: [[1, 2]] })));
      assert.deepEqual([answer.status, answer.body['message']], [status, message], ranges.join());
    }
    assert.equal(await book.cell('A1'), null);
    assert.equal(await book.revision(), '0');
  });
});
