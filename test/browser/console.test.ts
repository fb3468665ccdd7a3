import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { Person } from '../../packages/server/test/http/browser.ts';
import { type Api, memberAt } from '../../packages/server/test/http/support.ts';
import { type BrowserWindow, BrowserWorld, describeInBrowser } from './browser.ts';

describeInBrowser('the console in a browser', () => {
  let stage: BrowserWorld;
  let anna: Person;
  let book: Api;
  let window: BrowserWindow;

  before(async () => {
    stage = await BrowserWorld.start();
    anna = await stage.createPerson();
    const { world } = stage;
    book = world.apiFor(
      await world.createToken(String(anna.id)),
      await world.createDocument(String(anna.id), { title: 'Orders of May' }),
    );
    await book.put('A1', [
      ['Name', 'Count'],
      ['Nut', 2],
      ['Bolt', 3],
    ]);
    window = await stage.openSignedIn(anna);
  });
  after(() => stage?.end());

  it('signs in, replaces a one-time password and opens the requested page', async () => {
    const ben = await stage.createPerson({ once: true });
    await stage.world.share(book.document, String(ben.id), 'view');
    const other = await stage.openWindow();
    const { page } = other;
    await page.goto(`/documents/${book.document}`);
    await other.signIn(ben.email, ben.password);
    await page.getByLabel('Present password').fill(ben.password);
    await page.getByLabel('New password', { exact: true }).fill('three plain words');
    await page.getByLabel('New password once more').fill('three plain words');
    await page.getByRole('button', { name: 'Change the password', exact: true }).click();
    await page.getByRole('heading', { name: 'Orders of May', exact: true }).waitFor();
    await other.waitForText('B3', '3');
    await other.type('x');
    await page.getByText('You can view this document, but not change it.').waitFor();
    await other.close();
  });

  it('reports a wrong password', async () => {
    const other = await stage.openWindow();
    await other.page.goto('/');
    await other.page.getByLabel('E-mail address').fill(anna.email);
    await other.page.getByLabel('Password', { exact: true }).fill('not this one');
    await other.press('Enter');
    await other.page.getByRole('alert').getByText('E-mail address or password is wrong.').waitFor();
    await other.close();
  });

  it('creates, finds, renames and deletes documents', async () => {
    const { page } = window;
    await page.goto('/');
    await page.getByRole('button', { name: 'New document', exact: true }).click();
    await page.getByLabel('Title of the document').fill('Draft');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('heading', { name: 'Draft', exact: true }).dblclick();
    await page.getByLabel('Title of the document').fill('Plot');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('heading', { name: 'Plot', exact: true }).waitFor();
    await page.getByRole('link', { name: 'All documents', exact: true }).click();
    await page.getByLabel('Search documents').fill('plo');
    await page.getByRole('button', { name: 'Actions for Plot', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Rename', exact: true }).click();
    await page.getByLabel('Title of the document').fill('Sketch');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByLabel('Search documents').fill('');
    await page.getByRole('button', { name: 'Actions for Sketch', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Delete', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('link', { name: 'Sketch', exact: true }).waitFor({ state: 'detached' });
  });

  it('keeps the first typed character, and logs the browser as the origin', async () => {
    await window.openDocument(book.document);
    await window.press('ArrowDown', 'ArrowDown', 'ArrowDown');
    await window.type('Washer');
    await window.press('Tab');
    await window.type('=B2*2');
    await window.press('Enter');
    await window.waitForText('A4', 'Washer');
    await window.waitForText('B4', '4');
    assert.deepEqual(await book.cell('B4'), { v: 4, m: '4', f: '=B2*2' });
    assert.equal(memberAt(await book.listRevisions(), 'entries', 0, 'origin'), 'browser');
  });

  it("undoes and redoes the user's edits", async () => {
    await window.openDocument(book.document);
    await window.goToRange('D1');
    await window.type('once');
    await window.press('Enter');
    await window.waitForText('D1', 'once');
    await window.press('Control+z');
    await window.waitForText('D1', '');
    await window.press('Control+y');
    await window.waitForText('D1', 'once');
    await window.goToRange('D1');
    await window.press('Delete');
    await window.waitForText('D1', '');
  });

  it("shows and undoes the user's writes before the event stream reports them", async () => {
    const { page } = window;
    // In this test, the event stream delivers nothing.
    await page.route('**/events?*', () => {});
    await window.openDocument(book.document);
    await window.goToRange('D1');
    await window.type('twice');
    await window.press('Enter');
    await window.press('Control+z', 'Control+y', 'Control+z');
    await window.waitForText('D1', '');
    await window.goToRange('A2');
    await window.press('Shift+F10');
    await page.getByRole('menuitem', { name: 'Sort A → Z', exact: true }).click();
    await window.waitForText('A2', 'Bolt');
    await window.press('Control+z');
    await window.waitForText('A2', 'Nut');
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  it('edits and copies pending input', async () => {
    await window.openDocument(book.document);
    const release = await window.delayRequests('PUT', '**/values/*');
    await window.goToRange('D2');
    await window.type('half');
    await window.press('Enter', 'ArrowUp', 'F2');
    await window.type(' more');
    await window.press('Enter', 'ArrowUp', 'Control+c');
    assert.equal(await window.page.evaluate('navigator.clipboard.readText()'), 'half more');
    await release();
    await window.waitForText('D2', 'half more');
    assert.equal((await book.cell('D2'))['v'], 'half more');
    await book.clear('D2');
  });

  it('pastes a table as one write, and copies it again', async () => {
    await window.openDocument(book.document);
    const before = Number(await book.revision());
    await window.page.evaluate(`navigator.clipboard.writeText('a\\tb\\n1\\t2.5')`);
    await window.goToRange('F1');
    await window.press('Control+v');
    await window.waitForText('G2', '2.5');
    assert.equal(Number(await book.revision()), before + 1);
    await window.press('Control+c');
    assert.equal(await window.page.evaluate('navigator.clipboard.readText()'), 'a\tb\n1\t2.5');
    await window.press('Delete');
    await window.waitForText('G2', '');
  });

  it('shows writes of programs and keeps an open draft', async () => {
    await window.openDocument(book.document);
    await window.goToRange('A6');
    await window.type('half a tho');
    await book.put('A6', [['from the API', 'beside']]);
    await window.waitForText('B6', 'beside');
    await window.type('ught');
    await window.press('Enter');
    await window.waitForText('A6', 'half a thought');
    await book.clear('A6:B6');
    await window.waitForText('A6', '');
  });

  it('reports a missing document and links to the others', async () => {
    const { page } = window;
    await page.goto('/documents/00000000-0000-4000-8000-000000000000');
    await page.getByRole('heading', { name: 'Not found', exact: true }).waitFor();
    await page.getByRole('link', { name: 'Documents', exact: true }).click();
    await page.getByRole('link', { name: 'Orders of May', exact: true }).waitFor();
  });

  it('shows markup and scripts as text', async () => {
    const text = '<img src=x onerror="document.title=1"><script>alert(1)</script>';
    await book.put('A8', [[text]], { mode: 'RAW' });
    await window.openDocument(book.document);
    await window.waitForText('A8', text);
    assert.equal(await window.page.locator('.grid-cell img, .grid-cell script').count(), 0);
    await book.clear('A8');
  });

  it('explains a formula error and helps to type a formula', async () => {
    const { page } = window;
    await window.openDocument(book.document);
    await window.goToRange('C1');
    await window.type('=SU');
    await page.getByRole('option', { name: /^SUM The sum of numbers/ }).waitFor();
    await window.press('Tab');
    await page.getByRole('status').filter({ hasText: 'SUM(number, [number], …)' }).waitFor();
    const from = await window.findCell('B2').boundingBox();
    const to = await window.findCell('B3').boundingBox();
    assert.ok(from !== null && to !== null);
    await page.mouse.move(from.x + 30, from.y + 10);
    await page.mouse.down();
    await page.mouse.move(to.x + 30, to.y + 10);
    await page.mouse.up();
    await window.type(')');
    await window.press('Enter');
    await window.waitForText('C1', '5');
    await window.type('=1/0');
    await window.press('Enter', 'ArrowUp');
    await window.waitForText('C2', '#DIV/0!');
    assert.notEqual(await window.findCell('C2').getAttribute('title'), '');
    await book.clear('C1:C2');
  });

  it('inserts and moves rows and columns, and goes to the range in the address', async () => {
    const { page } = window;
    await window.openDocument(book.document, 'A2');
    await window.waitForExpression(`document.querySelector('.range-box').value === 'A2'`);
    for (const [action, cell] of [
      ['Insert row above', 'A3'],
      ['Move row down', 'A3'],
      ['Insert column to the left', 'B2'],
      ['Move column to the right', 'B2'],
    ] as const) {
      await window.goToRange('A2');
      await window.press('Shift+F10');
      await page.getByRole('menuitem', { name: action, exact: true }).click();
      await window.waitForText(cell, 'Nut');
      await page.locator('.grid-editor:focus').waitFor({ state: 'attached' });
      await window.press('Control+z');
      await window.waitForText('A2', 'Nut');
    }
  });

  it('moves between the parts of the page by keyboard', async () => {
    const { page } = window;
    const isFocused = (one: ReturnType<typeof page.locator>) =>
      one.and(page.locator(':focus')).waitFor({ state: 'attached' });
    const share = page.getByRole('button', { name: 'Share', exact: true });
    await window.openDocument(book.document);
    await window.press('F6');
    await isFocused(page.getByRole('tab', { name: 'Sheet1', exact: true }));
    await window.press('F6');
    await isFocused(page.getByRole('link', { name: 'All documents', exact: true }));
    await window.press('F6');
    await isFocused(page.getByLabel('Selected range'));
    await window.press('Shift+F6');
    await share.focus();
    await window.press('Enter');
    await page.getByRole('dialog', { name: 'Share “Orders of May”', exact: true }).waitFor();
    await window.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await isFocused(share);
    await window.press('F6', 'F6');
    await isFocused(page.locator('.grid-editor'));
    await share.focus();
    await window.press('Control+f');
    await isFocused(page.getByLabel('Find', { exact: true }));
    await window.press('Escape');
    await window.goToRange('J9');
    for (const key of ['F1', 'Control+/']) {
      await window.press(key);
      await page.getByRole('dialog', { name: 'Keyboard', exact: true }).waitFor();
      await window.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await isFocused(page.locator('.grid-editor'));
    }
    await window.type('?');
    assert.equal(await page.locator('.grid-editor').inputValue(), '?');
    await window.press('Escape');
    await window.type('next');
    await window.press('Enter');
    await window.waitForText('J9', 'next');
    await window.press('Control+z');
    await window.waitForText('J9', '');
  });

  it('adds, renames, duplicates, moves, hides and deletes sheets', async () => {
    const { page } = window;
    await window.openDocument(book.document);
    const findTab = (name: string) => page.getByRole('tab', { name, exact: true });
    const pick = async (sheet: string, what: string) => {
      await page.getByRole('button', { name: `Actions for the sheet ${sheet}`, exact: true }).click();
      await page.getByRole('menuitem', { name: what, exact: true }).click();
    };
    const remove = async (sheet: string) => {
      await pick(sheet, 'Delete');
      await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
      await findTab(sheet).waitFor({ state: 'detached' });
    };
    await page.getByRole('button', { name: 'Add a sheet', exact: true }).click();
    await page.getByRole('tab', { name: 'Sheet2', exact: true, selected: true }).waitFor();
    await findTab('Sheet1').click();
    await window.goToRange('B2');
    await findTab('Sheet1').click();
    assert.equal(await page.getByLabel('Selected range').inputValue(), 'B2');
    await findTab('Sheet2').dblclick();
    await page.getByLabel('Name of the sheet').fill('Plan');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await pick('Plan', 'Duplicate');
    await page.getByRole('tab', { name: 'Plan 2', exact: true, selected: true }).waitFor();
    await findTab('Plan').click();
    await pick('Plan', 'Move to the left');
    await page.getByRole('tab').first().and(findTab('Plan')).waitFor();
    await pick('Plan', 'Hide');
    await findTab('Plan').waitFor({ state: 'detached' });
    await findTab('Plan 2').click();
    await pick('Plan 2', 'Show “Plan”');
    await findTab('Plan').waitFor();
    await remove('Plan');
    await findTab('Plan 2').click();
    await window.goToRange('B2');
    await window.type('half a tho');
    await book.requestInDocument('PATCH', '/sheets/Plan%202', { body: { name: 'Programme' } });
    const findSelectedTab = (name: string) => page.getByRole('tab', { name, exact: true, selected: true });
    await findSelectedTab('Programme').waitFor();
    await window.type('ught');
    await window.press('Enter');
    await window.waitForText('B2', 'half a thought');
    await book.requestInDocument('DELETE', '/sheets/Programme');
    await findSelectedTab('Sheet1').waitFor();
    const notice = page.locator('.toasts .notice').filter({ hasText: 'Another person deleted the sheet “Programme”.' });
    await notice.getByRole('button', { name: 'Close', exact: true }).click();
  });

  it('finds, replaces and undoes', async () => {
    const { page } = window;
    await window.openDocument(book.document);
    await window.press('Control+f');
    await page.getByLabel('Find', { exact: true }).fill('BOLT');
    await page.getByRole('button', { name: 'Find next', exact: true }).click();
    await page.getByRole('status').filter({ hasText: 'A3 Bolt' }).waitFor();
    await page.getByLabel('Replace with').fill('Screw');
    await page.getByRole('button', { name: 'Replace all', exact: true }).click();
    await window.waitForText('A3', 'Screw');
    // The next key belongs to the grid, so the grid must already have the focus.
    const after = await page.evaluate(`(() => {
      const escape = new KeyboardEvent('keydown', { key: 'Escape', bubbles: true });
      document.activeElement.dispatchEvent(escape);
      return document.activeElement.className;
    })()`);
    assert.equal(after, 'grid-editor');
    await window.press('Control+z');
    await window.waitForText('A3', 'Bolt');
  });

  it('names, shows and restores a revision', async () => {
    const { page } = window;
    await window.openDocument(book.document);
    const before = await book.revision();
    await window.goToRange('H1');
    await window.type('afterthought');
    await window.press('Enter');
    await window.waitForText('H1', 'afterthought');
    await page.getByRole('button', { name: 'History', exact: true }).click();
    const entry = page.locator('.history li').filter({ hasText: ` ${before} · ` });
    await entry.getByRole('button', { name: 'Name', exact: true }).click();
    await page.getByRole('textbox', { name: 'Name of this version', exact: true }).fill('As agreed');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await entry.getByText('As agreed').waitFor();
    await entry.getByRole('button', { name: 'See', exact: true }).click();
    await page.getByText(`Revision ${before}: an earlier version.`).waitFor();
    await page.getByRole('button', { name: 'Back to the present', exact: true }).click();
    await entry.getByRole('button', { name: 'Restore this version', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Restore this version', exact: true }).click();
    await window.waitForText('H1', '');
  });

  it('protects a sheet from people who share the document', async () => {
    const { page } = window;
    const ben = await stage.createPerson();
    await stage.world.share(book.document, String(ben.id), 'edit');
    await window.openDocument(book.document);
    await page.getByRole('button', { name: 'Actions for the sheet Sheet1', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Protect …', exact: true }).click();
    await page.getByLabel('Hide the values').check();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('tab', { name: /protected/ }).waitFor();
    const other = await stage.openSignedIn(ben);
    await other.page.goto(`/documents/${book.document}`);
    await other.page.getByText('The values of this sheet are hidden from you').waitFor();
    await other.close();
    await book.requestInDocument('DELETE', '/sheets/Sheet1/protection');
  });

  it('announces the cell and the sum of the selection', async () => {
    await window.openDocument(book.document);
    await window.goToRange('B2:B3');
    await window.page.getByRole('status').filter({ hasText: 'B2:B3 2' }).waitFor();
    await window.page
      .locator('.statistic')
      .filter({ hasText: /^Sum: 5$/ })
      .waitFor();
    await book.put('B3', [[30]]);
    await window.page
      .locator('.statistic')
      .filter({ hasText: /^Sum: 32$/ })
      .waitFor();
  });
});
