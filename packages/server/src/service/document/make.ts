import type { LocaleId } from '@cellwire/engine';
import { LOCALE_IDS } from '@cellwire/engine';
import type { Making, NewContent } from '../../documents/types.ts';
import { MAX_NAME_LENGTH } from '../../limits/http.ts';
import type { Statement } from '../../store/database.ts';
import { bumpAccessEpoch } from '../../store/epoch.ts';
import type { ServiceContext } from '../context.ts';
import { engineRefusal } from '../engine-refusal.ts';
import { invalidRequest, isRefusal, type Refusal } from '../refusal.ts';
import type { Undone } from '../write.ts';

export type MakingContext = Pick<ServiceContext, 'config' | 'documents'>;

/** What a document is to be, as somebody asked for it. */
export interface Wanted {
  readonly title: string;
  readonly type?: string | undefined;
  readonly format?: string | undefined;
  readonly locale?: string | undefined;
}

/** The same, in order. */
export interface Ordered {
  readonly title: string;
  readonly type: 'table' | 'text';
  readonly format: 'collaborative' | 'legacy';
  readonly locale: LocaleId;
}

export interface MadeDocument extends Ordered {
  readonly id: string;
  /** Names, in order; of what is no table none. */
  readonly sheets: readonly string[];
}

const DEFAULT_LOCALE: LocaleId = 'ru-RU';
const TYPES = ['table', 'text'] as const;
const FORMATS = ['collaborative', 'legacy'] as const;
const CONTROL = /\p{Cc}/u;

/** What is asked for, or what is wrong with it. */
export function ordered(wanted: Wanted): Ordered | Refusal {
  const title = documentTitle(wanted.title);
  if (isRefusal(title)) return title;
  const type = oneOf('type', TYPES, wanted.type ?? 'table');
  if (isRefusal(type)) return type;
  const format = oneOf('format', FORMATS, wanted.format ?? 'collaborative');
  if (isRefusal(format)) return format;
  const locale = localeId(wanted.locale);
  return isRefusal(locale) ? locale : { title, type, format, locale };
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

/** A document's locale by its name; the default one without. */
export function localeId(given: string | undefined): LocaleId | Refusal {
  return oneOf('locale', LOCALE_IDS, given ?? DEFAULT_LOCALE);
}

export function oneOf<T extends string>(field: string, choices: readonly T[], given: string): T | Refusal {
  const found = choices.find((choice) => choice === given);
  return found ?? invalidRequest(field, `There is no ${field} ${given}; choose from ${choices.join(', ')}`);
}

/** Makes a document. `also` goes into the unit that makes it visible; conflict: a guard of it did not hold. */
export async function makeDocument(
  { config, documents }: MakingContext,
  ownerId: number,
  { title, type, format, locale }: Ordered,
  content: NewContent | null,
  also: (making: Making) => readonly Statement[],
): Promise<MadeDocument | Refusal | Undone> {
  const created = await documents.create({
    ownerId,
    title,
    type,
    format,
    content: content ?? { kind: 'empty', locale, dateSystem: 'google', timeZone: config.timeZone },
    also: (making) => [...also(making), bumpAccessEpoch({})],
  });
  if (created.kind === 'refusal') return engineRefusal(created);
  if (created.kind === 'conflict') return created;
  const { settings, sheets } = created.state;
  return { id: created.id, title, type, format, locale: settings.locale, sheets: type === 'table' ? sheets : [] };
}
