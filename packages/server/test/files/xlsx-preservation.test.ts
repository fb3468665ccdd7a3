import assert from 'node:assert/strict';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { type CellData, errorByCode, exportData, type Snapshot } from '@cellwire/engine';
import { isRefusal } from '@cellwire/files';
import { readXlsx } from '@cellwire/files/xlsx-reader';
import { writeXlsx } from '@cellwire/files/xlsx-writer';
import type { XlsxImport } from '../../../files/src/index.ts';
import {
  createRelationships,
  createSingleSheetParts,
  createTestFolder,
  MAIN,
  readCells,
  readPart,
  writeZip,
} from '../../../files/test/workbook-files.ts';
import { calculateState } from '../../src/documents/new-state.ts';

const folder = await createTestFolder();
const OUT = join(folder, 'out.xlsx');
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const REF = errorByCode('#REF!');
const NOW = Date.UTC(2026, 10, 26);

async function importFile(path: string): Promise<XlsxImport> {
  const file = await readXlsx(path, { locale: 'en-US' });
  if (isRefusal(file)) throw new Error(file.message);
  return file;
}

/** Imports a workbook and exports it again. */
async function roundTrip(parts: Readonly<Record<string, string | Buffer>>) {
  const file = await importFile(await writeZip(join(folder, 'in.xlsx'), parts));
  const snapshot = calculateState(file.data, NOW);
  if ('kind' in snapshot) throw new Error(JSON.stringify(snapshot));
  const written = await writeXlsx(OUT, exportData(snapshot), { parts: file.parts });
  return { snapshot, written, cells: readCells((await importFile(OUT)).data) };
}

function createWorkbookParts(rest: string): Record<string, string> {
  const sheets = '<sheets><sheet name="Data" sheetId="1" r:id="r1"/></sheets>';
  return { 'xl/workbook.xml': `<workbook ${MAIN} xmlns:r="${OFFICE}">${sheets}${rest}</workbook>` };
}

function listValues(snapshot: Snapshot, cells: number): unknown[] {
  return Array.from({ length: cells }, (_, column) => snapshot.sheets[0]?.value(0, column));
}

function removeFormat({ value, formula }: CellData): unknown {
  return formula === undefined ? value : [formula, value];
}

const UNKNOWN_FORMULAS = [`['file:///tmp/Prices.xlsx']Sheet!A1`, `cmd|'/c x'!A0`, 'Excel|Sheet!!R1C1', '1+', 'SUM(1,'];

test('formulas in unknown syntax keep their text and value for dependent formulas and the export', async () => {
  const sources = UNKNOWN_FORMULAS.map((text, i) => {
    const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
    return `<c r="${String.fromCharCode(65 + i)}1"><f>${escaped}</f><v>${i + 3}</v></c>`;
  });
  const { snapshot, cells, written } = await roundTrip(
    createSingleSheetParts(
      `<sheetData><row r="1">${sources.join('')}<c r="Z1"><f>A1*2</f><v>0</v></c></row></sheetData>`,
    ),
  );
  assert.deepEqual(listValues(snapshot, UNKNOWN_FORMULAS.length), [3, 4, 5, 6, 7]);
  assert.deepEqual(cells.map(removeFormat), [...UNKNOWN_FORMULAS.map((text, i) => [text, i + 3]), ['A1*2', 6]]);
  assert.deepEqual(written.leftOut, []);
});

const CIRCULAR_CELLS = '<c r="A1"><f>B1*0.1+100</f>%1</c><c r="B1"><f>A1+1</f>%2</c><c r="C1"><f>A1*2</f>%3</c>';

function createCircularParts(results: readonly string[], calculation: string): Record<string, string | Buffer> {
  const cells = results.reduce((text, result, i) => text.replace(`%${i + 1}`, result), CIRCULAR_CELLS);
  return createSingleSheetParts(`<sheetData><row r="1">${cells}</row></sheetData>`, createWorkbookParts(calculation));
}

for (const [results, how] of [
  [['<v>111.2222</v>', '<v>112.2222</v>', '<v>222.4444</v>'], 'with the file’s results'],
  [['', '', ''], 'without results'],
] as const) {
  test(`circular formulas of a workbook with iterative calculation have their solution: ${how}`, async () => {
    const { snapshot } = await roundTrip(
      createCircularParts(results, '<calcPr iterate="1" iterateCount="100" iterateDelta="0.00001"/>'),
    );
    const [a, b, c] = listValues(snapshot, 3) as [number, number, number];
    // a = (a + 1) / 10 + 100
    assert.ok(
      Math.abs(a - 1001 / 9) < 0.001 && Math.abs(b - a - 1) < 0.001 && Math.abs(c - 2 * a) < 0.001,
      String([a, b, c]),
    );
  });
}

test('circular formulas of a workbook without iterative calculation are errors and keep their texts', async () => {
  const { cells } = await roundTrip(
    createCircularParts(['<v>111</v>', '<v>112</v>', '<v>222</v>'], '<calcPr iterate="0"/>'),
  );
  assert.deepEqual(
    cells.map(({ formula }) => formula),
    ['B1*0.1+100', 'A1+1', 'A1*2'],
  );
  assert.deepEqual(cells[0]?.value, REF);
});

test('a formula that is not dynamic uses one value of a name with several values', async () => {
  const names = [
    ['Arr', '{1,2,3}'],
    ['Twin', 'Arr'],
    ['Twice', 'Data!$A$1:$A$2*2'],
    ['Rows', 'Data!$A$1:$A$2'],
    ['Rate', '1.5'],
  ].map(([name, text]) => `<definedName name="${name}">${text}</definedName>`);
  const formulas = ['Arr', 'Arr+1', '-Arr', 'Twin*2', '(Arr)', 'Twice', 'Rows', 'Rate*2', 'SUM(Arr)', 'Arr&amp;"x"'];
  const row = formulas.map((text, i) => `<c r="${String.fromCharCode(66 + i)}2"><f>${text}</f><v>0</v></c>`);
  const { snapshot, cells } = await roundTrip(
    createSingleSheetParts(
      `<sheetData><row r="1"><c r="A1"><v>10</v></c></row><row r="2"><c r="A2"><v>20</v></c>${row.join('')}</row></sheetData>`,
      createWorkbookParts(`<definedNames>${names.join('')}</definedNames>`),
    ),
  );
  const [sheet] = snapshot.sheets;
  assert.equal(sheet?.spills.size, 0);
  const values = formulas.map((_, i) => sheet?.value(1, i + 1));
  assert.deepEqual(values, [1, 2, -1, 2, 1, 20, 20, 3, 6, '1x']);
  const texts = cells.filter(({ formula }) => formula !== undefined);
  assert.deepEqual(
    texts.map(({ formula, array, dynamic }) => [formula, array, dynamic]),
    formulas.map((text) => [text.replace('&amp;', '&'), undefined, undefined]),
  );
});

/** Creates the parts of a sheet with one table of three rows per column. */
function createTableParts(names: readonly string[], inside: string): Record<string, string | Buffer> {
  const formatColumnLetter = (i: number) => String.fromCharCode(65 + i);
  const headers = names.map((_, i) => `<c r="${formatColumnLetter(i)}1" t="inlineStr"><is><t>h</t></is></c>`);
  const parts = createSingleSheetParts(`<sheetData><row r="1">${headers.join('')}</row></sheetData>`);
  for (const [i, name] of names.entries()) {
    const ref = `${formatColumnLetter(i)}1:${formatColumnLetter(i)}3`;
    parts[`xl/tables/table${i + 1}.xml`] =
      `<table ${MAIN} id="${i + 1}" name="${name}" displayName="${name}" ref="${ref}">${inside.replace('REF', ref)}` +
      `<tableColumns count="1"><tableColumn id="1" name="h"/></tableColumns><tableStyleInfo name="Style${i}"/></table>`;
  }
  const links = names.map((_, i) => [`t${i}`, ['table', `../tables/table${i + 1}.xml`] as const] as const);
  parts['xl/worksheets/_rels/sheet1.xml.rels'] = createRelationships(Object.fromEntries(links));
  return parts;
}

for (const [inside, expected, why] of [
  ['', false, 'without filter buttons has none'],
  ['<autoFilter ref="REF"/>', true, 'with filter buttons has them'],
] as const) {
  test(`an exported table ${why}`, async () => {
    await roundTrip(createTableParts(['Sales'], inside));
    assert.equal((await readPart(OUT, 'xl/tables/table1.xml')).includes('<autoFilter'), expected);
  });
}

test('tables named like functions keep their styles', async () => {
  const names = ['T', 'N', 'MAX', 'DATE', 'LET', 'PI', 'Sales'];
  await roundTrip(createTableParts(names, '<autoFilter ref="REF"/>'));
  for (const [i, name] of names.entries()) {
    assert.match(await readPart(OUT, `xl/tables/table${i + 1}.xml`), new RegExp(`"${name}".*name="Style${i}"`), name);
  }
});

const ONE_CELL = '<sheetData><row r="1"><c r="A1"><v>7</v></c></row></sheetData>';

for (const bytes of [1, 22, 1_000, 70_000]) {
  test(`a workbook with ${bytes} bytes after its archive can be read`, async () => {
    const path = await writeZip(join(folder, 'trailing.xlsx'), createSingleSheetParts(ONE_CELL));
    await appendFile(path, Buffer.alloc(bytes, 'PK'));
    assert.deepEqual(readCells((await importFile(path)).data).map(removeFormat), [7]);
  });
}

test('a workbook whose part names begin with a slash can be read', async () => {
  const parts = Object.entries(createSingleSheetParts(ONE_CELL));
  // The zip library refuses such names, so the test replaces placeholders of the same length.
  const path = await writeZip(
    join(folder, 'slash.xlsx'),
    Object.fromEntries(parts.map(([name, text]) => [`!${name}`, text])),
  );
  const archive = (await readFile(path)).toString('latin1');
  const renamed = parts.reduce((text, [name]) => text.replaceAll(`!${name}`, `/${name}`), archive);
  await writeFile(path, Buffer.from(renamed, 'latin1'));
  assert.deepEqual(readCells((await importFile(path)).data).map(removeFormat), [7]);
});

for (const [view, active] of [
  ['<workbookView activeTab="1"/>', 1],
  ['<workbookView activeTab="0"/>', 0],
  ['<workbookView/>', 0],
] as const) {
  test(`the export shows sheet ${active} first, even if it is a chart: ${view}`, async () => {
    const sheets = '<sheet name="Data" sheetId="1" r:id="r1"/><sheet name="Chart" sheetId="2" r:id="r2"/>';
    await roundTrip({
      ...createSingleSheetParts(ONE_CELL),
      'xl/workbook.xml': `<workbook ${MAIN} xmlns:r="${OFFICE}"><bookViews>${view}</bookViews><sheets>${sheets}</sheets></workbook>`,
      'xl/_rels/workbook.xml.rels': createRelationships({
        r1: ['worksheet', 'worksheets/sheet1.xml'],
        r2: ['chartsheet', 'chartsheets/sheet1.xml'],
      }),
      'xl/chartsheets/sheet1.xml': `<chartsheet ${MAIN}><sheetViews><sheetView workbookViewId="0"/></sheetViews></chartsheet>`,
    });
    assert.match(await readPart(OUT, 'xl/workbook.xml'), new RegExp(`activeTab="${active}"`));
    const selected = (await readPart(OUT, 'xl/worksheets/sheet1.xml')).includes('tabSelected');
    assert.equal(selected && active === 1, false);
  });
}

test('columns that are styled to the end of the grid are written as one range', async () => {
  const styles = `<styleSheet ${MAIN}><cellXfs><xf/><xf numFmtId="2" applyNumberFormat="1"/></cellXfs></styleSheet>`;
  const columns = '<cols><col min="1" max="16384" width="9" style="1"/></cols>';
  await roundTrip(createSingleSheetParts(columns + ONE_CELL, { 'xl/styles.xml': styles }));
  assert.match(await readPart(OUT, 'xl/worksheets/sheet1.xml'), /<cols><col min="1" max="16384" [^>]*\/><\/cols>/);
});
