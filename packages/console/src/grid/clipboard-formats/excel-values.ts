import { isFormat } from '@cellwire/engine';

/** A number format in Excel's HTML. */
export interface ExcelFormat {
  readonly code: string;
  /** True if Excel names the format only, and each language displays it in its own way. */
  readonly isLocal: boolean;
}

/** The decimal mark and the thousands separator of displayed numbers. */
export interface ExcelSeparators {
  readonly decimal: string;
  readonly thousands: string;
}

/** Formats that Excel writes by name. */
const NAMED_FORMATS: Readonly<Record<string, ExcelFormat>> = {
  General: { code: 'General', isLocal: false },
  Fixed: { code: '0.00', isLocal: false },
  Standard: { code: '#,##0.00', isLocal: false },
  Percent: { code: '0.00%', isLocal: false },
  Scientific: { code: '0.00E+00', isLocal: false },
  'Short Date': { code: 'm/d/yyyy', isLocal: true },
  'Medium Date': { code: 'd-mmm-yy', isLocal: true },
  'Short Time': { code: 'h:mm', isLocal: true },
  'Long Time': { code: 'h:mm:ss AM/PM', isLocal: true },
};

/** Most significant digits of a number. A text with more of them is not a number. */
const MAX_DIGITS = 15;

/** Reads a property of Excel's CSS (`mso-number-format:"\#\,\#\#0\.00"`); undefined if it is missing. */
function readProperty(rules: string, name: string): string | undefined {
  const match = new RegExp(`${name}:\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|'((?:[^'\\\\]|\\\\.)*)'|([^;}]+))`).exec(rules);
  return match === null ? undefined : (match[1] ?? match[2] ?? (match[3] ?? '').trim());
}

/** Removes the escapes of CSS text. */
function unescapeCss(text: string): string {
  return text
    .replace(/\\([0-9a-f]{4})/gi, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replace(/\\(.)/g, '$1');
}

/** Reads the number format from Excel's CSS; undefined if there is none that is supported. */
export function readExcelFormat(rules: string): ExcelFormat | undefined {
  const cssFormat = readProperty(rules, 'mso-number-format')?.trim();
  if (cssFormat === undefined) return undefined;
  const code = unescapeCss(cssFormat);
  return NAMED_FORMATS[cssFormat] ?? (isFormat(code) ? { code, isLocal: false } : undefined);
}

/** Reads from Excel's CSS how numbers are displayed; null if it does not say it. */
export function readExcelSeparators(styles: string): ExcelSeparators | null {
  const decimal = readProperty(styles, 'mso-displayed-decimal-separator');
  const thousands = readProperty(styles, 'mso-displayed-thousand-separator');
  if (decimal === undefined || thousands === undefined) return null;
  const separators = { decimal: unescapeCss(decimal), thousands: normalizeSpaces(unescapeCss(thousands)) };
  return separators.decimal.length === 1 && separators.thousands.length === 1 ? separators : null;
}

function normalizeSpaces(text: string): string {
  return text.replace(/[\u00a0\u202f]/g, ' ');
}

/**
 * Reads a displayed number or date by the separators and the format of its cell, because the locale of the document may
 * read it differently (`1,234` is 1.234 in German). Null if it is neither, or if its form depends on a language.
 */
export function readExcelValue(
  displayedText: string,
  format: ExcelFormat | undefined,
  separators: ExcelSeparators | null,
): number | string | null {
  const date = format === undefined || format.isLocal ? null : readDate(displayedText, format.code);
  if (date !== null || separators === null || format?.isLocal === true) return date;
  return readNumber(displayedText, format?.code ?? '', separators);
}

function readNumber(displayedText: string, code: string, { decimal, thousands }: ExcelSeparators): number | null {
  const text = normalizeSpaces(displayedText);
  const sign = text.startsWith('-') ? '-' : '';
  const isPercent = text.endsWith('%');
  if (isPercent && !code.includes('%')) return null;
  const [whole = '', fraction, ...rest] = text.slice(sign.length, isPercent ? -1 : undefined).split(decimal);
  const groups = whole.split(thousands);
  const isGrouped = groups.every((group, i) => (i === 0 ? /^\d{1,3}$/ : /^\d{3}$/).test(group));
  const digits = groups.join('');
  if (rest.length > 0 || !(isGrouped || /^\d+$/.test(whole)) || !/^(?:0|[1-9]\d*)$/.test(digits)) return null;
  if (fraction !== undefined && !/^\d+$/.test(fraction)) return null;
  if (digits.length + (fraction?.length ?? 0) > MAX_DIGITS) return null;
  return Number(`${sign}${digits}.${fraction ?? '0'}e${isPercent ? -2 : 0}`);
}

/** Reads a date in a format of days, months and years as numbers. Returns it in ISO form. */
function readDate(text: string, code: string): string | null {
  const parts = /^(d{1,2}|m{1,2}|y{4})([-./ ])(d{1,2}|m{1,2})\2(d{1,2}|m{1,2}|y{4})(?:;@)?$/i.exec(code);
  const numbers = /^(\d{1,4})([-./ ])(\d{1,2})\2(\d{1,4})$/.exec(text);
  if (parts === null || numbers === null || parts[2] !== numbers[2]) return null;
  const byName = new Map([1, 3, 4].map((i) => [parts[i]?.charAt(0).toLowerCase(), numbers[i] ?? '']));
  const [year, month, day] = [byName.get('y'), byName.get('m'), byName.get('d')];
  if (year === undefined || month === undefined || day === undefined || year.length !== 4) return null;
  const iso = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  return Number.isNaN(Date.parse(iso)) ? null : iso;
}
