import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { Person } from '../../packages/server/test/http/browser.ts';
import type { Api } from '../../packages/server/test/http/support.ts';
import { type BrowserWindow, BrowserWorld, describeInBrowser, waitUntil } from './browser.ts';

interface ReadCell {
  readonly v: number | string | boolean;
  readonly m: string;
  readonly f?: string;
  readonly t?: string;
}

/** Clipboard content of other programs for a text, a rounded number, a date and a boolean. */
const PROGRAMS: Readonly<Record<string, string>> = {
  'Google Sheets': `<google-sheets-html-origin><table><tbody><tr>
    <td data-sheets-value="{&quot;1&quot;:2,&quot;2&quot;:&quot;500&quot;}">500</td>
    <td data-sheets-value="{&quot;1&quot;:3,&quot;3&quot;:0.3333333333333333}" data-sheets-numberformat="{&quot;1&quot;:2,&quot;2&quot;:&quot;0.00&quot;}">0.33</td>
    <td data-sheets-value="{&quot;1&quot;:3,&quot;3&quot;:46000}" data-sheets-numberformat="{&quot;1&quot;:5,&quot;2&quot;:&quot;yyyy-mm-dd&quot;}">2025-12-09</td>
    <td data-sheets-value="{&quot;1&quot;:4,&quot;4&quot;:1}">TRUE</td></tr></tbody></table>`,
  LibreOffice: `<html><head><meta name="generator" content="LibreOffice 24.2"/></head><body><table><tr>
    <td align="left">500</td>
    <td align="right" sdval="0.3333333333333333" sdnum="1033;0;0.00">0.33</td>
    <td align="right" sdval="46000" sdnum="1033;1033;YYYY-MM-DD">2025-12-09</td>
    <td align="right" sdval="1" sdnum="1033;0;BOOLEAN">TRUE</td></tr></table></body></html>`,
  Excel: `<html xmlns:x="urn:schemas-microsoft-com:office:excel"><head><style>
    .xl65 {mso-number-format:"\\@";} .xl66 {mso-number-format:Fixed;} .xl67 {mso-number-format:"yyyy\\-mm\\-dd";}
    </style></head><body><table><tr>
    <td class=xl65>500</td><td class=xl66 x:num="0.3333333333333333">0.33</td>
    <td class=xl67 x:num="46000">2025-12-09</td><td x:bool="TRUE">TRUE</td></tr></table></body></html>`,
};

describeInBrowser('the clipboard of the grid', () => {
  let stage: BrowserWorld;
  let anna: Person;
  let token: string;
  let window: BrowserWindow;

  before(async () => {
    stage = await BrowserWorld.start();
    ({ person: anna, token, window } = await stage.signInNewPerson());
  });
  after(() => stage?.end());

  async function createDocument(locale: string): Promise<Api> {
    return stage.world.apiFor(token, await stage.world.createDocument(String(anna.id), { locale }));
  }

  async function read(book: Api, range: string): Promise<readonly (readonly (ReadCell | null)[])[]> {
    return (await book.cells(range)) as unknown as readonly (readonly (ReadCell | null)[])[];
  }

  /** Pastes clipboard content of another program. */
  async function pasteHtml(html: string, text = ''): Promise<void> {
    await window.page.evaluate(`(() => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/html', ${JSON.stringify(html)});
      if (${JSON.stringify(text)} !== '') clipboardData.setData('text/plain', ${JSON.stringify(text)});
      const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
      document.querySelector('.grid-editor').dispatchEvent(event);
    })()`);
  }

  /** Values whose display text is rounded or reads as another value. */
  const CELLS = [
    [1234567890123, 1 / 3, true, { value: '2026-03-02', as: 'date' }],
    ['500', '1/2/2026', '=1+1', 'TRUE'].map((value) => ({ value, as: 'text' })),
    [{ value: '=A1*2', as: 'formula' }, { error: '#N/A' }, 'two\nlines', { value: "'quoted", as: 'text' }],
  ];

  async function createSourceBook(): Promise<Api> {
    const book = await createDocument('en-US');
    await book.put('A1', CELLS as never);
    // `JSON.stringify` would write plain digits, which the API refuses.
    await book.requestInDocument('PUT', '/values/E1', { raw: '{"values":[[1e17]]}' });
    return book;
  }

  for (const [name, locale] of [
    ['of the same locale', 'en-US'],
    ['of another locale', 'ru-RU'],
  ] as const) {
    it(`copies values, types, formulas and formats into a document ${name}`, async () => {
      const from = await createSourceBook();
      await window.openDocument(from.document);
      await window.goToRange('A1:E3');
      await window.press('Control+c');
      const to = await createDocument(locale);
      await window.openDocument(to.document);
      await window.goToRange('B2');
      await window.press('Control+v');
      await window.page.locator('#cell-B2:not(.pending)').filter({ hasText: /\d/ }).waitFor();
      const [copied, pasted] = [await read(from, 'A1:E3'), await read(to, 'B2:F4')];
      const listValues = (cells: typeof copied) => cells.map((line) => line.map((cell) => [cell?.v, cell?.t]));
      assert.deepEqual(listValues(pasted), listValues(copied));
      assert.equal(pasted[2]?.[0]?.f, '=B2*2');
      const format = (cells: typeof copied) => cells[0]?.[3]?.m;
      assert.equal(format(pasted), format(copied));
    });
  }

  it('gives other programs display texts and, in attributes, raw values', async () => {
    const from = await createSourceBook();
    await window.openDocument(from.document);
    await window.goToRange('A1:B1');
    await window.press('Control+c');
    const texts = (await window.page.evaluate(`(async () => {
      const [item] = await navigator.clipboard.read();
      const of = async (type) => (await item.getType(type)).text();
      return [await of('text/plain'), await of('text/html')];
    })()`)) as readonly [string, string];
    const displayTexts = (await read(from, 'A1:B1'))[0]?.map((cell) => cell?.m);
    assert.equal(texts[0], displayTexts?.join('\t'));
    assert.ok(texts[1].includes('<table') && texts[1].includes('1234567890123'), texts[1]);
  });

  it('pastes copied cells from the menu', async () => {
    const from = await createSourceBook();
    await window.openDocument(from.document);
    await window.goToRange('A1:D3');
    await window.press('Control+c');
    const to = await createDocument('en-US');
    await window.openDocument(to.document);
    await window.press('Shift+F10');
    await window.page.getByRole('menuitem', { name: /^Paste(?!.*values)/ }).click();
    await window.page.locator('#cell-A2:not(.pending)').filter({ hasText: '500' }).waitFor();
    const readValues = async (book: Api) => (await read(book, 'A1:D3')).map((line) => line.map((cell) => cell?.v));
    assert.deepEqual(await readValues(to), await readValues(from));
  });

  it('pastes values only with Ctrl+Shift+V and from the menu', async () => {
    const from = await createSourceBook();
    await window.openDocument(from.document);
    await window.goToRange('A1:A3');
    await window.press('Control+c');
    await window.goToRange('F1');
    await window.press('Control+Shift+v');
    await window.page.locator('#cell-F3:not(.pending)').filter({ hasText: /\d/ }).waitFor();
    const pasted = (await read(from, 'F1:F3')).map(([cell]) => [cell?.v, cell?.f]);
    assert.deepEqual(pasted, [
      [1234567890123, undefined],
      ['500', undefined],
      [2469135780246, undefined],
    ]);
    const to = await createDocument('en-US');
    await window.openDocument(to.document);
    await window.press('Shift+F10');
    await window.page.getByRole('menuitem', { name: /^Paste values only/ }).click();
    await window.page.locator('#cell-A3:not(.pending)').filter({ hasText: /\d/ }).waitFor();
    assert.deepEqual(
      (await read(to, 'A1:A3')).map(([cell]) => [cell?.v, cell?.f]),
      pasted,
    );
  });

  for (const [program, html] of Object.entries(PROGRAMS)) {
    it(`reads the cells of ${program} with their types, raw values and formats`, async () => {
      const book = await createDocument('de-DE');
      await window.openDocument(book.document);
      await window.goToRange('B2');
      await pasteHtml(html, '500\t0.33\t2025-12-09\tTRUE');
      await window.waitForText('D2', '2025-12-09');
      const [cells] = await read(book, 'B2:E2');
      assert.deepEqual(
        cells?.map((cell) => [cell?.v, cell?.m, cell?.t]),
        [
          ['500', '500', undefined],
          [0.3333333333333333, '0,33', undefined],
          [46_000, '2025-12-09', 'd'],
          [true, 'TRUE', undefined],
        ],
      );
    });
  }

  it('reads numbers and dates of Excel by its own separators and formats', async () => {
    const book = await createDocument('de-DE');
    await window.openDocument(book.document);
    const head = `<style>table {mso-displayed-decimal-separator:"\\."; mso-displayed-thousand-separator:"\\,";}
      .xl65 {mso-number-format:Standard;} .xl66 {mso-number-format:"m\\/d\\/yyyy";}
      .xl67 {mso-number-format:Percent;} .xl68 {mso-number-format:"\\@";}</style>`;
    const rows = [
      '<td>1,234</td><td class=xl65>-1,234.50</td><td class=xl66>3/2/2026</td><td class=xl67>12.50%</td>',
      '<td>0042</td><td>12345678901234567890</td><td class=xl68>1,234</td><td>a, b</td>',
    ];
    const table = `<table>${rows.map((row) => `<tr>${row}</tr>`).join('')}</table>`;
    await pasteHtml(`<html><head>${head}</head><body>${table}</body></html>`);
    await window.waitForText('D2', 'a, b');
    const cells = await read(book, 'A1:D2');
    assert.deepEqual(
      cells.map((line) => line.map((cell) => [cell?.v, cell?.m])),
      [
        [
          [1234, '1234'],
          [-1234.5, '-1.234,50'],
          [46_083, '3/2/2026'],
          [0.125, '12,50%'],
        ],
        [
          ['0042', '0042'],
          ['12345678901234567890', '12345678901234567890'],
          ['1,234', '1,234'],
          ['a, b', 'a, b'],
        ],
      ],
    );
  });

  it('pastes cells of another program without their formats as values', async () => {
    const book = await createDocument('en-US');
    await window.openDocument(book.document);
    const html = `<table><tr><td data-sheets-value="{&quot;1&quot;:3,&quot;3&quot;:0.5}"
      data-sheets-numberformat="{&quot;1&quot;:2,&quot;2&quot;:&quot;0%&quot;}">50%</td></tr></table>`;
    await window.page.evaluate(`navigator.clipboard.write([new ClipboardItem({
      'text/html': new Blob([${JSON.stringify(html)}], { type: 'text/html' }),
      'text/plain': new Blob(['50%'], { type: 'text/plain' }),
    })])`);
    await window.goToRange('B2');
    await window.press('Shift+F10');
    await window.page.getByRole('menuitem', { name: /^Paste values only/ }).click();
    await window.waitForText('B2', '0.5');
  });

  it('reads tables of other pages as typed text, with merged cells', async () => {
    const book = await createDocument('en-US');
    await window.openDocument(book.document);
    await pasteHtml('<p>Prices</p><table><tr><th colspan=2>Nut<br>size 3<tr><td>1,234.5<td> two\n words </table>');
    await window.waitForText('B2', 'two words');
    const cells = await read(book, 'A1:B2');
    assert.deepEqual(
      cells.map((line) => line.map((cell) => cell?.v ?? null)),
      [
        ['Nut\nsize 3', null],
        [1234.5, 'two words'],
      ],
    );
  });

  it('does not trust a forged clipboard type', async () => {
    const book = await createDocument('en-US');
    await window.openDocument(book.document);
    await window.page.evaluate(`(() => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('application/x-cellwire-cells+json', '{"id":"1","cells":[[{"v":{}}]]}');
      clipboardData.setData('text/plain', 'plain');
      const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
      document.querySelector('.grid-editor').dispatchEvent(event);
    })()`);
    await window.waitForText('A1', 'plain');
  });

  it('limits what HTML of another page can do', async () => {
    const { page } = window;
    const book = await createDocument('en-US');
    await window.openDocument(book.document);
    const pasteMade = (html: string) =>
      page.evaluate(`(() => {
        const clipboardData = new DataTransfer();
        clipboardData.setData('text/html', ${html});
        const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
        document.querySelector('.grid-editor').dispatchEvent(event);
      })()`);
    for (const html of [
      `'<table><tr><td>' + 'x'.repeat(4_100_000)`,
      `'<table>' + '<tr><td colspan=1000 rowspan=65534>a'.repeat(2_000)`,
      `'<table><tr>' + '<td>a'.repeat(16_385)`,
    ]) {
      await pasteMade(html);
      await page.getByText(/at most 1,048,576 cells/i).waitFor();
      await window.closeMessages();
    }
    await pasteMade(`'<table><tr><td colspan=1000000000>wide<td>' + '<b>'.repeat(50_000) + 'deep'`);
    await window.waitForText('A1', 'wide');
    await waitUntil(async () => (await read(book, 'ALM1'))[0]?.[0]?.v === 'deep');
  });

  it('reads a long table with progress, and writes nothing if that is cancelled', async () => {
    const book = await createDocument('en-US');
    await window.openDocument(book.document);
    await window.page.evaluate(`(() => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/html', '<table>' + '<tr><td>a<td>b</tr>'.repeat(40_000) + '</table>');
      const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
      document.querySelector('.grid-editor').dispatchEvent(event);
      const cancel = () => {
        const task = [...document.querySelectorAll('.status-bar *')].find((one) => /^Reading the clipboard/.test(one.textContent));
        const button = task && [...document.querySelectorAll('button')].find((one) => one.textContent === 'Cancel');
        if (button) button.click();
        else setTimeout(cancel);
      };
      cancel();
    })()`);
    await window.page.getByText('Reading the clipboard', { exact: false }).waitFor({ state: 'detached' });
    await window.waitUntilSaved();
    assert.deepEqual(await read(book, 'A1'), [[null]]);
  });

  it('clears cells for copied empty cells, and undoes a paste as a whole', async () => {
    const book = await createDocument('en-US');
    await book.put('A1', [
      ['a', '', 'c'],
      ['x', 'y', 'z'],
    ]);
    await window.openDocument(book.document);
    const other = await createDocument('en-US');
    await window.goToRange('A1:C1');
    await window.press('Control+c');
    await other.put('A1', [[1, 2, 3]]);
    await window.openDocument(other.document);
    await window.press('Control+v');
    await window.waitForText('C1', 'c');
    await window.waitForText('B1', '');
    await window.press('Control+z');
    await window.waitForText('B1', '2');
    await window.waitForText('C1', '3');
  });
});
