import assert from 'node:assert/strict';
import { it } from 'node:test';
import { FILE, parse, WIRE } from '../../src/formula/index.ts';

const NAMES = { findSheetId: () => -1 };
const PLACE = { row: 0, column: 0 };

it('typographic quotes are part of a name in files, as in Excel, and an error with advice on the wire', () => {
  const inFile = parse('OR(A1<>“”,1)', FILE, PLACE, NAMES);
  assert.equal(inFile.k, 'call');
  const onWire = parse('=A1&“x”', WIRE, PLACE, NAMES);
  assert.equal(onWire.k, 'invalid');
  assert.match(onWire.k === 'invalid' ? onWire.message : '', /straight quotes/);
});
