import { withSealing, withUnsealing } from '../database/checksum.ts';
import { prepareQuery, prepareStatement } from '../database/database.ts';
import { sql } from '../database/dialect.ts';

type PersonalFilterKey = { document_id: string; user_id: number; sheet_id: number };

export const personalFilter = withUnsealing(
  'personal_filters',
  prepareQuery((p: PersonalFilterKey) =>
    sql
      .selectFrom('personal_filters')
      .select(['user_id', 'sheet_id', 'revision', 'filter', 'row_sum'])
      .where('document_id', '=', p.document_id)
      .where('user_id', '=', p.user_id)
      .where('sheet_id', '=', p.sheet_id),
  ),
);

type PersonalFilterRow = PersonalFilterKey & { revision: number; filter: string; row_sum: number | null };

export const setPersonalFilter = withSealing(
  'personal_filters',
  prepareStatement((p: PersonalFilterRow) =>
    sql
      .insertInto('personal_filters')
      .values({
        document_id: p.document_id,
        user_id: p.user_id,
        sheet_id: p.sheet_id,
        revision: p.revision,
        filter: p.filter,
        row_sum: p.row_sum,
      })
      .onConflict((conflict) =>
        conflict.columns(['document_id', 'user_id', 'sheet_id']).doUpdateSet((eb) => ({
          revision: eb.ref('excluded.revision'),
          filter: eb.ref('excluded.filter'),
          row_sum: eb.ref('excluded.row_sum'),
        })),
      ),
  ),
  (row) => row,
  { row_sum: 'row_sum' },
);

export const deletePersonalFilter = prepareStatement((p: PersonalFilterKey) =>
  sql
    .deleteFrom('personal_filters')
    .where('document_id', '=', p.document_id)
    .where('user_id', '=', p.user_id)
    .where('sheet_id', '=', p.sheet_id),
);

/** Documents in which a user has personal filters. */
export const documentsFilteredBy = prepareQuery((p: { user_id: number }) =>
  sql.selectFrom('personal_filters').select('document_id').where('user_id', '=', p.user_id).distinct(),
);

export const deletePersonalFiltersOf = prepareStatement((p: { document_id: string; user_id: number }) =>
  sql.deleteFrom('personal_filters').where('document_id', '=', p.document_id).where('user_id', '=', p.user_id),
);
