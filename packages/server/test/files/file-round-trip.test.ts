import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { type CellData, CellError, DIV0, exportData, formatClass, NA, type Scalar, VALUE } from '@cellwire/engine';
import { isRefusal, readCsv, writeCsv } from '@cellwire/files';
import { readXlsx } from '@cellwire/files/xlsx-reader';
import { writeXlsx } from '@cellwire/files/xlsx-writer';
import fc from 'fast-check';
import { scaleRunCount } from '../../../../test/depth.ts';
import { formatDateTime } from '../../../files/src/cells/date-time-text.ts';
import { toCsvBlocks } from '../../../files/test/csv-blocks.ts';
import { createTestFolder, readCells } from '../../../files/test/workbook-files.ts';
import { calculateState } from '../../src/documents/new-state.ts';

const folder = await createTestFolder();
const XLSX = join(folder, 'any.xlsx');
const CSV = join(folder, 'any.csv');
const NOW = Date.UTC(2026, 10, 26);

/** Texts that readers may interpret as other values, or that XML and CSV must escape. */
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }).map((value) => value.toWellFormed()),
  fc.constantFrom(' a', 'a ', '_x000D_', '_x005F_', 'a\r\nb', 'a\0b', '\ufffe', '<b>&"\'', '😀', 'TRUE', '007', '1.5'),
  fc.constantFrom('=1+1', '2026-12-31', '#N/A', 'a\tb', '"', '""', ',;|', 'x'.repeat(33_000)),
);
const moment = fc.tuple(fc.integer({ min: -20_000, max: 60_000 }), fc.integer({ min: 0, max: 86_399_999_999 }));

/** A cell without its address. */
const content = fc.oneof<fc.Arbitrary<Partial<CellData>>[]>(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => ({ value: value + 0 })),
  fc.integer().map((value) => ({ value, format: '#,##0' })),
  fc.boolean().map((value) => ({ value })),
  fc.constantFrom(NA, DIV0, VALUE).map((value) => ({ value })),
  text.map((value) => ({ value })),
  fc
    .tuple(moment, fc.constantFrom('yyyy-mm-dd', 'yyyy-mm-dd hh:mm:ss', '[h]:mm:ss'))
    .map(([[day, time], format]) => ({ value: (day * 86_400e6 + time) / 86_400e6, format })),
  fc.constantFrom('1+1', 'A1*2', 'SUM(A1:A3)', '"a"&"b"', 'IF(TRUE,1,2)').map((formula) => ({ value: 0, formula })),
);
const rows = fc.array(fc.array(content, { minLength: 4, maxLength: 4 }), { minLength: 1, maxLength: 8 });

function createDocument(cells: readonly CellData[], dateSystem: 'google' | '1900') {
  const sheet = { name: 'Data', hidden: false, color: null, hiddenRows: [], columnFormats: new Map(), cells };
  const settings = { locale: 'en-US', dateSystem, timeZone: 'UTC' } as const;
  const snapshot = calculateState({ settings, names: [], tables: [], sheets: [sheet] }, NOW);
  assert.ok(!('kind' in snapshot));
  return snapshot;
}

/** The displayed value of a cell: dates as ISO texts, independent of the date system. */
function computeDisplayedValue(
  { value, format }: Pick<CellData, 'value' | 'format'>,
  system: 'google' | '1900',
): Scalar {
  if (typeof value !== 'number' || format === undefined) return value instanceof CellError ? value.code : value;
  const kind = formatClass(format);
  return kind === 'date' || kind === 'datetime' ? (formatDateTime(value, format, system) ?? value) : value;
}

test('any document is unchanged after an export and an import, except for losses that the export counts', async () => {
  await fc.assert(
    fc.asyncProperty(rows, async (inputRows) => {
      const cells = inputRows.flatMap((row, r) =>
        row.map((cell, c): CellData => ({ row: r, column: c, value: null, ...cell })),
      );
      const before = readCells(exportData(createDocument(cells, 'google')));
      const { leftOut } = await writeXlsx(XLSX, exportData(createDocument(cells, 'google')));
      const file = await readXlsx(XLSX, { locale: 'en-US' });
      assert.ok(!isRefusal(file));
      assert.deepEqual(file.leftOut, []);
      const after = readCells(file.data);
      assert.equal(after.length, before.length);
      const changed = { datesAsTexts: 0, shortenedTexts: 0 };
      for (const [i, cell] of before.entries()) {
        const importedCell = after[i] as CellData;
        assert.equal(importedCell.formula, cell.formula);
        assert.equal(importedCell.format, cell.format);
        if (typeof cell.value === 'number' && typeof importedCell.value === 'string') {
          changed.datesAsTexts++;
          assert.equal(importedCell.value.replace('T', ' '), computeDisplayedValue(cell, 'google'));
        } else if (typeof cell.value === 'string' && cell.value.length > 32_767) {
          changed.shortenedTexts++;
          assert.equal(importedCell.value, cell.value.slice(0, 32_767));
        } else assert.deepEqual(computeDisplayedValue(importedCell, '1900'), computeDisplayedValue(cell, 'google'));
      }
      const counted = Object.fromEntries(leftOut.map(({ kind, count }) => [kind, count]));
      assert.deepEqual({ datesAsTexts: 0, shortenedTexts: 0, ...counted }, changed);
    }),
    { numRuns: scaleRunCount(60) },
  );
});

test('any file is unchanged after an import, an export and an import', async () => {
  await fc.assert(
    fc.asyncProperty(rows, async (inputRows) => {
      const cells = inputRows.flatMap((row, r) =>
        row.map((cell, c): CellData => ({ row: r, column: c, value: null, ...cell })),
      );
      await writeXlsx(XLSX, exportData(createDocument(cells, '1900')));
      const first = await readXlsx(XLSX, { locale: 'en-US' });
      assert.ok(!isRefusal(first));
      const firstCells = readCells(first.data);
      await writeXlsx(XLSX, exportData(createDocument(firstCells, '1900')));
      const second = await readXlsx(XLSX, { locale: 'en-US' });
      assert.ok(!isRefusal(second));
      assert.deepEqual(readCells(second.data), firstCells);
    }),
    { numRuns: scaleRunCount(40) },
  );
});

/** Texts that CSV cannot distinguish from other values. */
const VALUE_LIKE_TEXT = /^[\s\d.,+-]*$|\d|^(?:true|false)$|^#/i;

test('any values are unchanged after a .csv export and an import, dates to the microsecond', async () => {
  const formatOptions = fc.record({
    delimiter: fc.constantFrom(',' as const, ';' as const, '\t' as const, '|' as const),
    decimal: fc.constantFrom('.' as const, ',' as const),
    bom: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(rows, formatOptions, async (inputRows, format) => {
      const plain = inputRows.map((row) =>
        row.map((cell) => ({
          value: cell.formula === undefined ? (cell.value ?? null) : 2,
          ...(cell.format && { format: cell.format }),
        })),
      );
      await writeCsv(CSV, toCsvBlocks(plain), { dateSystem: 'google', ...format });
      const file = await readCsv(CSV, { locale: 'en-US', delimiter: format.delimiter, decimal: format.decimal });
      assert.ok(!isRefusal(file));
      const importedCells = new Map(readCells(file.data).map((cell) => [`${cell.row}:${cell.column}`, cell]));
      for (const [r, row] of plain.entries()) {
        for (const [c, cell] of row.entries()) {
          const importedCell = importedCells.get(`${r}:${c}`);
          if (typeof cell.value === 'string' && (cell.value === '' || VALUE_LIKE_TEXT.test(cell.value))) continue;
          if (typeof cell.value !== 'number' || cell.format === undefined) {
            assert.deepEqual(importedCell?.value ?? null, cell.value);
            continue;
          }
          const difference = Math.abs((importedCell?.value as number) - cell.value) * 86_400e6;
          assert.ok(
            importedCell?.value === cell.value || (formatClass(cell.format) !== 'number' && difference < 1),
            String(cell.value),
          );
        }
      }
    }),
    { numRuns: scaleRunCount(100) },
  );
});
