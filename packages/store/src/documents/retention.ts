import { expressionBuilder } from 'kysely';
import { prepareStatement } from '../database/database.ts';
import { sql } from '../database/dialect.ts';
import type { Schema } from '../database/schema.ts';

/**
 * Deletes entries of the log. Among the first `limit` entries it finds the newest one that is old enough, and deletes
 * all entries up to it. Numbers increase with time, so no index on time is needed, and the remaining numbers have no
 * gaps.
 */
export const deleteOldAudit = prepareStatement((p: { id: string; before: number; limit: number }) =>
  sql
    .deleteFrom('audit')
    .where('document_id', '=', p.id)
    .where('id', '<=', (eb) =>
      eb
        .selectFrom(
          eb
            .selectFrom('audit')
            .select(['audit.id', 'audit.at'])
            .where('audit.document_id', '=', p.id)
            .orderBy('audit.id')
            .limit(p.limit)
            .as('oldest'),
        )
        .select(({ fn }) => fn.max('oldest.id').as('last'))
        .where('oldest.at', '<', p.before),
    ),
);

export const deleteOldReplies = prepareStatement((p: { id: string; before: number; limit: number }) =>
  sql
    .deleteFrom('idempotency')
    .where('document_id', '=', p.id)
    .where((eb) =>
      eb(
        eb.refTuple('user_id', 'method', 'path', 'key'),
        'in',
        eb
          .selectFrom('idempotency')
          .select(['user_id', 'method', 'path', 'key'])
          .where('document_id', '=', p.id)
          .where('at', '<', p.before)
          .orderBy('at')
          .limit(p.limit)
          .$asTuple('user_id', 'method', 'path', 'key'),
      ),
    ),
);

export const deleteOldCreationReplies = prepareStatement((p: { before: number; limit: number }) =>
  sql
    .deleteFrom('makings')
    .where((eb) =>
      eb(
        eb.refTuple('user_id', 'path', 'key'),
        'in',
        eb
          .selectFrom('makings')
          .select(['user_id', 'path', 'key'])
          .where('at', '<', p.before)
          .orderBy('at')
          .limit(p.limit)
          .$asTuple('user_id', 'path', 'key'),
      ),
    ),
);

/**
 * Deletes commits that the checkpoint includes and that are older than `before` or not among the last `keep` revisions.
 * It keeps commits that are needed to open the document or a retained revision, and commits that are not yet in a
 * closed notification window.
 */
export const deleteOldCommits = prepareStatement((p: { id: string; before: number; keep: number; limit: number }) =>
  sql
    .deleteFrom('commits')
    .where('document_id', '=', p.id)
    .where('revision', 'in', ({ selectFrom }) =>
      selectFrom('commits as old')
        .select('old.revision')
        .where('old.document_id', '=', p.id)
        .where(({ eb }) =>
          eb(
            'old.revision',
            '<=',
            selectFrom('checkpoints').select('checkpoints.revision').where('checkpoints.document_id', '=', p.id),
          ),
        )
        .where(({ eb, fn, ref }) =>
          eb(
            'old.revision',
            '<=',
            fn.coalesce(
              selectFrom('windows').select('windows.grouped').where('windows.document_id', '=', p.id),
              ref('old.revision'),
            ),
          ),
        )
        .where(({ not, exists, selectFrom: select }) =>
          not(
            exists(
              select('bases')
                .select('bases.revision')
                .where('bases.document_id', '=', p.id)
                .whereRef('bases.revision', '<', 'old.revision')
                .where(({ or, eb, ref }) =>
                  or([eb('bases.until', 'is', null), eb('bases.until', '>=', ref('old.revision'))]),
                ),
            ),
          ),
        )
        .where(({ or, eb }) =>
          or([
            eb('old.at', '<', p.before),
            eb(
              'old.revision',
              '<=',
              selectFrom('documents')
                .select((inner) => inner('documents.revision', '-', p.keep).as('oldest'))
                .where('documents.id', '=', p.id),
            ),
          ]),
        )
        .orderBy('old.revision')
        .limit(p.limit),
    ),
);

/**
 * The last revision that can be read from a retained checkpoint. For the newest retained checkpoint, this is the
 * revision of the current checkpoint; later revisions are read from that one.
 */
function lastReadableRevision(document: string) {
  const { fn, ref, selectFrom } = expressionBuilder<Schema, 'bases'>();
  return fn.coalesce(
    ref('bases.until'),
    selectFrom('checkpoints').select('checkpoints.revision').where('checkpoints.document_id', '=', document),
  );
}

/** For retained checkpoints whose revisions are all before `oldest`: ends them at their last named revision. */
export const shortenRetainedCheckpoints = prepareStatement((p: { id: string; oldest: number }) =>
  sql
    .updateTable('bases')
    .set(({ selectFrom }) => ({
      until: selectFrom('commits')
        .select(({ fn }) => fn.max('commits.revision').as('last'))
        .where('commits.document_id', '=', p.id)
        .where('commits.name', 'is not', null)
        .whereRef('commits.revision', '>', 'bases.revision')
        .where(({ eb, ref }) => eb(ref('commits.revision'), '<=', lastReadableRevision(p.id))),
    }))
    .where('bases.document_id', '=', p.id)
    .where(({ eb }) => eb(lastReadableRevision(p.id), '<', p.oldest))
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('commits')
          .select('commits.revision')
          .where('commits.document_id', '=', p.id)
          .where('commits.name', 'is not', null)
          .whereRef('commits.revision', '>', 'bases.revision')
          .where(({ eb, ref }) => eb(ref('commits.revision'), '<=', lastReadableRevision(p.id))),
      ),
    ),
);

/** Deletes retained checkpoints without retained revisions, and incomplete ones. */
export const deleteOldRetainedCheckpoints = prepareStatement((p: { id: string; oldest: number }) =>
  sql
    .deleteFrom('bases')
    .where('bases.document_id', '=', p.id)
    .where(({ eb, or, and, not, exists, selectFrom }) =>
      or([
        and([
          eb('bases.complete', '=', 0),
          eb(
            'bases.revision',
            '<',
            selectFrom('checkpoints').select('checkpoints.revision').where('checkpoints.document_id', '=', p.id),
          ),
        ]),
        and([
          eb(lastReadableRevision(p.id), '<', p.oldest),
          not(
            exists(
              selectFrom('commits')
                .select('commits.revision')
                .where('commits.document_id', '=', p.id)
                .where('commits.name', 'is not', null)
                .whereRef('commits.revision', '>', 'bases.revision')
                .where((inner) => inner(inner.ref('commits.revision'), '<=', lastReadableRevision(p.id))),
            ),
          ),
        ]),
      ]),
    ),
);

/** Deletes chunks whose retained checkpoint was deleted. */
export const deleteOldRetainedChunks = prepareStatement((p: { id: string; limit: number }) =>
  sql
    .deleteFrom('base_chunks')
    .where('document_id', '=', p.id)
    .where((eb) =>
      eb(
        eb.refTuple('base_revision', 'sheet_id', 'column_index', 'block'),
        'in',
        eb
          .selectFrom('base_chunks')
          .select(['base_revision', 'sheet_id', 'column_index', 'block'])
          .where('document_id', '=', p.id)
          .where('base_revision', 'not in', (inner) =>
            inner.selectFrom('bases').select('bases.revision').where('bases.document_id', '=', p.id),
          )
          .limit(p.limit)
          .$asTuple('base_revision', 'sheet_id', 'column_index', 'block'),
      ),
    ),
);
