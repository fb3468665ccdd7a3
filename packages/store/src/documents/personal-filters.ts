import { prepareQuery, prepareStatement } from '../database/database.ts';
import { sql } from '../database/dialect.ts';

type PersonalFilterKey = { document_id: string; user_id: number; sheet_id: number };

export const personalFilter = prepareQuery((p: PersonalFilterKey) =>
  sql
    .selectFrom('personal_filters')
    .select(['revision', 'filter'])
    .where('document_id', '=', p.document_id)
    .where('user_id', '=', p.user_id)
    .where('sheet_id', '=', p.sheet_id),
);

export const setPersonalFilter = prepareStatement((p: PersonalFilterKey & { revision: number; filter: string }) =>
  sql
    .insertInto('personal_filters')
    .values({
      document_id: p.document_id,
      user_id: p.user_id,
      sheet_id: p.sheet_id,
      revision: p.revision,
      filter: p.filter,
    })
    .onConflict((conflict) =>
      conflict.columns(['document_id', 'user_id', 'sheet_id']).doUpdateSet((eb) => ({
        revision: eb.ref('excluded.revision'),
        filter: eb.ref('excluded.filter'),
      })),
    ),
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
