import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  collectReferences,
  createTemplateKey,
  hasMatchingNode,
  parseR1C1,
  print,
  resolveSheets,
  transformTree,
  WIRE,
} from '../../src/formula/index.ts';
import { D5, NAMES, parseWire, printNode } from './support.ts';

describe('walking a formula', () => {
  const node = parseWire('=LET(x;A1;SUM(B1:B2;Sales[Net])+x+F(C1)(D1)+{1\\2})');
  it('lists its references in reading order', () => {
    const texts = collectReferences(node).map((reference) => print(reference, WIRE, D5, NAMES));
    assert.deepEqual(texts, ['=x', '=A1', '=B1:B2', '=Sales[Net]', '=x', '=C1', '=D1']);
  });
  it('finds a node', () => {
    assert.equal(
      hasMatchingNode(node, (next) => next.k === 'apply'),
      true,
    );
    assert.equal(
      hasMatchingNode(node, (next) => next.k === 'text'),
      false,
    );
  });
});

describe('transforming a formula', () => {
  const node = parseWire('=SUM(A1;-(A1);{1\\2};F(A1)(A1)%)');
  it('replaces nodes at any depth', () => {
    const changed = transformTree(node, (next) => (next.k === 'cell' ? { k: 'error', code: '#REF!' } : next));
    assert.equal(printNode(changed), '=SUM(#REF!;-(#REF!);{1\\2};F(#REF!)(#REF!)%)');
    assert.equal(printNode(node), '=SUM(A1;-(A1);{1\\2};F(A1)(A1)%)');
  });
  it('changes elements of arrays', () => {
    const changed = transformTree(node, (next) =>
      next.k === 'number' ? { k: 'number', value: next.value * 10 } : next,
    );
    assert.equal(printNode(changed), '=SUM(A1;-(A1);{10\\20};F(A1)(A1)%)');
  });
  it('reuses unchanged parts of the tree', () =>
    assert.equal(
      transformTree(node, (next) => next),
      node,
    ));
});

describe('templates', () => {
  it('are equal for a formula filled down', () => {
    assert.equal(
      createTemplateKey(parseWire('=A1+$B$1', { row: 0, column: 2 })),
      createTemplateKey(parseWire('=A2+$B$1', { row: 1, column: 2 })),
    );
  });
  it('differ for other formulas', () => {
    const keys = ['=A1', '=$A1', '=A$1', '=A1:A1', '=(A1)', '=+A1', '=A1%', '=A1#', '=@A1', '=Sheet1!A1', '=A2', '=B1'];
    assert.equal(new Set(keys.map((text) => createTemplateKey(parseWire(text)))).size, keys.length);
  });
  it('do not depend on spaces and letter case of a formula', () => {
    assert.equal(createTemplateKey(parseWire('= sum( a1 ; 1,50 )')), createTemplateKey(parseWire('=SUM(A1;1,5)')));
  });
});

describe('sheets that do not exist yet', () => {
  const node = parseWire('=SUM(New!A1:B2;Sheet1!A1)+new!Rate+A1');
  it('get their id when they are added', () => {
    const resolved = resolveSheets(node, { findSheetId: (name) => (name.toUpperCase() === 'NEW' ? 1 : -1) });
    assert.equal(printNode(resolved), '=SUM(Sheet2!A1:B2;Sheet1!A1)+Sheet2!Rate+A1');
    assert.equal(
      createTemplateKey(resolved),
      createTemplateKey(parseWire('=SUM(Sheet2!A1:B2;Sheet1!A1)+Sheet2!Rate+A1')),
    );
  });
  it('keep their name when another sheet is added', () =>
    assert.equal(resolveSheets(node, { findSheetId: () => -1 }), node));
});

describe('R1C1 references relative to D5', () => {
  for (const [text, a1] of [
    ['R1C1', '=$A$1'],
    ['r[-1]c[2]', '=F4'],
    ['RC', '=D5'],
    ['R[+1]C', '=D6'],
    ['R1C', '=D$1'],
    ['RC1', '=$A5'],
    ['R1C1:R3C3', '=$A$1:$C$3'],
    ['R3C3:R1C1', '=$A$1:$C$3'],
    ['R[1]C[1]:RC', '=D5:E6'],
    ['R', '=5:5'],
    ['R2:R[0]', '=$2:5'],
    ['C3', '=$C:$C'],
    ['C[-1]:C', '=C:D'],
  ] as const) {
    it(text, () => {
      const node = parseR1C1(text, D5);
      assert.equal(node && printNode(node), a1);
    });
  }
  for (const text of [
    '',
    'A1',
    'R0C1',
    'R[-5]C',
    'C[-4]',
    'R1048577C1',
    'C16385',
    'R1C1:',
    ':R1C1',
    'R1:C1',
    'R1C1:R2',
    'R[1',
    'R1C1 ',
  ]) {
    it(`${text || 'an empty text'} is not a reference`, () => assert.equal(parseR1C1(text, D5), null));
  }
});
