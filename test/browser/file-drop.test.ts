import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { Person } from '../../packages/server/test/http/browser.ts';
import type { Api } from '../../packages/server/test/http/support.ts';
import { type BrowserWindow, BrowserWorld, describeInBrowser } from './browser.ts';

describeInBrowser('a file dropped on an open document', () => {
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

  async function createBook(): Promise<Api> {
    const { world } = stage;
    const token = await world.createToken(String(anna.id));
    const book = world.apiFor(token, await world.createDocument(String(anna.id), { title: 'Stock' }));
    await book.put('A1', [
      ['Article', 'Count'],
      ['Nut', 1],
    ]);
    await window.openDocument(book.document);
    await window.waitForText('A2', 'Nut');
    return book;
  }

  const FILE = Buffer.from('Article;Count\nBolt;2,5\nWasher;3,75\n');
  const findDialog = () => window.page.getByRole('dialog');
  const drop = async (name = 'Prices.csv', content = FILE) => {
    await window.drop(name, content);
    await findDialog()
      .getByRole('table', { name: `First rows of ${name}` })
      .waitFor();
  };
  const importTo = async (target: RegExp) => {
    await findDialog().getByRole('radio', { name: target }).check();
    await findDialog().getByRole('button', { name: 'Import', exact: true }).click();
    await findDialog().waitFor({ state: 'detached' });
  };

  it('is previewed with the detected format, and becomes a new sheet that one undo removes', async () => {
    const book = await createBook();
    const before = await book.revision();
    await drop();
    await findDialog().getByText('Delimiter: ;; encoding: utf-8; decimal mark: ,').waitFor();
    await findDialog().getByRole('cell', { name: '2.5', exact: true }).waitFor();
    assert.equal(await book.revision(), before);
    await importTo(/A new sheet “Prices”/);
    await window.page.getByRole('tab', { name: 'Prices', selected: true }).waitFor();
    await window.waitForText('B2', '2.5');
    assert.equal(Number(await book.revision()), Number(before) + 1);
    await window.page.locator('.grid-editor').focus();
    await window.press('Control+z');
    await window.page.getByRole('tab', { name: 'Prices' }).waitFor({ state: 'detached' });
  });

  it('is appended to the sheet without a repeated header, or replaces its cells', async () => {
    await createBook();
    await drop();
    await importTo(/Append to “Sheet1” from row 3, without the header/);
    await window.waitForText('A3', 'Bolt');
    await window.waitForText('B4', '3.75');
    await drop('Other.csv', Buffer.from('x,y\n'));
    await importTo(/Replace all cells of “Sheet1”/);
    await window.waitForText('A1', 'x');
    await window.waitForText('A2', '');
    await window.page.locator('.grid-editor').focus();
    await window.press('Control+z', 'Control+z');
    await window.waitForText('A2', 'Nut');
    await window.waitForText('A3', '');
  });

  it('is read again with the chosen delimiter', async () => {
    await createBook();
    await drop('Odd.csv', Buffer.from('a|b;c\n1|2;3\n'));
    await findDialog().getByLabel('Delimiter').selectOption('|');
    await findDialog().getByRole('cell', { name: 'b;c', exact: true }).waitFor();
    await importTo(/A new sheet “Odd”/);
    await window.waitForText('B2', '2;3');
  });

  it('changes nothing if the user cancels the preview or the upload', async () => {
    const book = await createBook();
    const before = await book.revision();
    await drop();
    await findDialog().getByRole('button', { name: 'Cancel', exact: true }).click();
    await findDialog().waitFor({ state: 'detached' });
    await drop();
    const release = await window.delayRequests('POST', '**/sheet-file/new-sheet*');
    await findDialog().getByRole('button', { name: 'Import', exact: true }).click();
    await findDialog().getByRole('progressbar').waitFor();
    await findDialog().getByRole('button', { name: 'Cancel', exact: true }).click();
    await findDialog().waitFor({ state: 'detached' });
    await release();
    await window.goToRange('D1');
    await window.type('after');
    await window.press('Enter');
    await window.waitForText('D1', 'after');
    assert.equal(Number(await book.revision()), Number(before) + 1);
  });

  it('is imported into the sheet on which it was dropped, even after another user renamed it', async () => {
    const book = await createBook();
    await drop();
    await book.renameSheet('Sheet1', 'Store');
    await importTo(/Append to “Store”/);
    await window.waitForText('A3', 'Bolt');
  });

  it('is imported once if the connection breaks before the response', async () => {
    const book = await createBook();
    const before = await book.revision();
    await drop();
    let cuts = 0;
    await window.page.route('**/sheet-file/append*', async (route) => {
      if (cuts++ > 0) return route.continue();
      await route.fetch();
      await route.abort();
    });
    await importTo(/Append to “Sheet1”/);
    await window.waitForText('A4', 'Washer');
    assert.equal(Number(await book.revision()), Number(before) + 1);
    await window.page.unrouteAll({ behavior: 'wait' });
  });

  it('is refused with the reason: unknown format, damaged file, protected sheet, viewer', async () => {
    const book = await createBook();
    await window.drop('Photo.png', Buffer.from('x'));
    await window.page.getByText('Photo.png is neither .xlsx nor .csv.').waitFor();
    await window.drop('Broken.xlsx', Buffer.from('no workbook'));
    await findDialog().getByRole('alert').waitFor();
    assert.equal(await findDialog().getByRole('button', { name: 'Import', exact: true }).isDisabled(), true);
    await findDialog().getByRole('button', { name: 'Cancel', exact: true }).click();
    const ben = await stage.createPerson();
    await stage.world.share(book.document, String(ben.id), 'edit');
    await book.requestInDocument('PUT', '/sheets/Sheet1/protection', { body: { lock: true } });
    const other = await stage.openSignedIn(ben);
    await other.openDocument(book.document);
    await other.drop('Prices.csv', FILE);
    const bensDialog = other.page.getByRole('dialog');
    await bensDialog.getByText('The sheet is protected.').first().waitFor();
    assert.equal(await bensDialog.getByRole('radio', { name: /Replace/ }).isDisabled(), true);
    await bensDialog.getByRole('button', { name: 'Cancel', exact: true }).click();
    await stage.world.share(book.document, String(ben.id), 'view');
    await other.page.reload();
    await other.openDocument(book.document);
    await other.drop('Prices.csv', FILE);
    await other.page.getByText('You can view this document, but not change it.').waitFor();
    await other.close();
  });
});
