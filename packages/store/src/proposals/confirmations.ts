import { prepare, prepareStatement } from '../database/database.ts';
import { sql } from '../database/dialect.ts';

/** Conflict: what a signed value confirms has been confirmed with it already. */
export const CONFIRMATION_TAKEN = 'confirmation taken';

/** Uses a confirmation up; belongs in the unit of what it confirms. */
export const useConfirmation = prepareStatement(
  (p: { document_id: string; id: string; expires_at: number }) =>
    sql
      .insertInto('used_confirmations')
      .values({ document_id: p.document_id, id: p.id, expires_at: p.expires_at })
      .onConflict((conflict) => conflict.columns(['document_id', 'id']).doNothing()),
  { rows: 1, conflict: CONFIRMATION_TAKEN },
);

/** Documents that have confirmations which expired. */
export const documentsWithOldConfirmations = prepare((p: { before: number; limit: number }) =>
  sql
    .selectFrom('used_confirmations')
    .select('document_id')
    .distinct()
    .where('expires_at', '<', p.before)
    .limit(p.limit),
);

/** Forgets confirmations of a document that have expired. */
export const deleteOldConfirmations = prepareStatement((p: { document_id: string; before: number }) =>
  sql.deleteFrom('used_confirmations').where('document_id', '=', p.document_id).where('expires_at', '<', p.before),
);
