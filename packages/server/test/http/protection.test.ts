import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Api, type ApiResponse, memberAt, pickStatusAndBody, startWorld, type World } from './support.ts';

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

const HIDDEN = [403, { message: 'Sheet values are hidden' }];
const LOCKED = [403, { message: 'Sheet is protected' }];

/** Creates the owner's document with a sheet `Secret`, which has 7 in A1, and an editor. */
async function createSharedBook(): Promise<{ owner: Api; editor: Api; editorId: string }> {
  const owner = await world.createBook();
  await owner.addSheet('Secret');
  await owner.put('Secret!A1', [[7]]);
  const { id, api } = await world.addMember(owner.document, 'edit');
  return { owner, editor: api, editorId: id };
}

describe('hidden values', () => {
  it('are readable for the owner and listed users only', async () => {
    const { owner, editor, editorId } = await createSharedBook();
    await world.protect(owner.document, 'Secret', { hideValues: true });
    assert.deepEqual(pickStatusAndBody(await editor.get('Secret!A1')), HIDDEN);
    assert.deepEqual(memberAt((await editor.batchGet(['A1', 'Secret!A1'])).body, 'valueRanges')[1], {
      range: 'Secret!A1',
      error: 'Sheet values are hidden',
    });
    assert.deepEqual(await owner.cell('Secret!A1'), { v: 7, m: '7' });
    await world.protect(owner.document, 'Secret', { hideValues: true, allow: [editorId] });
    assert.deepEqual(await editor.cell('Secret!A1'), { v: 7, m: '7' });
  });

  it("do not hide the sheet's name and other sheets", async () => {
    const { owner, editor } = await createSharedBook();
    await world.protect(owner.document, 'Secret', { hideValues: true });
    assert.equal(memberAt((await editor.sheets()).body, 'sheets', 1)['name'], 'Secret');
    const { body } = await editor.requestInDocument('GET', '/content');
    assert.equal((body['sheets'] as unknown as unknown[]).length, 1);
    assert.equal(JSON.stringify((await editor.requestInDocument('GET', '/styles')).body).includes('Secret'), false);
  });

  it('do not prevent blind writes', async () => {
    const { owner, editor } = await createSharedBook();
    await world.protect(owner.document, 'Secret', { hideValues: true });
    const { status, body } = await editor.append('Secret!A1', [[8]]);
    assert.deepEqual([status, memberAt(body, 'updated')['updatedRange']], [200, 'Secret!A2']);
    assert.equal((await editor.clear('Secret!A2')).status, 200);
    assert.equal((await editor.renameSheet('Secret', 'Still secret')).status, 200);
  });

  it('cannot be read through a formula of another user', async () => {
    const { owner, editor } = await createSharedBook();
    await owner.put('B1', [['Secret!A1', '=Secret!A1']]);
    await owner.put('Secret!C1', [['=1+1', '=SEQUENCE(2)', '50%']]);
    await owner.put('E1', [['=INDIRECT(F1)']]);
    await world.protect(owner.document, 'Secret', { hideValues: true });
    for (const values of [
      [['=Secret!A1']],
      [['=SUM(1;Secret!A:A)']],
      [['=INDIRECT("Secret!A1")']],
      [['=INDIRECT(B1)']],
      [['=OFFSET(Secret!A1;0;0)']],
      // Formulas, spills and formats of the sheet are hidden like its values.
      [['=FORMULATEXT(INDIRECT("Secret!C1"))']],
      [['=ISFORMULA(INDIRECT("Secret!C1"))']],
      [['=ROWS(ANCHORARRAY(INDIRECT("Secret!D1")))']],
      [['=CELL("format";INDIRECT("Secret!E1"))']],
    ]) {
      const before = await owner.revision();
      assert.deepEqual(pickStatusAndBody(await editor.put('A1', values)), HIDDEN, JSON.stringify(values));
      assert.equal(await owner.revision(), before);
    }
    // An editor must not redirect an existing formula to the sheet.
    assert.deepEqual(pickStatusAndBody(await editor.put('F1', [['Secret!A1']])), HIDDEN);
    assert.equal((await editor.put('F1', [['A1']])).status, 200);
    // An editor must not rename the sheet to a name that a formula already uses.
    assert.equal((await editor.put('A2', [['=INDIRECT("Open!A1")', '=Open!A1']])).status, 200);
    assert.deepEqual(pickStatusAndBody(await editor.renameSheet('Secret', 'Open')), HIDDEN);
    // A formula of a user with access works for everyone.
    assert.deepEqual(await editor.cell('C1'), { v: 7, m: '7', f: '=Secret!A1' });
    assert.equal((await editor.put('A1', [['=C1+1']])).status, 200);
    assert.equal((await editor.cell('A1'))['v'], 8);
  });
});

describe('a sheet locked for editing', () => {
  it('refuses every kind of write and stays readable', async () => {
    const { owner, editor } = await createSharedBook();
    await world.protect(owner.document, 'Secret', { lock: true });
    const writes: readonly [what: string, write: () => Promise<ApiResponse>][] = [
      ['put', () => editor.put('Secret!A1', [[1]])],
      ['append', () => editor.append('Secret!A1', [[1]])],
      ['clear', () => editor.clear('Secret!A1')],
      ['rename', () => editor.renameSheet('Secret', 'X')],
      ['delete', () => editor.deleteSheet('Secret')],
      [
        'batch',
        () =>
          editor.batchUpdate([
            { range: 'A1', values: [[1]] },
            { range: 'Secret!A1', values: [[1]] },
          ]),
      ],
    ];
    for (const [what, write] of writes) assert.deepEqual(pickStatusAndBody(await write()), LOCKED, what);
    assert.equal(await owner.cell('A1'), null);
    assert.deepEqual(await editor.cell('Secret!A1'), { v: 7, m: '7' });
    assert.equal((await owner.put('Secret!A1', [[8]])).status, 200);
  });

  it('is checked after validation and existence', async () => {
    const { owner, editor } = await createSharedBook();
    await world.protect(owner.document, 'Secret', { lock: true });
    const sendBatch = (other: string) =>
      editor.batchUpdate([
        { range: 'Secret!A1', values: [[1]] },
        { range: other, values: [[1]] },
      ]);
    assert.equal((await sendBatch('nonsense range')).status, 422);
    assert.equal((await sendBatch('Nope!A1')).status, 404);
    assert.equal((await editor.put('Secret!XFD1', [[1, 2]])).status, 422);
    assert.equal((await editor.renameSheet('Secret', '')).status, 422);
  });

  it('is unlocked if it was deleted and created again with the same name', async () => {
    const { owner, editor } = await createSharedBook();
    await world.protect(owner.document, 'Secret', { lock: true, hideValues: true });
    await owner.deleteSheet('Secret');
    await owner.addSheet('Secret');
    assert.equal((await editor.put('Secret!A1', [[1]])).status, 200);
  });

  it('is locked for agents, too', async () => {
    const { owner } = await createSharedBook();
    await world.protect(owner.document, 'Secret', { lock: true, hideValues: true });
    const { api } = await world.addMember(owner.document, 'edit', ['sheets.read', 'sheets.agent.write']);
    assert.deepEqual(pickStatusAndBody(await api.put('Secret!A1', [[1]])), LOCKED);
    assert.deepEqual(pickStatusAndBody(await api.get('Secret!A1')), HIDDEN);
  });
});
