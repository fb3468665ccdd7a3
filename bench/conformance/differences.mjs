import { formatMarkdownTable } from '../lib/table.mjs';
import { KNOWN_DIFFERENCES } from './known.mjs';

const FAILURE = '{"workbook":';

/** Splits the scorer's output into the readable report and the failed checks. */
export function parseScorerOutput(output) {
  const lines = output.split('\n');
  return {
    summary: lines.filter((line) => !line.startsWith(FAILURE)).join('\n'),
    failures: lines.filter((line) => line.startsWith(FAILURE)).map((line) => JSON.parse(line)),
  };
}

/** True if a failed check belongs to a class of known differences. */
function isFailureOfClass({ where }, { workbook, formula }) {
  return where.some(
    (entry) => workbook.endsWith(entry.workbook) && (!entry.formula || entry.formula.test(formula ?? '')),
  );
}

/** Failed checks by class, as a Markdown table. The last row counts checks without a class. */
export function formatDifferences(failures) {
  const counts = new Map(KNOWN_DIFFERENCES.map((difference) => [difference, 0]));
  const unclassified = [];
  for (const failure of failures) {
    const difference = KNOWN_DIFFERENCES.find((candidate) => isFailureOfClass(candidate, failure));
    if (difference) counts.set(difference, counts.get(difference) + 1);
    else unclassified.push(failure);
  }
  const rows = [...counts]
    .filter(([, count]) => count > 0)
    .sort(([, a], [, b]) => b - a)
    .map(([{ name, reason }, count]) => [`**${name}**: ${reason}`, count]);
  const places = [...new Set(unclassified.map(({ workbook, at }) => `${workbook} ${at}`))];
  if (unclassified.length > 0) rows.push([`**Not explained**: ${places.join(', ')}`, unclassified.length]);
  return formatMarkdownTable(['class', 'checks'], rows);
}
