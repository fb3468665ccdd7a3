export {
  countDaysInMonth,
  isLeapYear,
  splitSerial,
  toCalendarDate,
  toDateSerial,
  toValidSerial,
  toWeekday,
} from './calendar.ts';
export type { DateSystem } from './date-system.ts';
export { formatForDisplay, formatText } from './display.ts';
export {
  type FormatClass,
  type FormatHint,
  formatClass,
  getDefaultFormat,
  isDateFormat,
  isElapsedFormat,
} from './format-class.ts';
export { isFormat } from './format-library.ts';
export { findOtherLocale, recogniseAs } from './local-input.ts';
export { getLocale, LOCALE_IDS, LOCALES, type Locale, type LocaleId } from './locales.ts';
export {
  countGeneralDecimals,
  formatGeneralDisplay,
  formatGeneralText,
  formatLocalNumber,
  MAX_ROUNDED,
  MIN_ROUNDED,
  scaleToWhole,
} from './number-text.ts';
export { type RecognisedInput, readPlainNumber, recognise, recogniseDate } from './recognise.ts';
export { parseDateText, parseNumberText } from './text-number.ts';
export { instantToSerial } from './zone.ts';
