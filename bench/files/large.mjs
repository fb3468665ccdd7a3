// A document of ten million numbers beside DuckDB: node bench/files/large.mjs [--rows 1000000] [--rounds 5] [--write]
//
// CSV in and out: `document create --from` and `document export` beside a process that loads the file into a DuckDB
// database or writes it. Both start a process, read the file and end when the data are on disk. Then the service: the
// first page after a start, pages of 1,000 cells and edits at random rows, and the memory that the document needs.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { writeNumbers } from '../http/files.mjs';
import { Installation } from '../http/service.mjs';
import { installPeers } from '../lib/install.mjs';
import { describeMachine, formatMachines } from '../lib/machine.mjs';
import { computeMedian, createRandom, formatBytes, formatDuration } from '../lib/stats.mjs';
import { formatMarkdownTable, writeSection } from '../lib/table.mjs';

const PAGE = fileURLToPath(new URL('../../docs/performance.md', import.meta.url));
const DUCKDB = fileURLToPath(new URL('./duckdb.mjs', import.meta.url));
const COLUMNS = 10;
const ROWS_PER_PAGE = 100;
const REQUESTS = 200;
const execute = promisify(execFile);

const options = process.argv.slice(2);
/** Returns the number after an option of the command line; `defaultValue` without the option. */
const readOption = (name, defaultValue) =>
  Number(options.includes(name) ? options[options.indexOf(name) + 1] : defaultValue);
const rows = readOption('--rows', 1_000_000);
const rounds = readOption('--rounds', 5);

installPeers();
const at = describeMachine();
const folder = mkdtempSync(join(tmpdir(), 'bench-large-'));
const installation = await new Installation(folder).setUp();
try {
  const csv = join(folder, 'numbers.csv');
  await writeNumbers(csv, rows, COLUMNS);
  const document = await installation.document('Large', csv);
  const files = await measureFiles(csv, document.id);
  const service = await measureService(document.id);
  const text = describeResults({ ...files, ...service }, statSync(csv).size);
  console.log(text);
  if (options.includes('--write')) writeSection(PAGE, 'large', text);
} finally {
  installation.remove();
  rmSync(folder, { recursive: true, force: true });
}

/** Imports and exports in turns with DuckDB: wall time and processor time in milliseconds, peak memory in bytes. */
async function measureFiles(csv, id) {
  const samples = { importOurs: [], importPeer: [], exportOurs: [], exportPeer: [] };
  for (let round = 0; round < rounds; round++) {
    samples.importPeer.push(await runDuckDb('import', csv, join(folder, `peer-${round}`)));
    samples.importOurs.push(await installation.document(`Import ${round}`, csv));
    samples.exportPeer.push(await runDuckDb('export', join(folder, 'peer.csv'), join(folder, `peer-${round}`)));
    const to = join(folder, 'ours.csv');
    samples.exportOurs.push(await installation.command('document', 'export', '--document', id, '--to', to, '--force'));
  }
  return samples;
}

/**
 * Imports or exports the file with DuckDB in its own process. Returns times in milliseconds and peak memory in bytes.
 */
async function runDuckDb(action, csv, database) {
  const start = performance.now();
  const { stdout } = await execute(process.execPath, [DUCKDB, action, csv, database]);
  return { ms: performance.now() - start, ...JSON.parse(stdout) };
}

/** Starts the service and measures reads, writes and memory with the large document. */
async function measureService(id) {
  const service = await installation.start();
  const empty = await service.readUsage(true);
  const first = await requestRange(service, id, 'A1:J100');
  const random = createRandom(1);
  const pickRow = () => 1 + Math.floor(random() * (rows - ROWS_PER_PAGE));
  const pages = [];
  const edits = [];
  for (let i = 0; i < REQUESTS; i++) {
    const row = pickRow();
    pages.push(await requestRange(service, id, `A${row}:J${row + ROWS_PER_PAGE - 1}`));
    edits.push(await requestRange(service, id, `B${pickRow()}`, { values: [[i]] }));
  }
  await service.readUsage(true);
  const full = await service.readUsage(true);
  await service.stop();
  return { first, page: computeMedian(pages), edit: computeMedian(edits), memory: full.rss - empty.rss };
}

/** Reads a range, or writes values to it. Resolves to the time in milliseconds. */
async function requestRange(service, id, range, body) {
  const start = performance.now();
  const response = await fetch(`${service.address}/api/v1/documents/${id}/values/${range}`, {
    method: body === undefined ? 'GET' : 'PUT',
    headers: installation.headers,
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${range}: ${response.status} ${text}`);
  return performance.now() - start;
}

/** Formats all results as a Markdown table. `bytes`: size of the file. */
function describeResults({ importOurs, importPeer, exportOurs, exportPeer, first, page, edit, memory }, bytes) {
  const head = ['what', 'service', 'DuckDB', 'ratio', 'goal'];
  const table = formatMarkdownTable(head, [
    compareTimes(`CSV in, ${formatBytes(bytes)}: time`, importOurs, importPeer, 'ms'),
    compareTimes('CSV in: processor time', importOurs, importPeer, 'cpuMs'),
    ['CSV in: peak memory', formatBytes(computeMedian(importOurs.map(({ peak }) => peak))), '', '', ''],
    compareTimes('CSV out: time', exportOurs, exportPeer, 'ms'),
    compareTimes('CSV out: processor time', exportOurs, exportPeer, 'cpuMs'),
    ['first page after a start', formatDuration(first), '', '', '≤ 300 ms'],
    [`page of ${ROWS_PER_PAGE * COLUMNS} cells, at random`, formatDuration(page), '', '', '≤ 1 ms'],
    ['edit of one cell, at random', formatDuration(edit), '', '', '≤ 3 ms'],
    ['resident memory over the empty process', formatBytes(memory), '', '', '≤ 200 MB'],
  ]);
  const note = `${(rows * COLUMNS).toLocaleString('en-US')} numbers, medians of ${rounds} rounds in turns. Times include the start of a process.`;
  return `${table}\n\n${note}\n\n${formatMachines([at])}`;
}

/**
 * Formats one figure of both programs and its ratio as a row of the table. `key`: name of the figure in the samples.
 */
function compareTimes(title, ours, peer, key) {
  const [a, b] = [ours, peer].map((runs) => computeMedian(runs.map((run) => run[key])));
  return [title, formatDuration(a), formatDuration(b), (a / b).toFixed(1), '≤ 1.5'];
}
