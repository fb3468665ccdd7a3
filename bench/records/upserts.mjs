// Upserts 100,000 records as NDJSON, half of them new, into the service and into SQLite with an index. Both read the same
// lines and store them durably, a batch in a transaction.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { COLUMNS, OrderGenerator } from './orders.mjs';

const Database = createRequire(new URL('../../packages/server/package.json', import.meta.url))('better-sqlite3');
/** Records of each of the two upserts. */
const RECORDS = 100_000;
/** Records of a transaction. */
const BATCH = 10_000;

export const UPSERT = {
  id: 'upsert',
  name: `upsert of ${RECORDS.toLocaleString('en-US')} records as NDJSON, half of them new`,
  goal: { sqlite: 2.5 },
};

/** Measures upserts of the service and of a peer. In each round both start with the same records. */
export async function measureUpserts(service, installation, { rounds, seed, parent }) {
  const samples = [];
  for (let round = 0; round <= rounds; round++) {
    const orders = new OrderGenerator(seed + round);
    const base = encodeUpsertRecords(orders, 0);
    const change = encodeUpsertRecords(orders, RECORDS / 2);
    const measureService = async () => {
      const { id } = await installation.document(`Upserts ${round}`);
      const url = `${service.address}/api/v1/documents/${id}`;
      await sendRequest(`${url}/values/A1`, 'PUT', installation.headers, JSON.stringify({ values: [COLUMNS] }));
      const headers = { ...installation.headers, 'content-type': 'application/x-ndjson' };
      const upsert = async (body) => {
        const answer = await sendRequest(
          `${url}/records/upsert?range=A:H&key=Number&batch=${BATCH}`,
          'POST',
          headers,
          body,
        );
        if (JSON.parse(answer.trim().split('\n').at(-1)).records !== RECORDS) throw new Error(answer);
      };
      await upsert(base);
      const before = (await service.readUsage()).cpuMs;
      const start = performance.now();
      await upsert(change);
      return { clock: performance.now() - start, cpu: (await service.readUsage()).cpuMs - before };
    };
    const measureSqlite = () => upsertInSqlite(join(parent, `upserts-${round}.db`), base, change);
    const sample = {};
    if (round % 2 === 0) sample.cellwire = await measureService();
    sample.sqlite = measureSqlite();
    sample.cellwire ??= await measureService();
    if (round > 0) samples.push(sample);
  }
  return samples;
}

/** Sends a request and returns the answer's text; rejects unless it succeeds. */
async function sendRequest(url, method, headers, body) {
  const response = await fetch(url, { method, headers, body });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text}`);
  return text;
}

/** Encodes records as NDJSON. `from`: number of the first record. */
function encodeUpsertRecords(orders, from) {
  let text = '';
  for (let i = 0; i < RECORDS; i++) {
    const row = orders.createRow(from + i);
    text += `${JSON.stringify(Object.fromEntries(COLUMNS.map((name, at) => [name, row[at]])))}\n`;
  }
  return Buffer.from(text);
}

/** Measures the second of two upserts into a new database file. Returns times in milliseconds. */
function upsertInSqlite(file, base, change) {
  const database = new Database(file);
  database.pragma('journal_mode = wal');
  database.pragma('synchronous = full');
  database.exec(
    `create table t (${COLUMNS.map((name) => (name === 'Number' ? `${name} text primary key` : name)).join()})`,
  );
  const assignments = COLUMNS.slice(1).map((name) => `${name} = excluded.${name}`);
  const placeholders = COLUMNS.map(() => '?').join();
  const upsert = database.prepare(
    `insert into t values (${placeholders}) on conflict (Number) do update set ${assignments.join()}`,
  );
  const writeAll = (body) => {
    const lines = body.toString().split('\n');
    lines.pop();
    for (let from = 0; from < lines.length; from += BATCH) {
      database.transaction(() => {
        for (const line of lines.slice(from, from + BATCH)) {
          const record = JSON.parse(line);
          upsert.run(...COLUMNS.map((name) => record[name]));
        }
      })();
    }
  };
  writeAll(base);
  const before = process.cpuUsage();
  const start = performance.now();
  writeAll(change);
  const clock = performance.now() - start;
  const { user, system } = process.cpuUsage(before);
  database.close();
  return { clock, cpu: (user + system) / 1_000 };
}
