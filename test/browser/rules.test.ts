import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { createSingleSheetParts, createTestFolder, writeZip } from '../../packages/files/test/workbook-files.ts';
import { GoogleClient, type Spreadsheet } from '../../packages/server/test/google/support.ts';
import type { Person } from '../../packages/server/test/http/browser.ts';
import { type BrowserWindow, BrowserWorld, describeInBrowser, findViolations } from './browser.ts';

const createRange = (top: number, bottom: number, left: number, right: number) => ({
  ...{ sheetId: 0, startRowIndex: top, endRowIndex: bottom },
  ...{ startColumnIndex: left, endColumnIndex: right },
});
const createCondition = (type: string, ...values: readonly string[]) => ({
  type,
  values: values.map((userEnteredValue) => ({ userEnteredValue })),
});
const createRule = (column: number, test: object, rest: object = {}) => ({
  setDataValidation: { range: createRange(0, 3, column, column + 1), rule: { condition: test, strict: true, ...rest } },
});

describeInBrowser('notes and rules of cells in a browser', () => {
  let stage: BrowserWorld;
  let anna: Person;
  let google: GoogleClient;

  before(async () => {
    stage = await BrowserWorld.start();
    anna = await stage.createPerson();
    google = new GoogleClient(stage.world.server.address, await stage.world.createToken(String(anna.id)));
  });
  after(() => stage?.end());

  async function openBook(
    values: readonly unknown[][],
    requests: readonly object[],
    locale = 'en-US',
  ): Promise<{ readonly window: BrowserWindow; readonly book: Spreadsheet }> {
    const book = google.getSpreadsheet(await google.create());
    await book.put('A1', values);
    await book.readReplies(...requests);
    const window = await stage.openSignedIn(anna, { locale });
    await window.openDocument(book.id);
    return { window, book };
  }

  async function waitForFill(window: BrowserWindow, cell: string, color: string): Promise<void> {
    await window.waitForExpression(
      `document.getElementById('cell-${cell}')?.style.backgroundColor === ${JSON.stringify(color)}`,
    );
  }

  for (const [locale, list, refused] of [
    ['en-US', 'Choose a value', 'A rule does not allow this value: a colour'],
    ['ru-RU', 'Выбрать значение', 'Правило не допускает это значение: a colour'],
  ] as const) {
    it(`offers the values of a list by mouse and keyboard, and refuses others, in ${locale}`, async () => {
      const lists = createRule(0, createCondition('ONE_OF_LIST', 'red', 'green'), {
        showCustomUi: true,
        inputMessage: 'a colour',
      });
      const { window, book } = await openBook([['']], [lists], locale);
      const { page } = window;
      await page.getByRole('button', { name: list, exact: true }).click();
      await page.getByRole('menuitem', { name: 'green', exact: true }).click();
      await window.waitForText('A1', 'green');
      await window.press('ArrowDown', 'Alt+ArrowDown');
      const red = page.getByRole('menuitem', { name: 'red', exact: true });
      await red.and(page.locator(':focus')).waitFor();
      await window.press('Enter');
      await window.waitForText('A2', 'red');
      await window.press('ArrowDown');
      await window.type('blue');
      await window.press('Enter');
      await page.getByText(refused).first().waitFor();
      assert.equal(await page.locator('.grid-editor').inputValue(), 'blue');
      await window.press('Escape');
      assert.deepEqual(await book.readValues('A1:A3'), [['green'], ['red']]);
      await window.close();
    });
  }

  it('warns of other values if the rule only warns', async () => {
    const { window } = await openBook([['']], [createRule(0, createCondition('NUMBER_LESS', '5'), { strict: false })]);
    await window.type('9');
    await window.press('Enter');
    await window.page.getByText('A rule of this cell expects another value.').waitFor();
    await window.waitForText('A1', '9');
    await window.close();
  });

  it('switches a checkbox by the space bar and by a click', async () => {
    const { window, book } = await openBook([[true]], [createRule(0, createCondition('BOOLEAN'))]);
    await window.waitForText('A1', '☑');
    await window.press('Space');
    await window.waitForText('A1', '☐');
    assert.deepEqual(await book.readValues('A1'), [['FALSE']]);
    await window.page.getByRole('checkbox', { name: 'Checkbox of the cell', checked: false }).click();
    await window.waitForText('A1', '☑');
    await window.waitForText('A2', '☐');
    await window.close();
  });

  it('shows a note at its cell, to the mouse and to a screen reader', async () => {
    const { window } = await openBook(
      [['a', 'b']],
      [{ repeatCell: { range: createRange(0, 1, 1, 2), cell: { note: 'Ask <Ben>' }, fields: 'note' } }],
    );
    await window.waitForExpression(`document.getElementById('cell-B1').classList.contains('has-note')`);
    assert.equal(await window.findCell('B1').getAttribute('title'), 'Ask <Ben>');
    await window.press('ArrowRight');
    await window.page.getByText('Ask <Ben>').waitFor();
    const editor = window.page.locator('.grid-editor');
    assert.equal(await editor.getAttribute('aria-describedby'), 'cell-hint');
    await window.press('ArrowLeft');
    await window.page.getByText('Ask <Ben>').waitFor({ state: 'hidden' });
    await window.close();
  });

  it('draws conditional formats, colour scales and bands, and follows changed values and rules', async () => {
    const red = { backgroundColor: { red: 1 } };
    const { window, book } = await openBook(
      [
        [1, 0],
        [2, 5],
        [3, 10],
      ],
      [
        {
          addConditionalFormatRule: {
            rule: {
              ranges: [createRange(0, 3, 0, 1)],
              booleanRule: { condition: createCondition('CUSTOM_FORMULA', '=A1>$D$1'), format: red },
            },
          },
        },
        {
          addConditionalFormatRule: {
            rule: {
              ranges: [createRange(0, 3, 1, 2)],
              gradientRule: { minpoint: { color: {}, type: 'MIN' }, maxpoint: { color: { blue: 1 }, type: 'MAX' } },
            },
          },
        },
      ],
    );
    await waitForFill(window, 'A1', 'rgb(255, 0, 0)');
    await waitForFill(window, 'B3', 'rgb(0, 0, 255)');
    await waitForFill(window, 'B2', 'rgb(0, 0, 128)');
    await window.goToRange('D1');
    await window.type('2');
    await window.press('Enter');
    await waitForFill(window, 'A1', '');
    await waitForFill(window, 'A3', 'rgb(255, 0, 0)');
    const bands = {
      range: createRange(0, 3, 5, 6),
      rowProperties: { firstBandColor: { green: 1 }, secondBandColor: {} },
    };
    await book.readReplies({ addBanding: { bandedRange: bands } });
    await waitForFill(window, 'F1', 'rgb(0, 255, 0)');
    await waitForFill(window, 'F2', 'rgb(0, 0, 0)');
    await window.close();
  });

  it('draws data bars and icon sets of an imported file', async () => {
    const cells = [0, 5, 10].map(
      (number, i) =>
        `<row r="${i + 1}">${['A', 'B', 'C'].map((column) => `<c r="${column}${i + 1}"><v>${number}</v></c>`).join('')}</row>`,
    );
    const bounds = '<cfvo type="min"/><cfvo type="max"/>';
    const thirds = [0, 33, 67].map((share) => `<cfvo type="percent" val="${share}"/>`).join('');
    const rules = [
      `<cfRule type="dataBar" priority="1"><dataBar>${bounds}<color rgb="FF638EC6"/></dataBar></cfRule>`,
      `<cfRule type="iconSet" priority="2"><iconSet iconSet="3Arrows">${thirds}</iconSet></cfRule>`,
      `<cfRule type="iconSet" priority="3"><iconSet showValue="0">${thirds}</iconSet></cfRule>`,
    ];
    const formats = rules.map((xml, i) => {
      const column = 'ABC'[i];
      return `<conditionalFormatting sqref="${column}1:${column}3">${xml}</conditionalFormatting>`;
    });
    const parts = createSingleSheetParts(`<sheetData>${cells.join('')}</sheetData>${formats.join('')}`);
    const path = await writeZip(join(await createTestFolder(), 'scales.xlsx'), parts);
    const upload = await fetch(`${google.base}/google/upload/drive/v3/files?uploadType=media`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${google.token}`,
        'content-type': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      },
      body: await readFile(path),
    });
    const { id } = (await upload.json()) as { readonly id: string };
    const window = await stage.openSignedIn(anna, { locale: 'en-US' });
    await window.openDocument(id);
    await window.waitForExpression(
      `getComputedStyle(document.getElementById('cell-A2')).backgroundImage.includes('rgb(99, 142, 198) 0%')`,
    );
    const readShown = (cell: string) =>
      window.page.evaluate(`(() => {
        const element = document.getElementById('cell-${cell}');
        const icon = element.classList.contains('has-icon') ? getComputedStyle(element, '::after').content : '';
        return { icon: icon.slice(1, 2), text: element.textContent, title: element.title };
      })()`);
    assert.deepEqual(await Promise.all(['A2', 'B1', 'B2', 'B3', 'C3'].map(readShown)), [
      { icon: '', text: '5', title: '' },
      { icon: '↓', text: '0', title: '' },
      { icon: '→', text: '5', title: '' },
      { icon: '↑', text: '10', title: '' },
      { icon: '●', text: '', title: '10' },
    ]);
    assert.deepEqual(await findViolations(window), []);
    await window.goToRange('A3');
    await window.type('20');
    await window.press('Enter');
    await window.waitForExpression(`document.getElementById('cell-A2').style.backgroundImage.includes('30%')`);
    await window.close();
  });

  it('is accessible', async () => {
    const lists = createRule(0, createCondition('ONE_OF_LIST', 'red'), {
      showCustomUi: true,
      inputMessage: 'a colour',
    });
    const note = { repeatCell: { range: createRange(0, 1, 0, 1), cell: { note: 'Ask' }, fields: 'note' } };
    for (const requests of [[lists, note], [createRule(0, createCondition('BOOLEAN'))]]) {
      const { window } = await openBook([['']], requests);
      await window.page.locator('.list-button, .checkbox-button').waitFor();
      assert.deepEqual(await findViolations(window), []);
      await window.close();
    }
  });
});
