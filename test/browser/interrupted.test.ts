import assert from 'node:assert/strict';
import { after, before, beforeEach, it } from 'node:test';
import { type Person, signInAs } from '../../packages/server/test/http/browser.ts';
import type { Api } from '../../packages/server/test/http/support.ts';
import { type BrowserWindow, BrowserWorld, describeInBrowser, findCutTexts } from './browser.ts';

describeInBrowser('work that is interrupted', () => {
  let stage: BrowserWorld;
  let anna: Person;
  let ben: Person;
  let book: Api;
  let window: BrowserWindow;

  before(async () => {
    stage = await BrowserWorld.start();
    anna = await stage.createPerson();
    ben = await stage.createPerson();
  });
  after(() => stage?.end());

  beforeEach(async () => {
    const { world } = stage;
    book = world.apiFor(await world.createToken(String(anna.id)), await world.createDocument(String(anna.id)));
    await book.put('A1', [['Name', 'Count']]);
    await window?.close();
    window = await stage.openSignedIn(anna);
    await window.openDocument(book.document);
  });

  const findSessionEndedDialog = () => window.page.getByRole('dialog', { name: 'Your session has ended', exact: true });

  async function endSessions(): Promise<void> {
    await (await signInAs(stage.world, anna)).request('DELETE', '/sessions');
  }

  async function signInAgain(): Promise<void> {
    await findSessionEndedDialog().getByLabel('Password', { exact: true }).fill(anna.password);
    await window.press('Enter');
    await findSessionEndedDialog().waitFor({ state: 'detached' });
    await window.page.locator('.grid-editor:focus').waitFor({ state: 'attached' });
  }

  it('keeps a draft after signing in again', async () => {
    await window.goToRange('B3');
    await window.type('half a tho');
    await endSessions();
    await findSessionEndedDialog().waitFor();
    assert.deepEqual(await findCutTexts(window), []);
    await window.press('Escape', 'Escape');
    await findSessionEndedDialog().getByLabel('Password', { exact: true }).fill('not this one');
    await window.press('Enter');
    await findSessionEndedDialog().getByRole('alert').getByText('E-mail address or password is wrong.').waitFor();
    await signInAgain();
    await window.type('ught');
    await window.press('Enter');
    await window.waitForText('B3', 'half a thought');
    assert.equal((await book.cell('B3'))['v'], 'half a thought');
  });

  it('saves pending writes once after signing in again', async () => {
    const { page } = window;
    const before = Number(await book.revision());
    await window.goToRange('B3');
    const { promise: typed, resolve } = Promise.withResolvers<void>();
    await page.route('**/console/**', async (route) => {
      await typed;
      await route.continue();
    });
    await endSessions();
    await window.type('one');
    await window.press('Enter');
    await window.type('two');
    await window.press('Enter');
    resolve();
    await findSessionEndedDialog().waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    assert.equal(Number(await book.revision()), before);
    await signInAgain();
    await window.waitForText('B3', 'one');
    await window.waitForText('B4', 'two');
    assert.equal(Number(await book.revision()), before + 2);
  });

  it('asks before a write that waited for the sign-in overwrites a later value', async () => {
    const { page } = window;
    await window.goToRange('B3');
    const release = await window.delayRequests('PUT', '**/values/**');
    await window.type('mine');
    await window.press('Enter');
    await endSessions();
    await findSessionEndedDialog().waitFor();
    await release();
    await book.put('B3', [['theirs']]);
    await findSessionEndedDialog().getByLabel('Password', { exact: true }).fill(anna.password);
    await window.press('Enter');
    const conflict = page.getByRole('dialog', { name: 'Another person changed B3', exact: true });
    await conflict.getByText('theirs', { exact: true }).waitFor();
    await conflict.getByText('mine', { exact: true }).waitFor();
    await conflict.getByRole('button', { name: 'Keep theirs', exact: true }).click();
    await window.waitForText('B3', 'theirs');
  });

  it('continues after a one-time password', async () => {
    const carla = await stage.createPerson({ workspace: anna.workspace });
    await stage.world.share(book.document, String(carla.id), 'edit');
    const other = await stage.openSignedIn(carla);
    await other.openDocument(book.document, 'C3');
    await other.type('half a tho');
    const { page } = other;
    const owner = await signInAs(stage.world, anna);
    const once = String((await owner.request('POST', `/users/${carla.id}/password`)).body['password']);
    const dialog = page.getByRole('dialog', { name: 'Your session has ended', exact: true });
    await dialog.getByLabel('Password', { exact: true }).fill(once);
    await other.press('Enter');
    await page.getByLabel('Present password').fill(once);
    await page.getByLabel('New password', { exact: true }).fill('three plain words');
    await page.getByLabel('New password once more').fill('three plain words');
    await other.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await other.type('ught');
    await other.press('Enter');
    await other.waitForText('C3', 'half a thought');
    await other.close();
  });

  it('hides a draft from another user who signs in', async () => {
    const { page } = window;
    await stage.world.share(book.document, String(ben.id), 'edit');
    await window.type('only for Anna');
    await endSessions();
    await findSessionEndedDialog()
      .getByRole('button', { name: /^Sign in as another user/ })
      .click();
    await window.signIn(ben.email, ben.password);
    await page.getByRole('button', { name: `Signed in as ${ben.name}` }).waitFor();
    await window.openDocument(book.document);
    await window.waitForText('A1', 'Name');
    const pageContent = `document.documentElement.outerHTML + [...document.querySelectorAll('textarea')].map((one) => one.value)`;
    assert.doesNotMatch(String(await page.evaluate(pageContent)), /only for Anna/);
  });

  it('restarts every tab when another user signs in in one of them', async () => {
    const { page } = window;
    await window.type('only for Anna');
    const otherTab = await page.context().newPage();
    await otherTab.goto('/');
    await otherTab.getByRole('button', { name: `Signed in as ${anna.name}` }).click();
    await otherTab.getByRole('menuitem', { name: 'Sign out', exact: true }).click();
    await findSessionEndedDialog().waitFor();
    await otherTab.getByLabel('E-mail address').fill(ben.email);
    await otherTab.getByLabel('Password', { exact: true }).fill(ben.password);
    await otherTab.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('button', { name: `Signed in as ${ben.name}` }).waitFor();
    assert.equal((await book.cell('A1'))['v'], 'Name');
  });

  it('saves a change whose response is lost once, and never over later writes', async () => {
    const { page } = window;
    const before = Number(await book.revision());
    const { promise: responseLost, resolve } = Promise.withResolvers<void>();
    let isLost = false;
    await page.route('**/values/*', async (route) => {
      if (route.request().method() !== 'PUT' || isLost) return route.continue();
      isLost = true;
      await route.fetch();
      await book.put('B3', [['later']]);
      await route.abort();
      resolve();
    });
    await window.goToRange('B3');
    await window.type('first');
    await window.press('Enter');
    await responseLost;
    await window.waitForText('B3', 'later');
    await window.waitUntilSaved();
    assert.equal(Number(await book.revision()), before + 2);
  });

  it('accepts writes offline, reports them, and saves them after reconnection', async () => {
    const { page } = window;
    const before = Number(await book.revision());
    await window.goToRange('B3');
    await page.context().setOffline(true);
    await page.locator('.live.lost').waitFor();
    for (const text of ['one', 'two', 'three']) {
      await window.type(text);
      await window.press('Enter');
    }
    await page.getByRole('alert').filter({ hasText: '3 changes are not saved yet' }).waitFor();
    await window.press('Control+z');
    assert.equal(Number(await book.revision()), before);
    await page.context().setOffline(false);
    await window.waitForText('B3', 'one');
    await window.waitForText('B4', 'two');
    await window.waitForText('B5', '');
    await page.getByText('not saved yet').waitFor({ state: 'detached' });
    assert.equal(Number(await book.revision()), before + 4);
  });

  it('keeps a draft while another page is open', async () => {
    const { page } = window;
    await window.goToRange('C4');
    await window.type('half a tho');
    await page.getByRole('link', { name: 'All documents', exact: true }).click();
    await page.getByRole('heading', { name: 'Documents', exact: true }).waitFor();
    await page.goBack();
    await window.waitForExpression(`document.querySelector('.grid-editor:focus')?.value === 'half a tho'`);
    await window.type('ught');
    await window.press('Enter');
    await window.waitForText('C4', 'half a thought');
  });

  it('reports a deleted document and shows the draft', async () => {
    const { page } = window;
    await window.type('half a thought');
    await book.requestInDocument('DELETE', '');
    await page.getByRole('heading', { name: 'This document is no longer available', exact: true }).waitFor();
    await page.locator('pre').filter({ hasText: 'half a thought' }).waitFor();
    await window.press('Escape');
  });
});
