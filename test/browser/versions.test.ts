import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { Person } from '../../packages/server/test/http/browser.ts';
import type { Api } from '../../packages/server/test/http/support.ts';
import { BrowserWorld, describeInBrowser } from './browser.ts';

const COLUMNS = 40;
const ROWS = 450;

describeInBrowser('versions of a document', () => {
  let stage: BrowserWorld;
  let anna: Person;
  let book: Api;

  before(async () => {
    stage = await BrowserWorld.start();
    anna = await stage.createPerson();
    const id = await stage.world.createDocument(String(anna.id), { title: 'Orders' });
    book = stage.world.apiFor(await stage.world.createToken(String(anna.id)), id);
    const createRow = (at: number) => Array.from({ length: COLUMNS }, (_, column) => `r${at}c${column + 1}`);
    await book.put(
      'A1',
      Array.from({ length: ROWS }, (_, i) => createRow(i + 1)),
    );
    await book.requestInDocument('PATCH', '/sheets/Sheet1', { body: { name: 'Renamed' } });
    await book.put('Renamed!A1', [['later']]);
  });
  after(() => stage?.end());

  for (const [screen, viewport] of [
    ['a wide screen', { width: 1280, height: 800 }],
    ['a phone', { width: 360, height: 740 }],
  ] as const) {
    it(`show all rows and columns with their former names, on ${screen}`, async () => {
      const window = await stage.openSignedIn(anna, { viewport });
      const { page } = window;
      await window.openDocument(book.document);
      await page.getByRole('button', { name: 'History', exact: true }).click();
      await page.getByRole('button', { name: 'See', exact: true }).last().click();
      const table = page.getByRole('table', { name: 'Sheet1 at revision 1', exact: true });
      await table.getByRole('cell', { name: 'r1c1', exact: true }).waitFor();
      await page
        .getByRole('combobox', { name: 'Sheet', exact: true })
        .getByText('Sheet1 (now Renamed)')
        .waitFor({ state: 'attached' });
      const room = page.locator('.past-room');
      await room.focus();
      await window.press('End');
      await table.getByRole('cell', { name: `r${ROWS}c1`, exact: true }).waitFor();
      await room.evaluate((element) => {
        (element as unknown as { scrollLeft: number; scrollWidth: number }).scrollLeft = (
          element as unknown as { scrollWidth: number }
        ).scrollWidth;
      });
      await table.getByRole('cell', { name: `r${ROWS}c${COLUMNS}`, exact: true }).waitFor();
      await table.getByRole('columnheader', { name: 'AN', exact: true }).waitFor();
      await page.getByRole('button', { name: 'Back to the present', exact: true }).click();
      await table.waitFor({ state: 'detached' });
      await window.waitForText('A1', 'later');
      assert.equal(await page.locator('.past').count(), 0);
      await window.close();
    });
  }
});
