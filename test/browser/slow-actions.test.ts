import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { Person } from '../../packages/server/test/http/browser.ts';
import type { Api } from '../../packages/server/test/http/support.ts';
import { type BrowserWindow, BrowserWorld, describeInBrowser, readCellValues, waitUntil } from './browser.ts';

/** Distinct texts of ten rows and four columns. */
const TEXTS = Array.from({ length: 10 }, (_, row) => ['a', 'b', 'c', 'd'].map((column) => `${column}${row + 1}`));
/** More rows than the page loads around the last row, so that the page requests the edge of the data. */
const LONG = 3_000;

describeInBrowser('actions that take time while another person moves cells', () => {
  let stage: BrowserWorld;
  let anna: Person;
  let token: string;
  let window: BrowserWindow;

  before(async () => {
    stage = await BrowserWorld.start();
    ({ person: anna, token, window } = await stage.signInNewPerson());
  });
  after(() => stage?.end());

  async function createDocument(values: Parameters<Api['put']>[1]): Promise<Api> {
    const book = stage.world.apiFor(token, await stage.world.createDocument(String(anna.id)));
    if (values.length > 0) await book.put('A1', values);
    await window.openDocument(book.document);
    return book;
  }

  const insertRows = (book: Api, count: number) =>
    book.post('/structure', { operations: [{ insertRows: { sheet: 'Sheet1', before: 1, count } }] });

  async function movePointerTo(address: string): Promise<void> {
    const box = await window.findCell(address).boundingBox();
    assert.ok(box !== null);
    await window.page.mouse.move(box.x + 8, box.y + box.height / 2, { steps: 3 });
  }

  async function pressHandle(): Promise<void> {
    await window.page.locator('.grid-handle').hover();
    await window.page.mouse.down();
  }

  it('a dragged fill handle fills the marked cells', async () => {
    const book = await createDocument(TEXTS);
    await window.goToRange('B4');
    await pressHandle();
    await movePointerTo('B6');
    await insertRows(book, 2);
    await window.waitForText('B6', 'b4');
    await window.page.mouse.up();
    await window.waitForText('B8', 'b6');
    assert.deepEqual(await readCellValues(book, 'B1:B10'), [
      null,
      null,
      'b1',
      'b2',
      'b3',
      'b4',
      'b5',
      'b6',
      'b7',
      'b8',
    ]);
    assert.equal(await window.page.getByLabel('Selected range').inputValue(), 'B6:B8');
  });

  it('a dragged fill handle fills nothing if its cells are separated', async () => {
    const book = await createDocument(TEXTS);
    await window.goToRange('B4');
    await pressHandle();
    await movePointerTo('B6');
    const by = [{ column: 'A', order: 'descending' }];
    await book.post('/structure', { operations: [{ sort: { range: 'A1:D9', by } }] });
    await window.waitForText('B6', 'b4');
    const revision = await book.revision();
    await window.page.mouse.up();
    await window.type('typed');
    await window.press('Enter');
    await window.waitForText('B6', 'typed');
    assert.equal(Number(await book.revision()), Number(revision) + 1);
  });

  it('a range that is being dragged for a formula keeps its first cell', async () => {
    const book = await createDocument(TEXTS);
    await window.goToRange('F1');
    await window.type('=CONCAT(');
    await movePointerTo('B4');
    await window.page.mouse.down();
    await insertRows(book, 2);
    await window.waitForText('B6', 'b4');
    await movePointerTo('B7');
    await window.page.mouse.up();
    assert.equal(await window.page.locator('.grid-editor').inputValue(), '=CONCAT(B6:B7');
    await window.press('Escape');
  });

  it('a dragged edge of a column resizes that column', async () => {
    const { page } = window;
    const book = await createDocument(TEXTS);
    const cell = await window.findCell('B1').boundingBox();
    const heading = await page.getByRole('columnheader').first().boundingBox();
    assert.ok(cell !== null && heading !== null);
    const [x, y] = [cell.x + cell.width - 1, heading.y + heading.height / 2];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 30, y, { steps: 3 });
    await book.post('/structure', { operations: [{ insertColumns: { sheet: 'Sheet1', before: 'A', count: 1 } }] });
    await window.waitForText('C1', 'b1');
    await page.mouse.move(x + 80, y, { steps: 3 });
    await page.mouse.up();
    await window.waitForExpression(
      `Math.round(document.querySelector('#cell-C1').getBoundingClientRect().width) === 180`,
    );
    await window.waitForExpression(
      `Math.round(document.querySelector('#cell-B1').getBoundingClientRect().width) === 100`,
    );
  });

  it('Alt+= writes nothing, and says so, if the person leaves the sheet before the answer', async () => {
    const { page } = window;
    const book = await createDocument(Array.from({ length: LONG }, (_, i) => [i]));
    await book.addSheet('Other');
    await window.goToRange(`A${LONG + 1}`);
    const release = await window.delayRequests('GET', '**/edge?*');
    await window.press('Alt+=');
    await page.getByRole('tab', { name: 'Other', exact: true }).click();
    await release();
    await page.getByText('Nothing was changed: cells moved, or you left the sheet').waitFor();
    assert.deepEqual(await readCellValues(book, `Other!A${LONG + 1}`), [null]);
    assert.deepEqual(await readCellValues(book, `Sheet1!A${LONG + 1}`), [null]);
  });

  it('a double click on the fill handle fills its own cells, even if the selection moves meanwhile', async () => {
    const book = await createDocument(
      Array.from({ length: LONG }, (_, i) => [i, i === 0 ? 'seed' : null, null, `d${i}`]),
    );
    await window.goToRange('B1');
    const release = await window.delayRequests('GET', '**/edge?*');
    await window.page.locator('.grid-handle').dblclick();
    await insertRows(book, 2);
    await window.waitForText('B3', 'seed');
    await window.goToRange('D5');
    await release();
    await waitUntil(async () => (await readCellValues(book, `B${LONG + 2}`))[0] === 'seed');
    assert.deepEqual(await readCellValues(book, 'B1:B5'), [null, null, 'seed', 'seed', 'seed']);
    assert.deepEqual(await readCellValues(book, `B${LONG + 2}:B${LONG + 4}`), ['seed', null, null]);
    assert.deepEqual(await readCellValues(book, 'D1:D6'), [null, null, 'd0', 'd1', 'd2', 'd3']);
  });

  it('rows with the same value are shown by the column and value that the person saw', async () => {
    const book = await createDocument([
      ['City', 'Count'],
      ['Riga', 1],
      ['Oslo', 2],
      ['Riga', 3],
    ]);
    await window.goToRange('A2');
    await window.press('Shift+F10');
    const release = await window.delayRequests('GET', '**/block?*');
    await window.page.getByRole('menuitem', { name: 'Show only rows with this value', exact: true }).click();
    await book.post('/structure', { operations: [{ insertColumns: { sheet: 'Sheet1', before: 'A', count: 1 } }] });
    await window.waitForText('B2', 'Riga');
    await release();
    await window.findCell('B3').waitFor({ state: 'detached' });
    await window.waitForText('B4', 'Riga');
  });

  it('all parts of a large paste go to the rows that were selected', async () => {
    const { page } = window;
    const book = await createDocument([]);
    await page.evaluate(`navigator.clipboard.writeText(Array.from({ length: 90_000 }, (_, i) => i + 1).join('\\n'))`);
    await window.goToRange('B5');
    const release = await window.delayRequests('PUT', '**/values/**');
    await window.press('Control+v');
    await page.getByText('Pasting:', { exact: false }).waitFor();
    await book.put('A5', [['first']]);
    await insertRows(book, 3);
    await window.waitForText('A8', 'first');
    await release();
    await page.getByText('Pasting:', { exact: false }).waitFor({ state: 'detached' });
    assert.deepEqual(await readCellValues(book, 'B4:B9'), [null, null, null, null, 1, 2]);
    for (const row of [40_007, 40_008, 80_007, 80_008, 90_007]) {
      assert.deepEqual(await readCellValues(book, `B${row}:B${row + 1}`), [row - 7, row === 90_007 ? null : row - 6]);
    }
    await window.press('Control+z');
    await window.waitForText('B8', '');
    assert.deepEqual(await readCellValues(book, 'B40007:B40008'), [null, null]);
  });

  it('a large paste into the visible rows of a filter stays on its sheet if the person opens another sheet', async () => {
    const { page } = window;
    const count = 12_000;
    const book = await createDocument([
      ['Kind'],
      ...Array.from({ length: count }, (_, i) => [i % 2 === 0 ? 'shown' : 'hidden']),
    ]);
    await book.addSheet('Other');
    const columns = { A: { values: ['shown'] } };
    await book.post('/structure', { operations: [{ setFilter: { range: `A1:A${count + 1}`, columns } }] });
    await window.findCell('A3').waitFor({ state: 'detached' });
    await page.evaluate(`navigator.clipboard.writeText(Array.from({ length: 6_000 }, (_, i) => i + 1).join('\\n'))`);
    await window.goToRange('C2');
    const release = await window.delayRequests('POST', '**/cells');
    await window.press('Control+v');
    await page.getByText('Pasting:', { exact: false }).waitFor();
    await page.getByRole('tab', { name: 'Other', exact: true }).click();
    await release();
    await page.getByText('Pasting:', { exact: false }).waitFor({ state: 'detached' });
    assert.deepEqual(await readCellValues(book, 'Sheet1!C1:C4'), [null, 1, null, 2]);
    assert.deepEqual(await readCellValues(book, 'Sheet1!C11998:C12001'), [5999, null, 6000, null]);
    assert.deepEqual(await readCellValues(book, 'Other!C11998:C12001'), [null, null, null, null]);
  });

  it('a large copy has each of its cells once', async () => {
    const { page } = window;
    const count = 50_000;
    const book = await createDocument(Array.from({ length: count }, (_, i) => [i + 1]));
    await window.goToRange(`A1:A${count}`);
    const release = await window.delayRequests('GET', '**/batchGet?*');
    await window.press('Control+c');
    await page.getByText('Copying:', { exact: false }).waitFor();
    await book.post('/structure', { operations: [{ insertRows: { sheet: 'Sheet1', before: 10, count: 2 } }] });
    await window.waitForText('A12', '10');
    await release();
    await page.getByText('cells are copied.', { exact: false }).waitFor();
    const lines = String(await page.evaluate('navigator.clipboard.readText()')).split('\n');
    assert.deepEqual(
      lines,
      Array.from({ length: count }, (_, i) => String(i + 1)),
    );
  });

  it('dialogs of a sheet rename and delete that sheet under its new name', async () => {
    const { page } = window;
    const book = await createDocument(TEXTS);
    const readNames = async () =>
      ((await book.sheets()).body['sheets'] as unknown as readonly { name: string }[]).map(({ name }) => name);
    for (const name of ['X', 'Y']) await book.addSheet(name);
    await page.getByRole('tab', { name: 'X', exact: true }).dblclick();
    const rename = page.getByRole('dialog', { name: 'Rename', exact: true });
    await rename.waitFor();
    await book.renameSheet('X', 'Other');
    await page.getByRole('tab', { name: 'Other', exact: true }).waitFor();
    await rename.getByLabel('Name of the sheet', { exact: true }).fill('X');
    await rename.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('tab', { name: 'X', exact: true }).waitFor();
    await page.getByRole('tab', { name: 'X', exact: true }).click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Delete', exact: true }).click();
    const question = page.getByRole('dialog').filter({ hasText: 'X' });
    await question.waitFor();
    await book.renameSheet('X', 'Z');
    await book.renameSheet('Y', 'X');
    await page.getByRole('dialog').filter({ hasText: 'Z' }).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await waitUntil(async () => (await readNames()).join() === 'Sheet1,X');
  });
});
