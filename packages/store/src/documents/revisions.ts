import { type ExpressionBuilder, expressionBuilder } from 'kysely';
import { unsealed } from '../database/checksum.ts';
import { prepare, prepareStatement } from '../database/database.ts';
import { sql } from '../database/dialect.ts';
import type { Schema } from '../database/schema.ts';

/** Conflict: the revision has been taken back, or is not kept, since it was looked at. */
export const REVISION_TAKEN_BACK = 'revision taken back';

/** Which revisions are kept: the last `keep`, none of before the time `since` (milliseconds), and those with a name. */
interface Kept {
  readonly id: string;
  readonly keep: number;
  readonly since: number;
}

/** What can be read still: the log reaches back to the oldest base, or to the checkpoint where there is none. */
function isKept(p: Kept) {
  return ({ eb, and, or }: ExpressionBuilder<Schema, 'commits'>) =>
    and([
      eb('commits.revision', '>', floorOf(p.id)),
      or([
        eb('commits.name', 'is not', null),
        and([eb('commits.revision', '>', oldestByNumber(p)), eb('commits.at', '>=', p.since)]),
      ]),
    ]);
}

/** The newest revision that the number of kept ones leaves out. */
function oldestByNumber({ id, keep }: Pick<Kept, 'id' | 'keep'>) {
  return sql
    .selectFrom('documents')
    .select((inner) => inner('documents.revision', '-', keep).as('oldest'))
    .where('documents.id', '=', id)
    .$asScalar();
}

/** The revision that the log reaches back to. */
function floorOf(id: string) {
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

const REVISION = [
  'commits.revision',
  'commits.at',
  'commits.origin',
  'commits.author_id',
  'commits.token_id',
  'commits.token_name',
  'commits.request_id',
  'commits.areas',
  'commits.structure',
  'commits.name',
  'commits.undoes',
  'commits.undone_by',
  'commits.head',
  'users.name as author_name',
  'proposals.id as proposal_id',
  'proposals.decided_by as applied_by',
  'applier.name as applier_name',
] as const;

/** Commits with their authors, and with the proposals that they apply. */
function revisions() {
  return sql
    .selectFrom('commits')
    .leftJoin('users', 'users.id', 'commits.author_id')
    .leftJoin('proposals', (join) =>
      join
        .onRef('proposals.document_id', '=', 'commits.document_id')
        .onRef('proposals.revision', '=', 'commits.revision'),
    )
    .leftJoin('users as applier', 'applier.id', 'proposals.decided_by')
    .select(REVISION);
}

/** A page of the revisions from `oldest` to `newest`, the newest first. */
export const revisionPage = prepare((p: { id: string; oldest: number; newest: number; limit: number }) =>
  revisions()
    .where('commits.document_id', '=', p.id)
    .where('commits.revision', '>=', p.oldest)
    .where('commits.revision', '<=', p.newest)
    .orderBy('commits.revision', 'desc')
    .limit(p.limit),
);

/** Revisions before one that are kept for their names, the newest first; `MAX_NAMED_REVISIONS` at most. */
export const namedRevisionsBefore = prepare((p: { id: string; before: number }) =>
  revisions()
    .where('commits.document_id', '=', p.id)
    .where('commits.revision', '<', p.before)
    .where('commits.name', 'is not', null)
    .where(({ eb }) => eb('commits.revision', '>', floorOf(p.id)))
    .orderBy('commits.revision', 'desc'),
);

/** The first revision that can be read and is not too many revisions back, and the newest one; null: there are none. */
export const revisionBounds = prepare((p: { id: string; keep: number }) =>
  sql.selectNoFrom(({ selectFrom }) => [
    selectFrom('commits')
      .select('commits.revision')
      .where('commits.document_id', '=', p.id)
      .where(({ eb }) => eb('commits.revision', '>', floorOf(p.id)))
      .where(({ eb }) => eb('commits.revision', '>', oldestByNumber(p)))
      .orderBy('commits.revision')
      .limit(1)
      .$asScalar()
      .as('oldest'),
    selectFrom('commits')
      .select((of) => of.fn.max<number>('commits.revision').as('last'))
      .where('commits.document_id', '=', p.id)
      .$asScalar()
      .as('newest'),
  ]),
);

/** The first commit from a revision on. */
export const commitFrom = prepare((p: { id: string; revision: number }) =>
  sql
    .selectFrom('commits')
    .select(['revision', 'at'])
    .where('document_id', '=', p.id)
    .where('revision', '>=', p.revision)
    .orderBy('revision')
    .limit(1),
);

export const keptRevision = prepare((p: { id: string; keep: number; since: number; revision: number }) =>
  revisions().where('commits.document_id', '=', p.id).where('commits.revision', '=', p.revision).where(isKept(p)),
);

/** The name of the commit before a kept one: that of a state which has no commit of its own in the log. */
export const keptParent = prepare((p: { id: string; keep: number; since: number; revision: number }) =>
  sql
    .selectFrom('commits')
    .select('commits.parent')
    .where('commits.document_id', '=', p.id)
    .where('commits.revision', '=', p.revision)
    .where(isKept(p)),
);

/** What takes a commit back; null of one that a version made which kept no such thing. */
export const inverseOf = unsealed(
  'commits',
  prepare((p: { id: string; revision: number }) =>
    sql.selectFrom('commits').select('inverse').where('document_id', '=', p.id).where('revision', '=', p.revision),
  ),
  ({ revision }) => ({ revision }),
);

/** Bytes of what takes commits back, and of what they touched, from a revision on. */
export const historySize = prepare((p: { id: string; from: number }) =>
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

/** What was done after a revision up to another, the oldest first, as far as it decides about taking that one back. */
export const laterCommits = prepare((p: { id: string; after: number; to: number; limit: number }) =>
  sql
    .selectFrom('commits')
    .select(['revision', 'areas', 'structure', 'undoes', 'undone_by'])
    .where('document_id', '=', p.id)
    .where('revision', '>', p.after)
    .where('revision', '<=', p.to)
    .orderBy('revision')
    .limit(p.limit),
);

/** The first commit that one after a revision took back. */
export const firstTakenBack = prepare((p: { id: string; after: number }) =>
  sql
    .selectFrom('commits')
    .select((eb) => eb.fn.min('undoes').as('first'))
    .where('document_id', '=', p.id)
    .where('revision', '>', p.after)
    .where('undoes', 'is not', null),
);

/** Goes into the commit that takes another one back. */
export const markUndo = prepareStatement((p: { id: string; revision: number; undoes: number }) =>
  sql
    .updateTable('commits')
    .set({ undoes: p.undoes })
    .where('document_id', '=', p.id)
    .where('revision', '=', p.revision),
);

/** A commit can be taken back once, until that is taken back in its turn. */
export const markUndone = prepareStatement(
  (p: { id: string; revision: number; by: number }) =>
    sql
      .updateTable('commits')
      .set({ undone_by: p.by })
      .where('document_id', '=', p.id)
      .where('revision', '=', p.revision)
      .where('undone_by', 'is', null),
  { rows: 1, conflict: REVISION_TAKEN_BACK },
);

/**
 * Of a commit that is taken back: what it took back stands again, what that took back is taken back again, and so on.
 * Each step is to an earlier commit, whatever a bundle says.
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
      undone_by: selectFrom('chain')
        .select('chain.revision')
        .whereRef('chain.undoes', '=', 'commits.revision')
        .where((inner) => inner(inner('chain.depth', '%', 2), '=', 1)),
    }))
    .where('commits.document_id', '=', p.id)
    .where('commits.revision', 'in', ({ selectFrom }) => selectFrom('chain').select('chain.undoes')),
);

/** What `nameRevision` reports when the revision is not kept any more. */
export const REVISION_GONE = 'revisionGone';

export const nameRevision = prepareStatement(
  (p: { id: string; revision: number; name: string }) =>
    sql.updateTable('commits').set({ name: p.name }).where('document_id', '=', p.id).where('revision', '=', p.revision),
  { rows: 1, conflict: REVISION_GONE },
);

export const namedRevisions = prepare((p: { id: string }) =>
  sql
    .selectFrom('commits')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('document_id', '=', p.id)
    .where('name', 'is not', null),
);

/** The first revision that is kept for its age and number; null: none is. */
export const oldestKept = prepare((p: { id: string; keep: number; since: number }) =>
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
