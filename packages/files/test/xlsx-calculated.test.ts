import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { type CellError, cellText, exportData, isError, Workbook } from '@cellwire/engine';
import { isRefusal } from '../src/index.ts';
import { writeXlsx } from '../src/xlsx/write.ts';
import {
  createRelationships,
  createSingleSheetParts,
  createTestFolder,
  MAIN,
  readBack,
  readPart,
  writeZip,
} from './workbook-files.ts';

const folder = await createTestFolder();
let files = 0;

const CONTEXT = { now: 0, seed: 1, budget: { cells: 1e6, milliseconds: 60_000, clock: () => 0 } };

/** Imports and calculates a workbook with one sheet `Data`. */
async function importSheet(
  sheet: string,
  names = '',
  extraParts: Readonly<Record<string, string>> = {},
): Promise<Workbook> {
  const parts = createSingleSheetParts(sheet, extraParts);
  const book = String(parts['xl/workbook.xml']).replace('</sheets>', `</sheets><definedNames>${names}</definedNames>`);
  const importResult = await readBack(
    await writeZip(join(folder, `${files++}.xlsx`), { ...parts, 'xl/workbook.xml': book }),
  );
  assert.ok(!isRefusal(importResult));
  const workbook = Workbook.import(importResult.data, CONTEXT);
  assert.ok(workbook instanceof Workbook);
  return workbook;
}

/** Values of cells of the first sheet, errors as codes. */
function readValues({ head }: Workbook, ...cells: readonly string[]): readonly unknown[] {
  const [sheet] = head.sheets;
  assert.ok(sheet);
  const { rows, columns } = sheet.extent();
  const values = new Map<string, unknown>();
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const value = sheet.value(row, column);
      values.set(cellText(row, column), isError(value) ? (value as CellError).code : value);
    }
  }
  return cells.map((cell) => values.get(cell));
}

const createFormulaCell = (ref: string, text: string): string => `<c r="${ref}"><f>${text}</f></c>`;

/** A header and the numbers 1 to 4; row 3 (value 2) is hidden. */
const COLUMN = [1, 2, 3, 4].map(
  (n) => `<row r="${n + 1}"${n === 2 ? ' hidden="1"' : ''}><c r="A${n + 1}"><v>${n}</v></c></row>`,
);
const TOTALS = [
  createFormulaCell('C1', 'SUM(A2:A5)'),
  createFormulaCell('D1', 'SUBTOTAL(9,A2:A5)'),
  createFormulaCell('E1', 'SUBTOTAL(109,A2:A5)'),
  createFormulaCell('F1', 'AGGREGATE(9,4,A2:A5)'),
].join('');
const LIST = `<sheetData><row r="1"><c r="A1" t="str"><v>n</v></c>${TOTALS}</row>${COLUMN.join('')}</sheetData>`;
const CRITERIA = '<filterColumn colId="0"><filters><filter val="1"/></filters></filterColumn>';
const TABLE = {
  'xl/worksheets/_rels/sheet1.xml.rels': createRelationships({ r1: ['table', '../tables/table1.xml'] }),
  'xl/tables/table1.xml': `<table ${MAIN} displayName="T" ref="A1:A5"><autoFilter ref="A1:A5">${CRITERIA}</autoFilter><tableColumns><tableColumn name="n"/></tableColumns></table>`,
};

const FILTERS: readonly (readonly [
  title: string,
  filter: string,
  extraParts: Readonly<Record<string, string>>,
  number[],
])[] = [
  ['hidden by hand', '', {}, [10, 10, 8, 10]],
  ['hidden next to a filter without criteria', '<autoFilter ref="A1:A5"/>', {}, [10, 10, 8, 10]],
  ['hidden by a filter', `<autoFilter ref="A1:A5">${CRITERIA}</autoFilter>`, {}, [10, 8, 8, 8]],
  ['hidden by a table’s filter', '', TABLE, [10, 8, 8, 8]],
];

for (const [title, filter, extraParts, expected] of FILTERS) {
  test(`totals of a list with a row ${title}`, async () => {
    const workbook = await importSheet(`${LIST}${filter}`, '', extraParts);
    assert.deepEqual(readValues(workbook, 'C1', 'D1', 'E1', 'F1'), expected);
    workbook.apply([{ kind: 'moveCells', move: { kind: 'insert', sheet: 1, axis: 'rows', at: 1, count: 3 } }], CONTEXT);
    workbook.apply([{ kind: 'recalculate', everything: true }], CONTEXT);
    assert.deepEqual(readValues(workbook, 'C1', 'D1', 'E1', 'F1'), expected);
  });
}

test('names of the same workbook and relative names at the edges of the sheet are calculated', async () => {
  const names =
    '<definedName name="Rate">Data!$A$1</definedName><definedName name="Above">Data!A1048576</definedName>' +
    '<definedName name="Left">Data!XFD1</definedName><definedName name="Three">Data!A1048574:A1048576</definedName>';
  const cells = `<row r="1"><c r="A1"><v>2</v></c>${createFormulaCell('B1', '[0]!Rate*2')}</row><row r="2"><c r="A2"><v>3</v></c>${createFormulaCell('B2', 'Above+Left')}</row><row r="3"/><row r="4">${createFormulaCell('B4', 'SUM(Three)')}</row>`;
  const workbook = await importSheet(`<sheetData>${cells}</sheetData>`, names);
  assert.deepEqual(readValues(workbook, 'B1', 'B2', 'B4'), [4, 7, 11]);
  const path = join(folder, 'names.xlsx');
  await writeXlsx(path, exportData(workbook.head));
  const xml = await readPart(path, 'xl/workbook.xml');
  assert.match(xml, />Data!A1048576<.*>Data!XFD1<.*>Data!A1048574:A1048576</);
});

test('blanks in the result of an array formula become zeros', async () => {
  const cells =
    '<row r="1"><c r="A1"><v>1</v></c><c r="C1" cm="1"><f t="array" ref="C1:C3">A1:A3</f><v>1</v></c></row><row r="3"><c r="A3"><v>3</v></c></row>';
  const metadata = `<metadata ${MAIN}><metadataTypes count="1"><metadataType name="XLDAPR"/></metadataTypes><cellMetadata count="1"><bk><rc t="1" v="0"/></bk></cellMetadata></metadata>`;
  const workbook = await importSheet(`<sheetData>${cells}</sheetData>`, '', { 'xl/metadata.xml': metadata });
  assert.deepEqual(readValues(workbook, 'C1', 'C2', 'C3'), [1, 0, 3]);
  const path = join(folder, 'blanks.xlsx');
  await writeXlsx(path, exportData(workbook.head));
  assert.match(await readPart(path, 'xl/worksheets/sheet1.xml'), /<c r="C2"><v>0<\/v><\/c>/);
});

test('a regional number format follows the locale', async () => {
  const styles = `<styleSheet ${MAIN}><numFmts count="1"><numFmt numFmtId="164" formatCode="m/d/yyyy"/></numFmts><cellXfs><xf/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="22"/></cellXfs></styleSheet>`;
  const cells = [1, 2, 3].map((style) => `<c r="${'ABC'[style - 1]}1" s="${style}"><v>45000</v></c>`).join('');
  const workbook = await importSheet(`<sheetData><row r="1">${cells}</row></sheetData>`, '', {
    'xl/styles.xml': styles,
  });
  const format = (cell: string) =>
    ({
      kind: 'setFormat',
      sheet: 1,
      area: { top: 0, left: cell.charCodeAt(0) - 65, bottom: 0, right: cell.charCodeAt(0) - 65 },
      format: '0.00',
    }) as const;
  const ids = async (): Promise<readonly string[]> => {
    const path = join(folder, `regional${files++}.xlsx`);
    await writeXlsx(path, exportData(workbook.head));
    const xfs = /<cellXfs.*<\/cellXfs>/.exec(await readPart(path, 'xl/styles.xml'))?.[0].match(/<xf [^>]*>/g) ?? [];
    const sheet = await readPart(path, 'xl/worksheets/sheet1.xml');
    return [...sheet.matchAll(/ s="(\d+)"/g)].map(([, s]) => /numFmtId="(\d+)"/.exec(xfs[Number(s)] ?? '')?.[1] ?? '');
  };
  assert.deepEqual(await ids(), ['14', '164', '22']);
  workbook.apply([format('A')], CONTEXT);
  assert.deepEqual(await ids(), ['2', '164', '22']);
});
