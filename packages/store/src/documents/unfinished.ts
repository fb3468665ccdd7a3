import { prepareQuery, prepareStatement, type Statement } from '../database/database.ts';
import { sql } from '../database/dialect.ts';
import { deleteProposals } from '../proposals/proposals.ts';
import { purgeDeliveries, purgeNotifications } from '../webhooks/deliveries.ts';
import { deleteWindows } from '../webhooks/windows.ts';
import { DOCUMENT_GONE } from './documents.ts';
import { purgeFileParts } from './file-parts.ts';
import { deleteRetentionCheck } from './retention-state.ts';

/** Conflict: the creation was considered abandoned, and its rows were removed. */
const CREATION_ABANDONED = 'creationSwept';
/** Conflict: another process is removing the rows, or the creation has continued. */
const SWEEP_CONFLICT = 'sweep';

export const unfinishedDocuments = prepareQuery(() =>
  sql.selectFrom('unfinished').select(['document_id', 'reason', 'touched_at']),
);

/**
 * Registers a creation. The rows of a document are written before the document itself; this row records to which
 * creation they belong.
 */
export const beginCreation = prepareStatement((p: { id: string; now: number }) =>
  sql.insertInto('unfinished').values({ document_id: p.id, reason: 'create', touched_at: p.now }),
);

export const continueCreation = prepareStatement(
  (p: { id: string; now: number }) =>
    sql
      .updateTable('unfinished')
      .set({ touched_at: p.now })
      .where('document_id', '=', p.id)
      .where('reason', '=', 'create'),
  { rows: 1, conflict: CREATION_ABANDONED },
);

export const endCreation = prepareStatement(
  (p: { id: string }) => sql.deleteFrom('unfinished').where('document_id', '=', p.id).where('reason', '=', 'create'),
  { rows: 1, conflict: CREATION_ABANDONED },
);

/** Marks a document whose creation has stopped for removal. Fails if the creation has continued since `touchedAt`. */
export const abandonCreation = prepareStatement(
  (p: { id: string; touchedAt: number }) =>
    sql
      .updateTable('unfinished')
      .set({ reason: 'remove' })
      .where('document_id', '=', p.id)
      .where('reason', '=', 'create')
      .where('touched_at', '=', p.touchedAt),
  { rows: 1, conflict: SWEEP_CONFLICT },
);

const beginRemoval = prepareStatement((p: { id: string; now: number }) =>
  sql.insertInto('unfinished').values({ document_id: p.id, reason: 'remove', touched_at: p.now }),
);

export const endRemoval = prepareStatement((p: { id: string }) =>
  sql.deleteFrom('unfinished').where('document_id', '=', p.id).where('reason', '=', 'remove'),
);

/** Conflict `DOCUMENT_GONE`: the document does not exist. */
export const deleteDocumentRow = prepareStatement(
  (p: { id: string }) => sql.deleteFrom('documents').where('id', '=', p.id),
  {
    rows: 1,
    conflict: DOCUMENT_GONE,
  },
);
/** Stores the data that are needed to find the audit log of a deleted document. */
export const recordRemoval = prepareStatement((p: { id: string; now: number }) =>
  sql
    .insertInto('removed')
    .columns(['document_id', 'title', 'owner_id', 'removed_at'])
    .expression((eb) =>
      eb
        .selectFrom('documents')
        .select(({ ref, val }) => [
          ref('documents.id').as('document_id'),
          ref('documents.title').as('title'),
          ref('documents.owner_id').as('owner_id'),
          val(p.now).as('removed_at'),
        ])
        .where('documents.id', '=', p.id),
    ),
);
const deleteAliases = prepareStatement((p: { id: string }) =>
  sql.deleteFrom('document_aliases').where('target_id', '=', p.id),
);
const deleteShares = prepareStatement((p: { id: string }) => sql.deleteFrom('shares').where('document_id', '=', p.id));
const deleteProtections = prepareStatement((p: { id: string }) =>
  sql.deleteFrom('protections').where('document_id', '=', p.id),
);
const deletePersonalFilters = prepareStatement((p: { id: string }) =>
  sql.deleteFrom('personal_filters').where('document_id', '=', p.id),
);
const deleteWebhooks = prepareStatement((p: { id: string }) =>
  sql.deleteFrom('webhooks').where('document_id', '=', p.id),
);
const deleteCheckpoint = prepareStatement((p: { id: string }) =>
  sql.deleteFrom('checkpoints').where('document_id', '=', p.id),
);

/**
 * Deletes a document. `purgeSteps` later delete its many rows, except the audit log, which has its own retention.
 * Conflict `DOCUMENT_GONE`: the document does not exist.
 */
export function removeDocument(id: string, now: number): readonly Statement[] {
  return [
    recordRemoval({ id, now }),
    deleteDocumentRow({ id }),
    beginRemoval({ id, now }),
    deleteShares({ id }),
    deleteAliases({ id }),
    deleteProtections({ id }),
    deletePersonalFilters({ id }),
    deleteWebhooks({ id }),
    deleteWindows({ id }),
    deleteCheckpoint({ id }),
    deleteRetentionCheck({ id }),
    ...deleteProposals(id),
  ];
}

/** Deletes a document so that a restored state can replace it. */
export function removeReplacedDocument(id: string, now: number): readonly Statement[] {
  return [
    deleteDocumentRow({ id }),
    beginRemoval({ id, now }),
    deleteShares({ id }),
    deleteProtections({ id }),
    deletePersonalFilters({ id }),
    deleteCheckpoint({ id }),
    ...deleteProposals(id),
  ];
}

const purgeChunks = prepareStatement((p: { id: string; limit: number }) =>
  sql
    .deleteFrom('chunks')
    .where('document_id', '=', p.id)
    .where((eb) =>
      eb(
        eb.refTuple('sheet_id', 'column_index', 'block'),
        'in',
        eb
          .selectFrom('chunks')
          .select(['sheet_id', 'column_index', 'block'])
          .where('document_id', '=', p.id)
          .limit(p.limit)
          .$asTuple('sheet_id', 'column_index', 'block'),
      ),
    ),
);
const purgeCommits = prepareStatement((p: { id: string; limit: number }) =>
  sql
    .deleteFrom('commits')
    .where('document_id', '=', p.id)
    .where('revision', 'in', (eb) =>
      eb.selectFrom('commits').select('revision').where('document_id', '=', p.id).limit(p.limit),
    ),
);
const purgeIdempotency = prepareStatement((p: { id: string; limit: number }) =>
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
          .limit(p.limit)
          .$asTuple('user_id', 'method', 'path', 'key'),
      ),
    ),
);

const purgeBaseChunks = prepareStatement((p: { id: string; limit: number }) =>
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
          .limit(p.limit)
          .$asTuple('base_revision', 'sheet_id', 'column_index', 'block'),
      ),
    ),
);
const purgeBases = prepareStatement((p: { id: string; limit: number }) =>
  sql
    .deleteFrom('bases')
    .where('document_id', '=', p.id)
    .where('revision', 'in', (eb) =>
      eb.selectFrom('bases').select('revision').where('document_id', '=', p.id).limit(p.limit),
    ),
);

/** Each step deletes up to `limit` rows of a deleted document. The purge is complete when no step changes a row. */
export const purgeSteps = [
  purgeChunks,
  purgeCommits,
  purgeBaseChunks,
  purgeBases,
  purgeIdempotency,
  purgeDeliveries,
  purgeNotifications,
  purgeFileParts,
  deleteCheckpointStep,
];

/** Deletes the checkpoint, which is a single row, as one of `purgeSteps`. */
function deleteCheckpointStep({ id }: { id: string; limit: number }): Statement {
  return deleteCheckpoint({ id });
}
