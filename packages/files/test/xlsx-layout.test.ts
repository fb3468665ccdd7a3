import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { isRefusal } from '../src/index.ts';
import { writeXlsx } from '../src/xlsx/write.ts';
import {
  createSingleSheetParts,
  createTestFolder,
  MAIN,
  readBack,
  readPart,
  readWorkbook,
  writeZip,
} from './workbook-files.ts';

const folder = await createTestFolder();
let files = 0;

const STYLES = `<styleSheet ${MAIN}><fonts><font/><font><b/></font></fonts><cellXfs><xf/><xf fontId="1" numFmtId="2"/></cellXfs></styleSheet>`;
const SHEET = `<sheetPr><tabColor rgb="FF112233"/><outlinePr summaryBelow="0"/><pageSetUpPr fitToPage="1"/></sheetPr>
  <sheetViews><sheetView showGridLines="0" tabSelected="1" zoomScale="80" workbookViewId="0"><pane xSplit="1" ySplit="2" topLeftCell="B3" activePane="bottomRight" state="frozen"/></sheetView></sheetViews>
  <sheetFormatPr defaultColWidth="11.5" defaultRowHeight="15"/>
  <cols><col min="1" max="1" width="30.5" customWidth="1"/><col min="2" max="3" width="9" hidden="1" customWidth="1" outlineLevel="1"/><col min="4" max="4" style="1" width="11.5" collapsed="1"/></cols>
  <sheetData>
    <row r="1" ht="40" customHeight="1"><c r="A1"><v>1</v></c></row>
    <row r="3" ht="12.75" outlineLevel="2" hidden="1"/><row r="4" ht="12.75" outlineLevel="2"/>
    <row r="6" s="1" customFormat="1"><c r="A6"><v>6</v></c></row>
  </sheetData>
  <sheetProtection sheet="1" objects="1"/>
  <mergeCells count="2"><mergeCell ref="A1:B2"/><mergeCell ref="D4:D9"/></mergeCells>
  <printOptions gridLines="1"/><pageMargins left="1" right="1" top="1" bottom="1" header="0.5" footer="0.5"/>
  <pageSetup orientation="landscape" r:id="r9"/><headerFooter><oddHeader>&amp;CPlan &lt;1&gt;</oddHeader></headerFooter>
  <rowBreaks count="1" manualBreakCount="1"><brk id="5" max="16383" man="1"/></rowBreaks>`;

async function importAndExport(
  sheet: string,
): Promise<{ readonly xml: string; readonly path: string; readonly from: string }> {
  const from = await writeZip(
    join(folder, `${files++}.xlsx`),
    createSingleSheetParts(sheet, { 'xl/styles.xml': STYLES }),
  );
  const path = join(folder, `out-${files}.xlsx`);
  await writeXlsx(path, await readWorkbook(from));
  return { xml: await readPart(path, 'xl/worksheets/sheet1.xml'), path, from };
}

test('sizes, groups, merged ranges, views and page set-up survive import and export', async () => {
  const { path, from } = await importAndExport(SHEET);
  const [before, after] = await Promise.all([readWorkbook(from), readWorkbook(path)]);
  assert.deepEqual(after.sheets[0]?.layout, before.sheets[0]?.layout);
  assert.equal(before.sheets[0]?.layout?.merges.length, 2);
});

const WRITTEN_ELEMENTS: readonly (readonly [title: string, xml: RegExp])[] = [
  [
    'the tab, the outline and the fit to pages',
    /<sheetPr><tabColor [^>]*\/><outlinePr summaryBelow="0"\/><pageSetUpPr fitToPage="1"\/><\/sheetPr>/,
  ],
  [
    'frozen panes, once selected',
    /<sheetViews><sheetView tabSelected="1" showGridLines="0" zoomScale="80" workbookViewId="0"><pane [^>]*state="frozen"\/>/,
  ],
  ['the default width', /<sheetFormatPr defaultColWidth="11.5" defaultRowHeight="15"\/>/],
  ['a width', /<col min="1" max="1" width="30.5" customWidth="1"\/>/],
  ['hidden and grouped columns', /<col min="2" max="3" width="9" customWidth="1" hidden="1" outlineLevel="1"\/>/],
  ['a column’s style', /<col min="4" max="4" width="11.5" style="1" collapsed="1"\/>/],
  ['a height', /<row r="1" ht="40" customHeight="1"><c /],
  [
    'hidden and grouped rows without cells',
    /<row r="3" ht="12.75" outlineLevel="2" hidden="1"\/><row r="4" ht="12.75" outlineLevel="2"\/>/,
  ],
  ['a row’s style', /<row r="6" s="1" customFormat="1"><c r="A6"><v>6<\/v><\/c><\/row>/],
  [
    'protection, merged ranges and pages in the order of the format',
    /<\/sheetData><sheetProtection [^>]*\/><mergeCells count="2"><mergeCell ref="A1:B2"\/><mergeCell ref="D4:D9"\/><\/mergeCells><printOptions [^>]*\/><pageMargins [^>]*\/><pageSetup orientation="landscape"\/><headerFooter><oddHeader>&amp;CPlan &lt;1&gt;<\/oddHeader><\/headerFooter><rowBreaks count="1" manualBreakCount="1"><brk id="5" max="16383" man="1"\/><\/rowBreaks><\/worksheet>/,
  ],
];

for (const [title, xml] of WRITTEN_ELEMENTS) {
  test(`an exported sheet has ${title}`, async () => {
    assert.match((await importAndExport(SHEET)).xml, xml);
  });
}

test('code names, calculation, consolidation and phonetic settings are exported in the order of the format', async () => {
  const { xml } = await importAndExport(
    '<sheetPr codeName="Plan" filterMode="1" syncRef="A9" published="0"/><sheetData/><sheetCalcPr fullCalcOnLoad="1"/><sheetProtection sheet="1"/><dataConsolidate function="max"/><mergeCells><mergeCell ref="A1:B2"/></mergeCells><phoneticPr fontId="7" type="noConversion"/><pageMargins left="1" right="1" top="1" bottom="1" header="0.5" footer="0.5"/>',
  );
  assert.match(xml, /<sheetPr codeName="Plan" published="0"><\/sheetPr>/);
  assert.match(
    xml,
    /<\/sheetData><sheetCalcPr fullCalcOnLoad="1"\/><sheetProtection sheet="1"\/><dataConsolidate function="max"\/><mergeCells [^>]*>.*<\/mergeCells><phoneticPr fontId="0" type="noConversion"\/><pageMargins/,
  );
});

test('phonetic readings refer to a font of the exported file', async () => {
  const phoneticReading = (font: number) =>
    `<si><t xml:space="preserve">東京</t><rPh sb="0" eb="2"><t>トウキョウ</t></rPh><phoneticPr fontId="${font}" type="noConversion"/></si>`;
  const parts = createSingleSheetParts('<sheetData><row r="1"><c r="A1" t="s"><v>0</v></c></row></sheetData>', {
    'xl/sharedStrings.xml': `<sst ${MAIN}>${phoneticReading(7)}</sst>`,
  });
  const path = join(folder, 'reading.xlsx');
  await writeXlsx(path, await readWorkbook(await writeZip(join(folder, 'read.xlsx'), parts)));
  assert.ok((await readPart(path, 'xl/sharedStrings.xml')).includes(phoneticReading(0)));
});

test('only one sheet has a code name', async () => {
  const data = await readWorkbook(
    await writeZip(join(folder, 'code.xlsx'), createSingleSheetParts('<sheetPr codeName="Plan"/><sheetData/>')),
  );
  const path = join(folder, 'copied.xlsx');
  await writeXlsx(path, { ...data, sheets: data.sheets.flatMap((sheet) => [sheet, { ...sheet, name: 'Copy' }]) });
  assert.match(await readPart(path, 'xl/worksheets/sheet1.xml'), /<sheetPr codeName="Plan">/);
  assert.doesNotMatch(await readPart(path, 'xl/worksheets/sheet2.xml'), /codeName/);
});

test('the number of row heights is limited, and omitted ones are counted', async () => {
  const rows = Array.from({ length: 70_000 }, (_, row) => `<row r="${row + 1}" ht="${10 + (row % 2)}"/>`).join('');
  const importResult = await readBack(
    await writeZip(join(folder, 'rows.xlsx'), createSingleSheetParts(`<sheetData>${rows}</sheetData>`)),
  );
  assert.ok(!isRefusal(importResult));
  assert.deepEqual(importResult.leftOut, [{ kind: 'rowHeights', count: 70_000 - 65_536 }]);
});
