import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { Api } from '../../packages/server/test/http/support.ts';
import { type BrowserWindow, BrowserWorld, describeInBrowser, restoreRevision, waitUntil } from './browser.ts';
import {
  ANNAS_CELL,
  ANNAS_ROW,
  ANNAS_TEXT,
  type ChangedBook,
  changeStructure,
  createText,
  readTexts,
  selectSample,
  TEXTS,
  writeTexts,
} from './structure-changes.ts';

const ROW_DELETION = { deleteRows: { sheet: 'Sheet1', from: ANNAS_ROW, count: 1 } };

describeInBrowser('what a user holds returns when a deletion is undone', () => {
  let stage: BrowserWorld;
  let book: Api;
  let window: BrowserWindow;
  let changed: ChangedBook;

  before(async () => {
    stage = await BrowserWorld.start();
    const shared = await stage.createSharedDocument();
    book = shared.bensBook;
    changed = await writeTexts(book);
    window = await stage.openDocument(shared.anna, shared.id);
  });
  after(() => stage?.end());

  async function waitForAllCells(): Promise<void> {
    await window.waitForTexts(selectSample(await readTexts(book)));
  }

  async function reset(): Promise<void> {
    await window.press('Escape', 'Escape');
    await window.closeMessages();
    await restoreRevision(window, book, changed.base);
    await waitForAllCells();
    await window.goToRange('A1');
  }

  /** Ben deletes Anna's row. Returns when Anna's page knows. */
  async function deleteRow(): Promise<() => Promise<unknown>> {
    await changeStructure(book, ROW_DELETION);
    const deletion = await book.revision();
    await waitForAllCells();
    return () => book.undo(deletion);
  }

  async function deleteRowAndUndo(): Promise<void> {
    const undo = await deleteRow();
    await undo();
    await waitForAllCells();
  }

  async function cutRow(): Promise<void> {
    await window.goToRange('A4:D4');
    await window.press('Control+x');
    await window.goToRange('F12');
  }

  /** Waits until the row is at the target and only there. */
  async function waitForMovedRow(): Promise<void> {
    await waitUntil(async () => (await readTexts(book)).get('F12') === createText(ANNAS_ROW - 1, 0));
    const texts = await readTexts(book);
    assert.deepEqual(
      ['F12', 'G12', 'H12', 'I12', 'A4', 'B4'].map((address) => texts.get(address)),
      [...(TEXTS[ANNAS_ROW - 1] ?? []), undefined, undefined],
    );
  }

  const RETURNS: Readonly<Record<string, () => Promise<void>>> = {
    'undoes the deletion': deleteRowAndUndo,
    'restores the version before the deletion': async () => {
      await deleteRow();
      await book.restore(String(Number(await book.revision()) - 1));
      await waitForAllCells();
    },
    'renames the sheet before the undo': async () => {
      const undo = await deleteRow();
      await book.renameSheet('Sheet1', 'Renamed');
      await window.page.getByRole('tab', { name: 'Renamed', exact: true }).waitFor();
      await undo();
      await waitForAllCells();
    },
  };
  for (const [name, perform] of Object.entries(RETURNS)) {
    it(`a cut moves its cells when Ben ${name}`, async () => {
      await reset();
      await cutRow();
      await perform();
      await window.page.locator('.grid-mark.copied').waitFor();
      await window.press('Control+v');
      await waitForMovedRow();
    });
  }

  it('a cut moves its cells when the undo reaches the page only after the paste', async () => {
    await reset();
    await cutRow();
    const undo = await deleteRow();
    await window.goToRange('F11');
    await window.page.context().setOffline(true);
    await window.page.locator('.live.lost').waitFor();
    await window.press('Control+v');
    await undo();
    await window.page.context().setOffline(false);
    await waitForMovedRow();
  });

  it('offers the content of cut cells that are gone, and writes nothing before', async () => {
    await reset();
    await cutRow();
    await deleteRow();
    const old = await readTexts(book);
    await window.press('Control+v');
    const offer = window.page.getByRole('button', { name: 'Paste their content', exact: true });
    await offer.waitFor();
    assert.deepEqual(await readTexts(book), old);
    await window.goToRange('F12');
    await offer.click();
    await waitUntil(async () => (await readTexts(book)).get('I12') === createText(ANNAS_ROW - 1, 3));
    assert.equal((await readTexts(book)).size, old.size + 4);
  });

  it('a selection has all of its cells again', async () => {
    const readSelection = () => window.page.getByLabel('Selected range').inputValue();
    for (const range of ['B3:C4', 'B4:C5', 'B4', 'A4:D4']) {
      await reset();
      await window.goToRange(range);
      await deleteRowAndUndo();
      assert.equal(await readSelection(), range);
      const expected = (await readTexts(book)).size;
      await window.press('Delete');
      await waitUntil(async () => (await readTexts(book)).size < expected);
      assert.equal((await readTexts(book)).get(range.split(':').at(-1) ?? ''), undefined);
    }
  });

  it('a draft is at its cell again, with what was typed meanwhile', async () => {
    await reset();
    await window.goToRange(ANNAS_CELL);
    await window.type('mi');
    const undo = await deleteRow();
    await window.page.locator('.grid-editor.refused').waitFor();
    await window.type('ne');
    await undo();
    await window.page.locator('.grid-editor.refused').waitFor({ state: 'detached' });
    await window.press('Enter');
    await waitUntil(async () => (await readTexts(book)).get(ANNAS_CELL) === 'mine');
  });

  it('a draft, a selection and a cut return although rows and columns were inserted before the undo', async () => {
    const deleteAndUndo = async () => {
      const undo = await deleteRow();
      await changeStructure(book, { insertRows: { sheet: 'Sheet1', before: 1, count: 1 } });
      await changeStructure(book, { insertColumns: { sheet: 'Sheet1', before: 'A', count: 1 } });
      await undo();
      await waitForAllCells();
    };
    await reset();
    await window.goToRange(ANNAS_CELL);
    await window.type('mine');
    await deleteAndUndo();
    await window.press('Enter');
    await waitUntil(async () => (await readTexts(book)).get('C5') === 'mine');

    await reset();
    await window.goToRange('B4:C4');
    await deleteAndUndo();
    assert.equal(await window.page.getByLabel('Selected range').inputValue(), 'C5:D5');
    await window.press('Delete');
    await waitUntil(async () => (await readTexts(book)).get('D5') === undefined);

    await reset();
    await cutRow();
    await deleteAndUndo();
    await window.goToRange('F12');
    await window.press('Control+v');
    await waitUntil(async () => (await readTexts(book)).get('F12') === createText(ANNAS_ROW - 1, 0));
    assert.equal((await readTexts(book)).get('B5'), undefined);
  });

  it('the content of another cell at the place of deleted cells is neither edited nor copied', async () => {
    const refusal = window.page.getByText(/Nothing was changed/);
    const actions: Readonly<Record<string, () => Promise<void>>> = {
      'edit and type': async () => {
        await window.press('F2');
        await refusal.waitFor();
        await window.type('mine');
      },
      cut: () => window.press('Control+x'),
      fill: () => window.dragFillHandle('B6'),
    };
    for (const perform of Object.values(actions)) {
      await reset();
      await window.goToRange(ANNAS_CELL);
      const undo = await deleteRow();
      await perform();
      await refusal.waitFor();
      await undo();
      const expected = await readTexts(book);
      await waitForAllCells();
      await window.press('Tab');
      await window.waitUntilSaved();
      assert.deepEqual(await readTexts(book), expected);
    }
  });

  it('a formula that is being typed has its references again', async () => {
    await reset();
    await window.goToRange('F12');
    await window.type('=');
    await window.findCell(ANNAS_CELL).click();
    const undo = await deleteRow();
    await window.type('&"!"');
    const editor = window.page.locator('.grid-editor');
    assert.equal(await editor.inputValue(), '=#REF!&"!"');
    await undo();
    await waitUntil(async () => (await editor.inputValue()) === `=${ANNAS_CELL}&"!"`);
    await window.press('Enter');
    await waitUntil(async () => (await readTexts(book)).get('F12') === `${ANNAS_TEXT}!`);
  });

  it('an open sort dialog has its range and its key again', async () => {
    await reset();
    await window.goToRange('B1:D7');
    await window.press('Shift+F10');
    await window.page.getByRole('menuitem', { name: 'Sort rows by several columns…', exact: true }).click();
    const dialog = window.page.getByRole('dialog', { name: 'Sort rows', exact: true });
    await dialog.getByText('Sorts B1:D7', { exact: true }).waitFor();
    await changeStructure(book, { deleteColumns: { sheet: 'Sheet1', from: 'B', count: 3 } });
    await waitForAllCells();
    const range = dialog.getByLabel('Range', { exact: true });
    await waitUntil(async () => (await range.inputValue()) === '');
    await book.undo(await book.revision());
    await waitUntil(async () => (await range.inputValue()) === 'B1:D7');
    await dialog.getByText('Sorts B1:D7', { exact: true }).waitFor();
    await window.press('Escape');
  });
});
