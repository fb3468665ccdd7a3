import { documentsAfter } from '@cellwire/store/accounts';
import type { Caller } from '../../access/callers.ts';
import { WORKSPACE_DOCUMENTS_PAGE } from '../../limits/console.ts';
import { isRefusal, type Refusal } from '../refusal.ts';
import { type MemberContext, requireOwner } from './members.ts';

/** A document as the owner of its workspace sees it. */
interface WorkspaceDocument {
  readonly id: string;
  readonly title: string;
  readonly owner: string;
  /** ISO 8601. */
  readonly updatedAt: string;
}

/** Documents owned by users of the caller's workspace, which the caller must own; ordered by id. */
export async function listWorkspaceDocuments(
  context: MemberContext,
  caller: Caller,
  after: string,
): Promise<{ readonly documents: readonly WorkspaceDocument[]; readonly nextCursor: string | null } | Refusal> {
  const owner = await requireOwner(context, caller);
  if (isRefusal(owner)) return owner;
  const limit = WORKSPACE_DOCUMENTS_PAGE;
  const page = { after, owner: null, workspace: owner.workspace_id, limit: limit + 1 };
  const rows = await context.database.read(documentsAfter(page));
  const shown = rows.slice(0, limit);
  const documents = shown.map(({ id, title, owner_name, updated_at }) => ({
    id,
    title,
    owner: owner_name,
    updatedAt: new Date(updated_at).toISOString(),
  }));
  return { documents, nextCursor: rows.length > limit ? (shown.at(-1)?.id ?? null) : null };
}
