import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { Person } from '../../packages/server/test/http/browser.ts';
import type { Api } from '../../packages/server/test/http/support.ts';
import { type BrowserWindow, BrowserWorld, describeInBrowser, readCellValues, waitUntil } from './browser.ts';

const CITIES = [
  ['City', 'Count'],
  ['Riga', 1],
  ['Oslo', 10],
  ['Riga', 2],
  ['Oslo', 20],
];

describeInBrowser('a filter and a sort in a browser', () => {
  let stage: BrowserWorld;
  let anna: Person;
  let ben: Person;
  let token: string;
  let annasWindow: BrowserWindow;
  let bensWindow: BrowserWindow;

  before(async () => {
    stage = await BrowserWorld.start();
    [anna, ben] = [await stage.createPerson(), await stage.createPerson()];
    token = await stage.world.createToken(String(anna.id));
    annasWindow = await stage.openSignedIn(anna);
    bensWindow = await stage.openSignedIn(ben);
  });
  after(() => stage?.end());

  async function createDocument(values: Parameters<Api['put']>[1], role = 'edit'): Promise<Api> {
    const book = stage.world.apiFor(token, await stage.world.createDocument(String(anna.id)));
    await book.put('A1', values);
    await stage.world.share(book.document, String(ben.id), role);
    await Promise.all([annasWindow.openDocument(book.document), bensWindow.openDocument(book.document)]);
    return book;
  }

  async function filterByCell(window: BrowserWindow, cell: string): Promise<void> {
    await window.goToRange(cell);
    await window.press('Shift+F10');
    await window.page.getByRole('menuitem', { name: 'Show only rows with this value', exact: true }).click();
  }

  const waitUntilHidden = (window: BrowserWindow, cell: string) => window.findCell(cell).waitFor({ state: 'detached' });

  it('is shared, follows changed rows, and survives a reload', async () => {
    const book = await createDocument(CITIES);
    await filterByCell(annasWindow, 'A2');
    await Promise.all([waitUntilHidden(annasWindow, 'A3'), waitUntilHidden(bensWindow, 'A3')]);
    await book.append('A:B', [
      ['Riga', 3],
      ['Oslo', 30],
    ]);
    await Promise.all([
      annasWindow.waitForText('A6', 'Riga'),
      waitUntilHidden(annasWindow, 'A7'),
      bensWindow.waitForText('A6', 'Riga'),
    ]);
    await bensWindow.goToRange('A4');
    await bensWindow.type('Oslo');
    await bensWindow.press('Enter');
    await Promise.all([waitUntilHidden(annasWindow, 'A4'), waitUntilHidden(bensWindow, 'A4')]);
    await book.post('/structure', { operations: [{ insertRows: { sheet: 'Sheet1', before: 1, count: 1 } }] });
    await Promise.all([
      annasWindow.waitForText('A3', 'Riga'),
      annasWindow.waitForText('A7', 'Riga'),
      waitUntilHidden(annasWindow, 'A6'),
    ]);
    await annasWindow.page.reload();
    await annasWindow.waitForText('A7', 'Riga');
    await waitUntilHidden(annasWindow, 'A6');
    await annasWindow.page.getByRole('button', { name: 'Rows with a match: 2 · Show all rows', exact: true }).click();
    await Promise.all([annasWindow.waitForText('A4', 'Oslo'), bensWindow.waitForText('A4', 'Oslo')]);
  });

  it('has a button in each header cell, and combines several columns', async () => {
    const { page } = annasWindow;
    await createDocument(CITIES);
    await filterByCell(annasWindow, 'A2');
    await waitUntilHidden(annasWindow, 'A3');
    await page.getByRole('button', { name: 'Filter “City”: in use', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Filter “Count”', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Rows to show by “Count”', exact: true });
    await dialog.getByText('2 values', { exact: true }).waitFor();
    await dialog.getByLabel(/^1 /).uncheck();
    await dialog.getByRole('button', { name: 'Show these rows', exact: true }).click();
    await Promise.all([
      waitUntilHidden(annasWindow, 'A2'),
      waitUntilHidden(bensWindow, 'A2'),
      annasWindow.waitForText('B4', '2'),
    ]);
    await annasWindow.press('Control+z');
    await annasWindow.waitForText('B2', '1');
    await waitUntilHidden(annasWindow, 'A3');
  });

  it('is personal for a viewer', async () => {
    const book = await createDocument(CITIES, 'view');
    const before = await book.revision();
    await filterByCell(bensWindow, 'A3');
    await Promise.all([waitUntilHidden(bensWindow, 'A2'), annasWindow.waitForText('A2', 'Riga')]);
    await filterByCell(annasWindow, 'A2');
    await waitUntilHidden(annasWindow, 'A3');
    await bensWindow.page.reload();
    await bensWindow.waitForText('A3', 'Oslo');
    await waitUntilHidden(bensWindow, 'A2');
    await bensWindow.page.getByRole('button', { name: 'Your own filter · Use the shared one', exact: true }).click();
    await Promise.all([waitUntilHidden(bensWindow, 'A3'), bensWindow.waitForText('A2', 'Riga')]);
    assert.equal(Number(await book.revision()), Number(before) + 1);
  });

  it('keeps a selection on a row that another person hides, and refuses the next keys', async () => {
    const book = await createDocument(CITIES);
    await annasWindow.goToRange('B3');
    await filterByCell(bensWindow, 'A2');
    await Promise.all([waitUntilHidden(annasWindow, 'A3'), waitUntilHidden(bensWindow, 'A3')]);
    const revision = await book.revision();
    await annasWindow.press('Delete');
    await annasWindow.page.getByText('The filter hides this row.', { exact: false }).first().waitFor();
    await annasWindow.type('x');
    await annasWindow.press('Enter', 'Delete');
    await annasWindow.waitForText('B4', '');
    assert.equal(Number(await book.revision()), Number(revision) + 1);
    assert.deepEqual(await readCellValues(book, 'B2:B5'), [1, 10, null, 20]);
  });

  it('keeps the row of an open draft', async () => {
    const book = await createDocument(CITIES);
    await filterByCell(annasWindow, 'A2');
    await waitUntilHidden(annasWindow, 'A3');
    await annasWindow.goToRange('B2');
    await annasWindow.type('7');
    await book.put('A2', [['Oslo']]);
    await waitUntilHidden(bensWindow, 'A2');
    await annasWindow.press('Enter');
    await waitUntilHidden(annasWindow, 'A2');
    await waitUntil(async () => String((await book.cell('B2'))['v']) === '7');
  });

  it('sorts the block around a cell without its header and total, and shows the rows before', async () => {
    const { page } = annasWindow;
    const book = await createDocument([
      ['Report', null],
      [null, null],
      ['City', 'Count'],
      ['Riga', 3],
      ['Oslo', 1],
      ['Rome', 2],
      ['Total', '=SUM(B4:B6)'],
      [null, null],
      ['Note', 5],
    ]);
    await annasWindow.goToRange('B5');
    await annasWindow.press('Shift+F10');
    await page.getByText('Sorts A4:B6; the header and the total stay', { exact: true }).waitFor();
    await page.getByRole('menuitem', { name: 'Sort A → Z', exact: true }).click();
    await annasWindow.waitForText('A4', 'Oslo');
    const readColumn = async () =>
      ((await book.cells('A1:A9')) as unknown as ({ v: unknown } | null)[][]).map(([cell]) => cell?.v ?? null);
    assert.deepEqual(await readColumn(), ['Report', null, 'City', 'Oslo', 'Rome', 'Riga', 'Total', null, 'Note']);
  });

  it('sorts by several columns, with the chosen header and total', async () => {
    const { page } = annasWindow;
    await createDocument([
      ['b', 1],
      ['a', 2],
      ['b', 3],
      ['a', 1],
    ]);
    await annasWindow.goToRange('A2');
    await annasWindow.press('Shift+F10');
    await page.getByRole('menuitem', { name: 'Sort rows by several columns…', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Sort rows', exact: true });
    await dialog.getByLabel('The first row is a header').uncheck();
    await dialog.getByText('Sorts A1:B4', { exact: true }).waitFor();
    await dialog.getByRole('button', { name: 'Add a column', exact: true }).click();
    await dialog.getByLabel('Order', { exact: true }).nth(1).selectOption('descending');
    await dialog.getByRole('button', { name: 'Sort', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await annasWindow.waitForText('B1', '2');
    await annasWindow.waitForText('B3', '3');
  });

  it('sorts visible rows, and hidden rows stay', async () => {
    const book = await createDocument(CITIES);
    const readCounts = async () => {
      const cells = (await book.cells('B1:B5')) as unknown as readonly (readonly ({ readonly v: unknown } | null)[])[];
      return cells.map(([cell]) => cell?.v).join();
    };
    await filterByCell(annasWindow, 'A2');
    await waitUntilHidden(annasWindow, 'A3');
    await annasWindow.goToRange('B2');
    await annasWindow.press('Shift+F10');
    await annasWindow.page.getByText('Rows that the filter hides stay where they are.', { exact: false }).waitFor();
    await annasWindow.page.getByRole('menuitem', { name: 'Sort Z → A', exact: true }).click();
    await waitUntil(async () => (await readCounts()) === 'Count,2,10,1,20');
    await annasWindow.waitForText('B2', '2');
    await annasWindow.press('Control+z');
    await waitUntil(async () => (await readCounts()) === 'Count,1,10,2,20');
  });
});
