import { memoryOf, type Snapshot } from '@cellwire/engine';
import type { Statement } from '@cellwire/store';
import { ACCESS_CHANGED } from '@cellwire/store/accounts';
import { documentById, filePartsOf, protectionsOf, setProtection } from '@cellwire/store/documents';
import { storedInputLocale } from '../../access/input-locale.ts';
import { DOCUMENT_NOT_FOUND } from '../../access/refusal.ts';
import { copyState } from '../../documents/new-state.ts';
import { readSharing } from '../../documents/rights.ts';
import type { NewContent } from '../../documents/types.ts';
import { MAX_NAME_LENGTH } from '../../limits/http.ts';
import type { Undone } from '../commit-loop.ts';
import type { ServiceContext } from '../context.ts';
import { isRefusal, type Refusal } from '../refusal.ts';
import type { Ordered } from './make.ts';

/** What is copied, and for whom. */
interface Asked {
  readonly id: string;
  readonly snapshot: Snapshot;
  /** At which whoever copies was let in; null: it is the operator. */
  readonly epoch: number | null;
  readonly user: number;
  readonly signal: AbortSignal;
}

/** What a copy is made of. */
interface Source {
  /** With a title that says whose copy it is. */
  readonly wanted: Ordered;
  readonly content: NewContent;
  /** What belongs into the unit that makes the copy of that id. */
  readonly also: (id: string) => readonly Statement[];
}

export async function sourceOf(
  { database, documents, clock, makings }: Pick<ServiceContext, 'database' | 'documents' | 'clock' | 'makings'>,
  { id, snapshot, epoch, user, signal }: Asked,
): Promise<Source | Refusal | Undone> {
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
  const stored = await documents.stored(snapshot, user);
  const hidden = sharing.rights.hidden.map(({ sheet }) => sheet);
  const made =
    hidden.length === 0
      ? { state: copyState({ snapshot, stored, now }) }
      : await makings.beside('copy', { stored, sheets: hidden, now }, { user, signal, bytes: memoryOf(snapshot) });
  if (isRefusal(made)) return made;
  const { title, type, format } = row;
  const inputLocale = storedInputLocale(row.input_locale);
  const kept = protections.filter(({ sheet_id }) => snapshot.sheetById(sheet_id) !== undefined);
  return {
    wanted: { title: copyTitle(title), type, format, locale: snapshot.settings.locale, inputLocale },
    content: {
      kind: 'state',
      state: made.state,
      parts: parts.map(({ content_type, ...part }) => ({ ...part, type: content_type })),
    },
    also: (copy) => kept.map((protection) => setProtection({ ...protection, document_id: copy })),
  };
}

function copyTitle(title: string): string {
  return [...`Copy of ${title}`].slice(0, MAX_NAME_LENGTH).join('').trim();
}
