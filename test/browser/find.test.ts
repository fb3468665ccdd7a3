import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { Api } from '../../packages/server/test/http/support.ts';
import { type BrowserWindow, BrowserWorld, describeInBrowser } from './browser.ts';

describeInBrowser('the search', () => {
  let stage: BrowserWorld;
  let window: BrowserWindow;
  let book: Api;

  before(async () => {
    stage = await BrowserWorld.start();
    const anna = await stage.createPerson();
    const token = await stage.world.createToken(String(anna.id));
    book = stage.world.apiFor(token, await stage.world.createDocument(String(anna.id)));
    await book.put('Sheet1!K2', [['needle']]);
    await book.addSheet('Other');
    window = await stage.openSignedIn(anna);
    await window.openDocument(book.document);
    await window.press('Control+f');
    await window.page.getByLabel('Find', { exact: true }).fill('needle');
  });
  after(() => stage?.end());

  const findNext = () => window.page.getByRole('button', { name: 'Find next', exact: true }).click();
  const isAt = (range: string) =>
    window.waitForExpression(`document.querySelector('.range-box').value === ${JSON.stringify(range)}`);

  it('covers neither the cell that it finds nor the panel beside the cells', async () => {
    for (const width of [1280, 375]) {
      await window.page.setViewportSize({ width, height: 800 });
      await window.goToRange('A1');
      await findNext();
      await isAt('K2');
      await window.waitForExpression(`(() => {
        const { left, top, width, height } = document.getElementById('cell-K2').getBoundingClientRect();
        const shown = document.elementFromPoint(left + width / 2, top + height / 2);
        return shown !== null && shown.closest('.grid-place') !== null;
      })()`);
    }
    await window.page.setViewportSize({ width: 1280, height: 800 });
    await window.page.getByRole('button', { name: 'History', exact: true }).click();
    await window.page.locator('.side').getByRole('button', { name: 'Close', exact: true }).click();
    await window.page.locator('.side').waitFor({ state: 'detached' });
  });

  it('says that the service is unreachable', async () => {
    const { page } = window;
    await page.context().setOffline(true);
    await findNext();
    await page.locator('.find-bar').getByText('Check the connection', { exact: false }).waitFor();
    await page.context().setOffline(false);
    await findNext();
    await isAt('K2');
  });

  it('ends if the person opens another sheet, and says nothing about that sheet', async () => {
    const { page } = window;
    await window.goToRange('A1');
    const release = await window.delayRequests('GET', '**/values/**');
    await findNext();
    await page.locator('.find-bar').getByText('Searching …', { exact: true }).waitFor();
    await page.getByRole('tab', { name: 'Other', exact: true }).click();
    await release();
    await page.locator('.find-bar').getByText('Searching …', { exact: true }).waitFor({ state: 'detached' });
    assert.equal(await page.locator('.find-bar [role="status"]').innerText(), '');
    await isAt('A1');
  });
});
