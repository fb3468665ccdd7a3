import type { DocumentAccess } from '../../access/access.ts';
import { DOCUMENT_NOT_FOUND } from '../../access/refusal.ts';
import { copiedState, type NewState } from '../../documents/new-state.ts';
import { readSharing, rightsOf } from '../../documents/rights.ts';
import type { FilePart } from '../../documents/types.ts';
import { MAX_NAME_LENGTH } from '../../limits/http.ts';
import type { Statement } from '../../store/database.ts';
import { documentById } from '../../store/documents.ts';
import { ACCESS_CHANGED } from '../../store/epoch.ts';
import { filePartsOf } from '../../store/file-parts.ts';
import { protectionsOf, setProtection } from '../../store/protections.ts';
import { type Action, act } from '../act.ts';
import type { ServiceContext } from '../context.ts';
import { openTable } from '../open-table.ts';
import { isRefusal, type Refusal, VALUES_HIDDEN } from '../refusal.ts';
import type { Reply } from '../reply.ts';
import type { Undone } from '../write.ts';
import { makeFor, type ShowMade } from './create.ts';
import { documentTitle, type Ordered } from './make.ts';

interface CopyInput {
  /** Absent: made of the other's. */
  readonly title?: string | undefined;
  /** Nobody waits for the copy any more. */
  readonly signal: AbortSignal;
}

/**
 * Makes a document of the caller's that holds what another one holds at this moment, without its history, shares and
 * subscriptions. Its formulas are the caller's. Sheets stay protected as they were: who is given a role in the copy sees
 * no more of it than was meant to be seen. Needs the right to see all sheets (decisions §13.3).
 */
export async function copyDocument(
  context: ServiceContext,
  action: Action<DocumentAccess>,
  { title: given, signal }: CopyInput,
  show: ShowMade,
): Promise<Reply | Refusal> {
  const title = given === undefined ? undefined : documentTitle(given);
  if (isRefusal(title)) return title;
  return act(context, action, async (access) => {
    const source = await readSource(context, access, signal);
    if ('kind' in source) return source;
    const wanted = { ...source.wanted, title: title ?? copyTitle(source.wanted.title) };
    const content = { kind: 'state', state: source.state, parts: source.parts } as const;
    return makeFor(context, { by: access, keyed: action.keyed }, wanted, content, show, source.also);
  });
}

/** What a copy is made of. */
interface Source {
  readonly wanted: Ordered;
  readonly state: NewState;
  readonly parts: readonly FilePart[];
  readonly also: (id: string) => readonly Statement[];
}

async function readSource(
  context: ServiceContext,
  access: DocumentAccess,
  signal: AbortSignal,
): Promise<Source | Refusal | Undone> {
  const { database, documents, clock } = context;
  const { documentId: id, caller, epoch } = access;
  const now = clock();
  const snapshot = await openTable(context, access);
  if (isRefusal(snapshot)) return snapshot;
  if (snapshot.sheets.some((sheet) => access.hiddenSheets.has(sheet.id))) return VALUES_HIDDEN;
  const sharing = await readSharing(database, id);
  if (sharing.epoch !== epoch) return { kind: 'conflict', conflict: ACCESS_CHANGED };
  const [rows, parts, protections] = await database.readAll([
    documentById({ id }),
    filePartsOf({ id }),
    protectionsOf({ document_id: id }),
  ]);
  const [row] = rows;
  if (row === undefined) return DOCUMENT_NOT_FOUND;
  const stored = await documents.stored(snapshot);
  const hidden = rightsOf(sharing.sharing).hidden.map(({ sheet }) => sheet);
  const made =
    hidden.length === 0
      ? { state: copiedState({ snapshot, stored, now }) }
      : await context.makings.beside('copy', { stored, sheets: hidden, now }, { user: caller.userId, signal });
  if (isRefusal(made)) return made;
  const { title, type, format } = row;
  const kept = protections.filter(({ sheet_id }) => snapshot.sheetById(sheet_id) !== undefined);
  return {
    wanted: { title, type, format, locale: snapshot.settings.locale, inputLocale: access.inputLocale },
    state: made.state,
    parts: parts.map(({ content_type, ...part }) => ({ ...part, type: content_type })),
    also: (copy) => kept.map((protection) => setProtection({ ...protection, document_id: copy })),
  };
}

function copyTitle(title: string): string {
  return [...`Copy of ${title}`].slice(0, MAX_NAME_LENGTH).join('').trim();
}
