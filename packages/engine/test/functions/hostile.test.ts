import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { scaleRunCount } from '../../../../test/depth.ts';
import { requireValue } from '../../../../test/elements.ts';
import { FUNCTIONS } from '../../src/functions/catalogue.ts';
import { findArityProblem, invokeFunction } from '../../src/functions/invoke.ts';
import { MAX_TEXT_LENGTH } from '../../src/functions/limits.ts';
import { Lambda, Matrix, Reference, type Value } from '../../src/functions/value.ts';
import { ERROR_CODES, errorByCode } from '../../src/value/errors.ts';
import { isError, type Scalar } from '../../src/value/scalar.ts';
import { createContext, createLambda, createMatrix, createReference } from './call.ts';

const GRID = [
  [1, 'two', true, null],
  [-3.5, '', '2026-01-15', 46_037],
  [null, '*a?', 1e300, 0],
];

/** Maximum cells that a call may create here. In the service the calculation budget ends larger results. */
const MAX_CELLS = 200_000;

const scalar: fc.Arbitrary<Scalar> = fc.oneof(
  fc.constantFrom<Scalar>(null, true, false, '', 'text', '12', '0,5', '*', '~', '((', '#N/A', '😀\ud800'),
  fc.constantFrom(...ERROR_CODES).map((code) => requireValue(errorByCode(code), code)),
  fc.integer({ min: -5, max: 20 }),
  fc.constantFrom(0.5, -0, 1e-300, 1e308, -1e308, 2 ** 31, 2 ** 53, 45_000, 60, 1_048_577),
  fc.string({ maxLength: 8 }),
);
const value: fc.Arbitrary<Value | undefined> = fc.oneof(
  { weight: 6, arbitrary: scalar },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 3 }))
      .chain(([rows, columns]) =>
        fc.array(fc.array(scalar, { minLength: columns, maxLength: columns }), { minLength: rows, maxLength: rows }),
      )
      .map(createMatrix),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      createReference('A1'),
      createReference('A1:D3'),
      createReference('B2:F9'),
      createReference('A:B'),
      createReference('1:2'),
      createReference('A1', 'C2'),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      createLambda(1, (x) => x),
      createLambda(2, (x) => x),
      createLambda(1, () => createMatrix([[1, 2]])),
    ),
  },
  { weight: 1, arbitrary: fc.constant(undefined) },
);

class TooLargeResult extends Error {}

function checkScalar(result: Scalar): void {
  assert.ok(result === null || isError(result) || ['number', 'string', 'boolean'].includes(typeof result));
  if (typeof result === 'number') assert.ok(Number.isFinite(result));
  if (typeof result === 'string') assert.ok(result.length <= MAX_TEXT_LENGTH);
}

function checkValue(result: Value): void {
  if (result instanceof Matrix) {
    assert.ok(result.rows > 0 && result.columns > 0);
    assert.equal(result.data.length, result.rows * result.columns);
  } else if (result instanceof Reference) {
    for (const a of result.areas) assert.ok(a.top >= 0 && a.left >= 0 && a.bottom >= a.top && a.right >= a.left);
  } else if (!(result instanceof Lambda)) checkScalar(result);
}

describe('no arguments make a function throw, hang, or return a value that no cell can contain', () => {
  const context = {
    ...createContext({ grid: GRID }),
    spendCells: (cells: number) => {
      if (cells > MAX_CELLS) throw new TooLargeResult();
    },
  };
  for (const spec of FUNCTIONS.values()) {
    it(spec.name, () => {
      const least = spec.args.filter((a) => !a.optional).length;
      const most = spec.rest ? spec.args.length + 2 * spec.rest.length : spec.args.length;
      fc.assert(
        fc.property(fc.array(value, { minLength: least, maxLength: most }), (args) => {
          if (findArityProblem(spec, args.length) !== null) return;
          if (args.some((arg, i) => arg === undefined && !spec.args[i]?.optional)) return;
          try {
            checkValue(invokeFunction(spec, context, args));
          } catch (error) {
            if (!(error instanceof TooLargeResult)) throw error;
          }
        }),
        { numRuns: scaleRunCount(200) },
      );
    });
  }
});
