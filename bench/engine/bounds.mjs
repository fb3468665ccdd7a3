import { machinesText } from '../lib/machine.mjs';
import { duration } from '../lib/stats.mjs';
import { markdownTable } from '../lib/table.mjs';

/** The plain loops of `floors.mjs`: what each does, and what it stands for. */
const LOOPS = {
  copy: ['a copy of one chunk’s numbers, in a typed array of its own', 'part of a one-cell edit: one in f1, two in a'],
  copies: ['copies of 11 chunks, in one buffer', 'part of an edit with 10 dirty formulas in 10 columns (h)'],
  products: [
    '100,000 products in new chunks, looked through for errors and for what changed',
    'the whole edit of one cell with 100k dependants (c)',
  ],
};

/** The plain loops as a Markdown table. */
export function floorsTable({ ms }) {
  const rows = Object.entries(LOOPS).map(([id, [title, standsFor]]) => [title, standsFor, duration(ms[id])]);
  return markdownTable(['plain loops', 'stand for', 'take'], rows);
}

/** What missed targets are up against: the loops, and our figures and those of HyperFormula beside them. */
export function boundsText(floors, workloads) {
  const text = [INTRO, floorsTable(floors), notes(floors.ms, workloads), machinesText([floors.machine])];
  return text.filter((part) => part !== '').join('\n\n');
}

const INTRO = [
  'Snapshots that readers keep are never changed: an edit makes new chunks. Plain loops that do that and no more, without',
  'an engine, show what the edits of a, f1, c and h are up against. A missed target that is not named here has no such',
  'reason.',
].join(' ');

function notes(ms, workloads) {
  if (['a', 'c', 'f1', 'h'].some((id) => workloads[id] === undefined)) return '';
  const time = (id, engine, measure) => workloads[id].engines[engine].ms[measure];
  const tenthOfPeer = (id, measure) => duration(time(id, 'hyperformula', measure) / 10);
  const thirdOfPeer = duration(time('h', 'hyperformula', TEN_DIRTY) / 3);
  return [
    [
      `- **a and f1, ten times faster than HyperFormula**: a tenth of its edit is ${tenthOfPeer('a', 'edit')} and`,
      `${tenthOfPeer('f1', LONE)}. One copy of a chunk takes ${duration(ms.copy)}, and a’s edit needs two: the cell’s and`,
      'its dependant’s. So the target cannot be reached while snapshots are immutable chunks. HyperFormula changes cells',
      'in place; whoever reads there may see a sheet that is half changed.',
    ],
    [
      `- **c, ten times the loop in place**, which is ${duration(time('c', 'limit', 'edit') * 10)}: plain loops that make`,
      `new chunks take about as long as the engine does, ${duration(ms.products)} and`,
      `${duration(time('c', 'cellwire', 'edit'))}. They are no lower bound; they only show that the target is not missed`,
      'by what the engine adds to the loops.',
    ],
    [
      '- **h, ten dirty formulas**, the only size that has such a loop: the copies are',
      `${duration(ms.copies)} of the engine’s ${duration(time('h', 'cellwire', TEN_DIRTY))}, and a third of HyperFormula’s`,
      `time is ${thirdOfPeer}. So they alone do not put the target out of reach. The rest is formulas that lie far apart`,
      'in memory, and what a batch brings along whatever its size (its snapshot, its change set); no loop bounds that.',
    ],
  ]
    .map((parts) => parts.join(' '))
    .join('\n');
}

const LONE = 'edit of a lone cell';
const TEN_DIRTY = 'edit, 10 dirty';
