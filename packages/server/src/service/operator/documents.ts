import type { LocaleId, WorkbookData } from '@cellwire/engine';
import { LOCALE_IDS } from '@cellwire/engine';
import type { SharedRole } from '../../access/roles.ts';
import type { FilePart, NewContent } from '../../documents/types.ts';
import { MAX_NAME_LENGTH } from '../../limits/http.ts';
import { insertAudits } from '../../store/audit.ts';
import type { Statement } from '../../store/database.ts';
import { documentById, setDocumentFormat } from '../../store/documents.ts';
import { bumpAccessEpoch } from '../../store/epoch.ts';
import { deleteShare, setShare } from '../../store/shares.ts';
import { deactivateOfUser } from '../../store/subscriptions.ts';
import { changeSharing } from '../change-sharing.ts';
import type { ServiceContext } from '../context.ts';
import type { Refusal } from '../refusal.ts';
import { invalidRequest, isRefusal } from '../refusal.ts';
import { engineRefusal } from '../write.ts';
import { ownersEntry } from './audit.ts';
import { typedId } from './ids.ts';
import { findUser } from './users.ts';

export type DocumentContext = Pick<ServiceContext, 'database' | 'config' | 'clock' | 'documents'>;

export interface NewDocumentInput {
  /** Id or e-mail address. */
  readonly owner: string;
  readonly title: string;
  readonly type?: string | undefined;
  readonly format?: string | undefined;
  readonly locale?: string | undefined;
  /** What it holds, read from a file; absent: one empty sheet. */
  readonly data?: WorkbookData | undefined;
  /** Parts of the file that exports write as they were. */
  readonly parts?: readonly FilePart[] | undefined;
}

export interface CreatedDocument {
  readonly id: string;
  readonly title: string;
  readonly type: 'table' | 'text';
  readonly format: 'collaborative' | 'legacy';
  readonly locale: LocaleId;
  /** Names, in order; of what is no table none. */
  readonly sheets: readonly string[];
}

const DEFAULT_LOCALE: LocaleId = 'ru-RU';
const TYPES = ['table', 'text'] as const;
const FORMATS = ['collaborative', 'legacy'] as const;
const SHARED_ROLES: readonly SharedRole[] = ['edit', 'comment', 'view'];

export async function createDocument(
  context: DocumentContext,
  given: NewDocumentInput,
): Promise<CreatedDocument | Refusal> {
  const title = given.title.trim();
  if (title === '' || title.length > MAX_NAME_LENGTH) {
    return invalidRequest('title', `A title must have 1 to ${MAX_NAME_LENGTH} characters`);
  }
  const type = oneOf('type', TYPES, given.type ?? 'table');
  if (isRefusal(type)) return type;
  const format = oneOf('format', FORMATS, given.format ?? 'collaborative');
  if (isRefusal(format)) return format;
  const locale = localeId(given.locale);
  if (isRefusal(locale)) return locale;
  const owner = await findUser(context, given.owner);
  if (isRefusal(owner)) return owner;
  const { data, parts = [] } = given;
  const content: NewContent = data
    ? { kind: 'data', data, parts }
    : { kind: 'empty', locale, dateSystem: 'google', timeZone: context.config.timeZone };
  const imported = (id: string): readonly Statement[] => (data ? importAudit(id, owner, context.clock()) : []);
  const created = await context.documents.create({
    ownerId: owner.id,
    title,
    type,
    format,
    content,
    also: (id) => [...imported(id), bumpAccessEpoch({})],
  });
  if (created.kind === 'refusal') return engineRefusal(created);
  const { settings, sheets } = created.snapshot;
  const names = type === 'table' ? sheets.map((sheet) => sheet.name) : [];
  return { id: created.id, title, type, format, locale: settings.locale, sheets: names };
}

/** A document's locale by its name; the default one without. */
export function localeId(given: string | undefined): LocaleId | Refusal {
  return oneOf('locale', LOCALE_IDS, given ?? DEFAULT_LOCALE);
}

function oneOf<T extends string>(field: string, choices: readonly T[], given: string): T | Refusal {
  const found = choices.find((choice) => choice === given);
  return found ?? invalidRequest(field, `There is no ${field} ${given}; choose from ${choices.join(', ')}`);
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
  const role = oneOf('role', [...SHARED_ROLES, 'none'] as const, given);
  if (isRefusal(role)) return role;
  const row = await findDocument(context, document);
  if (isRefusal(row)) return row;
  const user = await findUser(context, text);
  if (isRefusal(user)) return user;
  if (user.id === row.owner_id) return invalidRequest('user', `${text} owns the document and has every right`);
  const place = { document_id: row.id, user_id: user.id };
  const changes = role === 'none' ? [deleteShare(place), deactivateOfUser(place)] : [setShare({ ...place, role })];
  const refusal = await changeSharing(context, row.id, {
    statements: changes,
    sharing: (before) => {
      const others = before.sharedWith.filter((other) => other !== user.id);
      return { ...before, sharedWith: role === 'none' ? others : [...others, user.id] };
    },
  });
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
  const removed = await context.documents.remove(row.id, [bumpAccessEpoch({})]);
  return removed ? { id: row.id } : invalidRequest('document', `There is no document ${document}`);
}
