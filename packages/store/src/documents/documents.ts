import type { Insertable, UpdateQueryBuilder, UpdateResult } from 'kysely';
import { REVISION_CONFLICT } from '../database/conflicts.ts';
import {
  compileStatement,
  prepareCommitPart,
  prepareQuery,
  prepareStatement,
  type Statement,
} from '../database/database.ts';
import { sql } from '../database/dialect.ts';
import type { DocumentsTable } from '../database/document-tables.ts';
import type { Schema } from '../database/schema.ts';

type DocumentsTableRow = Readonly<DocumentsTable>;

/** Conflict: the document no longer exists. */
export const DOCUMENT_GONE = 'documentGone';

export const documentById = prepareQuery((p: { id: string }) =>
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

/** Documents of an owner, last changed first. */
export const documentsOwnedBy = prepareQuery((p: { owner_id: number }) =>
  sql
    .selectFrom('documents')
    .select(['id', 'title', 'type', 'format', 'locale', 'created_at', 'updated_at'])
    .where('owner_id', '=', p.owner_id)
    .orderBy('updated_at', 'desc')
    .orderBy('id'),
);

/** Documents after an id, ordered by id. */
export const documentIdsAfter = prepareQuery((p: { after: string; limit: number }) =>
  sql.selectFrom('documents').select('id').where('id', '>', p.after).orderBy('id').limit(p.limit),
);

/** The newest revision and the id of its commit (`head`). Readers compare them with their copy. */
export const documentHead = prepareQuery((p: { id: string }) =>
  sql.selectFrom('documents').select(['revision', 'head', 'calculated_at', 'committed_at']).where('id', '=', p.id),
);

export function insertDocument(row: Insertable<DocumentsTable>): Statement {
  return compileStatement(sql.insertInto('documents').values(row));
}

type CommitAdvance = {
  id: string;
  revision: number;
  head: string;
  calculatedAt: number;
  committedAt: number;
  nextRevision: number;
  nextHead: string;
  /** Access epoch of the rights that the formulas were calculated with. */
  epoch: number;
  /**
   * Numbers of audit entries in the same unit: of all, which get the document's next numbers, and of entries that the
   * API lists.
   */
  audited: number;
  apiAudited: number;
};

/**
 * Advances a document from one commit to the next. The conditions prevent two writers from writing the same revision.
 * They also prevent storing values that were calculated with rights that have since ended.
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

/**
 * Advances a document as `advanceDocument` does, for a recalculation. `updated_at` does not change, because no user has
 * changed the document.
 */
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

/**
 * Prepares the statement that advances a document from `revision` and `head` if access rights have not changed. It can
 * also be a part of a combined commit.
 */
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

/** Precondition: the document is at a commit. The conflict is the same as that of a concurrent write. */
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

/** Changes a document's owner from `from` to `to`. Changes nothing if `from` is not the owner. */
export const setOwner = prepareStatement((p: { id: string; from: number; to: number }) =>
  sql.updateTable('documents').set({ owner_id: p.to }).where('id', '=', p.id).where('owner_id', '=', p.from),
);
