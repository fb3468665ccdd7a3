import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { Person } from '../../packages/server/test/http/browser.ts';
import type { Api } from '../../packages/server/test/http/support.ts';
import { describeInBrowser, Stage, until, type Window } from './browser.ts';

const CITIES = [
  ['City', 'Count'],
  ['Riga', 1],
  ['Oslo', 10],
  ['Riga', 2],
  ['Oslo', 20],
];

describeInBrowser('a filter and a sort in a browser', () => {
  let stage: Stage;
  let anna: Person;
  let ben: Person;
  let token: string;
  let annas: Window;
  let bens: Window;

  before(async () => {
    stage = await Stage.begin();
    [anna, ben] = [await stage.person(), await stage.person()];
    token = await stage.world.token(String(anna.id));
    annas = await stage.signedIn(anna);
    bens = await stage.signedIn(ben);
  });
  after(() => stage?.end());

  async function documentOf(values: Parameters<Api['put']>[1], role = 'edit'): Promise<Api> {
    const book = stage.world.api(token, await stage.world.document(String(anna.id)));
    await book.put('A1', values);
    await stage.world.share(book.document, String(ben.id), role);
    await Promise.all([annas.open(book.document), bens.open(book.document)]);
    return book;
  }

  async function onlyThisValue(window: Window, cell: string): Promise<void> {
    await window.go(cell);
    await window.press('Shift+F10');
    await window.page.getByRole('menuitem', { name: 'Show only rows with this value', exact: true }).click();
  }

  const isGone = (window: Window, cell: string) => window.cell(cell).waitFor({ state: 'detached' });

  it('is shared, follows changed rows, and survives a reload', async () => {
    const book = await documentOf(CITIES);
    await onlyThisValue(annas, 'A2');
    await Promise.all([isGone(annas, 'A3'), isGone(bens, 'A3')]);
    await book.append('A:B', [
      ['Riga', 3],
      ['Oslo', 30],
    ]);
    await Promise.all([annas.shows('A6', 'Riga'), isGone(annas, 'A7'), bens.shows('A6', 'Riga')]);
    await bens.go('A4');
    await bens.type('Oslo');
    await bens.press('Enter');
    await Promise.all([isGone(annas, 'A4'), isGone(bens, 'A4')]);
    await book.post('/structure', { operations: [{ insertRows: { sheet: 'Sheet1', before: 1, count: 1 } }] });
    await Promise.all([annas.shows('A3', 'Riga'), annas.shows('A7', 'Riga'), isGone(annas, 'A6')]);
    await annas.page.reload();
    await annas.shows('A7', 'Riga');
    await isGone(annas, 'A6');
    await annas.page.getByRole('button', { name: 'Rows with a match: 2 · Show all rows', exact: true }).click();
    await Promise.all([annas.shows('A4', 'Oslo'), bens.shows('A4', 'Oslo')]);
  });

  it('has a button in each header cell, and asks several columns', async () => {
    const { page } = annas;
    await documentOf(CITIES);
    await onlyThisValue(annas, 'A2');
    await isGone(annas, 'A3');
    await page.getByRole('button', { name: 'Filter “City”: in use', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Filter “Count”', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Rows to show by “Count”', exact: true });
    await dialog.getByText('2 values', { exact: true }).waitFor();
    await dialog.getByLabel(/^1 /).uncheck();
    await dialog.getByRole('button', { name: 'Show these rows', exact: true }).click();
    await Promise.all([isGone(annas, 'A2'), isGone(bens, 'A2'), annas.shows('B4', '2')]);
    await annas.press('Control+z');
    await annas.shows('B2', '1');
    await isGone(annas, 'A3');
  });

  it('is personal for a viewer', async () => {
    const book = await documentOf(CITIES, 'view');
    const before = await book.revision();
    await onlyThisValue(bens, 'A3');
    await Promise.all([isGone(bens, 'A2'), annas.shows('A2', 'Riga')]);
    await onlyThisValue(annas, 'A2');
    await isGone(annas, 'A3');
    await bens.page.reload();
    await bens.shows('A3', 'Oslo');
    await isGone(bens, 'A2');
    await bens.page.getByRole('button', { name: 'Your own filter · Use the shared one', exact: true }).click();
    await Promise.all([isGone(bens, 'A3'), bens.shows('A2', 'Riga')]);
    assert.equal(Number(await book.revision()), Number(before) + 1);
  });

  it('keeps a selection on a row that another person hides, and refuses the next keys', async () => {
    const book = await documentOf(CITIES);
    await annas.go('B3');
    await onlyThisValue(bens, 'A2');
    await Promise.all([isGone(annas, 'A3'), isGone(bens, 'A3')]);
    const revision = await book.revision();
    await annas.press('Delete');
    await annas.page.getByText('The filter hides this row.', { exact: false }).first().waitFor();
    await annas.type('x');
    await annas.press('Enter', 'Delete');
    await annas.shows('B4', '');
    assert.equal(Number(await book.revision()), Number(revision) + 1);
    assert.deepEqual(
      ((await book.cells('B2:B5')) as unknown as readonly (readonly ({ v: unknown } | null)[])[]).map(
        ([cell]) => cell?.v ?? null,
      ),
      [1, 10, null, 20],
    );
  });

  it('keeps the row of an open draft', async () => {
    const book = await documentOf(CITIES);
    await onlyThisValue(annas, 'A2');
    await isGone(annas, 'A3');
    await annas.go('B2');
    await annas.type('7');
    await book.put('A2', [['Oslo']]);
    await isGone(bens, 'A2');
    await annas.press('Enter');
    await isGone(annas, 'A2');
    await until(async () => String((await book.cell('B2'))['v']) === '7');
  });

  it('sorts the block around a cell without its header and total, and shows the rows before', async () => {
    const { page } = annas;
    const book = await documentOf([
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
    await annas.go('B5');
    await annas.press('Shift+F10');
    await page.getByText('Sorts A4:B6; the header and the total stay', { exact: true }).waitFor();
    await page.getByRole('menuitem', { name: 'Sort A → Z', exact: true }).click();
    await annas.shows('A4', 'Oslo');
    const column = async () =>
      ((await book.cells('A1:A9')) as unknown as ({ v: unknown } | null)[][]).map(([cell]) => cell?.v ?? null);
    assert.deepEqual(await column(), ['Report', null, 'City', 'Oslo', 'Rome', 'Riga', 'Total', null, 'Note']);
  });

  it('sorts by several columns, with the header and the total as they are checked', async () => {
    const { page } = annas;
    await documentOf([
      ['b', 1],
      ['a', 2],
      ['b', 3],
      ['a', 1],
    ]);
    await annas.go('A2');
    await annas.press('Shift+F10');
    await page.getByRole('menuitem', { name: 'Sort rows by several columns…', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Sort rows', exact: true });
    await dialog.getByLabel('The first row is a header').uncheck();
    await dialog.getByText('Sorts A1:B4', { exact: true }).waitFor();
    await dialog.getByRole('button', { name: 'Add a column', exact: true }).click();
    await dialog.getByLabel('Order', { exact: true }).nth(1).selectOption('descending');
    await dialog.getByRole('button', { name: 'Sort', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await annas.shows('B1', '2');
    await annas.shows('B3', '3');
  });

  it('sorts the rows that a filter shows, and the others stay', async () => {
    const book = await documentOf(CITIES);
    const counts = async () => {
      const cells = (await book.cells('B1:B5')) as unknown as readonly (readonly ({ readonly v: unknown } | null)[])[];
      return cells.map(([cell]) => cell?.v).join();
    };
    await onlyThisValue(annas, 'A2');
    await isGone(annas, 'A3');
    await annas.go('B2');
    await annas.press('Shift+F10');
    await annas.page.getByText('Rows that the filter hides stay where they are.', { exact: false }).waitFor();
    await annas.page.getByRole('menuitem', { name: 'Sort Z → A', exact: true }).click();
    await until(async () => (await counts()) === 'Count,2,10,1,20');
    await annas.shows('B2', '2');
    await annas.press('Control+z');
    await until(async () => (await counts()) === 'Count,1,10,2,20');
  });
});
