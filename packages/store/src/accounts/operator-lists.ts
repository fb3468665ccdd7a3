import { compileQuery, prepareQuery } from '../database/database.ts';
import { sql } from '../database/dialect.ts';

interface DocumentPageFilter {
  readonly after: string;
  /** Owner of the documents; null selects all owners. */
  readonly owner: number | null;
  /** Selects documents of this workspace's users; absent to select all workspaces. */
  readonly workspace?: number;
  readonly limit: number;
}

/** Documents after an id, in order of id. */
export function documentsAfter({ after, owner, workspace, limit }: DocumentPageFilter) {
  return compileQuery(
    sql
      .selectFrom('documents')
      .innerJoin('users', 'users.id', 'documents.owner_id')
      .select([
        'documents.id',
        'documents.title',
        'documents.type',
        'documents.format',
        'documents.locale',
        'documents.owner_id',
        'users.email as owner_email',
        'users.name as owner_name',
        'documents.revision',
        'documents.created_at',
        'documents.updated_at',
      ])
      .where('documents.id', '>', after)
      .$if(owner !== null, (query) => query.where('documents.owner_id', '=', Number(owner)))
      .$if(workspace !== undefined, (query) => query.where('users.workspace_id', '=', Number(workspace)))
      .orderBy('documents.id')
      .limit(limit),
  );
}

const AUDIT_COLUMNS = [
  'audit.document_id',
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
] as const;

/** Entries by a user before a position in the list, in all documents, newest first. */
export const auditOfUser = prepareQuery(
  (p: { user: number; at: number; document: string; id: number; limit: number }) =>
    sql
      .selectFrom('audit')
      .select(AUDIT_COLUMNS)
      .where('audit.user_id', '=', p.user)
      .where(({ eb, refTuple, tuple }) =>
        eb(refTuple('audit.at', 'audit.document_id', 'audit.id'), '<', tuple(p.at, p.document, p.id)),
      )
      .orderBy('audit.at', 'desc')
      .orderBy('audit.document_id', 'desc')
      .orderBy('audit.id', 'desc')
      .limit(p.limit),
);

/** Entries of a document before an entry number, newest first; of one user or of all users. */
export function auditOfDocument(p: { document: string; user: number | null; before: number; limit: number }) {
  return compileQuery(
    sql
      .selectFrom('audit')
      .select(AUDIT_COLUMNS)
      .where('audit.document_id', '=', p.document)
      .where('audit.id', '<', p.before)
      .$if(p.user !== null, (query) => query.where('audit.user_id', '=', Number(p.user)))
      .orderBy('audit.id', 'desc')
      .limit(p.limit),
  );
}

const ACCOUNT_LOG_COLUMNS = [
  'id',
  'at',
  'action',
  'origin',
  'user_id',
  'user_name',
  'subject_id',
  'subject',
  'detail',
  'address',
] as const;

/** Entries of the account log before a position in the list, newest first; by or about one user, or all. */
export function accountEntriesBefore(p: { at: number; id: number; user: number | null; limit: number }) {
  return compileQuery(
    sql
      .selectFrom('account_log')
      .select(ACCOUNT_LOG_COLUMNS)
      .where(({ eb, refTuple, tuple }) => eb(refTuple('at', 'id'), '<', tuple(p.at, p.id)))
      .$if(p.user !== null, (query) =>
        query.where(({ or, eb }) => or([eb('user_id', '=', Number(p.user)), eb('subject_id', '=', Number(p.user))])),
      )
      .orderBy('at', 'desc')
      .orderBy('id', 'desc')
      .limit(p.limit),
  );
}

/** The account log entry of the command that created a document. */
export function documentCreationEntry({
  document,
  workspace,
  user,
}: {
  document: string;
  workspace: number;
  user: number | null;
}) {
  return compileQuery(
    sql
      .selectFrom('account_log')
      .select(ACCOUNT_LOG_COLUMNS)
      .where('workspace_id', '=', workspace)
      .where('action', '=', 'document.create')
      .where('detail', '=', document)
      .$if(user !== null, (query) => query.where('subject_id', '=', Number(user)))
      .limit(1),
  );
}

export const userIds = prepareQuery(() => sql.selectFrom('users').select('id').orderBy('id'));
