import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  CALC,
  type CellData,
  DIV0,
  ERROR_CODES,
  errorByCode,
  NA,
  PLAIN_LAYOUT,
  VALUE,
  type WorkbookData,
} from '@cellwire/engine';
import fc from 'fast-check';
import { createTextArbitrary } from '../../../test/any-text.ts';
import { scaleRunCount } from '../../../test/depth.ts';
import { writeXlsx } from '../src/xlsx/write.ts';
import { createTestFolder, listCells, readCells, readPart, readWorkbook } from './workbook-files.ts';

const folder = await createTestFolder();

function createWorkbookData(cells: readonly CellData[], parts: Partial<WorkbookData> = {}): WorkbookData {
  return {
    settings: { locale: 'en-US', dateSystem: '1900', timeZone: 'UTC' },
    names: [],
    tables: [],
    sheets: [createSheetData('Data', cells)],
    carried: {},
    ...parts,
  };
}

function createSheetData(name: string, cells: readonly CellData[] = []) {
  const columnFormats = new Map<number, string>();
  const columnStyles = new Map<number, string>();
  return { name, hidden: false, color: null, hiddenRows: [], columnFormats, columnStyles, layout: PLAIN_LAYOUT, cells };
}

async function writeAndRead(data: WorkbookData, name = 'out.xlsx') {
  const path = join(folder, name);
  const result = await writeXlsx(path, data);
  return { path, result, data: await readWorkbook(path) };
}

const EVERYTHING: WorkbookData = {
  carried: {},
  settings: { locale: 'en-US', dateSystem: '1904', timeZone: 'UTC' },
  names: [
    { name: 'Rate', formula: '\'Q1 <&> "2"\'!$A$1' },
    { name: 'Rate', sheet: 'Hidden', formula: '0.5' },
    { name: '_xlnm.Print_Area', sheet: 'Hidden', formula: 'Hidden!$A$1:$B$2' },
  ],
  tables: [
    {
      name: 'Bare',
      sheet: 'Hidden',
      area: { top: 0, left: 0, bottom: 1, right: 0 },
      headerRow: false,
      totalsRow: false,
      columns: ['Column1'],
    },
    {
      name: 'Sales',
      sheet: 'Q1 <&> "2"',
      area: { top: 9, left: 1, bottom: 12, right: 2 },
      headerRow: true,
      totalsRow: true,
      columns: ['Net\nprice', 'Qty & "more"'],
    },
  ],
  sheets: [
    { ...createSheetData('Hidden', [{ row: 0, column: 0, value: 1 }]), hidden: true, color: '#FF8000' },
    {
      ...createSheetData('Q1 <&> "2"'),
      hiddenRows: [0, 4, 1_048_575],
      columnFormats: new Map([
        [0, '0.00'],
        [1, '0.00'],
        [3, '#,##0.00 "₽"'],
      ]),
      cells: [
        { row: 0, column: 0, value: 0.1 + 0.2, format: 'm/d/yyyy' },
        { row: 0, column: 1, value: 'a <b> & "c"\r\n\t\u0001 _x0041_ 😀 ' },
        { row: 0, column: 2, value: true },
        { row: 0, column: 3, value: NA },
        { row: 1, column: 0, value: null, format: '@' },
        { row: 1, column: 1, value: 3, formula: 'SUM(A1:A2)&"<"' },
        { row: 1, column: 2, value: 'text', formula: 'Sales[[#This Row],[Net price]]', format: '0%' },
        { row: 1, column: 3, value: false, formula: 'A1>B1' },
        { row: 2, column: 0, value: DIV0, formula: '1/0' },
        { row: 2, column: 1, value: null, formula: 'A9' },
        { row: 3, column: 0, value: 1, formula: 'A1:B2*2', array: { top: 3, left: 0, bottom: 4, right: 1 } },
        {
          ...{ row: 5, column: 0, value: 1, formula: '_xlfn.SEQUENCE(3)', dynamic: true },
          array: { top: 5, left: 0, bottom: 5, right: 0 },
        },
        { row: 9, column: 1, value: 'Net\nprice', format: '@' },
        { row: 9, column: 2, value: 'Qty & "more"' },
        { row: 1_048_575, column: 16_383, value: -1e-300 },
      ],
    },
  ],
};

test('a written workbook is read back unchanged', async () => {
  const { data, result } = await writeAndRead(EVERYTHING);
  assert.deepEqual(listCells(data), listCells(EVERYTHING));
  assert.deepEqual(result, { sheets: 2, cells: 16, renamed: [], shortened: [], leftOut: [] });
});

const FILE_ERRORS = ERROR_CODES.slice(0, 7).map((code) => errorByCode(code));
const value = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
  createTextArbitrary({ maxLength: 20 }),
  fc.stringMatching(/^[_x0-9A-Fa-f]{0,12}$/),
  fc.boolean(),
  fc.constantFrom(...FILE_ERRORS.filter((error) => error !== undefined)),
);
const cell = fc.record(
  {
    row: fc.nat(40),
    column: fc.nat(30),
    value,
    format: fc.constantFrom('0.00', 'dd.mm.yyyy', '"<&>"0'),
    formula: fc.constantFrom('A1+1', '"<&>"&A2', 'SUM(A:A)'),
  },
  { requiredKeys: ['row', 'column', 'value'], noNullPrototype: true },
);

test('any values, formats and formulas survive export and import in any order', async () => {
  const cells = fc.uniqueArray(cell, { selector: ({ row, column }) => row * 100 + column, maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(cells, async (cellList) => {
      const source = createWorkbookData(cellList);
      const { data } = await writeAndRead(source);
      assert.deepEqual(listCells(data), listCells(source));
    }),
    { numRuns: scaleRunCount(60) },
  );
});

test('results of array formulas are written, and read back as results', async () => {
  const array = { top: 0, left: 0, bottom: 3, right: 0 };
  const listedCells = [
    { row: 0, column: 0, value: 1, formula: '_xlfn.SEQUENCE(2)', array, dynamic: true },
    { row: 1, column: 0, value: 2, spilled: true, format: '0.00' },
    { row: 2, column: 0, value: '<b>', spilled: true },
    { row: 3, column: 0, value: true, spilled: true },
  ];
  const { path, data } = await writeAndRead(createWorkbookData(listedCells));
  const xml = await readPart(path, 'xl/worksheets/sheet1.xml');
  assert.match(xml, /<c r="A1" cm="1"><f t="array" ref="A1:A4">_xlfn\.SEQUENCE\(2\)<\/f><v>1<\/v><\/c>/);
  assert.match(xml, /<c r="A2" s="1"><v>2<\/v><\/c>/);
  assert.match(xml, /<c r="A3" t="str"><v>&lt;b&gt;<\/v><\/c>/);
  assert.match(xml, /<c r="A4" t="b"><v>1<\/v><\/c>/);
  assert.deepEqual(readCells(data), listedCells);
});

test('errors that Excel does not have are written as #VALUE!', async () => {
  const { data, result } = await writeAndRead(createWorkbookData([{ row: 0, column: 0, value: CALC, formula: 'A2' }]));
  assert.equal(readCells(data)[0]?.value, VALUE);
  assert.deepEqual(result.leftOut, [{ kind: 'errors', count: 1 }]);
});

test('an invalid formula is written as text, so that the file stays valid', async () => {
  const unread = createWorkbookData([{ row: 0, column: 0, value: '=SUM(1;', unreadable: true }]);
  const { data, result } = await writeAndRead({
    ...unread,
    sheets: unread.sheets.map((unreadSheet) => ({ ...unreadSheet, byRow: true })),
  });
  assert.deepEqual(readCells(data), [{ row: 0, column: 0, value: '=SUM(1;' }]);
  assert.deepEqual(result.leftOut, [{ kind: 'formulasAsTexts', count: 1 }]);
});

test('a text above the format’s limit is truncated and counted', async () => {
  const { data, result } = await writeAndRead(createWorkbookData([{ row: 0, column: 0, value: 'x'.repeat(40_000) }]));
  assert.equal(String(readCells(data)[0]?.value).length, 32_767);
  assert.deepEqual(result.leftOut, [{ kind: 'shortenedTexts', count: 1 }]);
});

test('sheets with invalid names are renamed and reported', async () => {
  const { data, result } = await writeAndRead({
    ...createWorkbookData([]),
    sheets: [createSheetData('a/b'), createSheetData('a:b')],
  });
  assert.deepEqual(
    data.sheets.map(({ name }) => name),
    ['a_b', 'a_b (2)'],
  );
  assert.deepEqual(result.renamed, [
    { from: 'a/b', to: 'a_b' },
    { from: 'a:b', to: 'a_b (2)' },
  ]);
});

test('the header cells of a table contain its column names, as Excel requires', async () => {
  const table = {
    name: 'T',
    sheet: 'Data',
    area: { top: 0, left: 0, bottom: 1, right: 1 },
    headerRow: true,
    totalsRow: false,
    columns: ['2026', 'B'],
  };
  const { data } = await writeAndRead(
    createWorkbookData([{ row: 0, column: 0, value: 2026, format: '0' }], { tables: [table] }),
  );
  assert.deepEqual(readCells(data), [
    { row: 0, column: 0, value: '2026', format: '0' },
    { row: 0, column: 1, value: 'B' },
  ]);
});

test('equal data gives equal bytes', async () => {
  const first = await writeAndRead(EVERYTHING, 'first.xlsx');
  const second = await writeAndRead(EVERYTHING, 'second.xlsx');
  assert.deepEqual(await readFile(first.path), await readFile(second.path));
});

test('an export that fails leaves no file behind', async () => {
  const cells: Iterable<CellData> = {
    *[Symbol.iterator]() {
      yield { row: 0, column: 0, value: 1 };
      throw new Error('the source failed');
    },
  };
  const failingData = { ...createWorkbookData([]), sheets: [{ ...createSheetData('Data'), cells }] };
  await assert.rejects(writeXlsx(join(folder, 'failed.xlsx'), failingData), /the source failed/);
  assert.deepEqual(
    (await readdir(folder)).filter((name) => name.startsWith('failed')),
    [],
  );
});

test('texts beyond the limit of shared strings are stored in their cells', async () => {
  const long = (i: number) => `${i} <&> "${'ü'.repeat(30_000)}`;
  const texts = Array.from({ length: 450 }, (_, i) => (i % 3 === 0 ? `short ${i % 2}` : long(i)));
  const cells = texts.map((value, row): CellData => ({ row, column: 0, value }));
  const { path, data } = await writeAndRead(createWorkbookData(cells), 'long-texts.xlsx');
  assert.deepEqual(
    readCells(data).map(({ value }) => value),
    texts,
  );
  const cellsPart = await readPart(path, 'xl/worksheets/sheet1.xml');
  assert.ok(cellsPart.includes('<c r="A448" t="s"><v>3</v></c>'));
  assert.ok(cellsPart.includes('<c r="A450" t="inlineStr"><is><t xml:space="preserve">449 &lt;&amp;&gt; &quot;üü'));
});
