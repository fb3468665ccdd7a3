import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { unprotectSheet } from '../../src/service/operator/sheets.ts';
import { isRefusal } from '../../src/service/refusal.ts';
import { type Api, type ApiResponse, memberAt, startWorld, type World } from './support.ts';

let world: World;
let editorId: string;
let editorToken: string;
before(async () => {
  world = await startWorld();
  editorId = (await world.createUser()).id;
  editorToken = await world.createToken(editorId);
});
after(() => world.close());

const HIDDEN = { status: 403, message: 'Sheet values are hidden' };

interface SharedBook {
  readonly owner: Api;
  readonly editor: Api;
}

/** Creates a document with the hidden sheet `Secret` (7, 8, 9 in its first column) and an editor. */
async function createSharedBook({ isHidden = true } = {}): Promise<SharedBook> {
  const owner = await world.createBook();
  await owner.addSheet('Secret');
  await owner.addSheet('Last');
  await owner.put('Secret!A1', [[7], [8], [9]]);
  await world.share(owner.document, editorId, 'edit');
  if (isHidden) await hideSecretSheet(owner);
  return { owner, editor: world.apiFor(editorToken, owner.document) };
}

async function showSecretSheet({ document }: Api): Promise<void> {
  const result = await unprotectSheet(world.server.service.context, { document, sheet: 'Secret' });
  assert.ok(!isRefusal(result));
}

function hideSecretSheet(owner: Api, allow: readonly string[] = []): Promise<void> {
  return world.protect(owner.document, 'Secret', { hideValues: true, allow });
}

async function readValue(api: Api, cell: string): Promise<unknown> {
  return (await api.cell(cell))?.['v'];
}

function toRefusal({ status, body }: ApiResponse) {
  return { status, message: body['message'] };
}

/** Formulas that build a reference into the hidden sheet from text. */
const FROM_TEXT = [
  '=INDIRECT("Secret!A1")',
  '=INDIRECT("Secret!R1C1";FALSE)',
  '=INDIRECT("\'Secret\'!A01")',
  '=SUM(INDIRECT("Secret!A:A"))',
  '=SUM(INDIRECT("Sheet1:Secret!Z1"))',
  '=INDIRECT(ADDRESS(1;1;1;TRUE;"Secret"))',
  '=INDIRECT("SECRETS")',
  '=INDIRECT("STOCK[Qty]")',
  '=BYTEXT',
  '=BYTEXTOF("Secret!A1")',
  '=OFFSET(INDIRECT("Secret!A1");1;0)',
  '=INDEX(INDIRECT("Secret!A1:A3");2)',
  '=SUM(CHOOSE(1;INDIRECT("Secret!A1");1))',
  '=LET(f;INDIRECT;f("Secret!A1"))',
  '=LAMBDA(t;INDIRECT(t))("Secret!A1")',
  '=ROWS(INDIRECT("Secret!A1:A3"))',
  '=FORMULATEXT(INDIRECT("Secret!A1"))',
  '=CELL("contents";INDIRECT("Secret!A1"))',
  '=SHEET(INDIRECT("Secret!A1"))',
  '=SUM(Sheet1!Z1:INDIRECT("Secret!A1"))',
];

/** Defines a table and names that refer to the sheet `Secret`, directly and through texts. */
async function defineSecretNames(owner: Api): Promise<void> {
  const { status } = await owner.post('/structure', {
    operations: [
      { setTable: { name: 'STOCK', range: 'Secret!D1:E2' } },
      { setName: { name: 'SECRETS', refersTo: 'Secret!$A$1:$A$3' } },
      { setName: { name: 'BYTEXT', refersTo: 'INDIRECT("Secret!A1")' } },
      { setName: { name: 'BYTEXTOF', refersTo: 'LAMBDA(t;INDIRECT(t))' } },
    ],
  });
  assert.equal(status, 200);
}

describe('a reference built from text', () => {
  it('cannot read a hidden sheet, not even for the owner', async () => {
    const { owner } = await createSharedBook({ isHidden: false });
    await owner.put('Secret!D1', [
      ['Item', 'Qty'],
      ['Tea', 4],
    ]);
    await defineSecretNames(owner);
    for (const formula of FROM_TEXT) {
      await owner.put('Sheet1!C1', [[formula]]);
      const open = await readValue(owner, 'Sheet1!C1');
      await hideSecretSheet(owner);
      const cell = await owner.cell('Sheet1!C1');
      assert.equal(cell?.['v'], '#REF!', `${formula} was ${open}`);
      assert.match(String(memberAt(cell, 'error', 'message')), /hidden/, formula);
      await owner.put('Sheet1!C1', [[formula]]);
      assert.equal(await readValue(owner, 'Sheet1!C1'), '#REF!', `${formula} entered again`);
      await showSecretSheet(owner);
      assert.deepEqual(await readValue(owner, 'Sheet1!C1'), open, `${formula} when the sheet is shown again`);
    }
  });

  it('reads visible sheets, and defined names keep their values', async () => {
    const { owner, editor } = await createSharedBook();
    await defineSecretNames(owner);
    await owner.put('A1', [[5, '=INDIRECT("A1")', '=SUM(SECRETS)', '=Secret!A2', '=SHEET("Secret")']]);
    for (const api of [owner, editor]) {
      const cells = await Promise.all(['B1', 'C1', 'D1', 'E1'].map((cell) => readValue(api, cell)));
      assert.deepEqual(cells, [5, 24, 8, 2]);
    }
  });

  it("is refused if an editor redirects the owner's formula, in a dry run or a write", async () => {
    const { owner, editor } = await createSharedBook();
    await owner.put('A1', [['Last!A1', '=INDIRECT(A1)', '=IF(NOW()>0;INDIRECT(D1);0)', 'Last!A1']]);
    const revision = await owner.revision();
    for (const [cell, text] of [
      ['A1', 'Secret!A1'],
      ['D1', 'Secret!A2'],
      ['A1', '="Sec"&"ret!A1"'],
    ] as const) {
      const body = { values: [[text]], valueInputOption: 'USER_ENTERED' };
      const path = `/values/${cell}`;
      assert.deepEqual(toRefusal(await editor.requestInDocument('PUT', `${path}?dryRun=true`, { body })), HIDDEN, text);
      assert.deepEqual(toRefusal(await editor.put(cell, [[text]])), HIDDEN, text);
    }
    assert.equal(await owner.revision(), revision);
  });

  it('is refused if an editor redirects it between hidden cells, and is #REF! as the owner wrote it', async () => {
    const { owner, editor } = await createSharedBook();
    await owner.put('A1', [['Secret!A1', '=INDIRECT(A1)']]);
    assert.equal(await readValue(editor, 'B1'), '#REF!');
    assert.deepEqual(toRefusal(await editor.put('A1', [['Secret!A2']])), HIDDEN);
    assert.equal((await editor.put('A1', [['Last!A2']])).status, 200);
    assert.equal((await editor.put('A5', [['Secret!A2']])).status, 200, 'a text that no formula reads');
  });
});

describe('structural operations on a hidden sheet', () => {
  const OPERATIONS: readonly object[] = [
    { insertRows: { sheet: 'Secret', before: 1 } },
    { deleteRows: { sheet: 'Secret', from: 1 } },
    { moveRows: { sheet: 'Secret', from: 1, before: 4 } },
    { insertColumns: { sheet: 'Secret', before: 'A' } },
    { deleteColumns: { sheet: 'Secret', from: 'A' } },
    { moveColumns: { sheet: 'Secret', from: 'A', before: 'C' } },
    { insertCells: { range: 'Secret!A1', shift: 'down' } },
    { deleteCells: { range: 'Secret!A1', shift: 'up' } },
    { sort: { range: 'Secret!A1:A3', by: [{ column: 'A' }] } },
    { cut: { from: 'Secret!A1', to: 'Sheet1!A9' } },
    { cut: { from: 'Sheet1!A9', to: 'Secret!A1' } },
    { copy: { from: 'Secret!A1', to: 'Sheet1!A9' } },
    { fill: { from: 'Secret!A1', to: 'Secret!A2:A3' } },
    { replace: { range: 'Secret', find: '7', with: '' } },
    { removeDuplicates: { range: 'Secret!A1:A3' } },
    { setTable: { name: 'T', range: 'Secret!A1:A2' } },
    { setName: { name: 'RANGE', refersTo: 'Secret!$A$1:$A$2' } },
    { duplicateSheet: { sheet: 'Secret' } },
    { moveSheet: { sheet: 'Secret', order: 0 } },
    { moveSheet: { sheet: 'Last', order: 1 } },
  ];

  it('are refused without access to its values', async () => {
    const { owner, editor } = await createSharedBook();
    await owner.post('/structure', { operations: [{ setName: { name: 'RANGE', refersTo: 'Secret!$A$1:$A$3' } }] });
    await owner.put('A1', [['=SUM(Secret!A1:A2)', '=SUM(RANGE)', '=SUM(Sheet1:Last!A3)']]);
    await owner.put('Sheet1!A9', [[1]]);
    const revision = await owner.revision();
    for (const operation of OPERATIONS) {
      const description = JSON.stringify(operation);
      assert.deepEqual(toRefusal(await editor.post('/structure', { operations: [operation] })), HIDDEN, description);
      const preview = await editor.post('/structure?dryRun=true', { operations: [operation] });
      assert.deepEqual(toRefusal(preview), HIDDEN, `${description}, tried`);
    }
    assert.equal(await owner.revision(), revision);
    for (const operation of OPERATIONS.slice(0, 8)) {
      assert.equal(
        (await owner.post('/structure', { operations: [operation] })).status,
        200,
        JSON.stringify(operation),
      );
    }
  });

  it('cannot be undone or restored without access to its values', async () => {
    const { owner, editor } = await createSharedBook();
    await owner.put('A1', [['=SUM(Secret!A:A)']]);
    const before = await owner.revision();
    await owner.put('Secret!A2', [[100]]);
    const written = await owner.revision();
    await owner.post('/structure', { operations: [{ deleteRows: { sheet: 'Secret', from: 1 } }] });
    const deleted = await owner.revision();
    for (const path of [`${written}/undo`, `${deleted}/undo`, `${before}/restore`]) {
      const bodies = path.endsWith('undo') ? [{}, { force: true }] : [{}];
      for (const body of bodies) {
        for (const option of ['', '?dryRun=true']) {
          assert.deepEqual(toRefusal(await editor.post(`/revisions/${path}${option}`, body)), HIDDEN, path + option);
        }
      }
    }
    assert.equal((await owner.undo(deleted)).status, 200);
    assert.equal((await owner.post(`/revisions/${before}/restore`, {})).status, 200);
    assert.equal(await readValue(owner, 'Secret!A2'), 8);
  });

  it('are allowed for other sheets and for blind writes', async () => {
    const { owner, editor } = await createSharedBook();
    await owner.put('Last!A1', [[1], [2]]);
    const revision = await owner.revision();
    const operations = [
      { insertRows: { sheet: 'Last', before: 1 } },
      { moveSheet: { sheet: 'Last', order: 1 } },
      { copy: { from: 'Last!A2', to: 'Secret!C1' } },
    ];
    assert.equal((await editor.post('/structure', { operations: operations.slice(0, 2) })).status, 200);
    assert.equal((await editor.undo(await owner.revision())).status, 200);
    assert.equal((await editor.post(`/revisions/${revision}/restore`, {})).status, 200);
    assert.equal((await editor.post('/structure', { operations: operations.slice(2) })).status, 200);
    assert.equal((await editor.put('Secret!B1', [[4]])).status, 200);
    assert.equal((await editor.requestInDocument('DELETE', '/sheets/Last')).status, 200);
    assert.equal(
      (await editor.requestInDocument('DELETE', '/sheets/Secret')).status,
      200,
      'hidden values close reading alone',
    );
  });
});
