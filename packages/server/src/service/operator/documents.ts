import { DOCUMENT_NOT_FOUND } from '../../access/refusal.ts';
import type { SharedRole } from '../../access/roles.ts';
import type { Making, NewContent } from '../../documents/types.ts';
import { insertAudits } from '../../store/audit.ts';
import { type Statement, StoreError } from '../../store/database.ts';
import { documentById, documentsOwnedBy, setDocumentFormat } from '../../store/documents.ts';
import { bumpAccessEpoch } from '../../store/epoch.ts';
import { changeSharing } from '../change-sharing.ts';
import type { ServiceContext } from '../context.ts';
import { sourceOf } from '../document/copy.ts';
import {
  documentTitle,
  localeOfNew,
  type MadeDocument,
  makeDocument,
  oneOf,
  ordered,
  type Wanted,
} from '../document/make.ts';
import { GIVEN_ROLES, ownsIt, roleChange } from '../document/share.ts';
import type { Refusal } from '../refusal.ts';
import { invalidRequest, isRefusal, NOT_TABLE } from '../refusal.ts';
import type { Undone } from '../write.ts';
import { ownersEntry } from './audit.ts';
import { typedId } from './ids.ts';
import { findUser } from './users.ts';

export type DocumentContext = Pick<ServiceContext, 'database' | 'config' | 'clock' | 'documents'>;

export interface NewDocumentInput extends Wanted {
  /** Id or e-mail address. */
  readonly owner: string;
  /** What it holds, as it came from a file; absent: one empty sheet. */
  readonly content?: NewContent | undefined;
}

export async function createDocument(
  context: DocumentContext,
  { owner: text, content, ...given }: NewDocumentInput,
): Promise<MadeDocument | Refusal> {
  const owner = await findUser(context, text);
  const locale = isRefusal(owner) ? given.locale : await localeOfNew(context, owner.id, given.locale);
  const wanted = ordered({ ...given, locale }, context.config);
  if (isRefusal(wanted)) return wanted;
  if (isRefusal(owner)) return owner;
  const imported = ({ id, at }: Making) => (content === undefined ? [] : importAudit(id, owner, at));
  const made = await makeDocument(context, owner.id, wanted, content ?? null, imported);
  return 'kind' in made ? refusalOf(made) : made;
}

interface CopyInput {
  readonly document: string;
  /** Id or e-mail address. */
  readonly owner?: string | undefined;
  readonly title?: string | undefined;
}

/** Copies a table, its protected sheets with it; for its own owner unless another is named. */
export async function copyDocument(
  context: DocumentContext & Pick<ServiceContext, 'makings'>,
  { document, owner: ownerText, title: given }: CopyInput,
): Promise<MadeDocument | Refusal> {
  const row = await findDocument(context, document);
  if (isRefusal(row)) return row;
  const owner = ownerText === undefined ? { id: row.owner_id } : await findUser(context, ownerText);
  if (isRefusal(owner)) return owner;
  const title = given === undefined ? undefined : documentTitle(given);
  if (isRefusal(title)) return title;
  const { id, type } = row;
  if (type !== 'table') return NOT_TABLE;
  const snapshot = await (await context.documents.open(id))?.snapshot();
  if (!snapshot) return DOCUMENT_NOT_FOUND;
  const { signal } = new AbortController();
  const source = await sourceOf(context, { id, snapshot, epoch: null, user: owner.id, signal });
  if ('kind' in source) return refusalOf(source);
  const wanted = { ...source.wanted, title: title ?? source.wanted.title };
  const made = await makeDocument(context, owner.id, wanted, source.content, (making) => source.also(making.id));
  return 'kind' in made ? refusalOf(made) : made;
}

/** Nothing guards what the operator makes. */
function refusalOf(outcome: Refusal | Undone): Refusal {
  if (outcome.kind === 'refusal') return outcome;
  throw new StoreError(`A new document was refused: ${outcome.conflict}`, 'CONFLICT');
}

/** Says in the log that the document came from a file. */
export function importAudit(
  documentId: string,
  owner: { readonly id: number; readonly name: string },
  at: number,
): readonly Statement[] {
  const entry = { ...ownersEntry(documentId, owner, 'import'), action: 'update', range: '', cells: 0, at };
  return insertAudits([entry]);
}

/** A document's row by id. */
export async function findDocument({ database }: Pick<ServiceContext, 'database'>, id: string) {
  const row = await database.readOne(documentById({ id: typedId(id) }));
  return row ?? invalidRequest('document', `There is no document ${id}`);
}

/** Gives a user a role, another one, or (`none`) takes it away. */
export async function shareDocument(
  context: DocumentContext,
  { document, user: text, role: given }: { readonly document: string; readonly user: string; readonly role: string },
): Promise<{ readonly id: string; readonly role: SharedRole | 'none' } | Refusal> {
  const role = oneOf('role', GIVEN_ROLES, given);
  if (isRefusal(role)) return role;
  const row = await findDocument(context, document);
  if (isRefusal(row)) return row;
  const user = await findUser(context, text);
  if (isRefusal(user)) return user;
  if (user.id === row.owner_id) return ownsIt(text);
  const refusal = await changeSharing(context, row.id, roleChange(row.id, user.id, role));
  return refusal ?? { id: row.id, role };
}

/** Makes a table of the old format a collaborative one, which can be written to. */
export async function convertDocument(
  context: DocumentContext,
  document: string,
): Promise<{ readonly id: string; readonly format: 'collaborative' } | Refusal> {
  const row = await findDocument(context, document);
  if (isRefusal(row)) return row;
  if (row.format === 'collaborative') return { id: row.id, format: row.format };
  const statements = [setDocumentFormat({ id: row.id, format: 'collaborative' }), bumpAccessEpoch({})];
  const outcome = await context.database.write({ document: row.id, statements });
  if (outcome.kind === 'conflict') return invalidRequest('document', `There is no document ${document}`);
  return { id: row.id, format: 'collaborative' };
}

export async function deleteDocument(
  context: DocumentContext,
  document: string,
): Promise<{ readonly id: string } | Refusal> {
  const row = await findDocument(context, document);
  if (isRefusal(row)) return row;
  const removed = await context.documents.remove(row.id, { after: [bumpAccessEpoch({})] });
  return removed.kind === 'removed' ? { id: row.id } : invalidRequest('document', `There is no document ${document}`);
}

/** A document as its owner's list shows it. */
interface OwnedDocument {
  readonly id: string;
  readonly title: string;
  readonly type: string;
  readonly format: string;
  readonly locale: string;
  /** ISO 8601, as `updatedAt`. */
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** The documents that a user owns, the last changed first. */
export async function listDocuments(
  context: Pick<ServiceContext, 'database'>,
  ownerText: string,
): Promise<readonly OwnedDocument[] | Refusal> {
  const owner = await findUser(context, ownerText);
  if (isRefusal(owner)) return owner;
  const rows = await context.database.read(documentsOwnedBy({ owner_id: owner.id }));
  return rows.map(({ created_at, updated_at, ...row }) => ({
    ...row,
    createdAt: new Date(created_at).toISOString(),
    updatedAt: new Date(updated_at).toISOString(),
  }));
}
