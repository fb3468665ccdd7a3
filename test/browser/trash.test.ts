import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { Person } from '../../packages/server/test/http/browser.ts';
import { BrowserWorld, describeInBrowser } from './browser.ts';

describeInBrowser('sharing with an address without an account', () => {
  let stage: BrowserWorld;
  before(async () => {
    stage = await BrowserWorld.start();
  });
  after(() => stage?.end());

  it('gives a link that works once and says afterwards that it was used', async () => {
    const anna = await stage.createPerson();
    await stage.world.createDocument(String(anna.id), { title: 'Orders' });
    const window = await stage.openSignedIn(anna);
    const { page } = window;
    await page.getByRole('button', { name: 'Actions for Orders', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Share', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('E-mail address of the user').fill('nina@example.org');
    await dialog.getByLabel('Role', { exact: true }).selectOption('view');
    await dialog.getByRole('button', { name: 'Share', exact: true }).click();
    await dialog.getByText('invited', { exact: true }).waitFor();
    const invitationText = await dialog.locator('code').textContent();
    const link = String(invitationText).replace(/^.*?(?=http)/, '');
    const other = await stage.openWindow();
    await other.page.goto(link);
    await other.page.getByText('The document “Orders” is shared with you.').waitFor();
    await other.page.getByLabel('Your name').fill('Nina');
    await other.page.getByLabel('Password', { exact: true }).fill('three plain words');
    await other.press('Enter');
    await other.page.getByRole('link', { name: 'Orders', exact: true }).waitFor();
    await other.page.getByRole('cell', { name: 'Can view', exact: true }).waitFor();
    await dialog.getByLabel('Role of Nina').waitFor();
    const third = await stage.openWindow();
    await third.page.goto(link);
    await third.page.getByRole('heading', { name: 'This invitation has been used already' }).waitFor();
    await Promise.all([window.close(), other.close(), third.close()]);
  });
});

describeInBrowser('deleted documents in the console', () => {
  let stage: BrowserWorld;
  let anna: Person;

  before(async () => {
    stage = await BrowserWorld.start();
    anna = await stage.createPerson();
  });
  after(() => stage?.end());

  it('can be restored from the notice or their page, or deleted permanently', async () => {
    const document = await stage.world.createDocument(String(anna.id), { title: 'Orders' });
    const window = await stage.openSignedIn(anna);
    const { page } = window;
    const link = page.getByRole('link', { name: 'Orders', exact: true });
    const remove = async () => {
      await page.getByRole('button', { name: 'Actions for Orders', exact: true }).click();
      await page.getByRole('menuitem', { name: 'Delete', exact: true }).click();
      await page.getByRole('dialog').getByText('30 days').waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
      await link.waitFor({ state: 'detached' });
    };
    await remove();
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await link.waitFor();

    await remove();
    await page.getByRole('link', { name: 'Deleted documents', exact: true }).click();
    await page.getByRole('heading', { name: 'Deleted documents', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Restore Orders', exact: true }).click();
    await page.getByText('Nothing is deleted').waitFor();
    await page.goto('/');
    await link.waitFor();

    await remove();
    await page.goto('/trash');
    await page.getByRole('button', { name: 'Delete Orders for good', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete for good', exact: true }).click();
    await page.getByText('Nothing is deleted').waitFor();
    assert.equal((await page.request.get(`/console/api/documents/${document}`)).status(), 404);
    await window.close();
  });

  it('tells documents with equal titles apart', async () => {
    const owner = await stage.createPerson();
    const token = await stage.world.createToken(String(owner.id));
    const create = () => stage.world.createDocument(String(owner.id), { title: 'Plan' });
    const [empty, filled] = [await create(), await create()];
    const book = stage.world.apiFor(token, filled);
    await book.put('A1', [[1]]);
    await book.put('A2', [[2]]);
    const changes = await Promise.all([empty, filled].map((id) => book.forDocument(id).revision()));
    assert.deepEqual(changes.map(Number), [0, 2]);
    for (const id of [empty, filled]) await book.forDocument(id).requestInDocument('DELETE', '');
    const window = await stage.openSignedIn(owner);
    const { page } = window;
    await page.goto('/trash');
    const findRow = (id: string) => page.getByRole('row').filter({ hasText: id.slice(0, 8) });
    await findRow(filled).getByRole('cell', { name: '2', exact: true }).waitFor();
    await findRow(empty).getByRole('cell', { name: '0', exact: true }).waitFor();
    await page.getByRole('button', { name: new RegExp(`^Restore Plan · .* · ${filled.slice(0, 8)}$`) }).click();
    await findRow(filled).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Restore Plan', exact: true }).waitFor();
    assert.equal((await book.requestInDocument('GET', '')).status, 200);
    await window.close();
  });

  it('update the lists of other people', async () => {
    const ben = await stage.createPerson();
    const window = await stage.openSignedIn(ben);
    const owner = stage.world.apiFor(await stage.world.createToken(String(anna.id)), '');
    const document = await stage.world.createDocument(String(anna.id), { title: 'Shared' });
    const link = window.page.getByRole('link', { name: 'Shared', exact: true });
    await window.page.getByText('No documents yet').waitFor();
    await owner.forDocument(document).post('/share', { user: ben.id, role: 'view' });
    await link.waitFor();
    await owner.forDocument(document).requestInDocument('DELETE', '');
    await link.waitFor({ state: 'detached' });
    await window.close();
  });
});
