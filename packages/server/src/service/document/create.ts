import type { Statement } from '@cellwire/store';
import { accessUnchanged } from '@cellwire/store/accounts';
import type { Caller } from '../../access/callers.ts';
import type { DocumentDraft, NewContent } from '../../documents/types.ts';
import { type Action, type Attempted, keptReply } from '../act.ts';
import type { ServiceContext } from '../context.ts';
import { auditStatements } from '../history/audit-log.ts';
import { type DocumentView, documentView } from './list-documents.ts';
import { makeDocument, type Ordered } from './make.ts';

/** What the title is where nobody gives one. */
export const UNTITLED = 'Untitled';

/** How an answer shows a document that has just been made. */
export type ShowMade = (document: DocumentView) => object;

/** Whose rights allow a document to be made, at an access epoch. */
export interface Maker {
  readonly caller: Caller;
  readonly epoch: number;
}

/** An attempt to make a document of the caller's with some content; null: one empty sheet. */
export async function makeFor(
  context: ServiceContext,
  { by, keyed }: Pick<Action<Maker>, 'by' | 'keyed'>,
  wanted: Ordered,
  content: NewContent | null,
  show: ShowMade,
  also: (id: string, at: number) => readonly Statement[] = () => [],
): Promise<Attempted> {
  const { caller, epoch } = by;
  let body: object = {};
  const made = await makeDocument(context, caller.userId, wanted, content, (making) => {
    body = show(viewOf(making, wanted));
    const { id: documentId, at } = making;
    return [
      accessUnchanged({ version: epoch }),
      ...auditStatements({ caller, documentId }, [{ action: 'document.create', range: '', cells: 0 }], at),
      ...also(documentId, at),
      ...keptReply(context, keyed, body, at),
    ];
  });
  return 'kind' in made ? made : { kind: 'done', body };
}

function viewOf({ id, state, at }: DocumentDraft, { title, type }: Ordered): DocumentView {
  const { revision, settings } = state;
  const times = { created_at: at, updated_at: at };
  const row = { id, type, title, revision, ...times, date_system: settings.dateSystem, open_proposals: 0 };
  return documentView(row, 'owner');
}
