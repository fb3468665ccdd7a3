import type { Snapshot } from '../../sheet/snapshot.ts';
import type { Scalar } from '../../value/scalar.ts';
import type { ColumnTypes } from '../cell-values.ts';
import { countContentsInSteps, countFilled } from '../column-type.ts';
import type { DocumentIndexes } from '../record-indexes.ts';
import { findColumn, type Region } from '../region.ts';
import { LAST_RANK } from '../text-ranks.ts';
import type { RecordGroup } from './groups.ts';

/** Minimum number of groups for which the texts of a column are ranked. */
const MIN_RANKED_GROUPS = 1_024;

/** A column that records are grouped by. */
interface GroupColumn {
  /** Index of the column in `groupBy`. */
  readonly place: number;
  /** Index of the column in the region. */
  readonly at: number;
  readonly types: ColumnTypes;
  readonly indexes: DocumentIndexes;
}

/**
 * Returns a sort value for each group, in the order of the groups. Sort values compare as the groups' values in a column
 * do. The ranks of texts are the sort values of many groups of texts, so that no texts are read and compared. Pauses
 * regularly.
 */
export function* listGroupSortValues(
  snapshot: Snapshot,
  region: Region,
  groups: readonly RecordGroup[],
  { place, at, types, indexes }: GroupColumn,
): Generator<void, readonly Scalar[]> {
  const column = findColumn(snapshot, region, at);
  if (groups.length >= MIN_RANKED_GROUPS && column !== undefined && !types.has(at)) {
    const contents = yield* countContentsInSteps(snapshot, column, region.header + 1, region.end);
    const ranked =
      contents.text === countFilled(contents)
        ? yield* indexes.requestTextRanks(
            region.sheet,
            region.columns[at]?.column ?? -1,
            column,
            snapshot.settings.locale,
          )
        : null;
    if (ranked !== null) {
      const { codes, ranks } = ranked;
      const { rowCodes } = codes;
      return groups.map(({ row }) => {
        const rank = row < rowCodes.length ? ranks[rowCodes[row]!]! : LAST_RANK;
        return rank === LAST_RANK ? null : rank;
      });
    }
  }
  return groups.map((group) => group.readValue(place));
}
