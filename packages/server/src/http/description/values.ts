import type { Words } from './words.ts';

const PAGE = {
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
const WRITTEN = { updatedRange: 'Orders!A2:B2', updatedRows: 1, updatedColumns: 2, updatedCells: 2, cells: 2 };

/** Cells by their addresses, and what a token may do. */
export const VALUE_WORDS: Words = {
  getValues: {
    description:
      'A range by pages of up to 1000 rows; empty cells are `null`. Its ETag holds until something in the range changes. With `Accept: application/x-ndjson` all rows at one revision, a line each.',
    answer: { values: PAGE },
    texts: {
      'application/x-ndjson': '[{"v":"A-1013","m":"A-1013"},null]\n{"end":true,"records":1,"revisionId":"42"}\n',
    },
  },
  putValues: {
    description:
      'Writes a matrix from the range’s top left cell on. `null` leaves a cell as it is, `""` clears it. Formulas that depend on it are calculated before the answer.',
    request: { values: [['A-1013', '=C2*D2']] },
    answer: { updated: { sheet: 'Orders', ...WRITTEN } },
  },
  batchGetValues: {
    description: 'Up to 20 ranges at one revision; what is wrong with one is said in its place.',
    answer: { valueRanges: [PAGE, { range: 'Nope!A1', error: 'Sheet not found' }] },
  },
  batchGetAcrossDocuments: {
    description: 'Ranges as `{document}!{range}`, each document at one revision. Needs `sheets.crossbook.read`, too.',
    answer: { valueRanges: [{ document: '6f1c2a7e-2f0b-4c1e-9a58-0d5b1f1f7a10', ...PAGE }] },
  },
  batchUpdateValues: {
    description: 'Many ranges in one revision, all or none.',
    request: { data: [{ range: 'Orders!A2', values: [['A-1013', 860]] }] },
    answer: { updated: { ranges: [{ sheet: 'Orders', range: 'Orders!A2', ...WRITTEN }], cells: 2 } },
  },
  appendValues: {
    description: 'Below the last filled row of the sheet. Two at the same time never share a row.',
    request: { range: 'Orders!A:B', values: [['A-1014', 120]] },
    answer: { updated: { sheet: 'Orders', startRow: 3, ...WRITTEN, updatedRange: 'Orders!A3:B3' } },
  },
  clearValues: {
    description: 'Removes values and formulas; formats stay. `cells` counts those that were filled.',
    request: { range: 'Orders!J:J' },
    answer: { updated: { sheet: 'Orders', cells: 2 } },
  },
  getUserinfo: {
    description: 'The scopes of the token; 200 for every valid one.',
    answer: { scopes: ['sheets.read', 'sheets.write'] },
  },
  getUsage: {
    description: 'Where an AI agent’s requests stand; asking costs none of them.',
    answer: { unlimited: false, window: 'minute', limit: 120, used: 3, remaining: 117, resetInSeconds: 41 },
  },
};
