import assert from 'node:assert/strict';
import { after, before, beforeEach, it } from 'node:test';
import type { Person } from '../../packages/server/test/http/browser.ts';
import { type Api, memberAt } from '../../packages/server/test/http/support.ts';
import { type BrowserWindow, BrowserWorld, describeInBrowser } from './browser.ts';

describeInBrowser('actions on sheets', () => {
  let stage: BrowserWorld;
  let anna: Person;
  let token: string;
  let window: BrowserWindow;
  let book: Api;

  before(async () => {
    stage = await BrowserWorld.start();
    ({ person: anna, token, window } = await stage.signInNewPerson());
  });
  after(() => stage?.end());

  beforeEach(async () => {
    book = stage.world.apiFor(token, await stage.world.createDocument(String(anna.id)));
    await window.openDocument(book.document);
  });

  const findSelectedTab = (name: string) => window.page.getByRole('tab', { name, exact: true, selected: true });
  const findAddButton = () => window.page.getByRole('button', { name: 'Add a sheet', exact: true });

  async function readSheetNames(): Promise<readonly string[]> {
    const sheets = memberAt((await book.sheets()).body, 'sheets') as unknown as readonly { readonly name: string }[];
    return sheets.map(({ name }) => name);
  }

  async function chooseSheetAction(action: string): Promise<void> {
    await window.page.getByRole('button', { name: /^Actions for the sheet/ }).click();
    await window.page.getByRole('menuitem', { name: action, exact: true }).click();
  }

  it('add one sheet if the button is pressed again before the answer, and then give it the keys', async () => {
    const release = await window.delayRequests('POST', '**/sheets');
    await findAddButton().click();
    await window.press('Enter', 'Space');
    await release();
    await findSelectedTab('Sheet2').waitFor();
    await window.page.locator('.grid-editor:focus').waitFor({ state: 'attached' });
    await window.type('first cell');
    await window.press('Enter');
    await window.waitForText('A1', 'first cell');
    await window.waitUntilSaved();
    assert.deepEqual(await readSheetNames(), ['Sheet1', 'Sheet2']);
    assert.equal((await book.cell('Sheet2!A1'))['v'], 'first cell');
  });

  it('do not leave a sheet in which the person types before the new sheet arrives', async () => {
    const release = await window.delayRequests('POST', '**/sheets');
    await findAddButton().click();
    await window.findCell('B2').click();
    await window.type('half a tho');
    await release();
    await window.page.getByRole('tab', { name: 'Sheet2', exact: true }).waitFor();
    await window.type('ught');
    await window.press('Enter');
    await findSelectedTab('Sheet1').waitFor();
    await window.waitForText('B2', 'half a thought');
    await window.waitUntilSaved();
    assert.equal((await book.cell('Sheet1!B2'))['v'], 'half a thought');
    assert.equal(await book.cell('Sheet2!A1'), null);
  });

  it('show the copy of a sheet, so that the next action changes the copy', async () => {
    await book.put('Sheet1!A1', [['original']]);
    await window.waitForText('A1', 'original');
    await chooseSheetAction('Duplicate');
    await findSelectedTab('Sheet1 2').waitFor();
    await window.waitForText('A1', 'original');
    await window.type('copy');
    await window.press('Enter');
    await window.waitForText('A1', 'copy');
    await chooseSheetAction('Rename');
    await window.page.getByLabel('Name of the sheet').fill('Plan');
    await window.press('Enter');
    await findSelectedTab('Plan').waitFor();
    await window.page.locator('.grid-editor:focus').waitFor({ state: 'attached' });
    await window.waitUntilSaved();
    assert.deepEqual(await readSheetNames(), ['Sheet1', 'Plan']);
    assert.equal((await book.cell('Sheet1!A1'))['v'], 'original');
    assert.equal((await book.cell('Plan!A1'))['v'], 'copy');
  });

  it('give the next keys to the cells', async () => {
    await chooseSheetAction('Blue');
    await window.type('typed');
    await window.press('Enter');
    await window.waitForText('A1', 'typed');
    await window.page.getByRole('button', { name: /^Actions for the sheet/ }).click();
    await window.press('Escape');
    await window.page.getByRole('button', { name: /^Actions for the sheet/, expanded: false }).waitFor();
    const focused = await window.page.evaluate('document.activeElement.getAttribute("aria-label")');
    assert.equal(focused, 'Actions for the sheet Sheet1');
  });

  it('include a list of all sheets, and messages do not cover them', async () => {
    for (let count = 2; count <= 30; count++) await book.addSheet(`Sheet with the number ${count}`);
    const { page } = window;
    await page.getByRole('button', { name: 'All sheets', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Sheet with the number 25', exact: true }).click();
    await findSelectedTab('Sheet with the number 25').waitFor();
    await page.locator('.grid-editor:focus').waitFor({ state: 'attached' });
    await window.press('Control+z');
    await page.getByText('You have no changes to undo.', { exact: true }).waitFor();
    await chooseSheetAction('Blue');
  });

  it('are described in the history', async () => {
    const operations = [
      { insertRows: { sheet: 'Sheet1', before: 3, count: 2 } },
      { deleteColumns: { sheet: 'Sheet1', from: 'Z', count: 2 } },
      { moveRows: { sheet: 'Sheet1', from: 2, count: 1, before: 9 } },
    ];
    await book.post('/structure', { operations });
    await book.addSheet('Plan');
    await book.renameSheet('Plan', 'Budget');
    await book.deleteSheet('Budget');
    await window.page.getByRole('button', { name: 'History', exact: true }).click();
    const entries = window.page.locator('.history li');
    await entries.nth(3).waitFor();
    const texts = await entries.allInnerTexts();
    const expected = [
      ['Delete the sheet “Budget”'],
      ['Rename the sheet “Plan” to “Budget”'],
      ['Add the sheet “Plan”'],
      ['Insert rows 3–4 in “Sheet1”', 'Delete columns Z–AA of “Sheet1”', 'Move row 2 of “Sheet1” before 9'],
    ];
    for (const [at, lines] of expected.entries()) {
      for (const line of lines) assert.ok(texts[at]?.split('\n').includes(line), `${texts[at]}: ${line}`);
      assert.doesNotMatch(texts[at] ?? '', /\b0 cells/);
    }
  });
});
