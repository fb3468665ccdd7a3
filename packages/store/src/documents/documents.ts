import type { Insertable, UpdateQueryBuilder, UpdateResult } from 'kysely';
import { type StoredColumns, withSealing, withUnsealing } from '../database/checksum.ts';
import { REVISION_CONFLICT } from '../database/conflicts.ts';
import {
  compileStatement,
  prepareCommitPart,
  prepareQuery,
  prepareStatement,
  type Statement,
} from '../database/database.ts';
import { sql } from '../database/dialect.ts';
import type { DocumentSum, DocumentsTable } from '../database/document-tables.ts';
import { sumRow } from '../database/row-sums.ts';
import type { Schema } from '../database/schema.ts';

type DocumentsTableRow = Readonly<DocumentsTable>;

/** Conflict: the document no longer exists. */
export const DOCUMENT_GONE = 'documentGone';

const DOCUMENT_SUMS = ['facts_sum', 'title_sum', 'owner_sum', 'format_sum', 'times_sum', 'updated_sum'] as const;

export const documentById = withUnsealing(
  'documents',
  prepareQuery((p: { id: string }) =>
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
        ...DOCUMENT_SUMS,
      ])
      .where('id', '=', p.id),
  ),
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

export function insertDocument(row: NewDocumentRow): Statement {
  return compileStatement(sql.insertInto('documents').values({ ...row, ...sumRow('documents', row) }));
}

type NewDocumentRow = Omit<Insertable<DocumentsTable>, DocumentSum> & StoredColumns;

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
  times_sum: number | null;
  updated_sum: number | null;
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
    times_sum: p.times_sum,
    updated_at: p.committedAt,
    updated_sum: p.updated_sum,
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
    times_sum: p.times_sum,
    audited: eb('audited', '+', p.audited),
    api_audited: eb('api_audited', '+', p.apiAudited),
  })),
);

/**
 * Prepares the statement that advances a document from `revision` and `head` if access rights have not changed. It can
 * also be a part of a combined commit.
 */
function prepareMove(update: (p: CommitAdvance) => DocumentUpdate) {
  const move = (p: CommitAdvance) =>
    update(p)
      .where('id', '=', p.id)
      .where('revision', '=', p.revision)
      .where('head', '=', p.head)
      .where((eb) => eb.exists(eb.selectFrom('access_epoch').select('id').where('version', '=', p.epoch)));
  const moved = (p: CommitAdvance) => move(p).returning(['id', 'audited', 'api_audited']);
  return withSealing(
    'documents',
    prepareCommitPart('move', move, moved, { rows: 1, conflict: REVISION_CONFLICT }),
    ({ calculatedAt, committedAt }) => ({
      calculated_at: calculatedAt,
      committed_at: committedAt,
      updated_at: committedAt,
    }),
    { times_sum: 'times_sum', updated_sum: 'updated_sum' },
  );
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

export const setDocumentFormat = withSealing(
  'documents',
  prepareStatement(
    (p: { id: string; format: DocumentsTableRow['format']; format_sum: number | null }) =>
      sql.updateTable('documents').set({ format: p.format, format_sum: p.format_sum }).where('id', '=', p.id),
    { rows: 1, conflict: DOCUMENT_GONE },
  ),
  ({ format }) => ({ format }),
  { format_sum: 'format_sum' },
);

export const renameDocument = withSealing(
  'documents',
  prepareStatement(
    (p: { id: string; title: string; title_sum: number | null; at: number; updated_sum: number | null }) =>
      sql
        .updateTable('documents')
        .set({ title: p.title, title_sum: p.title_sum, updated_at: p.at, updated_sum: p.updated_sum })
        .where('id', '=', p.id),
    { rows: 1, conflict: DOCUMENT_GONE },
  ),
  ({ title, at }) => ({ title, updated_at: at }),
  { title_sum: 'title_sum', updated_sum: 'updated_sum' },
);

/** Changes a document's owner from `from` to `to`. Changes nothing if `from` is not the owner. */
export const setOwner = withSealing(
  'documents',
  prepareStatement((p: { id: string; from: number; to: number; owner_sum: number | null }) =>
    sql
      .updateTable('documents')
      .set({ owner_id: p.to, owner_sum: p.owner_sum })
      .where('id', '=', p.id)
      .where('owner_id', '=', p.from),
  ),
  ({ to }) => ({ owner_id: to }),
  { owner_sum: 'owner_sum' },
);
