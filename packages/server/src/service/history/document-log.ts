import { logFilterValues, logPage, logTotal, toShownOrigin } from '@cellwire/store/audit';
import type { DocumentAccess } from '../../access/access.ts';
import { MAX_SEARCHED_ENTRIES } from '../../limits/console.ts';
import type { ServiceContext } from '../context.ts';
import { parseIsoTime } from '../iso-time.ts';
import { invalidRequest, isRefusal, type Refusal } from '../refusal.ts';
import { type AuditEntry, toVisibleEntries } from './audit-log.ts';

interface LogQuery {
  readonly offset: number;
  readonly limit: number;
  readonly origin?: string | undefined;
  readonly action?: string | undefined;
  readonly user?: number | undefined;
  readonly token?: string | undefined;
  /** ISO 8601. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

/** A page of a document's log, and the possible filter values. */
interface DocumentLog {
  readonly entries: readonly AuditEntry[];
  readonly total: number;
  readonly offset: number;
  readonly limit: number;
  readonly actions: readonly string[];
  readonly origins: readonly string[];
  readonly tokens: readonly string[];
  readonly users: readonly { readonly id: number; readonly name: string }[];
}

/** Everything done to a document, including in the browser, newest first. Only the newest entries are searched. */
export async function readDocumentLog(
  { database }: Pick<ServiceContext, 'database'>,
  access: DocumentAccess,
  { offset, limit, since: from, until: to, ...wanted }: LogQuery,
): Promise<DocumentLog | Refusal> {
  const since = parseLogTime('since', from);
  if (isRefusal(since)) return since;
  const until = parseLogTime('until', to);
  if (isRefusal(until)) return until;
  const filter = { ...wanted, since, until, document: access.documentId, searched: MAX_SEARCHED_ENTRIES };
  const [rows, totals, kinds] = await database.readAll([
    logPage(filter, offset, limit),
    logTotal(filter),
    logFilterValues(filter),
  ]);
  const users = new Map(kinds.map(({ user_id: id, user_name: name }) => [id, { id, name }]));
  return {
    entries: toVisibleEntries(access, rows),
    total: totals[0]?.total ?? 0,
    offset,
    limit,
    actions: removeDuplicateNames(kinds.map(({ action }) => action)),
    origins: removeDuplicateNames(kinds.map(({ origin }) => toShownOrigin(origin))),
    tokens: removeDuplicateNames(kinds.flatMap(({ token_name }) => token_name ?? [])),
    users: [...users.values()],
  };
}

function parseLogTime(field: string, text: string | undefined): number | undefined | Refusal {
  if (text === undefined) return undefined;
  return parseIsoTime(text) ?? invalidRequest(field, `${field} must be an ISO 8601 date or time`);
}

function removeDuplicateNames(names: readonly string[]): readonly string[] {
  return [...new Set(names)].toSorted();
}
