import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { requireValue } from '../../../../test/elements.ts';
import type { Node } from '../../src/formula/ast.ts';
import { getAdvice, parseFile, parseWire } from './support.ts';

const createNumberNode = (value: number): Node => ({ k: 'number', value });
const createAbsoluteCoordinate = (at: number) => ({ at, absolute: true });
const createRelativeCoordinate = (at: number) => ({ at, absolute: false });
const createNameNode = (text: string): Node => ({ k: 'name', name: text });
/** A1 relative to D5. */
const A1: Node = { k: 'cell', row: createRelativeCoordinate(-4), column: createRelativeCoordinate(-3) };
const B2: Node = { k: 'cell', row: createRelativeCoordinate(-3), column: createRelativeCoordinate(-2) };
const A1_B2: Node = {
  k: 'area',
  top: createRelativeCoordinate(-4),
  left: createRelativeCoordinate(-3),
  bottom: createRelativeCoordinate(-3),
  right: createRelativeCoordinate(-2),
};

describe('the value of a formula by Excel’s precedence', () => {
  const value = (node: Node): number => {
    if (node.k === 'number') return node.value;
    if (node.k === 'parentheses') return value(node.arg);
    if (node.k === 'unary') {
      const arg = value(node.arg);
      return node.op === '-' ? -arg : node.op === '%' ? arg / 100 : arg;
    }
    if (node.k !== 'binary') throw new Error(node.k);
    const [left, right] = [value(node.left), value(node.right)];
    const results: Record<string, number> = {
      '+': left + right,
      '-': left - right,
      '*': left * right,
      '/': left / right,
      '^': left ** right,
      '=': Number(left === right),
      '<': Number(left < right),
      '>': Number(left > right),
      '>=': Number(left >= right),
    };
    return requireValue(results[node.op], node.op);
  };
  for (const [formula, expected] of [
    ['=-2^2', 4],
    ['=2^3^2', 64],
    ['=2^-1', 0.5],
    ['=-2^-2', 0.25],
    ['=1-2-3', -4],
    ['=12/2/3', 2],
    ['=1+2*3^2', 19],
    ['=(1+2)*3', 9],
    ['=200%%', 0.02],
    ['=50%^2', 0.25],
    ['=2*50%', 1],
    ['=--3', 3],
    ['=+-+3', -3],
    ['=1+1=2', 1],
    ['=3>2>=1', 1],
    ['=1<2=1', 1],
  ] as const) {
    it(`${formula} is ${expected}`, () => assert.equal(value(parseWire(formula)), expected));
  }
});

describe('numbers and texts', () => {
  for (const [formula, node] of [
    ['=1,5', createNumberNode(1.5)],
    ['=0,1', createNumberNode(0.1)],
    ['=1E3', createNumberNode(1000)],
    ['=1,5e-3', createNumberNode(0.0015)],
    ['=2E+2', createNumberNode(200)],
    ['=123456789012345678', createNumberNode(123456789012345680)],
    ['="a;b,c"', { k: 'text', value: 'a;b,c' }],
    ['="say ""hi"""', { k: 'text', value: 'say "hi"' }],
    ['=""', { k: 'text', value: '' }],
    ['=true', { k: 'boolean', value: true }],
    ['=FALSE', { k: 'boolean', value: false }],
    ['=TRUE()', { k: 'call', name: 'TRUE', args: [] }],
    ['=#n/a', { k: 'error', code: '#N/A' }],
    ['=#DIV/0!', { k: 'error', code: '#DIV/0!' }],
  ] as const) {
    it(formula, () => assert.deepEqual(parseWire(formula), node));
  }
  it('have a decimal point in files', () => {
    assert.deepEqual(parseFile('=1.5'), createNumberNode(1.5));
    assert.deepEqual(parseFile('=.5'), createNumberNode(0.5));
    assert.deepEqual(parseFile('=1.'), createNumberNode(1));
  });
});

describe('references relative to D5', () => {
  for (const [formula, node] of [
    ['=A1', A1],
    ['=a1', A1],
    ['=$A$1', { k: 'cell', row: createAbsoluteCoordinate(0), column: createAbsoluteCoordinate(0) }],
    ['=$A1', { k: 'cell', row: createRelativeCoordinate(-4), column: createAbsoluteCoordinate(0) }],
    ['=A$1', { k: 'cell', row: createAbsoluteCoordinate(0), column: createRelativeCoordinate(-3) }],
    ['=XFD1048576', { k: 'cell', row: createRelativeCoordinate(1048571), column: createRelativeCoordinate(16380) }],
    ['=A1:B2', A1_B2],
    ['=B2:A1', A1_B2],
    ['=B1:A2', A1_B2],
    ['=A1 : B2', A1_B2],
    [
      '=A$9:A1',
      {
        k: 'area',
        top: createAbsoluteCoordinate(8),
        left: createRelativeCoordinate(-3),
        bottom: createRelativeCoordinate(-4),
        right: createRelativeCoordinate(-3),
      },
    ],
    [
      '=C:$A',
      {
        k: 'area',
        top: createAbsoluteCoordinate(0),
        left: createAbsoluteCoordinate(0),
        bottom: createAbsoluteCoordinate(1048575),
        right: createRelativeCoordinate(-1),
        whole: 'columns',
      },
    ],
    [
      '=$4:$2',
      {
        k: 'area',
        top: createAbsoluteCoordinate(1),
        left: createAbsoluteCoordinate(0),
        bottom: createAbsoluteCoordinate(3),
        right: createAbsoluteCoordinate(16383),
        whole: 'rows',
      },
    ],
    [
      '=A2:B',
      {
        k: 'area',
        top: createRelativeCoordinate(-3),
        left: createRelativeCoordinate(-3),
        bottom: createAbsoluteCoordinate(1048575),
        right: createRelativeCoordinate(-2),
        open: true,
      },
    ],
    ['=XFE1', createNameNode('XFE1')],
    ['=A1048577', createNameNode('A1048577')],
    ['=A0', createNameNode('A0')],
    ['=A1B', createNameNode('A1B')],
    ['=LOG10', { k: 'cell', row: createRelativeCoordinate(5), column: createRelativeCoordinate(8508 - 3) }],
    ['=LOG10(A1)', { k: 'call', name: 'LOG10', args: [A1] }],
    ['=Налог_2', createNameNode('Налог_2')],
    ['=a.b\\c?', createNameNode('a.b\\c?')],
  ] as const) {
    it(formula, () => assert.deepEqual(parseWire(formula), node));
  }
});

describe('sheets', () => {
  const at = (sheet: object): Node =>
    ({ k: 'cell', sheet, row: createRelativeCoordinate(-4), column: createRelativeCoordinate(-3) }) as Node;
  for (const [formula, node] of [
    ['=sheet1!A1', at({ id: 0 })],
    ["='It''s'!A1", at({ id: 2 })],
    ["='a:b [1]'!A1", at({ id: 4 })],
    ["='[x]y'!A1", at({ id: 10 })],
    ['=2024!A1', at({ id: 5 })],
    ['=Лист1!A1', at({ id: 6 })],
    ['=Sheet1:Sheet2!A1', at({ from: 0, to: 1 })],
    ["='a b:It''s'!A1", at({ from: 3, to: 2 })],
    ["='a:b [1]:Sheet2'!A1", at({ from: 4, to: 1 })],
    ['=Nowhere!A1', at({ missing: 'Nowhere' })],
    ['=Sheet1:Nowhere!A1', at({ missing: 'Sheet1:Nowhere' })],
    ['=Jan:Mar!A1', at({ missing: 'Jan:Mar' })],
    ['=A1!A1', at({ missing: 'A1' })],
    ['=Sheet1!A1:B2', { ...A1_B2, sheet: { id: 0 } }],
    ['=Sheet2!Rate', { k: 'name', name: 'Rate', sheet: { id: 1 } }],
    ['=Sheet1!#REF!', { k: 'error', code: '#REF!' }],
    ['=#REF!$A$1:B2', { k: 'error', code: '#REF!' }],
    ['=#REF!#REF!', { k: 'error', code: '#REF!' }],
    ['=[1]Sheet1!A1:B2', { ...A1_B2, sheet: { external: '[1]Sheet1' } }],
    ['=[1]!Rate', { k: 'name', name: 'Rate', sheet: { external: '[1]' } }],
    ['=[1]!Sales[Qty]', { k: 'name', name: 'Sales[Qty]', sheet: { external: '[1]' } }],
    ["=[1]!'topic;item'", { k: 'name', name: "'topic;item'", sheet: { external: '[1]' } }],
    ['=[1]a:b!A1', at({ external: '[1]a:b' })],
    ["='[Book 1.xlsx]S'!A1", at({ external: '[Book 1.xlsx]S' })],
    ["='C:\\d\\[B.xlsx]S'!A1", at({ external: 'C:\\d\\[B.xlsx]S' })],
    ['=[0]!Rate', { k: 'name', name: 'Rate' }],
    ["='[0]It''s'!A1", at({ id: 2 })],
  ] as const) {
    it(formula, () => assert.deepEqual(parseWire(formula), node));
  }
});

describe('reference operators', () => {
  const binary = (op: string, left: Node, right: Node): Node => ({ k: 'binary', op, left, right }) as Node;
  const unary = (op: string, arg: Node): Node => ({ k: 'unary', op, arg }) as Node;
  const f: Node = { k: 'call', name: 'F', args: [] };
  for (const [formula, node] of [
    ['=A1:B2 A1', binary('intersect', A1_B2, A1)],
    ['=A1\n B2', binary('intersect', A1, B2)],
    ['=A1 ~ B2', binary('union', A1, B2)],
    ['=(A1;B2)', { k: 'parentheses', arg: binary('union', A1, B2) }],
    ['=F((A1 ; B2))', { k: 'call', name: 'F', args: [{ k: 'parentheses', arg: binary('union', A1, B2) }] }],
    ['=(F(A1;B2))', { k: 'parentheses', arg: { k: 'call', name: 'F', args: [A1, B2] } }],
    ['=A1~B2 A1', binary('union', A1, binary('intersect', B2, A1))],
    ['=A1 -B2', binary('-', A1, B2)],
    ['=F():A1', binary(':', f, A1)],
    ['=A1:F()', binary(':', A1, f)],
    ['=A1:B2:F()', binary(':', A1_B2, f)],
    ['=F():A1:B2', binary(':', binary(':', f, A1), B2)],
    ['=A1:@F()', binary(':', A1, unary('@', f))],
    ['=@A1:B2', unary('@', A1_B2)],
    ['=-@A1%', unary('%', unary('-', unary('@', A1)))],
    ['=A1#', unary('#', A1)],
    ['=A1:B2#', binary(':', A1, unary('#', B2))],
    ['=A1 (B2)', binary('intersect', A1, { k: 'parentheses', arg: B2 })],
    ['=F (A1)', { k: 'call', name: 'F', args: [A1] }],
    ['=SINGLE(A1)', unary('@', A1)],
    ['=_xlfn.ANCHORARRAY(A1)', unary('#', A1)],
  ] as const) {
    it(formula, () => assert.deepEqual(parseWire(formula), node));
  }
  it('a comma is a union in files, between arguments only in brackets', () => {
    assert.deepEqual(parseFile('=A1,B2'), binary('union', A1, B2));
    assert.equal(parseFile('Sheet1!$A:$A,Sheet1!$1:$1').k, 'binary');
    assert.deepEqual(parseFile('=F((A1,B2))'), {
      k: 'call',
      name: 'F',
      args: [{ k: 'parentheses', arg: binary('union', A1, B2) }],
    });
    assert.deepEqual(parseFile('=F(A1,B2)'), { k: 'call', name: 'F', args: [A1, B2] });
  });
});

describe('calls', () => {
  const missing: Node = { k: 'missing' };
  const x = createNameNode('x');
  const lambda: Node = { k: 'call', name: 'LAMBDA', args: [x, x] };
  for (const [formula, node] of [
    ['=f()', { k: 'call', name: 'F', args: [] }],
    ['=f( )', { k: 'call', name: 'F', args: [] }],
    ['=F(;)', { k: 'call', name: 'F', args: [missing, missing] }],
    ['=IF(A1;;3)', { k: 'call', name: 'IF', args: [A1, missing, createNumberNode(3)] }],
    ['=F(1,5;2)', { k: 'call', name: 'F', args: [createNumberNode(1.5), createNumberNode(2)] }],
    ['=stdev.s(A1)', { k: 'call', name: 'STDEV.S', args: [A1] }],
    ['=LAMBDA(x;x)(1)', { k: 'apply', callee: lambda, args: [createNumberNode(1)] }],
    [
      '=F()(1)(2)',
      {
        k: 'apply',
        callee: { k: 'apply', callee: { k: 'call', name: 'F', args: [] }, args: [createNumberNode(1)] },
        args: [createNumberNode(2)],
      },
    ],
    ['=Sheet1!Twice(A1)', { k: 'apply', callee: { k: 'name', name: 'Twice', sheet: { id: 0 } }, args: [A1] }],
  ] as const) {
    it(formula, () => assert.deepEqual(parseWire(formula), node));
  }
  for (const [formula, node] of [
    ['=_xlfn.CONCAT(A1)', { k: 'call', name: 'CONCAT', args: [A1] }],
    ['=_xlfn._xlws.SORT(A1)', { k: 'call', name: 'SORT', args: [A1] }],
    ['=_xlws.FILTER(A1)', { k: 'call', name: 'FILTER', args: [A1] }],
    ['=_xludf.foo(A1)', { k: 'call', name: 'FOO', args: [A1] }],
    ['=_xlfn.LAMBDA(_xlpm.x,_xlpm.x)', lambda],
    ['=_xlfn.LAMBDA(_xlop.x,1)', parseWire('=LAMBDA([x];1)')],
    ['=_xlpm.f(A1)', { k: 'call', name: 'F', args: [A1] }],
    ['=_xlfn.BYROW(A1,_xleta.SUM)', { k: 'call', name: 'BYROW', args: [A1, createNameNode('SUM')] }],
  ] as const) {
    it(`in files ${formula}`, () => assert.deepEqual(parseFile(formula), node));
  }
});

describe('array constants', () => {
  const array = (...rows: Node[][]): Node => ({ k: 'array', rows });
  it('separate elements by backslash and semicolon on the wire', () => {
    assert.deepEqual(
      parseWire('={1,5\\2;3\\4}'),
      array([createNumberNode(1.5), createNumberNode(2)], [createNumberNode(3), createNumberNode(4)]),
    );
    assert.deepEqual(
      parseWire('={ -1 \\ "a" ; TRUE\\#N/A }'),
      array(
        [createNumberNode(-1), { k: 'text', value: 'a' }],
        [
          { k: 'boolean', value: true },
          { k: 'error', code: '#N/A' },
        ],
      ),
    );
  });
  it('separate elements by comma and semicolon in files', () =>
    assert.deepEqual(
      parseFile('={1.5,+2;3,4}'),
      array([createNumberNode(1.5), createNumberNode(2)], [createNumberNode(3), createNumberNode(4)]),
    ));
});

describe('structured references', () => {
  const table = (name: string, items: string[], from?: string, to?: string) => ({
    k: 'table',
    table: name,
    items,
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
  });
  for (const [formula, node] of [
    ['=Sales[]', table('Sales', [])],
    ['=sales', table('sales', [])],
    ['=Sales[Net]', table('Sales', [], 'Net')],
    ['=Sales[Net total]', table('Sales', [], 'Net total')],
    ['=Sales[#All]', table('Sales', ['all'])],
    ['=Sales[#this row]', table('Sales', ['thisRow'])],
    ['=Sales[[#Headers];[A]:[B]]', table('Sales', ['headers'], 'A', 'B')],
    ['=Sales[[#Headers],[A]:[B]]', table('Sales', ['headers'], 'A', 'B')],
    ['=Sales[ [#Headers] ; [#Data] ; [A] ]', table('Sales', ['headers', 'data'], 'A')],
    ['=Sales[[A]:[B]]', table('Sales', [], 'A', 'B')],
    ['=Sales[@]', table('Sales', ['thisRow'])],
    ['=Sales[@Net]', table('Sales', ['thisRow'], 'Net')],
    ['=[@Net]', table('', ['thisRow'], 'Net')],
    ['=[@[a b]]', table('', ['thisRow'], 'a b')],
    ['=[@[A]:[B]]', table('', ['thisRow'], 'A', 'B')],
    ['=[Net]', table('', [], 'Net')],
    ["=Sales['[x'] '#1 '@ '']", table('Sales', [], "[x] #1 @ '")],
  ] as const) {
    it(formula, () => assert.deepEqual(parseWire(formula), node));
  }
});

describe('advice for formulas that cannot be read', () => {
  const separators = 'use `;` between arguments and a decimal comma';
  for (const [formula, expected] of [
    ['=SUM(A1,B2)', separators],
    ['=SUM(1,2,3)', separators],
    ['=A1,B1', separators],
    ['=ROUND(A1;,5)', separators],
    ['=1.5', 'use a decimal comma: `1,5`, not `1.5`'],
    ['=SUM(.5)', 'use a decimal comma: `1,5`, not `1.5`'],
    ['=(1', 'the `(` at character 2 is never closed'],
    ['=SUM(A1;2', 'the `(` at character 5 is never closed'],
    ['=1)', 'the `)` at character 3 closes no bracket'],
    ['=', 'the formula ends where a value is expected'],
    ['=1+', 'the formula ends where a value is expected'],
    ['="abc', 'the text that begins at character 2 has no closing `"`'],
    ["='abc", "the sheet name that begins at character 2 has no closing `'`"],
    ["='a b'A1", 'texts take `"`; a sheet name in `\'` needs a `!` after it (character 6)'],
    ["=''!A1", 'the sheet name at character 2 is empty'],
    ['={1\\2;3}', 'the rows of the array at character 2 differ in length'],
    ['={1', 'the `{` at character 2 is never closed'],
    ['={A1}', 'an array holds numbers, texts, TRUE, FALSE and errors only (character 3)'],
    ['={1,2,3}', 'use `\\` between the columns of an array, `;` between its rows and a decimal comma'],
    ['=Sales[A', 'the `[` at character 7 is never closed'],
    ['=1 2', '`2` is not expected at character 4'],
    ['=A1 § B1', '`§` is not expected at character 5'],
    ['=😀+1 1', '`1` is not expected at character 7'],
    ['=“a”', 'use straight quotes `"` around texts, not `“` (character 2)'],
    ['=1E999', 'the number at character 2 is too large'],
    ['=5:A1', '`:` joins references only, and one side of it is none (before character 6)'],
    ['=SUM((A1;1))', '`;` joins references only, and one side of it is none (before character 11)'],
    ['=A1;B1', '`;` is not expected at character 4'],
    ['=12abc', '`a` is not expected at character 4'],
    ['=#WHAT!', '`#` is not expected at character 2'],
    ['=$', '`$` is not expected at character 2'],
  ] as const) {
    it(formula, () => assert.equal(getAdvice(parseWire(formula)), expected));
  }
  it('names the comma for a semicolon in files', () =>
    assert.equal(getAdvice(parseFile('=SUM(1;2)')), 'use `,` between arguments and a decimal dot'));
  it('keeps the text with its =', () => {
    assert.deepEqual(parseWire('1)'), {
      k: 'invalid',
      text: '=1)',
      message: 'the `)` at character 3 closes no bracket',
    });
  });
});

describe('blanks', () => {
  it('are accepted between all tokens', () =>
    assert.deepEqual(
      parseWire('= SUM (\n A1 : B2 ;\t- 1 % ; (\u00a0"a" & { 1 \\ 2 } ) ) '),
      parseWire('=SUM(A1:B2;-1%;("a"&{1\\2}))'),
    ));
  it('the leading = is optional', () => assert.deepEqual(parseWire('A1+1'), parseWire('=A1+1')));
});
