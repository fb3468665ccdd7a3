import { type ExpressionBuilder, expressionBuilder } from 'kysely';
import { withSealing, withUnsealing } from '../database/checksum.ts';
import { type Compilable, prepareQuery, prepareStatement } from '../database/database.ts';
import { sql } from '../database/dialect.ts';
import type { Schema } from '../database/schema.ts';
import { COMMIT_FACTS } from '../database/sum-groups.ts';

/** Conflict: the revision was undone or deleted after it was read. */
export const REVISION_UNDONE = 'revision taken back';

/**
 * Retention rule: the last `keep` revisions that are not older than `since` (milliseconds), and all named revisions.
 */
interface RetentionRule {
  readonly id: string;
  readonly keep: number;
  readonly since: number;
}

/**
 * Condition: a revision is retained and readable. The log begins at the oldest retained checkpoint, or at the current
 * checkpoint.
 */
function isRetained(p: RetentionRule) {
  return ({ eb, and, or }: ExpressionBuilder<Schema, 'commits'>) =>
    and([
      eb('commits.revision', '>', selectLogStart(p.id)),
      or([
        eb('commits.name', 'is not', null),
        and([eb('commits.revision', '>', selectNewestBeyondLimit(p)), eb('commits.at', '>=', p.since)]),
      ]),
    ]);
}

/** The newest revision that exceeds the maximum number of revisions. */
function selectNewestBeyondLimit({ id, keep }: Pick<RetentionRule, 'id' | 'keep'>) {
  return sql
    .selectFrom('documents')
    .select((inner) => inner('documents.revision', '-', keep).as('oldest'))
    .where('documents.id', '=', id)
    .$asScalar();
}

/** The revision at which the log begins. */
function selectLogStart(id: string) {
  const { fn, selectFrom } = expressionBuilder<Schema, never>();
  return fn.coalesce(
    selectFrom('bases')
      .select((inner) => inner.fn.min('bases.revision').as('first'))
      .where('bases.document_id', '=', id)
      .where('bases.complete', '=', 1)
      .$asScalar(),
    selectFrom('checkpoints').select('checkpoints.revision').where('checkpoints.document_id', '=', id).$asScalar(),
  );
}

const REVISION_COLUMNS = [
  'commits.revision',
  'commits.at',
  'commits.origin',
  'commits.author_id',
  'commits.token_id',
  'commits.token_name',
  'commits.request_id',
  'commits.head',
  'commits.parent',
  'commits.facts_sum',
  'commits.areas',
  'commits.structure',
  'commits.changes_sum',
  'commits.name',
  'commits.name_sum',
  'commits.undoes',
  'commits.undoes_sum',
  'commits.undone_by',
  'commits.undone_sum',
  'users.name as author_name',
  'proposals.id as proposal_id',
  'proposals.decided_by as applied_by',
  'applier.name as applier_name',
] as const;

/** Commits with their authors, and with the proposals that they apply. */
function selectRevisions() {
  return sql
    .selectFrom('commits')
    .leftJoin('users', 'users.id', 'commits.author_id')
    .leftJoin('proposals', (join) =>
      join
        .onRef('proposals.document_id', '=', 'commits.document_id')
        .onRef('proposals.revision', '=', 'commits.revision'),
    )
    .leftJoin('users as applier', 'applier.id', 'proposals.decided_by')
    .select(REVISION_COLUMNS);
}

/** Prepares a query of a document's commits, whose rows are checked. */
function prepareRevisions<P extends { readonly id: string }, Row>(build: (p: P) => Compilable<Row>) {
  return withUnsealing('commits', prepareQuery(build));
}

/** A page of the revisions from `oldest` to `newest`, newest first. */
export const revisionPage = prepareRevisions((p: { id: string; oldest: number; newest: number; limit: number }) =>
  selectRevisions()
    .where('commits.document_id', '=', p.id)
    .where('commits.revision', '>=', p.oldest)
    .where('commits.revision', '<=', p.newest)
    .orderBy('commits.revision', 'desc')
    .limit(p.limit),
);

/** Named revisions before a revision, newest first; at most `MAX_NAMED_REVISIONS`. */
export const namedRevisionsBefore = prepareRevisions((p: { id: string; before: number }) =>
  selectRevisions()
    .where('commits.document_id', '=', p.id)
    .where('commits.revision', '<', p.before)
    .where('commits.name', 'is not', null)
    .where(({ eb }) => eb('commits.revision', '>', selectLogStart(p.id)))
    .orderBy('commits.revision', 'desc'),
);

/** The first readable revision among the last `keep` revisions, and the newest revision; null if there are none. */
export const revisionBounds = prepareQuery((p: { id: string; keep: number }) =>
  sql.selectNoFrom(({ selectFrom }) => [
    selectFrom('commits')
      .select('commits.revision')
      .where('commits.document_id', '=', p.id)
      .where(({ eb }) => eb('commits.revision', '>', selectLogStart(p.id)))
      .where(({ eb }) => eb('commits.revision', '>', selectNewestBeyondLimit(p)))
      .orderBy('commits.revision')
      .limit(1)
      .$asScalar()
      .as('oldest'),
    selectFrom('commits')
      .select((eb) => eb.fn.max<number>('commits.revision').as('last'))
      .where('commits.document_id', '=', p.id)
      .$asScalar()
      .as('newest'),
  ]),
);

/** The first commit at or after a revision. */
export const commitFrom = prepareRevisions((p: { id: string; revision: number }) =>
  sql
    .selectFrom('commits')
    .select(COMMIT_FACTS)
    .select('facts_sum')
    .where('document_id', '=', p.id)
    .where('revision', '>=', p.revision)
    .orderBy('revision')
    .limit(1),
);

export const retainedRevision = prepareRevisions((p: { id: string; keep: number; since: number; revision: number }) =>
  selectRevisions()
    .where('commits.document_id', '=', p.id)
    .where('commits.revision', '=', p.revision)
    .where(isRetained(p)),
);

/** The parent commit of a retained revision. It identifies a state whose own commit is not in the log. */
export const retainedParent = prepareRevisions((p: { id: string; keep: number; since: number; revision: number }) =>
  sql
    .selectFrom('commits')
    .select(COMMIT_FACTS)
    .select('facts_sum')
    .where('commits.document_id', '=', p.id)
    .where('commits.revision', '=', p.revision)
    .where(isRetained(p)),
);

/** The inverse of a commit, which undoes it; null for commits of versions that did not store it. */
export const inverseOf = withUnsealing(
  'commits',
  prepareQuery((p: { id: string; revision: number }) =>
    sql.selectFrom('commits').select('inverse').where('document_id', '=', p.id).where('revision', '=', p.revision),
  ),
  ({ revision }) => ({ revision }),
);

/** Size of the inverses and areas of commits at or after a revision, in bytes. */
export const historySize = prepareQuery((p: { id: string; from: number }) =>
  sql
    .selectFrom('commits')
    .select(({ fn }) => [
      fn.sum<number | null>(fn<number>('octet_length', ['delta'])).as('deltas'),
      fn.sum<number | null>(fn<number>('octet_length', ['inverse'])).as('inverses'),
      fn.sum<number | null>(fn<number>('octet_length', ['areas'])).as('areas'),
    ])
    .where('document_id', '=', p.id)
    .where('revision', '>=', p.from),
);

/**
 * Commits after the revision `after` up to `to`, oldest first, with the columns that determine whether a commit can be
 * undone.
 */
export const laterCommits = prepareRevisions((p: { id: string; after: number; to: number; limit: number }) =>
  sql
    .selectFrom('commits')
    .select(['revision', 'areas', 'structure', 'changes_sum', 'undoes', 'undoes_sum', 'undone_by', 'undone_sum'])
    .where('document_id', '=', p.id)
    .where('revision', '>', p.after)
    .where('revision', '<=', p.to)
    .orderBy('revision')
    .limit(p.limit),
);

/** The oldest revision that was undone by a commit after a revision. */
export const firstUndone = prepareQuery((p: { id: string; after: number }) =>
  sql
    .selectFrom('commits')
    .select((eb) => eb.fn.min('undoes').as('first'))
    .where('document_id', '=', p.id)
    .where('revision', '>', p.after)
    .where('undoes', 'is not', null),
);

/** Records in an undo commit which revision it undoes. */
export const markUndo = withSealing(
  'commits',
  prepareStatement((p: { id: string; revision: number; undoes: number; undoes_sum: number | null }) =>
    sql
      .updateTable('commits')
      .set({ undoes: p.undoes, undoes_sum: p.undoes_sum })
      .where('document_id', '=', p.id)
      .where('revision', '=', p.revision),
  ),
  (row) => row,
  { undoes_sum: 'undoes_sum' },
);

/** Marks a commit as undone. It can be undone again only after the undo itself was undone. */
export const markUndone = withSealing(
  'commits',
  prepareStatement(
    (p: { id: string; revision: number; by: number; undone_sum: number | null }) =>
      sql
        .updateTable('commits')
        .set({ undone_by: p.by, undone_sum: p.undone_sum })
        .where('document_id', '=', p.id)
        .where('revision', '=', p.revision)
        .where('undone_by', 'is', null),
    { rows: 1, conflict: REVISION_UNDONE },
  ),
  ({ revision, by }) => ({ revision, undone_by: by }),
  { undone_sum: 'undone_sum' },
);

/**
 * Updates the marks along a chain of undone undos: if an undo is undone, the commit that it undid is valid again, and
 * so on. Each step goes to an earlier commit, so that it ends even for rows from a forged bundle.
 */
export const markRedone = prepareStatement((p: { id: string; revision: number }) =>
  sql
    .withRecursive('chain(revision, undoes, depth)', (cte) =>
      cte
        .selectFrom('commits')
        .select((eb) => ['commits.revision', 'commits.undoes', eb.lit<number>(0).as('depth')])
        .where('commits.document_id', '=', p.id)
        .where('commits.revision', '=', p.revision)
        .unionAll(
          cte
            .selectFrom('chain')
            .innerJoin('commits', 'commits.revision', 'chain.undoes')
            .select((eb) => [
              'commits.revision',
              'commits.undoes',
              eb('chain.depth', '+', eb.lit<number>(1)).as('depth'),
            ])
            .where('commits.document_id', '=', p.id)
            .whereRef('commits.revision', '<', 'chain.revision'),
        ),
    )
    .updateTable('commits')
    .set(({ selectFrom }) => ({
      undone_sum: null,
      undone_by: selectFrom('chain')
        .select('chain.revision')
        .whereRef('chain.undoes', '=', 'commits.revision')
        .where((inner) => inner(inner('chain.depth', '%', 2), '=', 1)),
    }))
    .where('commits.document_id', '=', p.id)
    .where('commits.revision', 'in', ({ selectFrom }) => selectFrom('chain').select('chain.undoes')),
);

/** Conflict: the revision is no longer retained. */
export const REVISION_GONE = 'revisionGone';

export const nameRevision = withSealing(
  'commits',
  prepareStatement(
    (p: { id: string; revision: number; name: string; name_sum: number | null }) =>
      sql
        .updateTable('commits')
        .set({ name: p.name, name_sum: p.name_sum })
        .where('document_id', '=', p.id)
        .where('revision', '=', p.revision),
    { rows: 1, conflict: REVISION_GONE },
  ),
  (row) => row,
  { name_sum: 'name_sum' },
);

export const namedRevisions = prepareQuery((p: { id: string }) =>
  sql
    .selectFrom('commits')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('document_id', '=', p.id)
    .where('name', 'is not', null),
);

/** The first revision that is retained by both age and number; null if there is none. */
export const oldestRetained = prepareQuery((p: { id: string; keep: number; since: number }) =>
  sql
    .selectFrom('commits')
    .select('revision')
    .where('document_id', '=', p.id)
    .where('at', '>=', p.since)
    .where('revision', '>', (eb) =>
      eb
        .selectFrom('documents')
        .select((inner) => inner('revision', '-', p.keep).as('oldest'))
        .where('id', '=', p.id),
    )
    .orderBy('revision')
    .limit(1),
);
