export { calendarDate, daysInMonth, isLeapYear, partsOf, serialOf, weekdayOf } from './calendar.ts';
export type { DateSystem } from './date-system.ts';
export { display, formatText } from './display.ts';
export {
  defaultFormat,
  type FormatClass,
  type FormatHint,
  formatClass,
  isDateFormat,
  isElapsedFormat,
} from './format-class.ts';
export { isFormat } from './library.ts';
export { findOtherLocale, recogniseAs } from './local-input.ts';
export { LOCALE_IDS, LOCALES, type Locale, type LocaleId, localeOf } from './locales.ts';
export {
  generalDecimals,
  generalDisplay,
  generalScaled,
  generalText,
  MAX_ROUNDED,
  MIN_ROUNDED,
  numberText,
} from './number-text.ts';
export { type RecognisedInput, recognise, recogniseDate } from './recognise.ts';
export { dateFromText, numberFromText } from './text-number.ts';
export { serialOfInstant } from './zone.ts';
