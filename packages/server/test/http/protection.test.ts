import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Answer, type Api, startWorld, type World } from './support.ts';

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

const HIDDEN = { status: 403, body: { message: 'Sheet values are hidden' } };
const LOCKED = { status: 403, body: { message: 'Sheet is protected' } };

function shown({ status, body }: Answer) {
  return { status, body };
}

/** The owner's book with a sheet `Secret` that holds 7 in A1, and an editor of it. */
async function shared(): Promise<{ owner: Api; editor: Api; editorId: string }> {
  const owner = await world.book();
  await owner.addSheet('Secret');
  await owner.put('Secret!A1', [[7]]);
  const { id, api } = await world.member(owner.document, 'edit');
  return { owner, editor: api, editorId: id };
}

describe('hidden values', () => {
  it('close reading to all but the owner and those who are listed', async () => {
    const { owner, editor, editorId } = await shared();
    await world.protect(owner.document, 'Secret', { hideValues: true });
    assert.deepEqual(shown(await editor.get('Secret!A1')), HIDDEN);
    assert.deepEqual((await editor.batchGet(['A1', 'Secret!A1'])).body['valueRanges'][1], {
      range: 'Secret!A1',
      error: 'Sheet values are hidden',
    });
    assert.deepEqual(await owner.cell('Secret!A1'), { v: 7, m: '7' });
    await world.protect(owner.document, 'Secret', { hideValues: true, allow: [editorId] });
    assert.deepEqual(await editor.cell('Secret!A1'), { v: 7, m: '7' });
  });

  it('leave the sheet’s name and what is elsewhere to be seen', async () => {
    const { owner, editor } = await shared();
    await world.protect(owner.document, 'Secret', { hideValues: true });
    assert.equal((await editor.sheets()).body['sheets'][1]['name'], 'Secret');
    const { body } = await editor.here('GET', '/content');
    assert.equal((body['sheets'] as unknown as unknown[]).length, 1);
    assert.equal(JSON.stringify((await editor.here('GET', '/styles')).body).includes('Secret'), false);
  });

  it('let others add to the sheet without seeing it', async () => {
    const { owner, editor } = await shared();
    await world.protect(owner.document, 'Secret', { hideValues: true });
    const { status, body } = await editor.append('Secret!A1', [[8]]);
    assert.deepEqual([status, body['updated']['updatedRange']], [200, 'Secret!A2']);
    assert.equal((await editor.clear('Secret!A2')).status, 200);
    assert.equal((await editor.renameSheet('Secret', 'Still secret')).status, 200);
  });

  it('cannot be reached by a formula that a stranger writes', async () => {
    const { owner, editor } = await shared();
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
      // Its formulas, spills and formats are no less hidden than its values.
      [['=FORMULATEXT(INDIRECT("Secret!C1"))']],
      [['=ISFORMULA(INDIRECT("Secret!C1"))']],
      [['=ROWS(ANCHORARRAY(INDIRECT("Secret!D1")))']],
      [['=CELL("format";INDIRECT("Secret!E1"))']],
    ]) {
      const before = await owner.revision();
      assert.deepEqual(shown(await editor.put('A1', values)), HIDDEN, JSON.stringify(values));
      assert.equal(await owner.revision(), before);
    }
    // A formula that somebody else wrote must not be led there, either.
    assert.deepEqual(shown(await editor.put('F1', [['Secret!A1']])), HIDDEN);
    assert.equal((await editor.put('F1', [['A1']])).status, 200);
    // Nor may the sheet be led to a formula, by giving it the name that one waits for.
    assert.equal((await editor.put('A2', [['=INDIRECT("Open!A1")', '=Open!A1']])).status, 200);
    assert.deepEqual(shown(await editor.renameSheet('Secret', 'Open')), HIDDEN);
    // What someone with access has put there works for everyone.
    assert.deepEqual(await editor.cell('C1'), { v: 7, m: '7', f: '=Secret!A1' });
    assert.equal((await editor.put('A1', [['=C1+1']])).status, 200);
    assert.equal((await editor.cell('A1'))['v'], 8);
  });
});

describe('a sheet locked for editing', () => {
  it('refuses every kind of write, and stays readable', async () => {
    const { owner, editor } = await shared();
    await world.protect(owner.document, 'Secret', { lock: true });
    const writes: readonly [what: string, write: () => Promise<Answer>][] = [
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
    for (const [what, write] of writes) assert.deepEqual(shown(await write()), LOCKED, what);
    assert.equal(await owner.cell('A1'), null);
    assert.deepEqual(await editor.cell('Secret!A1'), { v: 7, m: '7' });
    assert.equal((await owner.put('Secret!A1', [[8]])).status, 200);
  });

  it('comes after what is wrong and what is missing', async () => {
    const { owner, editor } = await shared();
    await world.protect(owner.document, 'Secret', { lock: true });
    const batch = (other: string) =>
      editor.batchUpdate([
        { range: 'Secret!A1', values: [[1]] },
        { range: other, values: [[1]] },
      ]);
    assert.equal((await batch('nonsense range')).status, 422);
    assert.equal((await batch('Nope!A1')).status, 404);
    assert.equal((await editor.put('Secret!XFD1', [[1, 2]])).status, 422);
    assert.equal((await editor.renameSheet('Secret', '')).status, 422);
  });

  it('is gone with its sheet: a new one of the same name is open', async () => {
    const { owner, editor } = await shared();
    await world.protect(owner.document, 'Secret', { lock: true, hideValues: true });
    await owner.deleteSheet('Secret');
    await owner.addSheet('Secret');
    assert.equal((await editor.put('Secret!A1', [[1]])).status, 200);
  });

  it('holds for agents as well', async () => {
    const { owner } = await shared();
    await world.protect(owner.document, 'Secret', { lock: true, hideValues: true });
    const { api } = await world.member(owner.document, 'edit', ['sheets.read', 'sheets.agent.write']);
    assert.deepEqual(shown(await api.put('Secret!A1', [[1]])), LOCKED);
    assert.deepEqual(shown(await api.get('Secret!A1')), HIDDEN);
  });
});
