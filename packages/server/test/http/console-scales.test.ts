import assert from 'node:assert/strict';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createSingleSheetParts, createTestFolder, writeZip } from '../../../files/test/workbook-files.ts';
import { type Browser, createPerson, signInAs } from './browser.ts';
import { type Json, memberAt, startWorld, type World } from './support.ts';

type Look = Readonly<Record<string, unknown>>;

const createBoundXml = (type: string, val?: number | string, rest = '') =>
  `<cfvo type="${type}"${val === undefined ? '' : ` val="${val}"`}${rest}/>`;
const MIN_MAX = createBoundXml('min') + createBoundXml('max');
const BLUE = '<color rgb="FF638EC6"/>';
const EXTENSION =
  '<extLst><ext xmlns:x14="http://schemas.microsoft.com/office/spreadsheetml/2009/9/main" uri="{B025F937-C7B1-47D3-B67F-A62EFF666E3E}"><x14:id>{A9}</x14:id></ext></extLst>';
const createDataBarXml = (content: string, attributes = '', extension = '') =>
  `<cfRule type="dataBar" priority="1"><dataBar${attributes}>${content}${BLUE}</dataBar>${extension}</cfRule>`;
const createIconSetXml = (set: string, bounds: string, attributes = '') =>
  `<cfRule type="iconSet" priority="1"><iconSet iconSet="${set}"${attributes}>${bounds}</iconSet></cfRule>`;
const THIRDS = createBoundXml('percent', 0) + createBoundXml('percent', 33) + createBoundXml('percent', 67);

const createBar = (from: number, to: number, color = '#638EC6') => ({ bar: { color, from, to } });
const createIcon = (index: number, set = '3Arrows') => ({ icon: { set, index } });

/** A rule for the numbers of a column, and what each of its cells shows. */
const CASES: readonly (readonly [
  what: string,
  numbers: readonly (number | string)[],
  rule: string,
  shown: readonly Look[],
])[] = [
  [
    'data bars from the least number',
    [0, 5, 10],
    createDataBarXml(MIN_MAX),
    [createBar(0, 10), createBar(0, 50), createBar(0, 90)],
  ],
  [
    'data bars between set lengths and bounds',
    [-5, 0, 50, 200],
    createDataBarXml(createBoundXml('num', 0) + createBoundXml('num', 100), ' minLength="0" maxLength="100"'),
    [{}, {}, createBar(0, 50), createBar(0, 100)],
  ],
  [
    'data bars of newer files from zero, in both directions',
    [-10, 0, 10, 30],
    createDataBarXml(MIN_MAX, '', EXTENSION),
    [createBar(0, 25, '#FF0000'), {}, createBar(25, 50), createBar(25, 100)],
  ],
  [
    'data bars of newer files with positive numbers from zero',
    [5, 10],
    createDataBarXml(MIN_MAX, '', EXTENSION),
    [createBar(0, 50), createBar(0, 100)],
  ],
  [
    'data bars in place of the values',
    [0, 10],
    createDataBarXml(MIN_MAX, ' showValue="0"'),
    [
      { ...createBar(0, 10), hidesValue: true },
      { ...createBar(0, 90), hidesValue: true },
    ],
  ],
  ['no data bar for equal numbers', [3, 3], createDataBarXml(MIN_MAX), [{}, {}]],
  [
    'data bars with a bound from a formula',
    [4, 8],
    createDataBarXml(createBoundXml('formula', '$A$1') + createBoundXml('max')),
    [createBar(0, 10), createBar(0, 90)],
  ],
  [
    'icons by percent',
    [0, 33, 66, 67, 100],
    createIconSetXml('3Arrows', THIRDS),
    [createIcon(0), createIcon(1), createIcon(1), createIcon(2), createIcon(2)],
  ],
  [
    'icons above a bound',
    [0, 33, 100],
    createIconSetXml(
      '3Arrows',
      createBoundXml('percent', 0) + createBoundXml('num', 33, ' gte="0"') + createBoundXml('num', 100),
    ),
    [createIcon(0), createIcon(0), createIcon(2)],
  ],
  [
    'icons in reverse order and without values',
    [0, 100],
    createIconSetXml('3Arrows', THIRDS, ' reverse="1" showValue="0"'),
    [
      { ...createIcon(2), hidesValue: true },
      { ...createIcon(0), hidesValue: true },
    ],
  ],
  [
    'icons of a set of five by percentile',
    [1, 2, 3, 4, 5],
    createIconSetXml('5Quarters', [0, 20, 40, 60, 80].map((share) => createBoundXml('percentile', share)).join('')),
    [0, 1, 2, 3, 4].map((index) => createIcon(index, '5Quarters')),
  ],
  [
    'the default set of traffic lights',
    [0, 100],
    `<cfRule type="iconSet" priority="1"><iconSet>${THIRDS}</iconSet></cfRule>`,
    [createIcon(0, '3TrafficLights1'), createIcon(2, '3TrafficLights1')],
  ],
  [
    'no bar with unreadable bounds',
    [1, 2],
    createDataBarXml(createBoundXml('num', 'text') + createBoundXml('max')),
    [{}, {}],
  ],
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
    const path = join(await createTestFolder(), 'scales.xlsx');
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
    const document = await importFile([0, 'text', 10], createDataBarXml(MIN_MAX));
    assert.deepEqual(await readLooks(document, 'Data!A1:A3'), [createBar(0, 10), {}, createBar(0, 90)]);
    await world.apiFor(token, document).put('Data!A3', [[20]]);
    await world.apiFor(token, document).put('Data!A2', [[10]]);
    assert.deepEqual(await readLooks(document, 'Data!A2:A3'), [createBar(0, 50), createBar(0, 90)]);
  });
});
