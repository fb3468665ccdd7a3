// A process that writes like the store of a node, and inserts bare rows of the same size. `writes.mjs` starts several.
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { openDocuments } from '../../packages/server/src/documents/documents.ts';
import { openPostgres } from '../../packages/store/src/postgres/database.ts';
import { COMMIT_BYTES, createAuditRow } from './rows.mjs';

const ROWS = 200;
const CONNECTIONS = 10;
const LIMITS = { calculationMs: 10_000, calculationCells: 1_000_000 };
const AUTHOR = { userId: 1, origin: 'api', tokenId: null, tokenName: null };

const url = process.argv[2];
const database = await openPostgres({ url, connections: CONNECTIONS });
const onError = (_, error) => console.error(error);
const documents = openDocuments({ database, clock: Date.now, limits: LIMITS, onError });
const clients = [];
let revision = 0;
let value = 0;

const TASKS = {
  cpu: async () => process.cpuUsage(),
  async make({ count }) {
    const content = { kind: 'empty', locale: 'en-US', dateSystem: 'google', timeZone: 'UTC' };
    const documentList = Array.from({ length: count }, () =>
      documents.create({ ownerId: 1, title: 'T', type: 'table', format: 'collaborative', content }),
    );
    return (await Promise.all(documentList)).map(({ id }) => id);
  },
  async store({ ids, callers, writes }) {
    const open = await Promise.all(ids.map((id) => documents.open(id)));
    const outcomes = new Set();
    await writeInTurns(callers, writes, async (i) => {
      const at = i % ids.length;
      outcomes.add((await open[at].write(writeCell(ids[at]))).kind);
    });
    if ([...outcomes].join() !== 'written') throw new Error([...outcomes].join());
  },
  async bare({ ids, callers, writes }) {
    while (clients.length < callers) clients.push(await connectClient());
    await writeInTurns(callers, writes, (i, caller) => insertRow(clients[caller], ids[i % ids.length]));
  },
};
process.on('message', async ({ task, ...parameters }) => process.send({ reply: await TASKS[task](parameters) }));
process.send({ reply: null });

/** Runs concurrent clients, each with one write in progress. */
async function writeInTurns(callers, writes, write) {
  let next = 0;
  const call = async (caller) => {
    for (let i = next++; i < writes; i = next++) await write(i, caller);
  };
  await Promise.all(Array.from({ length: callers }, (_, caller) => call(caller)));
}

/** Writes a cell like the API: the commit and an entry of the audit log. */
function writeCell(id) {
  return ({ sheets }) => {
    const number = value++;
    const edit = {
      kind: 'setValues',
      sheet: sheets[0].id,
      row: number % ROWS,
      column: 0,
      values: [[number]],
      mode: 'raw',
    };
    const finish = (_, { at }) => ({ reply: null, statements: [], audited: [createAuditRow(id, at)] });
    return { kind: 'proposal', edits: [edit], author: AUTHOR, finish };
  };
}

/** Opens a connection to the database for bare insertions. */
async function connectClient() {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}

/** Inserts a bare row over a connection. */
function insertRow(client, document) {
  const text = 'insert into bare (document, revision, at, data) values ($1, $2, $3, $4)';
  const key = `${document} ${process.pid}`;
  return client.query({ name: 'bare', text, values: [key, revision++, Date.now(), randomBytes(COMMIT_BYTES)] });
}
