import { fileURLToPath } from 'node:url';
import { formatMachines, readPackageVersion } from '../lib/machine.mjs';
import { formatBytes, formatDuration, formatSignificant } from '../lib/stats.mjs';
import { formatMarkdownTable, formatPageSkeleton, writeSection } from '../lib/table.mjs';

export const FILE = fileURLToPath(new URL('../../docs/performance.md', import.meta.url));
const RACE_HEAD = [
  'what',
  'service, /s',
  'bare server, /s',
  'ratio',
  'target',
  'result',
  'p50',
  'p99',
  'processor, each',
  'bare server’s',
  'ratio of processor times',
];
const SIZE_HEAD = ['what', 'measure', 'figure', 'target', 'result'];
export const SKELETON = formatPageSkeleton(
  'The service, measured',
  '`npm run bench -- http --write`, `npm run bench -- notify --write` and `npm run bench -- followers --write` generate this page.',
  [
    { name: 'requests', heading: 'Requests' },
    { name: 'sizes', heading: 'Large and many documents' },
    { name: 'notifications', heading: 'Notifications' },
    { name: 'followers', heading: 'Followers' },
  ],
);

/** Prints the tables of some scenarios. */
export function printReport(scenarios, results) {
  const { races, sizes } = formatResultRows(scenarios, results);
  if (races.length > 0) console.log(`\n${formatMarkdownTable(RACE_HEAD, races)}`);
  if (sizes.length > 0) console.log(`\n${formatMarkdownTable(SIZE_HEAD, sizes)}`);
}

/** Writes the tables of all stored results to the page. */
export function writeDocument(scenarios, results) {
  const { races, sizes } = formatResultRows(scenarios, results);
  const foot = formatMachineNotes(Object.values(results));
  writeSection(FILE, 'requests', `${formatMarkdownTable(RACE_HEAD, races)}\n\n${RACE_NOTE}\n\n${foot}`, SKELETON);
  writeSection(FILE, 'sizes', `${formatMarkdownTable(SIZE_HEAD, sizes)}\n\n${foot}`, SKELETON);
  console.error(`written: ${FILE}`);
}

const RACE_NOTE = [
  'The bare server is `node:http` alone: for reads it sends the same bytes, for writes it inserts the same rows in the',
  'same group commits (`better-sqlite3`, WAL, `synchronous=FULL`). The home-made server is `node:http` and HyperFormula',
  'without access control; it answers with bare values, the service with `v` and `m` of each cell. Each run reads other',
  'random addresses. Both are loaded in turn; figures are medians of the runs. The load generator shares the machine, so',
  'the table also gives the processor time per request; the last column divides that of the other server by ours.',
].join('\n');

/** Formats the measured scenarios as rows of two tables: comparisons and sizes. */
function formatResultRows(scenarios, results) {
  const measuredScenarios = scenarios.filter(({ id }) => results[id] !== undefined);
  return {
    races: measuredScenarios
      .filter(({ start }) => start !== undefined)
      .map((scenario) => formatRaceRow(scenario, results[scenario.id].figures)),
    sizes: measuredScenarios
      .filter(({ start }) => start === undefined)
      .flatMap((scenario) => formatSizeRows(scenario, results[scenario.id].figures)),
  };
}

/** Formats the comparison of the service with the bare server as a row of the table. */
function formatRaceRow({ title, target }, { service, raw }) {
  const ratio = service.perSecond / raw.perSecond;
  return [
    title,
    formatSignificant(service.perSecond),
    formatSignificant(raw.perSecond),
    ratio.toFixed(2),
    target === undefined ? '' : `≥ ${target.atLeast}`,
    target === undefined ? '' : describeVerdict(ratio >= target.atLeast),
    formatLatency(service.p50),
    formatLatency(service.p99),
    formatDuration(service.cpuMs),
    formatDuration(raw.cpuMs),
    (raw.cpuMs / service.cpuMs).toFixed(2),
  ];
}

/** A percentile; the load generator counts whole milliseconds. */
function formatLatency(ms) {
  return ms < 1 ? '< 1 ms' : formatDuration(ms);
}

/** Formats the figures of a scenario, one row for each. */
function formatSizeRows({ title, targets = {} }, figures) {
  return Object.entries(figures).map(([name, figure]) => {
    const target = targets[name];
    return [
      title,
      name,
      figure.ms === undefined ? formatBytes(figure.bytes) : formatDuration(figure.ms),
      ...selectTarget(figure, target),
    ];
  });
}

/** The target of a figure: that of the scenario, or one of its own if it depends on other figures. */
function selectTarget({ ms, bytes: size, msAtMost }, target) {
  if (msAtMost !== undefined) return [`≤ ${formatDuration(msAtMost)}`, describeVerdict(ms <= msAtMost)];
  return target === undefined
    ? ['', '']
    : [`≤ ${formatBytes(target.bytesAtMost)}`, describeVerdict(size <= target.bytesAtMost)];
}

/** Returns `met` or `missed`. */
function describeVerdict(isMet) {
  return isMet ? 'met' : '**missed**';
}

/** Formats the machines of some results as the foot of a table. */
function formatMachineNotes(entries) {
  const packages = ['fastify', 'better-sqlite3', 'autocannon'].map((name) => `${name} ${readPackageVersion(name)}`);
  return `${packages.join(', ')}.\n\n${formatMachines(entries.map(({ machine }) => machine))}`;
}
