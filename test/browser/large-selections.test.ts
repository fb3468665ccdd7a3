import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { Person } from '../../packages/server/test/http/browser.ts';
import type { Api } from '../../packages/server/test/http/support.ts';
import { type BrowserWindow, BrowserWorld, describeInBrowser, readCellValues, waitUntil } from './browser.ts';

/** More cells than one request contains or the grid's cache holds. */
const PASTED_CELLS = 210_000;

describeInBrowser('large selections in a browser', () => {
  let stage: BrowserWorld;
  let anna: Person;
  let token: string;
  let window: BrowserWindow;

  before(async () => {
    stage = await BrowserWorld.start();
    ({ person: anna, token, window } = await stage.signInNewPerson());
  });
  after(() => stage?.end());

  const createBook = async (): Promise<Api> =>
    stage.world.apiFor(token, await stage.world.createDocument(String(anna.id)));
  it('pastes in parts with progress, and undoes all parts at once', async () => {
    const { page } = window;
    const book = await createBook();
    await window.openDocument(book.document);
    await page.evaluate(
      `navigator.clipboard.writeText(Array.from({ length: ${PASTED_CELLS} }, (_, i) => i + 1).join('\\n'))`,
    );
    await window.goToRange('A1');
    await window.press('Control+v');
    await page.getByText(`of ${PASTED_CELLS.toLocaleString('en')} cells`, { exact: false }).waitFor();
    await page
      .locator('.statistic')
      .filter({ hasText: `Numbers: ${PASTED_CELLS.toLocaleString('en')}` })
      .waitFor();
    assert.deepEqual(await readCellValues(book, `A${PASTED_CELLS}:A${PASTED_CELLS + 1}`), [PASTED_CELLS, null]);
    await window.press('Control+z');
    await window.waitForText('A1', '');
    await page.locator('.live').filter({ hasText: 'Live' }).waitFor();
    assert.deepEqual(
      await readCellValues(book, `A1:A${PASTED_CELLS}`),
      Array.from({ length: 1_000 }, () => null),
    );
  });

  it('writes nothing after a paste that is cancelled while an earlier message is shown', async () => {
    const { page } = window;
    const book = await createBook();
    await window.openDocument(book.document);
    await window.press('Alt+=');
    await page.getByText('There are no numbers above', { exact: false }).waitFor();
    await window.goToRange('B2');
    const release = await window.delayRequests('PUT', '**/values/**');
    await window.press('Control+v');
    await page.getByText('Pasting:', { exact: false }).waitFor();
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await release();
    await page.getByText('Pasting:', { exact: false }).waitFor({ state: 'detached' });
    const extent = await book.requestInDocument('GET', '/values/Sheet1');
    assert.ok(!JSON.stringify(extent.body).includes('"v"'), JSON.stringify(extent.body).slice(0, 200));
  });

  it('pastes a long text at the cell of the paste, although the user then selects another cell', async () => {
    const book = await createBook();
    await window.openDocument(book.document);
    await window.goToRange('B2');
    const text = `first\n${'long '.repeat(5_000)}\n`.repeat(20);
    // One script: the page reads the text after the selection has changed.
    await window.page.evaluate(`(() => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', ${JSON.stringify(text)});
      const editor = document.querySelector('.grid-editor');
      editor.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
      editor.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true, cancelable: true }));
    })()`);
    await window.waitForText('B2', 'first');
    assert.equal(await window.page.getByLabel('Selected range').inputValue(), 'C2');
    await window.waitForText('C2', '');
    await window.waitForText('B4', 'first');
  });

  it('copies to another document with types and formulas', async () => {
    const { page } = window;
    const from = await createBook();
    const rows = 15_000;
    await from.put('A1', [
      ['1/2/2026', '=A2*2', 'a  b\u00a0c'],
      [1_234_567_890_123, 'TRUE', '<i>&'],
      ...Array.from({ length: rows - 3 }, (_, i) => [i, `text ${i}`, i / 3]),
      ['last', '=SUM(A2:A3)', 0.1],
    ]);
    await from.put('D1', [[{ value: '500', as: 'text' }]]);
    await window.openDocument(from.document);
    await window.goToRange(`A1:D${rows}`);
    await window.press('Control+c');
    await page.getByText('cells are copied.', { exact: false }).waitFor();
    const to = await createBook();
    await window.openDocument(to.document);
    await window.goToRange('A1');
    await window.press('Control+v');
    await waitUntil(async () => (await readCellValues(to, `A${rows}`))[0] === 'last');
    await page.getByText('Pasting:', { exact: false }).waitFor({ state: 'detached' });
    for (const range of ['A1:D3', 'A14998:D15001']) {
      assert.deepEqual(await to.cells(range), await from.cells(range), range);
    }
  });

  it('shows statistics of dates, times and distinct values from the service', async () => {
    const book = await createBook();
    await book.put('A1', [
      ['Day', 'Time', 'Name'],
      ['2026-01-31', '20:00', 'Nut'],
      ['2026-03-01', '10:30', 'nut'],
      ['2026-02-01', '08:00', 'Bolt'],
    ]);
    await window.openDocument(book.document);
    const readStatistics = async (range: string, last: string) => {
      await window.goToRange(range);
      await window.page.locator('.statistic').filter({ hasText: last }).waitFor();
      return window.page.locator('.statistic').allInnerTexts();
    };
    const days = await readStatistics('A1:A4', 'Distinct: 4');
    assert.ok(
      days.some((text) => /^Min: .*2026/.test(text)) && !days.some((text) => text.startsWith('Sum')),
      String(days),
    );
    const times = await readStatistics('B2:B4', 'Sum: 38:30:00');
    assert.ok(times.includes('Average: 12:50:00'), String(times));
    await readStatistics('C1:C4', 'Distinct: 3');
  });
});
