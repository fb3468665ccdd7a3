import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { formatLeftOutText, isRefusal } from '../src/index.ts';
import {
  createRelationships,
  createSingleSheetParts,
  createTestFolder,
  MAIN,
  readBack,
  readCells,
  writeZip,
} from './workbook-files.ts';

const folder = await createTestFolder();
let files = 0;

type PartTexts = Readonly<Record<string, string>>;

/** Imports a workbook with one sheet and returns the report of omitted parts. */
async function importAndDescribeOmissions(sheet: string, extraParts: PartTexts = {}): Promise<string> {
  const importResult = await readBack(
    await writeZip(join(folder, `${files++}.xlsx`), createSingleSheetParts(sheet, extraParts)),
  );
  if (isRefusal(importResult)) throw new Error(importResult.message);
  return formatLeftOutText(importResult.leftOut);
}

const ROWS = '<sheetData><row r="1"><c r="A1"><v>1</v></c></row></sheetData>';
const X14 = 'xmlns:e="http://schemas.microsoft.com/office/spreadsheetml/2009/9/main"';
const MC = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"';

/** A text above the size limit of one attachment. */
const LONG = 'x'.repeat(70_000);

const IN_THE_SHEET: readonly (readonly [sheet: string, report: string])[] = [
  [`${ROWS}<hyperlinks><hyperlink ref="A1" r:id="gone"/></hyperlinks>`, '1 hyperlink'],
  [`${ROWS}<dataValidations><dataValidation sqref="A1:"/></dataValidations>`, '1 data validation'],
  [`${ROWS}<conditionalFormatting><cfRule/><cfRule/></conditionalFormatting>`, '2 conditional format rules'],
  [
    `${ROWS}<extLst><ext><e:conditionalFormatting ${X14}><e:cfRule id="${LONG}"/></e:conditionalFormatting></ext></extLst>`,
    '1 conditional format rule',
  ],
  [
    `${ROWS}<extLst><ext><e:sparklineGroup ${X14}><e:sparkline/><e:sparkline e="${LONG}"/></e:sparklineGroup></ext></extLst>`,
    '2 sparklines',
  ],
  [`${ROWS}<autoFilter ref="?"/>`, '1 filter'],
  [`<sheetViews><sheetView workbookViewId="1"/></sheetViews>${ROWS}`, '1 view (frozen panes, zoom, gridlines)'],
  [`<sheetViews><sheetView workbookViewId="0"/></sheetViews>${ROWS}`, ''],
  [`${ROWS}<headerFooter><oddHeader>${'x'.repeat(70_000)}</oddHeader></headerFooter>`, '1 page set-up'],
  [`${ROWS}<hyperlinks><hyperlink/><hyperlink/></hyperlinks>`, '2 hyperlinks'],
  [`${ROWS}<protectedRanges><protectedRange/></protectedRanges>`, '1 protection in the file'],
  [`${ROWS}<controls><control/></controls>`, '1 form control'],
  [
    `${ROWS}<dataConsolidate><dataRefs><dataRef ref="A1" r:id="x"/></dataRefs></dataConsolidate>`,
    '1 list of cells that were consolidated',
  ],
  [`${ROWS}<picture/>`, '1 picture'],
  [
    `${ROWS}<oleObjects><mc:AlternateContent ${MC}><mc:Choice><oleObject/></mc:Choice><mc:Fallback><oleObject/></mc:Fallback></mc:AlternateContent></oleObjects>`,
    '1 embedded object',
  ],
  [
    '<sheetData><row r="1"><c r="A1"><f t="dataTable" ref="A1:A2"/><v>1</v></c></row></sheetData>',
    '1 what-if table (its results stay as values)',
  ],
  [
    '<sheetData><row r="1"><c r="A1" vm="1" t="e"><v>#VALUE!</v></c></row></sheetData>',
    '1 cell of a data type or with a picture (its text stays)',
  ],
  [
    `<sheetData><row r="1"><c r="A1" t="inlineStr"><is><r><rPr><rFont val="${LONG}"/></rPr><t>x</t></r></is></c></row></sheetData>`,
    '1 text with formatting of its own parts',
  ],
];

for (const [sheet, report] of IN_THE_SHEET) {
  test(`an import reports the omitted parts of a worksheet: ${report || 'nothing'}`, async () => {
    assert.equal(await importAndDescribeOmissions(sheet), report);
  });
}

const BESIDE_THE_SHEET: readonly (readonly [kind: string, part: string, report: string])[] = [
  ['comments', `<comments ${MAIN}><commentList><comment/><comment/></commentList></comments>`, '2 comments (notes)'],
  ['slicer', '<slicers/>', '1 slicer or timeline'],
  ['queryTable', '<queryTable/>', '1 data connection or query'],
  ['somethingNew', '<new/>', '1 part of a kind that is not known'],
];

for (const [kind, part, report] of BESIDE_THE_SHEET) {
  test(`an import reports the omitted parts of a sheet's files: ${report}`, async () => {
    const extraParts = {
      'xl/worksheets/_rels/sheet1.xml.rels': createRelationships({ r1: [kind, '../part1.xml'] }),
      'xl/part1.xml': part,
    };
    assert.equal(await importAndDescribeOmissions(ROWS, extraParts), report);
  });
}

test('a listed but missing sheet or table is omitted and reported', async () => {
  const parts = createSingleSheetParts(ROWS);
  const book = String(parts['xl/workbook.xml']).replace(
    '</sheets>',
    '<sheet name="Gone" sheetId="2" r:id="r8"/><sheet name="Lost" sheetId="3" r:id="r9"/></sheets>',
  );
  const extraParts = {
    'xl/workbook.xml': book,
    'xl/_rels/workbook.xml.rels': createRelationships({
      r1: ['worksheet', 'worksheets/sheet1.xml'],
      r8: ['worksheet', 'worksheets/sheet8.xml'],
    }),
    'xl/worksheets/_rels/sheet1.xml.rels': createRelationships({ t: ['table', '../tables/table1.xml'] }),
  };
  assert.equal(
    await importAndDescribeOmissions(ROWS, extraParts),
    '2 sheets that the file lists and does not hold, 1 table that the file lists and does not hold',
  );
});

test('missing shared texts are omitted and reported', async () => {
  const texts = ['0', '1', '-1', '0.5', 'x'].map((index, i) => `<c r="${'ABCDE'[i]}1" t="s"><v>${index}</v></c>`);
  const sheet = `<sheetData><row r="1">${texts.join('')}<c r="F1"><v>7</v></c></row></sheetData>`;
  const parts = createSingleSheetParts(sheet, { 'xl/sharedStrings.xml': `<sst ${MAIN}><si><t>there</t></si></sst>` });
  const importResult = await readBack(await writeZip(join(folder, 'texts.xlsx'), parts));
  assert.ok(!isRefusal(importResult));
  assert.deepEqual(readCells(importResult.data), [
    { row: 0, column: 0, value: 'there' },
    { row: 0, column: 5, value: 7 },
  ]);
  assert.equal(formatLeftOutText(importResult.leftOut), '4 texts that cells name and the file does not hold');
});

test('slightly wrong declared sizes are accepted', async () => {
  const path = await writeZip(join(folder, 'sizes.xlsx'), createSingleSheetParts(ROWS));
  const file = await readFile(path);
  for (let at = file.indexOf('PK\x01\x02'); at >= 0; at = file.indexOf('PK\x01\x02', at + 4)) {
    file.writeUInt32LE(file.readUInt32LE(at + 24) + 3, at + 24);
  }
  await writeFile(path, file);
  const importResult = await readBack(path);
  assert.ok(!isRefusal(importResult));
  assert.deepEqual(readCells(importResult.data), [{ row: 0, column: 0, value: 1 }]);
});

const OF_THE_WORKBOOK: readonly (readonly [kind: string, report: string])[] = [
  ['vbaProject', '1 macro project'],
  ['xmlMaps', '1 custom part'],
  ['connections', '1 data connection or query'],
  ['calcChain', ''],
];

for (const [kind, report] of OF_THE_WORKBOOK) {
  test(`an import reports the omitted parts of the workbook: ${kind}`, async () => {
    const links = createRelationships({ r1: ['worksheet', 'worksheets/sheet1.xml'], r2: [kind, 'part.bin'] });
    assert.equal(
      await importAndDescribeOmissions(ROWS, { 'xl/_rels/workbook.xml.rels': links, 'xl/part.bin': 'x' }),
      report,
    );
  });
}

test('an import reports omitted rich texts', async () => {
  const strings = `<sst ${MAIN}><si><r><rPr><rFont val="${LONG}"/></rPr><t>a</t></r></si></sst>`;
  assert.equal(
    await importAndDescribeOmissions(ROWS, { 'xl/sharedStrings.xml': strings }),
    '1 text with formatting of its own parts',
  );
});

test('sheets without cells and macros’ names are counted', async () => {
  const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
  const extraParts = {
    'xl/workbook.xml': `<workbook ${MAIN} xmlns:r="${office}"><sheets><sheet name="Data" r:id="r1"/><sheet name="Chart" r:id="r2"/></sheets><definedNames><definedName name="Run" function="1">1</definedName></definedNames></workbook>`,
    'xl/_rels/workbook.xml.rels': createRelationships({
      r1: ['worksheet', 'worksheets/sheet1.xml'],
      r2: ['chartsheet', 'chartsheets/sheet1.xml'],
    }),
  };
  assert.equal(
    await importAndDescribeOmissions(ROWS, extraParts),
    '1 sheet that holds no cells (a chart, dialog or macro sheet), 1 name that belongs to a macro',
  );
});

test('elements of extensions are not confused with main elements of the same name', async () => {
  const path = join(folder, 'extended.xlsx');
  const table = `<table ${MAIN} displayName="Sales" ref="A1:A2"><tableColumns><tableColumn name="Net"/></tableColumns><extLst><ext><e:table ${X14} altText="all sales"/></ext></extLst></table>`;
  const workbook = {
    'xl/workbook.xml': `<workbook ${MAIN} xmlns:r="r"><workbookPr date1904="1"/><sheets><sheet name="Data" r:id="r1"/></sheets><extLst><ext><n:workbookPr xmlns:n="new" chartTrackingRefBase="1"/></ext></extLst></workbook>`,
    'xl/worksheets/_rels/sheet1.xml.rels': createRelationships({ r1: ['table', '../tables/table1.xml'] }),
    'xl/tables/table1.xml': table,
  };
  const importResult = await readBack(await writeZip(path, createSingleSheetParts(ROWS, workbook)));
  assert.ok(!isRefusal(importResult));
  assert.deepEqual(
    importResult.data.tables.map(({ name }) => name),
    ['Sales'],
  );
  assert.equal(importResult.data.settings.dateSystem, '1904');
});

test('refuses a part with too many namespaces', async () => {
  const namespaces = Array.from({ length: 1_000 }, (_, i) => `xmlns:n${i}="n${i}"`).join(' ');
  const parts = { ...createSingleSheetParts(''), 'xl/worksheets/sheet1.xml': `<worksheet ${MAIN} ${namespaces}/>` };
  const importResult = await readBack(await writeZip(join(folder, 'namespaces.xlsx'), parts));
  assert.ok(isRefusal(importResult));
  assert.match(importResult.message, /namespaces/);
});
