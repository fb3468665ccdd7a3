import { createRandom } from '../../lib/stats.mjs';
import { formatCellText } from '../cell-text.mjs';

const COLUMNS = 10;
/** Numbers of formulas that read the edited cells. */
const READERS = [0, 1, 10, 100];
/** Targets by edit, as multiples of HyperFormula's speed. */
const AT_LEAST = 4;

/**
 * Formulas without a common template: each multiplies a random number by its own constant and adds another one. Ten
 * columns of numbers, one of edited cells, ten of formulas. Formulas in random places read the edited cells; the last
 * formula reads all of them but the first.
 */
export const workload = {
  id: 'l',
  title: '100k distinct formulas, cells with few dependants',
  size: 100_000,
  createRows(size) {
    const { numbers, operands } = createFormulas(size);
    const addressOf = (i) =>
      i < size ? formatCellText(Math.floor(i / COLUMNS), i % COLUMNS) : formatCellText(i - size, COLUMNS);
    return Array.from({ length: size / COLUMNS }, (_, row) => [
      ...numbers.slice(row * COLUMNS, (row + 1) * COLUMNS),
      row,
      ...Array.from({ length: COLUMNS }, (_, column) => {
        const i = row * COLUMNS + column;
        const [factor, ...others] = operands[i].map(addressOf);
        return `=${factor}*${computeConstant(i)}+${others.join('+')}`;
      }),
    ]);
  },
  getProbeCell: (size) => ({ row: size / COLUMNS - 1, column: COLUMNS * 2 }),
  listEdits: (size) =>
    Object.fromEntries(READERS.map((_, i) => [formatEditName(i), { row: getEditedRow(size, i), column: COLUMNS }])),
  getWrittenValue: (i) => i + 0.5,
  createPlainLoops(rows) {
    const size = rows.length * COLUMNS;
    const { numbers, operands, readers } = createFormulas(size);
    const values = Float64Array.from([...numbers, ...rows.keys()]);
    const results = new Float64Array(size);
    const calculateFormula = (i) => {
      const [factor, ...others] = operands[i];
      results[i] = others.reduce((sum, at) => sum + values[at], values[factor] * computeConstant(i));
    };
    const edit = (name) => (value) => {
      values[size + getEditedRow(size, name)] = value;
      for (const i of readers[name]) calculateFormula(i);
      return results[size - 1];
    };
    for (let i = 0; i < size; i++) calculateFormula(i);
    return { edits: Object.fromEntries(READERS.map((_, i) => [formatEditName(i), edit(i)])) };
  },
  targets: READERS.map((_, i) => ({ measure: formatEditName(i), peer: 'hyperformula', atLeast: AT_LEAST })),
};

/** Returns the name of edit `i`, which contains its number of dependent formulas. */
function formatEditName(i) {
  return `edit, ${READERS[i]} ${READERS[i] === 1 ? 'dependant' : 'dependants'}`;
}

/** Returns the row of the cell of edit `i`. The edited cells are far apart. */
function getEditedRow(size, i) {
  return Math.floor((size / COLUMNS) * (0.2 + 0.2 * i));
}

/** Returns the constant of formula `i`. */
function computeConstant(i) {
  return i / 1_000 + 1;
}

/**
 * Creates the numbers, the operands of each formula and the readers of each edited cell. An operand is the index of a
 * number, or `size` and the row of a cell in the column of edited cells.
 */
function createFormulas(size) {
  const random = createRandom(13);
  const drawBelow = (n) => Math.floor(random() * n);
  const numbers = Array.from({ length: size }, () => drawBelow(1_000));
  const operands = Array.from({ length: size }, () => [drawBelow(size), drawBelow(size)]);
  const last = size - 1;
  operands[last] = READERS.flatMap((count, i) => (count > 0 ? [size + getEditedRow(size, i)] : []));
  const readers = READERS.map((count, i) => {
    const found = new Set(count > 0 ? [last] : []);
    while (found.size < count) {
      const at = drawBelow(last);
      if (operands[at][0] >= size) continue;
      operands[at][0] = size + getEditedRow(size, i);
      found.add(at);
    }
    return [...found];
  });
  return { numbers, operands, readers };
}
