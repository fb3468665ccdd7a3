/** The locales a document can have. */
export const LOCALE_IDS = ['ru-RU', 'en-US', 'en-GB', 'de-DE', 'fr-FR', 'es-ES', 'it-IT'] as const;
/** One of `LOCALE_IDS`: a BCP 47 tag. */
export type LocaleId = (typeof LOCALE_IDS)[number];

/** The properties of a locale that input and display depend on. */
export interface Locale {
  readonly id: LocaleId;
  /** The language tag of the number format library. */
  readonly tag: string;
  /** Decimal mark and group mark for display. */
  readonly decimal: ',' | '.';
  readonly group: ' ' | '.' | ',' | "'";
  /** Order of slash dates: `31/12/2026` or `12/31/2026`. */
  readonly slashOrder: 'dmy' | 'mdy';
  /** The format code of the short date, which is the default for dates. */
  readonly dateFormat: string;
  /** Letters of date codes that differ from the English ones; lower case. */
  readonly dateLetters: Readonly<Record<string, 'y' | 'm' | 'd' | 'h' | 's'>>;
  /** Words for the General format, in lower case. */
  readonly generalWords: readonly string[];
  /** Words for TRUE and FALSE in addition to the English ones, upper case. */
  readonly trueWords: readonly string[];
  readonly falseWords: readonly string[];
  /** The currency sign that input recognises, and the number format it sets. */
  readonly currencySign: string;
  readonly currencyFormat: string;
  /** The default sheet name before its number. */
  readonly sheetWord: string;
}

/**
 * All locales by id. Marks and words follow Unicode CLDR, except for the group mark of `ru-RU` and `fr-FR`: CLDR has a
 * no-break space, the service shows an ordinary one. Short dates follow Excel in the region.
 */
export const LOCALES: Readonly<Record<LocaleId, Locale>> = {
  'ru-RU': {
    id: 'ru-RU',
    tag: 'ru-RU',
    decimal: ',',
    group: ' ',
    slashOrder: 'dmy',
    dateFormat: 'dd.mm.yyyy',
    dateLetters: { г: 'y', м: 'm', д: 'd', ч: 'h', с: 's' },
    generalWords: ['основной'],
    trueWords: ['ИСТИНА'],
    falseWords: ['ЛОЖЬ'],
    currencySign: '₽',
    currencyFormat: '#,##0.00 "₽"',
    sheetWord: 'Лист',
  },
  'en-US': {
    id: 'en-US',
    tag: 'en-US',
    decimal: '.',
    group: ',',
    slashOrder: 'mdy',
    dateFormat: 'm/d/yyyy',
    dateLetters: {},
    generalWords: [],
    trueWords: [],
    falseWords: [],
    currencySign: '$',
    currencyFormat: '"$"#,##0.00',
    sheetWord: 'Sheet',
  },
  'en-GB': {
    id: 'en-GB',
    tag: 'en-GB',
    decimal: '.',
    group: ',',
    slashOrder: 'dmy',
    dateFormat: 'dd/mm/yyyy',
    dateLetters: {},
    generalWords: [],
    trueWords: [],
    falseWords: [],
    currencySign: '£',
    currencyFormat: '"£"#,##0.00',
    sheetWord: 'Sheet',
  },
  'de-DE': {
    id: 'de-DE',
    tag: 'de-DE',
    decimal: ',',
    group: '.',
    slashOrder: 'dmy',
    dateFormat: 'dd.mm.yyyy',
    dateLetters: { j: 'y', t: 'd' },
    generalWords: ['standard'],
    trueWords: ['WAHR'],
    falseWords: ['FALSCH'],
    currencySign: '€',
    currencyFormat: '#,##0.00 "€"',
    sheetWord: 'Sheet',
  },
  'fr-FR': {
    id: 'fr-FR',
    tag: 'fr-FR',
    decimal: ',',
    group: ' ',
    slashOrder: 'dmy',
    dateFormat: 'dd/mm/yyyy',
    dateLetters: { a: 'y', j: 'd' },
    generalWords: ['standard'],
    trueWords: ['VRAI'],
    falseWords: ['FAUX'],
    currencySign: '€',
    currencyFormat: '#,##0.00 "€"',
    sheetWord: 'Sheet',
  },
  'es-ES': {
    id: 'es-ES',
    tag: 'es-ES',
    decimal: ',',
    group: '.',
    slashOrder: 'dmy',
    dateFormat: 'dd/mm/yyyy',
    dateLetters: { a: 'y' },
    generalWords: ['estándar'],
    trueWords: ['VERDADERO'],
    falseWords: ['FALSO'],
    currencySign: '€',
    currencyFormat: '#,##0.00 "€"',
    sheetWord: 'Sheet',
  },
  'it-IT': {
    id: 'it-IT',
    tag: 'it-IT',
    decimal: ',',
    group: '.',
    slashOrder: 'dmy',
    dateFormat: 'dd/mm/yyyy',
    dateLetters: { a: 'y', g: 'd' },
    generalWords: ['standard', 'generale'],
    trueWords: ['VERO'],
    falseWords: ['FALSO'],
    currencySign: '€',
    currencyFormat: '#,##0.00 "€"',
    sheetWord: 'Sheet',
  },
};

/** The properties of a locale. */
export function getLocale(id: LocaleId): Locale {
  return LOCALES[id];
}
