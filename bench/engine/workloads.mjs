import { workload as rows } from './workloads/a-rows.mjs';
import { workload as runningTotal } from './workloads/b-running-total.mjs';
import { workload as fanOut } from './workloads/c-fan-out.mjs';
import { workload as sums } from './workloads/d1-sums.mjs';
import { workload as sumifs } from './workloads/d2-sumifs.mjs';
import { workload as growingSums } from './workloads/d3-growing-sums.mjs';
import { lookups } from './workloads/e-lookups.mjs';
import { workload as numbers } from './workloads/f-numbers.mjs';
import { workload as texts } from './workloads/f-texts.mjs';
import { workload as filledDown } from './workloads/g-filled-down.mjs';
import { workload as distinct } from './workloads/h-distinct.mjs';
import { spills } from './workloads/i-spills.mjs';
import { pages } from './workloads/j-pages.mjs';
import { workload as rowEdits } from './workloads/k-row-edits.mjs';
import { byRow } from './workloads/l-by-row.mjs';

/**
 * A workload is: `id`, `title`, `size`; `input(size)`, rows of values and formulas (in the file formats' grammar, with
 * `=`); `probe(size)`, the cell that is read, within the measured time, after every step; `measuresBuild`; `edits(size)`,
 * cells to write by the edit's name, and `value(i, name)`, what to write the i-th time; `limit(rows)`, the same by hand
 * (`build`, `edits` and `steps`, which give the probe's value); `steps(engine, model, size)`, what else to time; for
 * memory `cells(size)`, by how many to divide; `targets`. `engines` names who can do it, all without;
 * `trait` (`lookups`, `arrays`) tells an engine with settings what it is about.
 */
export const WORKLOADS = [
  rows,
  runningTotal,
  fanOut,
  sums,
  sumifs,
  growingSums,
  ...lookups,
  numbers,
  texts,
  filledDown,
  distinct,
  ...spills,
  ...pages,
  rowEdits,
  ...byRow,
];

export function workloadNamed(id) {
  const found = WORKLOADS.find((workload) => workload.id === id);
  if (found === undefined) throw new Error(`there is no workload ${id}`);
  return found;
}
