/** A revision in answers. */
export const REVISION_EXAMPLE = {
  revision: 42,
  at: '2026-11-20T23:11:24.382Z',
  userId: 1,
  userName: 'Owner',
  token: 'import',
  requestId: '7e0b1f9c-2f4e-4f0e-9d2a-0d4f6f0c5b11',
  origin: 'api',
  ranges: ['Orders!B3'],
  cells: 1,
};
