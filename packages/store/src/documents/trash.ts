import { prepare, prepareStatement, query, type Statement } from '../database/database.ts';
import { sql } from '../database/dialect.ts';
import type { TrashTable } from '../database/schema.ts';
import { DOCUMENT_GONE } from './documents.ts';
import { deleteDocumentRow, recordRemoval, removeDocument } from './unfinished.ts';

/** Conflict: the document is not in the bin any more. */
export const NOT_IN_TRASH = 'notInTrash';

type TrashColumn = Exclude<keyof TrashTable, 'document_id' | 'deleted_at'>;

/** A new column of `documents` fails to compile here until the bin keeps it, too. */
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
};
export const TRASH_COLUMNS = Object.keys(TRASH_COLUMN_SET) as readonly TrashColumn[];

const insertTrashed = prepareStatement((p: { id: string; now: number }) =>
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

/** Subscriptions are silent while the document is in the bin. What waits for them is cancelled when it is due. */
const pauseWebhooks = prepareStatement((p: { id: string }) =>
  sql
    .updateTable('webhooks')
    .set({ active: 0, inactive_reason: 'deleted' })
    .where('document_id', '=', p.id)
    .where('active', '=', 1),
);

/** Moves a document into the bin. Conflict `DOCUMENT_GONE`: there is none. */
export function trashDocument(id: string, now: number): readonly Statement[] {
  return [recordRemoval({ id, now }), insertTrashed({ id, now }), deleteDocumentRow({ id }), pauseWebhooks({ id })];
}

/** Locks the row, so that of two units that take a document out of the bin the second one finds it gone. */
const lockTrashed = prepareStatement(
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

const deleteTrashed = prepareStatement((p: { id: string }) => sql.deleteFrom('trash').where('document_id', '=', p.id));

const deleteRemoved = prepareStatement((p: { id: string }) =>
  sql.deleteFrom('removed').where('document_id', '=', p.id),
);

/** Activates the subscriptions that the deletion paused. They deliver later revisions only. */
const resumeWebhooks = prepareStatement((p: { id: string }) =>
  sql
    .updateTable('webhooks')
    .set({
      active: 1,
      inactive_reason: null,
      since_revision: (eb) => eb.selectFrom('documents').select('documents.revision').where('documents.id', '=', p.id),
    })
    .where('document_id', '=', p.id)
    .where('inactive_reason', '=', 'deleted'),
);

function takeOutOfTrash(id: string): readonly Statement[] {
  return [lockTrashed({ id }), insertDocumentFromTrash({ id }), deleteTrashed({ id }), deleteRemoved({ id })];
}

/** Makes a document of the bin what it was. Conflict `NOT_IN_TRASH`: it is not there any more. */
export function restoreTrashed(id: string): readonly Statement[] {
  return [...takeOutOfTrash(id), resumeWebhooks({ id })];
}

/**
 * Ends the existence of a document in the bin. `noted`: what else belongs in the unit; the document's row is there for
 * it, so that entries of the audit log get the next numbers. Conflict `NOT_IN_TRASH`: it is not there any more.
 */
export function removeTrashed(id: string, now: number, noted: readonly Statement[]): readonly Statement[] {
  return [...takeOutOfTrash(id), ...noted, ...removeDocument(id, now)];
}

/** Whether a conflict means that another unit moved or deleted the document first. */
export function isGoneConflict(conflict: string): boolean {
  return conflict === NOT_IN_TRASH || conflict === DOCUMENT_GONE;
}

/** Documents that were deleted at `until` or before, the first deleted first. */
export const trashedUntil = prepare((p: { until: number; limit: number }) =>
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

/** A document of the bin, unless it was deleted at `until` or before. */
export const trashedDocument = prepare((p: { id: string; until: number }) =>
  sql.selectFrom('trash').select(SHOWN_COLUMNS).where('document_id', '=', p.id).where('deleted_at', '>', p.until),
);

/** What a user has deleted after `until`, the last deleted first. */
export const trashedOf = prepare((p: { owner_id: number; until: number; limit: number }) =>
  sql
    .selectFrom('trash')
    .select(SHOWN_COLUMNS)
    .where('owner_id', '=', p.owner_id)
    .where('deleted_at', '>', p.until)
    .orderBy('deleted_at', 'desc')
    .orderBy('document_id')
    .limit(p.limit),
);

/** Documents of the bin after an id, by id, of one owner or of all. */
export function trashedAfter(p: { after: string; owner: number | null; until: number; limit: number }) {
  return query(
    sql
      .selectFrom('trash')
      .select(SHOWN_COLUMNS)
      .where('document_id', '>', p.after)
      .where('deleted_at', '>', p.until)
      .$if(p.owner !== null, (of) => of.where('owner_id', '=', Number(p.owner)))
      .orderBy('document_id')
      .limit(p.limit),
  );
}

/** Everything in the bin that a user owns. */
export const trashedIdsOf = prepare((p: { owner_id: number }) =>
  sql.selectFrom('trash').select('document_id').where('owner_id', '=', p.owner_id).orderBy('document_id'),
);

/** Gives a document of the bin to another owner. */
export const setTrashedOwner = prepareStatement((p: { id: string; from: number; to: number }) =>
  sql.updateTable('trash').set({ owner_id: p.to }).where('document_id', '=', p.id).where('owner_id', '=', p.from),
);
