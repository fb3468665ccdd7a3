import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Node } from '../../src/formula/ast.ts';
import { FILE, WIRE } from '../../src/formula/index.ts';
import { D5, parseFile, parseWire, printNode, printStored } from './support.ts';

describe('the canonical text on the wire', () => {
  for (const [formula, text] of [
    ['= sum( a1 ; b$2:$c3 )', '=SUM(A1;B$2:$C3)'],
    ['=B2:A1', '=A1:B2'],
    ['=C:$A', '=$A:C'],
    ['=$E:C', '=C:$E'],
    ['=A8:B$6', '=A$6:B8'],
    ['=9:$4', '=$4:9'],
    ['=$C:$A', '=$A:$C'],
    ['=4:2', '=2:4'],
    ['=A5:C', '=A5:C'],
    ['=A:C5', '=A5:C'],
    ['=A1  B1', '=A1 B1'],
    ['=true', '=TRUE'],
    ['=1E+21', '=1E+21'],
    ['=0,0000001', '=1E-7'],
    ['=1,50', '=1,5'],
    ['=0,30000000000000004', '=0,30000000000000004'],
    ['=123456789012345678', '=123456789012345680'],
    ['={-1,5\\"a""b";TRUE\\#N/A}', '={-1,5\\"a""b";TRUE\\#N/A}'],
    ['=(1+2)*3', '=(1+2)*3'],
    ['=((1))', '=((1))'],
    ['=-(-1)^2%', '=-(-1)^2%'],
    ['=if(A1;;)', '=IF(A1;;)'],
    ['=sheet1!a1', '=Sheet1!A1'],
    ["='sheet1'!a1", '=Sheet1!A1'],
    ["='2024'!A1", "='2024'!A1"],
    ["='r1c1'!A1", "='R1C1'!A1"],
    ['=😀!A1', "='😀'!A1"],
    ['=nowhere!A1', '=nowhere!A1'],
    ['=Sheet1:Sheet2!A:A', '=Sheet1:Sheet2!A:A'],
    ["='Sheet1:a b'!A1", "='Sheet1:a b'!A1"],
    ['=Sheet1:Nowhere!A1', "='Sheet1:Nowhere'!A1"],
    ['=sum( ( A1 ; C1:C2 ; B7 ) ; 1 )', '=SUM((A1;C1:C2;B7);1)'],
    ['=SUM((A1~B1))', '=SUM((A1;B1))'],
    ['=SUM(A1~B1;C1)', '=SUM(A1~B1;C1)'],
    ['=A1~B1', '=A1~B1'],
    ['=(A1;F(B1~C1;(D1;E1)))', '=(A1;F(B1~C1;(D1;E1)))'],
    ['=Sales[[#This Row],[Net]]', '=Sales[@Net]'],
    ['=Sales[[#This Row],[a b]]', '=Sales[@[a b]]'],
    ['=Sales[[#this row];[A]:[B]]', '=Sales[@[A]:[B]]'],
    ['=Sales[[#headers],[#data],[A]]', '=Sales[[#Headers];[#Data];[A]]'],
    ["=Sales[a'#b]", "=Sales[[a'#b]]"],
    ['=Sales', '=Sales[]'],
    ['=[@]', '=[@]'],
  ] as const) {
    it(formula, () => assert.equal(printNode(parseWire(formula)), text));
  }
});

describe('the text in files', () => {
  for (const [formula, text] of [
    ['=SUM(1,5;{1\\2;3\\4})', '=SUM(1.5,{1,2;3,4})'],
    ['=A1~B1', '=A1,B1'],
    ['=SUM(A1~B1;C1)', '=SUM((A1,B1),C1)'],
    ['=SUM((A1~B1);C1)', '=SUM((A1,B1),C1)'],
    ['=F(A1~B1+1)', '=F((A1,B1)+1)'],
    ['=F(-A1~B1)', '=F(-(A1,B1))'],
    ['=Sales[[#Headers];[A]]', '=Sales[[#Headers],[A]]'],
  ] as const) {
    it(formula, () => assert.equal(printNode(parseWire(formula), FILE), text));
  }
});

describe('the text that workbook files store', () => {
  for (const [formula, text] of [
    ['=XLOOKUP(A1;B1:B9;C1:C9)', '=_xlfn.XLOOKUP(A1,B1:B9,C1:C9)'],
    ['=SORT(FILTER(A1:A9;B1:B9))', '=_xlfn._xlws.SORT(_xlfn._xlws.FILTER(A1:A9,B1:B9))'],
    ['=SUM(A1)', '=SUM(A1)'],
    ['=NETWORKDAYS.INTL(A1;B1)', '=NETWORKDAYS.INTL(A1,B1)'],
    ['=@A1:A3+A1#', '=_xlfn.SINGLE(A1:A3)+_xlfn.ANCHORARRAY(A1)'],
    ['=A1:@F(2)', '=A1:_xlfn.SINGLE(F(2))'],
    ['=LET(x;A1;x+y)', '=_xlfn.LET(_xlpm.x,A1,_xlpm.x+y)'],
    ['=LAMBDA(x;[y];X+y)(1)', '=_xlfn.LAMBDA(_xlpm.x,_xlop.y,_xlpm.X+_xlpm.y)(1)'],
    ['=LET(f;LAMBDA(t;t*3);f(2))+t', '=_xlfn.LET(_xlpm.f,_xlfn.LAMBDA(_xlpm.t,_xlpm.t*3),_xlpm.F(2))+t'],
    ['=BYROW(A1:B2;SUM)', '=_xlfn.BYROW(A1:B2,_xleta.SUM)'],
    ['=Sales[@Net]', '=Sales[[#This Row],[Net]]'],
    ['=[@]', '=[#This Row]'],
  ] as const) {
    it(formula, () => {
      assert.equal(printStored(parseWire(formula)), text);
      assert.equal(printStored(parseFile(text)), text);
    });
  }
});

describe('lost references', () => {
  const cell = parseWire('=A1');
  it('beyond the grid are #REF!', () => {
    assert.equal(printNode(cell, WIRE, { row: 3, column: 3 }), '=#REF!');
    assert.equal(printNode(cell, WIRE, { row: 4, column: 2 }), '=#REF!');
    assert.equal(printNode(parseWire('=SUM(A1:B2;$A:$B)'), WIRE, { row: 0, column: 0 }), '=SUM(#REF!;$A:$B)');
  });
  it('to a deleted sheet are #REF!', () => {
    assert.equal(printNode({ ...cell, sheet: { id: 99 } } as Node), '=#REF!');
    assert.equal(printNode({ k: 'name', name: 'Rate', sheet: { id: 99 } }), '=#REF!');
  });
});

describe('brackets in trees that were not parsed', () => {
  const oneNode: Node = { k: 'number', value: 1 };
  const minusOne: Node = { k: 'number', value: -1 };
  const a: Node = parseWire('=A1');
  const x: Node = { k: 'name', name: 'x' };
  const binary = (op: string, left: Node, right: Node): Node => ({ k: 'binary', op, left, right }) as Node;
  const unary = (op: string, arg: Node): Node => ({ k: 'unary', op, arg }) as Node;
  for (const [text, node] of [
    ['=(1+1)*1', binary('*', binary('+', oneNode, oneNode), oneNode)],
    ['=1+1*1', binary('+', oneNode, binary('*', oneNode, oneNode))],
    ['=1-(1-1)', binary('-', oneNode, binary('-', oneNode, oneNode))],
    ['=1-1-1', binary('-', binary('-', oneNode, oneNode), oneNode)],
    ['=-1^1', binary('^', minusOne, oneNode)],
    ['=1^-1', binary('^', oneNode, minusOne)],
    ['=-(1^1)', unary('-', binary('^', oneNode, oneNode))],
    ['=-(1%)', unary('-', unary('%', oneNode))],
    ['=-1%', unary('%', unary('-', oneNode))],
    ['=(A1:B2)#', unary('#', parseWire('=A1:B2'))],
    ['=(1):A1', binary(':', oneNode, a)],
    ['=(x) (A1)', binary('intersect', x, { k: 'parentheses', arg: a })],
    ['=(A1 x) (A1)', binary('intersect', binary('intersect', a, x), { k: 'parentheses', arg: a })],
    ['=A1:(x)', binary(':', a, x)],
    ['=(x):Sheet1!A1', binary(':', x, { ...a, sheet: { id: 0 } } as Node)],
    ['=(x)(1)', { k: 'apply', callee: x, args: [oneNode] }],
    ['=(A1;A1) A1', binary('intersect', binary('union', a, a), a)],
  ] as const) {
    it(text, () => {
      assert.equal(printNode(node), text);
      assert.equal(printNode(parseWire(text)), text);
    });
  }
});

it('a formula that cannot be read keeps its text', () => {
  assert.equal(printNode(parseWire('=SUM(A1,B1)'), FILE, D5), '=SUM(A1,B1)');
});
