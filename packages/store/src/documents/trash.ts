import { addToSum } from '../database/added-sum.ts';
import { withSealing } from '../database/checksum.ts';
import { compileQuery, prepareQuery, prepareStatement, type Statement } from '../database/database.ts';
import { sql } from '../database/dialect.ts';
import type { TrashTable } from '../database/document-tables.ts';
import { ACTIVE_COLUMNS, activateFrom, toInactiveColumns } from '../webhooks/subscriptions.ts';
import { DOCUMENT_GONE } from './documents.ts';
import { deleteDocumentRow, recordRemoval, removeDocument } from './unfinished.ts';

/** Conflict: the document is no longer in the trash. */
const NOT_IN_TRASH = 'notInTrash';

type TrashColumn = Exclude<keyof TrashTable, 'document_id' | 'deleted_at'>;

/**
 * The columns that the trash stores. If a column is added to `documents`, this object does not compile until the trash
 * stores the column.
 */
const TRASH_COLUMN_SET: Readonly<Record<TrashColumn, true>> = {
  owner_id: true,
  title: true,
  type: true,
  format: true,
  locale: true,
  date_system: true,
  time_zone: true,
  revision: true,
  head: true,
  calculated_at: true,
  created_at: true,
  updated_at: true,
  committed_at: true,
  audited: true,
  api_audited: true,
  input_locale: true,
  facts_sum: true,
  title_sum: true,
  owner_sum: true,
  format_sum: true,
  times_sum: true,
  updated_sum: true,
};
const TRASH_COLUMNS = Object.keys(TRASH_COLUMN_SET) as readonly TrashColumn[];

const insertTrashedDocument = prepareStatement((p: { id: string; now: number }) =>
  sql
    .insertInto('trash')
    .columns(['document_id', 'deleted_at', ...TRASH_COLUMNS])
    .expression((eb) =>
      eb
        .selectFrom('documents')
        .select(({ ref, val, cast }) => [
          ref('id').as('document_id'),
          cast<number>(val(p.now), 'bigint').as('deleted_at'),
        ])
        .select(TRASH_COLUMNS)
        .where('id', '=', p.id),
    ),
);

/** Pauses the subscriptions of a document in the trash. Waiting deliveries are cancelled when they become due. */
const pauseWebhooks = withSealing(
  'webhooks',
  prepareStatement((p: { id: string; active_sum: number | null }) =>
    sql
      .updateTable('webhooks')
      .set({ active: 0, inactive_reason: 'deleted', active_sum: addToSum(p.active_sum, 'since_revision') })
      .where('document_id', '=', p.id)
      .where('active', '=', 1),
  ),
  () => toInactiveColumns('deleted'),
  { active_sum: 'active_sum' },
);

/** Moves a document to the trash. Conflict `DOCUMENT_GONE`: the document does not exist. */
export function trashDocument(id: string, now: number): readonly Statement[] {
  return [
    recordRemoval({ id, now }),
    insertTrashedDocument({ id, now }),
    deleteDocumentRow({ id }),
    pauseWebhooks({ id }),
  ];
}

/** Locks the row. If two units remove a document from the trash, the second one gets the conflict. */
const lockTrashedDocument = prepareStatement(
  (p: { id: string }) =>
    sql
      .updateTable('trash')
      .set(({ ref }) => ({ deleted_at: ref('deleted_at') }))
      .where('document_id', '=', p.id),
  { rows: 1, conflict: NOT_IN_TRASH },
);

const insertDocumentFromTrash = prepareStatement(
  (p: { id: string }) =>
    sql
      .insertInto('documents')
      .columns(['id', ...TRASH_COLUMNS])
      .expression((eb) =>
        eb
          .selectFrom('trash')
          .select(({ ref }) => ref('document_id').as('id'))
          .select(TRASH_COLUMNS)
          .where('document_id', '=', p.id),
      ),
  { rows: 1, conflict: NOT_IN_TRASH },
);

const deleteTrashedDocument = prepareStatement((p: { id: string }) =>
  sql.deleteFrom('trash').where('document_id', '=', p.id),
);

const deleteRemovedRow = prepareStatement((p: { id: string }) =>
  sql.deleteFrom('removed').where('document_id', '=', p.id),
);

/** Activates the subscriptions that the deletion paused. They deliver only later revisions. */
const resumeWebhooks = withSealing(
  'webhooks',
  prepareStatement((p: { id: string; active_sum: number | null }) =>
    sql
      .updateTable('webhooks')
      .set(activateFrom(p.id, p.active_sum))
      .where('document_id', '=', p.id)
      .where('inactive_reason', '=', 'deleted'),
  ),
  () => ACTIVE_COLUMNS,
  { active_sum: 'active_sum' },
);

/** Returns statements that move the row of a document from the trash back to `documents`. */
function takeOutOfTrash(id: string): readonly Statement[] {
  return [
    lockTrashedDocument({ id }),
    insertDocumentFromTrash({ id }),
    deleteTrashedDocument({ id }),
    deleteRemovedRow({ id }),
  ];
}

/** Restores a document from the trash. Conflict `NOT_IN_TRASH`: it is no longer in the trash. */
export function restoreFromTrash(id: string): readonly Statement[] {
  return [...takeOutOfTrash(id), resumeWebhooks({ id })];
}

/**
 * Deletes a document in the trash. `furtherStatements`: further statements of the unit. The document's row exists while they run,
 * so that audit entries get the next numbers. Conflict `NOT_IN_TRASH`: it is no longer in the trash.
 */
export function removeTrashedDocument(
  id: string,
  now: number,
  furtherStatements: readonly Statement[],
): readonly Statement[] {
  return [...takeOutOfTrash(id), ...furtherStatements, ...removeDocument(id, now)];
}

/** True if a conflict means that another unit has moved or deleted the document. */
export function isGoneConflict(conflict: string): boolean {
  return conflict === NOT_IN_TRASH || conflict === DOCUMENT_GONE;
}

/** Documents that were deleted at `until` or before, earliest deletion first. */
export const documentsTrashedUntil = prepareQuery((p: { until: number; limit: number }) =>
  sql.selectFrom('trash').select('document_id').where('deleted_at', '<=', p.until).orderBy('deleted_at').limit(p.limit),
);

const SHOWN_COLUMNS = [
  'document_id',
  'title',
  'type',
  'format',
  'locale',
  'owner_id',
  'revision',
  'created_at',
  'updated_at',
  'deleted_at',
] as const;

/** A document in the trash, unless it was deleted at `until` or before. */
export const trashedDocument = prepareQuery((p: { id: string; until: number }) =>
  sql.selectFrom('trash').select(SHOWN_COLUMNS).where('document_id', '=', p.id).where('deleted_at', '>', p.until),
);

/** A user's documents that were deleted after `until`, last deletion first. */
export const trashedDocumentsOf = prepareQuery((p: { owner_id: number; until: number; limit: number }) =>
  sql
    .selectFrom('trash')
    .select(SHOWN_COLUMNS)
    .where('owner_id', '=', p.owner_id)
    .where('deleted_at', '>', p.until)
    .orderBy('deleted_at', 'desc')
    .orderBy('document_id')
    .limit(p.limit),
);

/** Documents in the trash after an id, by id, of one owner or of all. */
export function trashedDocumentsAfter(p: { after: string; owner: number | null; until: number; limit: number }) {
  return compileQuery(
    sql
      .selectFrom('trash')
      .select(SHOWN_COLUMNS)
      .where('document_id', '>', p.after)
      .where('deleted_at', '>', p.until)
      .$if(p.owner !== null, (query) => query.where('owner_id', '=', Number(p.owner)))
      .orderBy('document_id')
      .limit(p.limit),
  );
}

/** All documents in the trash that a user owns. */
export const trashedIdsOf = prepareQuery((p: { owner_id: number }) =>
  sql.selectFrom('trash').select('document_id').where('owner_id', '=', p.owner_id).orderBy('document_id'),
);

/** Changes the owner of a document in the trash. */
export const setTrashedOwner = withSealing(
  'trash',
  prepareStatement((p: { id: string; from: number; to: number; owner_sum: number | null }) =>
    sql
      .updateTable('trash')
      .set({ owner_id: p.to, owner_sum: p.owner_sum })
      .where('document_id', '=', p.id)
      .where('owner_id', '=', p.from),
  ),
  ({ to }) => ({ owner_id: to }),
  { owner_sum: 'owner_sum' },
);
