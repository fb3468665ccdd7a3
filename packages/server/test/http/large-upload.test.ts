import assert from 'node:assert/strict';
import { it } from 'node:test';
import { memberAt, startWorld } from './support.ts';

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
/** Columns of numbers, and behind them one of long texts: more than an import keeps in memory before it uses a file. */
const ROWS = 6_000;
const COLUMNS = 7;
const TEXT_LENGTH = 1_000;
const CHECKED = ['A1', 'G1', 'H1', 'D257', `A${ROWS}`, `G${ROWS}`, `H${ROWS}`];

it('imports a large workbook whose formulas read cells that were already put aside', async (t) => {
  const world = await startWorld();
  t.after(() => world.close());
  const owner = await world.createBook();
  const upload = async (raw: string | Uint8Array, type: string) => {
    const { status, body } = await owner.request('POST', '/documents?locale=en-US', {
      raw,
      headers: { 'content-type': type },
    });
    assert.equal(status, 200, JSON.stringify(body));
    return owner.forDocument(String(memberAt(body, 'document')['id']));
  };
  const rows = Array.from({ length: ROWS }, (_, row) => {
    const numbers = Array.from({ length: COLUMNS }, (_column, column) => Math.sqrt(row * COLUMNS + column));
    return [...numbers, `text ${row}`.padEnd(TEXT_LENGTH, '.')].join(',');
  });
  const book = await upload(rows.join('\n'), 'text/csv');
  assert.equal((await book.put('J1', [[`=MAX(A1:H${ROWS})`, `=COUNT(A:H)`]])).status, 200);
  const response = await fetch(`${book.base}/api/v1/documents/${book.document}/export?format=xlsx`, {
    headers: { authorization: `Bearer ${book.token}` },
  });
  assert.equal(response.status, 200);
  const copy = await upload(new Uint8Array(await response.arrayBuffer()), XLSX);
  for (const address of CHECKED) assert.deepEqual(await copy.cell(address), await book.cell(address), address);
  assert.equal((await copy.cell('J1'))['v'], Math.sqrt(ROWS * COLUMNS - 1));
  assert.equal((await copy.cell('K1'))['v'], ROWS * COLUMNS);
  // The formulas read the imported cells, not only their results in the file.
  assert.equal((await copy.put('A1', [[9_999]])).status, 200);
  assert.equal((await copy.cell('J1'))['v'], 9_999);
});
