import { withUnsealing } from '../database/checksum.ts';
import { prepareQuery, prepareStatement } from '../database/database.ts';
import { sql } from '../database/dialect.ts';
import { CHECKPOINT_CONFLICT } from './checkpoints.ts';

/**
 * Retained checkpoints (tables `bases` and `base_chunks`): copies of checkpoints that were replaced by later ones. A
 * retained checkpoint and the commits after it give every revision up to the next retained checkpoint. It is copied in
 * several units, and is used after it is complete.
 */

/** Size of the log after the newest retained checkpoint, and size of the current checkpoint. */
export const logSinceRetainedCheckpoint = prepareQuery((p: { id: string; revision: number }) =>
  sql
    .selectFrom('commits')
    .select(({ fn }) => [
      fn.countAll<number>().as('commits'),
      fn.sum<number | null>(fn<number>('octet_length', ['delta'])).as('bytes'),
    ])
    .where('document_id', '=', p.id)
    .where('revision', '<=', p.revision)
    .where('revision', '>', (eb) =>
      eb
        .selectFrom('bases')
        .select(({ fn, lit }) => fn.coalesce(fn.max('revision'), lit(-1)).as('newest'))
        .where('document_id', '=', p.id)
        .where('complete', '=', 1),
    ),
);

export const newestRetainedCheckpoint = prepareQuery((p: { id: string; at: number }) =>
  sql
    .selectFrom('bases')
    .select('revision')
    .where('document_id', '=', p.id)
    .where('complete', '=', 1)
    .where('revision', '<=', p.at)
    .orderBy('revision', 'desc')
    .limit(1),
);

/** Precondition: the current checkpoint still has the given revision. */
export const checkpointUnchanged = prepareStatement(
  (p: { id: string; revision: number }) =>
    sql.selectFrom('checkpoints').select('revision').where('document_id', '=', p.id).where('revision', '=', p.revision),
  { rows: 1, conflict: CHECKPOINT_CONFLICT },
);

export const beginRetainedCheckpoint = prepareStatement((p: { id: string; revision: number }) =>
  sql
    .insertInto('bases')
    .columns(['document_id', 'revision', 'complete', 'meta'])
    .expression((eb) =>
      eb
        .selectFrom('checkpoints')
        .select(({ ref, lit }) => [
          ref('checkpoints.document_id').as('document_id'),
          ref('checkpoints.revision').as('revision'),
          lit(0).as('complete'),
          ref('checkpoints.meta').as('meta'),
        ])
        .where('checkpoints.document_id', '=', p.id)
        .where('checkpoints.revision', '=', p.revision),
    )
    .onConflict((conflict) => conflict.columns(['document_id', 'revision']).doNothing()),
);

/** Copies up to `limit` more chunks of the checkpoint. */
export const copyChunksToRetained = prepareStatement((p: { id: string; revision: number; limit: number }) =>
  sql
    .insertInto('base_chunks')
    .columns(['document_id', 'base_revision', 'sheet_id', 'column_index', 'block', 'bytes'])
    .expression((eb) =>
      eb
        .selectFrom('chunks')
        .select(({ ref, cast, val }) => [
          ref('chunks.document_id').as('document_id'),
          cast<number>(val(p.revision), 'integer').as('base_revision'),
          ref('chunks.sheet_id').as('sheet_id'),
          ref('chunks.column_index').as('column_index'),
          ref('chunks.block').as('block'),
          ref('chunks.bytes').as('bytes'),
        ])
        .where('chunks.document_id', '=', p.id)
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('base_chunks as held')
                .select('held.block')
                .where('held.document_id', '=', p.id)
                .where('held.base_revision', '=', p.revision)
                .whereRef('held.sheet_id', '=', 'chunks.sheet_id')
                .whereRef('held.column_index', '=', 'chunks.column_index')
                .whereRef('held.block', '=', 'chunks.block'),
            ),
          ),
        )
        .limit(p.limit),
    ),
);

export const completeRetainedCheckpoint = prepareStatement((p: { id: string; revision: number }) =>
  sql.updateTable('bases').set({ complete: 1 }).where('document_id', '=', p.id).where('revision', '=', p.revision),
);

/** Ends earlier retained checkpoints at the revision at which a new one begins. */
export const endRetainedCheckpoints = prepareStatement((p: { id: string; revision: number }) =>
  sql
    .updateTable('bases')
    .set({ until: p.revision })
    .where('document_id', '=', p.id)
    .where('revision', '<', p.revision)
    .where('until', 'is', null),
);

export const retainedCheckpoint = withUnsealing(
  'bases',
  prepareQuery((p: { id: string; revision: number }) =>
    sql.selectFrom('bases').select('meta').where('document_id', '=', p.id).where('revision', '=', p.revision),
  ),
  ({ revision }) => ({ revision }),
);

export const retainedChunks = withUnsealing(
  'base_chunks',
  prepareQuery((p: { id: string; revision: number }) =>
    sql
      .selectFrom('base_chunks')
      .select(['sheet_id', 'column_index', 'block', 'bytes'])
      .where('document_id', '=', p.id)
      .where('base_revision', '=', p.revision)
      .orderBy('sheet_id')
      .orderBy('column_index')
      .orderBy('block'),
  ),
  ({ revision }) => ({ base_revision: revision }),
);

/** Sizes of up to `limit` chunks, without reading the chunks. */
export const retainedChunkSizes = prepareQuery((p: { id: string; revision: number; limit: number }) =>
  sql
    .selectFrom('base_chunks')
    .select(({ fn }) => fn<number>('octet_length', ['bytes']).as('bytes'))
    .where('document_id', '=', p.id)
    .where('base_revision', '=', p.revision)
    .limit(p.limit),
);

/** The commits after a revision up to a later one, oldest first. */
export const deltasBetween = withUnsealing(
  'commits',
  prepareQuery((p: { id: string; after: number; to: number }) =>
    sql
      .selectFrom('commits')
      .select(['revision', 'delta'])
      .where('document_id', '=', p.id)
      .where('revision', '>', p.after)
      .where('revision', '<=', p.to)
      .orderBy('revision'),
  ),
);

/** Size of the commits after a revision up to a later one, in bytes, without reading them. */
export const logBetweenSize = prepareQuery((p: { id: string; after: number; to: number }) =>
  sql
    .selectFrom('commits')
    .select(({ fn }) => [
      fn.sum<number | null>(fn<number>('octet_length', ['delta'])).as('deltas'),
      fn.sum<number | null>(fn<number>('octet_length', ['inverse'])).as('inverses'),
    ])
    .where('document_id', '=', p.id)
    .where('revision', '>', p.after)
    .where('revision', '<=', p.to),
);

export const deltasBetweenSize = prepareQuery((p: { id: string; after: number; to: number }) =>
  sql
    .selectFrom('commits')
    .select(({ fn }) => fn.sum<number | null>(fn<number>('octet_length', ['delta'])).as('bytes'))
    .where('document_id', '=', p.id)
    .where('revision', '>', p.after)
    .where('revision', '<=', p.to),
);
