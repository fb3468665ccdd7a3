import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { Api } from '../../packages/server/test/http/support.ts';
import {
  type BrowserWindow,
  BrowserWorld,
  describeInBrowser,
  readCellValues,
  restoreRevision,
  waitUntil,
} from './browser.ts';

const ROWS = 6;
const TEXTS = Array.from({ length: ROWS }, (_, row) => ['a', 'b', 'c'].map((column) => `${column}${row + 1}`));
/** More rows than one request of a paste contains. */
const LARGE_PASTE_ROWS = 41_000;
/** A row of the last request. */
const LATE_ROW = 40_500;

interface OfflineEdit {
  readonly perform: (window: BrowserWindow) => Promise<void>;
  /** The cell that Ben changes during the action. */
  readonly cell: string;
  /** The value of `cell` if Anna writes hers; null if it becomes empty. */
  readonly mine: string | null;
  /** A cell that only Anna changes, with its value if she keeps Ben's value of `cell`. */
  readonly other?: readonly [cell: string, value: string | null];
}

async function copyTo(window: BrowserWindow, from: string, key: string, to: string): Promise<void> {
  await window.goToRange(from);
  await window.press(key);
  await window.goToRange(to);
  await window.press('Control+v');
}

async function pasteText(window: BrowserWindow, text: string, to: string): Promise<void> {
  await window.page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
  await window.goToRange(to);
  await window.press('Control+v');
}

async function chooseInMenu(window: BrowserWindow, range: string, item: string): Promise<void> {
  await window.goToRange(range);
  await window.press('Shift+F10');
  await window.page.getByRole('menuitem', { name: item, exact: true }).click();
}

const EDITS: Readonly<Record<string, OfflineEdit>> = {
  'a pasted text': {
    perform: (window) => pasteText(window, 'p1\np2\np3', 'B2'),
    cell: 'B3',
    mine: 'p2',
    other: ['B4', 'p3'],
  },
  'cleared cells': {
    perform: async (window) => {
      await window.goToRange('B2:C4');
      await window.press('Delete');
    },
    cell: 'B3',
    mine: null,
    other: ['C4', null],
  },
  'several cleared ranges': {
    perform: async (window) => {
      await window.goToRange('B2');
      await window.findCell('B4').click({ modifiers: ['Control'] });
      await window.press('Delete');
    },
    cell: 'B4',
    mine: null,
    other: ['B2', null],
  },
  'cells filled down': {
    perform: async (window) => {
      await window.goToRange('B2:B4');
      await window.press('Control+d');
    },
    cell: 'B3',
    mine: 'b2',
  },
  'copied cells': { perform: (window) => copyTo(window, 'A1:A2', 'Control+c', 'B3'), cell: 'B4', mine: 'a2' },
  'cut cells': { perform: (window) => copyTo(window, 'A1:A2', 'Control+x', 'B3'), cell: 'B4', mine: 'a2' },
  'a deleted row': { perform: (window) => chooseInMenu(window, 'A3', 'Delete row'), cell: 'B3', mine: 'b4' },
  'a deleted column': { perform: (window) => chooseInMenu(window, 'B2', 'Delete column'), cell: 'B3', mine: 'c3' },
};

describeInBrowser('edits that reach the service late', () => {
  let stage: BrowserWorld;
  let book: Api;
  let window: BrowserWindow;
  let base: string;

  before(async () => {
    stage = await BrowserWorld.start();
    const { id, anna, bensBook } = await stage.createSharedDocument();
    book = bensBook;
    await book.put('A1', TEXTS);
    base = await book.revision();
    window = await stage.openDocument(anna, id);
  });
  after(() => stage?.end());

  const findDialog = () => window.page.getByRole('dialog', { name: /^Another person changed / });
  const readValue = async (cell: string) => (await readCellValues(book, cell))[0] ?? null;

  async function reset(): Promise<void> {
    await window.press('Escape', 'Escape');
    await restoreRevision(window, book, base);
    await window.waitForTexts({ A1: 'a1', B2: 'b2', B3: 'b3', B4: 'b4', C4: 'c4' });
  }

  async function goOffline(): Promise<void> {
    await window.page.context().setOffline(true);
    await window.page.locator('.live.lost').waitFor();
  }

  for (const [name, { perform, cell, mine, other }] of Object.entries(EDITS)) {
    it(`ask before ${name} overwrite another person's value`, async () => {
      for (const choice of ['Keep theirs', 'Write mine']) {
        await reset();
        await goOffline();
        await perform(window);
        await book.put(cell, [['theirs']]);
        await window.page.context().setOffline(false);
        await findDialog().getByText('theirs', { exact: true }).waitFor();
        assert.equal(await readValue(cell), 'theirs');
        await findDialog().getByRole('button', { name: choice, exact: true }).click();
        await findDialog().waitFor({ state: 'detached' });
        await window.waitUntilSaved();
        if (choice === 'Write mine') await waitUntil(async () => (await readValue(cell)) === mine);
        else {
          assert.equal(await readValue(cell), 'theirs');
          if (other !== undefined) await waitUntil(async () => (await readValue(other[0])) === other[1]);
        }
      }
    });
  }

  it('ask again if the other person writes again before the decision', async () => {
    await reset();
    await goOffline();
    await pasteText(window, 'p1\np2', 'B2');
    await book.put('B3', [['theirs']]);
    await window.page.context().setOffline(false);
    await findDialog().getByText('theirs', { exact: true }).waitFor();
    await book.put('B3', [['newer']]);
    await findDialog().getByRole('button', { name: 'Write mine', exact: true }).click();
    await findDialog().getByText('newer', { exact: true }).waitFor();
    assert.equal(await readValue('B3'), 'newer');
    await findDialog().getByRole('button', { name: 'Write mine', exact: true }).click();
    await waitUntil(async () => (await readValue('B3')) === 'p2');
  });

  it('ask before a sheet is deleted on which another person wrote', async () => {
    await reset();
    await book.addSheet('Notes');
    await window.page.getByRole('tab', { name: 'Notes', exact: true }).click({ button: 'right' });
    await window.page.getByRole('menuitem', { name: 'Delete', exact: true }).click();
    await goOffline();
    await window.page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await book.put('Notes!A1', [['theirs']]);
    await window.page.context().setOffline(false);
    await findDialog().getByText('theirs', { exact: true }).waitFor();
    await findDialog().getByRole('button', { name: 'Keep theirs', exact: true }).click();
    await findDialog().waitFor({ state: 'detached' });
    assert.equal(await readValue('Notes!A1'), 'theirs');
    await window.press('Escape');
    await window.page.getByRole('tab', { name: 'Sheet1', exact: true }).click();
  });

  it('ask before a file replaces what another person wrote', async () => {
    await reset();
    await window.drop('Other.csv', Buffer.from('x,y\n'));
    const fileDialog = window.page.getByRole('dialog').filter({ hasText: 'Other.csv' });
    await fileDialog.getByRole('radio', { name: /^Replace all cells/ }).check();
    await fileDialog.getByRole('cell', { name: 'y', exact: true }).waitFor();
    await goOffline();
    await fileDialog.getByRole('button', { name: 'Import', exact: true }).click();
    await book.put('B3', [['theirs']]);
    await window.page.context().setOffline(false);
    await findDialog().getByText('theirs', { exact: true }).waitFor();
    await findDialog().getByRole('button', { name: 'Keep theirs', exact: true }).click();
    await fileDialog.getByRole('alert').getByText('Not written: the other person’s change stays.').waitFor();
    assert.deepEqual(await readCellValues(book, 'A1:B3'), ['a1', 'b1', 'a2', 'b2', 'a3', 'theirs']);
    await fileDialog.getByRole('button', { name: 'Cancel', exact: true }).click();
  });

  it('ask before an edit overwrites a value that was written while earlier edits were sent', async () => {
    await reset();
    const release = await window.delayRequests('PUT', '**/values/**');
    await window.goToRange('A1');
    for (const text of ['x1', 'x2']) {
      await window.type(text);
      await window.press('Enter');
    }
    await book.put('A2', [['theirs']]);
    await release();
    await findDialog().getByText('theirs', { exact: true }).waitFor();
    await findDialog().getByRole('button', { name: 'Keep theirs', exact: true }).click();
    await window.waitForText('A2', 'theirs');
    assert.deepEqual(await readCellValues(book, 'A1:A2'), ['x1', 'theirs']);
  });

  it('ask before an edit overwrites what the same person wrote in another tab, but not their earlier edits', async () => {
    await reset();
    const tab = await window.openTab();
    await tab.openDocument(book.document);
    const release = await window.delayRequests('PUT', '**/values/**');
    await window.goToRange('A1');
    await window.type('first');
    await window.press('Enter', 'ArrowUp');
    for (const text of ['second', 'late']) {
      await window.type(text);
      await window.press('Enter');
    }
    await tab.goToRange('A2');
    await tab.type('in the other tab');
    await tab.press('Enter');
    await waitUntil(async () => (await readValue('A2')) === 'in the other tab');
    await release();
    const question = window.page.getByRole('dialog', { name: 'You changed A2 in another tab or on another device' });
    await question.getByText('in the other tab', { exact: true }).waitFor();
    await question.getByText('late', { exact: true }).waitFor();
    assert.deepEqual(await readCellValues(book, 'A1:A2'), ['second', 'in the other tab']);
    await question.getByRole('button', { name: 'Write mine', exact: true }).click();
    await waitUntil(async () => (await readValue('A2')) === 'late');
    await tab.page.close();
  });

  it('ask once before a large paste overwrites what another person wrote while it was interrupted', async () => {
    const { page } = window;
    for (const choice of ['Keep theirs', 'Write mine']) {
      await reset();
      let parts = 0;
      const { promise: interrupted, resolve } = Promise.withResolvers<void>();
      await page.route('**/values/**', async (route) => {
        if (route.request().method() !== 'PUT' || ++parts !== 2) return route.continue();
        await page.context().setOffline(true);
        await route.abort();
        resolve();
      });
      await page.evaluate(
        `navigator.clipboard.writeText(Array.from({ length: ${LARGE_PASTE_ROWS} }, (_, i) => 'p' + (i + 1) + '\\tq' + (i + 1)).join('\\n'))`,
      );
      await window.goToRange('E1');
      await window.press('Control+v');
      await interrupted;
      await book.put(`E${LATE_ROW}`, [['theirs']]);
      await book.put(`F${LATE_ROW + 10}`, [['theirs too']]);
      await page.context().setOffline(false);
      await findDialog().getByText('theirs', { exact: true }).waitFor();
      await findDialog().getByRole('button', { name: choice, exact: true }).click();
      await page.getByText(/^Pasting:/).waitFor({ state: 'detached' });
      await window.waitUntilSaved();
      const isMine = choice === 'Write mine';
      assert.deepEqual(await readCellValues(book, `E${LATE_ROW}:F${LATE_ROW}`), [
        isMine ? `p${LATE_ROW}` : 'theirs',
        `q${LATE_ROW}`,
      ]);
      assert.deepEqual(await readCellValues(book, `F${LATE_ROW + 10}`), [isMine ? `q${LATE_ROW + 10}` : 'theirs too']);
      assert.deepEqual(await readCellValues(book, `E${LARGE_PASTE_ROWS}`), [`p${LARGE_PASTE_ROWS}`]);
      await page.unrouteAll({ behavior: 'wait' });
    }
  });
});
