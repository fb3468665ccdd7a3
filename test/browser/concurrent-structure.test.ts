import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { Person } from '../../packages/server/test/http/browser.ts';
import type { Api } from '../../packages/server/test/http/support.ts';
import { IS_DEEP } from '../depth.ts';
import { type BrowserWindow, BrowserWorld, describeInBrowser, restoreRevision, waitUntil } from './browser.ts';
import {
  ANNAS_CELL,
  ANNAS_ROW,
  ANNAS_TEXT,
  CHANGES,
  type ChangedBook,
  changeStructure,
  createText,
  isSelected,
  listDifferences,
  listExpectedDifferences,
  readTexts,
  selectSample,
  showFirstSheet,
  TEXTS,
  writeTexts,
} from './structure-changes.ts';

type ApplyChange = (changed: ChangedBook) => Promise<unknown>;
/** Anna's actions before and after a change by Ben. The document begins with `TEXTS`. */
type Interaction = (applyChange: ApplyChange, name: string) => Promise<void>;

describeInBrowser('selections, drafts and copies follow their cells', () => {
  let stage: BrowserWorld;
  let ben: Person;
  let book: Api;
  let window: BrowserWindow;
  let changed: ChangedBook;

  before(async () => {
    stage = await BrowserWorld.start();
    const shared = await stage.createSharedDocument();
    ben = shared.ben;
    book = shared.bensBook;
    changed = await writeTexts(book);
    window = await stage.openDocument(shared.anna, shared.id);
  });
  after(() => stage?.end());

  /** Waits until the page shows the cells of the service. */
  async function waitForAllCells(): Promise<void> {
    await showFirstSheet(window);
    await window.waitForTexts(selectSample(await readTexts(book)));
  }

  async function reset(): Promise<void> {
    await window.press('Escape', 'Escape');
    await restoreRevision(window, book, changed.base);
    await waitForAllCells();
    await window.goToRange('A1');
  }

  /** A draft is written to the cell in which it was started, or not at all. */
  async function completeDraft(applyChange: ApplyChange, isChangeVisible: boolean): Promise<void> {
    await window.goToRange(ANNAS_CELL);
    await window.type('mine');
    await applyChange(changed);
    const old = await readTexts(book);
    if (isChangeVisible) await waitForAllCells();
    await window.press('Enter');
    const expected = listExpectedDifferences(old, 'mine');
    if (expected.length === 0) await window.page.locator('.grid-editor.refused').waitFor();
    else await waitUntil(async () => (await readTexts(book)).get(expected[0]?.split(':')[0] ?? '') === 'mine');
    assert.deepEqual(listDifferences(old, await readTexts(book)), expected);
    if (expected.length === 0) assert.equal(await window.page.locator('.grid-editor').inputValue(), 'mine');
  }

  const INTERACTIONS: Readonly<Record<string, Interaction>> = {
    'a draft completed before the page knows the change': (applyChange) => completeDraft(applyChange, false),
    'a draft': (applyChange) => completeDraft(applyChange, true),
    // The next key must clear the selected cell or none.
    'a selection': async (applyChange, name) => {
      await window.goToRange(ANNAS_CELL);
      await applyChange(changed);
      const old = await readTexts(book);
      await waitForAllCells();
      const cleared = window.page.waitForResponse((answer) => answer.url().includes('/clear'));
      await window.press('Delete');
      await (await cleared).finished();
      // The selection stays on the sheet that Anna sees, where the cell is empty now.
      const isElsewhere = name === 'cuts the row to another sheet';
      assert.deepEqual(
        listDifferences(old, await readTexts(book)),
        isElsewhere ? [] : listExpectedDifferences(old, ''),
      );
    },
    // A paste must write the content of the copied cells.
    'copied cells': async (applyChange) => {
      await window.goToRange(ANNAS_CELL);
      await window.press('Control+c');
      await window.goToRange('J20');
      await applyChange(changed);
      const old = await readTexts(book);
      await waitForAllCells();
      await window.press('Control+v');
      await waitUntil(
        async () =>
          [...(await readTexts(book)).values()].filter((text) => text === ANNAS_TEXT).length >
          listExpectedDifferences(old, '').length,
      );
      const pasteDifferences = listDifferences(old, await readTexts(book));
      assert.equal(pasteDifferences.length, 1);
      assert.match(pasteDifferences[0] ?? '', new RegExp(`→ ${ANNAS_TEXT}$`));
    },
    // The reference must still name the same cell.
    'a reference in a formula': async (applyChange) => {
      await window.goToRange('J20');
      await window.type('=');
      await window.findCell(ANNAS_CELL).click();
      await applyChange(changed);
      const old = await readTexts(book);
      await waitForAllCells();
      await window.press('Enter');
      const expectedText = listExpectedDifferences(old, '').length === 0 ? '#REF!' : ANNAS_TEXT;
      await waitUntil(async () => listDifferences(old, await readTexts(book)).length === 1);
      assert.ok(listDifferences(old, await readTexts(book))[0]?.endsWith(`→ ${expectedText}`));
    },
  };

  for (const [row, [interaction, interact]] of Object.entries(INTERACTIONS).entries()) {
    for (const [column, [name, applyChange]] of Object.entries(CHANGES).entries()) {
      if (!IS_DEEP && !isSelected(row, column)) continue;
      it(`${interaction} follows its cell when Ben ${name}`, async () => {
        await reset();
        await interact(applyChange, name);
      });
    }
  }

  /** Changes whose only effect is a move of Anna's cell. */
  const MOVES = [
    'inserts a row above',
    'deletes a row above',
    'inserts a column before',
    'moves the row down',
    'sorts',
  ];

  const MOVED_ACTIONS: Readonly<Record<string, (applyChange: ApplyChange) => Promise<void>>> = {
    'a fill repeats the selected cell': async (applyChange) => {
      await window.goToRange('B4:C4');
      await applyChange(changed);
      const old = await readTexts(book);
      const [target = ''] = [...old].find(([, text]) => text === createText(ANNAS_ROW - 1, 2)) ?? [];
      await window.press('Control+r');
      await waitUntil(async () => (await readTexts(book)).get(target) === ANNAS_TEXT);
      assert.deepEqual(listDifferences(old, await readTexts(book)), [
        `${target}: ${createText(ANNAS_ROW - 1, 2)} → ${ANNAS_TEXT}`,
      ]);
    },
    'a search finds the cell at its new address': async (applyChange) => {
      await window.press('Control+f');
      await window.page.getByLabel('Find', { exact: true }).fill(ANNAS_TEXT);
      await applyChange(changed);
      await window.press('Enter');
      const address = [...(await readTexts(book))].find(([, text]) => text === ANNAS_TEXT)?.[0];
      await waitForAllCells();
      await waitUntil(async () => (await window.page.getByLabel('Selected range').inputValue()) === address);
      await window.press('Escape');
    },
    'an open sort dialog sorts its range by its column': async (applyChange) => {
      await window.goToRange('B1:D7');
      await window.press('Shift+F10');
      await window.page.getByRole('menuitem', { name: 'Sort rows by several columns…', exact: true }).click();
      const dialog = window.page.getByRole('dialog', { name: 'Sort rows', exact: true });
      await dialog.getByText('Sorts B1:D7', { exact: true }).waitFor();
      await applyChange(changed);
      const old = await readTexts(book);
      await waitForAllCells();
      await dialog.getByRole('button', { name: 'Sort', exact: true }).click();
      await dialog.waitFor({ state: 'detached' });
      const [first = ''] = [...old].find(([, text]) => text === createText(0, 1)) ?? [];
      const column = first.replace(/\d+/, '');
      const listColumnTexts = (all: ReadonlyMap<string, string>) =>
        [...all].filter(([address]) => address.startsWith(column)).map(([, text]) => text);
      const sorted = listColumnTexts(old).toSorted();
      await waitUntil(async () => listColumnTexts(await readTexts(book)).join() === sorted.join());
    },
    'an open filter dialog filters its column': async (applyChange) => {
      await window.goToRange('B2');
      await window.press('Alt+ArrowDown');
      const dialog = window.page.getByRole('dialog', { name: /^Rows to show by/ });
      await dialog.getByRole('button', { name: 'None', exact: true }).click();
      await dialog.getByRole('checkbox', { name: new RegExp(ANNAS_TEXT) }).check();
      await applyChange(changed);
      await dialog.getByRole('button', { name: 'Show these rows', exact: true }).click();
      await dialog.waitFor({ state: 'detached' });
      const currentTexts = await readTexts(book);
      const address = [...currentTexts].find(([, text]) => text === ANNAS_TEXT)?.[0] ?? '';
      await window.waitForText(address, ANNAS_TEXT);
      const [column, header] = [address.slice(0, 1), `${address.slice(0, 1)}1`];
      const others = [...currentTexts.keys()].filter(
        (one) => one.startsWith(column) && one !== address && one !== header,
      );
      assert.ok(others.length > 3);
      for (const other of others) await window.findCell(other).waitFor({ state: 'detached' });
      await changeStructure(book, { deleteFilter: { sheet: 'Sheet1' } });
    },
  };

  for (const [row, [action, perform]] of Object.entries(MOVED_ACTIONS).entries()) {
    for (const [column, name] of MOVES.entries()) {
      if (!IS_DEEP && !isSelected(row, column)) continue;
      it(`${action} when Ben ${name}`, async () => {
        await reset();
        await perform(CHANGES[name] as ApplyChange);
      });
    }
  }

  it('other users see the selection at its moved cell', async () => {
    await reset();
    await window.goToRange(ANNAS_CELL);
    const other = await stage.openDocument(ben, book.document);
    const frame = other.page.locator('.grid-mark.other');
    const isAt = (address: string) =>
      other.waitForExpression(`(() => {
        const [mark, cell] = ['.grid-mark.other', '#cell-${address}'].map((one) => document.querySelector(one)?.getBoundingClientRect());
        return mark && cell && Math.abs(mark.top - cell.top) < 3 && Math.abs(mark.left - cell.left) < 3;
      })()`);
    await frame.waitFor();
    await isAt('B4');
    await changeStructure(book, { insertRows: { sheet: 'Sheet1', before: 2, count: 2 } });
    await other.waitForText('B6', ANNAS_TEXT);
    await isAt('B6');
    await other.close();
  });

  it('an open menu deletes the row on which it was opened', async () => {
    await reset();
    await window.findCell(ANNAS_CELL).click({ button: 'right' });
    await CHANGES['inserts a row above']?.(changed);
    await waitForAllCells();
    const old = await readTexts(book);
    await window.page.getByRole('menuitem', { name: 'Delete row', exact: true }).click();
    await waitUntil(async () => (await readTexts(book)).size < old.size);
    const now = new Set((await readTexts(book)).values());
    assert.deepEqual(
      [...old.values()].filter((text) => !now.has(text)),
      TEXTS[ANNAS_ROW - 1],
    );
  });

  it('a cut moves exactly the cut cells', async () => {
    await reset();
    await window.goToRange('B4:C4');
    await window.press('Control+x');
    await CHANGES['inserts a row above']?.(changed);
    await waitForAllCells();
    await window.goToRange('J20');
    await window.press('Control+v');
    await waitUntil(async () => (await readTexts(book)).get('J20') === ANNAS_TEXT);
    const now = await readTexts(book);
    assert.deepEqual([now.get('K20'), now.get('B6'), now.get('B4')], [createText(3, 2), undefined, createText(1, 1)]);
  });

  it('a cut takes its cells from the restored sheet, but not from a new sheet with the name of the deleted one', async () => {
    const { page } = window;
    for (const isRestored of [true, false]) {
      await reset();
      const tab = page.getByRole('tab', { name: 'Cut', exact: true });
      await tab.waitFor({ state: 'detached' });
      await book.addSheet('Cut');
      await book.put('Cut!B2', [['held']]);
      await tab.click();
      await window.waitForText('B2', 'held');
      await window.goToRange('B2');
      await window.press('Control+x');
      await page.getByRole('tab', { name: 'Sheet1', exact: true }).click();
      await window.goToRange('J20');
      await book.deleteSheet('Cut');
      await tab.waitFor({ state: 'detached' });
      if (isRestored) await book.undo(await book.revision());
      else {
        await book.addSheet('Cut');
        await book.put('Cut!B2', [['new']]);
      }
      await tab.click();
      await window.waitForText('B2', isRestored ? 'held' : 'new');
      await page.locator('.grid-mark.copied:not([hidden])').waitFor({ state: isRestored ? 'attached' : 'detached' });
      await page.getByRole('tab', { name: 'Sheet1', exact: true }).click();
      await window.press('Control+v');
      if (!isRestored) await page.getByRole('button', { name: 'Paste their content' }).click();
      await waitUntil(async () => (await readTexts(book)).get('J20') === 'held');
      assert.equal((await book.cell('Cut!B2'))?.['v'] ?? null, isRestored ? null : 'new');
    }
  });

  it('an edit without a connection is saved in its moved cell', async () => {
    await reset();
    const { page } = window;
    await page.context().setOffline(true);
    await page.locator('.live.lost').waitFor();
    await window.goToRange(ANNAS_CELL);
    await window.type('mine');
    await window.press('Enter');
    await CHANGES['inserts a row above']?.(changed);
    const old = await readTexts(book);
    await page.context().setOffline(false);
    await waitUntil(async () => (await readTexts(book)).get('B6') === 'mine');
    assert.deepEqual(listDifferences(old, await readTexts(book)), listExpectedDifferences(old, 'mine'));
    await window.waitForText('B6', 'mine');
  });

  it('an edit without a connection whose cell Ben changed shows both values, and the user chooses', async () => {
    for (const choice of ['Keep theirs', 'Write mine']) {
      await reset();
      const { page } = window;
      await page.context().setOffline(true);
      await page.locator('.live.lost').waitFor();
      await window.goToRange(ANNAS_CELL);
      await window.type('mine');
      await window.press('Enter');
      await window.type('other');
      await window.press('Enter');
      await CHANGES['inserts a row above']?.(changed);
      await book.put('B6', [['theirs']]);
      await page.context().setOffline(false);
      const dialog = page.getByRole('dialog', { name: 'Another person changed B6', exact: true });
      await dialog.getByText('theirs', { exact: true }).waitFor();
      await dialog.getByText('mine', { exact: true }).waitFor();
      assert.equal((await readTexts(book)).get('B6'), 'theirs');
      // The question names the cell where it is now.
      await CHANGES['inserts a row above']?.(changed);
      const moved = page.getByRole('dialog', { name: 'Another person changed B8', exact: true });
      await moved.getByRole('button', { name: choice, exact: true }).click();
      const chosenText = choice === 'Keep theirs' ? 'theirs' : 'mine';
      await window.waitForText('B8', chosenText);
      await window.waitForText('B9', 'other');
      assert.equal((await readTexts(book)).get('B8'), chosenText);
    }
  });

  it('a draft on a deleted sheet is not written to a new sheet with its name, but to the restored sheet', async () => {
    await reset();
    await book.addSheet('Draft');
    const tab = window.page.getByRole('tab', { name: 'Draft', exact: true });
    await tab.click();
    await window.goToRange('B2');
    await window.type('mine');
    await book.deleteSheet('Draft');
    const deletion = await book.revision();
    await tab.waitFor({ state: 'detached' });
    await book.addSheet('Draft');
    await tab.waitFor();
    const refused = window.page.waitForResponse((answer) => answer.request().method() === 'PUT' && !answer.ok());
    await window.press('Enter');
    await refused;
    await window.page.locator('.grid-editor.refused').waitFor();
    assert.equal(await window.page.locator('.grid-editor').inputValue(), 'mine');
    assert.equal(await book.cell('Draft!B2'), null);
    await book.deleteSheet('Draft');
    await tab.waitFor({ state: 'detached' });
    await book.undo(deletion);
    await tab.waitFor();
    await window.press('Enter');
    await waitUntil(async () => String((await book.cell('Draft!B2'))?.['v']) === 'mine');
    await window.page.getByRole('tab', { name: 'Sheet1', exact: true }).click();
  });

  it("input during the user's own insertion goes to the displayed cell", async () => {
    await reset();
    const releaseInsertion = await window.delayRequests('POST', '**/structure');
    await window.goToRange('A2');
    await window.findCell('A2').click({ button: 'right' });
    await window.page.getByRole('menuitem', { name: 'Insert row above', exact: true }).click();
    await window.goToRange(ANNAS_CELL);
    await window.type('mine');
    await window.press('Enter');
    const old = await readTexts(book);
    await releaseInsertion();
    await waitUntil(async () => (await readTexts(book)).get('B5') === 'mine');
    assert.equal((await readTexts(book)).get('B4'), old.get('B3'));
    await waitForAllCells();
  });
});
