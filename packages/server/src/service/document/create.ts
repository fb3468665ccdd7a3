import type { Caller } from '../../access/callers.ts';
import type { Making, NewContent } from '../../documents/types.ts';
import { accessUnchanged } from '../../store/epoch.ts';
import { type Action, act, keptReply } from '../act.ts';
import { auditStatements } from '../audit-log.ts';
import type { ServiceContext } from '../context.ts';
import { type DocumentView, documentView } from '../list-documents.ts';
import { isRefusal, type Refusal } from '../refusal.ts';
import type { Reply } from '../reply.ts';
import { makeDocument, type Ordered, ordered } from './make.ts';

/** What the title is where nobody gives one. */
export const UNTITLED = 'Untitled';

/** How an answer shows a document that has just been made. */
export type ShowMade = (document: DocumentView) => object;

/** Makes an empty document of the caller's. */
export async function createDocument(
  context: ServiceContext,
  action: Action<Caller>,
  { title = UNTITLED, locale }: { readonly title?: string | undefined; readonly locale?: string | undefined },
  show: ShowMade,
): Promise<Reply | Refusal> {
  const wanted = ordered({ title, locale });
  return isRefusal(wanted) ? wanted : createWith(context, action, wanted, null, show);
}

/** Makes a document of the caller's with some content; null: one empty sheet. */
export function createWith(
  context: ServiceContext,
  action: Action<Caller>,
  wanted: Ordered,
  content: NewContent | null,
  show: ShowMade,
): Promise<Reply | Refusal> {
  return act(context, action, async (caller) => {
    let body: object = {};
    const made = await makeDocument(context, caller.userId, wanted, content, (making) => {
      body = show(viewOf(making, wanted));
      const { id: documentId, at } = making;
      return [
        accessUnchanged({ version: caller.epoch }),
        ...auditStatements({ caller, documentId }, [{ action: 'document.create', range: '', cells: 0 }], at),
        ...keptReply(context, action.keyed, body, at),
      ];
    });
    return 'kind' in made ? made : { kind: 'done', body };
  });
}

function viewOf({ id, snapshot, at }: Making, { title, type }: Ordered): DocumentView {
  const { revision } = snapshot;
  return documentView({ id, type, title, revision, created_at: at, updated_at: at }, 'owner');
}
