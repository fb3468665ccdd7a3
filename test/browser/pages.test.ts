import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, it } from 'node:test';
import { addRequestCount } from '@cellwire/store/accounts';
import { USAGE_PERIOD_MS } from '../../packages/server/src/limits/console.ts';
import type { Person } from '../../packages/server/test/http/browser.ts';
import { respondWith, startReceiver } from '../../packages/server/test/notify/receiver.ts';
import { QUICK } from '../../packages/server/test/notify/support.ts';
import { type BrowserWindow, BrowserWorld, describeInBrowser, findCutTexts, findViolations } from './browser.ts';

const PAGES = ['/', '/tokens', '/webhooks', '/log', '/usage', '/users', '/account', '/docs'];

describeInBrowser('every page of the console', () => {
  let stage: BrowserWorld;
  let anna: Person;
  let document: string;

  before(async () => {
    stage = await BrowserWorld.start({ notifications: QUICK });
    anna = await stage.createPerson();
    document = await stage.world.createDocument(String(anna.id), { title: 'Accounts' });
    await stage.world.apiFor(await stage.world.createToken(String(anna.id)), document).put('A1', [['Rent', 700]]);
  });
  after(() => stage?.end());

  async function checkPages(window: BrowserWindow, pages: readonly string[]): Promise<readonly string[]> {
    const problems: string[] = [];
    for (const path of [...pages, `/documents/${document}`]) {
      await window.page.goto(path);
      await window.page.locator('h1').first().waitFor();
      await window.page.locator('.skeleton').first().waitFor({ state: 'detached' });
      problems.push(...(await findViolations(window)), ...(await findCutTexts(window)));
      const wide = await window.page.evaluate('document.documentElement.scrollWidth - innerWidth');
      if (Number(wide) > 0) problems.push(`${path} is ${wide} px wider than the window`);
    }
    return problems;
  }

  it('is accessible on a wide screen', async () => {
    const window = await stage.openSignedIn(anna);
    assert.deepEqual(await checkPages(window, PAGES), []);
    await window.close();
  });

  it('is accessible in the dark theme on 360 pixels in Russian', async () => {
    const window = await stage.openWindow({
      viewport: { width: 360, height: 740 },
      colorScheme: 'dark',
      locale: 'ru-RU',
    });
    await window.page.goto('/');
    assert.deepEqual(await findViolations(window), []);
    await window.page.getByLabel('Электронная почта').fill(anna.email);
    await window.page.getByLabel('Пароль', { exact: true }).fill(anna.password);
    await window.page.getByRole('button', { name: 'Войти', exact: true }).click();
    await window.page.getByRole('heading', { name: 'Документы', exact: true }).waitFor();
    assert.deepEqual(await checkPages(window, PAGES), []);
    await window.close();
  });

  it('opens accessible dialogs, menus and panels on 360 pixels', async () => {
    const window = await stage.openSignedIn(anna, { viewport: { width: 360, height: 740 } });
    const { page } = window;
    const problems: string[] = [];
    await window.openDocument(document);
    await window.goToRange('A1:B1');
    await page.locator('.statistic').first().waitFor();
    problems.push(...(await findViolations(window)));
    const checkOpened = async (button: string, role: 'dialog' | 'menu') => {
      await page.getByRole('button', { name: button, exact: true }).click();
      await page.getByRole(role).waitFor();
      await page.locator('.skeleton').first().waitFor({ state: 'detached' });
      problems.push(...(await findViolations(window)), ...(await findCutTexts(window)));
      await window.press('Escape');
      await page.getByRole(role).waitFor({ state: 'detached' });
    };
    await checkOpened('Share', 'dialog');
    await checkOpened('Filter by this column', 'dialog');
    await checkOpened('More actions', 'menu');
    await checkOpened('Actions for the sheet Sheet1', 'menu');
    await page.getByRole('button', { name: 'Actions for the sheet Sheet1', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Protect …', exact: true }).click();
    await page.getByLabel('Hide the values').waitFor();
    problems.push(...(await findViolations(window)));
    await window.press('Escape');
    await page.getByRole('button', { name: 'History', exact: true }).click();
    await page.getByRole('button', { name: 'Restore this version', exact: true }).first().waitFor();
    problems.push(...(await findViolations(window)));
    for (const [path, button] of [
      ['/tokens', 'New token'],
      [`/webhooks?document=${document}`, 'New webhook'],
      ['/users', 'Invite'],
    ] as const) {
      await page.goto(path);
      await checkOpened(button, 'dialog');
    }
    assert.deepEqual(problems, []);
    await window.close();
  });

  it('creates a token for one document, replaces its secret and revokes it', async () => {
    const window = await stage.openSignedIn(anna);
    const { page } = window;
    await page.goto('/tokens');
    await page.getByRole('button', { name: 'New token', exact: true }).click();
    await page.getByLabel('What it is for').fill('reader');
    await page.getByRole('checkbox', { name: 'Only some documents', exact: true }).check();
    await page.getByRole('checkbox', { name: 'Accounts', exact: true }).check();
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'The token is made', exact: true });
    const readStatusWithShownSecret = async () => {
      const secret = /cw_\w+/.exec(await dialog.locator('.secret code').innerText())?.[0] ?? '';
      await dialog.getByRole('button', { name: 'Done', exact: true }).click();
      return { secret, status: await readStatus(secret) };
    };
    const readStatus = async (secret: string) =>
      (await stage.world.apiFor(secret, document).requestInDocument('GET', '')).status;
    const pick = async (action: string) => {
      await page.getByRole('button', { name: 'Actions for the token reader', exact: true }).click();
      await page.getByRole('menuitem', { name: action, exact: true }).click();
      await page.getByRole('dialog').getByRole('button', { name: action, exact: true }).click();
    };
    const first = await readStatusWithShownSecret();
    const closed = await stage.world.createDocument(String(anna.id), { title: 'Closed to tokens' });
    assert.equal((await stage.world.apiFor(first.secret, closed).requestInDocument('GET', '')).status, 403);
    await page.getByRole('cell', { name: '1 document', exact: true }).waitFor();
    await pick('Replace the secret');
    const second = await readStatusWithShownSecret();
    assert.deepEqual([first.status, second.status, await readStatus(first.secret)], [200, 200, 401]);
    await pick('Revoke');
    await page.getByRole('row').filter({ hasText: 'reader' }).getByText('revoked', { exact: true }).waitFor();
    assert.equal(await readStatus(second.secret), 401);
    await window.close();
  });

  it('exports a document and imports it by dropping the file', async () => {
    const window = await stage.openSignedIn(anna);
    const { page } = window;
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Actions for Accounts', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Download as .xlsx', exact: true }).click();
    const saved = await saving;
    assert.equal(saved.suggestedFilename(), 'Accounts.xlsx');
    await window.drop('Budget.xlsx', await readFile(await saved.path()));
    await page.getByText('“Budget” is imported.').getByRole('link', { name: 'Open', exact: true }).click();
    await page.getByRole('heading', { name: 'Budget', exact: true }).waitFor();
    await window.waitForText('A1', 'Rent');
    await window.waitForText('B1', '700');
    await window.close();
  });

  it('creates a webhook, shows its secret once, and shows a test delivery', async (test) => {
    const receiver = await startReceiver(test);
    const window = await stage.openSignedIn(anna);
    const { page } = window;
    await page.goto(`/webhooks?document=${document}`);
    await page.getByRole('button', { name: 'New webhook', exact: true }).click();
    await page.getByLabel('Address that receives the changes').fill(receiver.url);
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('dialog').getByText('whsec_', { exact: false }).first().waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).click();
    await page.getByRole('button', { name: `Actions for ${receiver.url}` }).click();
    await page.getByRole('menuitem', { name: 'Send a test', exact: true }).click();
    await receiver.waitForRequests(1);
    await page.getByRole('cell', { name: 'delivered', exact: true }).waitFor();
    await page
      .getByTitle(/^The last delivery: /)
      .getByText('delivered', { exact: true })
      .waitFor();
    receiver.behaviour = respondWith(404, {}, 'nobody here');
    await stage.world.apiFor(await stage.world.createToken(String(anna.id)), document).put('A2', [['Water', 30]]);
    await receiver.waitForRequests(2);
    // The page refreshes while a delivery is pending.
    await page.getByRole('button', { name: 'Refresh', exact: true }).click();
    const refused = page.getByRole('row').filter({ hasText: 'refused' });
    await refused.getByRole('button').first().click();
    const detail = page.getByRole('dialog', { name: 'Delivery', exact: true });
    await detail.getByRole('heading', { name: /^Attempt 1 .* 404 · refused$/ }).waitFor();
    await detail.getByText('nobody here', { exact: true }).waitFor();
    assert.deepEqual(await findViolations(window), []);
    await window.press('Escape');
    receiver.behaviour = respondWith(200);
    await refused.getByRole('button', { name: 'Send again', exact: true }).click();
    await receiver.waitForRequests(3);
    receiver.behaviour = respondWith(404);
    for (const [at, cell] of ['A3', 'A4'].entries()) {
      await stage.world.apiFor(await stage.world.createToken(String(anna.id)), document).put(cell, [['Light']]);
      await receiver.waitForRequests(4 + at);
    }
    await page.getByRole('button', { name: 'Refresh', exact: true }).click();
    await refused.nth(1).waitFor();
    receiver.behaviour = respondWith(200);
    // Shows all endpoints, also the hidden ones.
    await page.getByLabel('State', { exact: true }).selectOption('delivered');
    await refused.first().waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Send all failed ones again', exact: true }).click();
    await page.getByText('On the way again: 2.', { exact: true }).waitFor();
    await receiver.waitForRequests(7);
    await window.close();
  });

  it('focuses the first field of a form and the safe button of a confirmation', async () => {
    const window = await stage.openSignedIn(anna);
    const { page } = window;
    const checkFocus = async (open: () => Promise<void>, label: string) => {
      await open();
      const dialog = page.getByRole('dialog');
      const field = dialog.getByLabel(label);
      const expected = field.or(dialog.getByRole('button', { name: label, exact: true }));
      await expected.and(page.locator(':focus')).waitFor();
      await window.press('Escape');
      await dialog.waitFor({ state: 'detached' });
    };
    const click = (name: string) => () => page.getByRole('button', { name, exact: true }).click();
    const pick = (menu: string, item: string) => async () => {
      await click(menu)();
      await page.getByRole('menuitem', { name: item, exact: true }).click();
    };
    await checkFocus(click('New document'), 'Title of the document');
    await checkFocus(pick('Actions for Accounts', 'Rename'), 'Title of the document');
    await checkFocus(pick('Actions for Accounts', 'Share'), 'E-mail address of the user');
    await checkFocus(pick('Actions for Accounts', 'Delete'), 'Cancel');
    await page.goto('/tokens');
    await checkFocus(click('New token'), 'What it is for');
    await page.goto('/users');
    await checkFocus(click('Invite'), 'E-mail address');
    await page.goto(`/webhooks?document=${document}`);
    await checkFocus(click('New webhook'), 'Channel');
    await window.openDocument(document);
    await checkFocus(() => window.press('Control+g'), 'A range such as B20, A1:C9 or Orders!D5');
    await checkFocus(click('Share'), 'E-mail address of the user');
    await checkFocus(pick('Actions for the sheet Sheet1', 'Rename'), 'Name of the sheet');
    await checkFocus(pick('Actions for the sheet Sheet1', 'Protect …'), 'Hide the values');
    await checkFocus(pick('Number format', 'Another format …'), 'Format code, as in .xlsx files');
    await window.close();
  });

  it('renames a user, and erases one after the address was typed', async () => {
    const other = await stage.createPerson({ workspace: anna.workspace });
    const window = await stage.openSignedIn(anna);
    const { page } = window;
    await page.goto('/users');
    const pick = async (name: string, item: string) => {
      await page.getByRole('button', { name: `Actions for ${name}`, exact: true }).click();
      await page.getByRole('menuitem', { name: item, exact: true }).click();
    };
    const dialog = page.getByRole('dialog');
    await pick(other.name, 'Change name and e-mail');
    await dialog.getByLabel('Name', { exact: true }).fill('Renamed Person');
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Renamed Person', { exact: true }).waitFor();
    await pick('Renamed Person', 'Erase');
    await dialog.getByLabel(`Type ${other.email} to confirm`).fill('another@example.com');
    await dialog.getByRole('button', { name: 'Erase', exact: true }).click();
    await dialog.getByText('That is another address.').waitFor();
    await dialog.getByLabel(`Type ${other.email} to confirm`).fill(other.email);
    await dialog.getByRole('button', { name: 'Erase', exact: true }).click();
    await page.getByText(`Erased user ${other.id}`, { exact: true }).waitFor();
    await window.close();
  });

  it('chooses the locale of new documents, and shows that of a document', async () => {
    const window = await stage.openSignedIn(anna);
    const { page } = window;
    await page.goto('/users');
    const changed = page.waitForResponse((response) => response.url().endsWith('/console/workspace'));
    await page.getByLabel('Locale', { exact: true }).selectOption({ label: 'German (Germany)' });
    assert.equal((await changed).status(), 200);
    await page.getByRole('link', { name: 'Documents', exact: true }).click();
    await page.getByRole('button', { name: 'New document', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText('German (Germany)', { exact: true }).waitFor();
    await page.locator('.grid-editor:focus').waitFor({ state: 'attached' });
    await window.type('2026-01-31');
    await window.press('Enter');
    await window.waitForText('A1', '31.01.2026');
    await page.goto('/users');
    const reset = page.waitForResponse((response) => response.url().endsWith('/console/workspace'));
    await page.getByLabel('Locale', { exact: true }).selectOption({ label: 'The language of the browser' });
    assert.equal((await reset).status(), 200);
    await window.close();
  });

  it('shows the change log on a phone with labelled lines', async () => {
    const window = await stage.openSignedIn(anna, { viewport: { width: 360, height: 740 } });
    const { page } = window;
    for (const tab of ['Document', 'Sign-ins and rights']) {
      await page.goto('/log');
      await page.getByRole('tab', { name: tab, exact: true }).click();
      await page.locator('.table.stacked td[data-label]').first().waitFor();
      const low = await page.evaluate(`[...document.querySelectorAll('.table.stacked td[data-label]')]
        .filter((cell) => cell.getBoundingClientRect().height < 20).map((cell) => cell.outerHTML)`);
      assert.deepEqual(low, []);
    }
    await window.close();
  });

  it('shows five tasks with curl and both clients, and all methods', async () => {
    const window = await stage.openSignedIn(anna);
    const { page } = window;
    await page.goto('/docs');
    await page.getByRole('link', { name: 'Clients', exact: true }).click();
    const task = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Upsert from a file' }) });
    const labels = await task.locator('.code-block .hint').allInnerTexts();
    assert.deepEqual(labels, ['curl', 'TypeScript', 'Python']);
    await task.getByText("table('Orders!A:H', { key: 'Order' })", { exact: false }).waitFor();
    const methods = page.locator('section#typescript-cells table');
    await methods.getByText('book.read(range', { exact: false }).waitFor();
    assert.ok(!(await page.locator('article').innerText()).includes('](#'), 'links are shown as their texts');
    await window.close();
  });

  it('destroys nothing with one click in the reference', async () => {
    const window = await stage.openSignedIn(anna);
    const { page } = window;
    const keptDocument = await stage.world.createDocument(String(anna.id), { title: 'Kept' });
    const book = stage.world.apiFor(await stage.world.createToken(String(anna.id)), keptDocument);
    await book.put('A1', [['kept']]);
    await page.goto('/docs/reference');
    const search = page.getByLabel('Search the reference');
    const card = page.locator('.endpoint');
    const send = card.getByRole('button', { name: 'Send', exact: true });
    const open = async (operation: string) => {
      await search.fill(operation);
      await page.locator(`.endpoint#${operation} summary`).click();
      assert.equal(await card.getByLabel('Document', { exact: true }).inputValue(), '');
      await send.click();
      await card.getByLabel('Document', { exact: true }).selectOption({ label: 'Kept' });
    };
    await open('deleteDocument');
    await send.click();
    const dialog = page.getByRole('dialog', { name: 'Change “Kept”?', exact: true });
    await dialog.getByText(`DELETE /api/v1/documents/${keptDocument}`, { exact: false }).waitFor();
    await window.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    assert.equal((await book.cell('A1'))['v'], 'kept');
    await open('clearValues');
    await window.waitForExpression(`document.querySelector('.endpoint textarea')?.value.includes('A1:B2')`);
    await send.click();
    await card.getByText('Answer: 200', { exact: true }).waitFor();
    assert.equal((await book.cell('A1'))['v'], 'kept');
    await card.getByRole('checkbox', { name: /^Dry run/ }).uncheck();
    await send.click();
    const answered = page.waitForResponse(
      (answer) => answer.url().includes(keptDocument) && !answer.url().includes('dryRun'),
    );
    await dialog.getByRole('button', { name: 'Send it', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    assert.equal((await answered).status(), 200);
    assert.equal(await book.cell('A1'), null);
    await window.close();
  });

  it('runs the examples of the reference on a document of the user', async () => {
    const window = await stage.openSignedIn(anna);
    const { page } = window;
    await page.goto('/docs/reference');
    await page.getByLabel('Search the reference').fill('queryRecords');
    const card = page.locator('.endpoint');
    await card.locator('summary').click();
    await card.getByLabel('Document', { exact: true }).selectOption({ label: 'Accounts' });
    await window.waitForExpression(`document.querySelector('.endpoint textarea')?.value.includes('"Sheet1"')`);
    await card.getByRole('button', { name: 'Send', exact: true }).click();
    await card.getByText('Answer: 200', { exact: true }).waitFor();
    // Checking all endpoints at once would take as long as all other pages together.
    assert.deepEqual(await findViolations(window), []);
    await window.close();
  });

  it('shows the numbers of requests and refusals of tokens', async () => {
    const carl = await stage.createPerson();
    const { database, clock } = stage.world.server.service.context;
    const counted = { user_id: carl.id, period_start: clock() - USAGE_PERIOD_MS, requests: 3, refused: 2 };
    await database.write({ document: null, statements: [addRequestCount(counted)] });
    const window = await stage.openSignedIn(carl);
    const { page } = window;
    await page.goto('/usage');
    await page.getByRole('img', { name: 'Requests of the last 24 hours, in steps of five minutes' }).waitFor();
    const figure = page.locator('.figure').filter({ hasText: 'Requests in 24 h' });
    assert.equal(await figure.locator('b').innerText(), '3');
    await page.getByText('As a table', { exact: true }).click();
    await page.getByRole('columnheader', { name: 'Refused (429)', exact: true }).waitFor();
    await window.close();
  });

  it('invites a person who joins with the link', async () => {
    const window = await stage.openSignedIn(anna);
    const { page } = window;
    await page.goto('/users');
    await page.getByRole('button', { name: 'Invite', exact: true }).click();
    await page.getByLabel('E-mail address').fill('carla@example.org');
    await page.getByRole('dialog').getByRole('button', { name: 'Invite', exact: true }).click();
    const link = await page.getByRole('dialog').locator('.secret code').innerText();
    const other = await stage.openWindow();
    await other.page.goto(`/invite${link.slice(link.indexOf('#'))}`);
    await other.page.getByLabel('Your name').fill('Carla');
    await other.page.getByLabel('Password', { exact: true }).fill('three plain words');
    await other.press('Enter');
    await other.page.getByRole('heading', { name: 'Documents', exact: true }).waitFor();
    await other.close();
    await page.reload();
    await page.getByRole('cell', { name: 'Carla', exact: true }).waitFor();
    await window.close();
  });

  it('reports an invalid invitation', async () => {
    const other = await stage.openWindow();
    await other.page.goto('/invite#%E0%A4%A');
    await other.page.getByRole('alert').waitFor();
    await other.close();
  });

  it('describes who did what and where, with a link', async () => {
    const window = await stage.openWindow();
    const { page } = window;
    await page.goto('/');
    await window.signIn(anna.email, anna.password);
    await page.goto(`/log?document=${document}`);
    const row = page.getByRole('row').filter({ hasText: 'Changed cells' }).filter({ hasText: 'Sheet1!A1:B1' });
    await row.getByText('API · test token', { exact: true }).waitFor();
    await row.getByRole('link', { name: 'Sheet1!A1:B1', exact: true }).click();
    await page.getByRole('heading', { name: 'Accounts', exact: true }).waitFor();
    await page.goto('/log');
    await page.getByRole('tab', { name: 'Sign-ins and rights', exact: true }).click();
    await page.getByRole('cell', { name: 'Signed in', exact: true }).first().waitFor();
    await page.getByText('Chrome, Linux', { exact: true }).first().waitFor();
    await window.close();
  });

  it('shows a page for unknown addresses without a session', async () => {
    const window = await stage.openWindow();
    const { page } = window;
    const answer = await page.goto('/nowhere/at/all');
    assert.equal(answer?.status(), 404);
    await page.getByRole('heading', { name: 'There is no such page', exact: true }).waitFor();
    assert.deepEqual(await findViolations(window), []);
    await page.getByRole('link', { name: 'To the documents', exact: true }).click();
    await page.getByLabel('E-mail address').waitFor();
    await window.close();
  });

  it('keeps the download size before the grid within its limit', async () => {
    const window = await stage.openSignedIn(anna);
    const { page } = window;
    let bytes = 0;
    page.on('response', (response) => {
      if (response.url().endsWith('.js')) bytes += Number(response.headers()['content-length'] ?? 0);
    });
    await page.reload();
    await page.getByRole('link', { name: 'Accounts', exact: true }).waitFor();
    assert.ok(bytes > 0 && bytes <= 250 * 1024, `${bytes} bytes of JavaScript`);
    await window.close();
  });
});
