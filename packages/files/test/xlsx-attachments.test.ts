import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Edit, exportData, type Move, Workbook } from '@cellwire/engine';
import { writeXlsx } from '../src/xlsx/write.ts';
import {
  createRelationships,
  createSingleSheetParts,
  createTestFolder,
  MAIN,
  readPart,
  readWorkbook,
  writeZip,
} from './workbook-files.ts';

const folder = await createTestFolder();
let files = 0;

const X14 = 'xmlns:e="http://schemas.microsoft.com/office/spreadsheetml/2009/9/main"';
const XM = 'xmlns:f="http://schemas.microsoft.com/office/excel/2006/main"';
const ROWS = `<sheetData><row r="3"><c r="A3"><v>1</v></c><c r="B3" t="s"><v>0</v></c></row></sheetData>`;

const NOTES = `<comments ${MAIN} xmlns:xr="http://schemas.microsoft.com/office/spreadsheetml/2014/revision">
  <authors><author>Anna</author><author>tc={A1}</author></authors><commentList>
  <comment ref="B3" authorId="1" shapeId="0" xr:uid="{A1}"><text><r><rPr><b/></rPr><t xml:space="preserve">Look </t></r><r><t>&lt;here&gt;</t></r></text></comment>
  <comment ref="D9" authorId="0"><text><t>Second</t></text></comment></commentList></comments>`;
const SHAPES = `<xml xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:x="urn:schemas-microsoft-com:office:excel">
  <v:shape id="_x0000_s1025" type="#_x0000_t202" style="visibility:visible" fillcolor="#ff0000" o:insetmode="auto"><v:textbox><div style="text-align:left"/></v:textbox>
  <x:ClientData ObjectType="Note"><x:Anchor>2, 15, 1, 10, 4, 15, 6, 4</x:Anchor><x:Row>2</x:Row><x:Column>1</x:Column></x:ClientData></v:shape></xml>`;
const STRINGS = `<sst ${MAIN}><si><r><t xml:space="preserve">a </t></r><r><rPr><b/></rPr><t>b</t></r></si></sst>`;

const PARTS = {
  'xl/worksheets/_rels/sheet1.xml.rels': createRelationships({
    n: ['comments', '../comments1.xml'],
    v: ['vmlDrawing', '../drawings/vmlDrawing1.vml'],
  }).replace(
    '</Relationships>',
    '<Relationship Id="web" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink" Target="https://example.com/?a=1&amp;b=2" TargetMode="External"/></Relationships>',
  ),
  'xl/comments1.xml': NOTES,
  'xl/drawings/vmlDrawing1.vml': SHAPES,
  'xl/sharedStrings.xml': STRINGS,
};

const SHEET = `${ROWS}
  <protectedRanges><protectedRange name="p" sqref="C3:C5"/></protectedRanges>
  <autoFilter ref="A3:B9"><filterColumn colId="0"><filters><filter val="1"/></filters></filterColumn><sortState ref="A4:B9"><sortCondition descending="1" ref="A4:A9"/></sortState></autoFilter>
  <conditionalFormatting sqref="A3:A9 C3"><cfRule type="expression" dxfId="0" priority="1"><formula>$B3&gt;Data!$C$5</formula></cfRule>
    <cfRule type="dataBar" priority="2"><dataBar><cfvo type="formula" val="$C$5"/><cfvo type="num" val="7"/><color rgb="FF638EC6"/></dataBar><extLst><ext uri="{B025F937-C7B1-47D3-B67F-A62EFF666E3E}"><e:id ${X14}>{A9}</e:id></ext></extLst></cfRule></conditionalFormatting>
  <dataValidations count="1"><dataValidation type="list" allowBlank="1" sqref="B3:B9" prompt="a &amp; b"><formula1>$C$3:$C$5</formula1></dataValidation></dataValidations>
  <hyperlinks><hyperlink ref="A3" r:id="web" tooltip="go"/><hyperlink ref="A4" location="Data!C5"/><hyperlink ref="A5" tooltip="sort"/></hyperlinks>
  <rowBreaks count="1" manualBreakCount="1"><brk id="4" max="16383" man="1"/></rowBreaks>
  <ignoredErrors><ignoredError sqref="A3" numberStoredAsText="1"/></ignoredErrors>
  <extLst><ext uri="{78C0D931-6437-407d-A8EE-F0AAD7539E65}"><e:conditionalFormattings ${X14} ${XM}><e:conditionalFormatting><e:cfRule type="dataBar" id="{A9}"><e:dataBar><e:cfvo type="formula"><f:f>$C$5</f:f></e:cfvo></e:dataBar></e:cfRule><f:sqref>A3:A9</f:sqref></e:conditionalFormatting></e:conditionalFormattings></ext>
  <ext uri="{05C60535-1F16-4fd2-B633-F4F36F0B64E0}"><e:sparklineGroups ${X14} ${XM}><e:sparklineGroup><e:sparklines><e:sparkline><f:f>Data!A3:C3</f:f><f:sqref>D3</f:sqref></e:sparkline></e:sparklines></e:sparklineGroup></e:sparklineGroups></ext></extLst>`;

const CONTEXT = { now: 0, seed: 1, budget: { cells: 1e6, milliseconds: 60_000, clock: () => 0 } };

/** Imports the sheet, applies edits, exports it, and returns the parts by name. */
async function exportAfter(...edits: readonly Edit[]): Promise<(part: string) => Promise<string>> {
  const from = await writeZip(join(folder, `${files++}.xlsx`), createSingleSheetParts(SHEET, PARTS));
  const workbook = Workbook.import(await readWorkbook(from), CONTEXT);
  assert.ok(workbook instanceof Workbook);
  if (edits.length > 0) assert.equal(workbook.apply(edits, CONTEXT).kind, 'applied');
  const path = join(folder, `out-${files}.xlsx`);
  await writeXlsx(path, exportData(workbook.head));
  return (part) => readPart(path, part);
}

const XML = 'xl/worksheets/sheet1.xml';
const DOWN: Move = { kind: 'insert', sheet: 1, axis: 'rows', at: 0, count: 2 };

const KEPT_PARTS: readonly (readonly [title: string, part: string, original: RegExp, updated: RegExp])[] = [
  [
    'rules of formatting with their formulas',
    XML,
    /<conditionalFormatting sqref="A3:A9 C3"><cfRule type="expression" dxfId="0" priority="1"><formula>\$B3&gt;Data!\$C\$5<\/formula><\/cfRule>/,
    /<conditionalFormatting sqref="A5:A11 C5"><cfRule type="expression" dxfId="0" priority="1"><formula>\$B5&gt;Data!\$C\$7<\/formula><\/cfRule>/,
  ],
  [
    'data bars with what an extension adds to them',
    XML,
    /<cfvo type="formula" val="\$C\$5"\/><cfvo type="num" val="7"\/><color rgb="FF638EC6"\/><\/dataBar><extLst><ext uri="{B025F937-C7B1-47D3-B67F-A62EFF666E3E}"><x14:id>{A9}<\/x14:id>/,
    /<x14:cfRule type="dataBar" id="{A9}"><x14:dataBar><x14:cfvo type="formula"><xm:f>\$C\$7<\/xm:f><\/x14:cfvo><\/x14:dataBar><\/x14:cfRule><xm:sqref>A5:A11<\/xm:sqref>/,
  ],
  [
    'rules for what is entered',
    XML,
    /<dataValidations count="1"><dataValidation sqref="B3:B9" type="list" allowBlank="1" prompt="a &amp; b"><formula1>\$C\$3:\$C\$5<\/formula1>/,
    /<dataValidation sqref="B5:B11" type="list" allowBlank="1" prompt="a &amp; b"><formula1>\$C\$5:\$C\$7<\/formula1>/,
  ],
  [
    'links',
    XML,
    /<hyperlinks><hyperlink ref="A3" r:id="rId\d" tooltip="go"\/><hyperlink ref="A4" location="Data!C5"\/><hyperlink ref="A5" tooltip="sort"\/><\/hyperlinks>/,
    /<hyperlink ref="A5" r:id="rId\d" tooltip="go"\/><hyperlink ref="A6" location="Data!C7"\/><hyperlink ref="A7" tooltip="sort"\/>/,
  ],
  [
    'filters',
    XML,
    /<autoFilter ref="A3:B9"><filterColumn colId="0"><filters><filter val="1"\/><\/filters><\/filterColumn><sortState ref="A4:B9"><sortCondition descending="1" ref="A4:A9"\/>/,
    /<autoFilter ref="A5:B11">.*<sortState ref="A6:B11"><sortCondition descending="1" ref="A6:A11"\/>/,
  ],
  ['protected ranges', XML, /<protectedRange sqref="C3:C5" name="p"\/>/, /<protectedRange sqref="C5:C7" name="p"\/>/],
  ['breaks of pages', XML, /<brk id="4" max="16383" man="1"\/>/, /<brk id="6" max="16383" man="1"\/>/],
  ['ignored errors', XML, /<ignoredError sqref="A3" numberStoredAsText="1"\/>/, /<ignoredError sqref="A5" /],
  [
    'sparklines',
    XML,
    /<x14:sparkline><xm:f>Data!A3:C3<\/xm:f><xm:sqref>D3<\/xm:sqref><\/x14:sparkline>/,
    /<x14:sparkline><xm:f>Data!A5:C5<\/xm:f><xm:sqref>D5<\/xm:sqref><\/x14:sparkline>/,
  ],
  [
    'notes',
    'xl/comments1.xml',
    /<authors><author>tc={A1}<\/author><author>Anna<\/author><\/authors>.*<comment ref="B3" authorId="0" shapeId="0" xr:uid="{A1}"><text><r><rPr><b\/><\/rPr><t xml:space="preserve">Look <\/t><\/r><r><t>&lt;here&gt;<\/t><\/r><\/text><\/comment>/,
    /<comment ref="B5" .*<comment ref="D11" authorId="1" shapeId="0"><text><t>Second<\/t>/,
  ],
  [
    'the shapes of notes',
    'xl/drawings/vmlDrawing1.vml',
    /<v:shape id="_x0000_s1025" [^>]*fillcolor="#ff0000"[\s\S]*<x:Anchor>2, 15, 1, 10, 4, 15, 6, 4<\/x:Anchor><x:Row>2<\/x:Row>[\s\S]*<x:Row>8<\/x:Row><x:Column>3<\/x:Column>/,
    /<x:Anchor>2, 15, 3, 10, 4, 15, 8, 4<\/x:Anchor><x:Row>4<\/x:Row>[\s\S]*<x:Row>10<\/x:Row>/,
  ],
  [
    'the addresses of links',
    'xl/worksheets/_rels/sheet1.xml.rels',
    /Type="[^"]*\/hyperlink" Target="https:\/\/example.com\/\?a=1&amp;b=2" TargetMode="External"/,
    /TargetMode="External"/,
  ],
];

for (const [title, part, original, updated] of KEPT_PARTS) {
  test(`an export contains ${title} unchanged`, async () => {
    assert.match(await (await exportAfter())(part), original);
  });
  test(`an export contains ${title} at the new position of its cells`, async () => {
    assert.match(await (await exportAfter({ kind: 'moveCells', move: DOWN }))(part), updated);
  });
}

test('attachments are deleted with their cells', async () => {
  const deleteAllRows: Move = { kind: 'delete', sheet: 1, axis: 'rows', at: 0, count: 20 };
  const xml = await (await exportAfter({ kind: 'moveCells', move: deleteAllRows }))(XML);
  assert.match(
    xml,
    /<sheetData><\/sheetData><extLst><ext uri="[^"]*"><x14:sparklineGroups><x14:sparklineGroup><x14:sparklines><\/x14:sparklines>/,
  );
});

test('rich text formatting is kept while the text is unchanged', async () => {
  const runs = /<si><r><t xml:space="preserve">a <\/t><\/r><r><rPr><b\/><\/rPr><t>b<\/t><\/r><\/si>/;
  assert.match(await (await exportAfter({ kind: 'moveCells', move: DOWN }))('xl/sharedStrings.xml'), runs);
  const changeText: Edit = { kind: 'setValues', sheet: 1, row: 2, column: 1, values: [['a c']], mode: 'raw' };
  assert.doesNotMatch(await (await exportAfter(changeText))('xl/sharedStrings.xml'), /<b\/>/);
});

test('rules contain the sheet names of the export', async () => {
  const xml = await (await exportAfter({ kind: 'renameSheet', sheet: 1, name: 'Other name' }))(XML);
  assert.match(xml, /<formula>\$B3&gt;&apos;Other name&apos;!\$C\$5|<formula>\$B3&gt;'Other name'!\$C\$5/);
  assert.match(xml, /location="'Other name'!C5"/);
});
