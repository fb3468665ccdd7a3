import { type Rights, readingRights } from '../calc/rights.ts';
import { readingOf } from '../graph/precedents.ts';
import { Snapshot } from '../sheet/snapshot.ts';
import type { ApplyContext } from './types.ts';
import { Workbook } from './workbook.ts';

/**
 * Whether a state of the past may show what is hidden by now: some formula names a sheet that its writer may not see, or
 * may reach it (INDIRECT and its kind). Pauses after each formula that had to be looked into.
 */
export function* readsClosed(snapshot: Snapshot, rights: Rights): Generator<void, boolean> {
  const reading = readingRights(rights);
  if (reading === null) return false;
  for (const { columns } of snapshot.sheets) {
    for (const column of columns) {
      for (const run of column?.runs ?? []) {
        const closed = reading.closedTo(run.writer);
        if (closed === null) continue;
        const { precedents, behaviour } = readingOf(run.template.node, run, snapshot);
        if (behaviour.indirect || precedents.some(({ sheet }) => closed.has(sheet))) return true;
        yield;
      }
    }
  }
  return false;
}

/**
 * A state of the past with the results that its formulas have by the rights of `context`; null where calculating them
 * takes more than the budget. Formulas that follow the clock or the lots have other results than they had.
 */
export function seenNow(past: Snapshot, context: ApplyContext & { readonly rights: Rights }): Snapshot | null {
  const workbook = Workbook.open(past);
  const readersOf = context.rights.hidden.map(({ sheet }) => sheet);
  const applied = workbook.apply([{ kind: 'recalculate', readersOf }], context);
  return applied.kind === 'refusal' ? null : new Snapshot({ ...workbook.head, revision: past.revision });
}
