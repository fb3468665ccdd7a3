import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { scaleRunCount } from '../../../../test/depth.ts';
import { isError, JsonWriter, RecordJsonWriter, type Snapshot } from '../../src/index.ts';
import { SharedMemory } from '../../src/sheet/shared-memory.ts';
import { readColumns } from '../records/support.ts';
import { Book } from '../workbook/book.ts';

const COLUMNS = 5;
/** More than two chunks. */
const ROWS = 600;
const LONG = 'x'.repeat(300);

/** A cell as it is entered, and the field that a record shows for it. */
const cell = fc.oneof(
  fc.constant({ input: null, field: null }),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e6, max: 1e6 }).map((x) => ({ input: x + 0, field: x + 0 })),
  fc.boolean().map((value) => ({ input: value, field: value })),
  fc
    .oneof(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }), fc.constantFrom('ä', '"\\', 'Ёж', '😀', LONG))
    .map((text) => ({ input: text, field: text })),
);

const column = fc.array(cell, { minLength: 1, maxLength: 30 });

function shareAllChunks(snapshot: Snapshot): void {
  const memory = new SharedMemory();
  for (const table of snapshot.sheets[0]?.columns ?? []) {
    const { chunks } = table ?? { chunks: { toList: () => [] } };
    for (const chunk of chunks.toList()) chunk?.share(memory);
  }
}

/** Writes rows as records; `isLoaded`: their cells are read before. Returns the fields of each record. */
function readFields(snapshot: Snapshot, rows: readonly number[], isLoaded: boolean): unknown[][] {
  const region = readColumns(snapshot, COLUMNS);
  const out = new JsonWriter(new Uint8Array(16));
  const select = region.columns.map((_, i) => i);
  const writer = new RecordJsonWriter(snapshot, region, { types: new Map(), select }, out);
  if (isLoaded) writer.loadRows(rows, 0, rows.length);
  out.writeByte('['.charCodeAt(0));
  for (const [i, row] of rows.entries()) {
    if (i > 0) out.writeByte(','.charCodeAt(0));
    writer.writeRecord(row);
  }
  out.writeByte(']'.charCodeAt(0));
  const records = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(out.finish())) as {
    row: number;
    fields: Record<string, unknown>;
  }[];
  assert.deepEqual(
    records.map(({ row }) => row),
    rows.map((row) => row + 1),
  );
  return records.map(({ fields }) => region.columns.map(({ name }) => fields[name]));
}

describe('a record as JSON', () => {
  it('has the entered values, in memory of one thread and of several, and after edits', () => {
    fc.assert(
      fc.property(
        fc.array(column, { minLength: COLUMNS, maxLength: COLUMNS }),
        fc.array(fc.tuple(fc.integer({ min: 1, max: ROWS }), fc.nat(COLUMNS - 1), cell), { maxLength: 20 }),
        fc.array(fc.integer({ min: 1, max: ROWS }), { minLength: 1, maxLength: 40 }),
        (columns, edits, rows) => {
          const book = new Book('en-US');
          const expected = Array.from({ length: ROWS + 1 }, (_, row) =>
            columns.map((cells, at) =>
              row === 0 ? { input: `Column ${at}`, field: '' } : (cells[row % cells.length] ?? cells[0]!),
            ),
          );
          const setCells = (row: number, from: number, values: (typeof expected)[number][]) =>
            book.apply([
              {
                kind: 'setValues',
                sheet: 1,
                row,
                column: from,
                values: values.map((line) => line.map(({ input }) => input)),
                mode: 'raw',
              },
            ]);
          setCells(0, 0, expected);
          const assertRecords = () => {
            const fields = rows.map((row) => expected[row]!.map(({ field }) => field));
            assert.deepEqual(readFields(book.head, rows, true), fields);
            assert.deepEqual(readFields(book.head, rows, false), fields);
          };
          assertRecords();
          shareAllChunks(book.head);
          const block = (rows[0] ?? 0) >> 8;
          const table = book.head.sheets[0]?.columns[0]?.chunks;
          assert.ok((table?.placesAt(block)?.findEntry(block) ?? -1) >= 0, 'the places of the cells are known');
          assertRecords();
          for (const [row, at, next] of edits) {
            setCells(row, at, [[next]]);
            expected[row]![at] = next;
          }
          assertRecords();
          shareAllChunks(book.head);
          assertRecords();
        },
      ),
      { numRuns: scaleRunCount(40) },
    );
  });

  it('shows dates, times, errors and results of formulas in shared memory', () => {
    const book = new Book('en-US');
    book.set('A1', 'Day');
    book.set('B1', 'Result');
    book.set('C1', 'Other');
    book.set('D1', 'Text');
    book.set('A2', '2026-03-26');
    book.set('B2', '=1/0');
    book.set('C2', '12:30');
    book.set('D2', '="a"&"ß€"');
    book.set('A3', '7');
    book.set('B3', '=2*A3');
    book.set('C3', 'TRUE');
    book.set('D3', '=A2');
    shareAllChunks(book.head);
    assert.ok(isError(book.value('B2')));
    const expected = [
      ['2026-03-26', { error: '#DIV/0!' }, '12:30:00', 'aß€', null],
      [7, 14, true, '2026-03-26', null],
    ];
    assert.deepEqual(readFields(book.head, [1, 2], true), expected);
    assert.deepEqual(readFields(book.head, [2, 1], true), expected.toReversed());
  });
});
