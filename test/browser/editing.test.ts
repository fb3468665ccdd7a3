import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Person } from '../../packages/server/test/http/browser.ts';
import type { Api } from '../../packages/server/test/http/support.ts';
import { type BrowserWindow, BrowserWorld, describeInBrowser, readCellValues } from './browser.ts';

describeInBrowser('editing cells in a browser', () => {
  let stage: BrowserWorld;
  let anna: Person;
  let token: string;
  let window: BrowserWindow;

  before(async () => {
    stage = await BrowserWorld.start();
    ({ person: anna, token, window } = await stage.signInNewPerson());
  });
  after(() => stage?.end());

  async function createDocument(values: Parameters<Api['put']>[1]): Promise<Api> {
    const book = stage.world.apiFor(token, await stage.world.createDocument(String(anna.id)));
    await book.put('A1', values);
    await window.openDocument(book.document);
    return book;
  }

  const findRangeField = () => window.page.getByLabel('Selected range');

  describe('an open draft is written to its own cell', () => {
    const moves: readonly (readonly [name: string, move: (book: Api) => Promise<void>])[] = [
      ['the range box', async () => window.goToRange('C9')],
      [
        'Find',
        async () => {
          await window.press('Control+f');
          await window.page.getByLabel('Find', { exact: true }).fill('far away');
          await window.press('Enter');
          await window.waitForExpression(`document.querySelector('.range-box').value === 'A7'`);
        },
      ],
      [
        'Go to',
        async () => {
          await window.press('Control+g');
          await window.page.getByRole('dialog').waitFor();
          await window.type('D5');
          await window.press('Enter');
          await window.waitForExpression(`document.querySelector('.range-box').value === 'D5'`);
        },
      ],
      ['the tab of another sheet', async () => window.page.getByRole('tab', { name: 'Other', exact: true }).click()],
      [
        'a link to a range',
        async (book) => {
          await window.page.evaluate(`location.hash = 'range=Other!B2'`);
          assert.ok(book);
          await window.waitForExpression(`document.querySelector('.range-box').value === 'B2'`);
        },
      ],
    ];
    for (const [name, move] of moves) {
      it(`when the selection moves by ${name}`, async () => {
        const book = await createDocument([['before'], [], [], [], [], [], ['far away']]);
        await book.requestInDocument('POST', '/sheets', { body: { name: 'Other' } });
        await window.page.getByRole('tab', { name: 'Other', exact: true }).waitFor();
        await window.goToRange('B2');
        await window.type('mine');
        await move(book);
        await window.page.locator('.grid-editor.editing').waitFor({ state: 'detached' });
        await window.page.getByRole('tab', { name: 'Sheet1', exact: true }).click();
        await window.waitForText('B2', 'mine');
        assert.equal((await book.cell('B2'))['v'], 'mine');
      });
    }

    it('but a formula that waits for a reference takes it from another sheet', async () => {
      const book = await createDocument([[1]]);
      await book.requestInDocument('POST', '/sheets', { body: { name: 'Other' } });
      await window.page.getByRole('tab', { name: 'Other', exact: true }).click();
      await window.page.getByRole('tab', { name: 'Sheet1', exact: true }).click();
      await window.goToRange('B1');
      await window.type('=');
      await window.page.getByRole('tab', { name: 'Other', exact: true }).click();
      await window.findCell('C3').click();
      await window.press('Enter');
      await window.waitForText('B1', '0');
      assert.equal((await book.cell('B1'))['f'], '=Other!C3');
    });
  });

  it('returns to the first column with Enter after Tab', async () => {
    const book = await createDocument([['Heading']]);
    await window.goToRange('B2');
    for (const [text, key] of [
      ['one', 'Tab'],
      ['two', 'Tab'],
      ['three', 'Enter'],
      ['four', 'Enter'],
    ] as const) {
      await window.type(text);
      await window.press(key);
    }
    await window.waitForText('B3', 'four');
    await window.waitForText('D2', 'three');
    assert.equal(await findRangeField().inputValue(), 'B4');
    assert.equal((await book.cell('C2'))['v'], 'two');
  });

  it('fills down to the end of the adjacent data on a double click', async () => {
    const book = await createDocument([
      ['Item', 'Price', 'Total'],
      ['a', 1, '=B2*2'],
      ['b', 2],
      ['c', 3],
      [],
      ['after a gap', 5],
    ]);
    await window.goToRange('C2');
    await window.waitForExpression(`(() => {
      const [handle, cell] = ['.grid-handle', '#cell-C2'].map((at) => document.querySelector(at)?.getBoundingClientRect());
      return handle && cell && Math.abs(handle.right - cell.right) < 8 && Math.abs(handle.bottom - cell.bottom) < 8;
    })()`);
    const box = await window.page.locator('.grid-handle').boundingBox();
    assert.ok(box !== null);
    await window.page.mouse.dblclick(box.x + box.width / 2, box.y + box.height / 2);
    await window.waitForText('C4', '6');
    assert.equal((await book.cell('C4'))['f'], '=B4*2');
    assert.equal(await window.findCell('C6').innerText(), '');
  });

  it('clears, formats and sums several ranges, chosen by mouse or keyboard', async () => {
    const book = await createDocument([
      [1, 2, 3],
      [4, 5, 6],
      [7, 8, 9],
    ]);
    await window.findCell('A1').click();
    await window.findCell('C1').click({ modifiers: ['Control'] });
    await window.findCell('B3').click({ modifiers: ['Control'] });
    await window.page.locator('.statistic').filter({ hasText: 'Sum: 12' }).waitFor();
    await window.page.getByRole('button', { name: 'Number format', exact: true }).click();
    await window.page.getByRole('menuitem', { name: '1,234.50', exact: true }).click();
    await window.waitForText('C1', '3.00');
    await window.waitForText('B3', '8.00');
    await window.waitForText('B2', '5');
    await window.goToRange('A1');
    await window.press('Shift+F8', 'ArrowDown', 'ArrowDown', 'Shift+ArrowRight');
    await window.page.locator('.statistic').filter({ hasText: 'Sum: 16' }).waitFor();
    await window.press('Delete');
    await window.waitForText('A3', '');
    await window.waitForText('A1', '');
    await window.waitForText('B3', '');
    await window.waitForText('A2', '4');
    await window.press('Control+z');
    await window.waitForText('A3', '7');
    await window.waitForText('A1', '1.00');
    assert.equal((await book.cell('B3'))['v'], 8);
    await window.press('Escape');
    await window.press('Delete');
    await window.waitForText('A3', '');
    await window.waitForText('A1', '1.00');
  });

  it('copies several ranges of the same rows and refuses others', async () => {
    await createDocument([
      ['a', 'b', 'c'],
      ['d', 'e', 'f'],
    ]);
    await window.goToRange('A1:A2');
    await window.page.keyboard.down('Control');
    await window.findCell('C1').hover();
    await window.page.mouse.down();
    await window.findCell('C2').hover();
    await window.page.mouse.up();
    await window.page.keyboard.up('Control');
    await window.press('Control+c');
    await window.goToRange('E1');
    await window.press('Control+v');
    await window.waitForText('F2', 'f');
    await window.waitForText('E1', 'a');
    await window.findCell('A1').click();
    await window.findCell('B2').click({ modifiers: ['Control'] });
    await window.press('Control+c');
    await window.page.getByText('can be copied together', { exact: false }).waitFor();
  });

  it('edits a date with its year and time in each format', async () => {
    const book = await createDocument([[46_000.75]]);
    await window.goToRange('A1');
    await window.page.getByRole('button', { name: 'Number format', exact: true }).click();
    await window.page.getByRole('menuitem', { name: 'Another format …', exact: true }).click();
    await window.page.getByLabel('Format code, as in .xlsx files').fill('dd/mm/yyyy');
    await window.press('Enter');
    await window.waitForText('A1', '09/12/2025');
    const before = await book.revision();
    await window.goToRange('A1');
    await window.press('F2');
    assert.equal(await window.page.locator('.grid-editor').inputValue(), '2025-12-09 18:00');
    await window.press('Enter');
    assert.equal(await book.revision(), before);
    await window.goToRange('A1');
    await window.press('F2', 'Home', 'ArrowRight', 'ArrowRight', 'ArrowRight', 'Delete');
    await window.type('6');
    await window.press('Enter');
    await window.waitForText('A1', '09/12/2026');
    assert.equal((await book.cell('A1'))['v'], 46_365.75);
  });

  describe('on a sheet with a filter', () => {
    async function createFilteredBook(): Promise<Api> {
      const book = await createDocument([
        ['City', 'Count', 'Note'],
        ['Riga', 1],
        ['Oslo', 10],
        ['Riga', 2],
        ['Oslo', 20],
        ['Riga', 3],
      ]);
      await window.goToRange('A2');
      await window.press('Shift+F10');
      await window.page.getByRole('menuitem', { name: 'Show only rows with this value', exact: true }).click();
      await window.findCell('A3').waitFor({ state: 'detached' });
      return book;
    }
    const readColumnValues = (book: Api, column: string) => readCellValues(book, `${column}1:${column}8`);

    it('Delete clears only visible rows', async () => {
      const book = await createFilteredBook();
      await window.goToRange('B2:B6');
      await window.page.locator('.statistic').filter({ hasText: 'Sum: 6' }).waitFor();
      await window.press('Delete');
      await window.waitForText('B6', '');
      assert.deepEqual(await readColumnValues(book, 'B'), ['Count', null, 10, null, 20, null, null, null]);
    });

    it('the menu deletes only visible rows, and shows their number', async () => {
      const book = await createFilteredBook();
      await window.goToRange('A2:A6');
      await window.press('Shift+F10');
      await window.page.getByRole('menuitem', { name: 'Delete 3 rows', exact: true }).click();
      await window.page.getByRole('button', { name: /^Rows with a match/ }).waitFor();
      await window.waitForExpression(`!document.querySelector('#cell-A2')?.textContent.includes('Riga')`);
      assert.deepEqual(await readColumnValues(book, 'A'), ['City', 'Oslo', 'Oslo', null, null, null, null, null]);
    });

    it('copies, pastes and fills only visible rows', async () => {
      const book = await createFilteredBook();
      await window.goToRange('B2:B6');
      await window.press('Control+c');
      await window.goToRange('C2');
      await window.press('Control+v');
      await window.waitForText('C6', '3');
      assert.deepEqual(await readColumnValues(book, 'C'), ['Note', 1, null, 2, null, 3, null, null]);
      assert.equal(await window.page.evaluate('navigator.clipboard.readText()'), '1\n2\n3');
      await window.goToRange('C2:C6');
      await window.press('Control+d');
      await window.waitForText('C6', '1');
      assert.deepEqual(await readColumnValues(book, 'C'), ['Note', 1, null, 1, null, 1, null, null]);
      await window.page.evaluate(`navigator.clipboard.writeText('x\\ny\\nz')`);
      await window.goToRange('C2');
      await window.press('Control+v');
      await window.waitForText('C6', 'z');
      assert.deepEqual(await readColumnValues(book, 'C'), ['Note', 'x', null, 'y', null, 'z', null, null]);
    });

    it('refuses to type into, sort or cut hidden rows, with the reason', async () => {
      const book = await createFilteredBook();
      const before = await book.revision();
      await window.goToRange('B3');
      await window.type('5');
      await window.page.getByText('The filter hides this row.', { exact: false }).first().waitFor();
      await window.goToRange('B2:B6');
      await window.press('Control+x');
      await window.page.getByText('The filter hides rows in between.', { exact: false }).first().waitFor();
      assert.equal(await book.revision(), before);
    });

    it('moves away from a hidden row', async () => {
      await createFilteredBook();
      await window.goToRange('A2');
      await window.page.getByRole('button', { name: /^Rows with a match/ }).click();
      await window.goToRange('A3');
      await window.press('Shift+F10');
      await window.page.getByRole('menuitem', { name: 'Show only rows with this value', exact: true }).click();
      await window.findCell('A2').waitFor({ state: 'detached' });
      assert.equal(await findRangeField().inputValue(), 'A3');
    });
  });

  it('shows no grid and accepts no keys if the values are hidden', async () => {
    const book = await createDocument([['secret']]);
    const ben = await stage.createPerson();
    await stage.world.share(book.document, String(ben.id), 'edit');
    await book.requestInDocument('POST', '/sheets', { body: { name: 'Open' } });
    await book.requestInDocument('PUT', '/sheets/Sheet1/protection', { body: { hideValues: true, lock: false } });
    const other = await stage.openSignedIn(ben);
    await other.page.goto(`/documents/${book.document}`);
    await other.page.getByText('The values of this sheet are hidden from you', { exact: true }).waitFor();
    assert.equal(await other.page.locator('.grid-editor').count(), 0);
    const before = await book.revision();
    await other.type('blind');
    await other.press('Enter', 'Delete', 'Control+v');
    await other.page.getByRole('tab', { name: 'Open', exact: true }).click();
    await other.page.locator('.grid-cell').first().waitFor();
    await other.startEditing();
    await other.type('seen');
    await other.press('Enter');
    await other.waitForText('A1', 'seen');
    assert.equal(Number(await book.revision()), Number(before) + 1);
    assert.equal((await book.cell('Sheet1!A1'))['v'], 'secret');
    await other.close();
  });
});
