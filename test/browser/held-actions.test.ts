import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { Api } from '../../packages/server/test/http/support.ts';
import { IS_DEEP } from '../depth.ts';
import {
  type BrowserWindow,
  BrowserWorld,
  describeInBrowser,
  restoreRevision,
  waitUntil,
  waitUntilSteady,
} from './browser.ts';
import {
  ANNAS_CELL,
  ANNAS_ROW,
  ANNAS_TEXT,
  CHANGES,
  type ChangedBook,
  hideAnnasRow,
  isSelected,
  listDifferences,
  readTexts,
  selectSample,
  showFirstSheet,
  TEXTS,
  writeTexts,
} from './structure-changes.ts';

type Texts = ReadonlyMap<string, string>;

/** Something that Anna begins before Ben's change and completes after it. */
interface HeldAction {
  readonly begin: (window: BrowserWindow) => Promise<void>;
  readonly complete: (window: BrowserWindow) => Promise<void>;
  /** True if Anna completes the action before her page knows Ben's change. */
  readonly isUnaware?: true;
  /** The texts of all cells after the action, computed from the texts after Ben's change. */
  readonly apply: (texts: readonly string[]) => readonly string[];
  /** Other possible texts if the page has lost the cells, because they were deleted. */
  readonly applyWithoutCells?: (texts: readonly string[]) => readonly string[];
  /** True if the action moves other cells. */
  readonly movesCells?: true;
}

async function goOffline({ page }: BrowserWindow): Promise<void> {
  await page.context().setOffline(true);
  await page.locator('.live.lost').waitFor();
}

/** Returns a function that removes the texts of deleted cells from a list. */
const exclude = (gone: readonly string[]) => (texts: readonly string[]) => texts.filter((text) => !gone.includes(text));
const ANNAS_ROW_TEXTS = TEXTS[ANNAS_ROW - 1] ?? [];

let releaseInsertion: () => Promise<void> = async () => {};

const ACTIONS: Readonly<Record<string, HeldAction>> = {
  'a cut': {
    begin: async (window) => {
      await window.goToRange(ANNAS_CELL);
      await window.press('Control+x');
      await window.goToRange('J20');
    },
    complete: (window) => window.press('Control+v'),
    apply: (texts) => [...texts.filter((text) => text !== ANNAS_TEXT), ANNAS_TEXT],
  },
  'an open menu': {
    begin: async (window) => {
      await window.findCell(ANNAS_CELL).click({ button: 'right' });
      await window.page.getByRole('menuitem', { name: /^Clear/ }).waitFor();
    },
    complete: async (window) => {
      const item = window.page.getByRole('menuitem', { name: /^Clear/ });
      // The menu closes together with its sheet.
      if ((await item.count()) > 0) await item.click();
    },
    apply: exclude([ANNAS_TEXT]),
    applyWithoutCells: (texts) => texts,
  },
  'an edit without a connection': {
    begin: async (window) => {
      await goOffline(window);
      await window.goToRange(ANNAS_CELL);
      await window.type('mine');
      await window.press('Enter');
    },
    complete: ({ page }) => page.context().setOffline(false),
    isUnaware: true,
    apply: (texts) => texts.map((text) => (text === ANNAS_TEXT ? 'mine' : text)),
  },
  'a deleted row without a connection': {
    begin: async (window) => {
      await goOffline(window);
      await window.goToRange(ANNAS_CELL);
      await window.press('Shift+F10');
      await window.page.getByRole('menuitem', { name: 'Delete row', exact: true }).click();
    },
    complete: ({ page }) => page.context().setOffline(false),
    isUnaware: true,
    apply: exclude(ANNAS_ROW_TEXTS),
    movesCells: true,
  },
  'a text typed after an own insertion without an answer': {
    begin: async (window) => {
      releaseInsertion = await window.delayRequests('POST', '**/structure');
      await window.goToRange('A2');
      await window.press('Shift+F10');
      await window.page.getByRole('menuitem', { name: 'Insert row above', exact: true }).click();
      await window.goToRange(ANNAS_CELL);
      await window.type('mine');
      await window.press('Enter');
    },
    complete: () => releaseInsertion(),
    isUnaware: true,
    apply: (texts) => texts.map((text) => (text === ANNAS_TEXT ? 'mine' : text)),
    movesCells: true,
  },
};

describeInBrowser('actions that another person interrupts', () => {
  let stage: BrowserWorld;
  let book: Api;
  let changed: ChangedBook;
  let window: BrowserWindow;

  before(async () => {
    stage = await BrowserWorld.start();
    const { id, anna, bensBook } = await stage.createSharedDocument();
    book = bensBook;
    changed = await writeTexts(book);
    window = await stage.openDocument(anna, id);
  });
  after(() => stage?.end());

  async function waitForAllCells(): Promise<void> {
    await window.waitForTexts(selectSample(await readTexts(book)));
  }

  /** Waits until the page knows Ben's change. */
  async function waitForChange(applyChange: typeof hideAnnasRow): Promise<void> {
    if (applyChange === hideAnnasRow) return window.findCell(ANNAS_CELL).waitFor({ state: 'detached' });
    await showFirstSheet(window);
    await waitForAllCells();
  }

  async function reset(): Promise<void> {
    await window.press('Escape', 'Escape');
    await window.closeMessages();
    await restoreRevision(window, book, changed.base);
    await waitForAllCells();
    await window.goToRange('A1');
  }

  /**
   * Waits until Anna's page is saved and several reads in a row give the same revision. In conflicts, Anna's changes
   * win.
   */
  async function settle(): Promise<void> {
    const { page } = window;
    await waitUntilSteady(async () => {
      const write = page.getByRole('button', { name: 'Write mine', exact: true });
      if ((await write.count()) > 0) await write.click();
      return (await window.isLiveAndSaved()) ? book.revision() : null;
    });
  }

  const menus: Readonly<Record<string, () => Promise<void>>> = {
    'a cell': () => window.findCell(ANNAS_CELL).click({ button: 'right' }),
    'a tab': () => window.page.getByRole('tab', { name: 'Sheet1' }).click({ button: 'right' }),
    'the button for sheets': () => window.page.locator('.sheet-tabs .menu-place button').click(),
  };
  for (const [place, openMenu] of Object.entries(menus)) {
    it(`closes the menu of ${place} when Ben deletes its sheet, but not when he renames it`, async () => {
      await reset();
      await openMenu();
      const { page } = window;
      const menu = page.getByRole('menu');
      await menu.waitFor();
      await book.renameSheet('Sheet1', 'Renamed');
      await page.getByRole('tab', { name: 'Renamed' }).waitFor();
      assert.equal(await menu.count(), 1);
      await book.deleteSheet('Renamed');
      await page.getByText('Another person deleted the sheet “Renamed”.').waitFor();
      await menu.waitFor({ state: 'detached' });
    });
  }

  it('counts the rows to delete again when Ben inserts rows while the menu is open', async () => {
    await reset();
    const { page } = window;
    await window.goToRange('A3:A5');
    await window.press('Shift+F10');
    await page.getByRole('menuitem', { name: 'Delete 3 rows', exact: true }).waitFor();
    await book.post('/structure', { operations: [{ insertRows: { sheet: 'Sheet1', before: 4, count: 2 } }] });
    await page.getByRole('menuitem', { name: 'Delete 5 rows', exact: true }).waitFor();
  });

  it('says why it cannot delete a row that Ben hid by a filter', async () => {
    await reset();
    const { page } = window;
    await window.goToRange(ANNAS_CELL);
    await hideAnnasRow(changed);
    await window.findCell(ANNAS_CELL).waitFor({ state: 'detached' });
    await window.press('Shift+F10');
    await page.getByRole('menuitem', { name: 'Delete row', exact: true }).click();
    await page.getByText('The filter hides this row.').waitFor();
    await book.post('/structure', { operations: [{ deleteFilter: { sheet: 'Sheet1' } }] });
  });

  it('shows the new name of a sheet although the connection was cut when Ben renamed it', async () => {
    await reset();
    const { page } = window;
    const failed = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/sheets'));
    await page.route('**/sheets', (route) => route.abort());
    await book.renameSheet('Sheet1', 'Renamed');
    await failed;
    await page.unrouteAll({ behavior: 'wait' });
    await page.getByRole('tab', { name: 'Renamed', selected: true }).waitFor();
  });

  it('ends a drag without effect when Ben deletes its sheet, and keeps the next key from another sheet', async () => {
    const { mouse } = window.page;
    const drags = {
      fill: () => window.pressFillHandle('B6'),
      selection: async () => {
        await window.moveTo('B4');
        await mouse.down();
        await window.moveTo('C6');
      },
    };
    for (const press of Object.values(drags)) {
      await reset();
      await book.put('Other!A1', [['kept'], ['kept too']]);
      await window.goToRange(ANNAS_CELL);
      await press();
      await book.deleteSheet('Sheet1');
      await window.waitForText('A1', 'kept');
      const old = await readTexts(book);
      await window.moveTo('A4');
      await mouse.up();
      await window.press('Delete');
      await window.page.getByText(/Select a cell here first/).waitFor();
      assert.deepEqual(listDifferences(old, await readTexts(book)), []);
    }
  });

  it('resizes no other column or row when Ben deletes the dragged one', async () => {
    const { mouse } = window.page;
    const readSize = async () => {
      const { width, height } = (await window.findCell(ANNAS_CELL).boundingBox()) ?? { width: 0, height: 0 };
      return [Math.round(width), Math.round(height)];
    };
    const deletions = {
      columns: { deleteColumns: { sheet: 'Sheet1', from: 'B', count: 1 } },
      rows: { deleteRows: { sheet: 'Sheet1', from: 4, count: 1 } },
    };
    for (const [axis, operation] of Object.entries(deletions)) {
      for (const movesAgain of [true, false]) {
        await reset();
        const sizes = await readSize();
        const { x, y, width, height } =
          (await window.findCell(axis === 'columns' ? 'B1' : 'A4').boundingBox()) ?? assert.fail();
        const [edgeX, edgeY] = axis === 'columns' ? [x + width - 1, y - 10] : [x - 15, y + height - 1];
        await mouse.move(edgeX, edgeY);
        await mouse.down();
        await mouse.move(edgeX + 60, edgeY + 40);
        await waitUntil(async () => (await readSize()).join() !== sizes.join());
        await book.post('/structure', { operations: [operation] });
        await waitForAllCells();
        if (movesAgain) await mouse.move(edgeX + 90, edgeY + 60);
        await mouse.up();
        await waitUntil(async () => (await readSize()).join() === sizes.join());
      }
    }
  });

  it('writes nothing when Ben deletes the row in which a fill or a paste begins', async () => {
    const { page } = window;
    const deleteRow = () =>
      book.post('/structure', { operations: [{ deleteRows: { sheet: 'Sheet1', from: 4, count: 1 } }] });
    const actions = {
      'fill by the handle': async () => {
        await window.pressFillHandle('B6');
        await deleteRow();
        await waitForAllCells();
        await window.moveTo('B7');
        await page.mouse.up();
        await page.getByText(/Nothing was changed/).waitFor();
      },
      paste: async () => {
        await page.evaluate("navigator.clipboard.writeText('x\\ny')");
        await deleteRow();
        await waitForAllCells();
        await window.press('Control+v');
        await page.locator('.toasts .notice.bad').waitFor();
      },
    };
    for (const perform of Object.values(actions)) {
      await reset();
      const expected = [...(await readTexts(book)).values()].filter((text) => !ANNAS_ROW_TEXTS.includes(text));
      await window.goToRange(ANNAS_CELL);
      await perform();
      await settle();
      assert.deepEqual(sortTexts((await readTexts(book)).values()), sortTexts(expected));
    }
  });

  const sortTexts = (texts: Iterable<string>) => [...texts].toSorted();

  const changes = { ...CHANGES, 'hides the row by a filter': hideAnnasRow };
  for (const [row, [action, held]] of Object.entries(ACTIONS).entries()) {
    const { begin, complete, isUnaware = false, apply, applyWithoutCells, movesCells = false } = held;
    for (const [column, [change, applyChange]] of Object.entries(changes).entries()) {
      if (!IS_DEEP && !isSelected(row, column)) continue;
      it(`${action} reaches only its cells when Ben ${change}`, async () => {
        await reset();
        await begin(window);
        await applyChange(changed);
        const old: Texts = await readTexts(book);
        if (!isUnaware) await waitForChange(applyChange);
        await complete(window);
        await settle();
        const now = await readTexts(book);
        const texts = [...old.values()];
        const [actual, expected] = [sortTexts(now.values()), sortTexts(apply(texts))];
        const isRefused =
          (await window.page.locator('.toasts .notice.bad, .grid-editor.refused').count()) > 0 ||
          (await window.page.getByRole('menu').count()) > 0;
        const isLost = change === 'deletes that row' || /deletes the sheet|another sheet/.test(change);
        const others = [
          ...(isRefused ? [texts] : []),
          ...(isLost && applyWithoutCells ? [applyWithoutCells(texts)] : []),
        ];
        if (!others.some((one) => String(actual) === String(sortTexts(one)))) assert.deepEqual(actual, expected);
        const changedOthers = listDifferences(old, now).filter((one) => !one.includes(ANNAS_TEXT));
        if (!movesCells) assert.deepEqual(changedOthers, []);
      });
    }
  }
});
