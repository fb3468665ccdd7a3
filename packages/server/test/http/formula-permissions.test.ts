import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Interruption } from '../../../store/test/interruption.ts';
import type { RunningServer } from '../../src/compose/server.ts';
import { shareDocument } from '../../src/service/operator/documents.ts';
import { protectSheet, unprotectSheet } from '../../src/service/operator/sheets.ts';
import { Api, type Json, memberAt, pickStatusAndBody, requireAccepted, startWorld, type World } from './support.ts';

const MINUTE_MS = 60_000;

const interruption = new Interruption();
let now = Date.UTC(2026, 10, 20, 12);
let world: World;
/** Another process on the same data, such as the command line. */
let secondService: RunningServer;
/** One user edits the documents of all tests, because password hashing is slow. */
let editorId: string;
let editorToken: string;
before(async () => {
  world = await startWorld({ wrap: interruption.wrap, clock: () => now });
  secondService = await world.startSecondService();
  editorId = (await world.createUser()).id;
  editorToken = await world.createToken(editorId);
});
after(async () => {
  await secondService.close();
  await world.close();
});

const HIDDEN = [403, { message: 'Sheet values are hidden' }];

interface SharedBook {
  readonly owner: Api;
  readonly editor: Api;
}

/** Creates the owner's document with the sheet `Secret` (7, 8, 9 in its first column) and an editor. */
async function createSharedBook(): Promise<SharedBook> {
  const owner = await world.createBook();
  await owner.addSheet('Secret');
  await owner.put('Secret!A1', [[7], [8], [9]]);
  await world.share(owner.document, editorId, 'edit');
  return { owner, editor: world.apiFor(editorToken, owner.document) };
}

async function hideSecretSheet({ owner }: SharedBook, allow: readonly string[] = []): Promise<void> {
  const input = { document: owner.document, sheet: 'Secret', hideValues: true, lock: false, allow };
  requireAccepted(await protectSheet(secondService.service.context, input));
}

async function showSecretSheet({ owner }: SharedBook): Promise<void> {
  requireAccepted(await unprotectSheet(secondService.service.context, { document: owner.document, sheet: 'Secret' }));
}

async function readValue(api: Api, cell: string): Promise<unknown> {
  return (await api.cell(cell))?.['v'];
}

async function readLastChange(api: Api): Promise<Json> {
  const since = Number(await api.revision()) - 1;
  return memberAt((await api.requestInDocument('GET', `/changes?since=${since}`)).body, 'changes', 'entries', 0);
}

describe('after a change of protection or sharing', () => {
  it('formulas are recalculated immediately with the new permissions of their writers', async () => {
    const book = await createSharedBook();
    const { owner, editor } = book;
    await editor.put('A1', [['=Secret!A1', '=SUM(Secret!A:A)', '=LET(f;INDIRECT;f("Secret!A2"))', '=A1+1']]);
    await owner.put('A2', [['=Secret!A1']]);
    const updatedAt = memberAt((await owner.requestInDocument('GET', '')).body, 'document')['updatedAt'];
    now += MINUTE_MS;
    await hideSecretSheet(book);
    for (const api of [owner, editor]) {
      for (const cell of ['A1', 'B1', 'C1', 'D1']) assert.equal(await readValue(api, cell), '#REF!', cell);
      assert.equal(await readValue(api, 'A2'), 7);
    }
    assert.match(String(memberAt(await editor.cell('A1'), 'error')['message']), /hidden/);
    const change = await readLastChange(editor);
    assert.deepEqual(
      [change['origin'], change['author'], change['sourceToken'], change['ranges'], change['derived']],
      ['access', null, null, [], ['Sheet1!A1:D1']],
    );
    assert.deepEqual(memberAt((await owner.requestInDocument('GET', '')).body, 'document')['updatedAt'], updatedAt);
    await hideSecretSheet(book, [editorId]);
    assert.equal(await readValue(editor, 'B1'), 24);
    // A user without a share sees no hidden values, even if the protection lists the user.
    requireAccepted(
      await shareDocument(secondService.service.context, { document: owner.document, user: editorId, role: 'none' }),
    );
    assert.equal(await readValue(owner, 'B1'), '#REF!');
    requireAccepted(
      await shareDocument(secondService.service.context, { document: owner.document, user: editorId, role: 'view' }),
    );
    assert.equal(await readValue(owner, 'B1'), 24);
    await showSecretSheet(book);
    assert.equal(await readValue(editor, 'A1'), 7);
  });

  it('old revisions show users without access only what the writers of their formulas may see now', async () => {
    const book = await createSharedBook();
    const { owner, editor } = book;
    await owner.put('A2', [['=Secret!A1', 'own']]);
    await editor.put('A1', [['=Secret!A1', '=A1+1', '=INDIRECT("Secret!A2")']]);
    const revision = await owner.revision();
    await editor.put('A1', [['', '', '']]);
    await hideSecretSheet(book);
    const readValuesAtRevision = async (api: Api) => {
      const { body } = await api.requestInDocument('GET', `/values/Sheet1!A1:C2?revision=${revision}&render=plain`);
      return memberAt(body, 'values')['cells'] as unknown as unknown[][];
    };
    assert.deepEqual(await readValuesAtRevision(editor), [
      ['#REF!', '#REF!', '#REF!'],
      [7, 'own', null],
    ]);
    assert.deepEqual((await readValuesAtRevision(owner))[0], [7, 8, 8]);
    const { body } = await editor.requestInDocument('GET', `/changes?since=${Number(revision) - 1}&values=true`);
    const entries = memberAt(body, 'changes')['entries'] as unknown as {
      cells: { before: unknown; after: unknown }[];
    }[];
    const changedValues = entries.flatMap(({ cells }) => cells).flatMap(({ before, after }) => [before, after]);
    assert.deepEqual(new Set(changedValues), new Set([null, '#REF!']));
  });

  it('formulas stay hidden after a restart', async () => {
    const book = await createSharedBook();
    await book.editor.put('A1', [['=Secret!A1', '=IF(Z1="";0;INDIRECT("Secret!A2"))']]);
    await hideSecretSheet(book);
    const thirdService = await world.startSecondService();
    try {
      const owner = new Api(thirdService.address, book.owner.token, book.owner.document);
      await owner.put('Z1', [['go']]);
      assert.deepEqual([await readValue(owner, 'A1'), await readValue(owner, 'B1')], ['#REF!', '#REF!']);
    } finally {
      await thirdService.close();
    }
  });

  it('a write in progress is recalculated', async () => {
    const book = await createSharedBook();
    interruption.beforeCommit(() => hideSecretSheet(book));
    assert.deepEqual(pickStatusAndBody(await book.editor.put('A1', [['=Secret!A1']])), HIDDEN);
    await showSecretSheet(book);
    await book.editor.put('A1', [['=IF(Z1="";0;INDIRECT("Secret!A1"))']]);
    interruption.beforeCommit(() => hideSecretSheet(book));
    assert.equal((await book.owner.put('Z1', [[1]])).status, 200);
    assert.equal(await readValue(book.owner, 'A1'), '#REF!');
  });

  it('no revision is created if no permission changes', async () => {
    const book = await createSharedBook();
    const before = await book.owner.revision();
    await world.protect(book.owner.document, 'Secret', { lock: true });
    await world.share(book.owner.document, editorId, 'view');
    await world.share(book.owner.document, editorId, 'edit');
    assert.equal(await book.owner.revision(), before);
  });
});

describe('a formula that reads a hidden sheet later', () => {
  const DELAYED_READ = '=IF(NOW()<DATE(2027;1;1);"";INDIRECT("Secret!A1"))';

  it('shows nothing when the clock triggers it', async () => {
    const book = await createSharedBook();
    await hideSecretSheet(book);
    assert.equal((await book.editor.put('A1', [[DELAYED_READ, DELAYED_READ.replace('NOW', 'TODAY')]])).status, 200);
    const before = now;
    now = Date.UTC(2027, 0, 2);
    try {
      assert.equal(await readValue(book.editor, 'B1'), '#REF!');
      assert.equal((await book.owner.put('Z1', [[1]])).status, 200);
      assert.deepEqual([await readValue(book.owner, 'A1'), await readValue(book.owner, 'B1')], ['#REF!', '#REF!']);
      assert.equal((await book.editor.put('Z1', [[2]])).status, 200);
      assert.equal((await book.editor.put('Y1', [[DELAYED_READ]])).status, 403);
    } finally {
      now = before;
    }
  });

  it("shows nothing when another user's write triggers it, and that write succeeds", async () => {
    const book = await createSharedBook();
    await hideSecretSheet(book);
    const planted = '=IF(Z1="";"";MAP({"Secret!A1"};INDIRECT))';
    assert.equal((await book.editor.put('A1', [[planted]])).status, 200);
    assert.deepEqual(pickStatusAndBody(await book.editor.put('Z1', [[1]])), HIDDEN);
    const { status, body } = await book.owner.put('Z1', [[1]]);
    assert.deepEqual([status, body['warnings']], [200, undefined]);
    for (const api of [book.editor, book.owner]) assert.equal(await readValue(api, 'A1'), '#REF!');
  });
});

describe('a write that makes a formula read a hidden sheet', () => {
  it('is refused for each cell of a batch', async () => {
    const book = await createSharedBook();
    await hideSecretSheet(book);
    const { editor, owner } = book;
    const before = await owner.revision();
    const hidden = { range: 'Secret!C1', values: [['=A1']] };
    const open = { range: 'C1', values: [['=A1']] };
    for (const data of [
      [hidden, open],
      [open, hidden],
      [{ range: 'A1', values: [['=Secret!A1'], ['=A1']] }],
      [
        { range: 'A1', values: [['=Secret!A1']] },
        { range: 'A1', values: [['=Secret!A2']] },
      ],
    ]) {
      assert.deepEqual(pickStatusAndBody(await editor.batchUpdate(data)), HIDDEN, JSON.stringify(data));
    }
    assert.equal(await owner.revision(), before);
  });

  it('is refused if functions are used as values', async () => {
    const book = await createSharedBook();
    await hideSecretSheet(book);
    for (const formula of [
      '=LET(f;INDIRECT;f("Secret!A1"))',
      '=MAP({"Secret!A1"};INDIRECT)',
      '=LAMBDA(f;f("Secret!A1"))(INDIRECT)',
      '=SUM(BYROW({"Secret!A1"};INDIRECT))',
    ]) {
      assert.deepEqual(pickStatusAndBody(await book.editor.put('A1', [[formula]])), HIDDEN, formula);
    }
  });

  it('makes the sender the writer of the formula, even if the text is unchanged', async () => {
    const book = await createSharedBook();
    await book.owner.put('A1', [['=Secret!A1', '=Secret!A2']]);
    await book.editor.put('A1', [['=Secret!A1']]);
    await hideSecretSheet(book);
    assert.deepEqual([await readValue(book.editor, 'A1'), await readValue(book.editor, 'B1')], ['#REF!', 8]);
    await book.owner.put('A1', [['=Secret!A1']]);
    assert.equal(await readValue(book.editor, 'A1'), 7);
    assert.deepEqual(pickStatusAndBody(await book.editor.put('B1', [['=Secret!A2']])), HIDDEN);
  });
});
