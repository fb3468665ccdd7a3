import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DateSystem } from '@cellwire/engine';
import { readTypedTable, toPastedTable } from '../src/grid/clipboard-formats/pasted-table.ts';
import { finishWithoutPause, runInSlices, type SlicedWork } from '../src/grid/clipboard-formats/sliced-work.ts';

/** The input for a number copied into a document with another date system. */
function pasteNumber(value: number, format: string, from: DateSystem, to: DateSystem): unknown {
  const cells = [[{ v: value, m: 'shown', format }]];
  const source = { id: '1', document: 'D', locale: 'en-US' as const, rows: [0], columns: [0] };
  const options = { valuesOnly: false, dateSystem: to, top: 0, left: 0 };
  const { cells: rows } = finishWithoutPause(toPastedTable({ ...source, dateSystem: from, cells }, options));
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

test('a typed table has rows of equal length, and is not built if it has too many cells', () => {
  const table = finishWithoutPause(readTypedTable('a\tb\tc\nd', 6));
  assert.deepEqual(
    table?.cells.map((line) => line.map(({ input }) => input)),
    [
      ['a', 'b', 'c'],
      ['d', '', ''],
    ],
  );
  const wide = '\t'.repeat(16_383);
  assert.equal(finishWithoutPause(readTypedTable(`${wide}\n${'x\n'.repeat(1_000)}`, 1_048_576)), null);
});

test('sliced work pauses after 30 ms, and ends without a result if it is cancelled then', async ({ mock }) => {
  let now = 0;
  mock.method(performance, 'now', () => now);
  function* doThreeSteps(): SlicedWork<string> {
    for (let step = 1; step <= 3; step++) {
      now += 20;
      yield step;
    }
    return 'done';
  }
  const pauses: number[] = [];
  const pause = async (done: number) => {
    pauses.push(done);
    return false;
  };
  assert.equal(await runInSlices(doThreeSteps(), pause), 'done');
  assert.deepEqual(pauses, [2]);
  assert.equal(await runInSlices(doThreeSteps(), async () => true), null);
});
