import { type Area, type Edit, getLocale, type Locale, type Sheet, type Snapshot } from '@cellwire/engine';
import { MAX_KEPT_FORMULAS } from '../../limits/google.ts';
import { KINDS, listAttachments } from '../sheets/state.ts';
import { type InputOption, measureWidth, SCIENTIFIC, toTypedInputs, type ValueMatrix } from './matrix.ts';
import { addGroupMode } from './regex-extract.ts';
import { normalizeFormula } from './render.ts';

interface EnteredCells {
  readonly snapshot: Snapshot;
  /** Undefined: a request of the same batch creates the sheet. */
  readonly sheet: Sheet | undefined;
  readonly sheetId: number;
  readonly row: number;
  readonly column: number;
}

/** The cells covered by a matrix; null: none. */
export function computeMatrixArea(matrix: ValueMatrix, row: number, column: number): Area | null {
  const width = measureWidth(matrix);
  if (matrix.length === 0 || width === 0) return null;
  return { top: row, left: column, bottom: row + matrix.length - 1, right: column + width - 1 };
}

/** The edits that enter values according to `RAW` or `USER_ENTERED`. */
export function enterValues(matrix: ValueMatrix, target: EnteredCells, option: InputOption): readonly Edit[] {
  const { snapshot, sheet, sheetId, row, column } = target;
  const isRaw = option === 'RAW';
  const values = isRaw
    ? matrix
    : toTypedInputs(matrix, { snapshot, sheet, row, column }).map((line) => line.map(toStoredInput));
  const edit: Edit = {
    kind: 'setValues',
    sheet: sheetId,
    row,
    column,
    values,
    mode: isRaw ? 'raw' : 'user',
    locale: snapshot.settings.locale,
  };
  return [
    edit,
    ...(isRaw ? [] : buildTypedFormats(matrix, target)),
    ...storeFormulaTexts(isRaw ? [] : matrix, target, computeMatrixArea(matrix, row, column)),
  ];
}

/** A time of the day, with or without seconds and AM or PM. */
const TIME = /^(\d{1,2}):\d{2}(:\d{2})?(\s*[AaPp][Mm])?$/;
const HOURS = 24;

/** The format of a typed time: it shows the parts that were typed. */
function guessTimeFormat(text: string): string | null {
  const [, hour, seconds, half] = TIME.exec(text) ?? [];
  if (hour === undefined || Number(hour) >= HOURS) return null;
  return `h:mm${seconds === undefined ? '' : ':ss'}${half === undefined ? '' : ' AM/PM'}`;
}

/** An amount without its currency sign. */
const WHOLE_AMOUNT = /^[+-]?\s*\d[\d.,\s]*$/;

const ISO_DATE = /^\s*\d{4}-\d{1,2}-\d{1,2}(\s+\d{1,2}:\d{2}(:\d{2})?)?\s*$/;

/** Formats that Google assigns because of a typed value's notation, and the service does not. */
function guessTypedFormat(text: string, { group, decimal, currencySign, currencyFormat }: Locale): string | null {
  const date = ISO_DATE.exec(text);
  if (date !== null)
    return date[1] === undefined ? 'yyyy-mm-dd' : `yyyy-mm-dd h:mm${date[2] === undefined ? '' : ':ss'}`;
  const digits = text.trim();
  const time = guessTimeFormat(digits);
  if (time !== null) return time;
  if (digits.includes(currencySign)) {
    const isWhole = WHOLE_AMOUNT.test(digits.replace(currencySign, '')) && !digits.includes(decimal);
    return isWhole ? currencyFormat.replace('0.00', '0') : null;
  }
  if (SCIENTIFIC.test(digits) && !digits.includes(decimal === ',' ? '.' : ',')) return '0.00E+00';
  if (!digits.includes(group)) return null;
  const [whole = '', part, ...more] = digits.replace(/^[+-]/, '').split(decimal);
  const groups = whole.split(group);
  const isGrouped = groups.every((one, i) => (i === 0 ? /^\d{1,3}$/ : /^\d{3}$/).test(one));
  if (!isGrouped || groups.length < 2 || more.length > 0 || (part !== undefined && !/^\d*$/.test(part))) return null;
  return part === undefined ? '#,##0' : '#,##0.00';
}

/** Sets the format implied by a typed value on cells without a format of their own. */
function buildTypedFormats(
  matrix: ValueMatrix,
  { snapshot, sheet, sheetId, row, column }: EnteredCells,
): readonly Edit[] {
  const edits: Extract<Edit, { readonly kind: 'setFormat' }>[] = [];
  const locale = getLocale(snapshot.settings.locale);
  const width = measureWidth(matrix);
  for (let c = 0; c < width; c++) {
    for (const [r, line] of matrix.entries()) {
      const value = line[c];
      const format =
        typeof value === 'string' && STARTS_LIKE_NUMBER.test(value) ? guessTypedFormat(value, locale) : null;
      if (format === null) continue;
      const [top, left] = [row + r, column + c];
      if (sheet !== undefined && !snapshot.formats.isGeneral(sheet.format(top, left))) continue;
      const last = edits.at(-1);
      const goesOn = last?.format === format && last.area.left === left && last.area.bottom === top - 1;
      const area = { top: goesOn ? last.area.top : top, left, bottom: top, right: left };
      if (goesOn) edits.pop();
      edits.push({ kind: 'setFormat', sheet: sheetId, area, format });
    }
  }
  return edits;
}

const STARTS_LIKE_NUMBER = /^\s*[+-]?[$€£₽]?\d/;

/** A formula in the form that the document stores; any other value is returned unchanged. */
function toStoredInput<T>(value: T): T | string {
  return typeof value === 'string' && value.startsWith('=') ? addGroupMode(value) : value;
}

/**
 * Stores the original text of formulas that the document would display differently. `matrix`: the values written into
 * the area; null leaves a cell unchanged.
 */
export function storeFormulaTexts(
  matrix: ValueMatrix,
  { sheet, sheetId, row, column }: Omit<EnteredCells, 'snapshot'>,
  area: Area | null,
): readonly Edit[] {
  if (area === null) return [];
  const typed = matrix.flatMap((line, r) =>
    line.flatMap((value, c) => {
      if (typeof value !== 'string' || !value.startsWith('=') || value === normalizeFormula(value)) return [];
      const [top, left] = [row + r, column + c];
      return [{ areas: [{ top, left, bottom: top, right: left }], texts: [value] }];
    }),
  );
  const stored = sheet === undefined ? [] : listAttachments(sheet, KINDS.formula);
  if (stored.length === 0 && typed.length === 0) return [];
  const untouched = stored.filter(({ areas: [cell] }) => {
    if (cell === undefined || cell.top < area.top || cell.top > area.bottom) return false;
    if (cell.left < area.left || cell.left > area.right) return false;
    return (matrix[cell.top - row]?.[cell.left - column] ?? null) === null;
  });
  const keptTexts = untouched.map(({ areas, texts }) => ({ areas, texts }));
  const attachments = stored.length + typed.length > MAX_KEPT_FORMULAS ? [] : [...keptTexts, ...typed];
  return [{ kind: 'attach', sheet: sheetId, attachment: KINDS.formula, key: null, within: area, attachments }];
}
