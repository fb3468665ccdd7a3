import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Edit, exportData, type Move, Workbook } from '@cellwire/engine';
import { isRefusal } from '../src/index.ts';
import { writeXlsx } from '../src/xlsx/write.ts';
import {
  createRelationships,
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

const DRAWING = 'xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing"';
const TYPES = `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="png" ContentType="image/png"/>
  <Override PartName="/xl/drawings/drawing1.xml" ContentType="application/vnd.openxmlformats-officedocument.drawing+xml"/>
  <Override PartName="/xl/charts/chart1.xml" ContentType="application/vnd.openxmlformats-officedocument.drawingml.chart+xml"/>
  <Override PartName="/xl/pivotTables/pivotTable1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.pivotTable+xml"/>
  <Override PartName="/xl/pivotCache/pivotCacheDefinition1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.pivotCacheDefinition+xml"/>
  <Override PartName="/xl/threadedComments/threadedComment1.xml" ContentType="application/vnd.ms-excel.threadedcomments+xml"/>
  <Override PartName="/xl/ctrlProps/ctrlProp1.xml" ContentType="application/vnd.ms-excel.controlproperties+xml"/>
</Types>`;

const createAnchorCorner = (name: string, column: number, row: number) =>
  `<xdr:${name}><xdr:col>${column}</xdr:col><xdr:colOff>5</xdr:colOff><xdr:row>${row}</xdr:row><xdr:rowOff>7</xdr:rowOff></xdr:${name}>`;
const PICTURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 0xff]);

const PARTS = {
  '[Content_Types].xml': TYPES,
  '_rels/.rels': createRelationships({
    r1: ['officeDocument', 'xl/workbook.xml'],
    r2: ['metadata/core-properties', 'docProps/core.xml'],
  }),
  'docProps/core.xml': '<core/>',
  'xl/workbook.xml': `<workbook ${MAIN} xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><workbookProtection lockStructure="1"/><sheets><sheet name="Chart" sheetId="1" r:id="r7"/><sheet name="Data" sheetId="2" r:id="r1"/></sheets><externalReferences><externalReference r:id="r8"/></externalReferences><definedNames><definedName name="Own" localSheetId="1">Data!$A$3</definedName></definedNames><pivotCaches><pivotCache cacheId="4" r:id="r9"/></pivotCaches></workbook>`,
  'xl/_rels/workbook.xml.rels': createRelationships({
    r1: ['worksheet', 'worksheets/sheet1.xml'],
    r7: ['chartsheet', 'chartsheets/sheet1.xml'],
    r8: ['externalLink', 'externalLinks/externalLink1.xml'],
    r9: ['pivotCacheDefinition', 'pivotCache/pivotCacheDefinition1.xml'],
  }),
  'xl/chartsheets/sheet1.xml': '<chartsheet/>',
  'xl/externalLinks/externalLink1.xml': '<externalLink/>',
  'xl/pivotCache/pivotCacheDefinition1.xml':
    '<pivotCacheDefinition><cacheSource type="worksheet"><worksheetSource ref="A3:C9" sheet="Data"/></cacheSource></pivotCacheDefinition>',
  'xl/worksheets/_rels/sheet1.xml.rels': createRelationships({
    d: ['drawing', '../drawings/drawing1.xml'],
    p: ['pivotTable', '../pivotTables/pivotTable1.xml'],
    t: ['threadedComment', '../threadedComments/threadedComment1.xml'],
    c: ['ctrlProp', '../ctrlProps/ctrlProp1.xml'],
    v: ['vmlDrawing', '../drawings/vmlDrawing1.vml'],
  }),
  'xl/drawings/drawing1.xml': `<xdr:wsDr ${DRAWING}><xdr:twoCellAnchor>${createAnchorCorner('from', 1, 2)}${createAnchorCorner('to', 3, 8)}<xdr:pic/></xdr:twoCellAnchor><xdr:twoCellAnchor editAs="oneCell">${createAnchorCorner('from', 1, 2)}${createAnchorCorner('to', 3, 8)}</xdr:twoCellAnchor></xdr:wsDr>`,
  'xl/drawings/_rels/drawing1.xml.rels': createRelationships({
    r1: ['chart', '../charts/chart1.xml'],
    r2: ['image', '../media/image1.png'],
  }),
  'xl/charts/chart1.xml':
    '<c:chartSpace xmlns:c="c"><c:f>Data!$A$3:$A$9</c:f><c:f>\'It&apos;s &amp; more\'!$A$1</c:f></c:chartSpace>',
  'xl/media/image1.png': PICTURE,
  'xl/pivotTables/pivotTable1.xml':
    '<pivotTableDefinition cacheId="4"><location ref="E3:F9" firstHeaderRow="1"/></pivotTableDefinition>',
  'xl/pivotTables/_rels/pivotTable1.xml.rels': createRelationships({
    r1: ['pivotCacheDefinition', '../pivotCache/pivotCacheDefinition1.xml'],
  }),
  'xl/threadedComments/threadedComment1.xml':
    '<ThreadedComments><threadedComment ref="B3" id="{A1}"><text>first</text></threadedComment><threadedComment ref="B9" id="{A2}"><text>second</text></threadedComment></ThreadedComments>',
  'xl/ctrlProps/ctrlProp1.xml': '<formControlPr objectType="Drop" fmlaLink="$A$3" fmlaRange="Data!$A$3:$A$9"/>',
  'xl/drawings/vmlDrawing1.vml':
    '<xml xmlns:v="urn:schemas-microsoft-com:vml" xmlns:x="urn:schemas-microsoft-com:office:excel"><v:shape id="_x0000_s1025"><x:ClientData ObjectType="Drop"/></v:shape><v:shape id="_x0000_s1026"><x:ClientData ObjectType="Note"><x:Row>0</x:Row></x:ClientData></v:shape></xml>',
};
const SHEET =
  '<sheetData><row r="3"><c r="A3"><v>1</v></c></row></sheetData><drawing r:id="d"/><legacyDrawing r:id="v"/><controls><control shapeId="1025" r:id="c" name="Drop"/></controls>';

const CONTEXT = { now: 0, seed: 1, budget: { cells: 1e6, milliseconds: 60_000, clock: () => 0 } };

async function exportAfter(...edits: readonly Edit[]) {
  return exportParts(PARTS, ...edits);
}

/** Imports a workbook with these parts, applies edits, and exports it. Returns the file and a reader of its parts. */
async function exportParts(parts: Readonly<Record<string, string | Buffer>>, ...edits: readonly Edit[]) {
  const importResult = await readBack(
    await writeZip(join(folder, `${files++}.xlsx`), createSingleSheetParts(SHEET, parts)),
  );
  assert.ok(!isRefusal(importResult));
  assert.deepEqual(importResult.leftOut, []);
  const workbook = Workbook.import(importResult.data, CONTEXT);
  assert.ok(workbook instanceof Workbook);
  if (edits.length > 0) assert.equal(workbook.apply(edits, CONTEXT).kind, 'applied');
  const path = join(folder, `out-${files}.xlsx`);
  await writeXlsx(path, exportData(workbook.head), { parts: importResult.parts });
  return { path, part: (name: string) => readPart(path, name) };
}

test('names in charts keep the workbook index, which charts require', async () => {
  const chart = '<c:chartSpace xmlns:c="c"><c:f>[0]!Prices</c:f></c:chartSpace>';
  const names = '<definedNames><definedName name="Prices">Data!$A$3</definedName></definedNames>';
  const { part } = await exportParts({
    ...PARTS,
    'xl/workbook.xml': PARTS['xl/workbook.xml'].replace(/<definedNames>.*<\/definedNames>/, names),
    'xl/charts/chart1.xml': chart,
  });
  assert.equal(await part('xl/charts/chart1.xml'), chart);
});

test('parts of a strict workbook are exported in the transitional form', async () => {
  const strict = (text: string) =>
    text
      .replace(
        /http:\/\/schemas\.openxmlformats\.org\/(drawingml|officeDocument)\/2006\//g,
        'http://purl.oclc.org/ooxml/$1/',
      )
      .replace('xmlns:c="c"', 'xmlns:c="http://purl.oclc.org/ooxml/drawingml/chart"');
  const names = ['xl/drawings/drawing1.xml', 'xl/drawings/_rels/drawing1.xml.rels', 'xl/charts/chart1.xml'] as const;
  const theme = '<a:theme xmlns:a="http://purl.oclc.org/ooxml/drawingml/main" name="Ours"/>';
  const { part } = await exportParts({
    ...PARTS,
    ...Object.fromEntries(names.map((name) => [name, strict(PARTS[name])])),
    'xl/_rels/workbook.xml.rels': PARTS['xl/_rels/workbook.xml.rels'].replace(
      '</Relationships>',
      '<Relationship Id="t" Type="http://purl.oclc.org/ooxml/officeDocument/relationships/theme" Target="theme/theme1.xml"/></Relationships>',
    ),
    'xl/theme/theme1.xml': theme,
  });
  assert.equal(await part('xl/drawings/drawing1.xml'), PARTS['xl/drawings/drawing1.xml']);
  assert.match(
    await part('xl/charts/chart1.xml'),
    /xmlns:c="http:\/\/schemas.openxmlformats.org\/drawingml\/2006\/chart"/,
  );
  assert.match(await part('xl/theme/theme1.xml'), /"http:\/\/schemas.openxmlformats.org\/drawingml\/2006\/main"/);
  assert.doesNotMatch(await part('xl/drawings/_rels/drawing1.xml.rels'), /purl/);
});

test('an export keeps the name of the program that wrote its source', async () => {
  const namespace = 'http://schemas.openxmlformats.org/officeDocument/2006/extended-properties';
  const { part } = await exportParts({
    ...PARTS,
    '_rels/.rels': createRelationships({
      r1: ['officeDocument', 'xl/workbook.xml'],
      r2: ['extended-properties', 'docProps/app.xml'],
    }),
    'docProps/app.xml': `<Properties xmlns="${namespace}"><Application>A &amp; B</Application><TotalTime>7</TotalTime></Properties>`,
  });
  assert.ok(
    (await part('docProps/app.xml')).endsWith(
      `<Properties xmlns="${namespace}"><Application>A &amp; B</Application></Properties>`,
    ),
  );
  assert.match(await part('[Content_Types].xml'), /"\/docProps\/app.xml" ContentType="[^"]*extended-properties\+xml"/);
  await assert.rejects((await exportAfter()).part('docProps/app.xml'), /has no part/);
});

test('controls with properties are written in a compatibility block, as in Excel’s files', async () => {
  const controls = `<controls><control shapeId="1025" r:id="c" name="Box"><controlPr defaultSize="0" autoFill="0"><anchor moveWithCells="1"><from><xdr:col>0</xdr:col></from></anchor></controlPr></control></controls>`;
  const choice = (element: string) =>
    `<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"><mc:Choice Requires="x14">${element}</mc:Choice></mc:AlternateContent>`;
  const source = SHEET.replace(/<controls>.*/, choice(controls.replace('<control ', `<control ${DRAWING} `)));
  const importResult = await readBack(
    await writeZip(join(folder, `${files++}.xlsx`), createSingleSheetParts(source, PARTS)),
  );
  assert.ok(!isRefusal(importResult));
  const path = join(folder, 'box.xlsx');
  await writeXlsx(path, importResult.data, { parts: importResult.parts });
  assert.ok((await readPart(path, 'xl/worksheets/sheet1.xml')).includes(choice(controls)));
});

test('a sheet of hundreds of form controls keeps them', async () => {
  const controls = `<controls>${`<control shapeId="1025" r:id="c" name="${'x'.repeat(500)}"/>`.repeat(200)}</controls>`;
  const importResult = await readBack(
    await writeZip(
      join(folder, `${files++}.xlsx`),
      createSingleSheetParts(`${SHEET.replace(/<controls>.*/, '')}${controls}`, PARTS),
    ),
  );
  assert.ok(!isRefusal(importResult));
  assert.deepEqual(importResult.leftOut, []);
  const path = join(folder, 'controls.xlsx');
  await writeXlsx(path, importResult.data, { parts: importResult.parts });
  assert.ok((await readPart(path, 'xl/worksheets/sheet1.xml')).includes(controls));
});

const DOWN: Move = { kind: 'insert', sheet: 1, axis: 'rows', at: 0, count: 2 };
const WITHIN: Move = { kind: 'insert', sheet: 1, axis: 'rows', at: 5, count: 2 };

test('opaque parts are exported unchanged, with relationships and content types', async () => {
  const { part, path } = await exportAfter();
  for (const [name, content] of Object.entries(PARTS)) {
    if (/rels$|Types|workbook|vml|media/.test(name)) continue;
    assert.equal(await part(name), content, name);
  }
  const reimported = await readBack(path);
  assert.ok(!isRefusal(reimported));
  const picture = reimported.parts.find(({ name }) => name === 'xl/media/image1.png');
  assert.equal(picture?.type, 'image/png');
  assert.equal(reimported.parts.length, 11);
  assert.match(
    await part('xl/drawings/_rels/drawing1.xml.rels'),
    /Id="r2" Type="[^"]*image" Target="\/xl\/media\/image1.png"/,
  );
});

test('an export keeps chart sheets, caches, links and workbook protection', async () => {
  const xml = await (await exportAfter()).part('xl/workbook.xml');
  assert.match(
    xml,
    /<workbookProtection lockStructure="1"\/><bookViews><workbookView activeTab="1"\/><\/bookViews><sheets><sheet name="Chart" [^>]*\/><sheet name="Data"/,
  );
  assert.match(xml, /<externalReference r:id="r8"\/>.*localSheetId="1".*<pivotCache cacheId="4" r:id="r9"\/>/);
});

test('form controls keep their shapes next to the shapes of notes', async () => {
  const { part } = await exportAfter();
  assert.match(
    await part('xl/worksheets/sheet1.xml'),
    /<drawing r:id="d"\/><legacyDrawing r:id="v"\/><controls><control shapeId="1025" r:id="c" name="Drop"\/><\/controls>/,
  );
  const shapes = await part('xl/drawings/vmlDrawing1.vml');
  assert.match(shapes, /ObjectType="Drop"/);
  assert.doesNotMatch(shapes, /ObjectType="Note"/);
});

test('shapes with other namespace prefixes are exported with the usual ones', async () => {
  const [vml, office, excel] = ['vml', 'office:office', 'office:excel'].map(
    (name) => `urn:schemas-microsoft-com:${name}`,
  );
  const note =
    '<n:comments xmlns:n="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><n:authors><n:author>A</n:author></n:authors><n:commentList><n:comment ref="B2" authorId="0"><n:text><n:t>note</n:t></n:text></n:comment></n:commentList></n:comments>';
  const shape = (type: string, cell: string) =>
    `<a:shape xmlns:a="${vml}" xmlns:b="${office}" id="${type}" b:insetmode="auto"><a:path b:connecttype="none"/><b:ClientData xmlns:b="${excel}" ObjectType="${type}">${cell}</b:ClientData></a:shape>`;
  const { part } = await exportParts({
    ...PARTS,
    'xl/worksheets/_rels/sheet1.xml.rels': createRelationships({
      c: ['ctrlProp', '../ctrlProps/ctrlProp1.xml'],
      n: ['comments', '../comments1.xml'],
      v: ['vmlDrawing', '../drawings/vmlDrawing1.vml'],
    }),
    'xl/comments1.xml': note,
    'xl/drawings/vmlDrawing1.vml': `<xml><a:shapelayout xmlns:a="${office}" xmlns:b="${vml}" b:ext="edit"/>${shape('Drop', '')}${shape('Note', '<b:Row>1</b:Row><b:Column>1</b:Column>')}</xml>`,
  });
  const root = `<xml xmlns:v="${vml}" xmlns:o="${office}" xmlns:x="${excel}" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">`;
  const drawing = (await part('xl/drawings/vmlDrawing1.vml')).replace(/<v:shapetype.*?<\/v:shapetype>/, '');
  const expected = (type: string, cell: string) =>
    `<v:shape id="${type}" o:insetmode="auto"><v:path o:connecttype="none"/><x:ClientData ObjectType="${type}"${cell}</v:shape>`;
  assert.equal(
    drawing,
    `${root}<o:shapelayout v:ext="edit"/>${expected('Drop', '/>')}${expected('Note', '><x:Row>1</x:Row><x:Column>1</x:Column></x:ClientData>')}</xml>`,
  );
});

const UPDATED_PARTS: readonly (readonly [title: string, move: Move, part: string, text: RegExp])[] = [
  ['a chart’s cells', DOWN, 'xl/charts/chart1.xml', /<c:f>Data!\$A\$5:\$A\$11<\/c:f>/],
  ['a pivot table’s source', DOWN, 'xl/pivotCache/pivotCacheDefinition1.xml', /ref="A5:C11" sheet="Data"/],
  ['a pivot table’s place', DOWN, 'xl/pivotTables/pivotTable1.xml', /<location ref="E5:F11"/],
  ['threads of comments', DOWN, 'xl/threadedComments/threadedComment1.xml', /ref="B5".*ref="B11"/],
  ['a control’s cells', DOWN, 'xl/ctrlProps/ctrlProp1.xml', /fmlaLink="\$A\$5" fmlaRange="Data!\$A\$5:\$A\$11"/],
  ['a picture', DOWN, 'xl/drawings/drawing1.xml', /<xdr:row>4<\/xdr:row>.*<xdr:row>10<\/xdr:row>.*<xdr:pic/],
  [
    'a picture that grows with its cells, and one that does not',
    WITHIN,
    'xl/drawings/drawing1.xml',
    /<xdr:row>2<.*<xdr:row>10<.*<xdr:pic.*<xdr:row>2<.*<xdr:row>8</,
  ],
  [
    'threads, without the threads of deleted cells',
    { kind: 'delete', sheet: 1, axis: 'rows', at: 2, count: 1 },
    'xl/threadedComments/threadedComment1.xml',
    /^<ThreadedComments><threadedComment ref="B8" id="{A2}">/,
  ],
];

for (const [title, move, name, text] of UPDATED_PARTS) {
  test(`an export updates ${title} after cells moved`, async () => {
    assert.match(await (await exportAfter({ kind: 'moveCells', move })).part(name), text);
  });
}

test('charts and pivot tables are updated after sheets were renamed', async () => {
  const { part } = await exportAfter({ kind: 'renameSheet', sheet: 1, name: 'R & D' });
  assert.match(await part('xl/charts/chart1.xml'), /<c:f>'R &amp; D'!\$A\$3:\$A\$9<\/c:f>/);
  assert.match(await part('xl/pivotCache/pivotCacheDefinition1.xml'), /ref="A3:C9" sheet="R &amp; D"/);
});

test('a copied sheet has its own drawings, and a deleted sheet leaves none', async () => {
  const copyExport = await exportAfter({ kind: 'duplicateSheet', sheet: 1, name: 'Copy' });
  assert.match(await copyExport.part('xl/drawings/drawing1_2.xml'), /<xdr:wsDr/);
  assert.match(
    await copyExport.part('xl/drawings/_rels/drawing1_2.xml.rels'),
    /chart1_2.xml".*\/xl\/media\/image1.png"/,
  );
  const deletionExport = await exportAfter({ kind: 'addSheet' }, { kind: 'deleteSheet', sheet: 1 });
  await assert.rejects(deletionExport.part('xl/drawings/drawing1.xml'), /has no part/);
});

test('tables keep style and filters, and contain the current formulas of their cells', async () => {
  const table = (attributes: string, extraElements: string) =>
    `displayName="Sales" ref="A3:C5"${attributes}><autoFilter ref="A3:C4"><filterColumn colId="1"><filters><filter val="7"/></filters></filterColumn></autoFilter>${extraElements}<tableStyleInfo name="TableStyleMedium2" showRowStripes="1"/></table>`;
  const columns = (first: string, last: string) =>
    `<tableColumns count="3"><tableColumn id="1" name="a"${first}/><tableColumn id="2" name="b" totalsRowFunction="custom" dataDxfId="0"><calculatedColumnFormula>Sales[[#This Row],[c]]*2</calculatedColumnFormula><totalsRowFormula>MAX(B4)</totalsRowFormula></tableColumn><tableColumn id="3" name="c"${last}/></tableColumns>`;
  const extraParts = {
    'xl/worksheets/_rels/sheet1.xml.rels': createRelationships({ r1: ['table', '../tables/table1.xml'] }),
    'xl/tables/table1.xml': `<table ${MAIN} ${table(
      ' id="1" totalsRowCount="1" comment="of &lt;2026&gt;" headerRowDxfId="3"',
      columns(' totalsRowLabel="All"', ' totalsRowFunction="sum"'),
    )}`,
  };
  const cells =
    '<sheetData><row r="4"><c r="B4"><f>C4*3</f></c></row><row r="5"><c r="A5" t="inlineStr"><is><t>Everything</t></is></c><c r="B5"><f>MIN(B4)</f></c><c r="C5"><f>SUBTOTAL(109,C4)</f></c></row></sheetData>';
  const importResult = await readBack(
    await writeZip(join(folder, `${files++}.xlsx`), createSingleSheetParts(cells, extraParts)),
  );
  assert.ok(!isRefusal(importResult));
  const path = join(folder, `out-${files}.xlsx`);
  await writeXlsx(path, importResult.data);
  const currentColumns = columns('', ' totalsRowFunction="sum"')
    .replace('Sales[[#This Row],[c]]*2', 'C4*3')
    .replace('MAX(B4)', 'MIN(B4)');
  assert.equal(
    (await readPart(path, 'xl/tables/table1.xml')).replace(/^.*?(?=displayName)/s, ''),
    table(' totalsRowCount="1" comment="of &lt;2026&gt;" headerRowDxfId="3"', currentColumns),
  );
});

test('table columns keep and update formulas that are missing in their first row', async () => {
  const columns = (b: string, c: string) =>
    `<tableColumns count="3"><tableColumn id="1" name="a"/><tableColumn id="2" name="b"><calculatedColumnFormula>${b}</calculatedColumnFormula></tableColumn><tableColumn id="3" name="c"><calculatedColumnFormula array="1">${c}</calculatedColumnFormula></tableColumn></tableColumns>`;
  const extraParts = {
    'xl/worksheets/_rels/sheet1.xml.rels': createRelationships({ r1: ['table', '../tables/table1.xml'] }),
    'xl/tables/table1.xml': `<table ${MAIN} id="1" displayName="Sales" ref="A3:C5">${columns('Sales[[#This Row],[a]]*$E$1', 'SUM(Data!$E$1:$E$2*2)')}</table>`,
  };
  const header = ['a', 'b', 'c'].map((name, i) => `<c r="${'ABC'[i]}3" t="str"><v>${name}</v></c>`).join('');
  const cells = `<sheetData><row r="3">${header}</row><row r="4"><c r="B4"><v>7</v></c><c r="C4"><v>8</v></c></row></sheetData>`;
  const importResult = await readBack(
    await writeZip(join(folder, `${files++}.xlsx`), createSingleSheetParts(cells, extraParts)),
  );
  assert.ok(!isRefusal(importResult));
  const workbook = Workbook.import(importResult.data, CONTEXT);
  assert.ok(workbook instanceof Workbook);
  const renameHeader: Edit = { kind: 'setValues', sheet: 1, row: 4, column: 0, values: [['first']], mode: 'user' };
  assert.equal(workbook.apply([{ kind: 'moveCells', move: DOWN }, renameHeader], CONTEXT).kind, 'applied');
  const path = join(folder, `out-${files}.xlsx`);
  await writeXlsx(path, exportData(workbook.head));
  const expected = columns('Sales[[#This Row],[first]]*$E$3', 'SUM(Data!$E$3:$E$4*2)').replace('"a"', '"first"');
  const xml = await readPart(path, 'xl/tables/table1.xml');
  assert.equal(/<tableColumns.*<.tableColumns>/.exec(xml)?.[0], expected);
});

test('tables of a copied sheet keep style and formulas', async () => {
  const extraParts = {
    'xl/worksheets/_rels/sheet1.xml.rels': createRelationships({ r1: ['table', '../tables/table1.xml'] }),
    'xl/tables/table1.xml': `<table ${MAIN} id="1" displayName="Sales" ref="A3:B5"><tableColumns count="2"><tableColumn id="1" name="a"/><tableColumn id="2" name="b"><calculatedColumnFormula>Sales[[#This Row],[a]]*2</calculatedColumnFormula></tableColumn></tableColumns><tableStyleInfo name="TableStyleMedium2"/></table>`,
  };
  const header = ['a', 'b'].map((name, i) => `<c r="${'AB'[i]}3" t="str"><v>${name}</v></c>`).join('');
  const from = createSingleSheetParts(`<sheetData><row r="3">${header}</row></sheetData>`, extraParts);
  const workbook = Workbook.import(await readWorkbook(await writeZip(join(folder, 'sales.xlsx'), from)), CONTEXT);
  assert.ok(workbook instanceof Workbook);
  assert.equal(workbook.apply([{ kind: 'duplicateSheet', sheet: 1, name: 'Copy' }], CONTEXT).kind, 'applied');
  const path = join(folder, 'sales-copied.xlsx');
  const data = exportData(workbook.head);
  await writeXlsx(path, data);
  for (const [i, { name }] of data.tables.entries()) {
    const xml = await readPart(path, `xl/tables/table${i + 1}.xml`);
    assert.ok(xml.includes(`<calculatedColumnFormula>${name}[[#This Row],[a]]*2</calculatedColumnFormula>`));
    assert.ok(xml.includes('<tableStyleInfo name="TableStyleMedium2"/>'));
  }
  assert.equal(data.tables.length, 2);
});

test('a table without a totals row keeps its totals settings', async () => {
  const columns =
    '<tableColumns count="2"><tableColumn id="1" name="a" totalsRowLabel="Total"/><tableColumn id="2" name="b" totalsRowFunction="sum"/></tableColumns>';
  const extraParts = {
    'xl/worksheets/_rels/sheet1.xml.rels': createRelationships({ r1: ['table', '../tables/table1.xml'] }),
    'xl/tables/table1.xml': `<table ${MAIN} id="1" displayName="Sales" ref="A3:B5">${columns}</table>`,
  };
  const path = join(folder, 'totals.xlsx');
  const from = await writeZip(join(folder, `${files++}.xlsx`), createSingleSheetParts('<sheetData/>', extraParts));
  await writeXlsx(path, await readWorkbook(from));
  assert.ok((await readPart(path, 'xl/tables/table1.xml')).includes(columns));
});

test('names, calculation settings and the shown sheet are preserved', async () => {
  const book =
    '<workbookPr defaultThemeVersion="124226" codeName="Book"/><bookViews><workbookView activeTab="1" firstSheet="1" tabRatio="300"/></bookViews>';
  const names = (index: number) =>
    `<definedNames><definedName name="Limit" hidden="1" comment="a &lt; b">7</definedName><definedName name="Limit" localSheetId="${index}" hidden="1">8</definedName><definedName name="Open">9</definedName></definedNames>`;
  const parts = createSingleSheetParts('<sheetData/>', {
    'xl/worksheets/sheet2.xml': `<worksheet ${MAIN}><sheetData/></worksheet>`,
  });
  const office = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"';
  parts['xl/workbook.xml'] =
    `<workbook ${MAIN} ${office}>${book}<sheets><sheet name="Data" sheetId="1" r:id="r1"/><sheet name="Own" sheetId="2" r:id="s2"/></sheets>${names(1)}<calcPr calcId="5" calcMode="manual" iterate="1" iterateCount="7"/></workbook>`;
  parts['xl/_rels/workbook.xml.rels'] = createRelationships({
    r1: ['worksheet', 'worksheets/sheet1.xml'],
    s2: ['worksheet', 'worksheets/sheet2.xml'],
  });
  const importResult = await readBack(await writeZip(join(folder, `${files++}.xlsx`), parts));
  assert.ok(!isRefusal(importResult));
  const workbook = Workbook.import(importResult.data, CONTEXT);
  assert.ok(workbook instanceof Workbook);
  const renameOutcome = workbook.apply(
    [{ kind: 'renameSheet', sheet: 1, name: 'Mine' }, { kind: 'addSheet' }],
    CONTEXT,
  );
  assert.equal(renameOutcome.kind, 'applied');
  const path = join(folder, `out-${files}.xlsx`);
  await writeXlsx(path, exportData(workbook.head));
  const xml = await readPart(path, 'xl/workbook.xml');
  assert.match(
    xml,
    /<workbookPr defaultThemeVersion="124226" codeName="Book"\/><bookViews><workbookView activeTab="1" tabRatio="300"\/>/,
  );
  assert.match(xml, new RegExp(names(1)));
  assert.match(xml, /<calcPr calcId="191029" calcMode="manual" iterate="1" iterateCount="7" fullCalcOnLoad="1"\/>/);
});
