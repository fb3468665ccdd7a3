import type { Column, Snapshot } from '../../sheet/snapshot.ts';
import type { Run } from '../../sheet/template.ts';

/** The runs that exist only in the earlier state, and the runs that exist only in the later state. */
interface RunsBetween {
  readonly removed: readonly Run[];
  readonly added: readonly Run[];
}

/** Finds the differences between the runs of two states. Compares only columns and runs that are different objects. */
export function findRunsBetween(before: Snapshot, after: Snapshot): RunsBetween {
  const runs = { removed: [] as Run[], added: [] as Run[] };
  for (const sheet of before.sheets) {
    const columns = after.sheetById(sheet.id)?.columns ?? [];
    if (columns === sheet.columns) continue;
    for (let i = 0; i < Math.max(columns.length, sheet.columns.length); i++) {
      compareColumns(sheet.columns[i], columns[i], runs);
    }
  }
  for (const { id, columns } of after.sheets) {
    if (before.hasSheet(id)) continue;
    for (const column of columns) compareColumns(undefined, column, runs);
  }
  return runs;
}

/** Compares the runs of a column in two states. Both lists are in row order. */
function compareColumns(
  before: Column | undefined,
  after: Column | undefined,
  { removed, added }: { readonly removed: Run[]; readonly added: Run[] },
): void {
  if (before?.runList === after?.runList) return;
  const [old, fresh] = [before?.runs ?? [], after?.runs ?? []];
  for (let i = 0, j = 0; i < old.length || j < fresh.length; ) {
    const [one, other] = [old[i], fresh[j]];
    if (one === other) {
      i++;
      j++;
    } else if (one !== undefined && (other === undefined || one.top <= other.top)) {
      removed.push(one);
      i++;
    } else {
      added.push(other!);
      j++;
    }
  }
}
