import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import axe from 'axe-core';
import type { Person } from '../../packages/server/test/http/browser.ts';
import { LEFT_OUT, Stage, type Window } from './browser.ts';

const PAGES = ['/', '/tokens', '/webhooks', '/log', '/usage', '/users', '/account', '/docs', '/docs/reference'];
/** Those of which a small screen leaves least room. */
const NARROW_PAGES = ['/', '/tokens', '/log', '/users', '/docs'];

interface Finding {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string }[];
}

describe('every page of the console', { skip: LEFT_OUT }, () => {
  let stage: Stage;
  let anna: Person;
  let document: string;

  before(async () => {
    stage = await Stage.begin();
    anna = await stage.person();
    document = await stage.world.document(String(anna.id), { title: 'Accounts' });
  });
  after(() => stage?.end());

  /** What stands in the way of people with disabilities, by the rules of WCAG 2.2 A and AA that a program can check. */
  async function findings({ page }: Window): Promise<readonly string[]> {
    await page.evaluate(axe.source);
    const run = `axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] })`;
    const { violations } = (await page.evaluate(run)) as { readonly violations: readonly Finding[] };
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${page.url()}: ${id}: ${nodes[0]?.html}`);
  }

  async function look(window: Window, pages: readonly string[]): Promise<readonly string[]> {
    const found: string[] = [];
    for (const path of [...pages, `/documents/${document}`]) {
      await window.page.goto(path);
      await window.page.locator('h1').first().waitFor();
      await window.page.locator('.skeleton').first().waitFor({ state: 'detached' });
      found.push(...(await findings(window)));
      const wide = await window.page.evaluate('document.documentElement.scrollWidth - innerWidth');
      if (Number(wide) > 0) found.push(`${path} is ${wide} px wider than the window`);
    }
    return found;
  }

  it('can be used by everybody, on a wide screen', async () => {
    const window = await stage.signedIn(anna);
    assert.deepEqual(await look(window, PAGES), []);
    await window.close();
  });

  it('can be used by everybody, in the dark on 360 pixels, in Russian', async () => {
    const window = await stage.window({ viewport: { width: 360, height: 740 }, colorScheme: 'dark', locale: 'ru-RU' });
    await window.page.goto('/');
    assert.deepEqual(await findings(window), []);
    await window.page.getByLabel('Электронная почта').fill(anna.email);
    await window.page.getByLabel('Пароль', { exact: true }).fill(anna.password);
    await window.page.getByRole('button', { name: 'Войти' }).click();
    await window.page.getByRole('heading', { name: 'Документы' }).waitFor();
    assert.deepEqual(await look(window, NARROW_PAGES), []);
    await window.close();
  });

  it('makes a token that works, shown once', async () => {
    const window = await stage.signedIn(anna);
    const { page } = window;
    await page.goto('/tokens');
    await page.getByRole('button', { name: 'New token' }).click();
    await page.getByLabel('What it is for').fill('reader');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    const secret = /cw_\w+/.exec(await page.getByRole('dialog').locator('.secret code').innerText())?.[0] ?? '';
    assert.equal((await stage.world.api(secret, document).here('GET', '')).status, 200);
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('cell', { name: /^reader/ }).waitFor();
    await window.close();
  });

  it('loads no more than it may before the grid', async () => {
    const window = await stage.signedIn(anna);
    const { page } = window;
    let bytes = 0;
    page.on('response', (response) => {
      if (response.url().endsWith('.js')) bytes += Number(response.headers()['content-length'] ?? 0);
    });
    await page.reload();
    await page.getByRole('link', { name: 'Accounts' }).waitFor();
    assert.ok(bytes > 0 && bytes <= 250 * 1024, `${bytes} bytes of JavaScript`);
    await window.close();
  });
});
