const COLUMNS = 10;

/** A million distinct texts of ten characters: their memory in addition to the characters. */
export const workload = {
  id: 'f2',
  title: '1M distinct texts of 10 characters',
  size: 1_000_000,
  onlyMemory: true,
  createRows(size) {
    let n = 0;
    return Array.from({ length: size / COLUMNS }, () =>
      Array.from({ length: COLUMNS }, () => `text${String(n++).padStart(6, '0')}`),
    );
  },
  getProbeCell: (size) => ({ row: size / COLUMNS / 2, column: 4 }),
  countCells: (size) => size,
  createPlainLoops: () => ({}),
  targets: [{ measure: 'memory', bytesAtMost: 10 + 24 }],
};
