import type { Api, ApiResponse, Json } from './support.ts';

/** Header and orders for the tests of records; some fields are empty. */
export const ORDERS: readonly (readonly unknown[])[] = [
  ['Number', 'Customer', 'City', 'Date', 'Sum', 'Paid', 'Open', 'Status'],
  ['A-1001', 'Nordwind', 'Riga', '2026-03-01', 860, 100, true, 'open'],
  ['A-1002', 'Baltika', 'Riga', '2026-03-05', 120, 120, false, 'paid'],
  ['A-1003', 'nordsee', 'Tallinn', '2026-03-09', 99.5, '', true, 'new'],
  ['A-1004', '', 'Vilnius', '', 400, 250, true, 'open'],
  ['A-1005', 'Sudwest', 'riga', '2026-03-20', '', 10, false, 'OPEN'],
];

/** Writes the orders to the first sheet of a document. */
export async function writeOrders(book: Api, rows = ORDERS): Promise<Api> {
  const { status } = await book.put('A1', rows as unknown[][]);
  if (status !== 200) throw new Error('the orders could not be written');
  return book;
}

export function queryRecords(book: Api, body: object): Promise<ApiResponse> {
  return book.post('/records/query', { range: 'A:H', ...body });
}

/** The row numbers in a query result. */
export function readRowNumbers({ body }: ApiResponse): readonly number[] {
  return (body['records'] as unknown as Json[]).map((record) => Number(record['row']));
}
