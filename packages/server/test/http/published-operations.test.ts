import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { formatStructure, parseStructure } from '@cellwire/store/stored-forms';
import { query, statement } from '../../../store/src/database/database.ts';
import { sql } from '../../../store/src/database/dialect.ts';
import { follow, type Stream } from '../notify/event-stream.ts';
import { answering, type Received, type Receiver, startReceiver } from '../notify/receiver.ts';
import { items, QUICK, subscribe } from '../notify/support.ts';
import { type Api, type Json, startWorld, type World } from './support.ts';

/** What stands in every operation that is to be left out. */
const MARK = 'mk7410963';

interface Case {
  readonly title: string;
  readonly operation: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Whether somebody reads it from whom the sheet `Secret` is hidden. */
  readonly isPublished: boolean;
}

const hidden = (title: string, operation: Case['operation']): Case => ({ title, operation, isPublished: false });
const open = (title: string, operation: Case['operation']): Case => ({ title, operation, isPublished: true });

const CASES: readonly Case[] = [
  hidden('replaced texts', { replace: { range: 'Secret!A1:C9', find: 'one', with: MARK } }),
  hidden('texts that were looked for and not found', { replace: { range: 'Secret', find: MARK, with: 'x' } }),
  hidden('a sheet name in other letters', { replace: { range: 'secret!A1:B2', find: MARK, with: 'y' } }),
  hidden('a formula with the sheet’s name among replaced texts', {
    replace: { range: 'Sheet1!A1:B9', find: MARK, with: "'Secret'!A1", formulas: true },
  }),
  hidden('a defined name', { setName: { name: `n_${MARK}`, refersTo: '=SUM(Secret!A:A)' } }),
  hidden('a defined name by several sheets', { setName: { name: `o_${MARK}`, refersTo: '=SUM(Sheet1:Secret!A1)' } }),
  hidden('a defined name by a text', { setName: { name: `p_${MARK}`, refersTo: '=INDIRECT("Secret!A1")' } }),
  hidden('a defined name by another', { setName: { name: `q_${MARK}`, refersTo: `=n_${MARK}+1` } }),
  hidden('a table', { setTable: { name: `t_${MARK}`, range: 'Secret!E1:F3' } }),
  hidden('the columns of a table', { setName: { name: `r_${MARK}`, refersTo: `=SUM(t_${MARK}[Column1])` } }),
  hidden('the end of a table', { deleteTable: { name: `t_${MARK}` } }),
  hidden('sorting', { sort: { range: 'Secret!A1:C3', by: [{ column: 'A' }] } }),
  hidden('removed duplicates', { removeDuplicates: { range: 'Secret!A1:C3' } }),
  hidden('filling', { fill: { from: 'Secret!A1', to: 'Secret!A1:A2' } }),
  hidden('copies from it', { copy: { from: 'Secret!A1', to: 'Sheet1!F1' } }),
  hidden('copies to it', { copy: { from: 'Sheet1!A1', to: 'Secret!F9' } }),
  hidden('cells cut from it', { cut: { from: 'Secret!A2', to: 'Sheet1!G1' } }),
  hidden('cells cut to it', { cut: { from: 'Sheet1!B1', to: 'Secret!G9' } }),
  hidden('rows', { insertRows: { sheet: 'Secret', before: 2, count: 1 } }),
  hidden('columns', { deleteColumns: { sheet: 'Secret', from: 'H', count: 1 } }),
  hidden('shifted cells', { insertCells: { range: 'Secret!A2', shift: 'down' } }),
  hidden('its colour', { colorSheet: { sheet: 'Secret', color: '#ff0000' } }),
  hidden('its place', { moveSheet: { sheet: 'Secret', order: 0 } }),
  hidden('its copy, which is as hidden', { duplicateSheet: { sheet: 'Secret', name: `Copy ${MARK}` } }),
  hidden('what is done to the copy', { replace: { range: `'Copy ${MARK}'!A1:B2`, find: MARK, with: 'z' } }),
  open('texts of another sheet', { replace: { range: 'Sheet1!A1:C9', find: 'two', with: 'three' } }),
  open('a text that only ends as a reference', {
    replace: { range: 'Sheet1!A1:C9', find: 'TopSecret!', with: 'four' },
  }),
  open('a defined name of another sheet', { setName: { name: 'plain', refersTo: '=SUM(Sheet1!A:A)' } }),
  open('rows of another sheet', { insertRows: { sheet: 'Sheet1', before: 3, count: 2 } }),
];

const kinds = (cases: readonly Case[]) => cases.flatMap(({ operation }) => Object.keys(operation));
const ALL = kinds(CASES);
const VISIBLE = kinds(CASES.filter(({ isPublished }) => isPublished));
/** A copy keeps its protection when the protection of its sheet ends. */
const WITHOUT_COPIES = kinds(CASES.filter(({ title }) => !title.includes('copy')));

interface Person {
  readonly api: Api;
  readonly receiver: Receiver;
  readonly chatId: string;
  /** What stands in the place of the messenger. */
  readonly chats: Receiver;
  readonly stream: Stream;
}

interface Place {
  readonly world: World;
  readonly chats: Receiver;
}

async function start(t: TestContext): Promise<Place> {
  const chats = await startReceiver(t, '');
  chats.behaviour = answering(200, {}, '{"ok":true}');
  const world = await startWorld({ notifications: { ...QUICK, messengerBaseUrl: chats.url } });
  t.after(() => world.close());
  return { world, chats };
}

/** Listens to a document by every door that sends by itself. */
async function listen(t: TestContext, { world, chats }: Place, api: Api, chatId: string): Promise<Person> {
  const { receiver } = await subscribe(t, world, api);
  const chat = { channel: 'messenger', botToken: '123456:ABC', chatId };
  assert.equal((await api.post('/webhooks', chat)).status, 200);
  return { api, receiver, chatId, chats, stream: await follow(t, api) };
}

/** The owner, a member who may see the sheet, and one who may not; the owner does everything in the table. */
async function setUp(t: TestContext) {
  const place = await start(t);
  const { world } = place;
  const book = await world.book();
  const { document } = book;
  await book.put('A1', [['one', 'two', 3]]);
  await book.addSheet('Secret');
  await book.put('Secret!A1', [
    ['one', 'b', 1],
    ['one', 'b', 1],
    ['c', 'd', 2],
  ]);
  const allowed = await world.user();
  await world.share(document, allowed.id, 'view');
  await world.protect(document, 'Secret', { hideValues: true, allow: [allowed.id] });
  const people = {
    owner: await listen(t, place, book, 'owner'),
    allowed: await listen(t, place, world.api(await world.token(allowed.id), document), 'allowed'),
    reader: await listen(t, place, (await world.member(document, 'edit')).api, 'reader'),
  };
  const since = Number(await book.revision());
  for (const { title, operation } of CASES) {
    const { status, body } = await book.post('/structure', { operations: [operation] });
    assert.equal(status, 200, `${title}: ${JSON.stringify(body)}`);
  }
  await book.put('Sheet1!Z1', [['the end']]);
  return { world, book, people, since };
}

/** What operations do, in their order: enough to tell which of the table are in a list. */
function kindsOf(operations: Json | undefined): readonly string[] {
  return (operations === undefined ? [] : items(operations)).flatMap((one) => Object.keys(one));
}

async function untilSent(receiver: Receiver, isLast: (text: string) => boolean): Promise<readonly Received[]> {
  for (let count = 1; ; count++) {
    const received = await receiver.take(count);
    if (isLast(JSON.stringify(received.at(-1)?.body))) return received;
  }
}

/** What each door says to a person: the operations by their titles, and everything as text. */
async function seen({ api, receiver, chatId, chats, stream }: Person, since: number) {
  const doors: Record<string, { readonly operations: readonly string[] | null; readonly text: string }> = {};
  for (const query of ['', '&values=true', '&range=Sheet1!A:Z']) {
    const { body } = await api.here('GET', `/changes?since=${since}${query}`);
    const entries = items(body['changes']['entries']);
    const operations = query.includes('range') ? null : entries.flatMap((entry) => kindsOf(entry['structure']));
    doors[`changes${query}`] = { operations, text: JSON.stringify(body) };
  }
  const events: Json[] = [];
  while (!events.some(({ ranges }) => JSON.stringify(ranges) === '["Sheet1!Z1"]')) {
    events.push((await stream.next())?.data as Json);
  }
  doors['events'] = { operations: events.flatMap(({ structure }) => kindsOf(structure)), text: stream.text() };
  const payloads = await untilSent(receiver, (text) => text.includes('the end'));
  // Two notifications of a subscription may be under way at a time.
  const inOrder = payloads.toSorted((a, b) => Number(a.body['revision']['from']) - Number(b.body['revision']['from']));
  const operations = inOrder.flatMap(({ body }) => kindsOf(body['structure']));
  doors['webhook'] = { operations, text: JSON.stringify(payloads.map(({ body }) => body)) };
  const own = () => chats.received.filter(({ body }) => String(body['chat_id']) === chatId).map(({ body }) => body);
  while (!JSON.stringify(own()).includes('the end')) await chats.next();
  doors['messenger'] = { operations: null, text: JSON.stringify(own()) };
  for (const path of ['/revisions', '/audit']) {
    doors[path] = { operations: null, text: JSON.stringify((await api.here('GET', path)).body) };
  }
  return doors;
}

describe('operations of structure', () => {
  it('are published at every door to those who see their sheets, and to nobody else', async (t) => {
    const { people, since } = await setUp(t);
    for (const [name, person] of Object.entries(people)) {
      for (const [door, { operations, text }] of Object.entries(await seen(person, since))) {
        const isReader = name === 'reader';
        if (operations !== null) assert.deepEqual(operations, isReader ? VISIBLE : ALL, `${name}, ${door}`);
        if (isReader) assert.doesNotMatch(text, new RegExp(MARK), `${name}, ${door}`);
      }
    }
  });

  it('follow the protection of the moment, also of older revisions', async (t) => {
    const { book, people, since } = await setUp(t);
    const told = async () => {
      const { body } = await people.reader.api.here('GET', `/changes?since=${since}&limit=${CASES.length}`);
      return items(body['changes']['entries']).flatMap((entry) => kindsOf(entry['structure']));
    };
    assert.deepEqual(await told(), VISIBLE);
    assert.equal((await book.here('DELETE', '/sheets/Secret/protection')).status, 200);
    assert.deepEqual(await told(), WITHOUT_COPIES, 'shown again');
    assert.equal((await book.here('PUT', '/sheets/Secret/protection', { body: { hideValues: true } })).status, 200);
    assert.deepEqual(await told(), VISIBLE, 'hidden again');
    const { body } = await book.sheets();
    const secret = items(body['sheets']).find((sheet) => String(sheet['name']) === 'Secret');
    await book.renameSheet(String(secret?.['id'] ?? 'Secret'), 'Vault');
    await book.addSheet('Secret');
    assert.deepEqual(await told(), VISIBLE, 'renamed, and another sheet has its name');
    await book.deleteSheet(String(secret?.['id'] ?? 'Vault'));
    assert.deepEqual(await told(), VISIBLE, 'deleted');
  });

  it('of an older version are left out where they may be of a hidden sheet', async (t) => {
    const { world, book, people, since } = await setUp(t);
    const { database } = world.server.service.context;
    const rows = await database.read(
      query(sql.selectFrom('commits').select(['revision', 'structure']).where('document_id', '=', book.document)),
    );
    const older = rows.map(({ revision, structure }) => {
      const text = structure && formatStructure(parseStructure(structure).map((one) => ({ ...one, sheets: null })));
      const update = sql.updateTable('commits').set({ structure: text }).where('revision', '=', revision);
      return statement(update.where('document_id', '=', book.document));
    });
    assert.equal((await database.write({ document: book.document, statements: older })).kind, 'committed');
    const { body } = await people.reader.api.here('GET', `/changes?since=${since}`);
    const entries = items(body['changes']['entries']);
    assert.doesNotMatch(JSON.stringify(entries.map(({ structure }) => structure)), /Secret|Copy/);
    const told = entries.flatMap(({ structure }) => kindsOf(structure));
    assert.deepEqual(
      ['insertRows', 'replace', 'setName'].filter((kind) => !told.includes(kind)),
      [],
    );
  });
});
