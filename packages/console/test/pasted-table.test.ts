import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DateSystem } from '@cellwire/engine';
import { toPastedTable } from '../src/grid/clipboard-formats/pasted-table.ts';

/** The input for a number copied into a document with another date system. */
function pasteNumber(value: number, format: string, from: DateSystem, to: DateSystem): unknown {
  const cells = [[{ v: value, m: 'shown', format }]];
  const source = { id: '1', document: 'D', locale: 'en-US' as const, rows: [0], columns: [0] };
  const { cells: rows } = toPastedTable(
    { ...source, dateSystem: from, cells },
    { isValues: false, dateSystem: to, top: 0, left: 0 },
  );
  return rows[0]?.[0]?.input;
}

for (const [value, format, from, to, expected] of [
  [46_082, 'yyyy-mm-dd', 'google', '1904', 44_620],
  [46_082.25, 'dd.mm.yyyy hh:mm', '1904', 'google', 47_544.25],
  [0.25, 'hh:mm', '1904', 'google', 0.25],
  [1.0625, '[h]:mm', 'google', '1904', 1.0625],
  [46_082, '0.00', '1904', 'google', 46_082],
  [1, 'yyyy-mm-dd', '1900', 'google', 2],
  [2, 'yyyy-mm-dd', 'google', '1900', 1],
  [46_082, 'yyyy-mm-dd', 'google', '1900', 46_082],
  [-18_136, 'yyyy-mm-dd', 'google', '1900', { value: '1850-05-05', as: 'text' }],
  [60, 'yyyy-mm-dd', '1900', 'google', { value: '1900-02-29', as: 'text' }],
  [-5, 'yyyy-mm-dd', '1900', 'google', -5],
] as const) {
  test(`${value} as ${format}, copied from a document of the date system ${from}, has the same meaning in ${to}`, () => {
    assert.deepEqual(pasteNumber(value, format, from, to), expected);
  });
}
