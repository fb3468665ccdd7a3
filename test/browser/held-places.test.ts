import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { Person } from '../../packages/server/test/http/browser.ts';
import type { Api } from '../../packages/server/test/http/support.ts';
import { describeInBrowser, Stage, until, type Window } from './browser.ts';

const ROWS = 7;
/** Anna's row and cell. */
const ROW = 4;
const HELD = 'B4';

/** Distinct texts that sort into another order. */
function textOf(row: number, column: number): string {
  return `${'xfbwkcd'[row] ?? ''}${column}${row + 1}`;
}

const TEXTS = Array.from({ length: ROWS }, (_, row) =>
  Array.from({ length: 4 }, (_unused, column) => textOf(row, column)),
);
const HELD_TEXT = textOf(ROW - 1, 1);

/** Ben's concurrent changes. */
const DEEDS: Readonly<Record<string, (book: Api) => Promise<unknown>>> = {
  'inserts a row above': (book) => structure(book, { insertRows: { sheet: 'Sheet1', before: 2, count: 2 } }),
  'deletes a row above': (book) => structure(book, { deleteRows: { sheet: 'Sheet1', from: 2, count: 1 } }),
  'deletes that row': (book) => structure(book, { deleteRows: { sheet: 'Sheet1', from: ROW, count: 1 } }),
  'inserts a column before': (book) => structure(book, { insertColumns: { sheet: 'Sheet1', before: 'A', count: 1 } }),
  'moves the row down': (book) => structure(book, { moveRows: { sheet: 'Sheet1', from: ROW, count: 1, before: 7 } }),
  sorts: (book) => structure(book, { sort: { range: 'A1:D7', by: [{ column: 'A', order: 'ascending' }] } }),
  'cuts the row to another place': (book) => structure(book, { cut: { from: 'A4:D4', to: 'A10' } }),
  'inserts a row above and takes that back': async (book) => {
    await DEEDS['inserts a row above']?.(book);
    await book.undo(await book.revision());
  },
  'deletes the row, and takes that back': async (book) => {
    await DEEDS['deletes that row']?.(book);
    await book.undo(await book.revision());
  },
  'renames the sheet and inserts a row': async (book) => {
    await book.renameSheet('Sheet1', 'Renamed');
    await structure(book, { insertRows: { sheet: 'Renamed', before: 1, count: 1 } });
  },
};

function structure(book: Api, operation: object): Promise<unknown> {
  return book.post('/structure', { operations: [operation] });
}

describeInBrowser('selections, drafts and copies follow their cells', () => {
  let stage: Stage;
  let anna: Person;
  let ben: Person;
  let book: Api;
  let window: Window;
  let base: string;

  before(async () => {
    stage = await Stage.begin();
    anna = await stage.person();
    ben = await stage.person();
    const { world } = stage;
    const document = await world.document(String(anna.id));
    await world.share(document, String(ben.id), 'edit');
    book = world.api(await world.token(String(ben.id)), document);
    await book.put('A1', TEXTS);
    base = await book.revision();
    window = await stage.signedIn(anna);
    await window.open(document);
  });
  after(() => stage?.end());

  /** Current position of each text. */
  async function places(): Promise<ReadonlyMap<string, string>> {
    const { sheets } = (await book.sheets()).body as unknown as { sheets: readonly { name: string }[] };
    const cells = (await book.get(`'${sheets[0]?.name}'!A1:N30`, { render: 'plain' })).body['values']['cells'];
    const found = new Map<string, string>();
    for (const [i, line] of (cells as unknown as readonly (readonly unknown[])[]).entries()) {
      for (const [j, text] of line.entries())
        if (text !== null) found.set(`${'ABCDEFGHIJKLMN'[j]}${i + 1}`, String(text));
    }
    return found;
  }

  /** True if all cells of the page equal those of the service. */
  async function showsAll(): Promise<void> {
    const held = await places();
    for (const address of ['A1', 'B2', 'B3', 'B4', 'B5', 'C6', 'B7']) {
      await window.shows(address, held.get(address) ?? '');
    }
  }

  async function beginAgain(): Promise<void> {
    await window.press('Escape', 'Escape');
    await book.restore(base);
    await showsAll();
    await window.go('A1');
  }

  const differences = (old: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>) =>
    [...new Set([...old.keys(), ...now.keys()])]
      .filter((address) => old.get(address) !== now.get(address))
      .map((address) => `${address}: ${old.get(address) ?? ''} → ${now.get(address) ?? ''}`);

  /** The cell that Anna must have changed: the one with her text, if it still exists. */
  const only = (old: ReadonlyMap<string, string>, next: string) =>
    [...old].filter(([, text]) => text === HELD_TEXT).map(([address, text]) => `${address}: ${text} → ${next}`);

  for (const [name, deed] of Object.entries(DEEDS)) {
    it(`where Ben ${name}`, async () => {
      // A draft goes to the cell in which it was started, or nowhere.
      for (const isSeen of [true, false]) {
        await beginAgain();
        await window.go(HELD);
        await window.type('mine');
        await deed(book);
        const old = await places();
        if (isSeen) await showsAll();
        await window.press('Enter');
        const expected = only(old, 'mine');
        if (expected.length === 0) await window.page.locator('.grid-editor.refused').waitFor();
        else await until(async () => (await places()).get(expected[0]?.split(':')[0] ?? '') === 'mine');
        assert.deepEqual(differences(old, await places()), expected);
        if (expected.length === 0) assert.equal(await window.page.locator('.grid-editor').inputValue(), 'mine');
      }
      // A selection: the next key clears its cell or none.
      await beginAgain();
      await window.go(HELD);
      await deed(book);
      let old = await places();
      await showsAll();
      const cleared = window.page.waitForResponse((answer) => answer.url().includes('/clear'));
      await window.press('Delete');
      await (await cleared).finished();
      assert.deepEqual(differences(old, await places()), only(old, ''));
      // Copied cells: a paste gives their content.
      await beginAgain();
      await window.go(HELD);
      await window.press('Control+c');
      await window.go('J20');
      await deed(book);
      old = await places();
      await showsAll();
      await window.press('Control+v');
      await until(
        async () => [...(await places()).values()].filter((text) => text === HELD_TEXT).length > only(old, '').length,
      );
      const came = differences(old, await places());
      assert.equal(came.length, 1);
      assert.match(came[0] ?? '', new RegExp(`→ ${HELD_TEXT}$`));
      // A picked range in a formula still names the same cell.
      await beginAgain();
      await window.go('J20');
      await window.type('=');
      await window.cell(HELD).click();
      await deed(book);
      old = await places();
      await showsAll();
      await window.press('Enter');
      // A deleted cell is not named any more, even after undo. No other cell is named instead.
      const picked = name.startsWith('deletes the row,') || only(old, '').length === 0 ? '#REF!' : HELD_TEXT;
      await until(async () => differences(old, await places()).length === 1);
      assert.ok(differences(old, await places())[0]?.endsWith(`→ ${picked}`));
    });
  }

  /** Changes that only move Anna's cell. */
  const MOVES = [
    'inserts a row above',
    'deletes a row above',
    'inserts a column before',
    'moves the row down',
    'sorts',
  ];

  for (const name of MOVES) {
    const deed = DEEDS[name] as (api: Api) => Promise<unknown>;

    it(`as a fill, where Ben ${name}: it repeats the cell that was seen`, async () => {
      await beginAgain();
      await window.go('B4:C4');
      await deed(book);
      const old = await places();
      const [target = ''] = [...old].find(([, text]) => text === textOf(ROW - 1, 2)) ?? [];
      await window.press('Control+r');
      await until(async () => (await places()).get(target) === HELD_TEXT);
      assert.deepEqual(differences(old, await places()), [`${target}: ${textOf(ROW - 1, 2)} → ${HELD_TEXT}`]);
    });

    it(`as a search, where Ben ${name}: it finds the cell where it is then`, async () => {
      await beginAgain();
      await window.press('Control+f');
      await window.page.getByLabel('Find', { exact: true }).fill(HELD_TEXT);
      await deed(book);
      await window.press('Enter');
      const address = [...(await places())].find(([, text]) => text === HELD_TEXT)?.[0];
      await showsAll();
      await until(async () => (await window.page.getByLabel('Selected range').inputValue()) === address);
      await window.press('Escape');
    });

    it(`as an open sort, where Ben ${name}: it sorts the range and the column that were seen`, async () => {
      await beginAgain();
      await window.go('B1:D7');
      await window.press('Shift+F10');
      await window.page.getByRole('menuitem', { name: 'Sort rows by several columns…', exact: true }).click();
      const dialog = window.page.getByRole('dialog', { name: 'Sort rows', exact: true });
      await dialog.getByText('Sorts B1:D7', { exact: true }).waitFor();
      await deed(book);
      const old = await places();
      await showsAll();
      await dialog.getByRole('button', { name: 'Sort', exact: true }).click();
      await dialog.waitFor({ state: 'detached' });
      const [first = ''] = [...old].find(([, text]) => text === textOf(0, 1)) ?? [];
      const column = first.replace(/\d+/, '');
      const inColumn = (all: ReadonlyMap<string, string>) =>
        [...all].filter(([address]) => address.startsWith(column)).map(([, text]) => text);
      const sorted = inColumn(old).toSorted();
      await until(async () => inColumn(await places()).join() === sorted.join());
    });

    it(`as an open filter, where Ben ${name}: it filters the column that was seen`, async () => {
      await beginAgain();
      await window.go('B2');
      await window.press('Alt+ArrowDown');
      const dialog = window.page.getByRole('dialog', { name: /^Rows to show by/ });
      await dialog.getByRole('button', { name: 'None', exact: true }).click();
      await dialog.getByRole('checkbox', { name: new RegExp(HELD_TEXT) }).check();
      await deed(book);
      await dialog.getByRole('button', { name: 'Show these rows', exact: true }).click();
      await dialog.waitFor({ state: 'detached' });
      const held = await places();
      const address = [...held].find(([, text]) => text === HELD_TEXT)?.[0] ?? '';
      await window.shows(address, HELD_TEXT);
      const [column, header] = [address.slice(0, 1), `${address.slice(0, 1)}1`];
      const others = [...held.keys()].filter((one) => one.startsWith(column) && one !== address && one !== header);
      assert.ok(others.length > 3);
      for (const other of others) await window.cell(other).waitFor({ state: 'detached' });
      await structure(book, { deleteFilter: { sheet: 'Sheet1' } });
    });
  }

  it('as what others are shown of her selection', async () => {
    await beginAgain();
    await window.go(HELD);
    const other = await stage.signedIn(ben);
    await other.open(book.document);
    const frame = other.page.locator('.grid-mark.other');
    const isAt = (address: string) =>
      other.holds(`(() => {
        const [mark, cell] = ['.grid-mark.other', '#cell-${address}'].map((one) => document.querySelector(one)?.getBoundingClientRect());
        return mark && cell && Math.abs(mark.top - cell.top) < 3 && Math.abs(mark.left - cell.left) < 3;
      })()`);
    await frame.waitFor();
    await isAt('B4');
    await structure(book, { insertRows: { sheet: 'Sheet1', before: 2, count: 2 } });
    await other.shows('B6', HELD_TEXT);
    await isAt('B6');
    await other.close();
  });

  it('in an open menu: it deletes the row that it was opened on', async () => {
    await beginAgain();
    await window.cell(HELD).click({ button: 'right' });
    await DEEDS['inserts a row above']?.(book);
    await showsAll();
    const old = await places();
    await window.page.getByRole('menuitem', { name: 'Delete row', exact: true }).click();
    await until(async () => (await places()).size < old.size);
    const now = new Set((await places()).values());
    assert.deepEqual(
      [...old.values()].filter((text) => !now.has(text)),
      TEXTS[ROW - 1],
    );
  });

  it('as a cut: exactly the cut cells move', async () => {
    await beginAgain();
    await window.go('B4:C4');
    await window.press('Control+x');
    await DEEDS['inserts a row above']?.(book);
    await showsAll();
    await window.go('J20');
    await window.press('Control+v');
    await until(async () => (await places()).get('J20') === HELD_TEXT);
    const now = await places();
    assert.deepEqual([now.get('K20'), now.get('B6'), now.get('B4')], [textOf(3, 2), undefined, textOf(1, 1)]);
  });

  it('as an edit that waits for a connection', async () => {
    await beginAgain();
    const { page } = window;
    await page.context().setOffline(true);
    await page.locator('.live.lost').waitFor();
    await window.go(HELD);
    await window.type('mine');
    await window.press('Enter');
    await DEEDS['inserts a row above']?.(book);
    const old = await places();
    await page.context().setOffline(false);
    await until(async () => (await places()).get('B6') === 'mine');
    assert.deepEqual(differences(old, await places()), only(old, 'mine'));
    await window.shows('B6', 'mine');
  });

  it('as an edit that waited while Ben changed its cell: both values are shown, and the person decides', async () => {
    for (const choice of ['Keep theirs', 'Write mine']) {
      await beginAgain();
      const { page } = window;
      await page.context().setOffline(true);
      await page.locator('.live.lost').waitFor();
      await window.go(HELD);
      await window.type('mine');
      await window.press('Enter');
      await window.type('other');
      await window.press('Enter');
      await DEEDS['inserts a row above']?.(book);
      await book.put('B6', [['theirs']]);
      await page.context().setOffline(false);
      const dialog = page.getByRole('dialog', { name: 'Another person changed B6', exact: true });
      await dialog.getByText('theirs', { exact: true }).waitFor();
      await dialog.getByText('mine', { exact: true }).waitFor();
      assert.equal((await places()).get('B6'), 'theirs');
      await dialog.getByRole('button', { name: choice, exact: true }).click();
      const kept = choice === 'Keep theirs' ? 'theirs' : 'mine';
      await window.shows('B6', kept);
      await window.shows('B7', 'other');
      assert.equal((await places()).get('B6'), kept);
    }
  });

  it('as a draft on a sheet that is deleted, and restored', async () => {
    await beginAgain();
    await book.addSheet('Draft');
    await window.page.getByRole('tab', { name: 'Draft', exact: true }).click();
    await window.go('B2');
    await window.type('mine');
    await book.deleteSheet('Draft');
    await window.page.getByRole('tab', { name: 'Draft', exact: true }).waitFor({ state: 'detached' });
    await window.press('Enter');
    await window.page.locator('.grid-editor.refused').waitFor();
    assert.equal(await window.page.locator('.grid-editor').inputValue(), 'mine');
    await book.undo(await book.revision());
    await window.page.getByRole('tab', { name: 'Draft', exact: true }).waitFor();
    await window.press('Enter');
    await until(async () => String((await book.cell('Draft!B2'))?.['v']) === 'mine');
    await window.page.getByRole('tab', { name: 'Sheet1', exact: true }).click();
  });

  it('as one’s own insertion is under way: what is typed goes to the cell that was seen', async () => {
    await beginAgain();
    const go = await window.hold('POST', '**/structure');
    await window.go('A2');
    await window.cell('A2').click({ button: 'right' });
    await window.page.getByRole('menuitem', { name: 'Insert row above', exact: true }).click();
    await window.go(HELD);
    await window.type('mine');
    await window.press('Enter');
    const old = await places();
    await go();
    await until(async () => (await places()).get('B5') === 'mine');
    assert.equal((await places()).get('B4'), old.get('B3'));
    await showsAll();
  });
});
