import { FILE, SKELETON } from '../http/report.mjs';
import { formatMachines } from '../lib/machine.mjs';
import { formatDuration, formatSignificant } from '../lib/stats.mjs';
import { formatMarkdownTable, writeSection } from '../lib/table.mjs';

const HEAD = [
  'followers',
  'events per second',
  'processor time per event',
  'delay of an event, 99 %',
  'others’ reads, median',
  '99 %',
];
const MICROSECONDS = 1_000;

/** Prints the results as a Markdown table. */
export function printFollowers(results) {
  console.log(`\n${formatFiguresTable(results)}`);
}

/** Writes the results to the page. */
export function writeFollowers(results) {
  writeSection(
    FILE,
    'followers',
    `${formatFiguresTable(results)}\n\n${formatMachineNote(results)}\n\n${formatMachines([results.machine])}`,
    SKELETON,
  );
  console.error(`written: ${FILE}`);
}

/** Formats the figures of each number of followers as a Markdown table. */
function formatFiguresTable({ followers, figures }) {
  const { none: withoutFollowers, ...kinds } = figures;
  const perRequest = withoutFollowers.cpuMs / withoutFollowers.requests;
  const rows = Object.entries(kinds).map(([kind, { ms, cpuMs, requests, events, delay, reads }]) => [
    `${formatSignificant(followers)}, ${kind}`,
    formatSignificant(events / (ms / 1000)),
    `${formatSignificant(((cpuMs - perRequest * requests) / events) * MICROSECONDS)} µs`,
    formatDuration(delay.p99),
    formatDuration(reads.p50),
    formatDuration(reads.p99),
  ]);
  return formatMarkdownTable(HEAD, [
    ['none', '', '', '', formatDuration(withoutFollowers.reads.p50), formatDuration(withoutFollowers.reads.p99)],
    ...rows,
  ]);
}

/** Formats the machine of the measurement. */
function formatMachineNote({ followers }) {
  return [
    `${followers} event streams of 50 users follow a document that gets 20 writes per second. Others read and write other`,
    'documents, one request of each kind at a time. Targets for all changes: 30 µs per event, others’ reads within 60 ms',
    '(99 %). Followers and load share the machine.',
  ].join('\n');
}
