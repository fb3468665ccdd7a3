import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { Person } from '../../packages/server/test/http/browser.ts';
import { type Api, memberAt } from '../../packages/server/test/http/support.ts';
import { startReceiver } from '../../packages/server/test/notify/receiver.ts';
import { QUICK } from '../../packages/server/test/notify/support.ts';
import { type BrowserWindow, BrowserWorld, describeInBrowser, waitUntil } from './browser.ts';

describeInBrowser('details of the console', () => {
  let stage: BrowserWorld;
  let anna: Person;
  let window: BrowserWindow;

  before(async () => {
    stage = await BrowserWorld.start({ notifications: QUICK });
    anna = await stage.createPerson();
    window = await stage.openSignedIn(anna);
  });
  after(async () => {
    await window?.close();
    await stage?.end();
  });

  async function createBook(title: string, values: readonly (readonly unknown[])[]): Promise<Api> {
    const id = await stage.world.createDocument(String(anna.id), { title });
    const api = stage.world.apiFor(await stage.world.createToken(String(anna.id)), id);
    await api.put('A1', values);
    return api;
  }

  it('names the user and the range that prevent an undo', async () => {
    const api = await createBook('Undo', [['a']]);
    const { api: ben } = await stage.world.addMember(api.document, 'edit');
    await window.openDocument(api.document);
    await window.type('mine');
    await window.press('Enter');
    await window.waitForText('A1', 'mine');
    await ben.put('A1', [['theirs']]);
    await window.waitForText('A1', 'theirs');
    await window.press('Control+z');
    await window.page.getByText(/^Not undone: User \d+ has changed Sheet1!A1 since\.$/).waitFor();
  });

  it('names only the writers after the undone write, with own tokens', async () => {
    const api = await createBook('Undo', [['a', 'b']]);
    const { api: ben } = await stage.world.addMember(api.document, 'edit');
    await ben.put('A1', [['earlier']]);
    await window.openDocument(api.document);
    await window.type('mine');
    await window.press('Enter');
    await window.waitForText('A1', 'mine');
    await api.put('A1', [['by program']]);
    await window.waitForText('A1', 'by program');
    await window.press('Control+z');
    await window.page.getByText(/^Not undone: your token “[^”]+” has changed Sheet1!A1 since\.$/).waitFor();
  });

  it('refuses double clicks and the formula bar on a locked sheet at once', async () => {
    const api = await createBook('Locked', [['a']]);
    const ben = await stage.createPerson();
    await stage.world.share(api.document, String(ben.id), 'edit');
    assert.equal(
      (await api.requestInDocument('PUT', '/sheets/Sheet1/protection', { body: { lock: true } })).status,
      200,
    );
    const other = await stage.openSignedIn(ben);
    await other.openDocument(api.document);
    await other.page.getByRole('tab', { name: /^Sheet1 ?, protected$/ }).waitFor();
    const refused = other.page.locator('.toasts').getByText('The sheet is protected');
    await other.findCell('A1').dblclick();
    await refused.waitFor();
    await other.page.locator('.toasts').getByRole('button').first().click();
    await refused.waitFor({ state: 'detached' });
    await other.page.getByLabel('Formula or value').focus();
    await other.type('x');
    await refused.waitFor();
    await other.close();
  });

  it('names the cell of a text that is too long', async () => {
    const api = await createBook('Long', [['a']]);
    await window.openDocument(api.document);
    await window.goToRange('B3');
    await window.press('x');
    await window.page.locator('.grid-editor').fill('x'.repeat(50_001));
    await window.press('Enter');
    await window.page.getByText('B3: the text is too long. A cell holds 50,000 characters at most.').first().waitFor();
    assert.equal((await window.page.locator('.grid-editor').inputValue()).length, 50_001);
    await window.press('Escape');
  });

  it('clears the target of a copied empty cell', async () => {
    const api = await createBook('Empty', [
      ['', 'b'],
      ['', 'c'],
    ]);
    await window.openDocument(api.document);
    await window.press('Control+c');
    await window.goToRange('B1');
    await window.press('Control+v');
    await window.waitForText('B1', '');
    await window.goToRange('A2');
    await window.press('Control+c');
    await window.openDocument(api.document);
    await window.goToRange('B2');
    await window.press('Control+v');
    await window.waitForText('B2', '');
    assert.deepEqual(await api.cells('B1:B2'), [[null], [null]]);
  });

  it('shows in the tab that a sheet is locked', async () => {
    const api = await createBook('Locked', [['a']]);
    await api.post('/sheets', { name: 'Plan' });
    await window.openDocument(api.document);
    const tab = window.page.getByRole('tab', { name: /^Plan ?, protected$/ });
    const plain = window.page.getByRole('tab', { name: 'Plan', exact: true });
    await plain.waitFor();
    await plain.click();
    await window.page.getByRole('button', { name: 'Actions for the sheet Plan', exact: true }).click();
    await window.page.getByRole('menuitem', { name: 'Protect …', exact: true }).click();
    await window.page.getByLabel('Lock against changes').check();
    await window.page.getByRole('button', { name: 'Save', exact: true }).click();
    await tab.waitFor();
    await window.openDocument(api.document);
    await tab.waitFor();
  });

  it('distinguishes documents with equal titles, and searches them', async () => {
    const [first, second] = [await createBook('Twin', [['a']]), await createBook('Twin', [['b']])];
    for (let i = 0; i < 8; i++) await createBook(`Other ${i}`, [['x']]);
    const { page } = window;
    await page.goto('/log');
    const choice = page.getByLabel('Document', { exact: true });
    const readNames = async () =>
      (await choice.locator('option').allTextContents()).filter((name) => name.includes('Twin'));
    await choice.waitFor();
    assert.equal(new Set(await readNames()).size, 2);
    await page.getByLabel('Search documents').fill(second.document.slice(0, 8));
    await choice.selectOption(second.document);
    await page.waitForURL(new RegExp(second.document));
    await page.getByLabel('Search documents').fill('Twin');
    assert.equal(await choice.locator('option').count(), 2);
    assert.notEqual(first.document, second.document);
  });

  it('refreshes the change log and keeps its filters in the address', async () => {
    const api = await createBook('Followed', [['a']]);
    const { page } = window;
    await page.goto(`/log?document=${api.document}`);
    await page.getByRole('row').nth(1).waitFor();
    const rows = await page.getByRole('row').count();
    await api.put('A1', [['b']]);
    await page.getByRole('row').nth(rows).waitFor();
    await page.getByLabel('Action', { exact: true }).selectOption({ label: 'Changed cells' });
    await page.getByLabel('From', { exact: true }).fill('2020-01-01');
    await page.reload();
    assert.equal(await page.getByLabel('From', { exact: true }).inputValue(), '2020-01-01');
    assert.match(page.url(), /action=update/);
    assert.match(page.url(), new RegExp(`document=${api.document}`));
  });

  it('refreshes deliveries, keeps their filter, and asks before it replaces a secret', async (test) => {
    const receiver = await startReceiver(test);
    const api = await createBook('Hooked', [['a']]);
    const created = await api.post('/webhooks', { url: `${receiver.url}` });
    assert.equal(created.status, 200, JSON.stringify(created.body));
    const { page } = window;
    await page.goto(`/webhooks?document=${api.document}`);
    await page.getByRole('button', { expanded: false }).filter({ hasText: receiver.url }).click();
    await page.getByText('Nothing was sent yet').first().waitFor();
    await api.put('A1', [['b']]);
    await page.getByRole('cell', { name: 'delivered', exact: false }).first().waitFor();
    await page.getByLabel('State', { exact: true }).selectOption('refused');
    await page.getByText('Nothing was sent yet').first().waitFor();
    await page.reload();
    assert.equal(await page.getByLabel('State', { exact: true }).inputValue(), 'refused');
    await page.getByRole('button', { name: `Actions for ${receiver.url}`, exact: false }).click();
    await page.getByRole('menuitem', { name: 'Replace the secret', exact: false }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('gets another secret').waitFor();
    await dialog.getByRole('button', { name: 'Cancel', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    assert.equal(memberAt(await api.listAuditEntries(), 'entries', 0, 'action'), 'update');
  });

  it('edits with a double tap, opens the menu with a long press, and fills by touch', async () => {
    const api = await createBook('Touched', [['hello world']]);
    const phone = await stage.openSignedIn(anna, {
      viewport: { width: 390, height: 760 },
      hasTouch: true,
      isMobile: true,
    });
    const { page } = phone;
    await phone.openDocument(api.document);
    const box = await phone.findCell('A1').boundingBox();
    assert.ok(box !== null);
    const [x, y] = [box.x + 30, box.y + 10];
    const session = await page.context().newCDPSession(page);
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', touchPoints: readonly { x: number; y: number }[]) =>
      session.send('Input.dispatchTouchEvent', { type, touchPoints: [...touchPoints] });
    // The browser takes two taps for a double tap only if they follow each other quickly, so none waits for an answer.
    await waitUntil(async () => {
      const taps = [0, 1].flatMap(() => [touch('touchStart', [{ x, y }]), touch('touchEnd', [])]);
      await Promise.all(taps);
      return (await page.locator('.grid-editor.editing').count()) > 0;
    });
    assert.equal(await page.locator('.grid-editor').inputValue(), 'hello world');
    const selected = await page.locator('.grid-editor').evaluate((editor) => {
      const { selectionStart, selectionEnd } = editor as unknown as { selectionStart: number; selectionEnd: number };
      return [selectionStart, selectionEnd];
    });
    assert.equal(selected[0], selected[1]);
    assert.equal(await page.evaluate('String(getSelection())'), '');
    await phone.press('Escape');
    const tab = await page.getByRole('tab', { name: 'Sheet1', exact: true }).boundingBox();
    assert.ok(tab !== null);
    const places = [
      { place: { x, y }, item: /^Copy/ },
      { place: { x: tab.x + 10, y: tab.y + 10 }, item: /^Rename/ },
    ];
    for (const { place, item } of places) {
      await touch('touchStart', [place]);
      await page.getByRole('menu').waitFor();
      await touch('touchEnd', []);
      // A visible menu may not have the focus yet.
      await page.getByRole('menuitem', { name: item }).press('Escape');
      await page.getByRole('menu').waitFor({ state: 'detached' });
    }
    const handle = await page.locator('.grid-handle').boundingBox();
    assert.ok(handle !== null);
    // Beside the handle: a finger needs more room than a mouse.
    const from = { x: handle.x - 4, y: handle.y - 4 };
    await touch('touchStart', [from]);
    for (const part of [1, 2, 3, 4]) await touch('touchMove', [{ ...from, y: from.y + part * (box.height / 2) }]);
    await touch('touchEnd', []);
    await phone.waitForText('A3', 'hello world');
    await phone.close();
  });
});
