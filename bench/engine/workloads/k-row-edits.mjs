import { createRandom } from '../../lib/stats.mjs';

const NUMBERS = 9;

/** Inserts a row in the middle of a million cells with 100k formulas; the next call deletes it. */
export const workload = {
  id: 'k',
  title: 'a row inserted in the middle, and deleted again',
  size: 100_000,
  growth: [1_000, 10_000, 100_000],
  engines: ['cellwire', 'hyperformula', 'ironcalc'],
  createRows(size) {
    const random = createRandom(11);
    return Array.from({ length: size }, (_, row) => [
      ...Array.from({ length: NUMBERS }, () => Math.floor(random() * 10_000) / 100),
      `=A${row + 1}*B${row + 1}+$C$1`,
    ]);
  },
  getProbeCell: () => ({ row: 0, column: NUMBERS }),
  createPlainLoops: () => ({}),
  createSteps(engine, model, size) {
    const changeLine = (i) => (i % 2 === 0 ? engine.insertRow(model, size >> 1) : engine.deleteRow(model, size >> 1));
    return {
      line: changeLine,
      'line, and a cell below it read'(i) {
        changeLine(i);
        return engine.read(model, size - 1, NUMBERS);
      },
    };
  },
  targets: [{ measure: 'line', peer: 'best', atLeast: 10 }],
};
