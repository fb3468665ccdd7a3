import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { Person } from '../../packages/server/test/http/browser.ts';
import type { Api } from '../../packages/server/test/http/support.ts';
import { type BrowserWindow, BrowserWorld, describeInBrowser, waitUntil } from './browser.ts';

describeInBrowser('an open page when permissions change', () => {
  let stage: BrowserWorld;
  let ben: Person;
  let book: Api;
  let window: BrowserWindow;

  before(async () => {
    stage = await BrowserWorld.start();
    const anna = await stage.createPerson();
    ben = await stage.createPerson();
    const { world } = stage;
    const document = await world.createDocument(String(anna.id));
    book = world.apiFor(await world.createToken(String(anna.id)), document);
    await book.put('A1', [['classified', 'figures']]);
    await book.addSheet('Other');
    await share('edit');
    window = await stage.openSignedIn(ben);
    await window.openDocument(document);
    await window.waitForText('A1', 'classified');
  });
  after(() => stage?.end());

  const share = (role: string) => book.post('/share', { user: ben.id, role });
  const protect = async (hideValues: boolean, lock: boolean) => {
    const isNone = !hideValues && !lock;
    const options = isNone ? {} : { body: { hideValues, lock, allow: [] } };
    const { status } = await book.requestInDocument(isNone ? 'DELETE' : 'PUT', '/sheets/Sheet1/protection', options);
    assert.equal(status, 200);
  };
  /** Waits until the page has none of the values. The text for screen readers goes shortly after the cells. */
  const waitUntilNothingRemains = () =>
    window.waitForExpression(`!/classified|figures/.test(document.documentElement.outerHTML)`);
  const addSheetButton = () => window.page.getByRole('button', { name: 'Add a sheet', exact: true });

  it('hides and shows its tools without a reload', async () => {
    await addSheetButton().waitFor();
    await share('view');
    await addSheetButton().waitFor({ state: 'detached' });
    await window.type('x');
    assert.equal(await window.page.locator('.grid-editor.editing').count(), 0);
    await share('edit');
    await addSheetButton().waitFor();
    await window.goToRange('B2');
    await window.startEditing();
    await window.type('mine');
    await window.press('Enter');
    await window.waitForText('B2', 'mine');
  });

  it('an open menu takes keys although its items become unavailable', async () => {
    const { page } = window;
    const menu = page.getByRole('menu');
    await window.goToRange('A1');
    await window.press('Shift+F10');
    const cut = menu.getByRole('menuitem', { name: /^Cut/ });
    await cut.waitFor();
    await protect(false, true);
    await waitUntil(() => cut.isDisabled());
    await window.press('ArrowDown');
    await window.waitForExpression(`document.activeElement.textContent.startsWith('Copy')`);
    await window.press('Escape');
    await menu.waitFor({ state: 'detached' });
    await window.press('Shift+F10');
    await menu.waitFor();
    await window.press('Escape');
    await menu.waitFor({ state: 'detached' });
    await protect(false, false);
    await addSheetButton().waitFor();
  });

  it('removes values from the page and the clipboard when they become hidden', async () => {
    const { page } = window;
    await window.goToRange('A1:B1');
    await window.press('Control+c');
    await protect(true, false);
    await page.getByRole('heading', { name: 'The values of this sheet are hidden from you', exact: true }).waitFor();
    await waitUntilNothingRemains();
    await page.getByRole('button', { name: 'Undo', exact: true }).and(page.locator(':disabled')).waitFor();
    await protect(false, false);
    await window.waitForText('A1', 'classified');
  });

  it('a cut moves its cells although their values were hidden in between', async () => {
    const { page } = window;
    await window.goToRange('B1');
    await window.press('Control+x');
    await window.goToRange('D5');
    await protect(true, false);
    await waitUntilNothingRemains();
    await protect(false, false);
    await window.waitForText('B1', 'figures');
    await page.locator('.grid-mark.copied').waitFor();
    await window.press('Control+v');
    await window.waitForText('D5', 'figures');
    await window.waitForText('B1', '');
  });

  it('marks a locked sheet in its tab and refuses the first key', async () => {
    const findTab = (name: RegExp) => window.page.getByRole('tab', { name });
    await protect(false, true);
    await findTab(/^Sheet1.*protected$/).waitFor();
    await window.goToRange('B3');
    // The tab and the grid learn of the lock in any order.
    await waitUntil(async () => {
      await window.type('x');
      const isRefused = (await window.page.locator('.grid-editor.editing').count()) === 0;
      await window.press('Escape');
      return isRefused;
    });
    await protect(false, false);
    await findTab(/^Sheet1$/).waitFor();
  });

  it('refuses the rest of a text whose first key it refused', async () => {
    const { page } = window;
    await protect(false, true);
    await page.getByRole('tab', { name: /^Sheet1.*protected$/ }).waitFor();
    await window.goToRange('E7');
    await waitUntil(async () => {
      await window.type('x');
      const isRefused = (await page.locator('.grid-editor.editing').count()) === 0;
      await window.press('Escape');
      return isRefused;
    });
    // One script types the next keys as soon as the sheet is unlocked.
    const typing = page.evaluate(`new Promise((resolve) => {
      const type = () => {
        const editor = document.querySelector('.grid-editor');
        editor.value += 'y';
        editor.dispatchEvent(new InputEvent('input', { inputType: 'insertText', data: 'y', bubbles: true }));
        const isLocked = document.querySelector('[role=tab][aria-selected=true]').outerHTML.includes('protected');
        if (isLocked) setTimeout(type, 20);
        else setTimeout(resolve, 100);
      };
      type();
    })`);
    await protect(false, false);
    await typing;
    assert.equal(await page.locator('.grid-editor.editing').count(), 0);
    await window.goToRange('E8');
    await window.startEditing();
    await window.press('Escape');
  });

  it('refuses the rest of a text that began while the values were hidden', async () => {
    const { page } = window;
    await window.goToRange('E9');
    await protect(true, false);
    await page.getByRole('heading', { name: 'The values of this sheet are hidden from you', exact: true }).waitFor();
    // One script types until the grid is there again.
    const typing = page.evaluate(`new Promise((resolve) => {
      const type = () => {
        const editor = document.querySelector('.grid-editor');
        (editor ?? document.body).dispatchEvent(new KeyboardEvent('keydown', { key: 'y', bubbles: true }));
        if (editor === null) return setTimeout(type, 20);
        editor.value += 'y';
        editor.dispatchEvent(new InputEvent('input', { inputType: 'insertText', data: 'y', bubbles: true }));
        resolve();
      };
      type();
    })`);
    await protect(false, false);
    await typing;
    await page.getByText(/the beginning of the text was refused/).waitFor();
    assert.equal(await page.locator('.grid-editor.editing').count(), 0);
  });

  it('closes when access ends and opens again when it is restored', async () => {
    const { page } = window;
    await window.press('Shift+F10');
    await page.getByRole('menu').waitFor();
    await share('none');
    await page.getByRole('heading', { name: 'This document is no longer available', exact: true }).waitFor();
    await page.getByRole('menu').waitFor({ state: 'detached' });
    await waitUntilNothingRemains();
    assert.equal(await page.getByText('Connection lost').count(), 0);
    await share('view');
    await window.waitForText('A1', 'classified');
    await addSheetButton().waitFor({ state: 'detached' });
  });
});
