/** A commit in the change feed. */
export const CHANGE_EXAMPLE = {
  revision: 42,
  changedAt: '2026-11-20T23:11:24.382Z',
  origin: 'api',
  sourceToken: 'import',
  author: { id: 1, name: 'Owner' },
  cellCount: 1,
  ranges: ['Orders!B3'],
  derived: ['Summary!F5'],
  truncated: false,
  structure: [],
  incarnation: '3b1f0e5a-8f57-4a51-9e0c-6d6a2d7c4f02',
};
