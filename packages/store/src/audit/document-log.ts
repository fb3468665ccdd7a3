import { compileQuery } from '../database/database.ts';
import { sql } from '../database/dialect.ts';
import { listStoredOrigins } from './origins.ts';

/** Filter for the entries of a document's log, including edits in the browser. */
interface DocumentLogFilter {
  readonly document: string;
  /**
   * Number of the newest entries that are searched. It limits the search, because the log does not store its length.
   */
  readonly searched: number;
  readonly origin?: string | undefined;
  readonly action?: string | undefined;
  readonly user?: number | undefined;
  readonly token?: string | undefined;
  /**
   * `since`: selects entries at this time or later. `until`: selects entries before this time. Both in milliseconds
   * since 1970-01-01 UTC.
   */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

/** A page of a document's log, newest first. */
export function logPage(filter: DocumentLogFilter, offset: number, limit: number) {
  return compileQuery(
    selectMatchingEntries(filter)
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
      .orderBy('audit.id', 'desc')
      .limit(limit)
      .offset(offset),
  );
}

/** The number of entries that match a filter, on all pages. */
export function logTotal(filter: DocumentLogFilter) {
  return compileQuery(selectMatchingEntries(filter).select((eb) => eb.fn.countAll<number>().as('total')));
}

/** The values that occur in the log and can be used as filters. */
export function logFilterValues({ document, searched }: DocumentLogFilter) {
  const kinds = ['audit.action', 'audit.origin', 'audit.user_id', 'audit.user_name', 'audit.token_name'] as const;
  return compileQuery(
    selectMatchingEntries({ document, searched }).select(kinds).groupBy(kinds).orderBy('audit.user_name'),
  );
}

function selectMatchingEntries({ document, searched, origin, action, user, token, since, until }: DocumentLogFilter) {
  const numbered = sql
    .selectFrom('audit')
    .innerJoin('documents', 'documents.id', 'audit.document_id')
    .where('audit.document_id', '=', document)
    .where((eb) => eb('audit.id', '>', eb('documents.audited', '-', searched)));
  return numbered
    .$if(origin !== undefined, (query) => query.where('audit.origin', 'in', listStoredOrigins(String(origin))))
    .$if(action !== undefined, (query) => query.where('audit.action', '=', String(action)))
    .$if(user !== undefined, (query) => query.where('audit.user_id', '=', Number(user)))
    .$if(token !== undefined, (query) => query.where('audit.token_name', '=', String(token)))
    .$if(since !== undefined, (query) => query.where('audit.at', '>=', Number(since)))
    .$if(until !== undefined, (query) => query.where('audit.at', '<', Number(until)));
}
