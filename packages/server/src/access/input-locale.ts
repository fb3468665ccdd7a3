import { LOCALE_IDS, type LocaleId } from '@cellwire/engine';

/** Locale for typed texts and shown formulas; `document`: the document's own. */
export type InputLocale = LocaleId | 'document';

export const INPUT_LOCALES: readonly InputLocale[] = [...LOCALE_IDS, 'document'];

/** Parses a stored value. A value of another version that is unknown here becomes null. */
export function parseStoredLocale(stored: string | null): InputLocale | null {
  return INPUT_LOCALES.find((one) => one === stored) ?? null;
}
