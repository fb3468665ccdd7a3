/** The locales a document can have. */
export const LOCALE_IDS = ['ru-RU', 'en-US', 'en-GB', 'de-DE', 'fr-FR', 'es-ES', 'it-IT'] as const;
export type LocaleId = (typeof LOCALE_IDS)[number];

/** What input and display need to know of a locale. */
export interface Locale {
  readonly id: LocaleId;
  /** The language tag of the number format library. */
  readonly tag: string;
  /** Decimal mark and group mark as displayed. */
  readonly decimal: ',' | '.';
  readonly group: ' ' | '.' | ',' | "'";
  /** Order of slash dates: `31/12/2026` or `12/31/2026`. */
  readonly slashOrder: 'dmy' | 'mdy';
  /** Words typed for TRUE and FALSE, upper case, beside the English ones. */
  readonly trueWords: readonly string[];
  readonly falseWords: readonly string[];
  /** The currency sign that input recognises, and the number format it sets. */
  readonly currencySign: string;
  readonly currencyFormat: string;
  /** Default sheet name before its number. */
  readonly sheetWord: string;
}
