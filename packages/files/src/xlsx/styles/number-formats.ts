import { getLocale, type LocaleId } from '@cellwire/engine';

/**
 * The codes of the built-in number format ids (ECMA-376 part 1, §18.8.30) as Excel shows them for en-US. Files contain
 * only the ids of these formats. Ids 14 and 22 are missing: Excel shows them with the short date of the user's region.
 */
const BUILT_IN: Readonly<Record<number, string>> = {
  1: '0',
  2: '0.00',
  3: '#,##0',
  4: '#,##0.00',
  5: '"$"#,##0_);\\("$"#,##0\\)',
  6: '"$"#,##0_);[Red]\\("$"#,##0\\)',
  7: '"$"#,##0.00_);\\("$"#,##0.00\\)',
  8: '"$"#,##0.00_);[Red]\\("$"#,##0.00\\)',
  9: '0%',
  10: '0.00%',
  11: '0.00E+00',
  12: '# ?/?',
  13: '# ??/??',
  15: 'd-mmm-yy',
  16: 'd-mmm',
  17: 'mmm-yy',
  18: 'h:mm AM/PM',
  19: 'h:mm:ss AM/PM',
  20: 'h:mm',
  21: 'h:mm:ss',
  37: '#,##0_);(#,##0)',
  38: '#,##0_);[Red](#,##0)',
  39: '#,##0.00_);(#,##0.00)',
  40: '#,##0.00_);[Red](#,##0.00)',
  41: '_(* #,##0_);_(* \\(#,##0\\);_(* "-"_);_(@_)',
  42: '_("$"* #,##0_);_("$"* \\(#,##0\\);_("$"* "-"_);_(@_)',
  43: '_(* #,##0.00_);_(* \\(#,##0.00\\);_(* "-"??_);_(@_)',
  44: '_("$"* #,##0.00_);_("$"* \\(#,##0.00\\);_("$"* "-"??_);_(@_)',
  45: 'mm:ss',
  46: '[h]:mm:ss',
  47: 'mm:ss.0',
  48: '##0.0E+0',
  49: '@',
};

const REGIONAL_DATE = 14;
const REGIONAL_DATE_AND_TIME = 22;

/** East Asian date and time ids, whose codes depend on the language: converted to plain dates and times. */
const EAST_ASIAN_DATES = new Set([27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58]);
const EAST_ASIAN_TIMES = new Set([32, 33, 34, 35, 55, 56]);

/** First id of custom formats of a file. */
export const FIRST_CUSTOM_ID = 164;

/** Returns the code of a built-in id in a document's locale; undefined for General and for undefined ids. */
export function findBuiltInFormat(id: number, locale: LocaleId): string | undefined {
  if (id === REGIONAL_DATE || EAST_ASIAN_DATES.has(id)) return getLocale(locale).dateFormat;
  if (id === REGIONAL_DATE_AND_TIME) return `${getLocale(locale).dateFormat} h:mm`;
  if (EAST_ASIAN_TIMES.has(id)) return BUILT_IN[21];
  return BUILT_IN[id];
}

/**
 * True if the display of a built-in id depends on the user's region. Its code in a document is that of the document's
 * locale.
 */
export function isRegionalFormat(id: number): boolean {
  const isDate = id === REGIONAL_DATE || id === REGIONAL_DATE_AND_TIME;
  return isDate || EAST_ASIAN_DATES.has(id) || EAST_ASIAN_TIMES.has(id);
}

const IDS = new Map(Object.entries(BUILT_IN).map(([id, code]) => [code, Number(id)]));

/**
 * Returns the built-in id of a code; undefined for custom codes. Never returns a regional id, because users in other
 * regions would see another date.
 */
export function findBuiltInId(code: string): number | undefined {
  return IDS.get(code);
}

/**
 * True if a file must also contain the code of a built-in id, because the meaning of the id differs between regions in
 * currency or negative numbers.
 */
export function isCodeWritten(id: number): boolean {
  return (id >= 5 && id <= 8) || (id >= 37 && id <= 44);
}

/** Returns the code of a format; undefined for General in any spelling. */
export function normalizeFormatCode(code: string): string | undefined {
  return code === '' || code.toLowerCase() === 'general' ? undefined : code;
}
