import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeJson, readJson } from '../../src/codec/checkpoint.ts';
import type { Node } from '../../src/formula/ast.ts';
import { MAX_COMPILED_NESTING } from '../../src/formula/index.ts';
import { encodeCheckpoint, exportData, restoreCheckpoint, type Snapshot, Workbook } from '../../src/index.ts';
import { Book, createContext, replayBatch, storeAndRestore, ThreadCopy } from './book.ts';

const DEEP = 4_000;

/** Formulas of the maximum depth, and their results. */
const DEEPEST: readonly [formula: string, result: number | string][] = [
  [`=${'-'.repeat(256)}1`, 1],
  [`=0${'%'.repeat(256)}`, 0],
  [`=${'('.repeat(256)}1${')'.repeat(256)}`, 1],
  [`=${'ABS('.repeat(255)}-1${')'.repeat(255)}`, 1],
  [`=${'IF(1;'.repeat(256)}7${')'.repeat(256)}`, 7],
  [`=${'1+('.repeat(128)}1${')'.repeat(128)}`, 129],
  [`=SUM(${'MAP({1\\2};LAMBDA(x;x+SUM('.repeat(12)}1${')))'.repeat(12)})`, 4 * 2 ** 12 - 3],
  [`=${'LET(x;1;x+'.repeat(128)}1${')'.repeat(128)}`, 129],
  [`=SUM(A2${':A2'.repeat(2_000)})`, 5],
  [`=SUM((A2${'~A2'.repeat(2_000)}))`, 10_005],
  [`=1${'&"x"'.repeat(2_000)}`, `1${'x'.repeat(2_000)}`],
];

/** Opens a document of an older version without the limit. Its first cell contains the tree. */
function openUnboundedDocument(node: Node): Snapshot {
  const book = new Book();
  book.set('A1', '=-1');
  book.set('B1', '=A1');
  const { meta, chunks } = encodeCheckpoint(book.head, -1);
  const stored = readJson(meta) as { templates: Node[] };
  stored.templates[0] = node;
  return restoreCheckpoint(encodeJson(stored), chunks);
}

function nest(levels: number, wrap: (node: Node) => Node): Node {
  let node: Node = { k: 'number', value: 1 };
  for (let i = 0; i < levels; i++) node = wrap(node);
  return node;
}

describe('a formula nested deeper than the limit', () => {
  for (const formula of [
    `=${'-'.repeat(DEEP)}1`,
    `=A1${'#'.repeat(3_000)}`,
    `=${'('.repeat(300)}1${')'.repeat(300)}`,
  ]) {
    it(`is refused with the limit and the cell: ${formula.slice(0, 12)}…`, () => {
      const book = new Book();
      book.set('A1', 1);
      const before = book.head;
      const outcome = book.tryEdits([
        book.write('A1', [
          [2, 3],
          ['=A1', formula],
        ]),
      ]);
      assert.deepEqual(outcome, {
        kind: 'refusal',
        reason: 'formulaTooDeep',
        edit: 0,
        limit: 256,
        sheet: 'Sheet1',
        row: 1,
        column: 1,
      });
      assert.equal(book.head, before);
      book.set('A1', 5);
      assert.deepEqual(book.grid('A1:B2'), [
        [5, null],
        [null, null],
      ]);
    });
  }

  it('keeps its text and value in the file', () => {
    const cells = [{ row: 0, column: 0, value: 1, formula: `${'-'.repeat(DEEP)}1` }];
    const sheet = { name: 'S', hidden: false, color: null, hiddenRows: [], columnFormats: new Map(), cells };
    const settings = { locale: 'en-US', dateSystem: 'google', timeZone: 'UTC' } as const;
    const workbook = Workbook.import({ settings, names: [], tables: [], sheets: [sheet] }, createContext());
    assert.ok(workbook instanceof Workbook);
    const book = new Book();
    book.workbook = workbook;
    assert.equal(book.plainValue('A1'), 1);
    assert.equal(book.formula('A1'), `=${'-'.repeat(DEEP)}1`);
  });
});

describe('a formula of the maximum depth', () => {
  for (const [formula, result] of DEEPEST) {
    it(`has the same result after recalculation, in replicas and after a restart: ${formula.slice(0, 24)}…`, () => {
      const book = new Book();
      book.set('A2', 5);
      const before = storeAndRestore(book.head);
      const batch = book.set('A1', formula);
      assert.equal(book.value('A1'), result);
      const text = book.formula('A1');
      const cold = new Book();
      cold.workbook = Workbook.open(storeAndRestore(replayBatch(batch, before)));
      cold.apply([{ kind: 'recalculate', everything: true }]);
      assert.equal(cold.value('A1'), result);
      assert.equal(cold.formula('A1'), text);
      cold.set('A1', 1);
      assert.equal(cold.value('A1'), 1);
    });
  }
});

describe('a document of a version without the limit', () => {
  const trees: readonly [string, Node][] = [
    ['signs', nest(DEEP, (arg) => ({ k: 'unary', op: '-', arg }))],
    ['anchors', nest(DEEP, (arg) => ({ k: 'unary', op: '#', arg }))],
    [
      'signs and intersections',
      nest(DEEP, (arg) => nest(1, () => ({ k: 'unary', op: '@', arg: { k: 'unary', op: '-', arg } }))),
    ],
    ['applications', nest(DEEP, (callee) => ({ k: 'apply', callee, args: [] }))],
  ];
  for (const [name, tree] of trees) {
    it(`can be opened, read and edited with thousands of ${name}`, () => {
      const book = new Book();
      book.workbook = Workbook.open(openUnboundedDocument(tree));
      assert.equal(book.value('A1'), -1);
      assert.ok((book.formula('A1')?.length ?? 0) > DEEP);
      assert.ok([...(exportData(book.head).sheets[0]?.cells ?? [])].length > 0);
      book.set('C1', '=B1+1');
      assert.equal(book.value('C1'), 0);
      book.apply([{ kind: 'recalculate', everything: true }]);
      assert.deepEqual(book.grid('A1:C1'), [['#ERROR!', '#ERROR!', '#ERROR!']]);
      assert.match(book.view('A1')?.error?.message ?? '', /256 levels/);
      book.workbook = Workbook.open(storeAndRestore(book.head));
      book.set('A1', 4);
      assert.deepEqual(book.grid('A1:C1'), [[4, 4, 5]]);
    });
  }

  it('is calculated if its formulas exceed the limit slightly', () => {
    const book = new Book();
    book.workbook = Workbook.open(
      openUnboundedDocument(nest(MAX_COMPILED_NESTING, (arg) => ({ k: 'unary', op: '-', arg }))),
    );
    book.apply([{ kind: 'recalculate', everything: true }]);
    assert.equal(book.value('A1'), 1);
  });
});

describe('a formula of thousands of terms', () => {
  const TERMS = 4_000;
  const long = `1${'+1'.repeat(TERMS - 1)}`;

  it('is sent to other threads, in a cell and in a name', () => {
    const names = [{ name: 'Long', formula: long }];
    const book = Book.fromFile({ names, sheets: { Sheet1: { A1: `=${long}`, B1: '=Long' } } });
    const received = new ThreadCopy().receiveChange(book.head);
    const copy = Workbook.open(received);
    copy.apply([{ kind: 'recalculate', everything: true }], createContext());
    const [sheet] = copy.head.sheets;
    assert.deepEqual([sheet?.value(0, 0), sheet?.value(0, 1)], [TERMS, TERMS]);
  });
});
