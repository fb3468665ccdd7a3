// A workbook of 80 sheets beside LibreOffice: node bench/files/workbook.mjs [--rows 600] [--rounds 5] [--write]
//
// `document create --from` beside `soffice --convert-to csv`, which loads all sheets and writes the first one. Both
// start a process, read the file and calculate; the service also stores the document. Needs LibreOffice (`soffice`).
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Installation } from '../http/service.mjs';
import { installPeers } from '../lib/install.mjs';
import { describeMachine, formatMachines } from '../lib/machine.mjs';
import { computeMedian, createRandom, formatBytes, formatDuration } from '../lib/stats.mjs';
import { formatMarkdownTable, writeSection } from '../lib/table.mjs';

const PAGE = fileURLToPath(new URL('../../docs/performance.md', import.meta.url));
const SHEETS = 80;
const FIRST_DAY = 43_000;
const HEADER = ['Row', 'Date', 'Customer', 'Agent', 'Price', 'Count', 'Sum', 'All', 'Class', 'Before'];
const execute = promisify(execFile);

const options = process.argv.slice(2);
const readOption = (name, otherwise) => Number(options.includes(name) ? options[options.indexOf(name) + 1] : otherwise);
const rows = readOption('--rows', 600);
const rounds = readOption('--rounds', 5);

installPeers();
const at = describeMachine();
const folder = mkdtempSync(join(tmpdir(), 'bench-workbook-'));
const installation = await new Installation(folder).setUp();
try {
  const file = join(folder, 'regions.xlsx');
  await writeWorkbook(file);
  const ours = [];
  const peer = [];
  for (let round = 0; round < rounds; round++) {
    peer.push(await runLibreOffice(file));
    ours.push(await installation.document(`Regions ${round}`, file));
  }
  const text = describeResults(ours, peer, statSync(file).size);
  console.log(text);
  if (options.includes('--write')) writeSection(PAGE, 'workbook', text);
} finally {
  installation.remove();
  rmSync(folder, { recursive: true, force: true });
}

/** Sheets of dates, repeated texts, amounts and formulas. Each sheet refers to the sheet before it. */
async function writeWorkbook(path) {
  const { utils, write } = await import('@e965/xlsx');
  const random = createRandom(3);
  const book = utils.book_new();
  for (let sheet = 1; sheet <= SHEETS; sheet++) {
    const cells = [HEADER.map((v) => ({ t: 's', v }))];
    for (let row = 2; row <= rows; row++) cells.push(createRow(random, row, sheet));
    utils.book_append_sheet(book, utils.aoa_to_sheet(cells), `Region ${sheet}`);
  }
  writeFileSync(path, write(book, { type: 'buffer', bookType: 'xlsx', compression: true, bookSST: true }));
}

function createRow(random, row, sheet) {
  const [price, count] = [Math.round(random() * 10_000) / 100, 1 + Math.floor(random() * 20)];
  const before = sheet === 1 ? `E${row}` : `'Region ${sheet - 1}'!E${row}`;
  return [
    { t: 'n', v: row },
    { t: 'n', v: FIRST_DAY + Math.floor(random() * 2_000), z: 'yyyy-mm-dd' },
    { t: 's', v: `Customer ${Math.floor(random() * 5_000)}` },
    { t: 's', v: `Agent ${Math.floor(random() * 50)}` },
    { t: 'n', v: price, z: '#,##0.00' },
    { t: 'n', v: count },
    { t: 'n', v: 0, f: `E${row}*F${row}`, z: '#,##0.00' },
    { t: 'n', v: 0, f: `SUM(E${row}:G${row})` },
    { t: 's', v: 'low', f: `IF(G${row}>500,"high","low")` },
    { t: 'n', v: 0, f: `${before}+1` },
  ];
}

/** Wall time and processor time in milliseconds, including child processes. */
async function runLibreOffice(file) {
  const usage = join(folder, 'usage');
  const profile = `-env:UserInstallation=file://${join(folder, 'profile')}`;
  const words = [profile, '--headless', '--convert-to', 'csv', '--outdir', join(folder, 'out'), file];
  const start = performance.now();
  await execute('/usr/bin/time', ['-f', '%U %S', '-o', usage, 'soffice', ...words]);
  const ms = performance.now() - start;
  const seconds = readFileSync(usage, 'utf8').trim().split('\n').at(-1).split(' ').map(Number);
  return { ms, cpuMs: 1_000 * (seconds[0] + seconds[1]) };
}

function describeResults(ours, peer, bytes) {
  const compare = (title, key) => {
    const [a, b] = [ours, peer].map((runs) => computeMedian(runs.map((run) => run[key])));
    return [title, formatDuration(a), formatDuration(b), (a / b).toFixed(2), '≤ 1'];
  };
  const table = formatMarkdownTable(
    ['import', 'service', 'LibreOffice', 'ratio', 'goal'],
    [compare('time', 'ms'), compare('processor time', 'cpuMs')],
  );
  const cells = (SHEETS * rows * HEADER.length).toLocaleString('en-US');
  const note = `${SHEETS} sheets, ${cells} cells, four tenths of them formulas, ${formatBytes(bytes)}; medians of ${rounds} rounds in turns. Times include the start of a process.`;
  return `${table}\n\n${note}\n\n${formatMachines([at])}`;
}
