import assert from 'node:assert/strict';
import { it } from 'node:test';

/** What a scorer calls; see `bench/conformance/README.md`. */
interface Adapter {
  load(workbook: object): object;
  get(handle: object, sheetName: string, address: string): object;
}

const ADAPTER = new URL('../bench/conformance/adapter.mjs', import.meta.url).href;

it('the adapter of the conformance benchmark calculates a workbook under the names that scorers call', async () => {
  const { load, get } = (await import(ADAPTER)) as Adapter;
  const cells = { A1: { t: 'n', v: 2 }, A2: { f: 'A1*21', t: 'z' } };
  const workbook = { id: 'one', date1904: false, names: [], tables: [], sheets: [{ name: 'Sheet1', cells }] };
  const handle = load(workbook);
  assert.deepEqual(get(handle, 'Sheet1', 'A2'), { t: 'n', v: 42 });
  assert.deepEqual(get(handle, 'Sheet1', 'A3'), { t: 'z' });
});
