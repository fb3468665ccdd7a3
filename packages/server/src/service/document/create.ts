import type { Statement } from '@cellwire/store';
import { accessUnchanged } from '@cellwire/store/accounts';
import type { Caller } from '../../access/callers.ts';
import type { DocumentDraft, NewContent } from '../../documents/types.ts';
import { type AccessAction, type AttemptResult, keepActionReply } from '../access-retry.ts';
import type { ServiceContext } from '../context.ts';
import { buildAuditStatements } from '../history/audit-log.ts';
import { type DocumentView, toDocumentView } from './list-documents.ts';
import { type NewDocumentSettings, storeNewDocument } from './store-document.ts';

/** Title of a document that is created without one. */
export const UNTITLED = 'Untitled';

/** The response for a new document. */
export type ShowDocument = (document: DocumentView) => object;

/** The user whose rights allow the creation, at an access epoch. */
export interface DocumentCreator {
  readonly caller: Caller;
  readonly epoch: number;
}

interface CreationRequest {
  readonly settings: NewDocumentSettings;
  /** Null: one empty sheet. */
  readonly content: NewContent | null;
  readonly show: ShowDocument;
  /** Further statements of the unit that makes the document visible. `at`: its time. */
  readonly extraStatements?: (id: string, at: number) => readonly Statement[];
}

/** Attempts to create a document of the caller. */
export async function createDocumentFor(
  context: ServiceContext,
  { by, keyed }: Pick<AccessAction<DocumentCreator>, 'by' | 'keyed'>,
  { settings, content, show, extraStatements = () => [] }: CreationRequest,
): Promise<AttemptResult> {
  const { caller, epoch } = by;
  let body: object = {};
  const outcome = await storeNewDocument(context, caller.userId, settings, content, (draft) => {
    body = show(toNewDocumentView(draft, settings));
    const { id: documentId, at } = draft;
    return [
      accessUnchanged({ version: epoch }),
      ...buildAuditStatements({ caller, documentId }, [{ action: 'document.create', range: '', cells: 0 }], at),
      ...extraStatements(documentId, at),
      ...keepActionReply(context, keyed, body, at),
    ];
  });
  return 'kind' in outcome ? outcome : { kind: 'done', body };
}

function toNewDocumentView({ id, state, at }: DocumentDraft, { title, type }: NewDocumentSettings): DocumentView {
  const { revision, settings } = state;
  const times = { created_at: at, updated_at: at };
  const row = { id, type, title, revision, ...times, date_system: settings.dateSystem, open_proposals: 0 };
  return toDocumentView(row, 'owner');
}
