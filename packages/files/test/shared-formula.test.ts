import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SharedFormula } from '../src/xlsx/shared-formula.ts';

/** Formulas in B2, and the same shared formulas in C5. */
const MOVES: readonly [inB2: string, inC5: string, why: string][] = [
  ['A1+1', 'B4+1', 'relative'],
  ['$A1*A$1*$A$1', '$A4*B$1*$A$1', 'absolute parts stay'],
  ['SUM(A1:B2)', 'SUM(B4:C5)', 'ranges'],
  ['SUM(A:A,$A:B,1:1,1:$2)', 'SUM(B:B,$A:C,4:4,4:$2)', 'whole columns and rows'],
  ['Data!A1+\'My "A1" sheet\'!A1', 'Data!B4+\'My "A1" sheet\'!B4', 'other sheets'],
  ["'It''s A1'!A1", "'It''s A1'!B4", 'apostrophes in a sheet name'],
  ['SUM(S1:S3!A1)', 'SUM(S1:S3!B4)', 'sheets that look like cells'],
  ['SUM(Data!A1:Data!B2)', 'SUM(Data!B4:Data!C5)', 'a range of two references'],
  ['[1]Prices!A1', '[1]Prices!B4', 'other workbooks'],
  ['"A1 said ""B2"""&A1', '"A1 said ""B2"""&B4', 'texts'],
  ['LOG10(A1)+ATAN2(A1,B1)', 'LOG10(B4)+ATAN2(B4,C4)', 'functions that look like cells'],
  ['Rate2024*A1_total+_A1', 'Rate2024*A1_total+_A1', 'names that contain a cell'],
  ['Sales[Net]+Sales[[#This Row],[A1]]', 'Sales[Net]+Sales[[#This Row],[A1]]', 'structured references'],
  ["Sales['[A1']]+A1", "Sales['[A1']]+B4", 'escaped brackets in a column name'],
  ['#REF!+A1+#N/A', '#REF!+B4+#N/A', 'errors'],
  ['1E5+2.5E-3*A1', '1E5+2.5E-3*B4', 'numbers'],
  ['XFE1+A1048577+AAAA1', 'XFE1+A1048577+AAAA1', 'words beyond the grid are names'],
  ['_xlfn.XLOOKUP(A1,B:B,C:C)', '_xlfn.XLOOKUP(B4,C:C,D:D)', 'prefixed functions'],
  ['Выручка!A1+Итого1', 'Выручка!B4+Итого1', 'letters of any script'],
  ['A1:INDEX(B:B,2)', 'B4:INDEX(C:C,2)', 'a range that ends in a call'],
  ['XFD1048576', 'A3', 'beyond the edge the grid starts over'],
];

for (const [inB2, inC5, why] of MOVES) {
  test(`a shared formula moves with its cell: ${why}`, () => {
    const formula = new SharedFormula(inB2, 1, 1);
    assert.equal(formula.getTextAt(4, 2), inC5);
    assert.equal(formula.getTextAt(1, 1), inB2);
  });
}
