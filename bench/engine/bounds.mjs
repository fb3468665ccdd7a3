import { formatMachines } from '../lib/machine.mjs';
import { formatDuration } from '../lib/stats.mjs';
import { formatMarkdownTable } from '../lib/table.mjs';

/** The plain edits of `floors.mjs`: which objects each creates, and which engine edit it represents. */
const EDITS = {
  lone: ['the document, its sheet, a column with its list of 391 chunks, a chunk', 'the edit of a lone cell (f1)'],
  pair: ['the same with two columns', 'the edit of a cell with one dependant (a)'],
  eleven: ['the same with eleven columns of 40 chunks', 'an edit with 10 dirty formulas (h)'],
};

/** Formats the plain edits as a Markdown table. */
export function formatFloorsTable({ ms }) {
  const rows = Object.entries(EDITS).map(([id, [title, standsFor]]) => [title, standsFor, formatDuration(ms[id])]);
  return formatMarkdownTable(['created objects', 'represents', 'time'], rows);
}

/** The lower bounds of missed targets: the plain edits, compared with our figures and HyperFormula's. */
export function formatBounds(floors, workloads) {
  const text = [
    INTRO,
    formatFloorsTable(floors),
    formatBoundNotes(floors.ms, workloads),
    formatMachines([floors.machine]),
  ];
  return text.filter((part) => part !== '').join('\n\n');
}

const INTRO = [
  'Snapshots are immutable, because readers keep them: an edit must copy every object that contains a changed value.',
  'Copying plain objects, without an engine, gives lower bounds for the edits of a, f1 and h. Missed targets that are',
  'not named here have no such reason.',
].join(' ');

/** Formats the missed targets of a, f1 and h with the lower bounds that explain them; empty without their results. */
function formatBoundNotes(ms, workloads) {
  if (['a', 'f1', 'h'].some((id) => workloads[id] === undefined)) return '';
  const getTime = (id, engine, measure) => workloads[id].engines[engine].ms[measure];
  const shareOfPeer = (id, measure, part) => formatDuration(getTime(id, 'hyperformula', measure) / part);
  return [
    [
      `- **a and f1, ten times faster than HyperFormula**: a tenth of its edit is ${shareOfPeer('a', 'edit', 10)} and`,
      `${shareOfPeer('f1', LONE, 10)}; the new objects alone take ${formatDuration(ms.pair)} and ${formatDuration(ms.lone)}. The`,
      'rest of our time is the fixed cost of a batch: checks, metering, the inverse, the search for dependants, and the',
      'change set. HyperFormula changes cells in place, so its readers can see a partly changed sheet.',
    ],
    [
      `- **h, ten dirty formulas, three times faster than HyperFormula**: a third of its edit is`,
      `${shareOfPeer('h', TEN_DIRTY, 3)}; the new objects take ${formatDuration(ms.eleven)} of our`,
      `${formatDuration(getTime('h', 'cellwire', TEN_DIRTY))}. The rest is access to formulas that are far apart in memory.`,
    ],
  ]
    .map((parts) => parts.join(' '))
    .join('\n');
}

const LONE = 'edit of a lone cell';
const TEN_DIRTY = 'edit, 10 dirty';
