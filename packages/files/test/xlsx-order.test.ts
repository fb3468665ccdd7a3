import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { exportData, Workbook } from '@cellwire/engine';
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

/** Each element of a worksheet once, in the order of the schema (ECMA-376 part 1, CT_Worksheet). */
const ELEMENTS = [
  '<sheetPr><tabColor rgb="FFFF0000"/></sheetPr>',
  '<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" state="frozen"/></sheetView></sheetViews>',
  '<sheetFormatPr defaultRowHeight="15"/>',
  '<cols><col min="1" max="2" width="20" customWidth="1"/></cols>',
  '<sheetData><row r="1" ht="30" customHeight="1"><c r="A1" t="str"><v>n</v></c></row><row r="2"><c r="A2"><v>1</v></c></row></sheetData>',
  '<sheetProtection sheet="1"/>',
  '<protectedRanges><protectedRange name="p" sqref="A2"/></protectedRanges>',
  '<scenarios><scenario name="s"><inputCells r="A2" val="2"/></scenario></scenarios>',
  '<autoFilter ref="E1:E9"/>',
  '<mergeCells><mergeCell ref="C1:D2"/></mergeCells>',
  '<conditionalFormatting sqref="A2"><cfRule type="expression" priority="1"><formula>A2&gt;1</formula></cfRule></conditionalFormatting>',
  '<dataValidations><dataValidation type="whole" sqref="A2"><formula1>1</formula1></dataValidation></dataValidations>',
  '<hyperlinks><hyperlink ref="A2" location="A1"/></hyperlinks>',
  '<printOptions gridLines="1"/>',
  '<pageMargins left="1" right="1" top="1" bottom="1" header="0" footer="0"/>',
  '<pageSetup orientation="landscape"/>',
  '<headerFooter><oddHeader>&amp;A</oddHeader></headerFooter>',
  '<rowBreaks><brk id="1" man="1"/></rowBreaks>',
  '<colBreaks><brk id="1" man="1"/></colBreaks>',
  '<ignoredErrors><ignoredError sqref="A2" numberStoredAsText="1"/></ignoredErrors>',
  '<drawing r:id="d"/>',
  '<legacyDrawing r:id="v"/>',
  '<controls><control shapeId="1025" r:id="c" name="Drop"/></controls>',
  '<tableParts><tablePart r:id="t"/></tableParts>',
  '<extLst><ext uri="{78C0D931-6437-407d-A8EE-F0AAD7539E65}" xmlns:x14="http://schemas.microsoft.com/office/spreadsheetml/2009/9/main"><x14:conditionalFormattings><x14:conditionalFormatting xmlns:xm="http://schemas.microsoft.com/office/excel/2006/main"><x14:cfRule type="dataBar" id="{1}"/><xm:sqref>A2</xm:sqref></x14:conditionalFormatting></x14:conditionalFormattings></ext></extLst>',
];

const PARTS = {
  'xl/worksheets/_rels/sheet1.xml.rels': createRelationships({
    d: ['drawing', '../drawings/drawing1.xml'],
    v: ['vmlDrawing', '../drawings/vmlDrawing1.vml'],
    c: ['ctrlProp', '../ctrlProps/ctrlProp1.xml'],
    t: ['table', '../tables/table1.xml'],
  }),
  'xl/drawings/drawing1.xml': '<xdr:wsDr xmlns:xdr="xdr"/>',
  'xl/drawings/vmlDrawing1.vml': '<xml/>',
  'xl/ctrlProps/ctrlProp1.xml': '<formControlPr objectType="Drop"/>',
  'xl/tables/table1.xml': `<table ${MAIN} displayName="T" ref="A1:A2"><tableColumns><tableColumn name="n"/></tableColumns></table>`,
};

/** The names of an element's children, in order. */
function listChildNames(xml: string): readonly string[] {
  const names: string[] = [];
  let depth = 0;
  for (const [, end, name, empty] of xml.matchAll(/<(\/?)([\w:]+)[^>]*?(\/?)>/g)) {
    if (end) depth--;
    else {
      if (depth === 1) names.push(name as string);
      if (!empty) depth++;
    }
  }
  return names;
}

test('an exported worksheet has all elements in the order of the schema', async () => {
  const importResult = await readBack(
    await writeZip(join(folder, 'all.xlsx'), createSingleSheetParts(ELEMENTS.join(''), PARTS)),
  );
  assert.ok(!isRefusal(importResult));
  assert.deepEqual(importResult.leftOut, []);
  const budget = { cells: 1e6, milliseconds: 60_000, clock: () => 0 };
  const workbook = Workbook.import(importResult.data, { now: 0, seed: 1, budget });
  assert.ok(workbook instanceof Workbook);
  const path = join(folder, 'all-out.xlsx');
  await writeXlsx(path, exportData(workbook.head), { parts: importResult.parts });
  const xml = await readPart(path, 'xl/worksheets/sheet1.xml');
  const expected = ELEMENTS.map((element) => /^<(\w+)/.exec(element)?.[1]);
  assert.deepEqual(listChildNames(xml.replace(/^<\?xml[^>]*\?>\s*/, '')), expected);
});
