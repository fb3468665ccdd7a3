import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findDamage, listCheckedColumns, SEALED_TABLES, sealMissing, sealRow } from '../src/database/checksum.ts';
import { listSummedColumns } from '../src/database/row-sums.ts';

const SUMMED_TABLES = SEALED_TABLES.filter((table) => listSummedColumns(table).length > 0);

/** A row with a number in each column. */
function createRow(table: (typeof SEALED_TABLES)[number]) {
  return Object.fromEntries(listCheckedColumns(table).map((name, i) => [name, i + 10]));
}

test('a change of any column with a sum is found, and names the table’s row', () => {
  for (const table of SUMMED_TABLES) {
    const sealed = sealRow(table, createRow(table));
    assert.deepEqual(findDamage(table, sealed), []);
    for (const column of listSummedColumns(table)) {
      const damaged = { ...sealed, [column]: Number(sealed[column]) ^ 1 };
      assert.equal(findDamage(table, damaged).length > 0, true, `${table}.${column}`);
    }
  }
});

test('a row without sums is accepted, and gets them', () => {
  const sums = listSummedColumns('commits').filter((name) => name.endsWith('_sum'));
  const old = { ...createRow('commits'), ...Object.fromEntries(sums.map((name) => [name, null])) };
  assert.deepEqual(findDamage('commits', old), []);
  const statement = sealMissing('commits', old);
  assert.deepEqual(statement?.parameters.slice(0, sums.length).includes(null), false);
  assert.equal(sealMissing('commits', sealRow('commits', old)), null);
});
