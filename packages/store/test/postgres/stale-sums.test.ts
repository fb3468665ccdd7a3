import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setShare } from '../../src/documents/shares.ts';
import { openPostgres } from '../../src/postgres/database.ts';
import { createSchema, queryRows, runSql } from './server.ts';

test('an update by a node without sums deletes the sum, and the next write stores it again', async (t) => {
  const schema = await createSchema();
  t.after(() => schema.remove());
  const database = await openPostgres({ url: schema.url, connections: 1 });
  t.after(() => database.close());
  const hasSum = async () => {
    const rows = await queryRows(schema.url, 'select role, row_sum is not null as summed from shares');
    return rows as readonly { readonly role: string; readonly summed: boolean }[];
  };
  const share = (role: 'edit' | 'comment') =>
    database.write({ document: 'd', statements: [setShare({ document_id: 'd', user_id: 2, role })] });
  await share('edit');
  assert.deepEqual(await hasSum(), [{ role: 'edit', summed: true }]);
  await runSql(schema.url, "update shares set role = 'view'");
  assert.deepEqual(await hasSum(), [{ role: 'view', summed: false }]);
  await share('comment');
  assert.deepEqual(await hasSum(), [{ role: 'comment', summed: true }]);
});
