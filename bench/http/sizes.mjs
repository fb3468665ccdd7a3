import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { writeNumbers } from './files.mjs';
import { OWNER } from './service.mjs';

const execute = promisify(execFile);
const MAKE = fileURLToPath(new URL('./make-documents.mjs', import.meta.url));
const MILLION = { rows: 100_000, columns: 10 };
const MANY = { documents: 1_000, rows: 100, columns: 10 };
const MIB = 1024 * 1024;
const MAX_OUTPUT_BYTES = 1024 * 1024;

/** Measurements without a bare server. Each returns `{ name: { ms } or { bytes } }`, with targets by name. */
export const sizes = [
  {
    id: 'import',
    title: 'import of 1M numbers',
    async measure({ folder, installation }) {
      const csv = `${folder}/million.csv`;
      const xlsx = `${folder}/million.xlsx`;
      await writeNumbers(csv, MILLION.rows, MILLION.columns);
      const fromCsv = await installation.document('From CSV', csv);
      const exportRun = await installation.command(
        'document',
        'export',
        '--document',
        fromCsv.id,
        '--to',
        xlsx,
        '--force',
      );
      const fromXlsx = await installation.document('From xlsx', xlsx);
      return {
        'from .csv': { ms: fromCsv.ms },
        'from .csv, peak memory': { bytes: fromCsv.peak },
        'to .xlsx': { ms: exportRun.ms },
        'from .xlsx': { ms: fromXlsx.ms },
        'from .xlsx, peak memory': { bytes: fromXlsx.peak },
      };
    },
  },
  {
    id: 'open',
    title: 'document of 1M numbers',
    targets: { 'resident memory over the empty process': { bytesAtMost: 40 * MIB } },
    async measure({ folder, installation }) {
      const csv = `${folder}/million.csv`;
      await writeNumbers(csv, MILLION.rows, MILLION.columns);
      const small = await installation.document('Small');
      const { id } = await installation.document('Million', csv);
      const start = performance.now();
      const service = await installation.start();
      const startMs = performance.now() - start;
      const first = await measureDuration(() => readRange(service, installation, id, 'A1:J1000'));
      await service.stop();
      const restarted = await installation.start();
      await readRange(restarted, installation, small.id, 'A1');
      const memoryBefore = await measureSettledMemory(restarted);
      await readRange(restarted, installation, id, 'A1:J1000');
      const memoryAfter = await measureSettledMemory(restarted);
      await restarted.stop();
      return {
        'start until it listens': { ms: startMs },
        'after a restart, until the first page is out': { ms: first },
        'resident memory over the empty process': { bytes: memoryAfter.rss - memoryBefore.rss },
        'live memory over the empty process': { bytes: memoryAfter.live - memoryBefore.live },
      };
    },
  },
  {
    id: 'many',
    title: '1,000 documents of 1,000 numbers',
    async measure({ installation }) {
      const { documents, rows, columns } = MANY;
      const args = [MAKE, installation.env.CELLWIRE_DATA, OWNER, documents, rows, columns].map(String);
      const { stdout } = await execute(process.execPath, args, { maxBuffer: MAX_OUTPUT_BYTES });
      const [first, ...ids] = JSON.parse(stdout);
      const service = await installation.start();
      await readRange(service, installation, first, 'A1');
      const memoryBefore = await measureSettledMemory(service);
      const totalTime = await measureDuration(async () => {
        for (const id of ids) await readRange(service, installation, id, 'A1:J100');
      });
      const memoryAfter = await measureSettledMemory(service);
      await service.stop();
      return {
        'opening and first page, each': { ms: totalTime / ids.length },
        'resident memory over the empty process': { bytes: memoryAfter.rss - memoryBefore.rss },
        'live memory over the empty process': { bytes: memoryAfter.live - memoryBefore.live },
      };
    },
  },
];

async function readRange(service, installation, document, range) {
  const url = `${service.address}/api/v1/documents/${document}/values/${range}`;
  const response = await fetch(url, { headers: installation.headers });
  const body = await response.text();
  if (response.status !== 200) throw new Error(`${url}: ${response.status} ${body}`);
}

async function measureDuration(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Measures the memory twice, because it is returned to the system some time after garbage collection. */
async function measureSettledMemory(service) {
  await service.readUsage(true);
  return service.readUsage(true);
}
