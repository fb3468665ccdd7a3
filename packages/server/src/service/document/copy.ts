import { measureMemory, type Snapshot } from '@cellwire/engine';
import type { Statement } from '@cellwire/store';
import { ACCESS_CHANGED } from '@cellwire/store/accounts';
import { documentById, filePartsOf, protectionsOf, setProtection } from '@cellwire/store/documents';
import { parseStoredLocale } from '../../access/input-locale.ts';
import { DOCUMENT_NOT_FOUND } from '../../access/refusal.ts';
import { copyState } from '../../documents/new-state.ts';
import { readSharing } from '../../documents/rights.ts';
import type { NewContent } from '../../documents/types.ts';
import { MAX_NAME_LENGTH } from '../../limits/http.ts';
import type { CommitConflict } from '../commit-loop.ts';
import type { ServiceContext } from '../context.ts';
import { isRefusal, type Refusal } from '../refusal.ts';
import type { NewDocumentSettings } from './store-document.ts';

/** The document to copy, and the caller. */
interface CopyRequest {
  readonly id: string;
  readonly snapshot: Snapshot;
  /** Access epoch of the caller's rights; null: the operator. */
  readonly epoch: number | null;
  readonly user: number;
  readonly signal: AbortSignal;
}

/** The content and settings of a copy. */
interface CopiedDocument {
  /** The title names the copied document. */
  readonly settings: NewDocumentSettings;
  readonly content: NewContent;
  /** Further statements of the unit that creates the copy with that id. */
  readonly extraStatements: (id: string) => readonly Statement[];
}

/** The stored state to copy, with the source's rights checked; a conflict if they changed meanwhile. */
export async function prepareCopySource(
  {
    database,
    documents,
    clock,
    documentJobs,
  }: Pick<ServiceContext, 'database' | 'documents' | 'clock' | 'documentJobs'>,
  { id, snapshot, epoch, user, signal }: CopyRequest,
): Promise<CopiedDocument | Refusal | CommitConflict> {
  const now = clock();
  const sharing = await readSharing(database, id);
  if (epoch !== null && sharing.epoch !== epoch) return { kind: 'conflict', conflict: ACCESS_CHANGED };
  const [rows, parts, protections] = await database.readAll([
    documentById({ id }),
    filePartsOf({ id }),
    protectionsOf({ document_id: id }),
  ]);
  const [row] = rows;
  if (row === undefined) return DOCUMENT_NOT_FOUND;
  const stored = await documents.encodeCheckpoint(snapshot, user);
  const hidden = sharing.rights.hidden.map(({ sheet }) => sheet);
  const copied =
    hidden.length === 0
      ? { state: copyState({ snapshot, stored, now }) }
      : await documentJobs.runInThread(
          'copy',
          { stored, sheets: hidden, now },
          { user, signal, bytes: measureMemory(snapshot) },
        );
  if (isRefusal(copied)) return copied;
  const { title, type, format } = row;
  const inputLocale = parseStoredLocale(row.input_locale);
  const keptProtections = protections.filter(({ sheet_id }) => snapshot.sheetById(sheet_id) !== undefined);
  return {
    settings: { title: createCopyTitle(title), type, format, locale: snapshot.settings.locale, inputLocale },
    content: {
      kind: 'state',
      state: copied.state,
      parts: parts.map(({ content_type, ...part }) => ({ ...part, type: content_type })),
    },
    extraStatements: (copy) => keptProtections.map((protection) => setProtection({ ...protection, document_id: copy })),
  };
}

function createCopyTitle(title: string): string {
  return [...`Copy of ${title}`].slice(0, MAX_NAME_LENGTH).join('').trim();
}
