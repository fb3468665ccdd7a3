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
import { workload as dependants } from './workloads/l-dependants.mjs';

/**
 * A workload has these members:
 * - `id`, `title`, `size`, `targets`
 * - `createRows(size)`: rows of values and formulas, in the grammar of files, with `=`
 * - `getProbeCell(size)`: the cell that is read after every step, within the measured time
 * - `measuresBuild`: whether the build is timed
 * - `listEdits(size)`: the cells to write, by the name of the edit; `getWrittenValue(i, name)`: the i-th value to write
 * - `createPlainLoops(rows)`: the same work as plain loops (`build`, `edits` and `steps`, which return the probe's value)
 * - `createSteps(engine, model, size)`: further calls to time
 * - `countCells(size)`: the number of cells by which memory is divided
 * - `engines`: the engines that can run it; all if absent
 * - `trait` (`lookups`, `arrays`): selects the settings of an engine that has settings
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
  dependants,
];

export function findWorkload(id) {
  const match = WORKLOADS.find((workload) => workload.id === id);
  if (match === undefined) throw new Error(`there is no workload ${id}`);
  return match;
}
