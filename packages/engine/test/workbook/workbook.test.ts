import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Edit } from '../../src/index.ts';
import { Book, createContext } from './book.ts';

describe('formulas that follow what they read', () => {
  it('recalculates a chain when its first cell changes', () => {
    const book = new Book();
    book.set('A1', [[1, '=A1+1', '=B1*2']]);
    assert.equal(book.value('C1'), 4);
    book.set('A1', 5);
    assert.equal(book.value('C1'), 12);
  });

  it('shares one run among filled-down formulas and keeps each right after a cell in the middle is overwritten', () => {
    const book = new Book();
    book.set(
      'A1',
      Array.from({ length: 10 }, (_, i) => [i + 1, `=A${i + 1}*10`]),
    );
    assert.equal(book.head.sheets[0]?.columns[1]?.runs.length, 1);
    book.set('B5', 'stop');
    assert.equal(book.head.sheets[0]?.columns[1]?.runs.length, 2);
    book.set('A6', 7);
    assert.equal(book.value('B6'), 70);
    book.set('B5', '=A5*10');
    assert.equal(book.head.sheets[0]?.columns[1]?.runs.length, 1);
    assert.equal(book.value('B5'), 50);
  });

  it('counts entering the same formula again, in any spelling, as no change', () => {
    const book = new Book();
    book.set('A1', [[1, '=A1*2', '=SEQUENCE(2)', '=B1+1', '=1+']]);
    const sameFormulas = [
      book.write('E1', '=1+'),
      book.write('B1', '=A1*2'),
      book.write('C1', '= SEQUENCE( 2 )'),
      book.write('D1', [['=B1+1']]),
      book.write('A1', 1),
    ];
    const { change, outcomes } = book.apply(sameFormulas);
    assert.deepEqual([change.written, change.derived], [[], []]);
    assert.deepEqual(
      outcomes.map(({ cells }) => cells),
      [1, 1, 1, 1, 1],
    );
    assert.deepEqual(
      ['B1', 'C2', 'D1'].map((cell) => book.value(cell)),
      [2, 2, 3],
    );
  });

  it('counts a formula as changed if its writer or text differs, or an earlier cell of the batch changed it', () => {
    const book = new Book();
    book.set('A1', [[1], ['=A1*2'], ['=A1*2']]);
    const cells = (edits: readonly Edit[]) => book.apply(edits).change.written.flatMap(({ areas }) => areas).length;
    assert.equal(cells([book.write('A2', '=A1*3')]), 1);
    assert.equal(cells([book.write('A2', 7), book.write('A2', '=A1*3')]), 1);
    assert.equal(cells([book.write('A3', 7), book.write('A2', 7), book.write('A3', '=A1*2')]), 1);
    assert.deepEqual(
      ['A2', 'A3'].map((cell) => book.value(cell)),
      [7, 2],
    );
    book.context = createContext({ writer: 2 });
    assert.equal(cells([book.write('A3', '=A1*2')]), 1);
  });

  it('recalculates a running total after its first cell is edited', () => {
    const book = new Book();
    book.set(
      'A1',
      Array.from({ length: 1000 }, (_, i) => [1, i === 0 ? '=A1' : `=B${i}+A${i + 1}`]),
    );
    assert.equal(book.value('B1000'), 1000);
    book.set('A1', 11);
    assert.equal(book.value('B1000'), 1010);
  });

  it('updates formulas over whole columns after an append', () => {
    const book = new Book();
    book.set('A1', [[1], [2], [3]]);
    book.set('C1', '=SUM(A:A)');
    book.set('A100', 10);
    assert.equal(book.value('C1'), 16);
  });

  it('pairs whole columns of different lengths', () => {
    const book = new Book();
    book.set('A1', [[1, 2], [3, 4], [5]]);
    book.set('D1', '=SUM(A:A*B:B)');
    assert.equal(book.value('D1'), 14);
  });
});

describe('zeros', () => {
  it('have no sign, independent of their origin', () => {
    const book = new Book();
    book.set('A1', [[0, -1, '=A1*B1', '=A1/B1', '=-A1', '=ROUND(A1*B1;0)', '=SORT(A1*B1)']]);
    book.set('A2', [[-0]]);
    for (const ref of ['C1', 'D1', 'E1', 'F1', 'G1', 'A2']) assert.ok(Object.is(book.value(ref), 0), ref);
  });
});

describe('circular references', () => {
  it('are #REF! in every cell of the circle and its dependents, until the circle is broken', () => {
    const book = new Book();
    book.set('A1', [['=B1', '=C1', '=A1', '=A1+1']]);
    assert.deepEqual(book.grid('A1:D1'), [['#REF!', '#REF!', '#REF!', '#REF!']]);
    book.set('B1', 4);
    assert.deepEqual(book.grid('A1:D1'), [[4, 4, 4, 5]]);
  });

  it('are not found in columns that read each other without a circle of cells', () => {
    const book = new Book();
    book.set('A1', 1);
    book.set(
      'B1',
      Array.from({ length: 300 }, (_, i) => [i === 0 ? '=A1' : `=C${i}+1`, `=B${i + 1}*1`]),
    );
    assert.equal(book.value('C300'), 300);
    book.set('A1', 101);
    assert.equal(book.value('C300'), 400);
  });
});

describe('circles through the cells of an array', () => {
  const cut = (toSheet: number): Edit => {
    const move = { kind: 'carry', sheet: 1, area: { top: 0, left: 0, bottom: 0, right: 0 }, toSheet } as const;
    return { kind: 'moveCells', move: { ...move, row: 4, column: 4 } };
  };
  const ends: readonly { readonly how: string; readonly end: (book: Book) => void }[] = [
    { how: 'is cleared', end: (book) => book.set('A1', '') },
    { how: 'is overwritten', end: (book) => book.set('A1', 5) },
    { how: 'is cut', end: (book) => book.apply([cut(1)]) },
    { how: 'is cut to another sheet', end: (book) => book.apply([cut(2)]) },
    { how: 'fills less', end: (book) => book.set('A1', '=B1:B1*2') },
    { how: 'is blocked', end: (book) => book.set('A3', 'in the way') },
  ];
  for (const { how, end } of ends) {
    it(`disappear when the array formula ${how}`, () => {
      const book = new Book();
      book.addSheet('Other');
      book.set('B1', [['=COUNTBLANK(A2)', '=B1*10']]);
      book.set('A1', '=B1:B3*2');
      book.set('B3', 1);
      assert.deepEqual(book.grid('A1:C1'), [['#REF!', '#REF!', '#REF!']]);
      end(book);
      assert.deepEqual(book.grid('B1:C1'), [[1, 10]]);
    });
  }
});

describe('dynamic arrays', () => {
  it('spill, are blocked by values in their area, and spill again without them', () => {
    const book = new Book();
    book.set('A1', '=SEQUENCE(3)');
    book.set('B1', '=SUM(A1:A3)');
    assert.deepEqual(book.grid('A1:B3'), [
      [1, 6],
      [2, null],
      [3, null],
    ]);
    assert.equal(book.formula('A2'), undefined);
    book.set('A2', 'in the way');
    assert.deepEqual(book.grid('A1:A3'), [['#SPILL!'], ['in the way'], [null]]);
    assert.equal(book.plainValue('B1'), '#SPILL!');
    book.set('A2', '');
    assert.deepEqual(book.grid('A1:B3'), [
      [1, 6],
      [2, null],
      [3, null],
    ]);
  });

  it('leave no values behind when they shrink or their formula is deleted', () => {
    const book = new Book();
    book.set('A1', [[4, '=SEQUENCE(A1)']]);
    book.set('A1', 2);
    assert.deepEqual(book.grid('B1:B4'), [[1], [2], [null], [null]]);
    book.set('B1', '');
    assert.deepEqual(book.grid('B1:B4'), [[null], [null], [null], [null]]);
  });

  for (const formula of ['=OFFSET(F1;0;0;2)', '=INDIRECT("F1:F2")', '=SEQUENCE(2)']) {
    it(`that read the cells of ${formula} do not block it`, () => {
      const book = new Book();
      book.set('F1', [[1], [2], [3]]);
      book.set('C1', '=SEQUENCE(10)');
      book.set('C5', formula);
      assert.deepEqual(book.grid('C1:C7'), [['#SPILL!'], [null], [null], [null], [1], [2], [null]]);
      book.set('F2', 2);
      assert.deepEqual(book.grid('C1:C6'), [['#SPILL!'], [null], [null], [null], [1], [2]]);
      book.clear('C5');
      assert.deepEqual(book.grid('C4:C6'), [[4], [5], [6]]);
    });
  }

  it('have a constant cost each if a sheet has many', { timeout: 60_000 }, () => {
    const book = new Book();
    const rows = 20_000;
    book.set(
      'A1',
      Array.from({ length: rows }, () => ['={1\\2}']),
    );
    book.set('B7', 'in the way');
    assert.deepEqual(book.grid(`A7:B7`), [['#SPILL!', 'in the way']]);
    book.clear('B7');
    book.set(
      'A1',
      Array.from({ length: rows }, (_, i) => [`={1\\${i}}`]),
    );
    assert.deepEqual(book.grid('A7:B7'), [[1, 6]]);
    book.clear(`A1:A${rows}`);
    assert.equal(book.head.sheets[0]?.spills.size, 0);
  });

  it('stay unchanged when only a spilled cell is cleared', () => {
    const book = new Book();
    book.set('A1', '=SEQUENCE(3)');
    const { outcomes } = book.clear('A2:A3');
    assert.equal(outcomes[0]?.cells, 0);
    assert.deepEqual(book.grid('A1:A3'), [[1], [2], [3]]);
  });

  it('spill into cells that another array no longer uses', () => {
    const book = new Book();
    book.set('H1', 3);
    book.set('A3', '=SEQUENCE(1;H1)');
    book.set('C1', '=SEQUENCE(4)');
    assert.equal(book.plainValue('C1'), '#SPILL!');
    book.set('H1', 2);
    assert.deepEqual(book.grid('C1:C4'), [[1], [2], [3], [4]]);
    book.set('H1', 3);
    assert.deepEqual(book.grid('A3:C3'), [['#SPILL!', null, 3]]);
  });

  it('can be read by formulas that do not name them', () => {
    const book = new Book();
    book.set('F1', '=UNIQUE(A4:A6)');
    book.set('G1', '=INDIRECT("F2:F4")');
    book.set('A5', 5);
    assert.deepEqual(book.grid('F1:G3'), [
      [0, 5],
      [5, 0],
      [null, 0],
    ]);
  });

  it('are #SPILL! if they exceed the grid', () => {
    const book = new Book();
    book.set('A1048575', '=SEQUENCE(3)');
    assert.equal(book.plainValue('A1048575'), '#SPILL!');
  });

  it('have the date format of their source', () => {
    const book = new Book();
    book.set('A1', [
      ['02.01.2026', 1],
      ['01.01.2026', 2],
    ]);
    book.set('D1', '=SORT(A1:B2)');
    assert.deepEqual(book.view('D1'), { v: 46023, m: '01.01.2026', f: '=SORT(A1:B2)', t: 'd' });
    assert.deepEqual(book.view('D2'), { v: 46024, m: '02.01.2026', t: 'd' });
    assert.deepEqual(book.view('E1'), { v: 2, m: '2' });
  });
});

describe('sheets and formulas', () => {
  it('follow renamed sheets, and turn references to deleted sheets into #REF!', () => {
    const book = new Book();
    book.addSheet('Data');
    book.set('Data!A1', 5);
    book.set('A1', '=Data!A1*2');
    book.apply([{ kind: 'renameSheet', sheet: book.sheetId('Data'), name: 'Old data' }]);
    assert.equal(book.formula('A1'), "='Old data'!A1*2");
    book.set("'Old data'!A1", 6);
    assert.equal(book.value('A1'), 12);
    book.apply([{ kind: 'deleteSheet', sheet: book.sheetId('Old data') }]);
    assert.equal(book.plainValue('A1'), '#REF!');
    assert.equal(book.formula('A1'), '=#REF!*2');
  });

  it('refer to a sheet that is added later', () => {
    const book = new Book();
    book.set('A1', '=Later!A1+1');
    assert.equal(book.plainValue('A1'), '#REF!');
    book.addSheet('later');
    assert.equal(book.value('A1'), 1);
    book.set('later!A1', 4);
    assert.equal(book.value('A1'), 5);
  });

  it('combine references in brackets to a union', () => {
    const book = new Book();
    book.set('A1', [[5, 1, '=SUM((A1:A2;B1))', '=INDEX((A1:A2;B1);1;1;2)', '=SMALL((A1:A2;B1);2)', '=AREAS((A1;B1))']]);
    book.set('A2', 3);
    assert.deepEqual(book.grid('C1:F1'), [[9, 1, 3, 2]]);
    assert.equal(book.formula('C1'), '=SUM((A1:A2;B1))');
    book.set('B1', 7);
    assert.deepEqual(book.grid('C1:F1'), [[15, 7, 5, 2]]);
  });

  it('read 3-D references over all sheets between their ends', () => {
    const book = new Book();
    book.addSheet('North');
    book.addSheet('South');
    book.set('North!A1', 2);
    book.set('South!A1', 3);
    book.set('B1', '=SUM(North:South!A1)');
    assert.equal(book.value('B1'), 5);
  });
});

describe('number formats of results', () => {
  const cases: readonly [input: string, formula: string, text: string, type: 'd' | undefined][] = [
    ['01.02.2026', '=A1+1', '02.02.2026', 'd'],
    ['01.02.2026', '=A1-A1', '0', undefined],
    ['01.02.2026', '=A1*2', '92108', undefined],
    ['10%', '=A1*2', '20%', undefined],
    ['10%', '=A1+0,05', '15%', undefined],
    ['5', '=A1', '5', undefined],
    ['5', '=DATE(2026;A1;1)', '01.05.2026', 'd'],
    ['01.02.2026', '=EDATE(A1;1)', '01.03.2026', 'd'],
    ['01.02.2026', '=YEAR(A1)', '2026', undefined],
    ['01.02.2026', '=IF(TRUE;A1;0)', '01.02.2026', 'd'],
    ['01.02.2026', '=MAX(A1:A3)', '01.02.2026', 'd'],
    ['01.02.2026', '=A1&""', '46054', undefined],
  ];
  for (const [input, formula, text, type] of cases) {
    it(`${formula} of ${input} shows ${text}`, () => {
      const book = new Book();
      book.set('A1', [[input, formula]]);
      assert.equal(book.text('B1'), text);
      assert.equal(book.view('B1')?.t, type);
    });
  }

  it('are inferred for the cell that becomes a number, and for no other', () => {
    const book = new Book();
    const rows = 6;
    book.set(
      'A1',
      Array.from({ length: rows }, (_, i) => [i === rows - 1 ? 'x' : '', '10%']),
    );
    book.set(
      'C1',
      Array.from({ length: rows }, (_, i) => [`=B${i + 1}+IF(A${i + 1}="x";"text";0)`]),
    );
    const [sheet] = book.head.sheets;
    const area = { top: 0, left: 2, bottom: 0, right: 2 };
    book.apply([{ kind: 'setFormat', sheet: sheet?.id ?? 0, area, format: 'General' }]);
    assert.deepEqual([book.text('C1'), book.text('C2')], ['0,1', '10%']);
    book.clear(`A${rows}`);
    assert.deepEqual([book.text('C1'), book.text('C2'), book.text(`C${rows}`)], ['0,1', '10%', '10%']);
  });

  it('are inferred for the single number to which a spill shrinks', () => {
    const book = new Book();
    book.set('C1', '=IF(A6>1;A5:A6;A6+7)');
    book.set('A6', '01.02.2026');
    book.clear('A6:A6');
    assert.equal(book.view('C1')?.t, 'd');
  });

  it('stay on a cell when a number is written, and do not change a text', () => {
    const book = new Book();
    book.set('A1', '01.02.2026');
    book.set('A1', 46055);
    assert.deepEqual(book.view('A1'), { v: 46055, m: '02.02.2026', t: 'd' });
    book.set('A1', 'later');
    assert.deepEqual(book.view('A1'), { v: 'later', m: 'later' });
  });
});

describe('hostile formulas', () => {
  const cases: readonly [formula: string, result: string][] = [
    ['=REPT("x";1e9)', '#VALUE!'],
    ['=REPT("x";1E+9)', '#VALUE!'],
    ['=LET(f;LAMBDA(f;f(f));f(f))', '#NUM!'],
    ['=LAMBDA(x;x)', '#CALC!'],
    ['=NOSUCH(1)', '#NAME?'],
    ['=SUM(1,2', '#ERROR!'],
    ['=MOD(1)', '#N/A'],
  ];
  for (const [formula, result] of cases) {
    it(`${formula.slice(0, 40)} is ${result}`, () => {
      const book = new Book();
      book.set('A1', formula);
      assert.equal(book.plainValue('A1'), result);
    });
  }

  it('with thousands of terms do not overflow the stack', () => {
    const book = new Book();
    book.set('A1', `=${Array(4000).fill('1').join('+')}`);
    assert.equal(book.value('A1'), 4000);
    book.set('B1', '=A1');
    assert.equal(book.value('B1'), 4000);
  });

  it('are refused if they cost more than the budget, and nothing is written', () => {
    for (const formula of ['=SUM(SEQUENCE(1000000;10000))', '=SUM(MAP(SEQUENCE(1000000);LAMBDA(x;x*2)))']) {
      const book = new Book();
      book.context = createContext({ budget: { cells: 500_000, milliseconds: 60_000, clock: () => 0 } });
      const outcome = book.tryEdits([book.write('A1', formula)]);
      assert.deepEqual(outcome, { kind: 'refusal', reason: 'calculationLimit' });
      assert.equal(book.value('A1'), null);
      assert.equal(book.head.revision, 0);
    }
  });

  it('refuses an array if the remaining time is too short', () => {
    const book = new Book();
    let clockReads = 0;
    const clock = () => {
      clockReads++;
      return 0;
    };
    book.context = createContext({ budget: { cells: 1e12, milliseconds: 4, clock } });
    const outcome = book.tryEdits([book.write('A1', '=SUM(SEQUENCE(1000;1000))')]);
    assert.deepEqual(outcome, { kind: 'refusal', reason: 'calculationLimit' });
    assert.ok(clockReads < 10);
    book.set('A1', '=SUM(SEQUENCE(100;100))');
  });

  it('accepts as many arguments of one function as a range has cells', () => {
    const book = new Book();
    book.apply([
      {
        kind: 'setValues',
        sheet: 1,
        row: 0,
        column: 0,
        values: Array.from({ length: 200_000 }, (_, i) => [i, i === 0 ? 1 : 2]),
        mode: 'raw',
      },
    ]);
    book.set('D1', '=TEXTBEFORE("a199999b";A1:A200000)');
    book.set('D2', '=FORECAST.ETS(3;A1:A200000;B1:B200000;1;1;4)');
    assert.equal(book.value('D1'), 'a');
    assert.equal(typeof book.value('D2'), 'number');
  });

  it('are refused at the time limit', () => {
    const book = new Book();
    let now = 0;
    const clock = () => {
      now += 1;
      return now;
    };
    book.context = createContext({ budget: { cells: 1e12, milliseconds: 5, clock } });
    const outcome = book.tryEdits([book.write('A1', '=SUM(MAP(SEQUENCE(1000;1000);LAMBDA(x;x)))')]);
    assert.deepEqual(outcome, { kind: 'refusal', reason: 'calculationLimit' });
  });
});

describe('sheets whose values the writer may not see', () => {
  const OWNER = 1;
  const EDITOR = 2;

  function secretBook(): Book {
    const book = new Book();
    book.addSheet('Secret');
    book.set('Secret!A1', 42);
    book.set('A1', [['=Secret!A1', '=INDIRECT(C1)', 'Sheet1!Z1']]);
    const hidden = [{ sheet: book.sheetId('Secret'), seenBy: [] }];
    book.context = createContext({ writer: EDITOR, rights: { owner: OWNER, hidden } });
    return book;
  }
  const REFUSED = { kind: 'refusal', reason: 'hiddenSheetRead' };

  const leaks: readonly [name: string, cell: string, input: string][] = [
    ['a reference', 'A5', '=Secret!A1'],
    ['a range', 'A5', '=SUM(Secret!A:A)'],
    ['a function used as a value', 'A5', '=LET(f;INDIRECT;f("Secret!A1"))'],
    ['a function given to another', 'A5', '=MAP({"Secret!A1"};INDIRECT)'],
    ['a filled-down neighbour', 'A2', '=Secret!A2'],
    ['INDIRECT of its own', 'A5', '=INDIRECT("Secret!A1")'],
    ['the input of an INDIRECT of another writer', 'C1', 'Secret!A1'],
  ];
  for (const [name, cell, input] of leaks) {
    it(`cannot be read by ${name}`, () => {
      const book = secretBook();
      const before = book.head;
      assert.deepEqual(book.tryEdits([book.write(cell, input)]), REFUSED);
      assert.equal(book.head, before);
    });
  }

  it('can still be read by formulas of writers with access', () => {
    const book = secretBook();
    book.set('Secret!A1', 43);
    assert.equal(book.value('A1'), 43);
    book.set('D1', '=A1+1');
    assert.equal(book.value('D1'), 44);
  });
});

describe('append', () => {
  it('writes below the last filled row of the sheet, counting formulas and empty texts', () => {
    const book = new Book();
    book.set('B3', '=""');
    const { outcomes } = book.apply([{ kind: 'append', sheet: 1, column: 0, values: [['x']], mode: 'user' }]);
    assert.deepEqual(outcomes[0]?.area, { top: 3, left: 0, bottom: 3, right: 0 });
    assert.equal(book.value('A4'), 'x');
  });
});

describe('clear', () => {
  it('takes time by the number of filled cells, not by the area', { timeout: 60_000 }, () => {
    const book = new Book();
    book.set('A1', [[1, '={1\\2}']]);
    book.set('XFD1048576', 2);
    const { outcomes } = book.clear('A1:XFD1048576');
    assert.equal(outcomes[0]?.cells, 3);
    assert.deepEqual(book.head.sheets[0]?.extent(), { rows: 0, columns: 0 });
  });
});
