import { prepareQuery, prepareStatement } from '../database/database.ts';
import { sql } from '../database/dialect.ts';

export const aliasOf = prepareQuery((p: { alias: string }) =>
  sql.selectFrom('document_aliases').select('target_id').where('alias', '=', p.alias),
);

export const aliasesAfter = prepareQuery((p: { after: string; limit: number }) =>
  sql
    .selectFrom('document_aliases')
    .select(['alias', 'target_id', 'created_at'])
    .where('alias', '>', p.after)
    .orderBy('alias')
    .limit(p.limit),
);

/** Conflict: another document has the alias. */
export const ALIAS_TAKEN = 'alias taken';

export const insertAlias = prepareStatement(
  (p: { alias: string; target_id: string; created_at: number }) =>
    sql
      .insertInto('document_aliases')
      .values({ alias: p.alias, target_id: p.target_id, created_at: p.created_at })
      .onConflict((conflict) => conflict.column('alias').doNothing()),
  { rows: 1, conflict: ALIAS_TAKEN },
);

export const deleteAlias = prepareStatement((p: { alias: string }) =>
  sql.deleteFrom('document_aliases').where('alias', '=', p.alias),
);
