import { createRandom } from '../../lib/stats.mjs';
import { formatCellText } from '../cell-text.mjs';

const COLUMNS = 10;
/** Approximate numbers of formulas that an edit makes dirty. */
const DIRTY = [10, 1_000, 30_000];

/**
 * Formulas without a common template: each adds two random numbers, times its own constant, to one random earlier
 * formula. Ten columns of numbers, ten of formulas. The edited numbers have about 10, 1,000 and 30,000 dependent
 * formulas.
 */
export const workload = {
  id: 'h',
  title: '100k distinct formulas with 3 random references',
  size: 100_000,
  measuresBuild: true,
  createRows(size) {
    const { precedents, numbers } = createGraph(size);
    const getCellAddress = (i, shift) => formatCellText(Math.floor(i / COLUMNS), (i % COLUMNS) + shift);
    return Array.from({ length: size / COLUMNS }, (_, row) => {
      const formulas = Array.from({ length: COLUMNS }, (_, column) => {
        const [a, b, c] = precedents[row * COLUMNS + column];
        const formula = `=${getCellAddress(a, 0)}*${computeConstant(row * COLUMNS + column)}+${getCellAddress(b, 0)}`;
        return c < 0 ? formula : `${formula}+${getCellAddress(c, COLUMNS)}`;
      });
      return [...numbers.slice(row * COLUMNS, (row + 1) * COLUMNS), ...formulas];
    });
  },
  getProbeCell: (size) => ({ row: size / COLUMNS - 1, column: COLUMNS * 2 - 1 }),
  listEdits(size) {
    const { roots } = createGraph(size);
    return Object.fromEntries(
      roots.map(({ number, name }) => [name, { row: Math.floor(number / COLUMNS), column: number % COLUMNS }]),
    );
  },
  getWrittenValue: (i) => i + 1,
  createPlainLoops(rows) {
    const size = rows.length * COLUMNS;
    const { precedents, numbers, roots } = createGraph(size);
    const values = Float64Array.from(numbers);
    const results = new Float64Array(size);
    const flat = Int32Array.from(precedents.flat());
    const constants = Float64Array.from(precedents, (_, i) => computeConstant(i));
    const calculateFormula = (i) => {
      const earlier = flat[i * 3 + 2];
      const own = values[flat[i * 3]] * constants[i] + values[flat[i * 3 + 1]];
      results[i] = earlier < 0 ? own : own + results[earlier];
    };
    const build = () => {
      for (let i = 0; i < size; i++) calculateFormula(i);
      return results[size - 1];
    };
    build();
    const edit = ({ number, dirty }) => {
      return (value) => {
        values[number] = value;
        for (let i = 0; i < dirty.length; i++) calculateFormula(dirty[i]);
        return results[size - 1];
      };
    };
    return { build, edits: Object.fromEntries(roots.map((root) => [root.name, edit(root)])) };
  },
  targets: [
    { measure: 'build', peer: 'best', atLeast: 3 },
    ...DIRTY.map((_, i) => ({ measure: formatEditName(i), peer: 'best', atLeast: 3 })),
  ],
};

/** Returns the name of edit `i`, which contains its number of dirty formulas. */
function formatEditName(i) {
  return `edit, ${DIRTY[i].toLocaleString('en-US')} dirty`;
}

/** Returns the constant of formula `i`. */
function computeConstant(i) {
  return i / 1_000 + 1;
}

let cachedGraph = null;

/**
 * Creates the precedents (two numbers and one earlier formula) of each formula, the numbers, and the numbers to edit.
 */
function createGraph(size) {
  if (cachedGraph?.size === size) return cachedGraph;
  const random = createRandom(11);
  const drawBelow = (n) => Math.floor(random() * n);
  const precedents = Array.from({ length: size }, (_, i) => [
    drawBelow(size),
    drawBelow(size),
    i === 0 ? -1 : drawBelow(i),
  ]);
  const numbers = Array.from({ length: size }, () => drawBelow(1_000));
  cachedGraph = { size, precedents, numbers, roots: findInputCells(precedents) };
  return cachedGraph;
}

/**
 * Finds, for each target count, the input cell whose edit makes nearly that many formulas dirty, and these formulas.
 */
function findInputCells(precedents) {
  const below = new Int32Array(precedents.length).fill(1);
  for (let i = precedents.length - 1; i > 0; i--) below[precedents[i][2]] += below[i];
  return DIRTY.map((target, i) => {
    let best = 0;
    for (let f = 1; f < precedents.length; f++) {
      if (Math.abs(below[f] - target) < Math.abs(below[best] - target)) best = f;
    }
    const number = precedents[best][0];
    return { name: formatEditName(i), number, dirty: findDirtyFormulas(precedents, number) };
  });
}

/**
 * Returns the indexes of the formulas that depend on an input number, directly or indirectly, in the order of
 * calculation.
 */
function findDirtyFormulas(precedents, number) {
  const isDirty = new Uint8Array(precedents.length);
  const dirty = [];
  precedents.forEach(([a, b, c], i) => {
    if (a !== number && b !== number && (c < 0 || isDirty[c] === 0)) return;
    isDirty[i] = 1;
    dirty.push(i);
  });
  return Int32Array.from(dirty);
}
