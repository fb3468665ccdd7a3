import { LOCALE_IDS, type LocaleId } from '@cellwire/engine';

/** By whose habits texts are typed and formulas shown: a locale's, or the document's own. */
export type InputLocale = LocaleId | 'document';

export const INPUT_LOCALES: readonly InputLocale[] = [...LOCALE_IDS, 'document'];

/** As the database has it; what another version wrote there counts as nothing. */
export function storedInputLocale(stored: string | null): InputLocale | null {
  return INPUT_LOCALES.find((one) => one === stored) ?? null;
}
