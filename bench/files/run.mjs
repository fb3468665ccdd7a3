// node bench/files/run.mjs [--rows 200000] [--runs 3] [--ours]
//
// Imports of .csv and .xlsx compared with npm packages that only read the file: processor time and peak memory of whole
// processes, which take turns. An import reads, detects types, calculates, stores and syncs; the packages return arrays
// of values. `--ours` omits the packages and also measures exports of both formats.
import { execFile } from 'node:child_process';
import { createWriteStream, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { PROBE } from '../http/children.mjs';
import { Installation } from '../http/service.mjs';
import { installPeers } from '../lib/install.mjs';
import { describeMachine, formatMachines, readPackageVersion } from '../lib/machine.mjs';
import { computeMedian, createRandom, formatBytes, formatDuration } from '../lib/stats.mjs';
import { formatMarkdownTable } from '../lib/table.mjs';

const READER = fileURLToPath(new URL('./readers.mjs', import.meta.url));
const READERS = { csv: ['udsv', 'papaparse', 'csv-parse'], xlsx: ['xlsx', 'exceljs'] };
const PACKAGES = { xlsx: '@e965/xlsx' };
const CITIES = ['Riga', 'Tallinn', 'Vilnius', 'Berlin', 'Paris', 'Rome', 'Madrid', 'Oslo', 'Bern', 'Wien'];
const execute = promisify(execFile);

const { values: options } = parseArgs({
  options: {
    rows: { type: 'string', default: '200000' },
    runs: { type: 'string', default: '3' },
    ours: { type: 'boolean', default: false },
  },
});
const [rows, runs] = [Number(options.rows), Number(options.runs)];

/** Rows of orders: repeated and unique texts, dates, integers and amounts. */
function* generateCsvLines() {
  const random = createRandom(11);
  const drawInteger = (below) => Math.floor(random() * below);
  yield 'Number,Date,Customer,City,Product,Quantity,Price,Sum,Paid,Status,Phone,Note\n';
  for (let i = 1; i < rows; i++) {
    const date = new Date(Date.UTC(2020, 0, 1 + drawInteger(2_000))).toISOString().slice(0, 10);
    const [quantity, price] = [1 + drawInteger(20), drawInteger(100_000) / 100];
    const customer = `Customer ${drawInteger(5_000)},${CITIES[drawInteger(CITIES.length)]}`;
    const figures = `${quantity},${price},${(quantity * price).toFixed(2)},${drawInteger(100)}`;
    yield `A-${i},${date},${customer},Product ${drawInteger(300)},${figures},${i % 3 ? 'open' : 'paid'},+371 2${drawInteger(9_999_999)},note ${drawInteger(50_000)}\n`;
  }
}

const folder = mkdtempSync(join(tmpdir(), 'cellwire-files-'));
const installation = await new Installation(folder).setUp();
const files = { csv: join(folder, 'orders.csv'), xlsx: join(folder, 'orders.xlsx') };
const measurements = new Map();

/** Adds the figures of one run to the measurements. */
function recordFigures(title, { ms, cpuMs, peak }) {
  const list = measurements.get(title) ?? [];
  list.push({ ms, cpuMs, peak });
  measurements.set(title, list);
}

/** Measures the import of a file by the service's command. `format`: `csv` or `xlsx`. */
async function measureImport(format) {
  const document = await installation.document('Orders', files[format]);
  recordFigures(`import of .${format}`, document);
  return document.id;
}

/** Measures the export of a document by the service's command. */
async function measureExport(format, document) {
  const to = join(folder, `out-${measurements.size}-${Math.random()}.${format}`);
  recordFigures(
    `export to .${format}`,
    await installation.command('document', 'export', '--document', document, '--to', to),
  );
  return to;
}

/** Measures another library that reads the same file, in its own process. */
async function measureReader(format, name) {
  const usage = join(folder, 'usage');
  const env = { ...process.env, BENCH_USAGE_FILE: usage };
  const start = performance.now();
  await execute(process.execPath, [`--import=${PROBE}`, '--max-old-space-size=8192', READER, name, files[format]], {
    env,
  });
  const ms = performance.now() - start;
  const title = PACKAGES[name] ?? name;
  recordFigures(`${title} ${readPackageVersion(title)} reading .${format}`, {
    ms,
    ...JSON.parse(readFileSync(usage, 'utf8')),
  });
}

try {
  if (!options.ours) installPeers();
  const machineBefore = describeMachine();
  await pipeline(generateCsvLines, createWriteStream(files.csv));
  const first = await installation.document('Orders', files.csv);
  files.xlsx = await measureExport('xlsx', first.id);
  measurements.clear();
  for (let run = 0; run < runs; run++) {
    for (const form of ['csv', 'xlsx']) {
      const id = await measureImport(form);
      if (options.ours) await measureExport(form, id);
      else for (const name of READERS[form]) await measureReader(form, name);
    }
  }
  const table = [...measurements].map(([title, list]) => [
    title,
    formatDuration(computeMedian(list.map(({ cpuMs }) => cpuMs))),
    formatDuration(computeMedian(list.map(({ ms }) => ms))),
    formatBytes(Math.max(...list.map(({ peak }) => peak))),
  ]);
  console.log(`${rows.toLocaleString('en-US')} × 12 cells, medians of ${runs} runs\n`);
  console.log(formatMarkdownTable(['what', 'processor time', 'time', 'peak memory'], table));
  console.log(`\n${formatMachines([machineBefore])}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
