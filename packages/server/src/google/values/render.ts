import {
  cellView,
  type ErrorCode,
  formatClass,
  getGrammar,
  getLocale,
  isDateFormat,
  isError,
  type LocaleId,
  type Sheet,
  type Snapshot,
} from '@cellwire/engine';
import { KINDS, listAttachments } from '../sheets/state.ts';
import { dropGroupMode } from './regex-extract.ts';

export type ValueRender = 'FORMATTED_VALUE' | 'UNFORMATTED_VALUE' | 'FORMULA';
export type DateRender = 'SERIAL_NUMBER' | 'FORMATTED_STRING';

export type RenderedValue = string | number | boolean;

/** Renders the cells of one sheet in Google's form. */
export class CellRenderer {
  readonly snapshot: Snapshot;
  readonly sheet: Sheet;
  private readonly grammar: ReturnType<typeof getGrammar>;
  private readonly decimal: ',' | '.';
  /** Original texts of formulas, by cell; null: there are none. */
  private readonly typed: ReadonlyMap<number, string> | null;

  constructor(snapshot: Snapshot, sheet: Sheet, locale: LocaleId = snapshot.settings.locale) {
    this.snapshot = snapshot;
    this.sheet = sheet;
    this.grammar = getGrammar(locale);
    this.decimal = getLocale(snapshot.settings.locale).decimal;
    const typed = listAttachments(sheet, KINDS.formula);
    this.typed =
      typed.length === 0
        ? null
        : new Map(
            typed.flatMap(({ areas: [cell], texts: [text = ''] }) =>
              cell === undefined ? [] : [[computeCellNumber(cell.top, cell.left), text] as const],
            ),
          );
  }

  /** Null: the cell is empty. */
  renderValue(row: number, column: number, render: ValueRender, dates: DateRender): RenderedValue | null {
    const value = this.sheet.value(row, column);
    if (value === null) return null;
    if (render === 'FORMULA') {
      const formula = this.renderFormula(row, column);
      if (formula !== null) return formula;
    }
    if (isError(value)) return formatError(value.code);
    if (render === 'FORMATTED_VALUE') return this.formatDisplayText(row, column, value);
    if (typeof value !== 'number' || dates === 'SERIAL_NUMBER') return value;
    return isDateFormat(this.findFormatCode(row, column)) ? this.formatDisplayText(row, column, value) : value;
  }

  private findFormatCode(row: number, column: number): string {
    return this.snapshot.formats.code(this.sheet.format(row, column));
  }

  /** A cell's value as displayed to people. */
  formatDisplayText(row: number, column: number, value: RenderedValue): string {
    const isGeneral = this.snapshot.formats.isGeneral(this.sheet.format(row, column));
    if (isGeneral) {
      if (typeof value === 'string') return value;
      return typeof value === 'number' ? formatPlainNumber(value, this.decimal) : value ? 'TRUE' : 'FALSE';
    }
    return cellView(this.snapshot, this.sheet.id, row, column, this.grammar)?.m ?? '';
  }

  /** The formula of a cell: its original text if that is still equivalent. Null: the cell has no formula. */
  renderFormula(row: number, column: number): string | null {
    const run = this.sheet.run(row, column);
    if (run === undefined) return null;
    const printed = cellView(this.snapshot, this.sheet.id, row, column, this.grammar)?.f;
    if (printed === undefined) return null;
    const typed = this.typed?.get(computeCellNumber(row, column));
    const shown = dropGroupMode(printed);
    return typed !== undefined && isSameFormula(typed, shown) ? typed : shown;
  }

  /** The message of an error. */
  describeError(row: number, column: number): string {
    return cellView(this.snapshot, this.sheet.id, row, column, this.grammar)?.error?.message ?? '';
  }
}

/** A number that is unique for each cell of a sheet, as the key of a cache. */
function computeCellNumber(row: number, column: number): number {
  return row * 16_384 + column;
}

/** Codes of errors that Google displays differently. */
const SHOWN_ERRORS: Readonly<Partial<Record<ErrorCode, string>>> = {
  '#SPILL!': '#REF!',
  '#CALC!': '#N/A',
};

function formatError(code: ErrorCode): string {
  return SHOWN_ERRORS[code] ?? code;
}

const QUOTED = /"(?:[^"]|"")*"/g;

/** A formula without insignificant differences outside of strings: spaces and letter case. */
export function normalizeFormula(formula: string): string {
  const texts: string[] = [];
  const rest = formula.replaceAll(QUOTED, (text) => {
    texts.push(text);
    return '"';
  });
  const plain = rest.replaceAll(/[\s$]+|'/g, '').toUpperCase();
  let i = 0;
  return plain.replaceAll('"', () => texts[i++] ?? '"');
}

/** True if two texts of a formula differ only in blanks, case, `$` and quotation marks of sheet names. */
function isSameFormula(typed: string, printed: string): boolean {
  return normalizeFormula(typed) === normalizeFormula(printed);
}

/** Numbers of at least `LARGE`, and numbers below `SMALL`, are displayed with an exponent. */
const LARGE = 1e15;
const SMALL = 1e-9;
const DIGITS = 15;
const EXPONENT_DIGITS = 6;

/** A number without a format: up to 15 significant digits. */
function formatPlainNumber(value: number, decimal: ',' | '.'): string {
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < LARGE) return value === 0 ? '0' : String(value);
  const short = String(value);
  // A text this short has no more digits than are displayed.
  if (short.length <= DIGITS && !short.includes('e')) return decimal === '.' ? short : short.replace('.', decimal);
  const hasExponent = size >= LARGE || (size < SMALL && size > 0);
  const text = hasExponent
    ? Number(value.toPrecision(EXPONENT_DIGITS))
        .toExponential()
        .toUpperCase()
        .replace(/E([+-])(\d)$/, 'E$10$2')
    : formatFixed(Number(value.toPrecision(DIGITS)));
  return decimal === '.' ? text : text.replace('.', decimal);
}

/** The digits of a number below 1e21 without an exponent, which JavaScript uses below 1e-6. */
function formatFixed(value: number): string {
  const text = String(value);
  if (!text.includes('e')) return Object.is(value, -0) ? '0' : text;
  const [mantissa = '', exponent = '0'] = text.split('e');
  const digits = (mantissa.split('.')[1]?.length ?? 0) - Number(exponent);
  return value.toFixed(Math.min(Math.max(digits, 0), 100));
}

export function isTextFormat(code: string): boolean {
  return formatClass(code) === 'text';
}
