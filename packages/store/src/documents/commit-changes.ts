import { withUnsealing } from '../database/checksum.ts';
import { prepareQuery } from '../database/database.ts';
import { sql } from '../database/dialect.ts';
import { COMMIT_FACTS } from '../database/sum-groups.ts';

/** The changes of a commit, with their sum. */
const CHANGES = ['areas', 'structure', 'changes_sum'] as const;

/** Author and origin of each commit after a revision, oldest first, without the written data. */
export const commitSummaries = withUnsealing(
  'commits',
  prepareQuery((p: { id: string; after: number; limit: number }) =>
    sql
      .selectFrom('commits')
      .select([...COMMIT_FACTS, 'facts_sum'])
      .where('document_id', '=', p.id)
      .where('revision', '>', p.after)
      .orderBy('revision')
      .limit(p.limit),
  ),
);

/** Commits after the revision `after` up to `to`, with the areas that they changed (`StoredAreas`), oldest first. */
export const commitAreas = withUnsealing(
  'commits',
  prepareQuery((p: { id: string; after: number; to: number; limit: number }) =>
    sql
      .selectFrom('commits')
      .select([...COMMIT_FACTS, 'facts_sum', ...CHANGES, 'undoes', 'undoes_sum'])
      .where('document_id', '=', p.id)
      .where('revision', '>', p.after)
      .where('revision', '<=', p.to)
      .orderBy('revision')
      .limit(p.limit),
  ),
);

/** Commits after the revision `after` up to `to` that moved cells (`StoredAreas.moves`), oldest first. */
export const commitMoves = withUnsealing(
  'commits',
  prepareQuery((p: { id: string; after: number; to: number }) =>
    sql
      .selectFrom('commits')
      .select(['revision', ...CHANGES])
      .where('document_id', '=', p.id)
      .where('revision', '>', p.after)
      .where('revision', '<=', p.to)
      .where('areas', 'like', '%"moves":%')
      .orderBy('revision'),
  ),
);

/**
 * Commits after the revision `after` up to `to` that moved or sorted cells, restored a state or changed sheets, oldest
 * first.
 */
export const commitRearrangements = withUnsealing(
  'commits',
  prepareQuery((p: { id: string; after: number; to: number }) =>
    selectRearrangements(p)
      .select(['revision', ...CHANGES, 'row_orders', 'undoes', 'undoes_sum'])
      .orderBy('revision'),
  ),
);

/** Number of the commits that `commitRearrangements` returns, and the size of their areas and row orders in bytes. */
export const rearrangementsSize = prepareQuery((p: { id: string; after: number; to: number }) =>
  selectRearrangements(p).select(({ fn }) => [
    fn.countAll<number>().as('commits'),
    fn.sum<number | null>(fn<number>('octet_length', ['areas'])).as('bytes'),
    fn.sum<number | null>(fn<number>('octet_length', ['row_orders'])).as('orderBytes'),
  ]),
);

/** Selects the commits that `commitRearrangements` returns, in any order. */
function selectRearrangements({ id, after, to }: { id: string; after: number; to: number }) {
  return sql
    .selectFrom('commits')
    .where('document_id', '=', id)
    .where('revision', '>', after)
    .where('revision', '<=', to)
    .where((eb) =>
      eb.or([
        eb('areas', 'like', '%"moves":%'),
        eb('areas', 'like', '%"orders":%'),
        eb('areas', 'like', '%"restored":%'),
        eb('structure', 'is not', null),
      ]),
    );
}

/** The first commit of the log after a revision. */
export const firstCommitAfter = prepareQuery((p: { id: string; after: number }) =>
  sql
    .selectFrom('commits')
    .select('revision')
    .where('document_id', '=', p.id)
    .where('revision', '>', p.after)
    .orderBy('revision')
    .limit(1),
);

/** Returns a row if the log contains the commit `head`, or a commit whose parent is `head`. */
export const commitWithHead = prepareQuery((p: { id: string; head: string }) =>
  sql
    .selectFrom('commits')
    .select('revision')
    .where('document_id', '=', p.id)
    .where((eb) => eb.or([eb('head', '=', p.head), eb('parent', '=', p.head)]))
    .limit(1),
);
