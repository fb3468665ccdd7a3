import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import {
  createSingleSheetParts,
  createTestFolder,
  EXTENDED_RULES,
  writeZip,
} from '../../../files/test/workbook-files.ts';
import { GoogleClient, type Spreadsheet } from '../google/support.ts';
import { type Browser, createPerson, type Person, signInAs } from './browser.ts';
import { type Json, startWorld, type World } from './support.ts';

type Look = Readonly<Record<string, unknown>>;

const createRange = (top: number, bottom: number, left: number, right: number) => ({
  ...{ sheetId: 0, startRowIndex: top, endRowIndex: bottom },
  ...{ startColumnIndex: left, endColumnIndex: right },
});
const createCondition = (type: string, ...values: readonly string[]) => ({
  type,
  values: values.map((userEnteredValue) => ({ userEnteredValue })),
});
const RED = { backgroundColor: { red: 1 } };
const createFormatRule = (area: object, test: object, shown: object = RED) => ({
  addConditionalFormatRule: { rule: { ranges: [area], booleanRule: { condition: test, format: shown } } },
});
const createValidation = (area: object, test: object, rest: object = {}) => ({
  setDataValidation: { range: area, rule: { condition: test, strict: true, ...rest } },
});

describe('notes and rules in the console', () => {
  let world: World;
  let anna: Person;
  let annas: Browser;
  let google: GoogleClient;

  before(async () => {
    world = await startWorld();
    anna = await createPerson(world);
    annas = await signInAs(world, anna);
    google = new GoogleClient(world.server.address, await world.createToken(String(anna.id)));
  });
  after(() => world.close());

  const createSpreadsheet = async (): Promise<Spreadsheet> => google.getSpreadsheet(await google.create());

  /** Reads the looks of a range by cell, as the browser receives them; undefined: none. */
  async function readLooks(
    browser: Browser,
    document: string,
    cells: string,
  ): Promise<readonly (Look | undefined)[][]> {
    const { status, body } = await browser.request('GET', `/documents/${document}/looks?ranges[]=${cells}`);
    assert.equal(status, 200, JSON.stringify(body));
    const [looks] = body['looks'] as unknown as readonly { styles: readonly Look[]; cells: readonly number[][] }[];
    assert.ok(looks);
    return looks.cells.map((line) => line.map((number) => looks.styles[number]));
  }

  /** The fill of each cell of a range; null: none. */
  async function readFills(document: string, cells: string, browser = annas): Promise<unknown> {
    const looks = await readLooks(browser, document, cells);
    return looks.map((line) => line.map((look) => look?.['fill'] ?? null));
  }

  async function copyThroughFile({ id }: Spreadsheet): Promise<string> {
    const file = await fetch(`${world.server.address}/google/spreadsheets/d/${id}/export?format=xlsx`, {
      headers: { authorization: `Bearer ${google.token}` },
    });
    return importFile(new Uint8Array(await file.arrayBuffer()));
  }

  /** Gives the id of the new document. */
  async function importFile(body: Uint8Array<ArrayBuffer>): Promise<string> {
    const imported = await fetch(`${world.server.address}/google/upload/drive/v3/files?uploadType=media`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${google.token}`,
        'content-type': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      },
      body,
    });
    return String(((await imported.json()) as Json)['id']);
  }

  const NUMBERS = [[1], [5], ['text'], [9], ['']];
  const NONE = null;
  const CASES: readonly (readonly [
    what: string,
    values: readonly unknown[][],
    test: object,
    isRed: readonly number[],
  ])[] = [
    ['greater numbers', NUMBERS, createCondition('NUMBER_GREATER', '4'), [1, 3]],
    ['numbers below a formula', NUMBERS, createCondition('NUMBER_LESS', '=$A$2'), [0]],
    ['numbers between', NUMBERS, createCondition('NUMBER_BETWEEN', '1', '5'), [0, 1]],
    ['a text', NUMBERS, createCondition('TEXT_CONTAINS', 'EX'), [2]],
    ['the beginning of a text', NUMBERS, createCondition('TEXT_STARTS_WITH', 'te'), [2]],
    ['empty cells', NUMBERS, createCondition('BLANK'), [4]],
    ['a formula of each cell', NUMBERS, createCondition('CUSTOM_FORMULA', '=ISEVEN(ROW(A1))'), [1, 3]],
    ['a formula that fails', NUMBERS, createCondition('CUSTOM_FORMULA', '=A1*1>4'), [1, 3]],
    ['dates', [['2026-01-01'], ['2026-03-01']], createCondition('DATE_AFTER', '2026-02-01'), [1]],
  ];

  for (const [what, values, test, isRed] of CASES) {
    it(`draws conditional formats for ${what}`, async () => {
      const book = await createSpreadsheet();
      await book.put('A1', values);
      await book.readReplies(createFormatRule(createRange(0, values.length, 0, 1), test));
      const expected = values.map((_, row) => [isRed.includes(row) ? '#ff0000' : NONE]);
      assert.deepEqual(await readFills(book.id, `Sheet1!A1:A${values.length}`), expected);
    });
  }

  it('draws conditional formats of a file like its own', async () => {
    const book = await createSpreadsheet();
    await book.put('A1', [
      [1, 'x'],
      [5, 'y'],
      [9, 'xy'],
    ]);
    await book.readReplies(
      createFormatRule(createRange(0, 3, 0, 1), createCondition('NUMBER_GREATER', '=$C$1'), {
        textFormat: { bold: true },
      }),
      createFormatRule(createRange(0, 3, 0, 1), createCondition('NUMBER_GREATER', '6')),
      createFormatRule(createRange(0, 3, 1, 2), createCondition('TEXT_CONTAINS', 'x')),
      {
        addBanding: {
          bandedRange: {
            range: createRange(0, 4, 3, 4),
            rowProperties: {
              headerColor: { blue: 1 },
              firstBandColor: RED.backgroundColor,
              secondBandColor: { green: 1 },
            },
          },
        },
      },
    );
    await book.put('C1', [[4]]);
    const looks = await readLooks(annas, book.id, 'Sheet1!A1:D4');
    assert.deepEqual(
      looks.map((line) => line.map((look) => [look?.['fill'] ?? NONE, look?.['bold'] === true])),
      [
        [
          [NONE, false],
          ['#ff0000', false],
          [NONE, false],
          ['#0000ff', false],
        ],
        [
          [NONE, true],
          [NONE, false],
          [NONE, false],
          ['#ff0000', false],
        ],
        [
          ['#ff0000', true],
          ['#ff0000', false],
          [NONE, false],
          ['#00ff00', false],
        ],
        [
          [NONE, false],
          [NONE, false],
          [NONE, false],
          ['#ff0000', false],
        ],
      ],
    );
    const copied = await readLooks(annas, await copyThroughFile(book), 'Sheet1!A1:D4');
    const lower = (text: string) => text.replaceAll(/#[0-9A-F]{6}/g, (color) => color.toLowerCase());
    assert.deepEqual(JSON.parse(lower(JSON.stringify(copied))), JSON.parse(JSON.stringify(looks)));
  });

  it('draws colour scales between their points', async () => {
    const book = await createSpreadsheet();
    await book.put('A1', [[0], [5], [10], ['n/a'], [20]]);
    const createGradient = (points: object) => ({
      addConditionalFormatRule: { rule: { ranges: [createRange(0, 5, 0, 1)], gradientRule: points } },
    });
    await book.readReplies(
      createGradient({
        minpoint: { color: {}, type: 'MIN' },
        midpoint: { color: { red: 1 }, type: 'PERCENT', value: '50' },
        maxpoint: { color: { red: 1, green: 1 }, type: 'MAX' },
      }),
    );
    const colors = [['#000000'], ['#800000'], ['#ff0000'], [NONE], ['#ffff00']];
    assert.deepEqual(await readFills(book.id, 'Sheet1!A1:A5'), colors);
    assert.deepEqual(await readFills(book.id, 'Sheet1!A2:A3'), [['#800000'], ['#ff0000']]);
    const copied = JSON.stringify(await readFills(await copyThroughFile(book), 'Sheet1!A1:A5'));
    assert.deepEqual(JSON.parse(copied.toLowerCase()), colors);
  });

  it('shows the other rules if a rule cannot be calculated because it has very many areas', async () => {
    const book = await createSpreadsheet();
    await book.put('A1', [[1], [5], [9]]);
    const lines = Array.from({ length: 400 }, (_, i) => 2 * i);
    const scattered = [0, 2, 4].flatMap((left) => lines.map((top) => createRange(top, top + 1, left, left + 1)));
    const points = { minpoint: { color: {}, type: 'MIN' }, maxpoint: { color: { green: 1 }, type: 'MAX' } };
    await book.readReplies(
      { addConditionalFormatRule: { rule: { ranges: scattered, gradientRule: points } } },
      createFormatRule(createRange(0, 3, 0, 1), createCondition('NUMBER_GREATER', '3')),
    );
    assert.deepEqual(await readFills(book.id, 'Sheet1!A1:A3'), [[NONE], ['#ff0000'], ['#ff0000']]);
  });

  it('does not reveal values of a hidden sheet by a conditional format', async () => {
    const book = await createSpreadsheet();
    await book.put('A1', [[1], [2]]);
    await book.readReplies({ addSheet: { properties: { title: 'Secret', sheetId: 5 } } });
    await book.put('Secret!A1', [[1]]);
    await book.readReplies(
      createFormatRule(createRange(0, 2, 0, 1), createCondition('CUSTOM_FORMULA', '=A1=Secret!$A$1')),
      createFormatRule(createRange(0, 2, 0, 1), createCondition('NUMBER_EQ', '2'), { backgroundColor: { blue: 1 } }),
    );
    const ben = await createPerson(world);
    const bens = await signInAs(world, ben);
    await world.share(book.id, String(ben.id), 'view');
    assert.deepEqual(await readFills(book.id, 'Sheet1!A1:A2', bens), [['#ff0000'], ['#0000ff']]);
    await world.protect(book.id, 'Secret', { hideValues: true });
    assert.deepEqual(await readFills(book.id, 'Sheet1!A1:A2', bens), [[NONE], ['#0000ff']]);
    assert.deepEqual(await readFills(book.id, 'Sheet1!A1:A2'), [['#ff0000'], ['#0000ff']]);
  });

  it('gives notes and validation rules with the cells', async () => {
    const book = await createSpreadsheet();
    await book.readReplies(
      { repeatCell: { range: createRange(0, 1, 0, 1), cell: { note: 'look & see' }, fields: 'note' } },
      createValidation(createRange(0, 2, 1, 2), createCondition('BOOLEAN')),
      createValidation(createRange(0, 1, 2, 3), createCondition('ONE_OF_LIST', 'a', 'b'), {
        showCustomUi: true,
        inputMessage: 'a or b',
      }),
    );
    const layout = await annas.request('GET', `/documents/${book.id}/sheets/Sheet1/layout`);
    assert.equal(layout.body['layout']?.['hasLooks'], true);
    const [[note, box, list] = []] = await readLooks(annas, book.id, 'Sheet1!A1:C2');
    assert.deepEqual(
      [note, box, list],
      [
        { note: 'look & see' },
        { rule: { kind: 'checkbox', hasArrow: false, hint: '', isChecked: true, states: ['TRUE', 'FALSE'] } },
        { rule: { kind: 'list', hasArrow: true, hint: 'a or b', isChecked: true } },
      ],
    );
  });

  it('lists the values that a rule allows', async () => {
    const book = await createSpreadsheet();
    await book.put('F1', [['red'], ['green'], [''], [3], ['red']]);
    await book.readReplies(
      createValidation(createRange(0, 1, 0, 1), createCondition('ONE_OF_LIST', 'a,b', 'say "c"')),
      createValidation(createRange(0, 9, 1, 2), createCondition('ONE_OF_RANGE', '=Sheet1!$F$1:$F$5')),
      createValidation(createRange(0, 1, 2, 3), createCondition('NUMBER_LESS', '5')),
    );
    const readListedRules = async (id: string, cell: string, sheet = 'Sheet1') =>
      (await annas.request('GET', `/documents/${id}/sheets/${sheet}/listed-values?cell=${cell}`)).body['values'];
    assert.deepEqual(await readListedRules(book.id, 'A1'), ['a,b', 'say "c"']);
    assert.deepEqual(await readListedRules(book.id, 'B7'), ['red', 'green', 3]);
    assert.deepEqual(await readListedRules(book.id, 'C1'), []);
    assert.deepEqual(await readListedRules(book.id, 'Z9'), []);
    assert.deepEqual(await readListedRules(await copyThroughFile(book), 'B7'), ['red', 'green', 3]);
    const path = join(await createTestFolder(), 'extended.xlsx');
    await writeZip(path, createSingleSheetParts(EXTENDED_RULES));
    const extended = await importFile(new Uint8Array(await readFile(path)));
    assert.deepEqual(await readListedRules(extended, 'A2', 'Data'), [1]);
    const [[look] = []] = await readLooks(annas, extended, 'Data!A2:A2');
    assert.deepEqual(look?.['rule'], { kind: 'list', hasArrow: true, hint: '', isChecked: true });
  });

  it('checks input as the rule says, and writes nothing', async () => {
    const book = await createSpreadsheet();
    await book.put('F1', [['red'], [7]]);
    await book.readReplies(
      createValidation(createRange(0, 9, 0, 1), createCondition('NUMBER_BETWEEN', '1', '=$F$2')),
      createValidation(createRange(0, 9, 1, 2), createCondition('ONE_OF_RANGE', '=$F$1:$F$2'), {
        strict: false,
        inputMessage: 'a colour',
      }),
      createValidation(createRange(0, 9, 2, 3), createCondition('CUSTOM_FORMULA', '=LEN(C1)<=ROW(C1)')),
      createValidation(createRange(0, 9, 3, 4), createCondition('TEXT_IS_EMAIL')),
      createValidation(createRange(0, 9, 4, 5), createCondition('DATE_AFTER', '2026-01-31')),
    );
    const before = Number(await world.apiFor(google.token, book.id).revision());
    const check = async (cell: string, input: unknown) => {
      const { status, body } = await annas.request('POST', `/documents/${book.id}/sheets/Sheet1/input-check`, {
        body: { cell, input },
      });
      assert.equal(status, 200, JSON.stringify(body));
      return body['verdict'];
    };
    const verdicts = [
      ['A1', '7', 'accept'],
      ['A1', '7.5', 'refuse'],
      ['A1', 'seven', 'refuse'],
      ['A1', '=F2', 'accept'],
      ['A1', '=F2+1', 'refuse'],
      ['A1', '', 'accept'],
      ['B3', 'red', 'accept'],
      ['B3', 'blue', 'warn'],
      ['B3', 7, 'accept'],
      ['C1', 'ab', 'refuse'],
      ['C2', 'ab', 'accept'],
      ['D1', 'anna@example.com', 'accept'],
      ['D1', 'anna', 'refuse'],
      ['E1', '2026-02-01', 'accept'],
      ['E1', '2026-01-01', 'refuse'],
      ['Z1', 'anything', 'accept'],
    ] as const;
    for (const [cell, input, verdict] of verdicts) assert.equal(await check(cell, input), verdict, `${cell} ${input}`);
    assert.equal(Number(await world.apiFor(google.token, book.id).revision()), before);
    const reader = await createPerson(world);
    await world.share(book.id, String(reader.id), 'view');
    const refused = await (await signInAs(world, reader)).request(
      'POST',
      `/documents/${book.id}/sheets/Sheet1/input-check`,
      { body: { cell: 'A1', input: '1' } },
    );
    assert.equal(refused.status, 403);
  });
});
