import {
  type DateSystem,
  findOtherLocale,
  formatClass,
  getDefaultFormat,
  isElapsedFormat,
  type LocaleId,
  recogniseAs,
} from '../locale/index.ts';
import { detectMomentKind, isElapsed, type Moment, parseIsoDate, parseTime, roundToMoment } from '../records/dates.ts';
import { errorByCode } from '../value/errors.ts';
import { isError, type Scalar } from '../value/scalar.ts';
import type { Batch } from './batch.ts';
import type { TypedInput } from './types.ts';

/** The work of reading a text, in calculated cells: one for each 64 characters. */
const TEXT_WORK_LOG2 = 6;

/**
 * Enters a text without `=`, read in a locale or (null) by the API's grammar. Adds a warning if it stays a text but
 * would be a number in another locale.
 */
export function enterText(
  batch: Batch,
  sheet: number,
  row: number,
  column: number,
  input: string,
  typed: LocaleId | null,
): void {
  const { formats, settings } = batch.draft;
  const existing = batch.draft.sheet(sheet)?.format(row, column) ?? 0;
  const kind = formatClass(formats.code(existing));
  if (kind === 'text') return batch.cells.putValue(sheet, row, column, input.startsWith("'") ? input.slice(1) : input);
  const place = { locale: settings.locale, system: settings.dateSystem, percentCell: kind === 'percent' };
  const read = recogniseAs(input, typed, place);
  batch.cells.putValue(sheet, row, column, read.value);
  if (read.format !== undefined && formatClass(read.format) !== kind) {
    batch.cells.setFormat(sheet, row, column, formats.combineStyle(formats.ensureFormat(read.format), existing));
  }
  if (read.value !== input || batch.warnings.isFull) return;
  const other = findOtherLocale(input, typed, place);
  if (other !== null) {
    batch.warnings.addWarning(
      sheet,
      row,
      column,
      `This is stored as a text; with "inputLocale": "${other}" it is a number or a date`,
    );
  }
}

/**
 * Enters a value with an explicit type. If the document's date system does not have a date, it is entered as a text.
 */
export function enterTypedValue(batch: Batch, sheet: number, row: number, column: number, input: TypedInput): void {
  const { as, value } = input;
  batch.meter.reportWork(typeof value === 'string' ? 1 + (value.length >> TEXT_WORK_LOG2) : 1);
  if (as === 'formula') return batch.cells.putFormula(sheet, row, column, String(value));
  const moment = parseMoment(input, batch.draft.settings.dateSystem);
  const scalar = moment?.serial ?? (as === 'error' ? (errorByCode(String(value)) ?? value) : value);
  if (isShownAlready(batch, { sheet, row, column }, scalar, moment)) return;
  batch.cells.putValue(sheet, row, column, scalar === '' ? null : scalar);
  if (moment !== null) showMoment(batch, { sheet, row, column }, moment, as === 'duration');
}

/** The moment of a typed value; null for other types and for texts that are no date or time in the date system. */
function parseMoment({ as, value }: TypedInput, system: DateSystem): Moment | null {
  if (as !== 'date' && as !== 'time' && as !== 'duration') return null;
  const kind = as === 'date' ? 'date' : 'time';
  if (typeof value === 'number') return { kind, serial: value, timed: !Number.isInteger(value) };
  return kind === 'date' ? parseIsoDate(String(value), system) : parseTime(String(value));
}

interface InputPosition {
  readonly sheet: number;
  readonly row: number;
  readonly column: number;
}

/** True if a cell already shows a value in plain form. */
function isShownAlready(
  batch: Batch,
  { sheet, row, column }: InputPosition,
  scalar: Scalar,
  moment: Moment | null,
): boolean {
  const existingSheet = batch.draft.sheet(sheet);
  const value = existingSheet?.value(row, column) ?? null;
  if (existingSheet === undefined || value === null || batch.pending.has(sheet, row, column)) return false;
  // A formula that this batch entered has no result yet, so the previous value is compared.
  const before = batch.draft.base.sheetById(sheet)?.value(row, column) ?? null;
  if (before !== value && !(isError(before) && isError(value))) return false;
  if (isError(value)) return isError(scalar) && value.code === scalar.code;
  if (moment === null || typeof value !== 'number') return value === scalar;
  const kind = detectMomentKind(batch.draft.formats.code(existingSheet.format(row, column)));
  return kind === moment.kind && roundToMoment(value) === roundToMoment(moment.serial);
}

/** Gives a cell a format that shows the moment: the format of the cell above, or a default format. */
function showMoment(batch: Batch, { sheet, row, column }: InputPosition, moment: Moment, isDuration: boolean): void {
  const { formats, settings } = batch.draft;
  const existingSheet = batch.draft.sheet(sheet);
  const format = existingSheet?.format(row, column) ?? 0;
  if (detectMomentKind(formats.code(format)) === moment.kind) return;
  const above = row === 0 ? '' : formats.code(existingSheet?.format(row - 1, column) ?? 0);
  const code = isFittingFormat(above, moment) ? above : chooseMomentFormat(moment, isDuration, settings.locale);
  batch.cells.setFormat(sheet, row, column, formats.combineStyle(formats.ensureFormat(code), format));
}

/** True if the format shows the value completely. A format for times of day does not show elapsed time. */
function isFittingFormat(code: string, { kind, serial }: Moment): boolean {
  if (detectMomentKind(code) !== kind) return false;
  return kind === 'date' || !isElapsed(serial, '') || isElapsedFormat(code);
}

/** The default number format for a moment in a locale. */
function chooseMomentFormat({ kind, serial, timed }: Moment, isDuration: boolean, locale: LocaleId): string {
  if (kind === 'date') return getDefaultFormat(timed ? 'datetime' : 'date', locale);
  return isDuration || isElapsed(serial, '') ? ELAPSED_FORMAT : getDefaultFormat('time', locale);
}

const ELAPSED_FORMAT = '[h]:mm:ss';
