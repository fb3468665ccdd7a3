import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { isRefusal } from '../src/index.ts';
import { writeXlsx } from '../src/xlsx/write.ts';
import {
  createRelationships,
  createSingleSheetParts,
  createTestFolder,
  MAIN,
  readBack,
  readCells,
  readPart,
  readWorkbook,
  writeZip,
} from './workbook-files.ts';

const folder = await createTestFolder();
let files = 0;

const ARIAL = '<font><name val="Arial"/><sz val="10"/></font>';
const BOLD = '<font><b/><color theme="1" tint="-0.25"/><name val="Arial &amp; Sons"/><sz val="12"/></font>';
const RED = '<fill><patternFill patternType="solid"><fgColor rgb="FFFF0000"/></patternFill></fill>';
const NO_BORDER = '<border><left/><right/><top/><bottom/><diagonal/></border>';
const THIN = '<border><left style="thin"><color auto="1"/></left><right/><top/><bottom/><diagonal/></border>';

const STYLES = `<styleSheet ${MAIN} xmlns:n="new">
  <numFmts count="1"><numFmt numFmtId="170" formatCode="0.0&quot; kg&quot;"/></numFmts>
  <fonts count="2" n:knownFonts="1">${ARIAL}${BOLD}</fonts>
  <fills count="3"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill>${RED}</fills>
  <borders count="2">${NO_BORDER}${THIN}</borders>
  <cellStyleXfs count="2"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/><xf numFmtId="9" fontId="1" fillId="2" borderId="0"/></cellStyleXfs>
  <cellXfs count="5">
    <xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>
    <xf numFmtId="170" fontId="1" fillId="2" borderId="1" xfId="0" applyFont="1" applyFill="1"><alignment horizontal="center" wrapText="1"/><protection locked="0"/></xf>
    <xf numFmtId="0" fontId="1" fillId="2" borderId="0" xfId="1" quotePrefix="1"/>
    <xf numFmtId="170" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>
    <xf numFmtId="0" fontId="0" fillId="2" borderId="0" xfId="0"/>
  </cellXfs>
  <cellStyles count="2"><cellStyle name="Alarm" xfId="1"/><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>
  <dxfs count="1"><dxf><font><b/></font><numFmt numFmtId="170" formatCode="yyyy"/></dxf></dxfs>
  <tableStyles count="0" defaultTableStyle="TableStyleMedium2"/>
  <extLst><ext uri="x"><n:slicerStyles/></ext></extLst>
</styleSheet>`;

const THEME =
  '<?xml version="1.0"?><a:theme xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" name="Ours"><a:themeElements/></a:theme>';

const SHEET =
  '<cols><col min="2" max="3" width="9" style="4"/></cols><sheetData><row r="1"><c r="A1" s="1"><v>5</v></c>' +
  '<c r="B1" s="2" t="str"><v>x</v></c><c r="C1"><v>7</v></c><c r="D1" s="3"><v>1</v></c></row>' +
  '<row r="2"><c r="A2" s="1"/><c r="B2"/></row></sheetData>';

async function readSource(): Promise<string> {
  const extraParts = { 'xl/styles.xml': STYLES, 'xl/theme/theme1.xml': THEME };
  return writeZip(join(folder, `${files++}.xlsx`), createSingleSheetParts(SHEET, extraParts));
}

/** The XML of the element at an index of a list in the style sheet. */
function getStyleItem(xml: string, list: string, item: string, index: number): string {
  const body = new RegExp(`<${list} [^>]*>(.*)</${list}>`).exec(xml)?.[1] ?? '';
  return body.split(new RegExp(`(?=<${item}[ >/])`))[index] ?? '';
}

test('cells, columns and empty cells keep their styles from import to export', async () => {
  const data = await readWorkbook(await readSource());
  const path = join(folder, 'out.xlsx');
  await writeXlsx(path, data);
  const reimported = await readWorkbook(path);
  assert.deepEqual(readCells(reimported), readCells(data));
  assert.deepEqual(reimported.sheets[0]?.columnStyles, data.sheets[0]?.columnStyles);
  assert.equal(data.sheets[0]?.columnStyles?.size, 2);
  assert.deepEqual(reimported.carried, data.carried);
  assert.deepEqual(
    readCells(data).map(({ row, column, style, format }) => [row, column, style !== undefined, format]),
    [
      [0, 0, true, '0.0" kg"'],
      [0, 1, true, undefined],
      [0, 2, false, undefined],
      [0, 3, false, '0.0" kg"'],
      [1, 0, true, '0.0" kg"'],
      [1, 1, false, undefined],
    ],
  );
});

test('an exported style has its font, fill, border, alignment, protection and named style', async () => {
  const path = join(folder, 'styles.xlsx');
  await writeXlsx(path, await readWorkbook(await readSource()));
  const xml = await readPart(path, 'xl/styles.xml');
  const sheet = await readPart(path, 'xl/worksheets/sheet1.xml');
  const styleIndex = Number(/r="A1" s="(\d+)"/.exec(sheet)?.[1]);
  const xf = getStyleItem(xml, 'cellXfs', 'xf', styleIndex);
  const id = (name: string): number => Number(new RegExp(`${name}Id="(\\d+)"`).exec(xf)?.[1]);
  assert.equal(getStyleItem(xml, 'fonts', 'font', id('font')), BOLD);
  assert.equal(getStyleItem(xml, 'fills', 'fill', id('fill')), RED);
  assert.equal(getStyleItem(xml, 'borders', 'border', id('border')), THIN);
  assert.equal(getStyleItem(xml, 'fonts', 'font', 0), ARIAL);
  assert.match(xf, /<alignment horizontal="center" wrapText="1"\/><protection locked="0"\/><\/xf>$/);
  assert.match(xf, /applyNumberFormat="1" applyFont="1" applyFill="1"/);
  const namedStyle = getStyleItem(xml, 'cellXfs', 'xf', Number(/r="B1" s="(\d+)"/.exec(sheet)?.[1]));
  assert.match(namedStyle, /xfId="1"/);
  assert.match(namedStyle, /quotePrefix="1"/);
  assert.match(xml, /<cellStyle name="Normal" builtinId="0" xfId="0"\/><cellStyle name="Alarm" xfId="1"\/>/);
  assert.match(xml, /<dxfs count="1"><dxf><font><b\/><\/font><numFmt [^>]*yyyy[^>]*\/><\/dxf><\/dxfs><tableStyles /);
  assert.ok(!xml.includes('slicerStyles'));
  assert.match(await readPart(path, 'xl/theme/theme1.xml'), /name="Ours"/);
});

test('empty cells with the style of their column are exported, because their rows may have other styles', async () => {
  const sheet =
    '<cols><col min="2" max="2" width="9" style="4"/></cols><sheetData><row r="1" s="2" customFormat="1"><c r="A1"/><c r="B1" s="4"/></row>' +
    '<row r="2"><c r="A2"/><c r="B2" s="4"/></row></sheetData>';
  const from = await writeZip(
    join(folder, `${files++}.xlsx`),
    createSingleSheetParts(sheet, { 'xl/styles.xml': STYLES }),
  );
  const path = join(folder, 'empty.xlsx');
  await writeXlsx(path, await readWorkbook(from));
  const [xml, styles] = [await readPart(path, 'xl/worksheets/sheet1.xml'), await readPart(path, 'xl/styles.xml')];
  const cellStyles = [...xml.matchAll(/<c r="(\w+)"(?: s="(\d+)")?\/>/g)].map(([, cell, index = 0]) => {
    const xf = getStyleItem(styles, 'cellXfs', 'xf', Number(index));
    return [cell, /fillId="(\d)"/.exec(xf)?.[1], /fontId="(\d)"/.exec(xf)?.[1]];
  });
  assert.deepEqual(cellStyles, [
    ['A1', '0', '0'],
    ['B1', '2', '0'],
    ['B2', '2', '0'],
  ]);
});

test('currency formats are written in full under their built-in ids', async () => {
  const code = '&quot;$&quot;#,##0.00_);[Red]\\(&quot;$&quot;#,##0.00\\)';
  const styles = `<styleSheet ${MAIN}><numFmts><numFmt numFmtId="164" formatCode="${code}"/></numFmts><cellXfs><xf/><xf numFmtId="164"/></cellXfs></styleSheet>`;
  const parts = createSingleSheetParts('<sheetData><row><c s="1"><v>1</v></c></row></sheetData>', {
    'xl/styles.xml': styles,
  });
  const path = join(folder, 'money.xlsx');
  await writeXlsx(path, await readWorkbook(await writeZip(join(folder, `${files++}.xlsx`), parts)));
  const styleSheet = await readPart(path, 'xl/styles.xml');
  assert.ok(
    styleSheet.includes(`<numFmts count="1"><numFmt numFmtId="8" formatCode="${code}"/></numFmts>`),
    styleSheet,
  );
  assert.match(getStyleItem(styleSheet, 'cellXfs', 'xf', 1), /numFmtId="8"/);
});

test('a style sheet without named styles keeps its default font', async () => {
  const styles = `<styleSheet ${MAIN}><fonts>${ARIAL}</fonts><cellStyleXfs><xf fontId="0"/></cellStyleXfs><cellXfs><xf fontId="0"/></cellXfs></styleSheet>`;
  const path = join(folder, 'unnamed.xlsx');
  const parts = createSingleSheetParts('<sheetData/>', { 'xl/styles.xml': styles });
  await writeXlsx(path, await readWorkbook(await writeZip(join(folder, `${files++}.xlsx`), parts)));
  const styleSheet = await readPart(path, 'xl/styles.xml');
  assert.match(styleSheet, new RegExp(`<fonts count="1">${ARIAL}</fonts>`));
  assert.match(styleSheet, /<cellStyle name="Normal" builtinId="0" xfId="0"\/>/);
});

test('elements after the styles are written in the format’s order', async () => {
  const laterElements = ['<colors><mruColors/></colors>', '<tableStyles count="0"/>', '<dxfs count="0"/>'];
  const styles = `<styleSheet ${MAIN}><cellXfs><xf/></cellXfs>${laterElements.join('')}</styleSheet>`;
  const path = join(folder, 'order.xlsx');
  const parts = createSingleSheetParts('<sheetData/>', { 'xl/styles.xml': styles });
  await writeXlsx(path, await readWorkbook(await writeZip(join(folder, `${files++}.xlsx`), parts)));
  assert.ok(
    (await readPart(path, 'xl/styles.xml')).endsWith(
      `</cellStyles>${laterElements.toReversed().join('')}</styleSheet>`,
    ),
  );
});

test('a theme with a picture keeps colours and fonts', async () => {
  const themeWithPicture = THEME.replace(
    '<a:themeElements/>',
    '<a:bgFillStyleLst><a:blipFill rotWithShape="1"><a:blip r:embed="rId1"/></a:blipFill></a:bgFillStyleLst>',
  );
  const extraParts = {
    'xl/theme/theme1.xml': themeWithPicture,
    'xl/theme/_rels/theme1.xml.rels': createRelationships({ rId1: ['image', '../media/image1.jpeg'] }),
  };
  const importResult = await readBack(
    await writeZip(join(folder, `${files++}.xlsx`), createSingleSheetParts('<sheetData/>', extraParts)),
  );
  assert.ok(!isRefusal(importResult));
  assert.deepEqual(importResult.leftOut, [{ kind: 'pictures', count: 1 }]);
  const path = join(folder, 'pictured.xlsx');
  await writeXlsx(path, importResult.data);
  assert.match(
    await readPart(path, 'xl/theme/theme1.xml'),
    /name="Ours"><a:bgFillStyleLst><a:solidFill><a:schemeClr val="phClr"\/><\/a:solidFill><\/a:bgFillStyleLst>/,
  );
});

test('the number format of a conditional rule is not used for cells', async () => {
  const [cell] = readCells(await readWorkbook(await readSource()));
  assert.equal(cell?.format, '0.0" kg"');
});

const HOSTILE: readonly (readonly [title: string, styles: string])[] = [
  ['a font without end', `<fonts><font>${'<b/>'.repeat(10_000)}</font></fonts>`],
  [
    'a long font in very many styles',
    `<fonts><font/><font><name val="${'x'.repeat(8_000)}"/></font></fonts><cellXfs>${'<xf fontId="1"/>'.repeat(3_000)}</cellXfs>`,
  ],
  ['very many styles', `<cellXfs>${'<xf/>'.repeat(70_000)}</cellXfs>`],
];

for (const [title, styles] of HOSTILE) {
  test(`refuses a workbook with ${title}`, async () => {
    const parts = createSingleSheetParts('', { 'xl/styles.xml': `<styleSheet ${MAIN}>${styles}</styleSheet>` });
    const importResult = await readBack(await writeZip(join(folder, `${files++}.xlsx`), parts));
    assert.ok(isRefusal(importResult));
    assert.match(importResult.message, /styles/);
  });
}
