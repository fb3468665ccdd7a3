import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { area, type Edit, encodeDelta, Workbook } from '../../src/index.ts';
import type { ApplyContext } from '../../src/workbook/types.ts';
import { Book, createContext, replayBatch, storeAndRestore, ThreadCopy } from './book.ts';

const OWNER = 1;
const EDITOR = 2;
const TRUSTED = 3;
const REFUSED = { kind: 'refusal', reason: 'hiddenSheetRead' };

/** A document with a sheet `Secret` that only the owner and `TRUSTED` may see. */
class SharedBook extends Book {
  /** True if the sheet is hidden from other users. */
  hides = true;

  constructor() {
    super('en-US');
    this.addSheet('Secret');
    this.set('Secret!A1', [[42], [43], [44]]);
  }

  /** Sets the user who sends the next batches. */
  setUser(user: number, changes: Partial<ApplyContext> = {}): this {
    const hidden = this.hides ? [{ sheet: this.sheetId('Secret'), seenBy: [TRUSTED] }] : [];
    this.context = createContext({
      writer: user === OWNER ? null : user,
      rights: { owner: OWNER, hidden },
      ...changes,
    });
    return this;
  }

  /** The document as another process opens it. */
  reopen(): void {
    this.workbook = Workbook.open(this.head);
  }

  /** Hides or shows the sheet. */
  setHidden(hides: boolean): void {
    this.hides = hides;
    this.setUser(OWNER).apply([{ kind: 'recalculate', readersOf: [this.sheetId('Secret')] }]);
  }
}

/** Formulas on the first sheet that read the hidden sheet. */
const READING: readonly string[] = [
  '=Secret!A1',
  '=Secret!A1+1',
  '=-Secret!A1*2',
  '=SUM(Secret!A1:A3)',
  '=SUM(Secret!A:A)',
  '=AVERAGE(Secret!A1:A3)',
  '=COUNT(Secret!A1:A3)',
  '=SUMPRODUCT(Secret!A1:A3*1)',
  '=VLOOKUP(43;Secret!A1:A3;1;FALSE)',
  '=MATCH(43;Secret!A1:A3;0)',
  '=XLOOKUP(43;Secret!A1:A3;Secret!A1:A3)',
  '=COUNTIF(Secret!A1:A3;">42")',
  '=INDEX(Secret!A1:A3;2)',
  '=@Secret!A1:A3',
  '=ROWS(Secret!A1:A3)',
  '=CELL("contents";Secret!A1)',
  '=CELL("format";Secret!A1)',
  '=ISFORMULA(Secret!A1)',
  '=FORMULATEXT(Secret!A1)',
  '=SUM(Sheet1:Secret!A9)',
  '=LET(x;Secret!A1;x)',
  '=MAP(Secret!A1:A3;LAMBDA(x;x))',
  '=INDIRECT("Secret!A1")',
  '=SUM(INDIRECT("Secret!A"&{1;2}))',
  '=SUM(OFFSET(Secret!A1;1;0))',
  '=LET(f;INDIRECT;f("Secret!A1"))',
  '=MAP({"Secret!A1"};INDIRECT)',
  '=BYROW({"Secret!A1"};INDIRECT)',
  '=REDUCE(0;{"Secret!A1"};LAMBDA(a;t;a+INDIRECT(t)))',
  '=LAMBDA(f;f("Secret!A1"))(INDIRECT)',
  '=SUM(A9:INDIRECT("Secret!A1"))',
  '=IFERROR(INDIRECT("Secret!A1");"?")',
];

/** Results that users without access see, for the formulas that convert an error to a value. */
const WITHOUT: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['=COUNT(Secret!A1:A3)', 0],
  ['=IFERROR(INDIRECT("Secret!A1");"?")', '?'],
]);

describe('a write by a user who may not see a sheet', () => {
  for (const formula of READING) {
    it(`cannot add ${formula}`, () => {
      const book = new SharedBook().setUser(EDITOR);
      const { head } = book;
      assert.deepEqual(book.tryEdits([book.write('B1', formula)]), REFUSED);
      assert.equal(book.head, head);
    });
  }

  it('is refused even if other cells have the same formula', () => {
    const book = new SharedBook().setUser(EDITOR);
    // The formula on the hidden sheet reads the hidden sheet, the other one reads its own sheet.
    const edits = [book.write('Secret!C1', '=B1'), book.write('C1', '=B1')];
    assert.deepEqual(book.tryEdits(edits), REFUSED);
    assert.deepEqual(book.tryEdits(edits.toReversed()), REFUSED);
    const rows = (last: string): Edit => book.write('C1', [['=Secret!A1'], ['=A2'], ['=A3'], [last]]);
    assert.deepEqual(book.tryEdits([rows('=A4')]), REFUSED);
    assert.deepEqual(book.tryEdits([rows('5')]), REFUSED);
  });

  it('may sort formulas that read the hidden sheet only if they read the same cells in every row', () => {
    const book = new SharedBook();
    const rows = [
      ['3', '=Secret!$A$1'],
      ['1', '5'],
      ['2', '6'],
    ] as const;
    const sort: Edit = { kind: 'sort', sheet: 1, area: area(0, 0, 2, 1), by: [{ column: 0, descending: false }] };
    book.setUser(OWNER).set('A1', rows);
    const shownAs = book.value('B1');
    assert.equal(book.setUser(EDITOR).tryEdits([sort]).kind, 'applied');
    assert.deepEqual([book.formula('B3'), book.value('B3')], ['=Secret!$A$1', shownAs]);
    for (const formula of ['=Secret!A1', '=Secret!$A1', '=IF(A1=1;Secret!$A$1;"")', '=Secret!$A$1+ROW()']) {
      book.setUser(OWNER).set('A1', rows);
      book.set('B1', formula);
      assert.deepEqual(book.setUser(EDITOR).tryEdits([sort]), REFUSED, formula);
    }
    book.setUser(OWNER).set('A1', rows);
    const copy: Edit = { kind: 'copy', sheet: 1, area: area(2, 1, 2, 1), toSheet: 1, row: 8, column: 1 };
    assert.deepEqual(book.setUser(EDITOR).tryEdits([sort, copy]), REFUSED, 'a copy is not a move');
  });

  it('cannot define a name that changes which hidden cells another formula reads', () => {
    const set = (name: string, refersTo: string): Edit => ({ kind: 'setName', name, refersTo });
    const begin = () => {
      const book = new SharedBook().setUser(OWNER);
      book.apply([set('total', '=SUM(Secret!$A$1:$A$2)'), set('twice', '=total*2'), set('rate', '=2')]);
      book.apply([set('of', '=LAMBDA(x;x+Secret!$A$1)')]);
      book.set('B1', [['=twice+rate', '=of(1)', '=rate', '=Secret!A1']]);
      return book.setUser(EDITOR);
    };
    for (const edit of [
      set('total', '=Secret!$A$3'),
      set('TOTAL', '=MAX(Secret!$A$1:$A$2)'),
      set('twice', '=total*3'),
      set('rate', '=IF(Secret!$A$2>5;1;0)'),
      set('of', '=LAMBDA(x;x*Secret!$A$1)'),
    ]) {
      const book = begin();
      const { head } = book;
      assert.deepEqual(book.tryEdits([edit]), REFUSED, JSON.stringify(edit));
      assert.equal(book.head, head);
    }
    const book = begin();
    for (const edit of [set('rate', '=3'), set('unused', '=Secret!$A$1'), set('twice', '=7')]) {
      assert.equal(book.tryEdits([edit]).kind, 'applied', JSON.stringify(edit));
    }
    assert.deepEqual([book.value('B1'), book.value('D1')], [10, 3]);
    assert.equal(
      book.setUser(TRUSTED).tryEdits([set('total', '=Secret!$A$3'), set('twice', '=total')]).kind,
      'applied',
    );
  });

  it('can rename a name of hidden cells, unless that changes which hidden cells a formula reads', () => {
    const set = (name: string, refersTo: string): Edit => ({ kind: 'setName', name, refersTo });
    const rename = (name: string, newName: string): Edit => ({ kind: 'renameName', name, newName });
    const begin = () => {
      const book = new SharedBook().setUser(OWNER);
      book.apply([set('total', '=SUM(Secret!$A$1:$A$2)'), set('twice', '=total*2'), set('last', '=Secret!$A$3')]);
      book.set('B1', [['=twice', '=total', '=IFERROR(free;Secret!A1)', '=IFERROR(open;1)', '=INDIRECT("text")']]);
      return book.setUser(EDITOR);
    };
    for (const edits of [
      [rename('last', 'free')],
      [rename('last', 'open')],
      [rename('last', 'text')],
      [rename('last', 'other'), rename('other', 'FREE')],
      [rename('total', 'sum_of'), rename('last', 'free')],
      [set('total', '=Secret!$A$3'), rename('total', 'other')],
      [rename('total', 'other'), set('other', '=Secret!$A$3')],
    ]) {
      assert.deepEqual(begin().tryEdits(edits), REFUSED, JSON.stringify(edits));
      assert.equal(begin().setUser(TRUSTED).tryEdits(edits).kind, 'applied', JSON.stringify(edits));
    }
    const book = begin();
    const values = book.grid('B1:F1');
    for (const edit of [rename('total', 'sum_of'), rename('twice', 'total'), rename('last', 'end')]) {
      assert.equal(book.tryEdits([edit]).kind, 'applied', JSON.stringify(edit));
    }
    assert.deepEqual([book.formula('B1'), book.formula('C1')], ['=total', '=sum_of']);
    assert.deepEqual(book.grid('B1:F1'), values);
  });

  it('cannot define such a name for INDIRECT either', () => {
    const set = (name: string, refersTo: string): Edit => ({ kind: 'setName', name, refersTo });
    const begin = () => {
      const book = new SharedBook().setUser(OWNER);
      book.apply([set('rate', '=Secret!$A$1'), set('other', '=$C$1')]);
      book.set('B1', [['=INDIRECT("rate")']]);
      return book;
    };
    for (const edits of [
      [set('rate', '=Secret!$A$2')],
      [set('other', '=Secret!$A$2'), set('rate', '=other')],
      [set('rate', '=OFFSET(Secret!$A$1;1;0)')],
    ]) {
      assert.deepEqual(begin().setUser(EDITOR).tryEdits(edits), REFUSED, JSON.stringify(edits));
    }
    assert.equal(
      begin()
        .setUser(EDITOR)
        .tryEdits([set('other', '=$C$2')]).kind,
      'applied',
    );
    assert.equal(
      begin()
        .setUser(TRUSTED)
        .tryEdits([set('rate', '=Secret!$A$2')]).kind,
      'applied',
    );
  });

  it('cannot enter or copy the formula of a writer with access', () => {
    const book = new SharedBook();
    book.setUser(OWNER).set('B1', [['=Secret!A1', '=INDIRECT("Secret!A1")']]);
    book.setUser(EDITOR);
    assert.deepEqual(book.tryEdits([book.write('B1', '=Secret!A1')]), REFUSED);
    assert.deepEqual(book.tryEdits([book.write('C1', '=INDIRECT("Secret!A1")')]), REFUSED);
    assert.equal(book.plainValue('B1'), 42);
    assert.equal(book.plainValue('C1'), '#REF!', 'INDIRECT reads no hidden sheet, independent of the writer');
  });

  it("cannot change the input of another writer's INDIRECT so that it reads hidden cells", () => {
    const book = new SharedBook();
    book.setUser(OWNER).set('A1', [['=INDIRECT(B1)', 'Sheet1!Z1', '=LET(f;INDIRECT;f(D1))', 'Sheet1!Z1']]);
    book.setUser(EDITOR).set('E1', '=INDIRECT(B1)');
    for (const cell of ['B1', 'D1']) {
      assert.deepEqual(book.tryEdits([book.write(cell, 'Secret!A1')]), REFUSED);
      assert.deepEqual(book.tryEdits([book.write(cell, '="Secret!A"&1')]), REFUSED);
    }
    assert.equal(book.setUser(TRUSTED).set('B1', 'Secret!A1').kind, 'applied');
  });

  it('cannot rename the sheet to a name that a formula refers to', () => {
    const book = new SharedBook();
    book.setUser(EDITOR).set('B1', '=Later!A1');
    const rename: Edit = { kind: 'renameSheet', sheet: book.sheetId('Secret'), name: 'Later' };
    assert.deepEqual(book.tryEdits([rename]), REFUSED);
    assert.equal(book.head.sheetByName('Later'), undefined);
    book.setUser(TRUSTED).apply([rename]);
    assert.equal(book.plainValue('B1'), '#REF!');
  });

  it('is applied if formulas of other writers already read the sheet', () => {
    const book = new SharedBook();
    book.setUser(OWNER).set('A1', [['=Secret!A1', '=INDEX(Secret!A:A;D1)', '=INDIRECT("Secret!A"&D1)', 1]]);
    assert.deepEqual(book.setUser(EDITOR).tryEdits([book.write('D1', 2)]), REFUSED, 'another text for INDIRECT');
    book.setUser(OWNER).set('C1', '');
    book.setUser(EDITOR).set('D1', 2);
    assert.equal(book.plainValue('B1'), 43);
    book.set('G1', '=A1+B1');
    assert.equal(book.plainValue('G1'), 85);
    // The same result in a process that has just opened the document.
    book.reopen();
    book.set('D1', 3);
    assert.equal(book.plainValue('B1'), 44);
  });

  it('is refused for its own reads, not for reads that the clock or random numbers cause', () => {
    const book = new SharedBook();
    book
      .setUser(OWNER)
      .set('A1', [
        [
          '=IF(NOW()<DATE(2026;12;1);0;INDIRECT("Secret!A1"))',
          '=NOW()',
          '=IF(B1<DATE(2026;12;1);0;INDIRECT("Secret!A1"))',
        ],
      ]);
    book.setUser(EDITOR, { now: Date.UTC(2026, 11, 2) }).set('Z1', 1);
    assert.equal(book.plainValue('A1'), '#REF!');
    assert.equal(book.plainValue('C1'), '#REF!');
    assert.deepEqual(book.tryEdits([book.write('A2', '=INDIRECT("Secret!A1")')]), REFUSED);
  });
});

describe('a formula', () => {
  it("reads with its writer's rights, also after they change", () => {
    const book = new SharedBook();
    book.hides = false;
    book.setUser(EDITOR);
    for (const [i, formula] of READING.entries()) book.set(`B${1 + 4 * i}`, formula);
    const visible = READING.map((_, i) => book.plainValue(`B${1 + 4 * i}`));
    book.setHidden(true);
    for (const [i, formula] of READING.entries()) {
      assert.equal(book.plainValue(`B${1 + 4 * i}`), WITHOUT.get(formula) ?? '#REF!', formula);
    }
    // Later changes of the hidden cells are not visible either.
    book.setUser(OWNER).set('Secret!A1', [[50], [51], [52], [53]]);
    for (const [i, formula] of READING.entries()) {
      assert.equal(book.plainValue(`B${1 + 4 * i}`), WITHOUT.get(formula) ?? '#REF!', formula);
    }
    book.setUser(OWNER).set('Secret!A1', [[42], [43], [44], ['']]);
    book.setHidden(false);
    assert.deepEqual(
      READING.map((_, i) => book.plainValue(`B${1 + 4 * i}`)),
      visible,
    );
  });

  it("reads with its writer's rights when it is filled down as arithmetic", () => {
    const book = new SharedBook();
    const rows = Array.from({ length: 600 }, (_, i) => i);
    book.setUser(OWNER).set(
      'Secret!B1',
      rows.map((i) => [i]),
    );
    book.setUser(TRUSTED).set(
      'B1',
      rows.map((i) => [`=Secret!B${i + 1}*2`]),
    );
    book.hides = false;
    book.setUser(EDITOR).set(
      'C1',
      rows.map((i) => [`=Secret!B${i + 1}*2`]),
    );
    book.setHidden(true);
    for (const row of [1, 300, 600]) {
      assert.equal(book.plainValue(`B${row}`), (row - 1) * 2);
      assert.equal(book.plainValue(`C${row}`), '#REF!');
    }
    book.setUser(OWNER).set('Secret!B300', 1000);
    assert.equal(book.plainValue('B300'), 2000);
    assert.equal(book.plainValue('C300'), '#REF!');
  });

  it("reads with its writer’s rights when the clock, a random number or another user's write triggers it", () => {
    const plantedFormulas: readonly string[] = [
      '=IF(NOW()<DATE(2026;12;1);"";INDIRECT("Secret!A1"))',
      '=IF(TODAY()<DATE(2026;12;1);"";LET(f;INDIRECT;f("Secret!A1")))',
      '=IF(A1="";"";INDIRECT("Secret!A1"))',
      '=IF(A1="";"";MAP({"Secret!A1"};INDIRECT))',
      '=INDIRECT(A2)',
      '=SUM(INDIRECT(A2&":A3"))',
    ];
    const book = new SharedBook();
    book.setUser(OWNER).set('A2', 'Sheet1!Z1');
    book.setUser(EDITOR);
    for (const [i, formula] of plantedFormulas.entries()) book.set(`C${i + 1}`, formula);
    book.setUser(OWNER, { now: Date.UTC(2026, 11, 2) }).set('A1', [['go'], ['Secret!A1']]);
    for (const [i, formula] of plantedFormulas.entries()) assert.equal(book.plainValue(`C${i + 1}`), '#REF!', formula);
    // An unrelated write of the editor succeeds.
    book.setUser(EDITOR, { now: Date.UTC(2026, 11, 2) }).set('Z9', 1);
    book.setUser(EDITOR, { now: Date.UTC(2026, 11, 2) }).reopen();
    book.set('Z9', 2);
    assert.equal(book.plainValue('C1'), '#REF!');
  });

  it('with random reads never shows a hidden value, and blocks no other write', () => {
    const book = new SharedBook();
    const plantedFormula = '=IF(RAND()<0,5;0;INDIRECT("Secret!A1"))';
    let seed = 1;
    for (; ; seed++)
      if (book.setUser(EDITOR, { seed }).tryEdits([book.write('A1', plantedFormula)]).kind === 'applied') break;
    const visibleValues = new Set<unknown>();
    for (let next = seed + 1; next < seed + 20; next++) {
      const user = next % 2 === 0 ? OWNER : EDITOR;
      book.setUser(user, { seed: next }).set('Z1', next);
      visibleValues.add(book.plainValue('A1'));
    }
    assert.deepEqual([...visibleValues].sort(), ['#REF!', 0]);
  });

  it('explains its #REF! error', () => {
    const book = new SharedBook();
    book.hides = false;
    book.setUser(EDITOR).set('B1', '=Secret!A1');
    book.setHidden(true);
    assert.match(book.view('B1')?.error?.message ?? '', /hidden values/);
  });

  it('reveals nothing about hidden cells by its size or format', () => {
    const visibleValues = [1, 9].map((rows) => {
      const book = new SharedBook();
      book.setUser(OWNER).set(
        'Secret!A1',
        Array.from({ length: rows }, () => [rows === 1 ? 1 : '2026-01-02']),
      );
      book.set('B1', [[1], [2], [3]]);
      book
        .setUser(EDITOR)
        .set('D1', [['=Later!A1', '=IFERROR(B:B*Later!A:A;9)', '=IFERROR(Later!A1;9)', '=COLUMNS(Later!A1)']]);
      book.setUser(OWNER).apply([{ kind: 'renameSheet', sheet: book.sheetId('Secret'), name: 'Later' }]);
      book.apply([{ kind: 'recalculate', everything: true }]);
      return book.grid('D1:G9').concat([[book.view('D1')?.m ?? '', book.view('F1')?.m ?? '']]);
    });
    assert.deepEqual(visibleValues[1], visibleValues[0]);
    assert.deepEqual(visibleValues[0]?.[0], ['#REF!', 9, 9, '#REF!']);
  });

  it('belongs to its writer until another user enters it again', () => {
    const book = new SharedBook();
    book.hides = false;
    book.setUser(EDITOR).set('B1', [['=Secret!A1'], ['=Secret!A2'], ['=Secret!A3']]);
    book.setUser(OWNER).set('B2', '=Secret!A2');
    const sheet = book.sheetId('Secret');
    for (const name of ['Hidden', 'Secret']) book.setUser(OWNER).apply([{ kind: 'renameSheet', sheet, name }]);
    book.apply([{ kind: 'addSheet', name: 'Other' }]);
    book.setHidden(true);
    assert.deepEqual([book.plainValue('B1'), book.plainValue('B2'), book.plainValue('B3')], ['#REF!', 43, '#REF!']);
  });
});

describe('columns of a table on a hidden sheet', () => {
  /** A document with a table `Stock` on the hidden sheet, whose columns are `Item` and `Qty`. */
  function createStock(): SharedBook {
    const sheet = { hidden: false, color: null, hiddenRows: [], columnFormats: new Map<number, string>() };
    const book = new SharedBook();
    const cells = [
      { row: 0, column: 0, value: 'Item' },
      { row: 0, column: 1, value: 'Qty' },
      { row: 1, column: 1, value: 5 },
    ];
    const area = { top: 0, left: 0, bottom: 1, right: 1 };
    const columns = ['Item', 'Qty'];
    const workbook = Workbook.import(
      {
        settings: { locale: 'en-US', dateSystem: 'google', timeZone: 'UTC' },
        names: [],
        tables: [{ name: 'Stock', sheet: 'Secret', area, headerRow: true, totalsRow: false, columns }],
        sheets: [
          { ...sheet, name: 'Sheet1', cells: [] },
          { ...sheet, name: 'Secret', cells },
        ],
      },
      createContext(),
    );
    assert.ok(workbook instanceof Workbook);
    book.workbook = workbook;
    return book;
  }

  it('cannot be found by guessing names', () => {
    const book = createStock();
    book.setUser(OWNER).set('A1', [['=SUM(INDIRECT(B1))', 'Sheet1!Z1']]);
    book.setUser(EDITOR);
    for (const name of ['Qty', 'Price']) {
      assert.deepEqual(book.tryEdits([book.write('D1', `=SUM(Stock[${name}])`)]), REFUSED);
      assert.deepEqual(book.tryEdits([book.write('D1', `=SUM(INDIRECT("Stock[${name}]"))`)]), REFUSED);
      assert.deepEqual(book.tryEdits([book.write('B1', `Stock[${name}]`)]), REFUSED);
    }
  });

  it('are readable only by formulas of permitted writers', () => {
    const book = createStock();
    book.hides = false;
    book.setUser(EDITOR).set('A1', '=SUM(Stock[Qty])');
    book.setUser(OWNER).set('B1', '=SUM(Stock[Qty])');
    book.setHidden(true);
    book.setUser(OWNER).set('Secret!B1', 'Bribes');
    assert.deepEqual([book.formula('A1'), book.plainValue('A1')], ['=SUM(Stock[Qty])', '#REF!']);
    assert.deepEqual([book.formula('B1'), book.plainValue('B1')], ['=SUM(Stock[Bribes])', 5]);
  });
});

describe('the writer of a formula', () => {
  it('is stored in deltas, checkpoints and messages to other threads, except for the owner', () => {
    const book = new SharedBook();
    const writers = ({ sheets } = book.head) => [...(sheets[0]?.columns[1]?.runs ?? [])].map((run) => run.writer);
    const empty = book.head;
    const owners = book.setUser(OWNER).set('B1', [['=A1'], ['=A2']]);
    assert.deepEqual(writers(), [null]);
    assert.match(new TextDecoder().decode(encodeDelta(owners.change)), /\[0,1,0\]/);
    const editors = book.setUser(EDITOR).set('B2', '=A2');
    assert.deepEqual(writers(), [null, EDITOR]);
    assert.deepEqual(writers(storeAndRestore(book.head)), [null, EDITOR]);
    assert.deepEqual(writers(new ThreadCopy().receiveChange(book.head)), [null, EDITOR]);
    assert.deepEqual(writers(replayBatch(editors, replayBatch(owners, empty))), [null, EDITOR]);
  });
});
