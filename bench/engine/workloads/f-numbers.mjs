import { createRandom } from '../../lib/stats.mjs';

const COLUMNS = 10;

/**
 * A million numbers without dependants: one is edited; their memory is measured; they are restored from stored bytes.
 */
export const workload = {
  id: 'f1',
  title: '1M numbers',
  size: 1_000_000,
  growth: [10_000, 100_000, 1_000_000],
  createRows(size) {
    const random = createRandom(9);
    return Array.from({ length: size / COLUMNS }, () =>
      Array.from({ length: COLUMNS }, () => Math.floor(random() * 1_000_000) / 100),
    );
  },
  getProbeCell: (size) => ({ row: size / COLUMNS / 2, column: 4 }),
  listEdits: (size) => ({ 'edit of a lone cell': { row: size / COLUMNS / 2, column: 4 } }),
  getWrittenValue: (i) => i + 0.25,
  createPlainLoops(rows) {
    const numbers = new Float64Array(rows.length * COLUMNS);
    // Bytes that a column store needs for a number: eight for the value, and one for its kind.
    const stored = Array.from({ length: Math.ceil((rows.length * COLUMNS) / 256) }, () => new Uint8Array(256 * 9));
    return {
      edits: {
        'edit of a lone cell'(value) {
          numbers[numbers.length >> 1] = value;
          return value;
        },
      },
      steps: { restore: () => stored.map((bytes) => bytes.slice()).length },
    };
  },
  createSteps(engine, model) {
    if (engine.store === undefined) return {};
    const stored = engine.store(model);
    return { restore: () => engine.restore(stored) };
  },
  countCells: (size) => size,
  targets: [
    { measure: 'edit of a lone cell', peer: 'hyperformula', atLeast: 10 },
    { measure: 'restore', peer: 'limit', atMost: 8 },
    { measure: 'memory', bytesAtMost: 16 },
  ],
};
