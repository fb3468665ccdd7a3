import { prepareQuery, prepareStatement } from '../database/database.ts';
import { sql } from '../database/dialect.ts';

/** Conflict: another process has grouped commits of this document. */
const WINDOWS_CHANGED = 'windows moved';

/** Revision by source, for sources whose grouping is ahead of the document's `grouped`. */
export type RevisionsAhead = Readonly<Record<string, number>>;

/** Prepares the query of `windowsOf` for a list of this length. */
function prepareWindowsOf(length: number) {
  return prepareQuery((p: Readonly<Record<string, string>>) =>
    sql
      .selectFrom('windows')
      .select(['document_id', 'grouped', 'ahead', 'version'])
      .where(
        'document_id',
        'in',
        Array.from({ length }, (_, i) => p[`id${i}`] as string),
      ),
  );
}

/** Prepared queries by the length of their list. */
const windowQueries = new Map<number, ReturnType<typeof prepareWindowsOf>>();

/**
 * The positions of documents that are grouped, in any order. The list is filled up to a power of two, so that there are
 * few texts.
 */
export function windowsOf(documents: readonly [string, ...string[]]) {
  const length = 2 ** Math.ceil(Math.log2(documents.length));
  const query = windowQueries.get(length) ?? prepareWindowsOf(length);
  windowQueries.set(length, query);
  return query(Object.fromEntries(Array.from({ length }, (_, i) => [`id${i}`, documents[i] ?? documents[0]])));
}

/** Documents with commits after the grouped revision. The cross join keeps SQLite from scanning all documents. */
export const ungroupedDocuments = prepareQuery(() =>
  sql
    .selectFrom('windows')
    .crossJoin('documents')
    .select(['windows.document_id', 'documents.revision'])
    .whereRef('documents.id', '=', 'windows.document_id')
    .whereRef('documents.revision', '>', 'windows.grouped'),
);

/**
 * Starts grouping at the document's revision unless it has already started. The unit that adds a subscription must
 * contain this statement.
 */
export const beginWindows = prepareStatement((p: { document_id: string }) =>
  sql
    .insertInto('windows')
    .columns(['document_id', 'grouped', 'ahead', 'version'])
    .expression(
      sql
        .selectFrom('documents')
        .select(({ ref, lit, val }) => [
          ref('documents.id').as('document_id'),
          ref('documents.revision').as('grouped'),
          val('{}').as('ahead'),
          lit(0).as('version'),
        ])
        .where('documents.id', '=', p.document_id),
    )
    .onConflict((conflict) => conflict.column('document_id').doNothing()),
);

export const advanceWindows = prepareStatement(
  (p: { document_id: string; version: number; next: number; grouped: number; ahead: string }) =>
    sql
      .updateTable('windows')
      .set({ grouped: p.grouped, ahead: p.ahead, version: p.next })
      .where('document_id', '=', p.document_id)
      .where('version', '=', p.version),
  { rows: 1, conflict: WINDOWS_CHANGED },
);

/** Ends grouping if the document has no more subscriptions. */
export const endWindows = prepareStatement((p: { document_id: string; version: number }) =>
  sql
    .deleteFrom('windows')
    .where('document_id', '=', p.document_id)
    .where('version', '=', p.version)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('webhooks').select('webhooks.id').whereRef('webhooks.document_id', '=', 'windows.document_id'),
        ),
      ),
    ),
);

export const deleteWindows = prepareStatement((p: { id: string }) =>
  sql.deleteFrom('windows').where('document_id', '=', p.id),
);
