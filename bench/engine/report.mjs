import { formatBytes, formatDuration, formatSignificant } from '../lib/stats.mjs';
import { formatMarkdownTable } from '../lib/table.mjs';
import { ENGINES } from './engines.mjs';

const LABELS = {
  limit: 'by hand',
  cellwire: 'Cellwire',
  hyperformula: 'HyperFormula',
  'o-spreadsheet': 'o-spreadsheet',
  ironcalc: 'IronCalc',
};
const COLUMNS = ['limit', ...ENGINES];
const PEERS = ENGINES.slice(1);

export const HEAD = ['workload', 'measure', ...COLUMNS.map((name) => LABELS[name]), 'target', 'result'];

/** The figures of one workload as a Markdown table. */
export function formatWorkloadTable(workload, results) {
  return formatMarkdownTable(HEAD, formatMeasureRows(workload, results));
}

/** Returns one row for each measure. */
export function formatMeasureRows(workload, { engines }) {
  return listMeasureNames(engines).map(({ kind, name }) => {
    const targets = workload.targets.filter(({ measure }) => measure === name);
    return [
      `${workload.id}. ${workload.title}`,
      name === 'memory' ? 'memory, each' : name,
      ...COLUMNS.map((engine) => formatFigure(engines[engine], kind, name)),
      targets.map(formatTarget).join('; '),
      targets.map((target) => describeVerdict(target, engines)).join('; '),
    ];
  });
}

/** Lists the measures of our engine as `{ kind, name }`; the measures of the plain loops if our engine failed. */
function listMeasureNames(engines) {
  const ours = engines.cellwire;
  const source = ours?.error === undefined ? ours : engines.limit;
  if (source === undefined || source.error !== undefined) return [{ kind: 'ms', name: 'failed' }];
  return ['ms', 'bytes'].flatMap((kind) => Object.keys(source[kind]).map((name) => ({ kind, name })));
}

/** Formats one figure of an engine: empty if it was not measured; `fails`, or its time limit, if the engine failed. */
function formatFigure(engine, kind, name) {
  if (engine === undefined) return '';
  if (engine.error !== undefined) return engine.error.startsWith('over ') ? `> ${engine.error.slice(5)}` : 'fails';
  const value = engine[kind][name];
  if (value === undefined) return '';
  const text = kind === 'ms' ? formatDuration(value) : formatBytes(value);
  return engine.runs < 5 ? `${text} (${engine.runs})` : text;
}

/** Formats the target of a measure: a ratio to a peer, or a limit. */
function formatTarget({ peer, atLeast, atMost, bytesAtMost }) {
  if (bytesAtMost !== undefined) return `≤ ${bytesAtMost} B`;
  if (atMost !== undefined) return `≤ ${atMost}× by hand`;
  return `≥ ${atLeast}× faster than ${peer === 'best' ? 'the best peer' : LABELS[peer]}`;
}

/** Describes whether a goal is met: `met, 14×` or `missed, 6.2× (needs 1.6× more)`. */
function describeVerdict({ measure, peer, atLeast, atMost, bytesAtMost }, engines) {
  const ours = engines.cellwire;
  if (ours === undefined || ours.error !== undefined) return 'failed';
  if (bytesAtMost !== undefined) {
    const ourBytes = ours.bytes[measure];
    return formatVerdict(ourBytes <= bytesAtMost, `${formatSignificant(ourBytes)} B`, ourBytes / bytesAtMost);
  }
  const own = ours.ms[measure];
  if (atMost !== undefined) {
    const ratio = own / engines.limit.ms[measure];
    return formatVerdict(ratio <= atMost, `${formatSignificant(ratio)}×`, ratio / atMost);
  }
  const peerTime = peer === 'best' ? findBestFigure(engines, measure) : engines[peer]?.ms?.[measure];
  if (peerTime === undefined) return 'no figure of the peer';
  const ratio = peerTime / own;
  return formatVerdict(ratio >= atLeast, `${formatSignificant(ratio)}×`, atLeast / ratio);
}

/** Formats whether a goal is met. `off`: the factor that is missing. */
function formatVerdict(isMet, figureText, off) {
  return isMet ? `met, ${figureText}` : `**missed**, ${figureText} (off by ${formatSignificant(off)}×)`;
}

/** Returns the shortest time of the other engines for a measure, in milliseconds; undefined if none has one. */
function findBestFigure(engines, measure) {
  const figures = PEERS.map((name) => engines[name]?.ms?.[measure]).filter((ms) => ms !== undefined);
  return figures.length === 0 ? undefined : Math.min(...figures);
}

/** Our times at several sizes: the cost of a cell should not grow with the number of cells. */
export function formatGrowthTable(growth) {
  const rows = Object.entries(growth).flatMap(([id, { sizes }]) => {
    const first = Object.values(sizes).find(({ error }) => error === undefined);
    return Object.keys(first?.ms ?? {}).map((measure) => [
      id,
      measure,
      ...SIZES.map((size) => formatOptionalDuration(sizes[size]?.ms?.[measure])),
      ...SIZES.map((size) => formatTimePerThousandCells(sizes[size]?.ms?.[measure], size)),
    ]);
  });
  const head = [
    'workload',
    'measure',
    ...SIZES.map(formatSize),
    ...SIZES.map((size) => `${formatSize(size)}, per 1,000`),
  ];
  return formatMarkdownTable(head, rows);
}

const SIZES = [10_000, 100_000, 1_000_000];

function formatSize(size) {
  return size.toLocaleString('en-US');
}

function formatOptionalDuration(ms) {
  return ms === undefined ? '' : formatDuration(ms);
}

/** Formats the time per thousand cells. */
function formatTimePerThousandCells(ms, size) {
  return ms === undefined ? '' : formatDuration((ms / size) * 1_000);
}
