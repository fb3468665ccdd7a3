import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { isRefusal } from '@cellwire/files';
import { readXlsx } from '@cellwire/files/xlsx-reader';
import { createTestFolder, readCells } from '../../../files/test/workbook-files.ts';
import { type Api, startWorld, type World } from './support.ts';

let world: World;
const folder = await createTestFolder();
before(async () => {
  world = await startWorld();
});
after(() => world.close());

async function exportDocument(api: Api, query: string): Promise<Buffer> {
  const response = await fetch(`${api.base}/api/v1/documents/${api.document}/export${query}`, {
    headers: { authorization: `Bearer ${api.token}` },
  });
  assert.equal(response.status, 200);
  return Buffer.from(await response.arrayBuffer());
}

/** Cells in the corners of the grid and on its diagonal, each alone in its block of rows. */
const CELLS: readonly (readonly [row: number, column: number])[] = [
  [0, 0],
  [0, 16_383],
  ...Array.from({ length: 200 }, (_, i) => [1_000 + i * 5_000, 100 + i * 80] as const),
  [1_048_575, 0],
  [1_048_575, 16_383],
];

function formatColumnLetters(column: number): string {
  const remainder = column % 26;
  const letter = String.fromCharCode(65 + remainder);
  return column < 26 ? letter : formatColumnLetters((column - remainder) / 26 - 1) + letter;
}

describe('a sparse document', () => {
  it('is exported by its cells instead of its bounding area', async () => {
    const api = await world.createBook();
    const data = CELLS.map(([row, column], i) => ({
      range: `${formatColumnLetters(column)}${row + 1}`,
      values: [[i + 1]],
    }));
    assert.equal((await api.batchUpdate(data)).status, 200);
    const path = join(folder, 'far.xlsx');
    await writeFile(path, await exportDocument(api, ''));
    const read = await readXlsx(path, { locale: 'en-US' });
    assert.ok(!isRefusal(read));
    assert.deepEqual(
      readCells(read.data).map(({ row, column, value }) => [row, column, value]),
      CELLS.map(([row, column], i) => [row, column, i + 1]),
    );
    const lines = (await exportDocument(api, '?format=csv')).toString().split('\r\n');
    assert.equal(lines.length, 1_048_577);
    for (const [i, [row, column]] of CELLS.entries()) {
      assert.equal(lines[row]?.split(',')[column], String(i + 1), `row ${row + 1}`);
    }
    assert.equal(lines[500], '');
  });
});
