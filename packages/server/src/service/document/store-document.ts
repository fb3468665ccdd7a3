import { LOCALE_IDS, type LocaleId } from '@cellwire/engine';
import type { Statement } from '@cellwire/store';
import { userById } from '@cellwire/store/accounts';
import type { InputLocale } from '../../access/input-locale.ts';
import type { Config } from '../../config/types.ts';
import type { DocumentDraft, NewContent } from '../../documents/types.ts';
import { MAX_NAME_LENGTH } from '../../limits/http.ts';
import { parseInputLocale } from '../cells/input-locale.ts';
import type { CommitConflict } from '../commit-loop.ts';
import type { ServiceContext } from '../context.ts';
import { toApiRefusal } from '../engine-refusal.ts';
import { invalidRequest, isRefusal, type Refusal } from '../refusal.ts';

type CreationContext = Pick<ServiceContext, 'config' | 'documents'>;

/** The requested settings of a new document, not validated. */
export interface DocumentRequest {
  readonly title: string;
  readonly type?: string | undefined;
  readonly format?: string | undefined;
  readonly locale?: string | undefined;
  readonly inputLocale?: string | undefined;
}

/** Validated settings of a new document. */
export interface NewDocumentSettings {
  readonly title: string;
  readonly type: 'table' | 'text';
  readonly format: 'collaborative' | 'legacy';
  readonly locale: LocaleId;
  /** The locale of typed texts; null: the API's grammar. */
  readonly inputLocale: InputLocale | null;
}

export interface CreatedDocument extends Omit<NewDocumentSettings, 'inputLocale'> {
  /** Absent: not requested. */
  readonly inputLocale?: InputLocale;
  readonly id: string;
  /** Sheet names, in order; empty if the document is not a table. */
  readonly sheets: readonly string[];
}

const TYPES = ['table', 'text'] as const;
const FORMATS = ['collaborative', 'legacy'] as const;
const CONTROL = /\p{Cc}/u;

/** Validates the requested settings. */
export function parseDocumentSettings(
  request: DocumentRequest,
  config: Pick<Config, 'locale'>,
): NewDocumentSettings | Refusal {
  const title = parseTitle(request.title);
  if (isRefusal(title)) return title;
  const type = parseChoice('type', TYPES, request.type ?? 'table');
  if (isRefusal(type)) return type;
  const format = parseChoice('format', FORMATS, request.format ?? 'collaborative');
  if (isRefusal(format)) return format;
  const locale = parseLocale(request.locale, config);
  if (isRefusal(locale)) return locale;
  const inputLocale = parseInputLocale(request.inputLocale);
  return isRefusal(inputLocale) ? inputLocale : { title, type, format, locale, inputLocale };
}

/** Normalizes a title, or refuses it. */
export function parseTitle(text: string): string | Refusal {
  const title = text.trim();
  if (title === '' || [...title].length > MAX_NAME_LENGTH) {
    return invalidRequest('title', `A title must have 1 to ${MAX_NAME_LENGTH} characters`);
  }
  if (CONTROL.test(title) || !title.isWellFormed()) {
    return invalidRequest('title', 'A title must not contain control characters or half of a surrogate pair');
  }
  return title;
}

/** Parses a locale name; without one, the default locale of new documents. */
export function parseLocale(text: string | undefined, config: Pick<Config, 'locale'>): LocaleId | Refusal {
  return parseChoice('locale', LOCALE_IDS, text ?? config.locale);
}

export function parseChoice<T extends string>(field: string, choices: readonly T[], text: string): T | Refusal {
  const found = choices.find((choice) => choice === text);
  return found ?? invalidRequest(field, `There is no ${field} ${text}; choose from ${choices.join(', ')}`);
}

/** The locale of a user's new document: as requested, else the workspace's; undefined: the service's. */
export async function chooseNewLocale(
  { database }: Pick<ServiceContext, 'database'>,
  user: number,
  requested: string | undefined,
): Promise<string | undefined> {
  if (requested !== undefined) return requested;
  return (await database.readOne(userById({ id: user })))?.workspace_locale ?? undefined;
}

/**
 * Stores a new document. `extraStatements`: further statements of the unit that makes it visible. Conflict: one of
 * their guards failed.
 */
export async function storeNewDocument(
  { config, documents }: CreationContext,
  ownerId: number,
  { title, type, format, locale, inputLocale }: NewDocumentSettings,
  content: NewContent | null,
  extraStatements: (draft: DocumentDraft) => readonly Statement[],
): Promise<CreatedDocument | Refusal | CommitConflict> {
  const outcome = await documents.create({
    ownerId,
    title,
    type,
    format,
    inputLocale,
    content: content ?? { kind: 'empty', locale, dateSystem: 'google', timeZone: config.timeZone },
    // Access caches stay valid: no one can have requested this document before.
    extraStatements,
  });
  if (outcome.kind === 'refusal') return toApiRefusal(outcome);
  if (outcome.kind === 'conflict') return outcome;
  const { settings, sheets } = outcome.state;
  return {
    id: outcome.id,
    title,
    type,
    format,
    locale: settings.locale,
    sheets: type === 'table' ? sheets : [],
    ...(inputLocale && { inputLocale }),
  };
}
