import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { scaleRunCount } from '../../../../test/depth.ts';
import { FORMS, FUNCTIONS } from '../../src/functions/catalogue.ts';
import { isError, type Scalar, Workbook } from '../../src/index.ts';
import { importFormulas, type WorkbookContents } from './test-formulas.ts';

const ATOMS = [
  ...['1', '-2', '0.5', '45000', '1E300', '"x"', '"A1"', '"2024-01-01"', '""', 'TRUE', '#N/A', '', 'nope', 'SUM'],
  ...['A1', '@A1:A3', 'A1:B3', 'A:A', '1:2', '(A1,B2)', 'Sheet1:Other!A1', 'F1#', 'T1[a]', 'T1', 'Z99'],
  ...['{1,2;3,4}', '{1;"a";#N/A}', '{"a","b"}', 'SEQUENCE(3)', 'LAMBDA(x,x)', 'LAMBDA(x,y,x+y)'],
  ...['OFFSET(A1,{0;1},0)', 'OFFSET(A1:B2,{0,1},{0;1})', 'INDIRECT({"A1","B1:B2","no range"})'],
];
const OPERATORS = ['+', '-', '*', '/', '^', '&', '=', '<', ':', ' ', ','];

/** Bounds for the number of arguments: from the number of required arguments to two more than the function has. */
function getArgumentCounts(name: string): { readonly minLength: number; readonly maxLength: number } {
  const spec = FUNCTIONS.get(name);
  if (!spec) return { minLength: 1, maxLength: 4 };
  const minLength = spec.args.filter((arg) => !arg.optional).length;
  return { minLength, maxLength: spec.args.length + (spec.rest ? 2 : 0) };
}

const { expression } = fc.letrec<{ expression: string }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'formula' },
    { weight: 5, arbitrary: fc.constantFrom(...ATOMS) },
    {
      weight: 1,
      arbitrary: fc.tuple(tie('expression'), fc.constantFrom(...OPERATORS), tie('expression')).map((p) => p.join('')),
    },
    {
      weight: 6,
      arbitrary: fc
        .constantFrom(...FUNCTIONS.keys(), ...FORMS.keys())
        .chain((name) =>
          fc.array(tie('expression'), getArgumentCounts(name)).map((args) => `${name}(${args.join(',')})`),
        ),
    },
  ),
}));

const WORLD: WorkbookContents = {
  rows: [
    [1, 2, 'x'],
    ['a', true, null],
    [3.5, '2024-01-01', -1],
  ],
  cells: { F1: '=SEQUENCE(3)' },
  sheets: { Other: [[5, 6]] },
  tables: [
    {
      name: 'T1',
      sheet: 'Sheet1',
      area: { top: 0, left: 0, bottom: 2, right: 1 },
      headerRow: false,
      totalsRow: false,
      columns: ['a', 'b'],
    },
  ],
  // Whole columns have a million cells each. Formulas that read more of them than the budget allows are refused.
  context: { budget: { cells: 3_000_000, milliseconds: 60_000, clock: () => 0 } },
};

function isCellValue(value: Scalar): boolean {
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0);
  return value === null || isError(value) || typeof value === 'string' || typeof value === 'boolean';
}

it('formulas of all functions, arguments and operators have results that a cell can contain', () => {
  fc.assert(
    fc.property(fc.array(expression, { minLength: 5, maxLength: 20 }), (expressions) => {
      const workbook = importFormulas(
        expressions.map((text) => `=${text}`),
        WORLD,
      );
      if (!(workbook instanceof Workbook)) return assert.equal(workbook.reason, 'calculationLimit');
      const sheet = workbook.head.sheets[0];
      assert.ok(sheet);
      const { rows, columns } = sheet.extent();
      assert.ok(rows > 0 && columns > 0);
      for (let row = 999; row < rows; row++) {
        for (let column = 60; column < Math.min(columns, 80); column++) {
          assert.ok(isCellValue(sheet.value(row, column)), `R${row + 1}C${column + 1}`);
        }
      }
    }),
    { numRuns: scaleRunCount(500) },
  );
});
