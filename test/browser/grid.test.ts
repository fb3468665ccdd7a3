import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { createSingleSheetParts, createTestFolder, writeZip } from '../../packages/files/test/workbook-files.ts';
import type { Person } from '../../packages/server/test/http/browser.ts';
import { type Api, memberAt } from '../../packages/server/test/http/support.ts';
import { type BrowserWindow, BrowserWorld, describeInBrowser } from './browser.ts';

const LAYOUT = `<sheetViews><sheetView workbookViewId="0"><pane xSplit="1" ySplit="2" topLeftCell="B3" activePane="bottomRight" state="frozen"/></sheetView></sheetViews>
  <cols><col min="2" max="2" width="30" customWidth="1"/></cols>
  <sheetData>
    <row r="1"><c r="A1" t="inlineStr"><is><t>Heading</t></is></c></row>
    <row r="300"><c r="A300"><v>300</v></c><c r="Z300"><v>26</v></c></row>
  </sheetData>
  <mergeCells count="4"><mergeCell ref="C3:D5"/><mergeCell ref="A1:A2"/><mergeCell ref="E1:F2"/><mergeCell ref="A8:A9"/></mergeCells>`;

describeInBrowser('the grid in a browser', () => {
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

  async function drag(from: { x: number; y: number }, to: { x: number; y: number }): Promise<void> {
    const { mouse } = window.page;
    await mouse.move(from.x, from.y);
    await mouse.down();
    await mouse.move((from.x + to.x) / 2, (from.y + to.y) / 2);
    await mouse.move(to.x, to.y);
    await mouse.up();
  }

  async function findMiddle(selector: string): Promise<{ x: number; y: number }> {
    const box = await window.page.locator(selector).boundingBox();
    assert.ok(box !== null, `${selector} is not to be seen`);
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  }

  /**
   * Reads the position of a line edge, after the pointer has changed there: loading content may still move the heading.
   */
  async function findEdge(role: 'columnheader' | 'rowheader', name: string): Promise<{ x: number; y: number }> {
    const heading = window.page.getByRole(role, { name, exact: true });
    const edge = window.page.locator(role === 'columnheader' ? '.on-column-edge' : '.on-row-edge');
    for (;;) {
      const box = await heading.boundingBox();
      assert.ok(box !== null, `${name} is not to be seen`);
      const { x, y, width, height } = box;
      const at =
        role === 'columnheader' ? { x: x + width - 2, y: y + height / 2 } : { x: x + width / 2, y: y + height - 2 };
      await window.page.mouse.move(at.x, at.y);
      if ((await edge.count()) > 0) return at;
    }
  }

  it('sorts the rows below the header by a column, and undoes', async () => {
    await createDocument([
      ['Name', 'Count'],
      ['Nut', 2],
      ['Bolt', 3],
      ['Washer', 1],
    ]);
    await window.goToRange('B2');
    await window.press('Shift+F10');
    await window.page.getByRole('menuitem', { name: 'Sort Z → A', exact: true }).click();
    await window.waitForText('A2', 'Bolt');
    await window.waitForText('A4', 'Washer');
    await window.press('Control+z');
    await window.waitForText('A2', 'Nut');
  });

  it('filters by values for one user, and shows all rows again', async () => {
    const { page } = window;
    const book = await createDocument([['City'], ['Riga'], ['Oslo'], ['Riga'], ['Rome']]);
    const before = await book.revision();
    await window.goToRange('A2');
    await page.getByRole('button', { name: 'Filter by this column', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Rows to show by “City”', exact: true });
    await dialog.getByLabel(/^Oslo/).uncheck();
    await dialog.getByLabel('Search the values').fill('R');
    await dialog.getByText('2 values', { exact: true }).waitFor();
    await dialog.getByRole('button', { name: 'None', exact: true }).click();
    await dialog.getByLabel(/^Riga/).check();
    await dialog.getByLabel(/^Only for me/).check();
    await dialog.getByRole('button', { name: 'Show these rows', exact: true }).click();
    await window.findCell('A3').waitFor({ state: 'detached' });
    await window.waitForText('A4', 'Riga');
    assert.equal(await window.findCell('A5').count(), 0);
    await page.getByRole('button', { name: 'Rows with a match: 2 · Show all rows', exact: true }).click();
    await window.waitForText('A3', 'Oslo');
    assert.equal(await book.revision(), before);
    await page.getByRole('button', { name: 'Filter by this column', exact: true }).click();
    await dialog.getByRole('button', { name: 'Cancel', exact: true }).click();
    await page.locator('.grid-editor:focus').waitFor({ state: 'attached' });
  });

  it('filters by two conditions', async () => {
    const { page } = window;
    await createDocument([
      ['City', 'Count', 'Day'],
      ['Riga', 5, '2026-01-31'],
      ['Oslo', 7, '2026-02-28'],
      ['Rome', 12, '2026-03-31'],
    ]);
    const filter = async (
      cell: string,
      heading: string,
      condition: string,
      fields: Readonly<Record<string, string>>,
    ) => {
      await window.goToRange(cell);
      await page.getByRole('button', { name: 'Filter by this column', exact: true }).click();
      const dialog = page.getByRole('dialog', { name: `Rows to show by “${heading}”`, exact: true });
      await dialog.getByLabel('Condition', { exact: true }).selectOption({ label: condition });
      for (const [label, text] of Object.entries(fields)) await dialog.getByLabel(label, { exact: true }).fill(text);
      await dialog.getByRole('button', { name: 'Show these rows', exact: true }).click();
      return dialog;
    };
    const firstDialog = await filter('B2', 'Count', 'Number is greater than', { Number: 'many' });
    await firstDialog.getByText('Enter a value for the condition.', { exact: true }).waitFor();
    await firstDialog.getByLabel('Number', { exact: true }).fill('6.5');
    await window.press('Enter');
    await firstDialog.waitFor({ state: 'detached' });
    await window.findCell('A2').waitFor({ state: 'detached' });
    await filter('C2', 'Day', 'Date is before', { Day: '2026-03-01' });
    await window.findCell('A4').waitFor({ state: 'detached' });
    await window.waitForText('A3', 'Oslo');
    await page.getByRole('button', { name: 'Rows with a match: 1 · Show all rows', exact: true }).click();
    await window.waitForText('A2', 'Riga');
    await window.goToRange('A2');
    await page.getByRole('button', { name: 'Filter by this column', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Rows to show by “City”', exact: true });
    await dialog.getByLabel('Condition', { exact: true }).selectOption({ label: 'Text is exactly' });
    await dialog.getByLabel('Text', { exact: true }).fill('riga');
    await dialog.getByLabel('Second condition', { exact: true }).selectOption({ label: 'Text contains' });
    await dialog.getByLabel('Text', { exact: true }).nth(1).fill('SLO');
    await dialog.getByLabel('Of the two conditions', { exact: true }).selectOption({ label: 'Either is enough' });
    await window.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await window.findCell('A4').waitFor({ state: 'detached' });
    await window.waitForText('A3', 'Oslo');
  });

  it('frames a spilled array and shows its formula in each cell', async () => {
    const { page } = window;
    await createDocument([['=SEQUENCE(3;2)']]);
    await window.goToRange('B3');
    await page.locator('.grid-mark.spill').waitFor();
    const bar = page.getByLabel('Formula or value');
    await window.waitForExpression(`document.querySelector('.formula-field textarea').value === '=SEQUENCE(3,2)'`);
    await page.getByRole('button', { name: 'A1', exact: true }).click();
    await window.waitForExpression(`document.querySelector('.range-box').value === 'A1'`);
    assert.equal(await bar.inputValue(), '=SEQUENCE(3,2)');
    await window.goToRange('C3');
    await page.locator('.grid-mark.spill').waitFor({ state: 'hidden' });
  });

  it('continues dates, texts and formulas with the fill handle', async () => {
    const book = await createDocument([
      ['2026-01-31', 'Lot 9', '=LEN(B1)'],
      ['2026-02-28', 'Lot 10', '=LEN(B2)'],
    ]);
    const before = Number(await book.revision());
    await window.goToRange('A1:C2');
    await window.waitForExpression(`(() => {
      const [handle, cell] = ['.grid-handle', '#cell-C2'].map((at) => document.querySelector(at)?.getBoundingClientRect());
      return handle && cell && Math.abs(handle.right - cell.right) < 8 && Math.abs(handle.bottom - cell.bottom) < 8;
    })()`);
    await drag(await findMiddle('.grid-handle'), await findMiddle('#cell-C4'));
    await window.waitForText('B4', 'Lot 12');
    await window.waitForText('A3', '3/31/2026');
    await window.waitForText('A4', '4/30/2026');
    await window.waitForText('C4', '6');
    assert.equal((await book.cell('C4'))['f'], '=LEN(B4)');
    assert.equal(Number(await book.revision()), before + 1);
    await window.press('Control+z');
    await window.waitForText('A3', '');
  });

  it('keeps resized columns and rows', async () => {
    const book = await createDocument([['Name', 'Count']]);
    const before = await window.findCell('A1').boundingBox();
    assert.ok(before !== null);
    const dragEdge = async (role: 'columnheader' | 'rowheader', name: string, by: { x: number; y: number }) => {
      const from = await findEdge(role, name);
      const sizeResponse = window.page.waitForResponse((response) => response.url().includes('/sizes/'));
      await drag(from, { x: from.x + by.x, y: from.y + by.y });
      assert.equal((await sizeResponse).status(), 200);
    };
    await dragEdge('columnheader', 'A', { x: 60, y: 0 });
    await dragEdge('rowheader', '1', { x: 0, y: 20 });
    await window.page.reload();
    await window.waitForText('A1', 'Name');
    await window.waitForExpression(`(() => {
      const { width, height } = document.querySelector('#cell-A1')?.getBoundingClientRect() ?? {};
      return width === ${before.width + 60} && height === ${before.height + 20};
    })()`);
    assert.equal(memberAt(await book.listRevisions(), 'entries', 0, 'origin'), 'browser');
  });

  it('gives cells a number format', async () => {
    const { page } = window;
    const book = await createDocument([[0.125], [1234.5]]);
    await window.goToRange('A1');
    const release = await window.delayRequests('PUT', '**/format/*');
    await page.getByRole('button', { name: 'Number format', exact: true }).click();
    await page.getByRole('menuitem', { name: '12.5%', exact: true }).click();
    await page.locator('.grid-editor:focus').waitFor({ state: 'attached' });
    await release();
    await window.waitForText('A1', '12.5%');
    await window.goToRange('A2');
    await page.getByRole('button', { name: 'Number format', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Another format …', exact: true }).click();
    await page.getByLabel('Format code, as in .xlsx files').fill('0.000');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await window.waitForText('A2', '1234.500');
    assert.equal((await book.cell('A2'))['v'], 1234.5);
  });

  it('shows a working API call for the selection', async () => {
    const { page } = window;
    await createDocument([['a', 'b']]);
    await window.goToRange('A1:B1');
    await page.getByRole('button', { name: 'API call for this selection', exact: true }).click();
    const code = page.getByRole('complementary', { name: 'The API call for this selection', exact: true });
    const line = await code.locator('pre').filter({ hasText: 'A1%3AB1' }).first().innerText();
    const address = /'(http[^']+)'/.exec(line)?.[1] ?? '';
    const answer = await fetch(address, { headers: { authorization: `Bearer ${token}` } });
    const { values } = (await answer.json()) as { values: { cells: { v: string }[][] } };
    assert.deepEqual(
      values.cells[0]?.map(({ v }) => v),
      ['a', 'b'],
    );
    await code.getByRole('tab', { name: 'Python', exact: true }).click();
    await code.getByText('print(book.read(', { exact: false }).first().waitFor();
    await code.getByRole('tab', { name: 'TypeScript', exact: true }).click();
    await code.getByText("import { Cellwire } from '@cellwire/client';", { exact: false }).first().waitFor();
  });

  it('shows frozen panes, widths and merged cells of a file', async () => {
    const { page } = window;
    const path = await writeZip(join(await createTestFolder(), 'laid-out.xlsx'), createSingleSheetParts(LAYOUT));
    await page.goto('/');
    await page.getByRole('heading', { name: 'Documents', exact: true }).waitFor();
    await window.drop('Laid out.xlsx', await readFile(path));
    await page.getByText('“Laid out” is imported.').getByRole('link', { name: 'Open', exact: true }).click();
    await window.waitForText('A1', 'Heading');
    const at = await page.locator('#cell-A1').boundingBox();
    await window.goToRange('Z300');
    await window.waitForText('Z300', '26');
    await window.waitForText('A300', '300');
    await window.waitForText('A1', 'Heading');
    assert.deepEqual(await page.locator('#cell-A1').boundingBox(), at);
    await window.goToRange('C3');
    await window.waitForExpression(`(() => {
      const [cell, frame] = ['#cell-C3', '.grid-mark.active'].map((at) => document.querySelector(at)?.getBoundingClientRect());
      return cell && frame && Math.abs(cell.height - frame.height) <= 2 && Math.abs(cell.top - frame.top) <= 2;
    })()`);
    // Covered rows must not be visible over a merged cell, also in frozen lines.
    for (const cell of ['A1', 'E1', 'A8']) {
      await window.waitForExpression(`(() => {
        const cell = document.querySelector('#cell-${cell}');
        const { left, bottom } = cell?.getBoundingClientRect() ?? {};
        return cell && document.elementFromPoint(left + 3, bottom - 3) === cell;
      })()`);
    }
    await window.press('ArrowRight');
    await window.waitForExpression(`document.querySelector('.range-box').value === 'E3'`);
  });

  it('imports a .csv dropped on the list of documents', async () => {
    const { page } = window;
    await page.goto('/');
    await page.getByRole('heading', { name: 'Documents', exact: true }).waitFor();
    await window.drop('Prices.csv', Buffer.from('Name,Price\nNut,1.25\n'));
    await page.getByText('“Prices” is imported.').getByRole('link', { name: 'Open', exact: true }).click();
    await window.waitForText('A2', 'Nut');
    await window.waitForText('B2', '1.25');
  });

  it('shows the writes of two users and a program to both users', async () => {
    const ben = await stage.createPerson();
    const book = await createDocument([['Log', '', 'Notes']]);
    await stage.world.share(book.document, String(ben.id), 'edit');
    const other = await stage.openSignedIn(ben);
    await other.openDocument(book.document);
    const rows = 12;
    const script = (async () => {
      for (let row = 0; row < rows; row++) await book.append('A1', [[`row ${row}`, row]]);
    })();
    for (const [one, column] of [
      [window, 'D'],
      [other, 'E'],
    ] as const) {
      await one.goToRange(`${column}1`);
      for (const text of ['one', 'two', 'three']) {
        await one.type(text);
        await one.press('Enter');
      }
    }
    await script;
    // Rows are appended below what people have already written.
    const written = (await book.cells('A1:B40')) as unknown as readonly ({ v: unknown } | null)[][];
    const appended = written.flatMap(([text, number], row) => (row > 0 && text ? [[text.v, number?.v, row + 1]] : []));
    assert.deepEqual(
      appended.map(([text, number]) => [text, number]),
      Array.from({ length: rows }, (_, row) => [`row ${row}`, row]),
    );
    for (const one of [window, other]) {
      await one.waitForText('D3', 'three');
      await one.waitForText('E3', 'three');
      for (const [text, , row] of appended) await one.waitForText(`A${row}`, String(text));
    }
    await window.page.getByText('Also here: ', { exact: false }).waitFor();
    await other.close();
  });
});
