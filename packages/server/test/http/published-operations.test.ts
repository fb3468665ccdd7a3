import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it, type TestContext } from 'node:test';
import { formatStructure, parseStructure } from '@cellwire/store/stored-forms';
import { compileQuery, compileStatement } from '../../../store/src/database/database.ts';
import { sql } from '../../../store/src/database/dialect.ts';
import { type EventStreamReader, openEventStream } from '../notify/event-stream.ts';
import { type ReceivedRequest, type Receiver, respondWith, startReceiver } from '../notify/receiver.ts';
import { listDeliveries, QUICK, subscribe, type TestSubscription, toElements } from '../notify/support.ts';
import { type Api, type Json, memberAt, startWorld, type World } from './support.ts';

/** Occurs in every operation that must be hidden. */
const MARK = 'mk7410963';

interface OperationCase {
  readonly title: string;
  readonly operation: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** True if a reader without access to the sheet `Secret` receives the operation. */
  readonly isPublished: boolean;
}

const createHiddenCase = (title: string, operation: OperationCase['operation']): OperationCase => ({
  title,
  operation,
  isPublished: false,
});
const createPublishedCase = (title: string, operation: OperationCase['operation']): OperationCase => ({
  title,
  operation,
  isPublished: true,
});

const CASES: readonly OperationCase[] = [
  createHiddenCase('replaced texts', { replace: { range: 'Secret!A1:C9', find: 'one', with: MARK } }),
  createHiddenCase('texts that were looked for and not found', { replace: { range: 'Secret', find: MARK, with: 'x' } }),
  createHiddenCase('a sheet name in other letters', { replace: { range: 'secret!A1:B2', find: MARK, with: 'y' } }),
  createHiddenCase('a formula with the sheet’s name among replaced texts', {
    replace: { range: 'Sheet1!A1:B9', find: MARK, with: "'Secret'!A1", formulas: true },
  }),
  createHiddenCase('a defined name', { setName: { name: `n_${MARK}`, refersTo: '=SUM(Secret!A:A)' } }),
  createHiddenCase('a defined name by several sheets', {
    setName: { name: `o_${MARK}`, refersTo: '=SUM(Sheet1:Secret!A1)' },
  }),
  createHiddenCase('a defined name by a text', { setName: { name: `p_${MARK}`, refersTo: '=INDIRECT("Secret!A1")' } }),
  createHiddenCase('a defined name by another', { setName: { name: `q_${MARK}`, refersTo: `=n_${MARK}+1` } }),
  createHiddenCase('a table', { setTable: { name: `t_${MARK}`, range: 'Secret!E1:F3' } }),
  createHiddenCase('the columns of a table', { setName: { name: `r_${MARK}`, refersTo: `=SUM(t_${MARK}[Column1])` } }),
  createHiddenCase('the end of a table', { deleteTable: { name: `t_${MARK}` } }),
  createHiddenCase('sorting', { sort: { range: 'Secret!A1:C3', by: [{ column: 'A' }] } }),
  createHiddenCase('removed duplicates', { removeDuplicates: { range: 'Secret!A1:C3' } }),
  createHiddenCase('filling', { fill: { from: 'Secret!A1', to: 'Secret!A1:A2' } }),
  createHiddenCase('copies from it', { copy: { from: 'Secret!A1', to: 'Sheet1!F1' } }),
  createHiddenCase('copies to it', { copy: { from: 'Sheet1!A1', to: 'Secret!F9' } }),
  createHiddenCase('cells cut from it', { cut: { from: 'Secret!A2', to: 'Sheet1!G1' } }),
  createHiddenCase('cells cut to it', { cut: { from: 'Sheet1!B1', to: 'Secret!G9' } }),
  createHiddenCase('rows', { insertRows: { sheet: 'Secret', before: 2, count: 1 } }),
  createHiddenCase('columns', { deleteColumns: { sheet: 'Secret', from: 'H', count: 1 } }),
  createHiddenCase('shifted cells', { insertCells: { range: 'Secret!A2', shift: 'down' } }),
  createHiddenCase('its colour', { colorSheet: { sheet: 'Secret', color: '#ff0000' } }),
  createHiddenCase('its place', { moveSheet: { sheet: 'Secret', order: 0 } }),
  createHiddenCase('its copy, which is as hidden', { duplicateSheet: { sheet: 'Secret', name: `Copy ${MARK}` } }),
  createHiddenCase('what is done to the copy', { replace: { range: `'Copy ${MARK}'!A1:B2`, find: MARK, with: 'z' } }),
  createPublishedCase('texts of another sheet', { replace: { range: 'Sheet1!A1:C9', find: 'two', with: 'three' } }),
  createPublishedCase('a text that only ends as a reference', {
    replace: { range: 'Sheet1!A1:C9', find: 'TopSecret!', with: 'four' },
  }),
  createPublishedCase('a defined name of another sheet', { setName: { name: 'plain', refersTo: '=SUM(Sheet1!A:A)' } }),
  createPublishedCase('rows of another sheet', { insertRows: { sheet: 'Sheet1', before: 3, count: 2 } }),
];

const listKinds = (cases: readonly OperationCase[]) => cases.flatMap(({ operation }) => Object.keys(operation));
const ALL = listKinds(CASES);
const VISIBLE = listKinds(CASES.filter(({ isPublished }) => isPublished));
/** A copied sheet keeps its protection when the original sheet loses it. */
const WITHOUT_COPIES = listKinds(CASES.filter(({ title }) => !title.includes('copy')));

interface Listener {
  readonly api: Api;
  readonly subscription: TestSubscription;
  readonly chatId: string;
  /** Replaces the messenger service. */
  readonly chats: Receiver;
  readonly stream: EventStreamReader;
}

interface MessengerWorld {
  readonly world: World;
  readonly chats: Receiver;
}

async function startMessengerWorld(t: TestContext): Promise<MessengerWorld> {
  const chats = await startReceiver(t, '');
  chats.behaviour = respondWith(200, {}, '{"ok":true}');
  const world = await startWorld({ notifications: { ...QUICK, messengerBaseUrl: chats.url } });
  t.after(() => world.close());
  return { world, chats };
}

/** Subscribes to a document through every channel. */
async function subscribeEverywhere(
  t: TestContext,
  { world, chats }: MessengerWorld,
  api: Api,
  chatId: string,
): Promise<Listener> {
  const subscription = await subscribe(t, world, api);
  const chat = { channel: 'messenger', botToken: '123456:ABC', chatId };
  assert.equal((await api.post('/webhooks', chat)).status, 200);
  return { api, subscription, chatId, chats, stream: await openEventStream(t, api) };
}

/**
 * The owner, a member with access to the sheet, and a member without access. The owner performs all operations of the
 * table.
 */
async function setUp(t: TestContext) {
  const messengerWorld = await startMessengerWorld(t);
  const { world } = messengerWorld;
  const book = await world.createBook();
  const { document } = book;
  await book.put('A1', [['one', 'two', 3]]);
  await book.addSheet('Secret');
  await book.put('Secret!A1', [
    ['one', 'b', 1],
    ['one', 'b', 1],
    ['c', 'd', 2],
  ]);
  const allowed = await world.createUser();
  await world.share(document, allowed.id, 'view');
  await world.protect(document, 'Secret', { hideValues: true, allow: [allowed.id] });
  const listeners = {
    owner: await subscribeEverywhere(t, messengerWorld, book, 'owner'),
    allowed: await subscribeEverywhere(
      t,
      messengerWorld,
      world.apiFor(await world.createToken(allowed.id), document),
      'allowed',
    ),
    reader: await subscribeEverywhere(t, messengerWorld, (await world.addMember(document, 'edit')).api, 'reader'),
  };
  const since = Number(await book.revision());
  for (const { title, operation } of CASES) {
    const { status, body } = await book.post('/structure', { operations: [operation] });
    assert.equal(status, 200, `${title}: ${JSON.stringify(body)}`);
  }
  await book.put('Sheet1!Z1', [['the end']]);
  return { world, book, people: listeners, since };
}

/** Kinds of the operations in order. The kinds are enough to compare a list with the table. */
function listOperationKinds(operations: Json | undefined): readonly string[] {
  return (operations === undefined ? [] : toElements(operations)).flatMap((operation_) => Object.keys(operation_));
}

/** All notifications of a subscription, when the last one and the earlier ones have arrived. */
async function waitUntilSent(
  subscription: TestSubscription,
  isLast: (text: string) => boolean,
): Promise<readonly ReceivedRequest[]> {
  const { receiver, webhook } = subscription;
  for (let count = 1; ; count++) {
    const received = await receiver.waitForRequests(count);
    if (isLast(JSON.stringify(received[count - 1]?.body))) break;
  }
  // Two notifications of a subscription may be sent in parallel, so that an earlier one arrives later.
  for (;;) {
    const deliveries = toElements((await listDeliveries(subscription, webhook))['entries']);
    if (deliveries.every(({ state }) => String(state) === 'delivered')) return receiver.received;
    await once(receiver.progress, 'tick');
  }
}

/** The operations and the full text from each channel. */
async function readChannels({ api, subscription, chatId, chats, stream }: Listener, since: number) {
  const channels: Record<string, { readonly operations: readonly string[] | null; readonly text: string }> = {};
  for (const query of ['', '&values=true', '&range=Sheet1!A:Z']) {
    const { body } = await api.requestInDocument('GET', `/changes?since=${since}${query}`);
    const entries = toElements(memberAt(body, 'changes')['entries']);
    const operations = query.includes('range')
      ? null
      : entries.flatMap((entry) => listOperationKinds(entry['structure']));
    channels[`changes${query}`] = { operations, text: JSON.stringify(body) };
  }
  const events: Json[] = [];
  while (!events.some(({ ranges }) => JSON.stringify(ranges) === '["Sheet1!Z1"]')) {
    events.push((await stream.next())?.data as Json);
  }
  channels['events'] = {
    operations: events.flatMap(({ structure }) => listOperationKinds(structure)),
    text: stream.text(),
  };
  const payloads = await waitUntilSent(subscription, (text) => text.includes('the end'));
  const inOrder = payloads.toSorted(
    (a, b) => Number(memberAt(a.body, 'revision')['from']) - Number(memberAt(b.body, 'revision')['from']),
  );
  const operations = inOrder.flatMap(({ body }) => listOperationKinds(body['structure']));
  channels['webhook'] = { operations, text: JSON.stringify(payloads.map(({ body }) => body)) };
  const listOwnMessages = () =>
    chats.received.filter(({ body }) => String(body['chat_id']) === chatId).map(({ body }) => body);
  while (!JSON.stringify(listOwnMessages()).includes('the end')) await chats.waitForNext();
  channels['messenger'] = { operations: null, text: JSON.stringify(listOwnMessages()) };
  for (const path of ['/revisions', '/audit']) {
    channels[path] = { operations: null, text: JSON.stringify((await api.requestInDocument('GET', path)).body) };
  }
  return channels;
}

/** Length of the mark and the checksums at the end of a stored delta. */
const CHECKSUM_BYTES = 16;

describe('structural operations', () => {
  it('are published in every channel to users with access to the sheet, and to nobody else', async (t) => {
    const { people: listeners, since } = await setUp(t);
    for (const [name, listener] of Object.entries(listeners)) {
      for (const [channelName, { operations, text }] of Object.entries(await readChannels(listener, since))) {
        const isReader = name === 'reader';
        if (operations !== null) assert.deepEqual(operations, isReader ? VISIBLE : ALL, `${name}, ${channelName}`);
        if (isReader) assert.doesNotMatch(text, new RegExp(MARK), `${name}, ${channelName}`);
      }
    }
  });

  it('are filtered by the current protection, including operations of older revisions', async (t) => {
    const { book, people: listeners, since } = await setUp(t);
    const readPublishedKinds = async () => {
      const { body } = await listeners.reader.api.requestInDocument(
        'GET',
        `/changes?since=${since}&limit=${CASES.length}`,
      );
      return toElements(memberAt(body, 'changes')['entries']).flatMap((entry) =>
        listOperationKinds(entry['structure']),
      );
    };
    assert.deepEqual(await readPublishedKinds(), VISIBLE);
    assert.equal((await book.requestInDocument('DELETE', '/sheets/Secret/protection')).status, 200);
    assert.deepEqual(await readPublishedKinds(), WITHOUT_COPIES, 'shown again');
    assert.equal(
      (await book.requestInDocument('PUT', '/sheets/Secret/protection', { body: { hideValues: true } })).status,
      200,
    );
    assert.deepEqual(await readPublishedKinds(), VISIBLE, 'hidden again');
    const { body } = await book.sheets();
    const secret = toElements(body['sheets']).find((sheet) => String(sheet['name']) === 'Secret');
    await book.renameSheet(String(secret?.['id'] ?? 'Secret'), 'Vault');
    await book.addSheet('Secret');
    assert.deepEqual(await readPublishedKinds(), VISIBLE, 'renamed, and another sheet has its name');
    await book.deleteSheet(String(secret?.['id'] ?? 'Vault'));
    assert.deepEqual(await readPublishedKinds(), VISIBLE, 'deleted');
  });

  it('of an older version are omitted if they may concern a hidden sheet', async (t) => {
    const { world, book, people: listeners, since } = await setUp(t);
    const { database } = world.server.service.context;
    const rows = await database.read(
      compileQuery(
        sql.selectFrom('commits').select(['revision', 'structure', 'delta']).where('document_id', '=', book.document),
      ),
    );
    const updates = rows.map(({ revision, structure, delta }) => {
      const text =
        structure && formatStructure(parseStructure(structure).map((operation_) => ({ ...operation_, sheets: null })));
      // Commits of older versions have no checksums, which would no longer match the text.
      const unsealed = delta.subarray(0, delta.length - CHECKSUM_BYTES);
      const update = sql
        .updateTable('commits')
        .set({ structure: text, changes_sum: null, delta: unsealed })
        .where('revision', '=', revision);
      return compileStatement(update.where('document_id', '=', book.document));
    });
    assert.equal((await database.write({ document: book.document, statements: updates })).kind, 'committed');
    const { body } = await listeners.reader.api.requestInDocument('GET', `/changes?since=${since}`);
    const entries = toElements(memberAt(body, 'changes')['entries']);
    assert.doesNotMatch(JSON.stringify(entries.map(({ structure }) => structure)), /Secret|Copy/);
    const publishedKinds = entries.flatMap(({ structure }) => listOperationKinds(structure));
    assert.deepEqual(
      ['insertRows', 'replace', 'setName'].filter((kind) => !publishedKinds.includes(kind)),
      [],
    );
  });
});
