import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parse, WIRE } from '../../src/formula/index.ts';
import { type FormulaBehaviour, readFormula } from '../../src/graph/precedents.ts';
import { PLAIN_LAYOUT } from '../../src/sheet/layout.ts';
import { Sheet } from '../../src/sheet/snapshot.ts';
import { Book } from '../workbook/book.ts';

const A1 = { sheet: 1, row: 0, column: 0, top: 0, bottom: 0 };
const PARSE_NAMES = { findSheetId: () => -1 };
const SHEET = new Sheet(0, {
  id: 1,
  name: 'Sheet1',
  hidden: false,
  color: null,
  columns: [],
  spills: new Map(),
  hiddenRows: new Set(),
  layout: PLAIN_LAYOUT,
});

function parseNode(text: string) {
  return parse(text, WIRE, A1, PARSE_NAMES);
}

function readBehaviour(text: string): FormulaBehaviour {
  const names = [
    { name: 'reach', node: parseNode('=INDIRECT') },
    { name: 'randarray', node: parseNode('=5') },
  ];
  return readFormula(parseNode(text), A1, { sheets: [SHEET], hasSheet: (id) => id === 1, names, tables: [] }).behaviour;
}

function createBehaviour(...traits: readonly (keyof FormulaBehaviour)[]): FormulaBehaviour {
  const isNamed = (trait: keyof FormulaBehaviour) => traits.includes(trait);
  return {
    always: isNamed('always'),
    daily: isNamed('daily'),
    dynamic: isNamed('dynamic'),
    indirect: isNamed('indirect'),
    clock: isNamed('clock'),
    followsSheets: isNamed('followsSheets'),
    followsNames: isNamed('followsNames'),
    followsMoves: isNamed('followsMoves'),
    followsHiddenRows: isNamed('followsHiddenRows'),
    namesElsewhere: isNamed('namesElsewhere'),
  };
}

const PLAIN = createBehaviour();
const INDIRECT = createBehaviour('dynamic', 'indirect');
const VOLATILE = createBehaviour('always');
const CLOCK = createBehaviour('daily', 'clock');
/** Behaviour of a call of INDIRECT. Its text may contain a name or table that is added later. */
const VALUE_OF_INDIRECT = createBehaviour('dynamic', 'indirect', 'followsNames');
/** Behaviour of a calculated reference whose cells are all in a known area. */
const BOUNDED = createBehaviour('followsMoves', 'namesElsewhere');
const VALUE_OF_CLOCK = createBehaviour('always', 'clock', 'followsNames');

describe('the behaviour of a formula', () => {
  const cases: readonly [formula: string, behaviour: FormulaBehaviour][] = [
    ['=SUM(A2:A3)', PLAIN],
    ['=SUBTOTAL(109;A2:A3)', createBehaviour('followsHiddenRows')],
    ['=INDIRECT("A2")', INDIRECT],
    ['=A2:INDEX(A:A;3)', BOUNDED],
    ['=INDEX(A:A;B1):INDEX(A:A;B2)', BOUNDED],
    ['=SUM(OFFSET(A9;-6;0;7;1))', BOUNDED],
    ['=SUM(OFFSET(A1;0;0;COUNTA(A:A);1))', BOUNDED],
    ['=OFFSET(A1;B1;B2)', INDIRECT],
    ['=OFFSET(INDIRECT("A1");1;0)', INDIRECT],
    ['=A2:IF(B1;A3;A4)', INDIRECT],
    ['=LET(index;LAMBDA(x;x);A2:index(A3))', INDIRECT],
    ['=A2#', createBehaviour('indirect')],
    ['=RAND()', VOLATILE],
    ['=IF(A2;TODAY();1)', CLOCK],
    ['=SHEETS()', createBehaviour('followsSheets')],
    ['=SUM(Sheet1:Sheet9!A1)', createBehaviour('followsSheets', 'namesElsewhere')],
    ['=Sheet9!A1', createBehaviour('followsSheets', 'namesElsewhere')],
    ['=[1]Sheet1!A1', createBehaviour('namesElsewhere')],
    // Functions that are used as values keep their properties.
    ['=LET(f;INDIRECT;f("A2"))', VALUE_OF_INDIRECT],
    ['=MAP({"A2"};INDIRECT)', VALUE_OF_INDIRECT],
    ['=MAP({"A2"};indirect)', VALUE_OF_INDIRECT],
    ['=LET(t;TODAY;t())', createBehaviour('daily', 'clock', 'followsNames')],
    ['=(IF(A2;OFFSET;SUM))(A2;1;0)', VALUE_OF_INDIRECT],
    ['=MAP({"A2"};Sheet9!INDIRECT)', createBehaviour('dynamic', 'indirect', 'followsSheets', 'followsNames')],
    ['=reach("A2")', VALUE_OF_INDIRECT],
    ['=MAP({"A2"};reach)', VALUE_OF_INDIRECT],
    // Local names with the name of a function do not mean the function.
    ['=LET(indirect;2;indirect+1)', PLAIN],
    ['=LAMBDA(offset;offset+1)(2)', PLAIN],
    ['=MAP(A2:A3;LAMBDA(today;today))', PLAIN],
    ['=LET(now;LAMBDA(x;x);now(1))', PLAIN],
    // LET calculates the value of a name before it defines the name.
    ['=LET(indirect;indirect;indirect("A2"))', VALUE_OF_INDIRECT],
    ['=LET(a;1;now;now;now())', VALUE_OF_CLOCK],
    // Outside the LET the name means the function.
    ['=LET(today;1;today)+today()', CLOCK],
    // Outside calls, a defined name hides a function of that name.
    ['=randarray', createBehaviour('followsNames')],
  ];
  for (const [formula, behaviour] of cases) {
    it(formula, () => assert.deepEqual(readBehaviour(formula), behaviour));
  }
});

describe('a function as a value', () => {
  it('may read cells that the formula does not name', () => {
    const book = new Book();
    book.set('A1', [[1, '=LET(f;INDIRECT;f("A1")+1)', '=SUM(MAP({"A1"};INDIRECT))']]);
    book.set('A1', 5);
    assert.deepEqual(book.grid('B1:C1'), [[6, 5]]);
  });

  it('makes a document depend on the clock', () => {
    const book = new Book();
    book.set('A1', '=LET(f;TODAY;f())');
    assert.equal(book.head.hasClock, true);
  });
});
