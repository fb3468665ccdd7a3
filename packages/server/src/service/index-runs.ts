/** Consecutive indexes, by the first and the last one. */
export type IndexRun = [first: number, last: number];

/** Appends an index above all others: to the last run if the index continues the run, else as a new run. */
export function appendIndex(runs: IndexRun[], index: number): void {
  const last = runs.at(-1);
  if (last?.[1] === index - 1) last[1] = index;
  else runs.push([index, index]);
}

/** The runs of `true` in a list. */
export function findTrueRuns(list: readonly boolean[]): readonly Readonly<IndexRun>[] {
  const runs: IndexRun[] = [];
  for (const [i, is] of list.entries()) if (is) appendIndex(runs, i);
  return runs;
}
