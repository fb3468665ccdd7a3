import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { Person } from '../../packages/server/test/http/browser.ts';
import {
  createProposingToken,
  decideProposal,
  expectProposal,
  proposePut,
  readPlainValues,
} from '../../packages/server/test/http/proposals-support.ts';
import { type Api, memberAt } from '../../packages/server/test/http/support.ts';
import { connectAgent } from '../../packages/server/test/mcp/support.ts';
import { BrowserWorld, describeInBrowser, findViolations } from './browser.ts';

describeInBrowser('proposals in the console', () => {
  let stage: BrowserWorld;
  let anna: Person;
  let api: Api;

  before(async () => {
    stage = await BrowserWorld.start({});
    anna = await stage.createPerson();
    const document = await stage.world.createDocument(String(anna.id), { title: 'Orders' });
    api = stage.world.apiFor(await stage.world.createToken(String(anna.id)), document);
    await api.put('A1', [
      ['Number', 'Sum', 'Double'],
      ['A-1', 100, '=B2*2'],
      ['A-2', 200, '=B3*2'],
    ]);
  });
  after(() => stage?.end());

  it('are counted, shown in the grid, stepped through by keyboard, and applied', async () => {
    const proposal = await expectProposal(proposePut(api, 'B2', [[150], [250]], '&title=Raise%20both'));
    const window = await stage.openSignedIn(anna);
    const { page } = window;
    await page.getByText('1 proposal', { exact: true }).waitFor();
    await window.openDocument(api.document);
    await page.setViewportSize({ width: 375, height: 700 });
    await page.getByRole('button', { name: '1 proposal', exact: true }).waitFor();
    await window.waitForExpression(`document.querySelector('.document-head').clientHeight < 3 * 32`);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(`/documents/${api.document}?proposal=${String(proposal['id'])}`);
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('heading', { name: 'Raise both' }).waitFor();
    const list = dialog.getByRole('listbox');
    const readSelected = () => list.locator('[aria-selected="true"]').innerText();
    assert.match(await readSelected(), /Sheet1!B2 100 → 150/);
    await list.focus();
    await window.press('ArrowDown');
    assert.match(await readSelected(), /Sheet1!B3 200 → 250/);
    await window.press('End');
    assert.match(await readSelected(), /Sheet1!C3 400 → 500 recalculated/);
    const grid = dialog.getByRole('table');
    assert.deepEqual(await grid.locator('td.written del').allInnerTexts(), ['100', '200']);
    assert.deepEqual(await grid.locator('td.derived ins').allInnerTexts(), ['300', '500']);
    assert.deepEqual(await findViolations(window), []);
    await dialog.getByRole('button', { name: 'Apply', exact: true }).click();
    await page.getByText('Applied', { exact: true }).waitFor();
    assert.deepEqual(await readPlainValues(api, 'B2:B3'), [[150], [250]]);
    await window.close();
  });

  it('can be rebased and rejected, and say who was faster', async () => {
    const proposal = await expectProposal(proposePut(api, 'B2', [[1]], '&title=One'));
    await api.put('B2', [[151]]);
    const window = await stage.openSignedIn(anna);
    const { page } = window;
    await page.goto(`/documents/${api.document}?proposal=${String(proposal['id'])}`);
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('alert').waitFor();
    assert.equal(await dialog.getByRole('button', { name: 'Apply', exact: true }).isDisabled(), true);
    await dialog.getByRole('button', { name: 'Rebase', exact: true }).click();
    await dialog.getByRole('alert').waitFor({ state: 'detached' });
    assert.match(await dialog.getByRole('listbox').locator('[aria-selected="true"]').innerText(), /151 → 1/);
    const { api: ben } = await stage.world.addMember(api.document, 'edit');
    assert.equal((await decideProposal(ben, proposal, 'reject', { reason: 'No' })).status, 200);
    await dialog.getByText(/was faster: rejected/).waitFor();
    await window.close();
  });

  it('follow the edits and decisions of others while they are read, at the same place', async () => {
    const document = await stage.world.createDocument(String(anna.id), { title: 'Followed' });
    const followed = api.forDocument(document);
    await followed.put('A1', [[1], [2], [3]]);
    const proposal = await expectProposal(proposePut(followed, 'A1', [[10], [20], [30]], '&title=Tens'));
    const window = await stage.openSignedIn(anna);
    const { page } = window;
    await page.goto(`/documents/${document}`);
    await page.getByRole('button', { name: '1 proposal' }).click();
    const dialog = page.getByRole('dialog');
    const selected = dialog.getByRole('listbox').locator('[aria-selected="true"]');
    await selected.waitFor();
    await window.press('ArrowDown');
    await dialog.getByLabel('Reason').fill('Because');
    const operations = [{ insertRows: { sheet: 'Sheet1', before: 1, count: 1 } }];
    await followed.post('/structure', { operations });
    await selected.filter({ hasText: 'Sheet1!A3 2 → 20' }).waitFor();
    await followed.put('A4:B4', [[33, 'beside']]);
    await dialog.getByRole('alert').filter({ hasText: 'Sheet1!A4' }).waitFor();
    await dialog.getByRole('table').getByText('beside').waitFor();
    await selected.filter({ hasText: '2 → 20' }).waitFor();
    assert.equal(await dialog.getByRole('button', { name: 'Apply', exact: true }).isDisabled(), true);
    assert.equal(await dialog.getByLabel('Reason').inputValue(), 'Because');
    await expectProposal(proposePut(followed, 'B9', [['later']], '&title=Later'));
    await dialog.getByRole('option', { name: /Later/ }).waitFor({ state: 'attached' });
    await dialog.getByRole('heading', { name: 'Tens' }).waitFor();
    const { api: ben } = await stage.world.addMember(document, 'edit');
    assert.equal((await decideProposal(ben, proposal, 'reject', { reason: 'No' })).status, 200);
    await dialog.getByText(/was faster: rejected/).waitFor();
    await dialog.getByRole('heading', { name: 'Tens' }).waitFor();
    await dialog.getByRole('button', { name: 'Apply', exact: true }).waitFor({ state: 'detached' });
    await window.close();
  });

  it('fit on the screen with their buttons, whatever the length of the texts', async () => {
    const note = encodeURIComponent('one line\n'.repeat(200));
    const document = await stage.world.createDocument(String(anna.id), { title: 'Long' });
    const long = api.forDocument(document);
    await long.put(
      'A1',
      Array.from({ length: 12 }, () => ['long text '.repeat(50)]),
    );
    const proposal = await expectProposal(proposePut(long, 'A3', [['other text '.repeat(90)]], `&note=${note}`));
    for (const viewport of [
      { width: 1280, height: 800 },
      { width: 375, height: 700 },
    ]) {
      const window = await stage.openSignedIn(anna, { viewport });
      const { page } = window;
      await page.goto(`/documents/${document}?proposal=${String(proposal['id'])}`);
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('table').waitFor();
      for (const name of ['Apply', 'Reject', 'Rebase']) {
        const box = await dialog.getByRole('button', { name, exact: true }).boundingBox();
        assert.ok(
          box !== null && box.y >= 0 && box.y + box.height <= viewport.height,
          `${name} ${JSON.stringify(box)}`,
        );
      }
      assert.equal(
        await page.evaluate(
          `document.querySelector('dialog').scrollWidth > document.querySelector('dialog').clientWidth`,
        ),
        false,
      );
      assert.deepEqual(await findViolations(window), []);
      await window.close();
    }
  });

  it('show numbers and dates as their document does, and say what a proposal without a title would do', async () => {
    const created = await api.request('POST', '/documents', { body: { title: 'Rechnung', locale: 'de-DE' } });
    const german = api.forDocument(String(memberAt(created.body, 'document', 'id')));
    await german.put('A1', [['31.01.2026', 1234.5, '50%']]);
    const inputs = ['01.02.2026', 9876.25, '62,5%', '28.02.2026', '1.234,50 €', '7,5%', true, "'007", '=1/0'];
    const proposal = await expectProposal(
      german.requestInDocument('PUT', '/values/A1?propose=true', { body: { values: [inputs], inputLocale: 'de-DE' } }),
    );
    const window = await stage.openSignedIn(anna);
    const { page } = window;
    await page.goto(`/documents/${german.document}?proposal=${String(proposal['id'])}`);
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('option', { name: '31.01.2026' }).waitFor();
    const shown = ['01.02.2026', '9876,25', '63%', '28.02.2026', '1.234,50 €', '7,50%', 'TRUE', '007'];
    const listed = dialog.getByRole('listbox').locator('[role="option"] > ins');
    assert.deepEqual(await listed.allInnerTexts(), [...shown, '#DIV/0!']);
    assert.deepEqual(await dialog.getByRole('table').locator('ins').allInnerTexts(), shown);
    assert.match(await dialog.getByRole('option', { name: 'Sheet1!I1' }).innerText(), /Formula: none → =1\/0/);
    await dialog.getByRole('heading', { name: 'Write values' }).waitFor();
    await window.close();
  });

  it('show formulas, exact values that the format hides, and changed sheets in the words of the console', async () => {
    const document = await stage.world.createDocument(String(anna.id), { title: 'Words', inputLocale: 'document' });
    const words = api.forDocument(document);
    await words.put('A1', [[2, '=SUM(A1,1)', '50%']]);
    const values = await expectProposal(proposePut(words, 'B1', [['=SUM(A1,2.5)', 0.5025]]));
    const added = await expectProposal(words.post('/sheets?propose=true', { name: 'Plan' }));
    const renamed = await expectProposal(
      words.requestInDocument('PATCH', '/sheets/Sheet1?propose=true', { body: { name: 'Orders' } }),
    );
    const operations = [
      { setName: { name: 'Rate', refersTo: '=SUM(Sheet1!$A$1,2.5)' } },
      { setFilter: { range: 'Sheet1!A1:C1', columns: {} } },
    ];
    const settings = await expectProposal(words.post('/structure?propose=true', { operations }));
    for (const [language, expected] of [
      ['en', ['Formula: =SUM(A1,1) → =SUM(A1,2.5)', 'Exact value: 0.5 → 0.5025']],
      ['ru', ['Формула: =SUM(A1,1) → =SUM(A1,2.5)', 'Точное значение: 0.5 → 0.5025']],
    ] as const) {
      const window = await stage.openSignedIn(anna, { locale: language });
      const { page } = window;
      const listbox = page.getByRole('dialog').getByRole('listbox');
      await page.goto(`/documents/${document}?proposal=${String(values['id'])}`);
      for (const text of expected) await listbox.getByText(text).waitFor();
      await page.goto(`/documents/${document}?proposal=${String(added['id'])}`);
      await listbox.getByText(language === 'en' ? 'Add the sheet “Plan”' : 'Добавить лист «Plan»').waitFor();
      await page.goto(`/documents/${document}?proposal=${String(renamed['id'])}`);
      const words = ['Rename the sheet “Sheet1” to “Orders”', 'Переименовать лист «Sheet1» в «Orders»'];
      await listbox.getByText(words[language === 'en' ? 0 : 1] ?? '').waitFor();
      await page.goto(`/documents/${document}?proposal=${String(settings['id'])}`);
      const [name, filter] =
        language === 'en'
          ? ['Add the name Rate for =SUM(Sheet1!$A$1,2.5)', 'Add a filter to “Sheet1”']
          : ['Добавить имя Rate для =SUM(Sheet1!$A$1,2.5)', 'Добавить фильтр на лист «Sheet1»'];
      await listbox.getByText(name).waitFor();
      await listbox.getByText(filter).waitFor();
      await page.goto(`/documents/${document}?proposal=${String(renamed['id'])}`);
      await page.getByRole('dialog').getByRole('table').getByText('50%').waitFor();
      await window.close();
    }
  });

  it('show the grid of the result for what they write, and the present grid for what they remove', async () => {
    const document = await stage.world.createDocument(String(anna.id), { title: 'Structure' });
    const shifted = api.forDocument(document);
    await shifted.put('A1', [['Number'], ['A-1'], ['A-2'], ['A-3']]);
    const operations = [
      { insertColumns: { sheet: 'Sheet1', before: 'A', count: 1 } },
      { deleteRows: { sheet: 'Sheet1', from: 2, count: 1 } },
      { copy: { from: 'Sheet1!B2', to: 'Sheet1!A2' } },
    ];
    const proposal = await expectProposal(shifted.post('/structure?propose=true', { operations }));
    const window = await stage.openSignedIn(anna);
    const { page } = window;
    await page.goto(`/documents/${document}?proposal=${String(proposal['id'])}`);
    const dialog = page.getByRole('dialog');
    const readSelected = () => dialog.getByRole('listbox').locator('[aria-selected="true"]').innerText();
    const readGrid = async () =>
      (await dialog.getByRole('table').locator('tbody tr').allInnerTexts())
        .slice(0, 4)
        .map((row) => row.trim().split(/\s+/).join(' '));
    const after = dialog.getByRole('table', { name: 'The grid after the change' });
    await after.getByText('A-3').waitFor();
    assert.equal(await readSelected(), 'Insert column A in “Sheet1”');
    assert.deepEqual(await readGrid(), ['1 Number', '2 A-2 A-2', '3 A-3', '4']);
    await window.press('ArrowDown');
    assert.equal(await readSelected(), 'Delete row 2 of “Sheet1”');
    const now = dialog.getByRole('table', { name: 'The grid before the change' });
    await now.getByText('A-3').waitFor();
    assert.deepEqual(await readGrid(), ['1 Number', '2 A-1', '3 A-2', '4 A-3']);
    assert.equal(await now.locator('tr.gone').innerText(), await now.locator('tbody tr').nth(1).innerText());
    await window.press('ArrowDown');
    assert.match(await readSelected(), /Sheet1!A2 empty → A-2/);
    await after.getByText('A-3').waitFor();
    await window.press('ArrowDown');
    assert.match(await readSelected(), /Sheet1!A2 A-1 removed/);
    await now.getByText('A-3').waitFor();
    assert.deepEqual(await findViolations(window), []);
    await window.close();
  });

  it('strike rows through that would disappear', async () => {
    const body = { range: 'A:C', where: { Number: 'A-2' } };
    const proposal = await expectProposal(api.post('/records/delete?propose=true', body));
    const window = await stage.openSignedIn(anna);
    const { page } = window;
    await page.goto(`/documents/${api.document}?proposal=${String(proposal['id'])}`);
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('table').locator('tr.gone').waitFor();
    assert.match(await dialog.getByRole('table').locator('tr.gone').innerText(), /A-2/);
    await dialog.getByLabel('Reason').fill('Keep it');
    await dialog.getByRole('button', { name: 'Reject', exact: true }).click();
    await page.getByText('Rejected', { exact: true }).waitFor();
    await window.close();
  });

  it('of an agent are rejected, rebased and applied by keyboard after a rename and a sort', async () => {
    const document = await stage.world.createDocument(String(anna.id), { title: 'Sorted' });
    const sorted = api.forDocument(document);
    await sorted.put('A1', [
      ['Number', 'Sum'],
      ['A-1', 100],
      ['A-2', 200],
      ['A-3', 300],
    ]);
    const bot = await connectAgent(stage.world, await createProposingToken(stage.world, String(anna.id), document));
    const records = [{ Number: 'A-1', Sum: 150 }];
    await bot.call('upsert_records', { range: 'Sheet1', key: ['Number'], records });
    await bot.call('delete_records', { range: 'Sheet1', where: { Number: 'A-2' } });
    await sorted.renameSheet('Sheet1', 'Orders');
    const operations = [{ sort: { range: 'Orders!A2:B4', by: [{ column: 'B', order: 'descending' }] } }];
    assert.equal((await sorted.post('/structure', { operations })).status, 200);
    const window = await stage.openSignedIn(anna);
    const { page } = window;
    await page.goto(`/documents/${document}`);
    await page.getByRole('button', { name: '2 proposals' }).focus();
    await window.press('Enter');
    const dialog = page.getByRole('dialog');
    const list = dialog.getByRole('listbox');
    const focusedList = dialog.locator('[role="listbox"]:focus');
    await focusedList.waitFor();
    assert.match(await list.innerText(), /Orders!A3 A-2/);
    const pressButton = async (name: string) => {
      const readFocusedText = () => page.evaluate('document.activeElement.textContent');
      for (let i = 0; i < 10 && (await readFocusedText()) !== name; i++) await window.press('Tab');
      await window.press('Enter');
    };
    await pressButton('Reject');
    await dialog.locator('[role="option"]', { hasText: 'B2' }).waitFor();
    await focusedList.waitFor();
    await pressButton('Rebase');
    await dialog.locator('[role="option"]', { hasText: 'Orders!B4 100 → 150' }).waitFor();
    await focusedList.waitFor();
    await pressButton('Apply');
    await dialog.getByText('No change waits for your consent.').waitFor();
    assert.deepEqual(await readPlainValues(sorted, 'A2:B4'), [
      ['A-3', 300],
      ['A-2', 200],
      ['A-1', 150],
    ]);
    await window.close();
  });
});
