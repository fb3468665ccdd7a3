import { type Expression, type ExpressionBuilder, sql as raw } from 'kysely';
import { prepareQuery } from '../database/database.ts';
import { sql } from '../database/dialect.ts';
import type { Schema } from '../database/schema.ts';

/**
 * Queries of the entries that the API lists. Their numbers have no gaps, because retention deletes from the oldest entry
 * on. Indexes contain only the first entry of each run (`AuditTable.run_start`). Within a run, ids and numbers increase
 * together, so the id of an entry follows from its number. If retention has deleted the first entry of a run, the oldest
 * entry of the log is used in its place.
 *
 * Each query selects the document's id as a row, `log`, and compares columns with that row. If it compared a column with
 * a parameter and sorted the rows, SQLite would compile it again at each execution, which takes longer than the query.
 */

/** A page of entries, newest first. Each entry is found by its number, so that any offset takes the same time. */
export const auditPage = prepareQuery((p: { document_id: string; offset: number; limit: number }) =>
  selectLog(p.document_id)
    .with('newest', (cte) =>
      cte.selectFrom('log').select(({ ref }) => selectNewestNumber(ref('log.document_id')).as('number')),
    )
    .withRecursive('numbers(number)', (cte) =>
      cte
        .selectFrom('newest')
        .select(({ eb }) => eb('newest.number', '-', p.offset).as('number'))
        .unionAll(
          cte
            .selectFrom('numbers')
            .crossJoin('newest')
            .select(({ eb, lit }) => eb('numbers.number', '-', lit(1)).as('number'))
            .where(({ eb, lit }) =>
              eb(eb('numbers.number', '-', lit(1)), '>', eb(eb('newest.number', '-', p.offset), '-', p.limit)),
            )
            .where(({ eb, lit }) => eb('numbers.number', '>', lit(1))),
        ),
    )
    .selectFrom('log')
    .crossJoin('numbers')
    .crossJoin('audit')
    .select([
      'audit.id',
      'audit.action',
      'audit.origin',
      'audit.user_id',
      'audit.user_name',
      'audit.token_name',
      'audit.request_id',
      'audit.range',
      'audit.cells',
      'audit.at',
      'audit.subject_id',
      'audit.subject_address',
      'audit.proposal',
    ])
    .whereRef('audit.document_id', '=', 'log.document_id')
    .where(({ eb, ref }) =>
      eb('audit.id', '=', eb(ref('numbers.number'), '+', selectShift(ref('log.document_id'), ref('numbers.number')))),
    )
    .whereRef('audit.api_number', '=', 'numbers.number')
    .orderBy('audit.id', 'desc'),
);

/** Number of entries that the API lists. */
export const auditTotal = prepareQuery((p: { document_id: string }) =>
  selectLog(p.document_id)
    .selectFrom('log')
    .select(({ eb, fn, lit, ref }) => {
      const document = ref('log.document_id');
      const count = eb(eb(selectNewestNumber(document), '-', selectOldestNumber(document)), '+', lit(1));
      return fn.coalesce(count, lit(0)).as('total');
    }),
);

/** Distinct token names of the log. The index finds each name from the previous one. */
export const auditTokens = prepareQuery((p: { document_id: string }) =>
  selectLog(p.document_id)
    .withRecursive('names(token_name)', (cte) =>
      cte
        .selectFrom('log')
        .select(({ ref }) => selectLeastTokenName(ref('log.document_id')).as('token_name'))
        .unionAll(
          cte
            .selectFrom('names')
            .crossJoin('log')
            .select(({ ref }) => selectLeastTokenName(ref('log.document_id'), ref('names.token_name')).as('token_name'))
            .where('names.token_name', 'is not', null),
        ),
    )
    .selectFrom('names')
    .select('token_name')
    .where('token_name', 'is not', null)
    .union((part) =>
      part
        .selectFrom('log')
        .crossJoin('audit')
        .select('audit.token_name')
        .whereRef('audit.document_id', '=', 'log.document_id')
        .where(({ eb, ref }) => eb('audit.id', '=', selectOldestEntry(ref('log.document_id')).select('oldest.id')))
        .where('audit.api_number', 'is not', null)
        .where('audit.token_name', 'is not', null),
    )
    .orderBy('token_name'),
);

function selectLog(document: string) {
  return sql.withRecursive('log', (cte) =>
    cte.selectNoFrom(({ cast, val }) => cast<string>(val(document), 'text').as('document_id')),
  );
}

/** The first token name of the log in index order, or the first one after `after`. */
function selectLeastTokenName(document: Expression<string>, after?: Expression<string | null>) {
  const names = sql
    .selectFrom('audit')
    .select(({ fn }) => fn.min('audit.token_name').as('least'))
    .where('audit.document_id', '=', document)
    .where(isRunStart);
  return (after === undefined ? names : names.where('audit.token_name', '>', after)).$asScalar();
}

/** How much the id of a listed entry exceeds its number. */
function selectShift(document: Expression<string>, number: Expression<number>) {
  return sql
    .selectNoFrom(({ fn }) =>
      fn
        .coalesce(
          sql
            .selectFrom('audit as start')
            .select(({ eb }) => eb('start.id', '-', eb.ref('start.api_number').$notNull()).as('shift'))
            .where('start.document_id', '=', document)
            .where('start.run_start', 'is not', null)
            .where('start.api_number', 'is not', null)
            .where('start.api_number', '<=', number)
            .orderBy('start.api_number', 'desc')
            .limit(ONE)
            .$asScalar(),
          selectOldestEntry(document)
            .select(({ eb }) => eb('oldest.id', '-', eb.ref('oldest.api_number').$notNull()).as('shift'))
            .$asScalar(),
        )
        .as('shift'),
    )
    .$asScalar();
}

/** Condition: the entry is listed and the first of its run. It is the condition of the indexes. */
function isRunStart({ and, eb }: ExpressionBuilder<Schema, 'audit'>) {
  return and([eb('audit.run_start', 'is not', null), eb('audit.api_number', 'is not', null)]);
}

function selectOldestEntry(document: Expression<string>) {
  return sql.selectFrom('audit as oldest').where('oldest.document_id', '=', document).orderBy('oldest.id').limit(ONE);
}

const ONE = raw.lit(1);

/**
 * The number of the newest listed entry. It is the counter of the document, also in the trash. Only a document that was
 * deleted for good has no counter.
 */
function selectNewestNumber(document: Expression<string>) {
  return sql
    .selectNoFrom(({ fn, selectFrom }) =>
      fn
        .coalesce(
          selectFrom('documents').select('api_audited').where('id', '=', document).$asScalar(),
          selectFrom('trash').select('api_audited').where('trash.document_id', '=', document).$asScalar(),
          selectLastNumber(document),
        )
        .as('newest'),
    )
    .$asScalar()
    .$notNull();
}

/** The greatest number in the log. */
export function selectLastNumber(document: Expression<string>) {
  return sql
    .selectFrom('audit as last')
    .select('last.api_number')
    .where('last.document_id', '=', document)
    .where('last.api_number', 'is not', null)
    .orderBy('last.id', 'desc')
    .limit(ONE)
    .$asScalar();
}

/** The number of the oldest listed entry: the oldest entry of the log, or the first run after entries that are not listed. */
function selectOldestNumber(document: Expression<string>) {
  return sql
    .selectNoFrom(({ fn, selectFrom }) =>
      fn
        .coalesce(
          selectOldestEntry(document).select('oldest.api_number').$asScalar(),
          selectFrom('audit')
            .select('audit.api_number')
            .where('audit.document_id', '=', document)
            .where(isRunStart)
            .orderBy('audit.api_number')
            .limit(ONE)
            .$asScalar(),
        )
        .as('oldest'),
    )
    .$asScalar()
    .$notNull();
}
