import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  createTemplateKey,
  FILE,
  matchesSkeleton,
  parse,
  parseSkeleton,
  type Skeleton,
  WIRE,
} from '../../src/formula/index.ts';
import { NAMES, parseWire, printNode } from './support.ts';

const ROW_2 = { row: 1, column: 3 };

function buildSkeleton(text: string): Skeleton {
  const result = parseSkeleton(text, WIRE, ROW_2);
  if (result === null) throw new Error(`no skeleton of ${text}`);
  return result;
}

describe('formulas filled down and to the right are recognised', () => {
  for (const [text, moved, row, column] of [
    ['=A2*B2+C2', '=A3*B3+C3', 2, 3],
    ['=A2*B2+C2', '=A1048576*B1048576+C1048576', 1048575, 3],
    ['=A2*B2+C2', '=B2*C2+D2', 1, 4],
    ['=A10+1', '=A9+1', 0, 3],
    ['=SUM($A$1:A2)', '=SUM($A$1:A99)', 98, 3],
    ['=VLOOKUP(A2;Sheet2!F:H;3;FALSE)', '=VLOOKUP(A7;Sheet2!F:H;3;FALSE)', 6, 3],
    ['=SUM(2:2)', '=SUM(7:7)', 6, 3],
    ['=SUM(A2:B)', '=SUM(A7:B)', 6, 3],
    ['="A2"&A2', '="A2"&A7', 6, 3],
    ['=LOG10(A2)', '=LOG10(A7)', 6, 3],
    ["='A2 '!A2", "='A2 '!A7", 6, 3],
    ['=Z2', '=AA2', 1, 4],
    ['=1+1', '=1+1', 9, 9],
  ] as const) {
    it(`${text} as ${moved}`, () => assert.equal(matchesSkeleton(buildSkeleton(text), moved, row, column), true));
  }
});

describe('other formulas are not', () => {
  for (const [text, other, row] of [
    ['=A2*B2+C2', '=A3*B3+C4', 2],
    ['=A2*B2+C2', '=A3*B3', 2],
    ['=A2*B2+C2', '=A3*B3+C3+D3', 2],
    ['=A2*B2+C2', '=A3*B3+C33', 2],
    ['=A2', '=A03', 2],
    ['=A2', '=A', 2],
    ['=A2', '=B3', 2],
    ['=A2', '=AA3', 2],
    ['=$A2', '=A3', 2],
    ['=A$2', '=A$3', 2],
    ['="A2"&A2', '="A7"&A7', 6],
    ['=A1', '=A0', 0],
  ] as const) {
    it(`${text} as ${other}`, () => assert.equal(matchesSkeleton(buildSkeleton(text), other, row, 3), false));
  }
  it('a formula that cannot be read has no skeleton', () =>
    assert.equal(parseSkeleton('=SUM(A1,A2)', WIRE, ROW_2), null));
});

describe('a match means the same template', () => {
  const piece = fc.constantFrom(
    ...[
      'A1',
      'b2',
      '$C3',
      'D$4',
      'A:B',
      '1:2',
      'A2:B',
      'A1:C9',
      'C9:A1',
      'Sheet1!A1',
      "'A1'!B2",
      'Jan:Mar!A1',
      '[1]S!A1',
    ],
    ...[
      '#REF!A1',
      'LOG10(A1)',
      '"A1"',
      'T[A1]',
      '[@A1]',
      'A1#',
      'F():A1:B2',
      'A1:F()',
      '1',
      '10',
      'TRUE',
      'x1y',
      'A',
      '{1}',
    ],
  );
  const operator = fc.constantFrom('+', '-', '*', '&', ' ', ':', ';', '(', ')', '%', '');
  const formula = fc.array(fc.tuple(piece, operator), { minLength: 1, maxLength: 4 }).map(
    (parts) =>
      `=${parts
        .flat()
        .join('')
        .replace(/[-+*& :;(]$/, '')}`,
  );
  const position = fc.record({ row: fc.integer({ min: 0, max: 12 }), column: fc.integer({ min: 0, max: 12 }) });

  it('for texts of similar shape', () => {
    let matches = 0;
    fc.assert(
      fc.property(
        formula,
        position,
        position,
        fc.constantFrom(WIRE, FILE),
        fc.boolean(),
        (text, from, to, grammar, isShifted) => {
          const parsed = parse(text, grammar, from, NAMES);
          const skeletonOfText = parseSkeleton(text, grammar, from);
          assert.equal(skeletonOfText === null, parsed.k === 'invalid', text);
          if (skeletonOfText === null) return;
          // The formula after it was filled into the other cell, or the unchanged text.
          const otherText = isShifted ? shiftCells(text, to.row - from.row, to.column - from.column) : text;
          if (!matchesSkeleton(skeletonOfText, otherText, to.row, to.column)) return;
          matches++;
          assert.equal(
            createTemplateKey(parse(otherText, grammar, to, NAMES)),
            createTemplateKey(parsed),
            `${text} as ${otherText}`,
          );
        },
      ),
      { numRuns: 20_000 },
    );
    assert.ok(matches > 500, `only ${matches} matches`);
  });

  /** Shifts everything that looks like a cell, including parts of texts and names. */
  function shiftCells(text: string, rows: number, columns: number): string {
    return text.replace(/([A-Z])(\d+)?|(\d+)/g, (match, letter?: string, digits?: string, rowAlone?: string) => {
      if (rowAlone !== undefined) return String(Math.max(1, Number(rowAlone) + rows));
      const newLetter = String.fromCharCode(Math.min(90, Math.max(65, (letter ?? '').charCodeAt(0) + columns)));
      return digits === undefined ? (rows === 0 ? newLetter : match) : newLetter + Math.max(1, Number(digits) + rows);
    });
  }
});

it('every printed filled-down formula matches', () => {
  const node = parseWire('=IF(A5>$B$1;SUM(C$1:C5)*1,5;VLOOKUP(B5;Sheet2!A:F;3;FALSE)&"A5")', { row: 4, column: 3 });
  const first = parseSkeleton(printNode(node, WIRE, { row: 4, column: 3 }), WIRE, { row: 4, column: 3 });
  assert.ok(first);
  for (let row = 0; row < 1200; row++) {
    assert.ok(matchesSkeleton(first, printNode(node, WIRE, { row, column: 3 }), row, 3), `row ${row}`);
  }
});
