import type { Insertable, UpdateQueryBuilder, UpdateResult } from 'kysely';
import { REVISION_CONFLICT } from '../database/conflicts.ts';
import { prepare, prepareCommitPart, prepareStatement, type Statement, statement } from '../database/database.ts';
import { sql } from '../database/dialect.ts';
import type { DocumentsTable, Schema } from '../database/schema.ts';

type DocumentsTableRow = Readonly<DocumentsTable>;

/** Conflict: the document is not there any more. */
export const DOCUMENT_GONE = 'documentGone';

export const documentById = prepare((p: { id: string }) =>
  sql
    .selectFrom('documents')
    .select([
      'id',
      'owner_id',
      'title',
      'type',
      'format',
      'locale',
      'date_system',
      'time_zone',
      'revision',
      'head',
      'calculated_at',
      'created_at',
      'updated_at',
      'committed_at',
      'audited',
      'input_locale',
    ])
    .where('id', '=', p.id),
);

/** What a user owns, the last changed first. */
export const documentsOwnedBy = prepare((p: { owner_id: number }) =>
  sql
    .selectFrom('documents')
    .select(['id', 'title', 'type', 'format', 'locale', 'created_at', 'updated_at'])
    .where('owner_id', '=', p.owner_id)
    .orderBy('updated_at', 'desc')
    .orderBy('id'),
);

/** Documents in the order of their ids, from after one on. */
export const documentIdsAfter = prepare((p: { after: string; limit: number }) =>
  sql.selectFrom('documents').select('id').where('id', '>', p.after).orderBy('id').limit(p.limit),
);

/** What a reader compares with its copy: the newest revision and the commit that made it. */
export const documentHead = prepare((p: { id: string }) =>
  sql.selectFrom('documents').select(['revision', 'head', 'calculated_at', 'committed_at']).where('id', '=', p.id),
);

export function insertDocument(row: Insertable<DocumentsTable>): Statement {
  return statement(sql.insertInto('documents').values(row));
}

type CommitAdvance = {
  id: string;
  revision: number;
  head: string;
  calculatedAt: number;
  committedAt: number;
  nextRevision: number;
  nextHead: string;
  /** The access epoch of the rights that formulas were calculated with. */
  epoch: number;
  /** Entries of the audit log in the same unit, which get the document's next numbers, and those that the API lists. */
  audited: number;
  apiAudited: number;
};

/**
 * Moves a document from one commit to the next; what makes two writers unable to write the same revision, and a
 * calculation unable to show what somebody's rights, which have ended since, had let it read.
 */
export const advanceDocument = prepareMove((p) =>
  sql.updateTable('documents').set((eb) => ({
    revision: p.nextRevision,
    head: p.nextHead,
    calculated_at: p.calculatedAt,
    committed_at: p.committedAt,
    updated_at: p.committedAt,
    audited: eb('audited', '+', p.audited),
    api_audited: eb('api_audited', '+', p.apiAudited),
  })),
);

/** As above for a recalculation: the document has not been changed by anyone, so `updated_at` stays. */
export const recalculateDocument = prepareMove((p) =>
  sql.updateTable('documents').set((eb) => ({
    revision: p.nextRevision,
    head: p.nextHead,
    calculated_at: p.calculatedAt,
    committed_at: p.committedAt,
    audited: eb('audited', '+', p.audited),
    api_audited: eb('api_audited', '+', p.apiAudited),
  })),
);

/** The statement and part of a commit that move a document which is at `revision` and `head`, by unchanged rights. */
function prepareMove(update: (p: CommitAdvance) => DocumentUpdate): (values: CommitAdvance) => Statement {
  const move = (p: CommitAdvance) =>
    update(p)
      .where('id', '=', p.id)
      .where('revision', '=', p.revision)
      .where('head', '=', p.head)
      .where((eb) => eb.exists(eb.selectFrom('access_epoch').select('id').where('version', '=', p.epoch)));
  const moved = (p: CommitAdvance) => move(p).returning(['id', 'audited', 'api_audited']);
  return prepareCommitPart('move', move, moved, { rows: 1, conflict: REVISION_CONFLICT });
}

type DocumentUpdate = UpdateQueryBuilder<Schema, 'documents', 'documents', UpdateResult>;

/** Holds while a document is at a commit. Conflict as of one who would write on top of it. */
export const documentUnchanged = prepareStatement(
  (p: { id: string; revision: number; head: string }) =>
    sql
      .selectFrom('documents')
      .select('id')
      .where('id', '=', p.id)
      .where('revision', '=', p.revision)
      .where('head', '=', p.head),
  { rows: 1, conflict: REVISION_CONFLICT },
);

export const setDocumentFormat = prepareStatement(
  (p: { id: string; format: DocumentsTableRow['format'] }) =>
    sql.updateTable('documents').set({ format: p.format }).where('id', '=', p.id),
  { rows: 1, conflict: DOCUMENT_GONE },
);

export const renameDocument = prepareStatement(
  (p: { id: string; title: string; at: number }) =>
    sql.updateTable('documents').set({ title: p.title, updated_at: p.at }).where('id', '=', p.id),
  { rows: 1, conflict: DOCUMENT_GONE },
);

/** Gives a document to another owner; nothing where it has another one already. */
export const setOwner = prepareStatement((p: { id: string; from: number; to: number }) =>
  sql.updateTable('documents').set({ owner_id: p.to }).where('id', '=', p.id).where('owner_id', '=', p.from),
);
