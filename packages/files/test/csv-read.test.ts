import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { DIV0, type LocaleId, type WorkbookData } from '@cellwire/engine';
import { elementAt, requireValue } from '../../../test/elements.ts';
import {
  type CsvColumnType,
  DEFAULT_FILE_LIMITS,
  type FileLimits,
  isRefusal,
  type ReadCsvOptions,
  readCsv,
} from '../src/index.ts';
import { createTestFolder, readCells } from './workbook-files.ts';

const folder = await createTestFolder();
const PATH = join(folder, 'in.csv');

async function importCsv(content: string | Buffer, options: Partial<ReadCsvOptions> = {}) {
  await writeFile(PATH, content);
  return readCsv(PATH, { locale: 'en-US', ...options });
}

async function importCsvOrFail(content: string | Buffer, locale: LocaleId = 'en-US'): Promise<WorkbookData> {
  const outcome = await importCsv(content, { locale });
  if (isRefusal(outcome)) throw new Error(outcome.message);
  return outcome.data;
}

/** Imports a file and returns its values row by row; null for missing cells. */
async function importGrid(content: string | Buffer, locale?: LocaleId): Promise<unknown[][]> {
  const rows: unknown[][] = [];
  for (const cell of readCells(await importCsvOrFail(content, locale))) {
    while (rows.length <= cell.row) rows.push([]);
    const row = elementAt(rows, cell.row);
    while (row.length < cell.column) row.push(null);
    row.push(cell.value);
  }
  return rows;
}

/** Imports a column of fields and returns its values. */
async function importColumn(fields: readonly string[], locale?: LocaleId): Promise<unknown[]> {
  return (await importGrid(`${fields.join('\n')}\n`, locale)).map((row) => row[0]);
}

const GRAMMAR: readonly [text: string, expected: unknown[][], why: string][] = [
  [
    'a,b\r\nc,d\r\n',
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
    'CRLF',
  ],
  [
    'a,b\nc,d',
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
    'LF, none at the end',
  ],
  [
    'a,b\rc,d\r',
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
    'CR',
  ],
  [
    'a,b\nc,d\r\ne,f\r',
    [
      ['a', 'b'],
      ['c', 'd'],
      ['e', 'f'],
    ],
    'line ends of all kinds',
  ],
  [
    'a,"b,\r\n""c"""\nd,e',
    [
      ['a', 'b,\r\n"c"'],
      ['d', 'e'],
    ],
    'quoted delimiters, line ends and quotes',
  ],
  [
    'a,"b" x\nc,d"e"',
    [
      ['a', 'b x'],
      ['c', 'd"e"'],
    ],
    'quotes that are not where they should be',
  ],
  ['sep=,\na,b,c\nd\n\ne,f', [['a', 'b', 'c'], ['d'], [], ['e', 'f']], 'ragged and empty rows'],
  ['a,b,c\nd\n\ne,f', [['a,b,c'], ['d'], [], ['e,f']], 'lines that no delimiter divides alike'],
  ['a,,c\n,"",\n', [['a', null, 'c']], 'empty fields are no cells'],
  [
    'a;b\n1,5;2,5\n',
    [
      ['a', 'b'],
      [1.5, 2.5],
    ],
    'semicolons',
  ],
  [
    '1,5;2,5\n3,5;4,5\n',
    [
      [1.5, 2.5],
      [3.5, 4.5],
    ],
    'semicolons beside decimal commas',
  ],
  [
    'a\tb\nc, d\te\n',
    [
      ['a', 'b'],
      ['c, d', 'e'],
    ],
    'tabs',
  ],
  [
    'a|b\nc|d\n',
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
    'bars',
  ],
  ['sep=;\na,b;c\n', [['a,b', 'c']], 'the delimiter that Excel is told'],
  ['one\ntwo\n', [['one'], ['two']], 'a single column'],
];

for (const [text, expected, why] of GRAMMAR) {
  test(`reads CSV: ${why}`, async () => {
    assert.deepEqual(await importGrid(text), expected);
  });
}

test('fields that cross chunks are complete', async () => {
  const rows = Array.from({ length: 5000 }, (_, i) => `row ${i},"quoted ""${i}"",\r\n${'x'.repeat(i % 50)}",end\r\n`);
  const joinedRows = await importGrid(rows.join(''));
  assert.equal(joinedRows.length, 5000);
  for (const [i, row] of joinedRows.entries()) {
    assert.deepEqual(row, [`row ${i}`, `quoted "${i}",\r\n${'x'.repeat(i % 50)}`, 'end']);
  }
});

const RUSSIAN = 'имя,город\nЁлка,Санкт-Петербург\n';
const RUSSIAN_GRID = [
  ['имя', 'город'],
  ['Ёлка', 'Санкт-Петербург'],
];
const FRENCH = 'prénom,ville\nZoë,Besançon\n';

/** Encodes a text of this file in Windows-1251 or Windows-1252. */
function encodeOneByte(text: string, encoding: 'windows-1251' | 'windows-1252'): Buffer {
  const decoder = new TextDecoder(encoding);
  const codes = new Map(Array.from({ length: 256 }, (_, code) => [decoder.decode(Uint8Array.of(code)), code]));
  return Buffer.from(Array.from(text, (letter) => requireValue(codes.get(letter), letter)));
}

const ENCODINGS: readonly [content: Buffer, expected: unknown[][], why: string][] = [
  [Buffer.from(RUSSIAN), RUSSIAN_GRID, 'UTF-8'],
  [Buffer.from(`\ufeff${RUSSIAN}`), RUSSIAN_GRID, 'UTF-8 with a mark'],
  [Buffer.from(`\ufeff${RUSSIAN}`, 'utf16le'), RUSSIAN_GRID, 'UTF-16, little-endian'],
  [Buffer.from(`\ufeff${RUSSIAN}`, 'utf16le').swap16(), RUSSIAN_GRID, 'UTF-16, big-endian'],
  [
    Buffer.from('id,name\n1,abc\n', 'utf16le'),
    [
      ['id', 'name'],
      [1, 'abc'],
    ],
    'UTF-16 without a mark',
  ],
  [encodeOneByte(RUSSIAN, 'windows-1251'), RUSSIAN_GRID, 'Windows-1251'],
  [
    encodeOneByte(FRENCH, 'windows-1252'),
    [
      ['prénom', 'ville'],
      ['Zoë', 'Besançon'],
    ],
    'Windows-1252',
  ],
];

for (const [content, expected, why] of ENCODINGS) {
  test(`detects the encoding: ${why}`, async () => {
    assert.deepEqual(await importGrid(content), expected);
  });
}

const INVALID_BYTES: readonly [content: Buffer, encoding: string | undefined, about: string, expected: RegExp][] = [
  [encodeOneByte(FRENCH, 'windows-1252'), 'utf-8', 'encoding', /not in utf-8/],
  [Buffer.from([0x61, 0x82]), 'shift_jis', 'encoding', /not in shift_jis/],
  [Buffer.concat([Buffer.from('\ufeff'), encodeOneByte(FRENCH, 'windows-1252')]), undefined, 'file', /begins as utf-8/],
];

for (const [content, encoding, about, expected] of INVALID_BYTES) {
  test(`refuses bytes that are invalid in the encoding: ${expected.source}`, async () => {
    const outcome = await importCsv(content, encoding === undefined ? {} : { encoding });
    assert.ok(isRefusal(outcome));
    assert.equal(outcome.about, about);
    assert.match(outcome.message, expected);
  });
}

const COLUMNS: readonly [fields: readonly string[], expected: readonly unknown[], why: string][] = [
  [['n', '1', '-2', '+3', '4.5', '.5', '1.5e3', '2E-2'], ['n', 1, -2, 3, 4.5, 0.5, 1500, 0.02], 'numbers'],
  [['12E4', '1.2.3', '1-2', '5 kg', '-', '1.'], ['12E4', '1.2.3', '1-2', '5 kg', '-', '1.'], 'texts like numbers'],
  [['00501', '10001', 'n/a'], ['00501', '10001', 'n/a'], 'codes: one with leading zeros makes all texts'],
  [['4276380012345678', '1'], ['4276380012345678', '1'], 'more digits than a number keeps'],
  [['+79161234567', '5'], ['+79161234567', '5'], 'telephone numbers'],
  [['0.1234567890123456789', '1'], [0.12345678901234568, 1], 'digits of a fraction are rounded'],
  [['1.234', '2.345'], [1.234, 2.345], 'three decimals with nothing else to go by'],
  [['1.234', '0.5'], [1.234, 0.5], 'three decimals beside others'],
  [['"1,234"', '"12,345.5"'], [1234, 12345.5], 'groups of thousands by commas'],
  [['"1,5"', '"1.234,5"', '"1.234"'], [1.5, 1234.5, 1234], 'decimal commas, groups by dots'],
  [['1 234 567', '1 234.5'], [1234567, 1234.5], 'groups by blanks'],
  [['1.5', '"2,5"'], [1.5, '2,5'], 'a quoted number with the other mark is text'],
  [['50%', '12.5%'], [0.5, 0.125], 'percentages'],
  [['"12,5 %"', '50 %'], [0.125, 0.5], 'percentages with a blank'],
  [['$5.00', '-$1.50', '$-2', '$ 7', '($3.25)'], [5, -1.5, -2, 7, -3.25], 'amounts of money'],
  [['"$1,234.50"', '$0.07'], [1234.5, 0.07], 'amounts with groups'],
  [['"5,00 €"', '"1.234,50 €"', '-3 €'], [5, 1234.5, -3], 'amounts with the sign behind'],
  [['$5$', '-$-5', '(5)', '$', '$x', '(-$5)'], ['$5$', '-$-5', '(5)', '$', '$x', '(-$5)'], 'no amounts'],
  [['TRUE', 'false', 'yes'], [true, false, 'yes'], 'truth values'],
  [['=1+1', '+A1', '@SUM(1)', "'5"], ['=1+1', '+A1', '@SUM(1)', "'5"], 'formulas stay texts'],
  [['#DIV/0!', '"#DIV/0!"', '#div/0!'], [DIV0, '#DIV/0!', '#div/0!'], 'errors'],
  // 2026-11-20 is day 46346 after 1899-12-30.
  [['2026-11-20', '2026/11/20', '20.11.2026'], [46346, 46346, 46346], 'dates'],
  [['2026-11-20 18:00', '2026-11-20T18:00:00.000'], [46346.75, 46346.75], 'dates with times'],
  [['18:00', '06:00:00.5'], [0.75, 0.25 + 0.5 / 86_400], 'times'],
  [
    ['20-Nov-2026', '20-Nov-26', '20 November 2026', '"Nov 20, 2026"'],
    [46346, 46346, 46346, 46346],
    'months in letters',
  ],
  [['20-Nov-2026 18:00', 'Nov. 20 2026 6:00 PM'], [46346.75, 46346.75], 'months in letters, with times'],
  [['Nov 2026', '20 Nov', '31-Nov-2026', 'May 5'], ['Nov 2026', '20 Nov', '31-Nov-2026', 'May 5'], 'no whole dates'],
  [['6:00 PM', '12:00 am', '12:30:00 p.m.'], [0.75, 0, 0.5 + 1 / 48], 'times of two halves'],
  [['13:00 PM', '0:30 AM', '6 PM'], ['13:00 PM', '0:30 AM', '6 PM'], 'no times'],
  [['11/20/2026 6:00 PM'], [46346.75], 'dates with times of two halves'],
  [['2026-11-20T18:00:00Z', '2026-13-01'], ['2026-11-20T18:00:00Z', '2026-13-01'], 'no dates'],
  [['04/03/2026', '25/04/2026'], [46085, 46137], 'day first, as one of the dates shows'],
  [['04/03/2026', '04/25/2026'], [46115, 46137], 'month first, as one of the dates shows'],
  [['25/04/2026', '04/25/2026'], ['25/04/2026', '04/25/2026'], 'dates that contradict each other'],
  [['04/03/2026'], [46115], 'the locale settles the rest'],
  [['04-03-2026', '25-04-2026 18:00'], [46085, 46137.75], 'hyphens before a year of four digits'],
  [['04-03-26', '1-2', '555-1234', '1-800-2026'], ['04-03-26', '1-2', '555-1234', '1-800-2026'], 'other hyphens'],
];

for (const [fields, expected, why] of COLUMNS) {
  test(`assigns types to fields: ${why}`, async () => {
    assert.deepEqual(await importColumn(fields), expected);
  });
}

test('the decimal mark of one column decides ambiguous columns', async () => {
  assert.deepEqual(await importGrid('1,5;2,500\n2,5;3,500\n'), [
    [1.5, 2.5],
    [2.5, 3.5],
  ]);
  assert.deepEqual(await importGrid('1.5;2,500\n2.5;3,500\n'), [
    [1.5, 2500],
    [2.5, 3500],
  ]);
});

test('the locale decides if no column is unambiguous', async () => {
  assert.deepEqual(await importGrid('a;b\n1,234;x\n', 'ru-RU'), [
    ['a', 'b'],
    [1.234, 'x'],
  ]);
  assert.deepEqual(await importColumn(['04/03/2026'], 'en-GB'), [46085]);
  assert.deepEqual(await importColumn(['ИСТИНА', 'ложь', 'да'], 'ru-RU'), [true, false, 'да']);
});

test('quoted numbers are texts next to unquoted ones, and numbers if all are quoted', async () => {
  assert.deepEqual(await importGrid('"12",1\n"7",2\n'), [
    ['12', 1],
    ['7', 2],
  ]);
  assert.deepEqual(await importGrid('"12","1"\n"7","2"\n'), [
    [12, 1],
    [7, 2],
  ]);
});

const QUOTED_CODES = ['0001  ', ' 0001', '0012,5', '12345678901234567890 ', '+49 170 1234567'];

for (const code of QUOTED_CODES) {
  test(`a quoted code keeps its digits next to unquoted numbers: ${code}`, async () => {
    const rows = await importGrid(`Code,Sum\n"${code}",a\n"${code}",12\n`);
    assert.deepEqual(rows.slice(1), [
      [code, 'a'],
      [code, 12],
    ]);
  });
}

test('types set their number formats', async () => {
  const text = '2026-11-20,2026-11-20 18:00:30,18:00,50%,12.5%,"1,234",5\n';
  const formats = async (locale: LocaleId) => readCells(await importCsvOrFail(text, locale)).map((c) => c.format);
  const otherFormats = ['hh:mm', '0%', '0.00%', '#,##0', undefined];
  assert.deepEqual(await formats('en-US'), ['m/d/yyyy', 'm/d/yyyy hh:mm:ss', ...otherFormats]);
  assert.deepEqual(await formats('ru-RU'), ['dd.mm.yyyy', 'dd.mm.yyyy hh:mm:ss', ...otherFormats]);
});

test('amounts and 12-hour times keep their format, dates get that of the locale', async () => {
  const text = '$5.00;$5;5 €;20-Nov-2026;6:00 PM;20-Nov-2026 6:00:30 PM\n';
  const formats = async (locale: LocaleId) => readCells(await importCsvOrFail(text, locale)).map((c) => c.format);
  const money = ['"$"#,##0.00', '"$"#,##0', '#,##0 "€"'];
  assert.deepEqual(await formats('en-US'), [...money, 'm/d/yyyy', 'h:mm AM/PM', 'm/d/yyyy h:mm:ss AM/PM']);
  assert.deepEqual(await formats('de-DE'), [...money, 'dd.mm.yyyy', 'hh:mm', 'dd.mm.yyyy hh:mm:ss']);
});

const DECIDED: readonly [fields: readonly string[], type: string, why: string][] = [
  [['1', '2'], 'number', ''],
  [['1', '2.5'], 'number', 'decimal point, as 2.5 (row 3) shows'],
  [['1', '007'], 'text', '007 (row 3) would lose digits as a number'],
  [
    ['1.5', '2', '"2,5"', 'x'],
    'mixed',
    '2 number, 2 text; decimal point, as 1.5 (row 2) shows; 2,5 (row 4) is no value for certain',
  ],
  [['1E5', '2E7'], 'text', '1E5 (row 2) is no value for certain'],
  [['=1+1', 'x'], 'text', '=1+1 (row 2) is no value for certain'],
  [['04-03-2026', '25-04-2026'], 'date', 'day first, as 25-04-2026 (row 3) shows'],
  [['"1.234"', '1,234'], 'text', '1.234 (row 2) and 1,234 (row 3) have different marks'],
  [['25/04/2026', '01/02/2026'], 'date', 'day first, as 25/04/2026 (row 2) shows'],
  [['01/02/2026'], 'date', 'month first, as usual in the locale: no date settles it'],
  [['25/04/2026', '04/25/2026'], 'text', '25/04/2026 (row 2) and 04/25/2026 (row 3) have different orders'],
  [['true', 'FALSE'], 'boolean', ''],
  [['a'], 'text', ''],
];

for (const [fields, type, why] of DECIDED) {
  test(`an import reports the type of a column of ${fields.join(' ')} and the reason`, async () => {
    const outcome = await importCsv(['name|x', ...fields.map((field) => `${field}|`)].join('\n'));
    assert.ok(!isRefusal(outcome));
    assert.deepEqual(outcome.columns[0], { column: 'A', name: 'name', type, why });
  });
}

test('an empty column is reported as empty', async () => {
  const outcome = await importCsv('name,other\n,1\n');
  assert.ok(!isRefusal(outcome));
  assert.deepEqual(outcome.columns[0], { column: 'A', name: 'name', type: 'empty', why: '' });
});

const TYPED_COLUMNS: readonly [type: CsvColumnType, fields: readonly string[], expected: readonly unknown[]][] = [
  ['text', ['1', '2026-01-02', 'true'], ['1', '2026-01-02', 'true']],
  ['number', ['007', '"5"', '2026-01-02', 'x'], [7, 5, '2026-01-02', 'x']],
  ['date', ['2026-11-20', '5'], [46346, '5']],
  ['dmy', ['04/03/2026'], [46085]],
  ['mdy', ['04/03/2026', '25/04/2026'], [46115, '25/04/2026']],
  ['boolean', ['true', '1'], [true, '1']],
];

for (const [type, fields, expected] of TYPED_COLUMNS) {
  test(`a column specified as ${type}, by name or letters, is read as such`, async () => {
    for (const name of [' sum ', 'A']) {
      const outcome = await importCsv(`Sum|\n${fields.join('|1\n')}|1\n`, {
        locale: 'en-GB',
        columns: new Map([[name, type]]),
      });
      assert.ok(!isRefusal(outcome));
      const values = readCells(outcome.data).filter(({ row, column }) => column === 0 && row > 0);
      assert.deepEqual(
        values.map(({ value }) => value),
        expected,
      );
    }
  });
}

test('a name has precedence over letters, and an unknown one is refused', async () => {
  const outcome = await importCsv('B,A\n1,2\n', { columns: new Map([['B', 'text']]) });
  assert.ok(!isRefusal(outcome));
  assert.deepEqual(
    readCells(outcome.data).map(({ value }) => value),
    ['B', 'A', '1', 2],
  );
  const refusedOutcome = await importCsv('B,A\n1,2\n', { columns: new Map([['Sum', 'number']]) });
  assert.match(isRefusal(refusedOutcome) ? refusedOutcome.message : 'read', /no column sum/i);
});

test('a number in the first row keeps its text if it is a name that would be written otherwise', async () => {
  assert.deepEqual(await importGrid('id,1.50,1e3,2024\na,b,c,d\n'), [
    ['id', '1.50', '1e3', 2024],
    ['a', 'b', 'c', 'd'],
  ]);
  assert.deepEqual(await importGrid('1.50,2\n2.50,3\n'), [
    [1.5, 2],
    [2.5, 3],
  ]);
});

test('the caller can specify delimiter, encoding and sheet name', async () => {
  const outcome = await importCsv(Buffer.from([0x61, 0xe8, 0x2c, 0x62, 0x3a, 0x63]), {
    delimiter: ':',
    encoding: 'windows-1250',
    sheetName: 'Stock',
  });
  assert.ok(!isRefusal(outcome));
  assert.deepEqual(
    readCells(outcome.data).map(({ value }) => value),
    ['ač,b', 'c'],
  );
  assert.equal(outcome.data.sheets[0]?.name, 'Stock');
});

test('a new document has one sheet named in its locale and the google date system', async () => {
  const data = await importCsvOrFail('a\n', 'ru-RU');
  assert.deepEqual(data.settings, { locale: 'ru-RU', dateSystem: 'google', timeZone: 'UTC' });
  assert.deepEqual(
    data.sheets.map((sheet) => sheet.name),
    ['Лист1'],
  );
});

const LIMITS: readonly [content: string | Buffer, limits: Partial<FileLimits>, expected: RegExp, why: string][] = [
  ['a,b\nc,d\n', { fileBytes: 4 }, /bytes/, 'too large'],
  ['a,b\nc,d\n', { cells: 3 }, /more than 3 cells/, 'too many cells'],
  ['a,b\nc,d\n', { blocks: 1 }, /more than 1 blocks/, 'cells far apart'],
  [`a\n${'x'.repeat(20)}\n`, { textLength: 10 }, /Row 2/, 'a long text'],
  [','.repeat(16_384).concat('x'), {}, /16384 fields/, 'too many columns'],
  ['a\n"b\nc\n', {}, /Row 2 .*not closed/, 'an open quotation mark'],
  [Buffer.from('PK\u0003\u0004\u0000\u0000\u0000\u0001\u0002\u0003'), {}, /not a text file/, 'a zip archive'],
];

for (const [content, limits, expected, why] of LIMITS) {
  test(`refuses a CSV file with the reason: ${why}`, async () => {
    const outcome = await importCsv(content, { limits: { ...DEFAULT_FILE_LIMITS, ...limits } });
    assert.match(isRefusal(outcome) ? outcome.message : 'read', expected);
  });
}

/** Files of other formats whose name ends in `.csv`. */
const FOREIGN: readonly [content: string, format: RegExp][] = [
  ['PK\u0005\u0006\u0000\u0000', /archive/],
  ['\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\u0000', /\.xls\b/],
  ['\x1f\x8b\b\u0000', /gzip/],
  ['%PDF-1.7\n%\xe2\xe3\n', /PDF/],
  ['PAR1\x15\x04', /Parquet/],
  ['SQLite format 3\u0000', /SQLite/],
  ['\x89PNG\r\n\x1a\n\u0000', /image/],
  ['{\\rtf1\\ansi a}', /RTF/],
  ['<?xml version="1.0"?>\n<office:document xmlns:office="urn">', /\.fods/],
  ['<?xml version="1.0"?>\n<?mso-application progid="Excel.Sheet"?>\n<Workbook>', /Excel 2003/],
  ['<html><body><table><tr><td>1</td></tr></table></body></html>', /HTML/],
  ['ID;PWXL;N;E\r\nP;PGeneral\r\nC;Y1;X1;K"a"\r\nE\r\n', /SYLK/],
  ['TABLE\r\n0,1\r\n"EXCEL"\r\nVECTORS\r\n', /DIF/],
  ['{"a":1,"b":"x"}\n{"a":2,"b":"y"}\n', /JSON/],
  ['[\n  {"a": 1}\n]\n', /JSON/],
];

for (const [content, format] of FOREIGN) {
  test(`names the format of a file that is not CSV: ${format.source}`, async () => {
    const outcome = await importCsv(Buffer.from(content, 'latin1'));
    assert.match(isRefusal(outcome) ? outcome.message : 'read', format);
  });
}

test('reads CSV files that resemble other formats, and their lines if a delimiter is specified', async () => {
  assert.deepEqual(await importGrid('ID;PRICE\nC;5\n'), [
    ['ID', 'PRICE'],
    ['C', 5],
  ]);
  const page = await importCsv('<html><table></table></html>\n', { delimiter: ';' });
  assert.ok(!isRefusal(page));
});

/** A long text. With such rows the file is longer than its beginning, from which column types are derived first. */
const LONG = 'x'.repeat(100);
const BEGINNING = 3_000;

const LATE_EVIDENCE: readonly [before: string, last: string, expected: unknown[], why: string][] = [
  ['12', '007', ['12', '007'], 'a code'],
  ['1.234', '1.234,50', [1234, 1234.5], 'a decimal mark'],
  ['03/04/2026', '25/04/2026', [46115, 46137], 'the order of days and months'],
  ['"12"', '12', ['12', 12], 'that numbers stand without quotation marks'],
  ['', '12', [null, 12], 'a column'],
];

for (const [field, last, expected, why] of LATE_EVIDENCE) {
  test(`a value at the end of a long file determines the column from its first row: ${why}`, async () => {
    const rows = await importGrid(`${`${LONG};${field}\n`.repeat(BEGINNING)}${LONG};${last}`);
    assert.deepEqual([rows[0]?.[1] ?? null, rows[BEGINNING]?.[1]], expected);
  });
}

test('progress rises from 0 to 1', async () => {
  const progress: number[] = [];
  await importCsv('some,row\n'.repeat(50_000), { onProgress: (fraction) => progress.push(fraction) });
  assert.deepEqual(
    progress,
    [...progress].sort((a, b) => a - b),
  );
  assert.equal(progress.at(-1), 1);
});
