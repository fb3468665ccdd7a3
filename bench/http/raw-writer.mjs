// A bare node:http server that accepts the same requests as the service and inserts the same rows: a commit, an audit
// entry, and the document's next revision. Requests of one turn of the event loop share a transaction; requests that
// arrive during a disk sync share the next one. (A separate writer thread, as in the service, was measured to be slower
// here.) Argument: the database file.
import { createServer } from 'node:http';
import Database from 'better-sqlite3';

const DOCUMENT = /\/documents\/([0-9a-f-]{36})\//;
const HEAD = '6f9619ff8b86d011b42d00c04fc964ff';

const db = new Database(process.argv[2]);
db.pragma('journal_mode = WAL');
db.pragma('synchronous = FULL');
db.exec(`
  create table documents (id text not null primary key, revision integer not null, head text not null,
    calculated_at integer not null, updated_at integer not null) without rowid;
  create table commits (document_id text not null, revision integer not null, head text not null, at integer not null,
    author_id integer, origin text not null, token_id integer, token_name text, delta blob not null,
    areas text not null, primary key (document_id, revision));
  create table audit (document_id text not null, id integer not null, action text not null, origin text not null,
    user_id integer not null, user_name text not null, token_id integer, token_name text, "range" text not null,
    cells integer not null, at integer not null, primary key (document_id, id)) without rowid;`);

const advance = db.prepare(
  'update documents set revision = ?, head = ?, calculated_at = ?, updated_at = ? where id = ? and revision = ?',
);
const insertCommit = db.prepare('insert into commits values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
const insertAudit = db.prepare('insert into audit values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
const insertDocument = db.prepare('insert into documents values (?, 0, ?, 0, 0)');
/** Newest revision of each document. */
const revisions = new Map();
let queue = [];

const write = db.transaction((batch) => {
  for (const { document, delta, areas, at } of batch) {
    const before = revisions.get(document) ?? 0;
    if (before === 0) insertDocument.run(document, HEAD);
    const revision = before + 1;
    revisions.set(document, revision);
    advance.run(revision, HEAD, at, at, document, before);
    insertCommit.run(document, revision, HEAD, at, 1, 'api', 1, 'bench', delta, areas);
    insertAudit.run(document, revision, 'update', 'api', 1, 'Bench', 1, 'bench', 'Sheet1!A1', 1, at);
  }
});

/** Writes all queued requests in one transaction, and answers them. */
function writeQueue() {
  const batch = queue;
  queue = [];
  write.immediate(batch);
  for (const { response, answer } of batch) {
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' });
    response.end(answer);
  }
}

const server = createServer((request, response) => {
  const parts = [];
  request.on('data', (part) => parts.push(part));
  request.on('end', () => {
    const [, document] = DOCUMENT.exec(request.url);
    const { values } = JSON.parse(parts.length === 1 ? parts[0] : Buffer.concat(parts));
    if (queue.length === 0) setImmediate(writeQueue);
    queue.push({ response, document, ...encodeNumbers(values), answer: createAnswer(values) });
  });
});
server.listen(0, '127.0.0.1', () => console.log(`listening on http://127.0.0.1:${server.address().port}`));
process.once('SIGTERM', () => process.exit(0));

/** Stores the bytes of the numbers instead of the service's delta. */
function encodeNumbers(values) {
  const delta = new Uint8Array(Float64Array.from(values.flat(), Number).buffer);
  return { delta, areas: JSON.stringify({ written: [[1, 0, 0, values.length - 1, 0]], derived: [] }), at: Date.now() };
}

/** Creates the answer of the service to a write of these values. */
function createAnswer(values) {
  const rows = values.length;
  const columns = values[0].length;
  const cells = rows * columns;
  const updated = { sheet: 'Sheet1', updatedRange: 'Sheet1!A1', updatedRows: rows, updatedColumns: columns };
  return JSON.stringify({ updated: { ...updated, updatedCells: cells, cells } });
}
