import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { describeMachine, formatMachines } from '../lib/machine.mjs';
import { computeMedian, formatDuration } from '../lib/stats.mjs';
import { formatMarkdownTable, writeSection } from '../lib/table.mjs';
import { KINDS } from './by-row-kinds.mjs';

const PAGE = fileURLToPath(new URL('../../docs/performance.md', import.meta.url));
const CHILD = fileURLToPath(new URL('./by-row-child.mjs', import.meta.url));
/** Number of rows for our engine and HyperFormula, and for our engine alone. */
const FEW_ROWS = 2_000;
const MANY_ROWS = 100_000;
/** The time limits of our engine and of a peer. */
const OUR_SECONDS = 120;
const PEER_SECONDS = 20;

/** Measures functions of ranges by row in processor time, each in a separate process, engines in turn. */
export async function run(args) {
  const { values: options } = parseArgs({
    args,
    options: {
      only: { type: 'string' },
      runs: { type: 'string', default: '5' },
      seed: { type: 'string', default: '1' },
      ours: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
    },
  });
  const chosen = KINDS.filter(({ id }) => options.only === undefined || options.only.split(',').includes(id));
  const rows = [];
  for (const kind of chosen) {
    rows.push(await measureKind(kind, options));
    console.error(rows.at(-1).join(' | '));
  }
  const table = formatMarkdownTable(HEAD, rows);
  console.log(table);
  if (options.write) writeSection(PAGE, 'by-row', `${table}\n\n${formatMachines([describeMachine()])}`, '');
}

const few = FEW_ROWS.toLocaleString('en-US');
const many = MANY_ROWS.toLocaleString('en-US');
const HEAD = [
  'by row',
  `${few} rows: built`,
  'HyperFormula',
  `${few} rows: edit`,
  'HyperFormula',
  `${many} rows: built`,
  `${many} rows: edit`,
];

/** Measures one kind of formula with all engines in turns. Returns its row of the table. */
async function measureKind(kind, { runs, seed, ours }) {
  const samples = { few: [], peer: [], many: [] };
  for (let i = 0; i < Number(runs); i++) {
    samples.few.push(await measure(kind, 'cellwire', FEW_ROWS, seed));
    // A peer that exceeded this time once is not measured again.
    const isSlow = samples.peer.some((sample) => sample === null || sample.build + sample.edit > 5_000);
    if (!ours && !isSlow) samples.peer.push(await measure(kind, 'hyperformula', FEW_ROWS, seed));
    samples.many.push(await measure(kind, 'cellwire', MANY_ROWS, seed));
  }
  const formatMeasure = (list, measure) => formatFigure(list, measure, Number(runs));
  return [
    kind.name,
    formatMeasure(samples.few, 'build'),
    formatMeasure(samples.peer, 'build'),
    formatMeasure(samples.few, 'edit'),
    formatMeasure(samples.peer, 'edit'),
    formatMeasure(samples.many, 'build'),
    formatMeasure(samples.many, 'edit'),
  ];
}

/**
 * Formats the median of one measure: empty if it was not measured, `none` if the engine failed. Names the number of
 * runs if it is below `runs`.
 */
function formatFigure(samples, measureName, runs) {
  if (samples.length === 0) return '';
  if (samples.includes(null)) return 'none';
  const middle = formatDuration(computeMedian(samples.map((sample) => sample[measureName])));
  return samples.length < runs ? `${middle} (${samples.length})` : middle;
}

/**
 * Returns `{ build, edit }` in milliseconds of processor time; null if the engine has another result or takes too long.
 */
async function measure({ id }, engine, rows, seed) {
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [CHILD, id, engine, String(rows)], {
      env: { ...process.env, BENCH_SEED: seed },
      timeout: (engine === 'cellwire' ? OUR_SECONDS : PEER_SECONDS) * 1_000,
    });
    return JSON.parse(stdout);
  } catch (error) {
    console.error(`${id} ${engine} ${rows}: ${error.killed ? 'too slow' : /Error: .*/.exec(error.stderr)?.[0]}`);
    return null;
  }
}
