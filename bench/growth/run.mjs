// npm run bench -- growth [--scale 0.01,0.1,1] [--write]
//
// Cost of lists, undo, structure and maintenance by the size of the installation. Scale 1: 100,000 documents of one
// owner, 5,000,000 audit entries, 300,000 revisions, 1,000,000 deliveries, 1,000,000 stored replies, and a sheet of
// 16,383 columns × 100 rows. SQL creates most rows; the service is a separate process on the embedded database.
//
// - Requests: each is sent seven times. Median in milliseconds.
// - Writes of another user to another document, one after another, while a user sends ten requests per second, or while
//   maintenance deletes what is due, for at most a minute: median.
// - In brackets: the longest time that the serving thread works without a pause meanwhile, in milliseconds of processor
//   time, which depends less on other load than waiting times.
// - Processor time of a round of maintenance in which nothing is due.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Installation, OWNER } from '../http/service.mjs';
import { describeMachine, formatMachines } from '../lib/machine.mjs';
import { computeMedian } from '../lib/stats.mjs';
import { formatMarkdownTable, writeSection } from '../lib/table.mjs';
import { sendRequest, waitUntilIdle } from './requests.mjs';
import { addRows, isRetentionDone, scaleCounts } from './rows.mjs';

const ROUND = fileURLToPath(new URL('./round.mjs', import.meta.url));
const REVISIONS = fileURLToPath(new URL('./revisions.mjs', import.meta.url));
const PAGE = fileURLToPath(new URL('../../docs/performance.md', import.meta.url));
const SCOPES = 'sheets.read,sheets.write,documents.write,sheets.webhooks';
const RUNS = 7;
const WIDE_ROWS = 100;
/** Time for work that a request causes later, such as a checkpoint. */
const LATER_MS = 250;
/** Time for the first requests of a service. */
const WARMING_MS = 2000;
/** Load of the user whose neighbours are measured. */
const LOAD_SECONDS = 5;
const LOAD_PER_SECOND = 10;
/** Maximum time in which the service deletes what is due, in seconds. The next step deletes the rest. */
const RETENTION_SECONDS = 60;
const DEFAULT_SCALES = '0.01,0.1,1';
const MANY = { retentionDays: 3650, maxRevisions: 10_000_000 };
const UNLIMITED = { enterprise: { requestsPerSecond: null } };
/** Settings under which nothing that `rows.mjs` creates is due, and under which most of it is. */
const KEEPING = { plans: UNLIMITED, history: MANY, idempotency: { retentionMs: 300 * 24 * 60 * 60 * 1000 } };
const DELETING = { plans: UNLIMITED, history: { retentionDays: 1, maxRevisions: 100 }, audit: { retentionDays: 1 } };

export async function run(options) {
  const scales = (options.includes('--scale') ? options[options.indexOf('--scale') + 1] : DEFAULT_SCALES)
    .split(',')
    .map(Number);
  const at = describeMachine();
  const columns = [];
  for (const scale of scales) {
    const counts = scaleCounts(scale);
    columns.push({ counts, figures: await measureScale(scale, counts) });
  }
  const table = formatTable(columns);
  console.log(`\n${table}`);
  if (!options.includes('--write')) return;
  writeSection(PAGE, 'growth', `${table}\n\n${formatMachines([at])}`);
}

/** Measures everything at one scale of the database. Returns the figures by name. */
async function measureScale(scale, counts) {
  const folder = mkdtempSync(join(tmpdir(), 'growth-'));
  const figures = new Map();
  const note = (name, figure) => {
    figures.set(name, figure);
    console.log(`${scale}`.padEnd(6), name.padEnd(64), figure);
  };
  const installation = await new Installation(folder, { settings: KEEPING, scopes: SCOPES }).setUp();
  const data = installation.env.CELLWIRE_DATA;
  const running = { server: null };
  const start = async () => {
    running.server = await installation.start();
    return running.server;
  };
  try {
    const parts = await createTestData(installation, counts);
    addRows(data, parts, counts);
    console.log(`${scale}`.padEnd(6), 'the installation is built');
    const server = await start();
    await waitUntilIdle(server);
    await measureRequests(server, parts, counts, note);
    await measureNeighbours(server, parts, counts, note);
    await server.stop();
    writeFileSync(installation.settings, JSON.stringify(DELETING));
    await measureRetention(await start(), data, parts, note);
    const { cpuMs } = await runScript(ROUND, data);
    note('a round of maintenance, nothing due: processor time', `${cpuMs.toFixed(0)} ms`);
  } finally {
    running.server?.child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
  return figures;
}

/** Creates users, tokens, documents and revisions. */
async function createTestData(installation, { revisions, columns }) {
  const { token } = installation;
  const run = async (...words) => (await installation.command(...words)).json;
  const { id: document } = await installation.document('Long');
  const user = await run('user', 'create', '--email', 'other@example.org', '--name', 'Other');
  const createToken = async (owner, ...more) =>
    (await run('token', 'create', '--user', owner, '--name', 'bench', ...more)).token;
  const limited = await createToken(OWNER, '--scopes', 'sheets.read', '--documents', document);
  const stranger = await createToken(user.email, '--scopes', 'sheets.read,sheets.write');
  const theirs = await run('document', 'create', '--owner', user.email, '--title', 'Theirs');
  const csv = join(installation.folder, 'wide.csv');
  const row = Array.from({ length: columns }, (_, i) => i).join();
  writeFileSync(csv, `${row}\n`.repeat(WIDE_ROWS));
  const wide = await installation.document('Wide', csv);
  const first = await runScript(REVISIONS, installation.env.CELLWIRE_DATA, document, String(revisions));
  return { token, document, otherUser: user.id, limited, stranger, theirs: theirs.id, wide: wide.id, first };
}

/** Runs a script and returns the JSON that it prints. */
async function runScript(...scriptArguments) {
  const { stdout } = await promisify(execFile)(process.execPath, scriptArguments);
  return JSON.parse(stdout);
}

/** Measures requests whose time must not depend on the size of the database. `note` receives each figure. */
async function measureRequests(server, { token, document, limited, wide, first }, counts, note) {
  const { entries, revisions, deliveries } = counts;
  const at = `/documents/${document}`;
  const list = `${at}/webhooks/1/deliveries`;
  const gets = {
    'GET /documents': '/documents',
    'GET /documents?limit=50': '/documents?limit=50',
    'GET /documents?permission=view, none found': '/documents?permission=view',
    'audit, first page': `${at}/audit`,
    'audit, limit=1': `${at}/audit?limit=1`,
    'audit, last page': `${at}/audit?offset=${entries - 50}`,
    'revisions, first page': `${at}/revisions`,
    'revisions, last page': `${at}/revisions?offset=${revisions - 50}`,
    'deliveries, first page': list,
    'deliveries, middle page': `${list}?offset=${deliveries / 2}`,
    'deliveries, last page': `${list}?offset=${deliveries - 50}`,
    'deliveries by state': `${list}?state=exhausted`,
    'deliveries by revision': `${list}?revision=${Math.round(revisions / 2)}`,
  };
  for (const [name, path] of Object.entries(gets)) note(name, await measureRequest(server, token, { path }));
  note('GET /documents, token limited to one document', await measureRequest(server, limited, { path: '/documents' }));
  const { headers } = await sendRequest(server, token, { path: '/documents' });
  const unchanged = { path: '/documents', headers: { 'if-none-match': headers.get('etag') }, status: 304 };
  note('GET /documents, 304', await measureRequest(server, token, unchanged));
  const undo = (revision, status) => ({ method: 'POST', path: `${at}/revisions/${revision}/undo?dryRun=true`, status });
  note('undo of the oldest revision (dry run)', await measureRequest(server, token, undo(first, 200)));
  note('undo of the second revision, refused', await measureRequest(server, token, undo(Number(first) + 1, 412)));
  await measureStructureChanges(server, token, wide, note);
}

/** Measures changes of the structure in a document with many columns. */
async function measureStructureChanges(server, token, wide, note) {
  const at = `/documents/${wide}`;
  const { text } = await sendRequest(server, token, { path: `${at}/sheets` });
  const sheet = JSON.parse(text).sheets[0].name;
  const operations = {
    insertRows: { sheet, before: 2, count: 3 },
    moveRows: { sheet, from: 2, count: 2, before: WIDE_ROWS },
    duplicateSheet: { sheet, name: 'Copy' },
  };
  // The first request of a route compiles its schema, and the first one to a document reads the document.
  const first = { operations: [{ insertRows: operations.insertRows }] };
  await sendRequest(server, token, { method: 'POST', path: `${at}/structure?dryRun=true`, body: first });
  for (const [name, members] of Object.entries(operations)) {
    const operation = { method: 'POST', path: `${at}/structure`, body: { operations: [{ [name]: members }] } };
    const undoLast = async () => {
      const { revisionId } = JSON.parse((await sendRequest(server, token, { path: at })).text).document;
      return { method: 'POST', path: `${at}/revisions/${revisionId}/undo` };
    };
    const done = await measureInTurns(server, token, [() => operation, undoLast]);
    note(`wide sheet, ${name}`, done[0]);
    note(`wide sheet, undo of ${name}`, done[1]);
  }
}

/** The figures of a request that is sent several times. */
async function measureRequest(server, token, request) {
  await sendRequest(server, token, request);
  const [figure] = await measureInTurns(server, token, [() => request]);
  return figure;
}

/** Sends requests one after another, in several rounds. Returns the figures of each. */
async function measureInTurns(server, token, requests) {
  const figures = requests.map(() => ({ times: [], stretches: [] }));
  for (let round = 0; round < RUNS; round++) {
    for (const [i, requestOf] of requests.entries()) {
      const { status = 200, ...request } = await requestOf();
      await server.readLongestStretch();
      const start = performance.now();
      const answer = await sendRequest(server, token, request);
      figures[i].times.push(performance.now() - start);
      if (answer.status !== status) throw new Error(`${request.path}: ${answer.status}`);
      // Includes work that the request causes later.
      await new Promise((resolve) => setTimeout(resolve, LATER_MS));
      figures[i].stretches.push(await server.readLongestStretch());
    }
  }
  return figures.map(({ times, stretches }) => formatFigures(times, Math.max(...stretches)));
}

/** Formats the median time in milliseconds, and in brackets the longest time without a pause. */
function formatFigures(times, stretch) {
  return `${computeMedian(times).toFixed(1)} ms (${stretch.toFixed(1)})`;
}

/** Measures another user's requests while one user sends expensive ones. */
async function measureNeighbours(server, parts, { entries, deliveries }, note) {
  const { token, document, limited } = parts;
  const at = `/documents/${document}`;
  const drawLateOffset = (count) => Math.floor(Math.random() * (count - 50));
  const loads = {
    'no load': null,
    'late pages of the audit log': () => [token, `${at}/audit?offset=${drawLateOffset(entries)}`],
    'late pages of deliveries': () => [token, `${at}/webhooks/1/deliveries?offset=${drawLateOffset(deliveries)}`],
    'GET /documents with a limited token': () => [limited, '/documents'],
  };
  for (const [name, load] of Object.entries(loads)) {
    const isDone = { value: false };
    const sent = [];
    await server.readLongestStretch();
    const timer = setInterval(() => {
      const [by, path] = load?.() ?? [];
      if (path !== undefined) sent.push(sendRequest(server, by, { path }));
    }, 1000 / LOAD_PER_SECOND);
    const writes = writeUntil(server, parts, isDone);
    await new Promise((resolve) => setTimeout(resolve, LOAD_SECONDS * 1000));
    clearInterval(timer);
    await Promise.all(sent);
    isDone.value = true;
    note(`another user’s writes: ${name}`, formatFigures(await writes, await server.readLongestStretch()));
  }
}

/** Measures writes one after another until `isDone`. Returns their times in milliseconds. */
async function writeUntil(server, { stranger, theirs }, isDone) {
  const times = [];
  while (!isDone.value) {
    const start = performance.now();
    const body = { values: [[times.length]] };
    const path = `/documents/${theirs}/values/A1`;
    const { status } = await sendRequest(server, stranger, { method: 'PUT', path, body });
    if (status !== 200) throw new Error(`${path}: ${status}`);
    times.push(performance.now() - start);
  }
  return times;
}

/** Measures another user's writes while the service deletes what is due. */
async function measureRetention(server, data, parts, note) {
  const start = performance.now();
  const isDone = { value: false };
  const writes = writeUntil(server, parts, isDone);
  // The first requests load and compile code.
  await new Promise((resolve) => setTimeout(resolve, WARMING_MS));
  await server.readLongestStretch();
  const measureSeconds = () => (performance.now() - start) / 1000;
  while (!isRetentionDone(data, parts.document) && measureSeconds() < RETENTION_SECONDS)
    await new Promise((resolve) => setTimeout(resolve, LATER_MS));
  isDone.value = true;
  note(
    'another user’s writes: retention deletes what is due',
    formatFigures(await writes, await server.readLongestStretch()),
  );
  await server.stop();
}

/** Formats one column of figures per scale as a Markdown table. */
function formatTable(columns) {
  const names = [...(columns[0]?.figures.keys() ?? [])];
  const head = ['median (longest time without a pause)', ...columns.map(({ counts }) => formatSize(counts))];
  return formatMarkdownTable(
    head,
    names.map((name) => [name, ...columns.map(({ figures }) => figures.get(name) ?? '')]),
  );
}

/** Formats the numbers of rows at one scale. */
function formatSize({ documents, revisions, entries, deliveries, columns }) {
  const count = (number) => number.toLocaleString('en-US');
  const logs = `${count(entries)} audit entries, ${count(deliveries)} deliveries and stored replies`;
  return `${count(documents)} documents, ${count(revisions)} revisions, ${logs}, ${count(columns)} columns`;
}
