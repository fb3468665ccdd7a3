import { machinesText } from '../lib/machine.mjs';
import { duration } from '../lib/stats.mjs';
import { markdownTable } from '../lib/table.mjs';

/** The plain edits of `floors.mjs`: what each makes anew, and what it stands for. */
const EDITS = {
  lone: ['the document, its sheet, a column with its list of 391 chunks, a chunk', 'the edit of a lone cell (f1)'],
  pair: ['the same with two columns', 'the edit of a cell with one dependant (a)'],
  eleven: ['the same with eleven columns of 40 chunks', 'an edit with 10 dirty formulas (h)'],
};

/** The plain edits as a Markdown table. */
export function floorsTable({ ms }) {
  const rows = Object.entries(EDITS).map(([id, [title, standsFor]]) => [title, standsFor, duration(ms[id])]);
  return markdownTable(['made anew', 'stands for', 'takes'], rows);
}

/** What missed targets are up against: the plain edits, and our figures and those of HyperFormula beside them. */
export function boundsText(floors, workloads) {
  const text = [INTRO, floorsTable(floors), notes(floors.ms, workloads), machinesText([floors.machine])];
  return text.filter((part) => part !== '').join('\n\n');
}

const INTRO = [
  'Snapshots that readers keep are never changed: an edit makes anew whatever holds what it changes. Plain objects made',
  'so, without an engine, show what the edits of a, f1 and h are up against. A missed target that is not named here has',
  'no such reason.',
].join(' ');

function notes(ms, workloads) {
  if (['a', 'f1', 'h'].some((id) => workloads[id] === undefined)) return '';
  const time = (id, engine, measure) => workloads[id].engines[engine].ms[measure];
  const shareOfPeer = (id, measure, part) => duration(time(id, 'hyperformula', measure) / part);
  return [
    [
      `- **a and f1, ten times faster than HyperFormula**: a tenth of its edit is ${shareOfPeer('a', 'edit', 10)} and`,
      `${shareOfPeer('f1', LONE, 10)}; the new objects alone take ${duration(ms.pair)} and ${duration(ms.lone)}. What is`,
      'left of ours is what every batch does once: it is checked, metered and can be undone, its dependants are found, and',
      'its change set is kept. HyperFormula changes cells in place; whoever reads there may see a sheet half changed.',
    ],
    [
      `- **h, ten dirty formulas, three times faster than HyperFormula**: a third of its edit is`,
      `${shareOfPeer('h', TEN_DIRTY, 3)}; the new objects take ${duration(ms.eleven)} of our`,
      `${duration(time('h', 'cellwire', TEN_DIRTY))}. The rest is formulas that lie far apart in memory.`,
    ],
  ]
    .map((parts) => parts.join(' '))
    .join('\n');
}

const LONE = 'edit of a lone cell';
const TEN_DIRTY = 'edit, 10 dirty';
