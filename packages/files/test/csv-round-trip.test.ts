import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { DIV0, NA, type Scalar } from '@cellwire/engine';
import fc from 'fast-check';
import { scaleRunCount } from '../../../test/depth.ts';
import { elementAt } from '../../../test/elements.ts';
import { isRefusal, readCsv, type WriteCsvOptions, writeCsv } from '../src/index.ts';
import { type CsvCell, toCsvBlocks } from './csv-blocks.ts';
import { createTestFolder, readCells } from './workbook-files.ts';

const folder = await createTestFolder();
const PATH = join(folder, 'out.csv');

async function writeCsvText(rows: readonly (readonly (CsvCell | null)[])[], options: Partial<WriteCsvOptions> = {}) {
  await writeCsv(PATH, toCsvBlocks(rows), { dateSystem: 'google', ...options });
  return readFile(PATH, 'utf8');
}

function createCell(value: Scalar, format?: string): CsvCell {
  return format === undefined ? { value } : { value, format };
}

const FIELDS: readonly [cell: CsvCell | null, field: string, why: string][] = [
  [null, '', 'no cell'],
  [createCell(null, '0.00'), '', 'a format alone'],
  [createCell(1234.5, '#,##0.00'), '1234.5', 'a number, whatever its format'],
  [createCell(0.1 + 0.2), '0.30000000000000004', 'all digits'],
  [createCell(1e15), '1e+15', 'more digits than a number keeps'],
  [createCell(0.125, '0%'), '0.125', 'a percentage'],
  [createCell(true), 'TRUE', 'a truth value'],
  [createCell(DIV0), '#DIV/0!', 'an error'],
  [createCell(46346, 'dd.mm.yyyy'), '2026-11-20', 'a date'],
  [createCell(46346.75, 'm/d/yyyy h:mm'), '2026-11-20 18:00:00', 'a date with a time'],
  [createCell(46346.75 + 0.25 / 86_400, 'yyyy-mm-dd hh:mm'), '2026-11-20 18:00:00.250', 'parts of a second'],
  [createCell(0.75, 'hh:mm'), '18:00:00', 'a time'],
  [createCell(46346.75 + 608_325e-6 / 86_400, 'yyyy-mm-dd hh:mm'), '2026-11-20 18:00:00.608325', 'microseconds'],
  [createCell(46346, 'yyyy-mm-dd hh:mm'), '2026-11-20 00:00:00', 'a midnight that the format shows'],
  [createCell(46346.75, 'yyyy-mm-dd'), '2026-11-20 18:00:00', 'a time that the format does not show'],
  [createCell(1.5, '[h]:mm'), '36:00:00', 'an elapsed time'],
  [createCell(1.0625, 'hh:mm'), '25:30:00', 'a time of more than a day'],
  [createCell(-0.0625, 'hh:mm:ss'), '-01:30:00', 'an elapsed time below 0'],
  [createCell(-5, 'dd.mm.yyyy'), '1899-12-25', 'a date before the first serial number'],
  [createCell(-18_136, 'dd.mm.yyyy'), '1850-05-05', 'an early date'],
  [createCell(0, 'dd.mm.yyyy'), '1899-12-30', 'the date of serial number 0'],
  [createCell(-800_000, 'dd.mm.yyyy'), '-800000', 'a number that is no day of a calendar'],
  [createCell('plain text'), 'plain text', 'a text'],
  [createCell('Widget'), 'Widget', 'a single word'],
  [createCell('3 apples'), '3 apples', 'a text that starts with a digit'],
  [createCell('Room 12'), 'Room 12', 'a word and a number'],
  [createCell('WAHR'), '"WAHR"', 'a truth value of another locale'],
  [createCell('a;b'), '"a;b"', 'a mark that other files are divided by'],
  [createCell('#N/A'), '"#N/A"', 'a text like an error'],
  [createCell('#DIV/0!'), '"#DIV/0!"', 'a text like an error with a digit'],
  [createCell('a "b", c\nd'), '"a ""b"", c\nd"', 'a text with marks of the format'],
  [createCell('007'), '"007"', 'a text of digits'],
  [createCell('true'), '"true"', 'a text like a truth value'],
  [createCell('=1+1'), '=1+1', 'a text like a formula'],
  [createCell(' x'), '" x"', 'a blank at an end'],
  [createCell('$5'), '"$5"', 'a text like an amount of money'],
  [createCell('Dec 31 2025'), '"Dec 31 2025"', 'a text like a date'],
];

for (const [cell, field, why] of FIELDS) {
  test(`writes CSV: ${why}`, async () => {
    assert.equal(await writeCsvText([[createCell('x'), cell]], { columns: 2 }), `x,${field}\r\n`);
  });
}

test('the caller chooses delimiter, decimal mark and byte order mark', async () => {
  const rows = [[createCell(1.5), createCell('a;b'), createCell('a,b')]];
  assert.equal(await writeCsvText(rows, { delimiter: ';', decimal: ',', bom: true }), '\ufeff1,5;"a;b";"a,b"\r\n');
  assert.equal(await writeCsvText(rows, { decimal: ',' }), '"1,5","a;b","a,b"\r\n');
});

test('the result has the number of rows and cells', async () => {
  const rows = [[createCell(1), null], [], [createCell(null), createCell('x')]];
  const outcome = await writeCsv(PATH, toCsvBlocks(rows), { dateSystem: 'google' });
  assert.deepEqual(outcome, { rows: 3, cells: 2, datesAsNumbers: 0 });
});

test('numbers in date formats for which no date exists are counted', async () => {
  const rows = [
    [createCell(-5, 'hh:mm')],
    [createCell(60, 'yyyy')],
    [createCell(-1, 'dd.mm.yyyy')],
    [createCell(-1, '0.0')],
    [createCell(2, 'm/d/yyyy')],
  ];
  const { datesAsNumbers } = await writeCsv(PATH, toCsvBlocks(rows), { dateSystem: '1900' });
  assert.equal(datesAsNumbers, 2);
});

/** The values of the first column of a written and imported file. */
async function exportFirstColumn(rows: readonly (readonly CsvCell[])[], options: Partial<WriteCsvOptions> = {}) {
  await writeCsvText(rows, options);
  const file = await readCsv(PATH, { locale: 'en-US' });
  assert.ok(!isRefusal(file));
  return readCells(file.data).flatMap((cell) => (cell.column === 0 ? [cell.value] : []));
}

const WORDS = ['alpha', 'beta', 'gamma', 'delta'];

for (const [values, beside, why] of [
  [[1, '501', 2.5, '12345678901234567890', ...WORDS], null, 'a column alone'],
  [['08:30:00', '2026-03-01', 'TRUE', ...WORDS], 'x', 'a column of texts'],
  [['True', 'alpha'], 'x', 'as many quoted as unquoted texts'],
  [['2026-03-01 10:00:00', 'two words', 'alpha', 'beta'], 'x', 'texts with blanks'],
  [[46_082.5, '2026-03-01 12:00:00', 'two words', ' 5', '7 '], 7, 'texts beside values of the same form'],
  [['#DIV/0!', '#N/A', DIV0], 1, 'texts like errors'],
] as const) {
  test(`quotation marks distinguish texts from values: ${why}`, async () => {
    const rows = values.map((value) => {
      const cell = createCell(value, value === 46_082.5 ? 'yyyy-mm-dd hh:mm' : undefined);
      return beside === null ? [cell] : [cell, createCell(beside)];
    });
    assert.deepEqual(
      await exportFirstColumn([[createCell('Head'), createCell('Beside')].slice(0, beside === null ? 1 : 2), ...rows]),
      ['Head', ...values],
    );
  });
}

test('numbers with a decimal comma are values among texts if a column of numbers has decimal commas', async () => {
  const values = ['alpha', 12.5, 'beta', -0.25, 'gamma', 1.5e300, 'delta', 'epsilon', 'zeta'];
  const rows = values.map((value, i) => [createCell(value), createCell(i + 0.5)]);
  assert.deepEqual(await exportFirstColumn(rows, { delimiter: ';', decimal: ',' }), values);
});

test('numbers with a decimal comma are values among texts if commas do not delimit and there are several', async () => {
  const values = [12.5, ...WORDS, -0.25, ...WORDS];
  const rows = values.map((one) => [createCell(one), createCell('x')]);
  for (const delimiter of [';', '|', '\t'] as const) {
    assert.deepEqual(await exportFirstColumn(rows, { delimiter, decimal: ',' }), values);
  }
  const [first, ...others] = rows;
  assert.deepEqual(await exportFirstColumn([...others.slice(0, 4), first ?? []], { delimiter: ';', decimal: ',' }), [
    ...WORDS,
    '12,5',
  ]);
});

const value = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
  fc.integer(),
  fc.boolean(),
  fc.constantFrom(NA, DIV0),
  fc.string({ unit: fc.constantFrom('a', 'я', '"', ',', ';', '\n', '\r', ' ', '=', '😀'), minLength: 1, maxLength: 8 }),
  fc.constantFrom('12', '1.5', 'TRUE', '#N/A', '1e5', '-3', 'text'),
);

test('written values are read back unchanged', async () => {
  // The first row contains an unquoted number, boolean and text, so that quotation marks are significant in the file.
  const head: Scalar[] = [1.5, true, 'text'];
  const rows = fc.array(fc.array(value, { minLength: 3, maxLength: 3 }), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(rows, async (givenRows) => {
      const allRows: Scalar[][] = [head, ...givenRows];
      await writeCsvText(allRows.map((row) => row.map((scalar) => createCell(scalar))));
      const file = await readCsv(PATH, { locale: 'en-US' });
      assert.ok(!isRefusal(file));
      const actual: Scalar[][] = allRows.map((row) => row.map(() => null));
      for (const cell of readCells(file.data)) elementAt(actual, cell.row)[cell.column] = cell.value;
      assert.deepEqual(actual, allRows);
    }),
    { numRuns: scaleRunCount(100) },
  );
});

/** Numbers of all lengths, most of them with few decimals. */
const number = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: -1_000_000_000, max: 1_000_000_000 }).map((cents) => cents / 100 + 0) },
  fc.integer({ min: -999, max: 999 }).map((tenths) => tenths / 10 + 0),
  fc.integer({ min: -2_000_000_000, max: 2_000_000_000 }).map((fraction) => fraction / 10_000 + 0),
  fc.integer({ min: 9_999_900, max: 10_000_100 }).map((whole) => whole / 2),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((double) => double + 0),
);

test('rows of numbers have the digits of their shortest text', async () => {
  const tables = fc.integer({ min: 1, max: 5 }).chain((width) =>
    fc.record({
      rows: fc.array(fc.array(number, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 20 }),
      delimiter: fc.constantFrom(',', ';'),
      decimal: fc.constantFrom('.', ','),
    }),
  );
  await fc.assert(
    fc.asyncProperty(tables, async ({ rows, delimiter, decimal }) => {
      const format = (size: number) => {
        const text = Math.abs(size) >= 1e15 ? size.toExponential() : String(size);
        const field = text.replace('.', decimal);
        return decimal === delimiter && field !== text ? `"${field}"` : field;
      };
      const expected = rows.map((row) => `${row.map(format).join(delimiter)}\r\n`).join('');
      const cells = rows.map((row) => row.map((size) => createCell(size)));
      assert.equal(await writeCsvText(cells, { delimiter, decimal, columns: rows[0]?.length ?? 0 }), expected);
    }),
    { numRuns: scaleRunCount(300) },
  );
});

test('a file of many or wide rows of numbers is written completely', async () => {
  // Each is longer than the 256 KiB of a part.
  for (const [rows, columns] of [
    [30_000, 3],
    [30, 5_000],
  ] as const) {
    const numbers = Array.from({ length: rows }, (_, row) =>
      Array.from({ length: columns }, (_, column) => ((row * 7_919 + column * 104_729) % 100_000_007) / 100),
    );
    const blocks = numbers.map((row) => {
      const values = row.map((size) => Float64Array.of(size));
      const toColumn = (cells: Float64Array) => ({ numbers: cells, value: () => cells[0] ?? null, format: () => '' });
      return { rows: 1, columns: values.map(toColumn) };
    });
    const written = await writeCsv(PATH, blocks, { dateSystem: 'google', columns });
    assert.deepEqual(written, { rows, cells: rows * columns, datesAsNumbers: 0 });
    assert.equal(await readFile(PATH, 'utf8'), numbers.map((row) => `${row.join(',')}\r\n`).join(''));
  }
});

test('long durations are read back as the same numbers', async () => {
  const durations = [231_049.064_546_823_5, 104_250.123_456_789, 1_000.5, 400.000_000_1];
  const rows = durations.map((one) => [createCell(one, '[h]:mm:ss'), createCell('x')]);
  const read = await exportFirstColumn(rows);
  for (const [i, one] of durations.entries()) assert.ok(Math.abs(Number(read[i]) - one) < 1e-11, `${read[i]} ${one}`);
});

test('dates are read back as the same serial numbers, with a date format', async () => {
  const serials = [1, 2.5, 46346, 46346.75, 0.25];
  await writeCsvText(serials.map((serial) => [createCell(serial, 'dd.mm.yyyy hh:mm')]));
  const file = await readCsv(PATH, { locale: 'en-US' });
  assert.ok(!isRefusal(file));
  assert.deepEqual(
    readCells(file.data).map((cell) => cell.value),
    serials,
  );
});
