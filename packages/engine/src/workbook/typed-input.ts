import type { Meter } from '../calc/budget.ts';
import type { Node } from '../formula/ast.ts';
import { FILE, type Grammar, parse, WIRE } from '../formula/index.ts';
import { defaultFormat, formatClass, isDateFormat, type LocaleId, otherReading, recogniseAs } from '../locale/index.ts';
import { isoDate } from '../records/index.ts';
import type { Draft } from '../sheet/draft.ts';
import { errorByCode } from '../value/errors.ts';
import type { Scalar } from '../value/scalar.ts';
import type { TypedInput } from './types.ts';

/** What reading a text takes, in cells calculated in that time: as a power of two of its characters. */
const TEXT_WORK_LOG2 = 6;

/** The cells of a batch under way, as a typed value is entered into them. */
interface Cells {
  readonly draft: Draft;
  readonly meter: Meter;
  put(sheet: number, row: number, column: number, value: Scalar): void;
  putFormula(sheet: number, row: number, column: number, text: string): void;
  format(sheet: number, row: number, column: number, format: number): void;
  warn(sheet: number, row: number, column: number, message: string): void;
  readonly canWarn: boolean;
}

/**
 * Enters a text that is no formula as if typed, by the habits of a locale or (null) by the API's grammar. One that stays a
 * text although others would type a number by it is warned of.
 */
export function enterText(
  cells: Cells,
  sheet: number,
  row: number,
  column: number,
  input: string,
  typed: LocaleId | null,
): void {
  const { formats, base } = cells.draft;
  const held = cells.draft.sheet(sheet)?.format(row, column) ?? 0;
  const kind = formatClass(formats.code(held));
  if (kind === 'text') return cells.put(sheet, row, column, input.startsWith("'") ? input.slice(1) : input);
  const place = { locale: base.settings.locale, system: base.settings.dateSystem, percentCell: kind === 'percent' };
  const read = recogniseAs(input, typed, place);
  cells.put(sheet, row, column, read.value);
  if (read.format !== undefined && formatClass(read.format) !== kind) {
    cells.format(sheet, row, column, formats.inStyleOf(formats.idOf(read.format), held));
  }
  if (read.value !== input || !cells.canWarn) return;
  const other = otherReading(input, typed, place);
  if (other !== null) {
    cells.warn(sheet, row, column, `This is stored as a text; with "inputLocale": "${other}" it is a number or a date`);
  }
}

/** What to say of a formula that cannot be read in its grammar, where it can be in the other one. */
export function otherGrammar(node: Node, grammar: Grammar, text: string): string {
  if (node.k !== 'invalid') return '';
  const [other, locale] = grammar === WIRE ? [FILE, 'en-US'] : [WIRE, 'de-DE'];
  const read = parse(text, other, { row: 0, column: 0 }, { sheetId: () => -1 });
  return read.k === 'invalid' ? '' : `, or send "inputLocale": "${locale}"`;
}

/** Enters a value that says itself what it is. A day that the document's date system does not have stays a text. */
export function enterTyped(cells: Cells, sheet: number, row: number, column: number, { as, value }: TypedInput): void {
  cells.meter.pass(1 + (value.length >> TEXT_WORK_LOG2));
  switch (as) {
    case 'text':
      return cells.put(sheet, row, column, value);
    case 'formula':
      return cells.putFormula(sheet, row, column, value);
    case 'error':
      return cells.put(sheet, row, column, errorByCode(value) ?? value);
    case 'date':
      return enterDate(cells, sheet, row, column, value);
  }
}

/** A cell that shows no dates yet is shown as the one above it, or by the locale's short date. */
function enterDate(cells: Cells, sheet: number, row: number, column: number, text: string): void {
  const { formats, base } = cells.draft;
  const { dateSystem, locale } = base.settings;
  const date = isoDate(text, dateSystem);
  cells.put(sheet, row, column, date?.serial ?? text);
  const held = cells.draft.sheet(sheet);
  const format = held?.format(row, column) ?? 0;
  if (date === null || isDateFormat(formats.code(format))) return;
  const above = row === 0 ? '' : formats.code(held?.format(row - 1, column) ?? 0);
  const code = isDateFormat(above) ? above : defaultFormat(date.timed ? 'datetime' : 'date', locale);
  cells.format(sheet, row, column, formats.inStyleOf(formats.idOf(code), format));
}
