import { parentPort, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';

const DOCUMENT = 'd5a0e2a4-58e3-4c9a-9f0b-0b8f3a7f1c11';
const HEAD = '6f9619ff8b86d011b42d00c04fc964ff';

const db = new Database(workerData);
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
    cells integer not null, at integer not null, primary key (document_id, id)) without rowid;
  insert into documents values ('${DOCUMENT}', 0, '${HEAD}', 0, 0);`);

const advance = db.prepare(
  'update documents set revision = ?, head = ?, calculated_at = ?, updated_at = ? where id = ? and revision = ?',
);
const insertCommit = db.prepare('insert into commits values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
const insertAudit = db.prepare('insert into audit values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
let revision = 0;

const write = db.transaction((rows) => {
  for (const { delta, areas, at } of rows) {
    advance.run(revision + 1, HEAD, at, at, DOCUMENT, revision);
    revision++;
    insertCommit.run(DOCUMENT, revision, HEAD, at, 1, 'api', 1, 'bench', delta, areas);
    insertAudit.run(DOCUMENT, revision, 'update', 'api', 1, 'Bench', 1, 'bench', 'Sheet1!A1', 1, at);
  }
});

parentPort.on('message', (rows) => {
  write.immediate(rows);
  parentPort.postMessage(null);
});
