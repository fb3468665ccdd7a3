import assert from 'node:assert/strict';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createSingleSheetParts, testFolder, writeZip } from '../../../files/test/workbook-files.ts';
import { type Browser, createPerson, signInAs } from './browser.ts';
import { type Json, memberAt, startWorld, type World } from './support.ts';

type Look = Readonly<Record<string, unknown>>;

const bound = (type: string, val?: number | string, rest = '') =>
  `<cfvo type="${type}"${val === undefined ? '' : ` val="${val}"`}${rest}/>`;
const MIN_MAX = bound('min') + bound('max');
const BLUE = '<color rgb="FF638EC6"/>';
const EXTENSION =
  '<extLst><ext xmlns:x14="http://schemas.microsoft.com/office/spreadsheetml/2009/9/main" uri="{B025F937-C7B1-47D3-B67F-A62EFF666E3E}"><x14:id>{A9}</x14:id></ext></extLst>';
const dataBar = (content: string, attributes = '', extension = '') =>
  `<cfRule type="dataBar" priority="1"><dataBar${attributes}>${content}${BLUE}</dataBar>${extension}</cfRule>`;
const iconSet = (set: string, bounds: string, attributes = '') =>
  `<cfRule type="iconSet" priority="1"><iconSet iconSet="${set}"${attributes}>${bounds}</iconSet></cfRule>`;
const THIRDS = bound('percent', 0) + bound('percent', 33) + bound('percent', 67);

const bar = (from: number, to: number, color = '#638EC6') => ({ bar: { color, from, to } });
const icon = (index: number, set = '3Arrows') => ({ icon: { set, index } });

/** A rule for the numbers of a column, and what each of its cells shows. */
const CASES: readonly (readonly [
  what: string,
  numbers: readonly (number | string)[],
  rule: string,
  shown: readonly Look[],
])[] = [
  ['data bars from the least number', [0, 5, 10], dataBar(MIN_MAX), [bar(0, 10), bar(0, 50), bar(0, 90)]],
  [
    'data bars between set lengths and bounds',
    [-5, 0, 50, 200],
    dataBar(bound('num', 0) + bound('num', 100), ' minLength="0" maxLength="100"'),
    [{}, {}, bar(0, 50), bar(0, 100)],
  ],
  [
    'data bars of newer files from zero, in both directions',
    [-10, 0, 10, 30],
    dataBar(MIN_MAX, '', EXTENSION),
    [bar(0, 25, '#FF0000'), {}, bar(25, 50), bar(25, 100)],
  ],
  [
    'data bars of newer files with positive numbers from zero',
    [5, 10],
    dataBar(MIN_MAX, '', EXTENSION),
    [bar(0, 50), bar(0, 100)],
  ],
  [
    'data bars in place of the values',
    [0, 10],
    dataBar(MIN_MAX, ' showValue="0"'),
    [
      { ...bar(0, 10), hidesValue: true },
      { ...bar(0, 90), hidesValue: true },
    ],
  ],
  ['no data bar for equal numbers', [3, 3], dataBar(MIN_MAX), [{}, {}]],
  [
    'data bars with a bound from a formula',
    [4, 8],
    dataBar(bound('formula', '$A$1') + bound('max')),
    [bar(0, 10), bar(0, 90)],
  ],
  ['icons by percent', [0, 33, 66, 67, 100], iconSet('3Arrows', THIRDS), [icon(0), icon(1), icon(1), icon(2), icon(2)]],
  [
    'icons above a bound',
    [0, 33, 100],
    iconSet('3Arrows', bound('percent', 0) + bound('num', 33, ' gte="0"') + bound('num', 100)),
    [icon(0), icon(0), icon(2)],
  ],
  [
    'icons in reverse order and without values',
    [0, 100],
    iconSet('3Arrows', THIRDS, ' reverse="1" showValue="0"'),
    [
      { ...icon(2), hidesValue: true },
      { ...icon(0), hidesValue: true },
    ],
  ],
  [
    'icons of a set of five by percentile',
    [1, 2, 3, 4, 5],
    iconSet('5Quarters', [0, 20, 40, 60, 80].map((share) => bound('percentile', share)).join('')),
    [0, 1, 2, 3, 4].map((index) => icon(index, '5Quarters')),
  ],
  [
    'the default set of traffic lights',
    [0, 100],
    `<cfRule type="iconSet" priority="1"><iconSet>${THIRDS}</iconSet></cfRule>`,
    [icon(0, '3TrafficLights1'), icon(2, '3TrafficLights1')],
  ],
  ['no bar with unreadable bounds', [1, 2], dataBar(bound('num', 'text') + bound('max')), [{}, {}]],
];

describe('data bars and icon sets of imported files in the console', () => {
  let world: World;
  let browser: Browser;
  let token: string;

  before(async () => {
    world = await startWorld();
    const anna = await createPerson(world);
    browser = await signInAs(world, anna);
    token = await world.createToken(String(anna.id));
  });
  after(() => world.close());

  async function importFile(numbers: readonly (number | string)[], rule: string): Promise<string> {
    const rows = numbers.map((number, i) =>
      typeof number === 'number'
        ? `<row r="${i + 1}"><c r="A${i + 1}"><v>${number}</v></c></row>`
        : `<row r="${i + 1}"><c r="A${i + 1}" t="str"><v>${number}</v></c></row>`,
    );
    const formats = `<conditionalFormatting sqref="A1:A${numbers.length}">${rule}</conditionalFormatting>`;
    const path = join(await testFolder(), 'scales.xlsx');
    await writeZip(path, createSingleSheetParts(`<sheetData>${rows.join('')}</sheetData>${formats}`));
    const imported = await fetch(`${world.server.address}/google/upload/drive/v3/files?uploadType=media`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      },
      body: await readFile(path),
    });
    await rm(path);
    return String(((await imported.json()) as Json)['id']);
  }

  async function readLooks(document: string, cells: string): Promise<readonly Look[]> {
    const { status, body } = await browser.request('GET', `/documents/${document}/looks?ranges[]=${cells}`);
    assert.equal(status, 200, JSON.stringify(body));
    const looks = memberAt(body, 'looks', 0) as unknown as { styles: readonly Look[]; cells: readonly number[][] };
    return looks.cells.map(([number = -1]) => looks.styles[number] ?? {});
  }

  for (const [what, numbers, rule, shown] of CASES) {
    it(`draws ${what}`, async () => {
      const document = await importFile(numbers, rule);
      const looks = await readLooks(document, `Data!A1:A${numbers.length}`);
      assert.deepEqual(looks.length === 0 ? numbers.map(() => ({})) : looks, shown);
    });
  }

  it('draws no bar beside a text, and follows a changed number', async () => {
    const document = await importFile([0, 'text', 10], dataBar(MIN_MAX));
    assert.deepEqual(await readLooks(document, 'Data!A1:A3'), [bar(0, 10), {}, bar(0, 90)]);
    await world.apiFor(token, document).put('Data!A3', [[20]]);
    await world.apiFor(token, document).put('Data!A2', [[10]]);
    assert.deepEqual(await readLooks(document, 'Data!A2:A3'), [bar(0, 50), bar(0, 90)]);
  });
});
