import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { type CellData, DIV0, NA, REF, VALUE } from '@cellwire/engine';
import { isRefusal } from '../src/index.ts';
import { readXlsx } from '../src/xlsx/read.ts';
import {
  createRelationships,
  createSingleSheetParts,
  createTestFolder,
  MAIN,
  readCells,
  readWorkbook,
  writeZip,
} from './workbook-files.ts';

const folder = await createTestFolder();
let files = 0;

async function importSheet(sheet: string, extraParts: Readonly<Record<string, string | Buffer>> = {}) {
  return readWorkbook(await writeZip(join(folder, `${files++}.xlsx`), createSingleSheetParts(sheet, extraParts)));
}

/** Imports the rows of a sheet and returns its cells. */
async function importCells(
  rows: string,
  extraParts: Readonly<Record<string, string | Buffer>> = {},
): Promise<CellData[]> {
  return readCells(await importSheet(`<sheetData>${rows}</sheetData>`, extraParts));
}

const STRINGS = `<sst ${MAIN}><si><t>plain</t></si><si><r><rPr><b/></rPr><t>rich </t></r><r><t xml:space="preserve">text </t></r><rPh sb="0" eb="1"><t>READING</t></rPh><phoneticPr fontId="1"/></si><si><t>a_x000D_b_x005F_x0041_</t></si></sst>`;

const VALUES: readonly [cell: string, value: CellData['value'], why: string][] = [
  ['<c r="A1"><v>1.5</v></c>', 1.5, 'a number'],
  ['<c r="A1" t="n"><v>1E-3</v></c>', 0.001, 'a number with an exponent'],
  ['<c r="A1"><v>0.30000000000000004</v></c>', 0.1 + 0.2, 'all digits of a number'],
  ['<c r="A1" t="b"><v>1</v></c>', true, 'a truth value'],
  ['<c r="A1" t="e"><v>#DIV/0!</v></c>', DIV0, 'an error'],
  ['<c r="A1" t="e"><v>#GETTING_DATA</v></c>', NA, 'an error that waits for data'],
  ['<c r="A1" t="e"><v>#BLOCKED!</v></c>', VALUE, 'an error of data types'],
  ['<c r="A1" t="s"><v>0</v></c>', 'plain', 'a shared text'],
  ['<c r="A1" t="s"><v>1</v></c>', 'rich text ', 'a rich text without its reading'],
  ['<c r="A1" t="s"><v>2</v></c>', 'a\rb_x0041_', 'escaped characters'],
  ['<c r="A1" t="inlineStr"><is><r><t>in</t></r><r><t>line</t></r></is></c>', 'inline', 'an inline text'],
  ['<c r="A1" t="str"><f>B1</f><v> x </v></c>', ' x ', 'a text result with its blanks'],
  ['<c r="A1" t="str"><f>B1</f><v></v></c>', '', 'an empty text result'],
  ['<c r="A1" t="str"><v><![CDATA[1 < 2]]></v></c>', '1 < 2', 'character data'],
];

for (const [cell, value, why] of VALUES) {
  test(`reads a cell's value: ${why}`, async () => {
    const [importedCell] = await importCells(`<row r="1">${cell}</row>`, { 'xl/sharedStrings.xml': STRINGS });
    assert.equal(importedCell?.value, value);
  });
}

test('an ISO date becomes a serial number of the workbook’s date system, with a date format', async () => {
  const [day, moment] = await importCells(
    '<row r="1"><c r="A1" t="d"><v>2026-11-20</v></c><c r="B1" t="d"><v>2026-11-20T18:00:00Z</v></c></row>',
  );
  // 2026-11-20 is day 46346 of Excel's 1900 system.
  assert.equal(day?.value, 46346);
  assert.equal(moment?.value, 46346.75);
  assert.match(day?.format ?? '', /yyyy/);
});

for (const [text, value, format] of [
  ['2026-11-20', 46346, 'yyyy-mm-dd'],
  ['2026-11-20T24:00:00', 46347, 'yyyy-mm-dd hh:mm:ss'],
  ['2024-02-29', 45351, 'yyyy-mm-dd'],
  ['1900-01-01', 1, 'yyyy-mm-dd'],
  ['1900-02-28', 59, 'yyyy-mm-dd'],
  ['1900-02-29', 60, 'yyyy-mm-dd'],
  ['1900-03-01', 61, 'yyyy-mm-dd'],
  ['1899-12-31T06:00:00', 0.25, 'yyyy-mm-dd hh:mm:ss'],
  ['18:00', 0.75, 'hh:mm:ss'],
  ['18:00:00.5', 0.75 + 0.5 / 86_400, 'hh:mm:ss'],
  ['2026-02-30', '2026-02-30', undefined],
  ['2026-13-01', '2026-13-01', undefined],
  ['2026-11-20T25:00:00', '2026-11-20T25:00:00', undefined],
  ['2026-11-20T10:61', '2026-11-20T10:61', undefined],
  ['1850-05-05', '1850-05-05', undefined],
  ['2026-11-20T18:00:00+02:00', '2026-11-20T18:00:00+02:00', undefined],
] as const) {
  test(`an ISO date or time is a number with a fitting format, or stays a text: ${text}`, async () => {
    const [cell] = await importCells(`<row r="1"><c r="A1" t="d"><v>${text}</v></c></row>`);
    assert.deepEqual([cell?.value, cell?.format], [value, format]);
  });
}

test('cells and rows without an address follow one another', async () => {
  const actual = await importCells(
    '<row><c><v>1</v></c><c><v>2</v></c></row><row><c r="C2"><v>3</v></c><c><v>4</v></c></row>',
  );
  assert.deepEqual(
    actual.map(({ row, column, value }) => [row, column, value]),
    [
      [0, 0, 1],
      [0, 1, 2],
      [1, 2, 3],
      [1, 3, 4],
    ],
  );
});

test('prefixed element names and the strict namespace are read', async () => {
  const strict = 'http://purl.oclc.org/ooxml/spreadsheetml/main';
  const actual = await importCells('', {
    'xl/worksheets/sheet1.xml': `<x:worksheet xmlns:x="${strict}"><x:sheetData><x:row r="2"><x:c r="B2"><x:v>7</x:v></x:c></x:row></x:sheetData></x:worksheet>`,
  });
  assert.deepEqual(actual, [{ row: 1, column: 1, value: 7 }]);
});

test('UTF-16 parts are read', async () => {
  const sheet = `\ufeff<?xml version="1.0" encoding="UTF-16"?><worksheet ${MAIN}><sheetData><row r="1"><c r="A1" t="str"><v>да</v></c></row></sheetData></worksheet>`;
  const actual = await importCells('', { 'xl/worksheets/sheet1.xml': Buffer.from(sheet, 'utf16le') });
  assert.equal(actual[0]?.value, 'да');
});

test('part names are found independent of letter case and slashes', async () => {
  const parts = createSingleSheetParts('<sheetData><row r="1"><c r="A1" t="s"><v>0</v></c></row></sheetData>');
  const path = await writeZip(join(folder, 'case.xlsx'), { ...parts, 'xl/SHAREDSTRINGS.xml': STRINGS });
  assert.equal(readCells(await readWorkbook(path))[0]?.value, 'plain');
});

const METADATA = `<metadata ${MAIN}><metadataTypes count="2"><metadataType name="XLRICHVALUE"/><metadataType name="XLDAPR"/></metadataTypes><cellMetadata count="2"><bk><rc t="1" v="0"/></bk><bk><rc t="2" v="0"/></bk></cellMetadata></metadata>`;

test('array formulas keep their range, dynamic array formulas stay dynamic, and results are marked', async () => {
  const actual = await importCells(
    `<row r="1"><c r="A1"><f t="array" ref="A1:B2">D1:E2*2</f><v>2</v></c><c r="B1"><v>4</v></c>
     <c r="D1" cm="2"><f t="array" ref="D1:D2">_xlfn.SEQUENCE(2)</f><v>1</v></c>
     <c r="F1" cm="1"><f t="array" ref="F1">SUM(A1:A2*2)</f><v>9</v></c></row>
     <row r="2"><c r="A2"><v>6</v></c><c r="B2"><v>8</v></c><c r="D2"><f ca="1"/><v>2</v></c></row>
     <row r="3"><c r="A3"><v>5</v></c></row>`,
    { 'xl/metadata.xml': METADATA },
  );
  assert.deepEqual(actual, [
    { row: 0, column: 0, value: 2, formula: 'D1:E2*2', array: { top: 0, left: 0, bottom: 1, right: 1 } },
    { row: 0, column: 1, value: 4, spilled: true },
    {
      ...{ row: 0, column: 3, value: 1, formula: '_xlfn.SEQUENCE(2)' },
      array: { top: 0, left: 3, bottom: 1, right: 3 },
      dynamic: true,
    },
    { row: 0, column: 5, value: 9, formula: 'SUM(A1:A2*2)', array: { top: 0, left: 5, bottom: 0, right: 5 } },
    { row: 1, column: 0, value: 6, spilled: true },
    { row: 1, column: 1, value: 8, spilled: true },
    { row: 1, column: 3, value: 2, spilled: true },
    { row: 2, column: 0, value: 5 },
  ]);
});

test('shared formulas are expanded for each cell', async () => {
  const actual = await importCells(
    `<row r="1"><c r="B1"><f t="shared" ref="B1:B3" si="0">A1*$A$1&amp;"A1"</f><v>1</v></c></row>
     <row r="2"><c r="B2"><f t="shared" si="0"/><v>2</v></c></row>
     <row r="3"><c r="B3"><f t="shared" si="0"></f><v>3</v></c></row>`,
  );
  assert.deepEqual(
    actual.map((cell) => cell.formula),
    ['A1*$A$1&"A1"', 'A2*$A$1&"A1"', 'A3*$A$1&"A1"'],
  );
});

test('results of a data table and a formula without text are values', async () => {
  const actual = await importCells(
    '<row r="1"><c r="A1"><f t="dataTable" ref="A1:A2" dt2D="0" dtr="0" r1="C1"/><v>1</v></c><c r="B1"><f/><v>2</v></c></row>',
  );
  assert.deepEqual(actual, [
    { row: 0, column: 0, value: 1 },
    { row: 0, column: 1, value: 2 },
  ]);
});

const STYLES = `<styleSheet ${MAIN}><numFmts count="2"><numFmt numFmtId="164" formatCode="dd.mm.yyyy"/><numFmt numFmtId="165" formatCode="GENERAL"/></numFmts><cellStyleXfs><xf numFmtId="9"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="4" applyNumberFormat="0"/></cellXfs></styleSheet>`;

test('built-in number formats have their en-US codes, custom codes are unchanged, and General is omitted', async () => {
  const actual = await importCells([0, 1, 2, 3, 4].map((style) => `<row><c s="${style}"><v>1</v></c></row>`).join(''), {
    'xl/styles.xml': STYLES,
  });
  assert.deepEqual(
    actual.map((cell) => cell.format),
    [undefined, 'm/d/yyyy', 'dd.mm.yyyy', undefined, '#,##0.00'],
  );
});

test('number formats 14 and 22, which depend on the region, use the locale of the document', async () => {
  const styles = `<styleSheet ${MAIN}><cellXfs><xf numFmtId="14"/><xf numFmtId="22"/></cellXfs></styleSheet>`;
  const rows = '<row r="1"><c r="A1" s="0"><v>45323</v></c><c r="B1" s="1"><v>45323.5</v></c></row>';
  const parts = createSingleSheetParts(`<sheetData>${rows}</sheetData>`, { 'xl/styles.xml': styles });
  const path = await writeZip(join(folder, 'regional.xlsx'), parts);
  for (const [locale, date] of [
    ['ru-RU', 'dd.mm.yyyy'],
    ['en-US', 'm/d/yyyy'],
    ['fr-FR', 'dd/mm/yyyy'],
  ] as const) {
    const importResult = await readXlsx(path, { locale });
    if (isRefusal(importResult)) throw new Error(importResult.message);
    assert.deepEqual(
      readCells(importResult.data).map((cell) => cell.format),
      [date, `${date} h:mm`],
    );
  }
});

test('a cell with only a number format is imported, an empty cell is not', async () => {
  const actual = await importCells('<row r="1"><c r="A1" s="2"/><c r="B1" s="0"/></row>', { 'xl/styles.xml': STYLES });
  assert.deepEqual(actual, [{ row: 0, column: 0, value: null, format: 'dd.mm.yyyy' }]);
});

test('columns have number formats, rows may be hidden', async () => {
  const data = await importSheet(
    '<cols><col min="2" max="3" style="2"/><col min="5" max="5" style="0"/></cols><sheetData><row r="2" hidden="1"/><row r="4" hidden="true"><c r="A4"><v>1</v></c></row></sheetData>',
    { 'xl/styles.xml': STYLES },
  );
  assert.deepEqual(
    [...(data.sheets[0]?.columnFormats ?? [])],
    [
      [1, 'dd.mm.yyyy'],
      [2, 'dd.mm.yyyy'],
    ],
  );
  assert.deepEqual(data.sheets[0]?.hiddenRows, [1, 3]);
});

const THEME =
  '<a:theme xmlns:a="urn:a"><a:themeElements><a:clrScheme name="x"><a:dk1><a:sysClr val="windowText" lastClr="000000"/></a:dk1><a:lt1><a:sysClr val="window" lastClr="FFFFFF"/></a:lt1><a:dk2><a:srgbClr val="1F497D"/></a:dk2><a:lt2><a:srgbClr val="EEECE1"/></a:lt2><a:accent1><a:srgbClr val="4F81BD"/></a:accent1></a:clrScheme></a:themeElements></a:theme>';

const COLORS: readonly [color: string, expected: string | null, why: string][] = [
  ['rgb="FF92D050"', '#92D050', 'by its parts'],
  ['theme="0"', '#FFFFFF', 'the theme’s first light one'],
  ['theme="3"', '#1F497D', 'the theme’s second dark one'],
  ['indexed="10"', '#FF0000', 'of the palette'],
  ['indexed="63"', '#333333', 'the palette’s last'],
  ['indexed="64"', null, 'the system’s'],
  // Half the lightness of 134/255 with the same hue and saturation. Excel rounds less exactly and shows #244062.
  ['theme="4" tint="-0.5"', '#254061', 'darkened'],
  ['theme="1" tint="0.5"', '#808080', 'lightened black'],
];

for (const [color, expected, why] of COLORS) {
  test(`a sheet's colour is read: ${why}`, async () => {
    const data = await importSheet(`<sheetPr><tabColor ${color}/></sheetPr><sheetData/>`, {
      'xl/theme/theme1.xml': THEME,
    });
    assert.equal(data.sheets[0]?.color, expected);
  });
}

test('sheets keep their order and state, names their scope; chart and macro sheets are omitted', async () => {
  const data = await importSheet('', {
    'xl/workbook.xml': `<workbook ${MAIN} xmlns:rel="x"><workbookPr date1904="1"/><sheets><sheet name="Chart" sheetId="9" rel:id="c"/><sheet name="B &amp; C" sheetId="2" state="veryHidden" rel:id="b"/><sheet name="A" sheetId="1" rel:id="a"/></sheets><definedNames><definedName name="all">A!$A$1:$B$2</definedName><definedName name="own" localSheetId="1">'B &amp; C'!$A$1</definedName><definedName name="gone" localSheetId="0">1</definedName><definedName name="ALL">2</definedName><definedName name="macro" vbProcedure="1">#REF!</definedName></definedNames></workbook>`,
    'xl/_rels/workbook.xml.rels': createRelationships({
      a: ['worksheet', '/xl/worksheets/sheet1.xml'],
      b: ['worksheet', './worksheets/../worksheets/sheet2.xml'],
      c: ['chartsheet', 'chartsheets/sheet1.xml'],
    }),
    'xl/worksheets/sheet2.xml': `<worksheet ${MAIN}><sheetData/></worksheet>`,
  });
  assert.equal(data.settings.dateSystem, '1904');
  assert.deepEqual(
    data.sheets.map(({ name, hidden }) => [name, hidden]),
    [
      ['B & C', true],
      ['A', false],
    ],
  );
  assert.deepEqual(data.names, [
    { name: 'all', formula: 'A!$A$1:$B$2' },
    { name: 'own', sheet: 'B & C', formula: "'B & C'!$A$1" },
  ]);
});

test('a sheet becomes visible if only chart sheets were visible', async () => {
  const data = await importSheet('', {
    'xl/workbook.xml': `<workbook ${MAIN} xmlns:rel="x"><sheets><sheet name="Chart" sheetId="9" rel:id="c"/><sheet name="A" sheetId="1" state="hidden" rel:id="a"/><sheet name="B" sheetId="2" state="hidden" rel:id="a"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': createRelationships({
      a: ['worksheet', '/xl/worksheets/sheet1.xml'],
      c: ['chartsheet', 'chartsheets/sheet1.xml'],
    }),
  });
  assert.deepEqual(
    data.sheets.map(({ name, hidden }) => [name, hidden]),
    [
      ['A', false],
      ['B', true],
    ],
  );
});

test('tables keep their range, columns, header row and totals row', async () => {
  const data = await importSheet('<sheetData/><tableParts count="1"><tablePart r:id="t1"/></tableParts>', {
    'xl/worksheets/_rels/sheet1.xml.rels': createRelationships({ t1: ['table', '../tables/table1.xml'] }),
    'xl/tables/table1.xml': `<table ${MAIN} id="1" name="T" displayName="Sales" ref="B2:C9" totalsRowCount="1"><tableColumns count="2"><tableColumn id="1" name="Net_x000a_price"/><tableColumn id="2" name="Qty"><calculatedColumnFormula>1</calculatedColumnFormula></tableColumn></tableColumns></table>`,
  });
  assert.deepEqual(data.tables, [
    {
      name: 'Sales',
      sheet: 'Data',
      area: { top: 1, left: 1, bottom: 8, right: 2 },
      headerRow: true,
      totalsRow: true,
      columns: ['Net\nprice', 'Qty'],
    },
  ]);
});

test('contents of extensions are not imported as cells', async () => {
  const actual = await importCells(
    `<row r="1"><c r="A1"><f>1+1</f><v>2</v><extLst><ext><f>9</f><v>9</v></ext></extLst></c></row>`,
  );
  assert.deepEqual(actual, [{ row: 0, column: 0, value: 2, formula: '1+1' }]);
});

test('a formula cell keeps its error and its formula', async () => {
  const [errorCell] = await importCells('<row r="1"><c r="A1" t="e"><f>#REF!+1</f><v>#REF!</v></c></row>');
  assert.deepEqual(errorCell, { row: 0, column: 0, value: REF, formula: '#REF!+1' });
});
