import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { scaleRunCount } from '../../../test/depth.ts';
import { DEFAULT_FILE_LIMITS, type FileLimits, isRefusal, type ReadCsvOptions, readCsv } from '../src/index.ts';
import { createTestFolder, readCells } from './workbook-files.ts';

const folder = await createTestFolder();
const PATH = join(folder, 'in.csv');

async function importCsv(content: string, options: Partial<ReadCsvOptions> = {}) {
  await writeFile(PATH, content);
  return readCsv(PATH, { locale: 'en-US', ...options });
}

async function importOrFail(content: string, options: Partial<ReadCsvOptions> = {}) {
  const outcome = await importCsv(content, options);
  if (isRefusal(outcome)) throw new Error(outcome.message);
  return outcome;
}

/** Imports a file and returns its values with row and column. */
async function importValues(content: string, options: Partial<ReadCsvOptions> = {}) {
  const { data } = await importOrFail(content, options);
  return readCells(data).map(({ row, column, value }) => [row, column, value]);
}

test('reads many rows of numbers exactly, across parts of the file and blocks of rows', async () => {
  // More than the 256 KiB that are read at a time.
  const rows = Array.from({ length: 20_000 }, (_, i) => [
    `${i}`,
    `${(i * 7919) % 1_000_003}.${String((i * 31) % 100).padStart(2, '0')}`,
    `-${i % 10}.5`,
    `${i % 7}${'123456789012345'.slice(0, 1 + (i % 14))}`.replace(/^0/, '9'),
  ]);
  for (const end of ['\n', '\r\n', '\r']) {
    const content = `a,b,c,d${end}${rows.map((row) => row.join(',')).join(end)}${end}`;
    const expected = rows.flatMap((row, i) => row.map((field, column) => [i + 1, column, Number(field)]));
    const values = await importValues(content);
    assert.deepEqual(
      values.filter(([row]) => row !== 0),
      expected,
    );
  }
});

test('keeps fields in their columns if numbers have decimal commas and a comma separates the fields', async () => {
  const rows = ['"1,234",5,6', '"2,345",6,7', ...Array.from({ length: 40 }, () => '1,234,9')];
  const values = await importValues(`a,b,c\n${rows.join('\n')}\n`, { locale: 'ru-RU' });
  assert.deepEqual(
    values.filter(([row]) => row === 42),
    [
      [42, 0, 1],
      [42, 1, 234],
      [42, 2, 9],
    ],
  );
});

test('splits numbers at a delimiter that may be part of a number', async () => {
  const values = await importValues('a-b-c\n1--3\n4-5-6\n', { delimiter: '-' });
  assert.deepEqual(
    values.filter(([row]) => row !== 0),
    [
      [1, 0, 1],
      [1, 2, 3],
      [2, 0, 4],
      [2, 1, 5],
      [2, 2, 6],
    ],
  );
});

const LIMITS: readonly [limits: Partial<FileLimits>, expected: RegExp][] = [
  [{ cells: 1_001 }, /more than 1001 cells/],
  [{ blocks: 7 }, /more than 7 blocks/],
];

for (const [limits, expected] of LIMITS) {
  test(`refuses rows of numbers that exceed a limit: ${expected.source}`, async () => {
    const content = `a,b\n${'1,2\n'.repeat(1_000)}`;
    const outcome = await importCsv(content, { limits: { ...DEFAULT_FILE_LIMITS, ...limits } });
    assert.match(isRefusal(outcome) ? outcome.message : 'read', expected);
  });
}

const digits = fc.stringMatching(/^\d{1,17}$/);
const numbers = fc.oneof(
  { weight: 6, arbitrary: fc.stringMatching(/^-?(0|[1-9]\d{0,8})(\.\d{1,3})?$/) },
  fc.tuple(fc.constantFrom('', '-'), digits, fc.constantFrom('', '.'), digits).map((parts) => parts.join('')),
);
const others = fc.constantFrom('', 'x', '007', '1.', '.5', '-', '1.5.2', '1e3', '2026-11-27', '"5"', '1 ', 'TRUE');
const tables = fc.integer({ min: 1, max: 4 }).chain((width) =>
  fc.record({
    rows: fc.array(fc.array(numbers, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 12 }),
    repeats: fc.constantFrom(1, 3, 40, 60),
    changes: fc.array(fc.record({ row: fc.nat(), column: fc.nat({ max: width }), text: fc.oneof(others, numbers) }), {
      maxLength: 4,
    }),
    end: fc.constantFrom('\n', '\r\n'),
    mark: fc.constantFrom('.', ','),
    delimiter: fc.constantFrom(',', ';', '\t'),
    locale: fc.constantFrom('en-US', 'de-DE'),
  }),
);

type CsvForm = Pick<ReadCsvOptions, 'delimiter' | 'locale'> & { readonly end: string };

/** Asserts that lines are read as they are read beside a column of texts. */
async function assertReadAsBesideTexts(lines: readonly string[], { end, ...options }: CsvForm): Promise<void> {
  const besideTexts = lines.map((line, i) => `${i === 0 ? 'head' : 'text'}${options.delimiter}${line}`);
  const alone = await importOrFail(`${lines.join(end)}${end}`, options);
  const beside = await importOrFail(`${besideTexts.join(end)}${end}`, options);
  assert.deepEqual(
    readCells(alone.data),
    readCells(beside.data).flatMap((cell) => (cell.column === 0 ? [] : [{ ...cell, column: cell.column - 1 }])),
  );
  const describe = ({ columns, csv }: typeof alone, from: number) => [
    columns.slice(from).map(({ type, why }) => [type, why]),
    csv.decimal,
    csv.preview.map((row) => row.slice(from)),
  ];
  assert.deepEqual(describe(alone, 0), describe(beside, 1));
}

test('reads rows of numbers as it reads the same fields beside a column of texts', async () => {
  await fc.assert(
    fc.asyncProperty(tables, async ({ rows, repeats, changes, mark, ...form }) => {
      const table = Array.from({ length: repeats }, () => rows.map((row) => [...row])).flat();
      for (const { row, column, text } of changes) {
        const changed = table[row % table.length];
        if (changed !== undefined) changed[column] = text;
      }
      const format = (field: string) => (mark === form.delimiter ? field : field.replace('.', mark));
      await assertReadAsBesideTexts(['n', ...table.map((row) => row.map(format).join(form.delimiter))], form);
    }),
    { numRuns: scaleRunCount(300) },
  );
});

test('reads fields that differ from the beginning of a long file as it reads them beside a column of texts', async () => {
  // The rules of columns are derived from the first 128 KiB at first.
  const beginning = ['n;n', ...Array.from({ length: 20_000 }, () => '1000;2.5')];
  const rows = fc.array(fc.tuple(fc.oneof(others, numbers), fc.oneof(others, numbers)), { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(rows, fc.constantFrom('en-US', 'de-DE'), async (last, locale) => {
      const lines = [...beginning, ...last.map((fields) => fields.join(';')), '1;1.5', ...last.map(([field]) => field)];
      await assertReadAsBesideTexts(lines, { delimiter: ';', locale, end: '\n' });
    }),
    { numRuns: scaleRunCount(30) },
  );
});
