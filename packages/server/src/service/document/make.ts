import { LOCALE_IDS, type LocaleId } from '@cellwire/engine';
import type { Statement } from '@cellwire/store';
import { userById } from '@cellwire/store/accounts';
import type { InputLocale } from '../../access/input-locale.ts';
import type { Config } from '../../config/types.ts';
import type { DocumentDraft, NewContent } from '../../documents/types.ts';
import { MAX_NAME_LENGTH } from '../../limits/http.ts';
import { inputLocaleNamed } from '../cells/input-locale.ts';
import type { Undone } from '../commit-loop.ts';
import type { ServiceContext } from '../context.ts';
import { engineRefusal } from '../engine-refusal.ts';
import { invalidRequest, isRefusal, type Refusal } from '../refusal.ts';

type MakingContext = Pick<ServiceContext, 'config' | 'documents'>;

/** What a document is to be, as somebody asked for it. */
export interface Wanted {
  readonly title: string;
  readonly type?: string | undefined;
  readonly format?: string | undefined;
  readonly locale?: string | undefined;
  readonly inputLocale?: string | undefined;
}

/** The same, in order. */
export interface Ordered {
  readonly title: string;
  readonly type: 'table' | 'text';
  readonly format: 'collaborative' | 'legacy';
  readonly locale: LocaleId;
  /** By whose habits texts are typed into it; null: by the API's grammar. */
  readonly inputLocale: InputLocale | null;
}

export interface MadeDocument extends Omit<Ordered, 'inputLocale'> {
  /** Absent: none was asked for. */
  readonly inputLocale?: InputLocale;
  readonly id: string;
  /** Names, in order; of what is no table none. */
  readonly sheets: readonly string[];
}

const TYPES = ['table', 'text'] as const;
const FORMATS = ['collaborative', 'legacy'] as const;
const CONTROL = /\p{Cc}/u;

/** What is asked for, or what is wrong with it. */
export function ordered(wanted: Wanted, config: Pick<Config, 'locale'>): Ordered | Refusal {
  const title = documentTitle(wanted.title);
  if (isRefusal(title)) return title;
  const type = oneOf('type', TYPES, wanted.type ?? 'table');
  if (isRefusal(type)) return type;
  const format = oneOf('format', FORMATS, wanted.format ?? 'collaborative');
  if (isRefusal(format)) return format;
  const locale = localeId(wanted.locale, config);
  if (isRefusal(locale)) return locale;
  const inputLocale = inputLocaleNamed(wanted.inputLocale);
  return isRefusal(inputLocale) ? inputLocale : { title, type, format, locale, inputLocale };
}

/** A title as it is stored, or what is wrong with it. */
export function documentTitle(given: string): string | Refusal {
  const title = given.trim();
  if (title === '' || [...title].length > MAX_NAME_LENGTH) {
    return invalidRequest('title', `A title must have 1 to ${MAX_NAME_LENGTH} characters`);
  }
  if (CONTROL.test(title) || !title.isWellFormed()) {
    return invalidRequest('title', 'A title must not hold control characters, nor half of a surrogate pair');
  }
  return title;
}

/** A document's locale by its name; the one of new documents without. */
export function localeId(given: string | undefined, config: Pick<Config, 'locale'>): LocaleId | Refusal {
  return oneOf('locale', LOCALE_IDS, given ?? config.locale);
}

export function oneOf<T extends string>(field: string, choices: readonly T[], given: string): T | Refusal {
  const found = choices.find((choice) => choice === given);
  return found ?? invalidRequest(field, `There is no ${field} ${given}; choose from ${choices.join(', ')}`);
}

/** The locale of a user's new document: as given, else the workspace's; undefined: the service's. */
export async function localeOfNew(
  { database }: Pick<ServiceContext, 'database'>,
  user: number,
  given: string | undefined,
): Promise<string | undefined> {
  if (given !== undefined) return given;
  return (await database.readOne(userById({ id: user })))?.workspace_locale ?? undefined;
}

/** Makes a document. `also` goes into the unit that makes it visible; conflict: a guard of it did not hold. */
export async function makeDocument(
  { config, documents }: MakingContext,
  ownerId: number,
  { title, type, format, locale, inputLocale }: Ordered,
  content: NewContent | null,
  also: (making: DocumentDraft) => readonly Statement[],
): Promise<MadeDocument | Refusal | Undone> {
  const created = await documents.create({
    ownerId,
    title,
    type,
    format,
    inputLocale,
    content: content ?? { kind: 'empty', locale, dateSystem: 'google', timeZone: config.timeZone },
    // What is known of access elsewhere stays as it is: nobody can have asked for this document before.
    also,
  });
  if (created.kind === 'refusal') return engineRefusal(created);
  if (created.kind === 'conflict') return created;
  const { settings, sheets } = created.state;
  return {
    id: created.id,
    title,
    type,
    format,
    locale: settings.locale,
    sheets: type === 'table' ? sheets : [],
    ...(inputLocale && { inputLocale }),
  };
}
