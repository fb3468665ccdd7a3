import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { isRefusal, type LeftOutItem } from '../src/index.ts';
import { writeXlsx } from '../src/xlsx/write.ts';
import {
  createSingleSheetParts,
  createTestFolder,
  MAIN,
  readBack,
  readCells,
  readPart,
  writeZip,
} from './workbook-files.ts';

const folder = await createTestFolder();

/** Imports and exports a workbook with one text, shared or in its cell. */
async function importAndExport(content: string, location: 'shared' | 'inline') {
  const cell =
    location === 'shared' ? '<c r="A1" t="s"><v>0</v></c>' : `<c r="A1" t="inlineStr"><is>${content}</is></c>`;
  const strings = `<sst ${MAIN}><si>${location === 'shared' ? content : '<t>other</t>'}</si></sst>`;
  const parts = createSingleSheetParts(`<sheetData><row r="1">${cell}</row></sheetData>`, {
    'xl/sharedStrings.xml': strings,
  });
  const importResult = await readBack(await writeZip(join(folder, 'in.xlsx'), parts));
  if (isRefusal(importResult)) throw new Error(importResult.message);
  const value = readCells(importResult.data)[0]?.value;
  const out = join(folder, 'out.xlsx');
  await writeXlsx(out, importResult.data);
  const reimported = await readBack(out);
  if (isRefusal(reimported)) throw new Error(reimported.message);
  assert.equal(readCells(reimported.data)[0]?.value, value, 'the export reads as the same text');
  const exportedText = /<si>(.*?)<\/si>/.exec(await readPart(out, 'xl/sharedStrings.xml'))?.[1];
  return { value, written: exportedText, leftOut: importResult.leftOut };
}

const BOLD = '<r><rPr><b/></rPr><t>bold</t></r>';
const CASES: readonly [content: string, text: string, expected: string, why: string][] = [
  [`<t>Before</t>${BOLD}`, 'Beforebold', `<r><t>Before</t></r>${BOLD}`, 'a plain text before a run'],
  [`${BOLD}<t>After</t>`, 'boldAfter', `${BOLD}<r><t>After</t></r>`, 'a plain text after a run'],
  [`<t>a</t>${BOLD}<t>b</t>${BOLD}`, 'aboldbbold', `<r><t>a</t></r>${BOLD}<r><t>b</t></r>${BOLD}`, 'texts around runs'],
  [`<t/>${BOLD}`, 'bold', BOLD, 'an empty plain text before a run'],
  [`<t>a</t><r><rPr><i/></rPr><t/></r>`, 'a', '<r><t>a</t></r><r><rPr><i/></rPr><t/></r>', 'an empty run'],
  [
    `<t>a</t><r><t> b</t></r>`,
    'a b',
    '<r><t>a</t></r><r><t xml:space="preserve"> b</t></r>',
    'blanks at an end of a run',
  ],
  [
    '<t>漢字</t><rPh sb="0" eb="2"><t>かんじ</t></rPh>',
    '漢字',
    '<t>漢字</t><rPh sb="0" eb="2"><t>かんじ</t></rPh>',
    'a reading of a plain text',
  ],
  [
    `<t>漢</t>${BOLD}<rPh sb="0" eb="1"><t>かん</t></rPh>`,
    '漢bold',
    `<r><t>漢</t></r>${BOLD}<rPh sb="0" eb="1"><t>かん</t></rPh>`,
    'a reading of a text with runs',
  ],
  [`<t>a_x000D_</t>${BOLD}`, 'a\rbold', `<r><t>a_x000D_</t></r>${BOLD}`, 'an escaped character'],
  [`<t>_x000</t><r><t>D_</t></r>`, '_x000D_', '<r><t>_x000</t></r><r><t>D_</t></r>', 'marks of an escape in two texts'],
];

for (const location of ['shared', 'inline'] as const) {
  for (const [content, text, expected, why] of CASES) {
    test(`a ${location} text keeps ${why}`, async () => {
      const actual = await importAndExport(content, location);
      assert.equal(actual.value, text);
      assert.equal(actual.written?.replace(/(<r>|^)<t xml:space="preserve">(?! )/g, '$1<t>'), expected);
    });
  }

  test(`a lone surrogate in a ${location} text becomes U+FFFD and is reported`, async () => {
    const actual = await importAndExport('<t>a_xD83D_</t><r><t>_xDE00_b</t></r>', location);
    assert.equal(actual.value, 'a\ufffd\ufffdb');
    const expected: LeftOutItem = { kind: 'halfSurrogates', count: 2 };
    assert.deepEqual(actual.leftOut, [expected]);
    assert.doesNotMatch(actual.written ?? '', /_xD/i);
  });

  test(`an escaped surrogate pair in a ${location} text is decoded`, async () => {
    const actual = await importAndExport('<t>_xD83D__xDE00_</t>', location);
    assert.equal(actual.value, '😀');
    assert.deepEqual(actual.leftOut, []);
  });
}

const EMPTY_CELLS = ['t="s"', 't="b"', 't="e"', 't="d"', 't="n"', ''];

for (const type of EMPTY_CELLS) {
  for (const content of ['<v/>', '<v> </v>', '<v>\n</v>']) {
    test(`a styled cell ${type} with ${JSON.stringify(content)} is empty`, async () => {
      const cell = `<c r="A1" s="1" ${type}>${content}</c><c r="B1" t="s"><v>0</v></c>`;
      const styles = `<styleSheet ${MAIN}><cellXfs><xf/><xf numFmtId="2" applyNumberFormat="1"/></cellXfs></styleSheet>`;
      const strings = `<sst ${MAIN}><si><r><t>first</t></r></si></sst>`;
      const parts = createSingleSheetParts(`<sheetData><row r="1">${cell}</row></sheetData>`, {
        'xl/styles.xml': styles,
        'xl/sharedStrings.xml': strings,
      });
      const importResult = await readBack(await writeZip(join(folder, 'empty.xlsx'), parts));
      assert.ok(!isRefusal(importResult));
      const [first, second] = readCells(importResult.data);
      assert.deepEqual([first?.value, first?.format, second?.value], [null, '0.00', 'first']);
      const texts = importResult.data.sheets[0]?.layout?.attachments?.filter(({ kind }) => kind === 'richText') ?? [];
      assert.deepEqual(
        texts.map(({ areas: [area] }) => area?.left),
        [1],
      );
    });
  }
}
