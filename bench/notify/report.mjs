import { FILE, SKELETON } from '../http/report.mjs';
import { formatMachines } from '../lib/machine.mjs';
import { formatBytes, formatDuration, formatSignificant } from '../lib/stats.mjs';
import { formatMarkdownTable, writeSection } from '../lib/table.mjs';

const HEAD = ['measure', 'figure', 'target', 'result'];
/** Target delay of a notification to a live receiver after the end of its window, in milliseconds. */
const MAX_DELAY_MS = 2_000;
/** Growth of the memory in use during the last three quarters of the load that counts as flat, in bytes. */
const MAX_GROWTH_BYTES = 16 * 1024 * 1024;

/** Prints the figures with their targets. */
export function printReport(results) {
  console.log(`\n${formatFiguresTable(results)}`);
}

/** Writes the figures to the page. */
export function writeDocument(results) {
  writeSection(
    FILE,
    'notifications',
    `${formatFiguresTable(results)}\n\n${NOTE}\n\n${formatMachines([results.machine])}`,
    SKELETON,
  );
  console.error(`written: ${FILE}`);
}

const NOTE = [
  '1,000 subscriptions on 100 documents, 200 writes per second over HTTP, to the documents in turns; a tenth of the',
  'receivers dead (in turns: never answer, never end their answer, reset the connection, answer 503), on the same host',
  'as the live ones. Every signature is verified. Receivers and load share the machine.',
].join('\n');

/** Formats the figures with targets and verdicts as a Markdown table. */
function formatFiguresTable({ figures }) {
  const { seconds, writes, delays, counts, before, busy, after } = figures;
  const growth = after.live - before.live;
  return formatMarkdownTable(HEAD, [
    ['load', `${seconds} s`, '', ''],
    ['writes', formatSignificant(writes.count), '', ''],
    ['a write, median', formatDuration(writes.median), '', ''],
    ['a write, 99 %', formatDuration(writes.p99), '', ''],
    ['a write, slowest', formatDuration(writes.most), '', ''],
    ['notifications to live receivers', formatSignificant(delays.count), '', ''],
    ['after the window’s end, median', formatDuration(delays.median), '', ''],
    ['after the window’s end, 99 %', formatDuration(delays.p99), '', ''],
    [
      'after the window’s end, latest',
      formatDuration(delays.most),
      `≤ ${formatDuration(MAX_DELAY_MS)}`,
      describeVerdict(delays.most <= MAX_DELAY_MS),
    ],
    ['notified twice', counts.repeated, '0', describeVerdict(counts.repeated === 0)],
    ['wrong signatures', counts.forged, '0', describeVerdict(counts.forged === 0)],
    ['attempts at dead receivers', formatSignificant(counts.toDead), '', ''],
    ['memory in use after a quarter of the load', formatBytes(before.live), '', ''],
    [
      'growth until the end',
      formatGrowth(growth),
      `≤ ${formatBytes(MAX_GROWTH_BYTES)}`,
      describeVerdict(growth <= MAX_GROWTH_BYTES),
    ],
    ['resident memory under load', formatBytes(busy.rss), '', ''],
  ]);
}

/** Formats a growth of memory in bytes. */
function formatGrowth(growth) {
  return growth < 0 ? `−${formatBytes(-growth)}` : formatBytes(growth);
}

/** Returns `met` or `missed`. */
function describeVerdict(isMet) {
  return isMet ? 'met' : '**missed**';
}
