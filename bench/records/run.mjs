// node bench/records/run.mjs [--rows 1000000]
//
// Uploads and downloads records as NDJSON and measures the service's memory, its processor time, and the longest time
// that its serving thread works without a pause. Then it queries by key, by filter and in groups, and compares the
// processor time with that of SQLite with a suitable index (in this process), and of reading all rows and filtering in
// the client.
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Installation } from '../http/service.mjs';

/** Records of each uploaded batch. */
const BATCH = 10_000;
/** Number of measured requests of each query. */
const REPEATS = 50;
/** Number of warm-up requests: an index is created when a column is queried often. */
const WARM_UP_REQUESTS = 20;
/** Milliseconds between two readings of the service's memory. */
const SAMPLE_MS = 250;
const CITIES = ['Riga', 'Tallinn', 'Vilnius', 'Berlin', 'Paris', 'Rome', 'Madrid', 'Oslo', 'Bern', 'Wien'];
const Database = createRequire(new URL('../../packages/server/package.json', import.meta.url))('better-sqlite3');

const at = process.argv.indexOf('--rows');
const ROWS = at < 0 ? 1_000_000 : Number(process.argv[at + 1]);

/** The record with the number `i`, zero-based. */
function createRecord(i) {
  return {
    Number: `A-${i}`,
    City: CITIES[(i * 7) % CITIES.length],
    Sum: (i * 37) % 10_000,
    Status: i % 3 ? 'open' : 'paid',
  };
}

/** All records as NDJSON, in pieces of 1,000. */
async function* encodeRecords() {
  for (let i = 0; i < ROWS; i += 1_000) {
    let text = '';
    for (let j = i; j < Math.min(ROWS, i + 1_000); j++) text += `${JSON.stringify(createRecord(j))}\n`;
    yield Buffer.from(text);
  }
}

/** Peak memory of a service during some work in MB, and its processor time in ms. */
async function watchService(service, work) {
  const usageBefore = await service.readUsage(true);
  await service.readLongestStretch();
  let peak = 0;
  let isDone = false;
  const sampler = (async () => {
    while (!isDone) {
      peak = Math.max(peak, (await service.readUsage()).rss);
      await new Promise((resolve) => setTimeout(resolve, SAMPLE_MS));
    }
  })();
  const result = await work();
  isDone = true;
  await sampler;
  // Read before the benchmark's own garbage collection, which would be the longest time without a pause.
  const stretch = await service.readLongestStretch();
  const usageAfter = await service.readUsage(true);
  return {
    result,
    peak: peak / 2 ** 20,
    live: usageAfter.live / 2 ** 20,
    ms: usageAfter.cpuMs - usageBefore.cpuMs,
    stretch,
  };
}

/** Uploads all records. Returns the last line of the answer. */
async function uploadRecords({ address }, { headers }, document) {
  const response = await fetch(`${address}/api/v1/documents/${document}/records/append?range=A:D&batch=${BATCH}`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/x-ndjson' },
    body: encodeRecords(),
    duplex: 'half',
  });
  const lines = (await response.text()).trim().split('\n');
  return JSON.parse(lines.at(-1));
}

/** Downloads all records, and calls `onLine` with each line. Returns the last line. */
async function downloadRecords({ address }, { headers }, document, onLine = () => {}) {
  const { 'content-type': _, ...otherHeaders } = headers;
  const response = await fetch(`${address}/api/v1/documents/${document}/records/query?range=A:D`, {
    headers: { ...otherHeaders, accept: 'application/x-ndjson' },
  });
  const decoder = new TextDecoder();
  let partialLine = '';
  let last = '';
  for await (const piece of response.body) {
    const lines = (partialLine + decoder.decode(piece, { stream: true })).split('\n');
    partialLine = lines.pop();
    for (const line of lines) onLine(line);
    last = lines.at(-1) ?? last;
  }
  return JSON.parse(last);
}

/** Mean processor time of this process per call of `work`, in milliseconds. */
function measureMeanCpuMs(work, repeats) {
  work();
  const start = process.cpuUsage();
  for (let i = 0; i < repeats; i++) work(i);
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000 / repeats;
}

/** Creates a SQLite database in memory with the same records and suitable indexes. */
function createSqliteDatabase() {
  const database = new Database(':memory:');
  database.exec('create table t (Number text primary key, City text, Sum real, Status text)');
  const insert = database.prepare('insert into t values (?, ?, ?, ?)');
  database.transaction(() => {
    for (let i = 0; i < ROWS; i++) insert.run(Object.values(createRecord(i)));
  })();
  database.exec('create index by_status on t (Status, Sum); create index by_city on t (City, Sum)');
  return database;
}

const QUERIES = [
  {
    name: 'by key',
    body: (i) => ({ where: { Number: `A-${(i * 7_919) % ROWS}` } }),
    sql: (i) => ['select * from t where Number = ?', `A-${(i * 7_919) % ROWS}`],
    client: (record) => record.Number === 'A-7919',
  },
  {
    name: 'by two columns, the first the same in a tenth of the rows',
    body: (i) => ({ where: { City: createRecord((i * 7_919) % ROWS).City, Number: `A-${(i * 7_919) % ROWS}` } }),
    sql: (i) => {
      const { City, Number: number } = createRecord((i * 7_919) % ROWS);
      return ['select * from t where City = ? and Number = ?', City, number];
    },
    client: (record) => record.Number === 'A-7919',
  },
  {
    name: 'by filter, the first 1,000 records',
    body: () => ({ where: { Status: 'paid', Sum: { gte: 9_900 } } }),
    sql: () => ["select * from t where Status = 'paid' and Sum >= 9900 order by rowid limit 1000"],
    client: (record) => record.Status === 'paid' && record.Sum >= 9_900,
  },
  {
    name: 'groups by a column, with a sum',
    body: () => ({ aggregate: { groupBy: ['City'], measures: { total: { sum: 'Sum' } } } }),
    sql: () => ['select City, sum(Sum) from t group by City'],
    client: () => true,
  },
];

const parent = mkdtempSync(join(tmpdir(), 'cellwire-records-'));
const installation = await new Installation(parent).setUp();
const { id } = await installation.document('Records');
const service = await installation.start();
try {
  const { headers } = installation;
  const base = `${service.address}/api/v1/documents/${id}`;
  const header = JSON.stringify({ values: [['Number', 'City', 'Sum', 'Status']] });
  await fetch(`${base}/values/A1`, { method: 'PUT', headers, body: header });
  const printUsage = (title, { result, peak, live, ms, stretch }) =>
    console.log(
      `${title}: ${result.records} records, ${Math.round(ms)} ms of processor time, ${Math.round(peak)} MB peak, ${Math.round(live)} MB live afterwards, at most ${Math.round(stretch)} ms without a pause`,
    );
  printUsage('in', await watchService(service, () => uploadRecords(service, installation, id)));
  printUsage('out', await watchService(service, () => downloadRecords(service, installation, id)));
  const database = createSqliteDatabase();
  for (const { name, body: createBody, sql, client } of QUERIES) {
    const sendQuery = async (i) => {
      const text = JSON.stringify({ range: 'A:D', ...createBody(i) });
      await (await fetch(`${base}/records/query`, { method: 'POST', headers, body: text })).arrayBuffer();
    };
    for (let i = 0; i < WARM_UP_REQUESTS; i++) await sendQuery(i);
    const usageBefore = await service.readUsage();
    for (let i = 0; i < REPEATS; i++) await sendQuery(i);
    const ours = ((await service.readUsage()).cpuMs - usageBefore.cpuMs) / REPEATS;
    const theirs = measureMeanCpuMs((i = 1) => {
      const [text, ...values] = sql(i);
      return database.prepare(text).all(...values);
    }, REPEATS);
    const start = process.cpuUsage();
    const usageAfterReads = await service.readUsage();
    let matchCount = 0;
    await downloadRecords(service, installation, id, (line) => {
      const { fields } = JSON.parse(line);
      if (fields !== undefined && client(fields)) matchCount++;
    });
    const { user, system } = process.cpuUsage(start);
    const clientMs = (user + system) / 1_000 + (await service.readUsage()).cpuMs - usageAfterReads.cpuMs;
    console.log(
      `${name}: ${ours.toFixed(2)} ms per request, including HTTP; SQLite ${theirs.toFixed(2)} ms; reading all and filtering ${clientMs.toFixed(0)} ms (${matchCount})`,
    );
  }
  database.close();
} finally {
  await service.stop();
  installation.remove();
  rmSync(parent, { recursive: true, force: true });
}
