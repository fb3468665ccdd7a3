import type { Answer, Api, Json } from './support.ts';

/** What the tests of records read: a header, and orders of which some fields are empty. */
export const ORDERS: readonly (readonly unknown[])[] = [
  ['Number', 'Customer', 'City', 'Date', 'Sum', 'Paid', 'Open', 'Status'],
  ['A-1001', 'Nordwind', 'Riga', '2026-03-01', 860, 100, true, 'open'],
  ['A-1002', 'Baltika', 'Riga', '2026-03-05', 120, 120, false, 'paid'],
  ['A-1003', 'nordsee', 'Tallinn', '2026-03-09', 99.5, '', true, 'new'],
  ['A-1004', '', 'Vilnius', '', 400, 250, true, 'open'],
  ['A-1005', 'Sudwest', 'riga', '2026-03-20', '', 10, false, 'OPEN'],
];

/** A document whose first sheet holds the orders. */
export async function withOrders(book: Api, rows = ORDERS): Promise<Api> {
  const { status } = await book.put('A1', rows as unknown[][]);
  if (status !== 200) throw new Error('the orders could not be written');
  return book;
}

export function query(book: Api, body: object): Promise<Answer> {
  return book.post('/records/query', { range: 'A:H', ...body });
}

/** The rows that a query finds. */
export function rowsOf({ body }: Answer): readonly number[] {
  return (body['records'] as unknown as Json[]).map((record) => Number(record['row']));
}
