import { en } from './en.ts';
import { ru } from './ru.ts';
import { translateToRussian } from './ru-service.ts';
import type { ConsoleTexts } from './texts.ts';

export const LANGUAGES = { en: 'English', ru: 'Русский' } as const;
export type Language = keyof typeof LANGUAGES;

const STORAGE_KEY = 'cellwire.language';

function chooseInitialLanguage(): Language {
  const stored = localStorage.getItem(STORAGE_KEY);
  if (stored === 'en' || stored === 'ru') return stored;
  return navigator.languages.some((language) => language.toLowerCase().startsWith('ru')) ? 'ru' : 'en';
}

/** Language of this page. A change reloads the page. */
export const language: Language = chooseInitialLanguage();
export const t: ConsoleTexts = language === 'ru' ? ru : en;

/** A message of the service in the language of the page; unchanged if there is no translation. */
export function translateServiceText(message: string): string {
  return language === 'ru' ? (translateToRussian(message) ?? message) : message;
}

export function chooseLanguage(next: Language): void {
  localStorage.setItem(STORAGE_KEY, next);
  location.reload();
}

const DATES = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' });
const DAYS = new Intl.DateTimeFormat(language, { dateStyle: 'medium' });
const TIMES = new Intl.DateTimeFormat(language, { timeStyle: 'short' });
const NUMBERS = new Intl.NumberFormat(language, { maximumFractionDigits: 6 });
const RELATIVE_TIMES = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });

export function formatDate(iso: string): string {
  return DATES.format(new Date(iso));
}

export function formatDay(iso: string): string {
  return DAYS.format(new Date(iso));
}

export function formatTime(iso: string): string {
  return TIMES.format(new Date(iso));
}

export function formatLocalNumber(value: number): string {
  return NUMBERS.format(value);
}

/** Formats a number in a document's locale; null if the locale is unknown. */
export function formatCellNumber(value: number, locale: string | null, options?: Intl.NumberFormatOptions): string {
  return new Intl.NumberFormat(locale ?? language, { maximumFractionDigits: 6, ...options }).format(value);
}

const LOCALE_NAMES = new Intl.DisplayNames(language, { type: 'language', languageDisplay: 'standard' });

/** Name of a locale, such as “English (United States)”. */
export function describeLocale(locale: string): string {
  return LOCALE_NAMES.of(locale) ?? locale;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Relative time within the last week, else the day. */
export function formatRelativeTime(iso: string): string {
  const elapsedMs = Date.now() - Date.parse(iso);
  if (elapsedMs < MINUTE) return t.justNow;
  if (elapsedMs < HOUR) return RELATIVE_TIMES.format(-Math.floor(elapsedMs / MINUTE), 'minute');
  if (elapsedMs < DAY) return RELATIVE_TIMES.format(-Math.floor(elapsedMs / HOUR), 'hour');
  if (elapsedMs < 7 * DAY) return RELATIVE_TIMES.format(-Math.floor(elapsedMs / DAY), 'day');
  return formatDay(iso);
}
