import { type Statement, StoreError } from '@cellwire/store';
import { insertAudits } from '@cellwire/store/audit';
import { documentById } from '@cellwire/store/documents';
import type { DocumentDraft, NewContent } from '../../documents/types.ts';
import { buildAccountEntry, OPERATOR } from '../accounts/actor.ts';
import type { CommitConflict } from '../commit-loop.ts';
import type { ServiceContext } from '../context.ts';
import {
  type CreatedDocument,
  chooseNewLocale,
  type DocumentRequest,
  parseDocumentSettings,
  storeNewDocument,
} from '../document/store-document.ts';
import { invalidRequest, isRefusal, type Refusal } from '../refusal.ts';
import { buildOwnerEntry } from './document-entries.ts';
import { findUser } from './find-user.ts';
import { normalizeTypedId } from './ids.ts';

export type DocumentContext = Pick<ServiceContext, 'database' | 'config' | 'clock' | 'documents'>;

export interface NewDocumentInput extends DocumentRequest {
  /** Id or e-mail address. */
  readonly owner: string;
  /** Content from a file; absent: one empty sheet. */
  readonly content?: NewContent | undefined;
}

export async function createDocument(
  context: DocumentContext,
  { owner: text, content, ...given }: NewDocumentInput,
): Promise<CreatedDocument | Refusal> {
  const owner = await findUser(context, text);
  const locale = isRefusal(owner) ? given.locale : await chooseNewLocale(context, owner.id, given.locale);
  const settings = parseDocumentSettings({ ...given, locale }, context.config);
  if (isRefusal(settings)) return settings;
  if (isRefusal(owner)) return owner;
  const buildAuditEntries = ({ id, at }: DocumentDraft) => [
    ...(content === undefined ? [] : buildImportAudit(id, owner, at)),
    buildCreationEntry(owner, id, at),
  ];
  const outcome = await storeNewDocument(context, owner.id, settings, content ?? null, buildAuditEntries);
  return 'kind' in outcome ? requireRefusal(outcome) : outcome;
}

/** Returns the refusal. Throws for a conflict: an operator's creation has no guard, so a conflict is a bug. */
export function requireRefusal(outcome: Refusal | CommitConflict): Refusal {
  if (outcome.kind === 'refusal') return outcome;
  throw new StoreError(`A new document was refused: ${outcome.conflict}`, 'CONFLICT');
}

/** The audit entry for a document that was created from a file. */
export function buildImportAudit(
  documentId: string,
  owner: { readonly id: number; readonly name: string },
  time: number,
): readonly Statement[] {
  const entry = { ...buildOwnerEntry(documentId, owner, 'import'), action: 'update', range: '', cells: 0, at: time };
  return insertAudits([entry]);
}

/**
 * Records that a command created a document, in the log of accounts. The document's own log has no entry, because
 * callers know the numbers of its entries.
 */
export function buildCreationEntry(
  owner: { readonly id: number; readonly name: string; readonly workspace_id: number },
  document: string,
  time: number,
): Statement {
  const subject = { id: owner.id, name: owner.name };
  return buildAccountEntry(OPERATOR, {
    action: 'document.create',
    workspaceId: owner.workspace_id,
    at: time,
    subject,
    detail: document,
  });
}

/** A document's row by id. */
export async function findDocument({ database }: Pick<ServiceContext, 'database'>, id: string) {
  const row = await database.readOne(documentById({ id: normalizeTypedId(id) }));
  return row ?? invalidRequest('document', `There is no document ${id}`);
}
