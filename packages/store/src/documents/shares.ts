import { withSealing, withUnsealing } from '../database/checksum.ts';
import { prepareQuery, prepareStatement } from '../database/database.ts';
import { sql } from '../database/dialect.ts';
import { ANYONE, type SharesTable } from '../database/document-tables.ts';
import { openProposalCount } from '../proposals/proposals.ts';

/** The columns of a document that determine who has access. */
export const accessDocument = withUnsealing(
  'documents',
  prepareQuery((p: { id: string }) =>
    sql
      .selectFrom('documents')
      .select(['owner_id', 'owner_sum', 'type', 'format', 'format_sum', 'input_locale'])
      .where('id', '=', p.id),
  ),
);

/** A user's own share of a document, and the share with everyone. */
export const sharesFor = withUnsealing(
  'shares',
  prepareQuery((p: { document_id: string; user_id: number }) =>
    sql
      .selectFrom('shares')
      .select(['user_id', 'role', 'row_sum'])
      .where('document_id', '=', p.document_id)
      .where('user_id', 'in', [p.user_id, ANYONE]),
  ),
);

/** The role of everyone in a document. */
export const shareOfAnyone = prepareQuery((p: { document_id: string }) =>
  sql.selectFrom('shares').select('role').where('document_id', '=', p.document_id).where('user_id', '=', ANYONE),
);

/** The users with whom a document is shared. */
export const sharedWith = prepareQuery((p: { document_id: string }) =>
  sql.selectFrom('shares').select('user_id').where('document_id', '=', p.document_id).orderBy('user_id'),
);

/** Columns of a document in lists. */
export const LISTED_DOCUMENT_COLUMNS = [
  'documents.id',
  'documents.title',
  'documents.type',
  'documents.revision',
  'documents.head',
  'documents.created_at',
  'documents.updated_at',
  'documents.date_system',
] as const;

/** Returns a row if the user owns the document, or if it is shared with the user or with everyone. */
export const isAccessibleTo = prepareQuery((p: { document_id: string; user_id: number }) =>
  sql
    .selectFrom('documents')
    .select('documents.id')
    .where('documents.id', '=', p.document_id)
    .where(({ eb, or, exists, selectFrom }) =>
      or([
        eb('documents.owner_id', '=', p.user_id),
        exists(
          selectFrom('shares')
            .select('shares.role')
            .where('shares.document_id', '=', p.document_id)
            .where('shares.user_id', 'in', [p.user_id, ANYONE]),
        ),
      ]),
    ),
);

/** One document with the columns of lists. */
export const listedDocument = withUnsealing(
  'documents',
  prepareQuery((p: { id: string; now: number }) =>
    sql
      .selectFrom('documents')
      .select(LISTED_DOCUMENT_COLUMNS)
      .select(['documents.locale', 'documents.time_zone', 'documents.input_locale', 'documents.facts_sum'])
      .select(['documents.title_sum', 'documents.updated_sum'])
      .select(openProposalCount('documents.id', p.now).as('open_proposals'))
      .where('documents.id', '=', p.id),
  ),
);

export const setShare = withSealing(
  'shares',
  prepareStatement((p: { document_id: string; user_id: number; role: SharesTable['role']; row_sum: number | null }) =>
    sql
      .insertInto('shares')
      .values({ document_id: p.document_id, user_id: p.user_id, role: p.role, row_sum: p.row_sum })
      .onConflict((conflict) =>
        conflict
          .columns(['document_id', 'user_id'])
          .doUpdateSet((eb) => ({ role: eb.ref('excluded.role'), row_sum: eb.ref('excluded.row_sum') })),
      ),
  ),
  (row) => row,
  { row_sum: 'row_sum' },
);

export const deleteShare = prepareStatement((p: { document_id: string; user_id: number }) =>
  sql.deleteFrom('shares').where('document_id', '=', p.document_id).where('user_id', '=', p.user_id),
);

/** The users with whom a document is shared, ordered by name. */
export const sharesOfDocument = prepareQuery((p: { document_id: string }) =>
  sql
    .selectFrom('shares')
    .innerJoin('users', 'users.id', 'shares.user_id')
    .select(['shares.user_id', 'shares.role', 'users.name', 'users.email'])
    .where('shares.document_id', '=', p.document_id)
    .orderBy('users.name')
    .orderBy('shares.user_id'),
);
