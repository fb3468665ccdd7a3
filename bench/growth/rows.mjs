// Creates the rows of a large installation with SQL, which is faster than requests.
import { createRequire } from 'node:module';
import { join } from 'node:path';

const Database = createRequire(new URL('../../packages/server/package.json', import.meta.url))('better-sqlite3');

const DAY_MS = 24 * 60 * 60 * 1000;
/** Age of audit entries, deliveries and stored replies. With a shorter retention time they are due. */
export const ROW_AGE_DAYS = 3;
const FULL = { documents: 100_000, entries: 5_000_000, revisions: 300_000, deliveries: 1_000_000, replies: 1_000_000 };
const MAX_COLUMNS = 16_383;
/** Commits that retention keeps of a document, plus the commits that are added during the measurement. */
const MAX_COMMITS = 11_000;

/** Numbers of rows at a scale; 1: the full size. */
export function scaleCounts(scale) {
  const counts = Object.entries(FULL).map(([name, count]) => [name, Math.round(count * scale)]);
  const columns = Math.max(26, Math.round(MAX_COLUMNS * Math.min(1, scale)));
  return { ...Object.fromEntries(counts), columns };
}

/** A sequence of numbers from 1 as a table `n(i)`. */
const buildSequenceSql = (length) =>
  `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${length})`;

/** Adds rows to the database of a stopped service. `document` gets the entries, deliveries and replies. */
export function addRows(folder, { document, otherUser }, counts) {
  const db = new Database(join(folder, 'cellwire.db'));
  db.exec('pragma synchronous = off');
  db.exec('begin');
  addDocuments(db, otherUser, counts);
  addEntries(db, document, counts);
  addDeliveries(db, document, counts);
  addReplies(db, document, counts);
  db.exec('commit');
  db.close();
}

const UUID = "printf('%08x-0000-4000-8000-%012x', i, i)";

/** Adds empty documents of the owner, and a tenth as many of another user. */
function addDocuments(db, otherUser, { documents }) {
  const nowMs = Date.now();
  const add = (count, id, owner, title) =>
    db.exec(`${buildSequenceSql(count)} insert into documents (id, owner_id, title, type, format, locale, date_system, time_zone,
        revision, head, calculated_at, created_at, updated_at, committed_at)
      select ${id}, ${owner}, '${title} ' || i, 'table', 'collaborative', 'en-US', '1899-12-30', 'UTC', 1, ${UUID}, ${nowMs},
        ${nowMs}, ${nowMs} - i, ${nowMs} from n`);
  add(documents, UUID, 1, 'Document');
  add(Math.round(documents / 10), "printf('f%07x-0000-4000-8000-%012x', i, i)", otherUser, 'Other');
}

/** Adds entries of the audit log to the document. */
function addEntries(db, document, { entries }) {
  const fromMs = Date.now() - ROW_AGE_DAYS * DAY_MS;
  const { audited } = db.prepare('select audited from documents where id = ?').get(document);
  const api = db.prepare('select max(api_number) as last from audit where document_id = ?').get(document).last ?? 0;
  // Later entries never have earlier times.
  db.prepare('update audit set at = ? where document_id = ?').run(fromMs, document);
  db.exec(`${buildSequenceSql(entries)} insert into audit (document_id, id, action, origin, user_id, user_name, token_id, token_name,
      range, cells, at, api_number)
    select '${document}', ${audited} + i, 'update', 'api', 1, 'Owner', 1, 'token ' || (i % 20), 'Sheet1!A' || i, 1,
      ${fromMs} + i, ${api} + i from n`);
  db.exec(
    `update documents set audited = audited + ${entries}, api_audited = ${api} + ${entries} where id = '${document}'`,
  );
}

/** Adds deliveries of one subscription of the document. */
function addDeliveries(db, document, { deliveries, revisions }) {
  const fromMs = Date.now() - ROW_AGE_DAYS * DAY_MS;
  db.prepare(`insert into webhooks (document_id, channel, url, events, active, user_id, created_at)
    values (?, 'http', 'http://127.0.0.1:9/', '["document.updated"]', 0, 1, ?)`).run(document, fromMs);
  db.exec(`${buildSequenceSql(deliveries)} insert into notifications (document_id, id, kind, from_revision, to_revision, authors,
      sheets, created_at)
    select '${document}', ${UUID}, 'change', i * ${revisions / deliveries}, i * ${revisions / deliveries} + 1, '[]', '[]',
      ${fromMs} + i from n`);
  db.exec(`${buildSequenceSql(deliveries)} insert into deliveries (document_id, id, webhook_id, notification_id, state, attempts,
      round, set_at, hidden, log, created_at, finished_at)
    select '${document}', ${UUID}, 1, ${UUID}, case i % 10 when 0 then 'exhausted' else 'delivered' end, 1, 1, ${fromMs},
      '[]', '[]', ${fromMs} + i, ${fromMs} + i from n`);
}

/** Adds stored replies to writes with idempotency keys. */
function addReplies(db, document, { replies }) {
  const fromMs = Date.now() - ROW_AGE_DAYS * DAY_MS;
  db.exec(`${buildSequenceSql(replies)} insert into idempotency (document_id, user_id, method, path, key, body_hash, status, reply, at)
    select '${document}', 1, 'PUT', 'values/A1', 'key ' || i, '', 200, '{}', ${fromMs} + i from n`);
}

/** True once retention has deleted all rows of `addRows` that are due. It keeps 10,000 commits of a document. */
export function isRetentionDone(folder, document) {
  const db = new Database(join(folder, 'cellwire.db'), { readonly: true });
  const dueMs = Date.now() - (ROW_AGE_DAYS - 1) * DAY_MS;
  const isLeft = (table) =>
    db.prepare(`select 1 from ${table} where document_id = ? and at < ? limit 1`).get(document, dueMs) !== undefined;
  const isLong =
    db.prepare('select 1 from commits where document_id = ? limit 1 offset ?').get(document, MAX_COMMITS) !== undefined;
  const isDone = !isLong && !['audit', 'idempotency'].some(isLeft);
  db.close();
  return isDone;
}
