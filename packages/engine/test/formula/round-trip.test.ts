import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Node } from '../../src/formula/ast.ts';
import { FILE, type Grammar, parse, print, WIRE } from '../../src/formula/index.ts';
import { FILE_NAMES } from '../../src/functions/file-names.ts';
import { ERROR_CODES } from '../../src/value/errors.ts';
import { D5, NAMES, removeParentheses, SHEETS } from './support.ts';

/** Trees are plain objects, so random trees must have the same prototype. */
const PLAIN = { noNullPrototype: true } as const;

const row = fc.oneof(
  fc.record({ at: fc.integer({ min: -4, max: 60 }), absolute: fc.constant(false) }, PLAIN),
  fc.record({ at: fc.integer({ min: 0, max: 1048575 }), absolute: fc.constant(true) }, PLAIN),
);
const column = fc.oneof(
  fc.record({ at: fc.integer({ min: -3, max: 900 }), absolute: fc.constant(false) }, PLAIN),
  fc.record({ at: fc.integer({ min: 0, max: 16383 }), absolute: fc.constant(true) }, PLAIN),
);
const id = fc.integer({ min: 0, max: SHEETS.length - 1 });
const sheet = fc.oneof(
  id.map((id) => ({ id })),
  fc.tuple(id, id).map(([from, to]) => ({ from, to })),
  fc.constantFrom({ missing: 'Nowhere' }, { missing: "no'where 2" }),
);
const word = fc.constantFrom('Rate', 'ставка_2', 'a.b', '_x', '名前', 'taxRate', 'XFE1');
const columnTitle = fc.constantFrom('Net', 'a b', "it's [x] #1", '@home', 'Ü', '1');

const addOptionalSheet = <T extends object>(node: fc.Arbitrary<T>) =>
  fc.oneof(
    node,
    fc.tuple(node, sheet).map(([value, sheet]) => ({ ...value, sheet })),
  );

const compareCoordinates = (a: { at: number; absolute: boolean }, b: { at: number; absolute: boolean }) =>
  (a.absolute === b.absolute ? a.at > b.at : b.absolute) ? [b, a] : [a, b];
const area = fc.tuple(row, column, row, column).map(([r1, c1, r2, c2]) => {
  const [top, bottom] = compareCoordinates(r1, r2);
  const [left, right] = compareCoordinates(c1, c2);
  return { k: 'area', top, left, bottom, right };
});
const createAbsoluteLine = (at: number) => ({ at, absolute: true });
const columns = fc.tuple(column, column).map(([c1, c2]) => {
  const [left, right] = compareCoordinates(c1, c2);
  return { k: 'area', top: createAbsoluteLine(0), left, bottom: createAbsoluteLine(1048575), right, whole: 'columns' };
});
const rows = fc.tuple(row, row).map(([r1, r2]) => {
  const [top, bottom] = compareCoordinates(r1, r2);
  return { k: 'area', top, left: createAbsoluteLine(0), bottom, right: createAbsoluteLine(16383), whole: 'rows' };
});
const open = fc.tuple(row, column, column).map(([top, c1, c2]) => {
  const [left, right] = compareCoordinates(c1, c2);
  return { k: 'area', top, left, bottom: createAbsoluteLine(1048575), right, open: true };
});

const constant = fc.oneof(
  fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }).map((value) => ({ k: 'number', value: value + 0 })),
  fc.string({ unit: 'grapheme', maxLength: 8 }).map((value) => ({ k: 'text', value })),
  fc.boolean().map((value) => ({ k: 'boolean', value })),
  fc.constantFrom(...ERROR_CODES).map((code) => ({ k: 'error', code })),
);
const array = fc
  .tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 3 }))
  .chain(([width, height]) =>
    fc.array(fc.array(constant, { minLength: width, maxLength: width }), { minLength: height, maxLength: height }),
  )
  .map((rows) => ({ k: 'array', rows }));
const table = fc.oneof(
  fc.constant({ k: 'table', table: 'Sales', items: [] }),
  fc
    .tuple(
      fc.constantFrom('Sales', ''),
      fc.constantFrom([], ['thisRow'], ['headers'], ['headers', 'data']),
      columnTitle,
    )
    .map(([table, items, from]) => ({ k: 'table', table, items, from })),
  fc
    .tuple(fc.constantFrom([], ['thisRow'], ['totals']), columnTitle, columnTitle)
    .map(([items, from, to]) => ({ k: 'table', table: 'Sales', items, from, to })),
);
const TRIMS = ['_TRO_LEADING', '_TRO_TRAILING', '_TRO_ALL'];
const trimmed = fc
  .tuple(fc.constantFrom(...TRIMS), addOptionalSheet(fc.oneof(area, columns, rows, open)))
  .map(([name, range]) => ({ k: 'call', name, args: [range] }));
const leaf = fc.oneof(
  trimmed,
  addOptionalSheet(fc.tuple(row, column).map(([row, column]) => ({ k: 'cell', row, column }))),
  addOptionalSheet(fc.oneof(area, columns, rows, open)),
  addOptionalSheet(word.map((name) => ({ k: 'name', name }))),
  constant,
  array,
  table,
);

const trees = fc.letrec((tie) => {
  const tree = tie('tree');
  const reference = fc.oneof(
    tree.map((arg) => ({ k: 'parentheses', arg })),
    fc.constant({ k: 'call', name: 'OFFSET', args: [] }),
    word.map((name) => ({ k: 'name', name })),
  );
  return {
    tree: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      leaf,
      tree.map((arg) => ({ k: 'parentheses', arg })),
      fc.tuple(fc.constantFrom('-', '+', '%', '@', '#'), tree).map(([op, arg]) => ({ k: 'unary', op, arg })),
      fc
        .tuple(fc.constantFrom('+', '-', '*', '/', '^', '&', '=', '<>', '<', '<=', '>', '>='), tree, tree)
        .map(([op, left, right]) => ({ k: 'binary', op, left, right })),
      fc
        .tuple(fc.constantFrom('union', 'intersect', ':'), reference, reference)
        .map(([op, left, right]) => ({ k: 'binary', op, left, right })),
      fc
        .tuple(fc.constantFrom(...TRIMS), reference, reference)
        .map(([name, left, right]) => ({ k: 'call', name, args: [{ k: 'binary', op: ':', left, right }] })),
      fc
        .tuple(fc.constantFrom('SUM', 'STDEV.S', 'XLOOKUP', 'ATAN2'), fc.array(tree, { maxLength: 3 }))
        .map(([name, args]) => ({ k: 'call', name, args })),
      fc
        .tuple(tree, fc.array(tree, { minLength: 1, maxLength: 2 }))
        .map(([value, args]) => ({ k: 'apply', callee: { k: 'call', name: 'LAMBDA', args: [value] }, args })),
    ),
  };
}).tree as fc.Arbitrary<Node>;

describe('printed formulas read back', () => {
  for (const [name, grammar, options] of [
    ['on the wire', WIRE, {}],
    ['in files', FILE, {}],
    ['as files store them', FILE, { file: FILE_NAMES }],
  ] as const) {
    it(name, () => {
      fc.assert(
        fc.property(trees, (tree) => {
          const text = print(tree, grammar, D5, NAMES, options);
          const parsed = parse(text, grammar, D5, NAMES);
          assert.deepEqual(removeParentheses(parsed), removeParentheses(tree), text);
          assert.deepEqual(parse(print(parsed, grammar, D5, NAMES, options), grammar, D5, NAMES), parsed, text);
        }),
        { numRuns: 2_000 },
      );
    });
  }

  it('the two grammars translate into each other without loss', () => {
    const through = (text: string, from: Grammar, to: Grammar) => print(parse(text, from, D5, NAMES), to, D5, NAMES);
    fc.assert(
      fc.property(trees, (tree) => {
        const text = print(tree, FILE, D5, NAMES);
        assert.equal(through(through(text, FILE, WIRE), WIRE, FILE), text);
      }),
    );
  });
});
