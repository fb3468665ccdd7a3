import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { Person } from '../../packages/server/test/http/browser.ts';
import type { Api } from '../../packages/server/test/http/support.ts';
import { type BrowserWindow, BrowserWorld, describeInBrowser } from './browser.ts';

describeInBrowser('typing formulas in the console', () => {
  let stage: BrowserWorld;
  let anna: Person;
  let window: BrowserWindow;

  before(async () => {
    stage = await BrowserWorld.start();
    anna = await stage.createPerson();
    window = await stage.openSignedIn(anna);
  });
  after(async () => {
    await window?.close();
    await stage?.end();
  });

  async function openBook(locale: string, values: readonly (readonly unknown[])[]): Promise<Api> {
    const id = await stage.world.createDocument(String(anna.id), { title: locale, locale });
    const api = stage.world.apiFor(await stage.world.createToken(String(anna.id)), id);
    await api.put('A1', values);
    await window.openDocument(id);
    return api;
  }

  async function readFormula(api: Api, address: string): Promise<unknown> {
    return (await api.cell(address))['f'];
  }

  it('inserts references with arrow keys, ranges with Shift, and data edges with Ctrl', async () => {
    const api = await openBook('en-US', [
      [1, 10],
      [2, 20],
      [3, 30],
    ]);
    await window.goToRange('A5');
    await window.type('=');
    await window.press('ArrowUp', 'ArrowUp');
    await window.type('*');
    await window.press('ArrowRight', 'ArrowUp', 'ArrowUp', 'Enter');
    await window.waitForText('A5', '90');
    assert.equal(await readFormula(api, 'A5'), '=A3*B3');

    await window.goToRange('D1');
    await window.type('=SUM(');
    await window.press('ArrowLeft', 'ArrowLeft', 'ArrowLeft', 'Control+Shift+ArrowDown', 'Shift+ArrowRight', 'Enter');
    await window.waitForText('D1', '66');
    assert.equal(await readFormula(api, 'D1'), '=SUM(A1:B3)');

    // The range turns over at its first cell when it moves up and back.
    await window.goToRange('D2');
    await window.type('=SUM(');
    await window.press('ArrowLeft', 'ArrowLeft', 'Shift+ArrowUp', 'Shift+ArrowDown', 'Shift+ArrowDown', 'Enter');
    await window.waitForText('D2', '50');
    assert.equal(await readFormula(api, 'D2'), '=SUM(B2:B3)');
    assert.equal(await window.page.getByLabel('Selected range').inputValue(), 'D3');
  });

  it('inserts references to another sheet and returns', async () => {
    const api = await openBook('en-US', [[1]]);
    await api.post('/sheets', { name: 'Prices' });
    await api.put('Prices!B2', [[7]]);
    await window.page.getByRole('tab', { name: 'Prices', exact: true }).waitFor();
    await window.goToRange('C1');
    await window.type('=A1+');
    await window.press('Control+PageDown', 'ArrowDown', 'ArrowRight');
    assert.equal(await window.page.getByLabel('Formula or value').inputValue(), '=A1+Prices!B2');
    await window.type('+1');
    await window.press('Enter');
    await window.waitForText('C1', '9');
    assert.equal(await readFormula(api, 'C1'), '=A1+Prices!B2+1');
  });

  it('accepts ; between arguments and closes brackets', async () => {
    const api = await openBook('en-US', [[1], [2]]);
    await window.goToRange('B1');
    await window.type('=ROUND(SUM(A1;A2;0.25);1');
    await window.press('Enter');
    await window.waitForText('B1', '3.3');
    assert.equal(await readFormula(api, 'B1'), '=ROUND(SUM(A1;A2;0,25);1)');
  });

  it('accepts local function names and stores the English ones', async () => {
    for (const [locale, typed, stored] of [
      ['ru-RU', '=СУММ(A1:A2', '=SUM(A1:A2)'],
      ['de-DE', '=wenn(WAHR;SUMME(A1;A2);0)', '=IF(TRUE;SUM(A1;A2);0)'],
      ['fr-FR', '=SI(VRAI;SOMME(A1:A2);0)', '=IF(TRUE;SUM(A1:A2);0)'],
      ['es-ES', '=SI(VERDADERO;SUMA(A1:A2);0)', '=IF(TRUE;SUM(A1:A2);0)'],
    ] as const) {
      const api = await openBook(locale, [[1], [2]]);
      await window.goToRange('B1');
      await window.type(typed);
      await window.press('Enter');
      await window.waitForText('B1', '3');
      assert.equal(await readFormula(api, 'B1'), stored, typed);
    }
  });

  it('announces the list of functions and handles arrows, Tab and Escape', async () => {
    const api = await openBook('en-US', [[1], [2]]);
    const { page } = window;
    await window.goToRange('B1');
    await window.type('=SU');
    const field = page.getByRole('combobox', { name: /B1/ });
    const readSelectedOption = async () => {
      const id = await field.getAttribute('aria-activedescendant');
      return page.locator(`#${id} b`).textContent();
    };
    await page.getByRole('listbox').waitFor();
    assert.equal(await field.getAttribute('aria-expanded'), 'true');
    assert.equal(await field.getAttribute('aria-controls'), await page.getByRole('listbox').getAttribute('id'));
    assert.equal(await readSelectedOption(), 'SUM');
    await window.press('ArrowDown');
    assert.equal(await readSelectedOption(), await page.getByRole('option').nth(1).locator('b').textContent());
    await window.press('ArrowUp', 'Tab');
    assert.equal(await page.locator('.grid-editor').inputValue(), '=SUM(');
    await window.type('A1:A2)+SU');
    await page.getByRole('listbox').waitFor();
    await window.press('Escape');
    await page.getByRole('listbox').waitFor({ state: 'detached' });
    assert.equal(await page.locator('.grid-editor').inputValue(), '=SUM(A1:A2)+SU');
    await window.press('Backspace', 'Backspace', 'Backspace', 'Enter');
    await window.waitForText('B1', '3');
    assert.equal(await readFormula(api, 'B1'), '=SUM(A1:A2)');
  });

  it('writes sums with Alt+=', async () => {
    const api = await openBook('en-US', [
      ['Amount', 'Price'],
      [1, 4],
      [2, 5],
    ]);
    await window.goToRange('A4');
    await window.press('Alt+=');
    await window.waitForText('A4', '3');
    assert.equal(await readFormula(api, 'A4'), '=SUM(A2:A3)');
    await window.goToRange('C2');
    await window.press('Alt+=');
    await window.waitForText('C2', '5');
    assert.equal(await readFormula(api, 'C2'), '=SUM(A2:B2)');
    await window.goToRange('A2:B3');
    await window.press('Alt+=');
    await window.waitForText('B4', '9');
    await window.goToRange('F9');
    await window.press('Alt+=');
    await window.page.getByText('There are no numbers above or to the left').waitFor();
  });

  it('completes a draft with the only matching value of the column', async () => {
    const api = await openBook('en-US', [['Riga'], ['Rome'], ['Vilnius']]);
    await window.goToRange('A4');
    await window.type('v');
    assert.equal(await window.page.locator('.grid-editor').inputValue(), 'vilnius');
    await window.press('Enter');
    await window.waitForText('A4', 'Vilnius');
    await window.goToRange('A5');
    await window.type('R');
    assert.equal(await window.page.locator('.grid-editor').inputValue(), 'R');
    await window.type('ig');
    assert.equal(await window.page.locator('.grid-editor').inputValue(), 'Riga');
    await window.press('Backspace', 'Enter');
    await window.waitForText('A5', 'Rig');
    assert.equal((await api.cell('A5'))['v'], 'Rig');
  });

  it('uses values that are still being saved for completions, sums and pointing', async () => {
    const api = await openBook('en-US', []);
    const release = await window.delayRequests('PUT', '**/values/**');
    for (const text of ['Riga', 'Oslo', '1', '2', '3']) {
      await window.type(text);
      await window.press('Enter');
    }
    await window.press('Alt+=');
    await window.goToRange('B1');
    await window.type('=SUM(');
    await window.press('ArrowLeft', 'ArrowDown', 'ArrowDown', 'Control+Shift+ArrowDown');
    assert.equal(await window.page.locator('.grid-editor').inputValue(), '=SUM(A3:A6');
    await window.press('Escape');
    await window.goToRange('A7');
    await window.type('o');
    assert.equal(await window.page.locator('.grid-editor').inputValue(), 'oslo');
    await window.press('Enter');
    await release();
    await window.waitForText('A6', '6');
    await window.waitForText('A7', 'Oslo');
    assert.equal(await readFormula(api, 'A6'), '=SUM(A3:A5)');
  });

  it('inserts no reference into a quoted text', async () => {
    await openBook('en-US', [[1], [2]]);
    await window.goToRange('A3');
    await window.type('="total: ');
    await window.press('ArrowUp');
    assert.equal(await window.page.locator('.grid-editor').inputValue(), '="total: ');
    await window.press('End');
    await window.type('"&');
    await window.press('ArrowUp');
    assert.equal(await window.page.locator('.grid-editor').inputValue(), '="total: "&A2');
    await window.press('Escape');
  });

  it('accepts local function names in pasted text', async () => {
    const api = await openBook('ru-RU', [[1], [2]]);
    const { page } = window;
    await page.evaluate(`navigator.clipboard.writeText('=СУММ(A1:A2)\\t=ЕСЛИ(A1=1;ИСТИНА;3)')`);
    await window.goToRange('B1');
    await window.press('Control+v');
    await window.waitForText('B1', '3');
    assert.deepEqual([await readFormula(api, 'B1'), await readFormula(api, 'C1')], ['=SUM(A1:A2)', '=IF(A1=1;TRUE;3)']);
  });

  it('accepts a formula while the service is unreachable', async () => {
    const api = await openBook('ru-RU', [[1], [2]]);
    const { page } = window;
    await page.context().setOffline(true);
    await window.goToRange('B1');
    await window.type('=СУММ(A1:A2)');
    await window.press('Enter');
    await window.goToRange('B1');
    await page.locator('#cell-B1').filter({ hasText: '=СУММ(A1:A2)' }).waitFor();
    await page.context().setOffline(false);
    await window.waitForText('B1', '3');
    assert.equal(await readFormula(api, 'B1'), '=SUM(A1:A2)');
  });
});
