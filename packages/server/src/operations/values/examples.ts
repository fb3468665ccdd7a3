/** A page of a range in answers. */
export const PAGE_EXAMPLE = {
  sheet: 'Orders',
  range: 'A2:B2',
  majorDimension: 'ROWS',
  cells: [
    [
      { v: 'A-1013', m: 'A-1013' },
      { v: 860, m: '860,00', f: '=C2*D2' },
    ],
  ],
  pagination: { offset: 0, limit: 1000, total: 1, returned: 1, hasMore: false, nextOffset: null },
};

/** The written cells in answers to writes. */
export const WRITTEN_EXAMPLE = {
  updatedRange: 'Orders!A2:B2',
  updatedRows: 1,
  updatedColumns: 2,
  updatedCells: 2,
  cells: 2,
};
