import { prepareQuery, prepareStatement } from '../database/database.ts';
import { sql } from '../database/dialect.ts';

/** Conflict: the signed confirmation was used before. */
export const CONFIRMATION_TAKEN = 'confirmation taken';

/** Marks a confirmation as used. The unit of the confirmed operation must contain this statement. */
export const useConfirmation = prepareStatement(
  (p: { document_id: string; id: string; expires_at: number }) =>
    sql
      .insertInto('used_confirmations')
      .values({ document_id: p.document_id, id: p.id, expires_at: p.expires_at })
      .onConflict((conflict) => conflict.columns(['document_id', 'id']).doNothing()),
  { rows: 1, conflict: CONFIRMATION_TAKEN },
);

/**
 * Documents with expired confirmations, earliest first; one row for each confirmation. The order makes both databases
 * use the index on `expires_at`.
 */
export const documentsWithOldConfirmations = prepareQuery((p: { before: number; limit: number }) =>
  sql
    .selectFrom('used_confirmations')
    .select('document_id')
    .where('expires_at', '<', p.before)
    .orderBy('expires_at')
    .limit(p.limit),
);

/** Deletes a document's expired confirmations. */
export const deleteOldConfirmations = prepareStatement((p: { document_id: string; before: number }) =>
  sql.deleteFrom('used_confirmations').where('document_id', '=', p.document_id).where('expires_at', '<', p.before),
);
