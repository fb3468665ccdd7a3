import type { DateSystem } from '@cellwire/engine';
import { compileQuery, type Query } from '../database/database.ts';
import { sql } from '../database/dialect.ts';
import type { SharesTable } from '../database/document-tables.ts';
import { openProposalCount } from '../proposals/proposals.ts';
import { LISTED_DOCUMENT_COLUMNS } from './shares.ts';

type DocumentRole = 'owner' | SharesTable['role'];

/** Filter for a user's list of documents. */
export interface DocumentListFilter {
  readonly user: number;
  /** Roles of the user to select; null for all. */
  readonly roles: readonly DocumentRole[] | null;
  /** Type of documents to select; null for all. */
  readonly type: string | null;
  /** Title of the documents to select; null for all. */
  readonly title: string | null;
  /** Ids of the documents to which the caller's token is limited; null if it is not limited. */
  readonly only: readonly string[] | null;
  /** The current time, in milliseconds since 1970-01-01 UTC. */
  readonly now: number;
}

/** A page of a list that is ordered by last change, newest first. Times are in milliseconds. */
interface DocumentListPage {
  /** Excludes documents that changed later; null excludes none. */
  readonly until: number | null;
  /** The last document of the previous page; null for the first page. */
  readonly after: { readonly updatedAt: number; readonly id: string } | null;
  /** Maximum number of documents; null for no limit. */
  readonly limit: number | null;
}

export interface DocumentListRow {
  readonly id: string;
  readonly title: string;
  readonly type: string;
  readonly revision: number;
  readonly head: string;
  readonly created_at: number;
  readonly updated_at: number;
  readonly date_system: DateSystem;
  readonly role: DocumentRole;
  readonly open_proposals: number;
}

/** A page of the documents that a user may open, the last changed ones first. */
export function listedDocuments(
  filter: DocumentListFilter,
  { until, after, limit }: DocumentListPage,
): Query<DocumentListRow> {
  const all = sql
    .selectFrom(selectListedDocuments(filter).as('listed'))
    .selectAll()
    .select(openProposalCount('listed.id', filter.now).as('open_proposals'));
  const upTo = until === null ? all : all.where('listed.updated_at', '<=', until);
  const following =
    after === null
      ? upTo
      : upTo.where(({ or, and, eb }) =>
          or([
            eb('listed.updated_at', '<', after.updatedAt),
            and([eb('listed.updated_at', '=', after.updatedAt), eb('listed.id', '>', after.id)]),
          ]),
        );
  const ordered = following.orderBy('listed.updated_at', 'desc').orderBy('listed.id');
  return compileQuery(limit === null ? ordered : ordered.limit(limit)) as Query<DocumentListRow>;
}

/** Documents that changed after a time, ordered by id, because changes do not affect that order. */
export function documentsChangedSince(
  filter: DocumentListFilter,
  { since, after, limit }: { readonly since: number; readonly after: string; readonly limit: number },
): Query<DocumentListRow> {
  const changed = sql
    .selectFrom(selectListedDocuments(filter).as('listed'))
    .selectAll()
    .select(openProposalCount('listed.id', filter.now).as('open_proposals'))
    .where('listed.updated_at', '>', since)
    .where('listed.id', '>', after)
    .orderBy('listed.id')
    .limit(limit);
  return compileQuery(changed) as Query<DocumentListRow>;
}

/** The documents that the user can open and that match the filter. */
function selectListedDocuments({ user, roles, type, title, only }: DocumentListFilter) {
  const rows = only === null ? selectAccessibleDocuments(user, roles) : selectDocumentsAmong(only, user, roles);
  if (type === null && title === null) return rows;
  const all = sql.selectFrom(rows.as('rows')).selectAll();
  const withType = type === null ? all : all.where('rows.type', '=', type as 'table');
  return title === null ? withType : withType.where('rows.title', '=', title);
}

/** Documents that a user owns or that are shared with the user. */
function selectAccessibleDocuments(user: number, roles: readonly DocumentRole[] | null) {
  const owned = sql
    .selectFrom('documents')
    .select(LISTED_DOCUMENT_COLUMNS)
    .select((eb) => eb.val<DocumentRole>('owner').as('role'))
    .where('documents.owner_id', '=', user);
  const shared = sql
    .selectFrom('shares')
    .innerJoin('documents', 'documents.id', 'shares.document_id')
    .select(LISTED_DOCUMENT_COLUMNS)
    .select('shares.role')
    .where('shares.user_id', '=', user)
    .where('documents.owner_id', '!=', user);
  if (roles === null) return owned.unionAll(shared);
  const sharedSo = shared.where('shares.role', 'in', roles.filter(isSharedRole));
  if (!roles.includes('owner')) return sharedSo;
  return roles.some(isSharedRole) ? owned.unionAll(sharedSo) : owned;
}

/** The documents with these ids that a user may open, found by primary key. */
function selectDocumentsAmong(ids: readonly string[], user: number, roles: readonly DocumentRole[] | null) {
  const role = sql
    .selectFrom('documents')
    .leftJoin('shares', (join) => join.onRef('shares.document_id', '=', 'documents.id').on('shares.user_id', '=', user))
    .select(LISTED_DOCUMENT_COLUMNS)
    .select(({ eb, ref }) =>
      eb
        .case()
        .when('documents.owner_id', '=', user)
        .then(eb.val<DocumentRole>('owner'))
        .else(ref('shares.role'))
        .end()
        .$notNull()
        .as('role'),
    )
    .where('documents.id', 'in', ids.length === 0 ? [''] : ids);
  const open = sql.selectFrom(role.as('found')).selectAll().where('found.role', 'is not', null);
  return roles === null ? open : open.where('found.role', 'in', roles);
}

function isSharedRole(role: DocumentRole): role is SharesTable['role'] {
  return role !== 'owner';
}
