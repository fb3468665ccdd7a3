import type { DocumentAccess } from '../access/access.ts';
import type { Caller } from '../access/callers.ts';
import { DOCUMENT_NOT_FOUND } from '../access/refusal.ts';
import type { Role } from '../access/roles.ts';
import { canWrite } from '../access/roles.ts';
import { documentsOf, listedDocument } from '../store/shares.ts';
import type { ServiceContext } from './context.ts';
import type { Refusal } from './refusal.ts';

/** A document as the contract shows it. */
export interface DocumentView {
  readonly id: string;
  readonly type: string;
  readonly title: string;
  readonly permission: Role;
  /** Decimal text of the revision counter. */
  readonly revisionId: string;
  /** ISO 8601, as `updatedAt`. */
  readonly createdAt: string;
  readonly updatedAt: string;
}

interface DocumentFilter {
  readonly type?: string | undefined;
  readonly permission?: Role | undefined;
}

/** Every document that the caller's token can open, the last changed first; `heads` names the commits they are at. */
export async function listDocuments(
  context: ServiceContext,
  caller: Caller,
  filter: DocumentFilter,
): Promise<{ readonly documents: readonly DocumentView[]; readonly heads: string }> {
  const rows = await context.database.read(documentsOf({ user_id: caller.userId }));
  const listed = rows
    .filter((row) => caller.documents === null || caller.documents.has(row.id))
    .filter((row) => filter.type === undefined || row.type === filter.type)
    .filter((row) => hasPermission(row.role, filter.permission));
  return { documents: listed.map((row) => documentView(row, row.role)), heads: listed.map(({ head }) => head).join() };
}

/** `edit` asks for documents that can be written, the owner's own too; the others match exactly. */
function hasPermission(role: Role, wanted: Role | undefined): boolean {
  if (wanted === undefined) return true;
  return wanted === 'edit' ? canWrite(role) : role === wanted;
}

export async function getDocument(
  context: ServiceContext,
  { documentId, role }: DocumentAccess,
): Promise<{ readonly document: DocumentView; readonly head: string } | Refusal> {
  const row = await context.database.readOne(listedDocument({ id: documentId }));
  return row === null ? DOCUMENT_NOT_FOUND : { document: documentView(row, role), head: row.head };
}

interface ListedRow {
  readonly id: string;
  readonly type: string;
  readonly title: string;
  readonly revision: number;
  readonly created_at: number;
  readonly updated_at: number;
}

export function documentView(row: ListedRow, permission: Role): DocumentView {
  return {
    id: row.id,
    type: row.type,
    title: row.title,
    permission,
    revisionId: String(row.revision),
    createdAt: new Date(row.created_at).toISOString(),
    updatedAt: new Date(row.updated_at).toISOString(),
  };
}
