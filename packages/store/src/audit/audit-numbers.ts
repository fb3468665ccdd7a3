import { sql as raw } from 'kysely';
import { prepareQuery, prepareStatement, type Statement } from '../database/database.ts';
import { sql } from '../database/dialect.ts';
import { selectLastNumber } from './listed-entries.ts';
import { isListedOrigin } from './origins.ts';

/**
 * Documents with entries that have no `api_number`: nodes of an older version insert such entries during a rolling
 * upgrade. Maintenance numbers them.
 */
export const documentsWithUnnumberedEntries = prepareQuery((p: { limit: number }) =>
  sql
    .selectFrom('audit')
    .innerJoin('documents', 'documents.id', 'audit.document_id')
    .select('audit.document_id')
    .distinct()
    .where('audit.api_number', 'is', null)
    .where(({ ref }) => isListedOrigin(ref('audit.origin')))
    .limit(p.limit),
);

/** Assigns numbers to the entries of a document, in order, beginning with the first unnumbered entry. */
export function numberEntries(document: string): readonly Statement[] {
  return [assignNumbers({ id: document }), updateNumberCounter({ id: document })];
}

const assignNumbers = prepareStatement((p: { id: string }) =>
  sql
    .with('numbered', (cte) =>
      cte
        .selectFrom('audit as listed')
        .select(({ eb }) => [
          'listed.id as entry',
          eb(selectLastNumberBefore(p.id), '+', raw<number>`row_number() over (order by "listed"."id")`).as('position'),
        ])
        .where('listed.document_id', '=', p.id)
        .where(({ ref }) => isListedOrigin(ref('listed.origin')))
        .where('listed.id', '>=', selectFirstUnnumberedEntry(p.id)),
    )
    .updateTable('audit')
    .from('numbered')
    .set(({ ref }) => ({ api_number: ref('numbered.position') }))
    .where('audit.document_id', '=', p.id)
    .whereRef('audit.id', '=', 'numbered.entry'),
);

const updateNumberCounter = prepareStatement((p: { id: string }) =>
  sql
    .updateTable('documents')
    .set(({ fn, ref }) => ({
      api_audited: fn.coalesce(selectLastNumber(ref('documents.id')), ref('documents.api_audited')),
    }))
    .where('documents.id', '=', p.id),
);

/** The id of the first entry without a number in the API's list. */
function selectFirstUnnumberedEntry(document: string) {
  return sql
    .selectFrom('audit as unnumbered')
    .select((eb) => eb.fn.min<number>('unnumbered.id').as('first'))
    .where('unnumbered.document_id', '=', document)
    .where('unnumbered.api_number', 'is', null)
    .where(({ ref }) => isListedOrigin(ref('unnumbered.origin')))
    .$asScalar();
}

/** Selects the number of the last numbered entry before the first unnumbered one; 0 if there is none. */
function selectLastNumberBefore(document: string) {
  return sql
    .selectNoFrom(({ fn, lit, selectFrom }) =>
      fn
        .coalesce(
          selectFrom('audit as earlier')
            .select('earlier.api_number')
            .where('earlier.document_id', '=', document)
            .where('earlier.id', '<', selectFirstUnnumberedEntry(document))
            .where('earlier.api_number', 'is not', null)
            .orderBy('earlier.id', 'desc')
            .limit(1)
            .$asScalar(),
          lit(0),
        )
        .as('last'),
    )
    .$asScalar();
}
