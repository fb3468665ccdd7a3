import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FOUND_ROWS_OVERHEAD_BYTES, MAX_FOUND_ROWS_BYTES } from '../../src/limits/records.ts';
import { RecordMemory } from '../../src/service/records/record-memory.ts';

test('the cache of query results forgets the oldest results even if no query found a row', () => {
  const memory = new RecordMemory();
  const results = Math.ceil(MAX_FOUND_ROWS_BYTES / FOUND_ROWS_OVERHEAD_BYTES);
  for (let i = 0; i < results; i++) memory.cacheRows(`query ${i}`, new Uint32Array(0));
  assert.equal(memory.findRows('query 0'), null);
  assert.notEqual(memory.findRows(`query ${results - 1}`), null);
});
