import { FILE, SKELETON } from '../http/report.mjs';
import { machinesText } from '../lib/machine.mjs';
import { bytes, duration, significant } from '../lib/stats.mjs';
import { markdownTable, writeSection } from '../lib/table.mjs';

const HEAD = ['measure', 'figure', 'target', 'result'];
/** Target delay of a notification to a live receiver after the end of its window, in milliseconds. */
const MAX_DELAY_MS = 2_000;
/** Growth of the memory in use during the last three quarters of the load that counts as flat, in bytes. */
const MAX_GROWTH_BYTES = 16 * 1024 * 1024;

export function printReport(results) {
  console.log(`\n${table(results)}`);
}

export function writeDocument(results) {
  writeSection(FILE, 'notifications', `${table(results)}\n\n${NOTE}\n\n${machinesText([results.machine])}`, SKELETON);
  console.error(`written: ${FILE}`);
}

const NOTE = [
  '1,000 subscriptions on 100 documents, 200 writes per second over HTTP, to the documents in turns; a tenth of the',
  'receivers dead (in turns: never answer, never end their answer, reset the connection, answer 503), on the same host',
  'as the live ones. Every signature is verified. Receivers and load share the machine.',
].join('\n');

function table({ figures }) {
  const { seconds, writes, delays, counts, before, busy, after } = figures;
  const growth = after.live - before.live;
  return markdownTable(HEAD, [
    ['load', `${seconds} s`, '', ''],
    ['writes', significant(writes.count), '', ''],
    ['a write, median', duration(writes.median), '', ''],
    ['a write, 99 %', duration(writes.p99), '', ''],
    ['a write, slowest', duration(writes.most), '', ''],
    ['notifications to live receivers', significant(delays.count), '', ''],
    ['after the window’s end, median', duration(delays.median), '', ''],
    ['after the window’s end, 99 %', duration(delays.p99), '', ''],
    [
      'after the window’s end, latest',
      duration(delays.most),
      `≤ ${duration(MAX_DELAY_MS)}`,
      verdict(delays.most <= MAX_DELAY_MS),
    ],
    ['notified twice', counts.repeated, '0', verdict(counts.repeated === 0)],
    ['wrong signatures', counts.forged, '0', verdict(counts.forged === 0)],
    ['attempts at dead receivers', significant(counts.toDead), '', ''],
    ['memory in use after a quarter of the load', bytes(before.live), '', ''],
    ['growth until the end', grownText(growth), `≤ ${bytes(MAX_GROWTH_BYTES)}`, verdict(growth <= MAX_GROWTH_BYTES)],
    ['resident memory under load', bytes(busy.rss), '', ''],
  ]);
}

function grownText(growth) {
  return growth < 0 ? `−${bytes(-growth)}` : bytes(growth);
}

function verdict(isMet) {
  return isMet ? 'met' : '**missed**';
}
