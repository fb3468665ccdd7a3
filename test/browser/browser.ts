import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe } from 'node:test';
import axe from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { createPerson, type Person } from '../../packages/server/test/http/browser.ts';
import { type Api, startWorld, type World, type WorldSettings } from '../../packages/server/test/http/support.ts';
import { CHROMIUM } from './chromium.ts';

const BUILT = new URL('../../packages/console/dist/index.html', import.meta.url);

/** Timeout of a step, in milliseconds: on a busy machine it can take a hundred times longer than on a quiet one. */
const STEP_TIMEOUT_MS = 90_000;

/** Time between two checks of a state, in milliseconds. */
const POLL_MS = 25;

/** Number of equal reads after which a state is not expected to change any more. */
const STEADY_READS = 8;

/** Why browser tests are skipped; false if they run. */
export const SKIP_REASON = findSkipReason();

function findSkipReason(): string | false {
  if (CHROMIUM !== null) return false;
  assert.notEqual(process.env['REQUIRE_BROWSER'], '1', 'REQUIRE_BROWSER=1, and there is no Chromium');
  const reason =
    'NO CHROMIUM WAS FOUND: THE CONSOLE IS NOT TESTED IN A BROWSER (apt-get install chromium-headless-shell)';
  console.error(`\n  ${reason}\n`);
  return reason;
}

/**
 * Describes tests that need a browser. They are skipped with a message if no Chromium is installed, because a contributor
 * may not have one; continuous integration requires it.
 */
export function describeInBrowser(name: string, body: () => void): void {
  describe(name, { skip: SKIP_REASON }, body);
}

/** A document of Anna that Ben may edit. */
export interface SharedDocument {
  readonly id: string;
  readonly anna: Person;
  readonly ben: Person;
  /** Client of the document's owner, Anna. */
  readonly annasBook: Api;
  readonly bensBook: Api;
}

/** A person, a token for the API, and a window in which the person is signed in. */
interface SignedInPerson {
  readonly person: Person;
  readonly token: string;
  readonly window: BrowserWindow;
}

/** A service and a browser that opens its console. */
export class BrowserWorld {
  readonly world: World;
  private readonly browser: Browser;
  private readonly windows: BrowserWindow[] = [];

  private constructor(world: World, browser: Browser) {
    this.world = world;
    this.browser = browser;
  }

  static async start(settings: WorldSettings = {}): Promise<BrowserWorld> {
    assert.ok(existsSync(BUILT), 'the console is not built: npm run build');
    const browser = await chromium.launch({
      executablePath: CHROMIUM ?? '',
      args: ['--no-sandbox', '--disable-dev-shm-usage'],
    });
    return new BrowserWorld(await startWorld(settings), browser);
  }

  /** Ends everything even if a window reported an error: leftovers would block all later test files. */
  async end(): Promise<void> {
    await this.browser.close();
    await this.world.close();
    for (const { problems } of this.windows) assert.deepEqual(problems, []);
  }

  createPerson(options: { readonly workspace?: number; readonly once?: boolean } = {}): Promise<Person> {
    return createPerson(this.world, options);
  }

  /** Creates a person with a token, and opens a window in which the person is signed in. */
  async signInNewPerson(): Promise<SignedInPerson> {
    const person = await this.createPerson();
    const token = await this.world.createToken(String(person.id));
    return { person, token, window: await this.openSignedIn(person) };
  }

  async createSharedDocument(): Promise<SharedDocument> {
    const { world } = this;
    const [anna, ben] = [await this.createPerson(), await this.createPerson()];
    const id = await world.createDocument(String(anna.id));
    await world.share(id, String(ben.id), 'edit');
    const createApi = async (person: Person) => world.apiFor(await world.createToken(String(person.id)), id);
    return { id, anna, ben, annasBook: await createApi(anna), bensBook: await createApi(ben) };
  }

  /** Opens a window with its own storage. Requests to other hosts and errors in the page fail the test. */
  async openWindow(options: Parameters<Browser['newContext']>[0] = {}): Promise<BrowserWindow> {
    const context = await this.browser.newContext({
      baseURL: this.world.server.address,
      viewport: { width: 1280, height: 800 },
      locale: 'en-US',
      ...options,
    });
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    context.setDefaultTimeout(STEP_TIMEOUT_MS);
    const window = new BrowserWindow(context, await context.newPage(), this.world.server.address);
    this.windows.push(window);
    return window;
  }

  /** A window with a signed-in person, without the form: `Window.signIn` fills that in. */
  async openSignedIn(
    { email, password }: Person,
    options: Parameters<BrowserWorld['openWindow']>[0] = {},
  ): Promise<BrowserWindow> {
    const window = await this.openWindow(options);
    const { page } = window;
    const headers = { origin: this.world.server.address };
    const answer = await page.request.post('/console/session', { data: { email, password }, headers });
    assert.equal(answer.status(), 200);
    await page.goto('/');
    return window;
  }

  /** A window with a signed-in person and an open document. */
  async openDocument(person: Person, document: string): Promise<BrowserWindow> {
    const window = await this.openSignedIn(person);
    await window.openDocument(document);
    return window;
  }
}

export class BrowserWindow {
  readonly page: Page;
  /** Errors of the page and its requests to other hosts. */
  readonly problems: string[];
  private readonly context: BrowserContext;
  private readonly address: string;

  constructor(context: BrowserContext, page: Page, address: string, problems: string[] = []) {
    this.context = context;
    this.address = address;
    this.page = page;
    this.problems = problems;
    page.on('pageerror', (error) => this.problems.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error' && /Content Security Policy|Refused/.test(message.text())) {
        this.problems.push(message.text());
      }
    });
    page.on('request', (request) => {
      const isOwn = request.url().startsWith(address) || /^(?:data|blob):/.test(request.url());
      if (!isOwn) this.problems.push(`asked ${request.url()}`);
    });
  }

  async close(): Promise<void> {
    await this.context.close();
    assert.deepEqual(this.problems, []);
  }

  async signIn(email: string, password: string): Promise<void> {
    const { page } = this;
    await page.getByLabel('E-mail address').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByLabel('Password', { exact: true }).waitFor({ state: 'detached' });
  }

  /** Opens another tab of the same browser session. Its problems are added to the problems of this window. */
  async openTab(): Promise<BrowserWindow> {
    return new BrowserWindow(this.context, await this.context.newPage(), this.address, this.problems);
  }

  /**
   * Opens a document and waits for its cells; the first cell is selected. From a page of the console, the document
   * opens as after a click on a link, which takes less processor time than loading the console again.
   */
  async openDocument(document: string, range?: string): Promise<void> {
    const { page } = this;
    const path = `/documents/${document}${range === undefined ? '' : `#range=${encodeURIComponent(range)}`}`;
    await this.goTo(path);
    await page.locator('.grid-cell').first().waitFor();
    await page.locator('.grid-cell.unknown').first().waitFor({ state: 'hidden' });
    await page.locator('.grid-editor').focus();
  }

  /** Opens a page of the console. */
  private async goTo(path: string): Promise<void> {
    const { page } = this;
    const { pathname } = new URL(path, this.address);
    const isOpen = page.url().startsWith(this.address) && new URL(page.url()).pathname !== pathname;
    if (!isOpen) return void (await page.goto(path));
    await page.evaluate(
      `history.pushState(null, '', ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent('popstate'));`,
    );
  }

  findCell(address: string) {
    return this.page.locator(`#cell-${address}`);
  }

  /** Waits until a cell shows a text. */
  async waitForText(address: string, text: string): Promise<void> {
    await this.page
      .locator(`#cell-${address}:not(.pending)`)
      .filter({ hasText: matchExactly(text) })
      .waitFor();
  }

  /** Waits until cells show their texts, with one call of the browser instead of one for each cell. */
  waitForTexts(texts: Readonly<Record<string, string>>): Promise<void> {
    return this.waitForExpression(`Object.entries(${JSON.stringify(texts)}).every(([address, text]) => {
      const cell = document.getElementById('cell-' + address);
      return cell !== null && !cell.classList.contains('pending') && cell.textContent.trim() === text;
    })`);
  }

  /**
   * Selects a range by its name. One script types and presses Enter: separate keyboard events would take three times
   * the processor time, and tests do this hundreds of times.
   */
  goToRange(range: string): Promise<void> {
    return this.waitForExpression(`(() => {
      const box = document.querySelector('.range-box');
      if (box === null) return false;
      box.focus();
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(box, ${JSON.stringify(range)});
      box.dispatchEvent(new Event('input', { bubbles: true }));
      box.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
      return document.activeElement.matches('.grid-editor');
    })()`);
  }

  /** Presses the fill handle of the selection and moves the mouse to a cell. */
  async pressFillHandle(target: string): Promise<void> {
    const { mouse } = this.page;
    await this.page.locator('.grid-handle').hover();
    await mouse.down();
    await this.moveTo(target);
  }

  /** Moves the mouse to the middle of a cell. */
  async moveTo(cell: string): Promise<void> {
    const box = await this.findCell(cell).boundingBox();
    assert.ok(box !== null);
    await this.page.mouse.move(box.x + box.width / 2, box.y + box.height / 2, { steps: 3 });
  }

  async dragFillHandle(target: string): Promise<void> {
    await this.pressFillHandle(target);
    await this.page.mouse.up();
  }

  /**
   * Waits until an expression is true in the page. It is passed as a function, because text would be evaluated with
   * `eval`, which the content security policy of the page forbids.
   */
  async waitForExpression(expression: string): Promise<void> {
    const options = { polling: POLL_MS };
    await this.page.waitForFunction(new Function(`return ${expression}`) as () => boolean, undefined, options);
  }

  /**
   * Waits until the selected cell accepts input. While the rights on a sheet load, the page ignores keys of people other
   * than the owner.
   */
  async startEditing(): Promise<void> {
    const editing = this.page.locator('.grid-editor.editing');
    await waitUntil(async () => {
      await this.press('F2');
      return (await editing.count()) > 0;
    });
  }

  /** True if the service has answered all writes of the page: none is sent, waits for the network or is shown as pending. */
  isSaved(): Promise<boolean> {
    return this.page.evaluate(`(() => {
      const bar = document.querySelector('.status-bar');
      return (
        bar?.querySelector('.live')?.textContent !== 'Saving …' &&
        !bar?.querySelector('.badge.warn[role="alert"]') &&
        document.querySelector('.grid-cell.pending') === null
      );
    })()`);
  }

  /** True if the page follows the document and the service has answered all its writes. */
  async isLiveAndSaved(): Promise<boolean> {
    return (await this.page.locator('.live').filter({ hasText: 'Live' }).count()) > 0 && (await this.isSaved());
  }

  waitUntilSaved(): Promise<void> {
    return waitUntil(() => this.isLiveAndSaved());
  }

  /** Closes all messages, with one script: a message that disappears meanwhile has no button any more. */
  async closeMessages(): Promise<void> {
    await this.page.evaluate(
      `for (const button of document.querySelectorAll('.toasts button[aria-label="Close"]')) button.click()`,
    );
  }

  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  /** Holds requests of a kind back until the returned function is called. Later requests are sent immediately. */
  async delayRequests(method: string, address: string): Promise<() => Promise<void>> {
    const { promise: released, resolve } = Promise.withResolvers<void>();
    await this.page.route(address, async (route) => {
      if (route.request().method() === method) await released;
      await route.continue();
    });
    return async () => {
      resolve();
      await this.page.unrouteAll({ behavior: 'wait' });
    };
  }

  /** Drops a file onto the page, as from the desktop. */
  async drop(name: string, content: Buffer): Promise<void> {
    const files = await this.page.evaluateHandle(`(() => {
      const bytes = Uint8Array.from(atob(${JSON.stringify(content.toString('base64'))}), (c) => c.charCodeAt(0));
      const files = new DataTransfer();
      files.items.add(new File([bytes], ${JSON.stringify(name)}));
      return files;
    })()`);
    await this.page.dispatchEvent('body', 'drop', { dataTransfer: files });
  }

  type(text: string): Promise<void> {
    return this.page.keyboard.type(text);
  }
}

function matchExactly(text: string): RegExp {
  return new RegExp(`^${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`);
}

/** Waits until the service has reached a state. */
export async function waitUntil(holds: () => Promise<boolean>, describeState?: () => string): Promise<void> {
  const end = performance.now() + STEP_TIMEOUT_MS;
  while (performance.now() < end) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  assert.fail(`the state was not reached in time${describeState === undefined ? '' : `: ${describeState()}`}`);
}

/**
 * Waits until a state is the same in several reads in a row, which means that no change is in progress. `readState`
 * returns null while the state cannot be final.
 */
export async function waitUntilSteady(
  readState: () => Promise<string | null>,
  describeState?: () => string,
): Promise<void> {
  let last: string | null = null;
  let equalReads = 0;
  await waitUntil(async () => {
    const state = await readState();
    equalReads = state !== null && state === last ? equalReads + 1 : 0;
    last = state;
    return equalReads >= STEADY_READS;
  }, describeState);
}

let restoreCount = 0;

/**
 * Restores a revision and waits until the page has it. The restored cells can look like the cells before, so a new text
 * in H1 shows that the page is up to date: it moves its selection when it learns of a restored revision.
 */
export async function restoreRevision(window: BrowserWindow, book: Api, revision: string): Promise<void> {
  await book.restore(revision);
  restoreCount += 1;
  const text = `restored ${restoreCount}`;
  await book.put('Sheet1!H1', [[text]]);
  const tab = window.page.getByRole('tab', { name: 'Sheet1', exact: true });
  await waitUntil(async () => {
    // The page may have shown another sheet while this one was deleted.
    if ((await tab.count()) > 0 && (await tab.getAttribute('aria-selected')) !== 'true') await tab.click();
    return (await window.findCell('H1').filter({ hasText: text }).count()) > 0;
  });
}

/** Values of the cells of a range, row by row; null for an empty cell. */
export async function readCellValues(book: Api, range: string): Promise<readonly unknown[]> {
  const rows = (await book.cells(range)) as unknown as readonly (readonly ({ v: unknown } | null)[])[];
  return rows.flat().map((cell) => cell?.v ?? null);
}

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** Accessibility violations by WCAG 2.2 A and AA and best practices. */
export async function findViolations({ page }: BrowserWindow): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  // Passing rules are not reported; there are many more of them.
  const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
  const run = `axe.run({ resultTypes: ['violations'], runOnly: ${JSON.stringify(rules)} })
    .then(({ violations }) => ({ violations }))`;
  const { violations } = (await page.evaluate(run)) as { readonly violations: readonly Violation[] };
  return violations.map(({ id, nodes }) => `${page.url()}: ${id}: ${nodes[0]?.html}`);
}

/** Dialogs that are wider than their place, and selects that cut their chosen text. */
export async function findCutTexts({ page }: BrowserWindow): Promise<readonly string[]> {
  const texts = (await page.evaluate(`(() => {
    const canvas = document.createElement('canvas').getContext('2d');
    const dialogs = [...document.querySelectorAll('dialog[open]')].filter((one) => one.scrollWidth > one.clientWidth);
    const selects = [...document.querySelectorAll('select')].filter((select) => {
      const { font, paddingLeft, paddingRight } = getComputedStyle(select);
      canvas.font = font;
      const room = select.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
      return canvas.measureText(select.selectedOptions[0]?.text ?? '').width > room;
    });
    return [...dialogs, ...selects].map((one) => one.outerHTML.slice(0, 200));
  })()`)) as readonly string[];
  return texts.map((html) => `${page.url()}: cut: ${html}`);
}
