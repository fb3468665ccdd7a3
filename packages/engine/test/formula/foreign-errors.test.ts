import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FILE, parse, WIRE } from '../../src/formula/index.ts';
import { testFormulas } from '../semantics/test-formulas.ts';

const NAMES = { findSheetId: () => -1 };
const PLACE = { row: 0, column: 0 };

// LibreOffice writes errors without `#`, and names in quotes.
testFormulas('errors and names in files of other programs', [
  ['=ERROR.TYPE(#DIV/0 )', 2],
  ['=ERROR.TYPE(#REF )', 4],
  ['=ERROR.TYPE(#VALUE)', 3],
  ['=ERROR.TYPE(#NAME)', 5],
  ['=ERROR.TYPE(#null)', 5],
  ['=ERROR.TYPE(#nonsense)', 5],
  ["=SUM('first':'last'!B1:B1)", '#NAME?'],
]);

describe('on the wire', () => {
  for (const text of ['=ERROR.TYPE(#REF)', "=SUM('first':'last'!B1)", '=#']) {
    it(`${text} is a mistake`, () => assert.equal(parse(text, WIRE, PLACE, NAMES).k, 'invalid'));
  }
  it('a single # in a file is an error', () => assert.equal(parse('1+# ', FILE, PLACE, NAMES).k, 'invalid'));
});
