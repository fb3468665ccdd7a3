import { type CellData, CellError, cellText, type DateSystem, formatClass, quoteSheetName } from '@cellwire/engine';
import { formatDateTime } from '../cells/date-time-text.ts';
import { MAX_NAMED_CELLS, XLSX_TEXT_LENGTH } from '../limits/limits.ts';
import type { LeftOut } from '../outcome/left-out.ts';
import { toWritableError } from './text.ts';

/** A cell with a shortened text, as `Sheet1!A1`, and the length of the original text. */
export interface ShortenedCell {
  readonly cell: string;
  readonly length: number;
}

/**
 * Serial numbers of 1900-03-01 and 1900-01-01 in the `google` date system. Before 1900-03-01, Excel's numbers are one
 * less.
 */
const FIRST_COMMON_DAY = 61;
const FIRST_DAY_OF_1900 = 2;

/** Converts the cells of one sheet to values that `.xlsx` can store, and counts the changes. */
export class CellConversion {
  private readonly sheet: string;
  private readonly dateSystem: DateSystem;
  private readonly leftOut: LeftOut;
  private readonly shortened: ShortenedCell[];

  /** `shortened`: receives the cells with shortened texts, at most `MAX_NAMED_CELLS` for all sheets together. */
  constructor(sheet: string, dateSystem: DateSystem, leftOut: LeftOut, shortened: ShortenedCell[]) {
    this.sheet = sheet;
    this.dateSystem = dateSystem;
    this.leftOut = leftOut;
    this.shortened = shortened;
  }

  /** The cell with a value that Excel can hold. Counts what was lost. */
  convertCell(cell: CellData): CellData {
    if (cell.unreadable) this.leftOut.addItem('formulasAsTexts');
    const value = this.toWritableValue(cell);
    return value === cell.value ? cell : { ...cell, value };
  }

  /** The value as Excel can hold it: dates as its serial numbers or as texts, texts cut to its limit. */
  private toWritableValue({ row, column, value, format }: CellData): CellData['value'] {
    if (typeof value === 'number') return format === undefined ? value : this.toExcelDate(value, format);
    if (value instanceof CellError && toWritableError(value) !== value.code) this.leftOut.addItem('errors');
    if (typeof value !== 'string' || value.length <= XLSX_TEXT_LENGTH) return value;
    const isNamed = this.shortened.length < MAX_NAMED_CELLS;
    if (isNamed)
      this.shortened.push({ cell: `${quoteSheetName(this.sheet)}!${cellText(row, column)}`, length: value.length });
    this.leftOut.addItem('shortenedTexts');
    return truncateText(value, XLSX_TEXT_LENGTH);
  }

  /** Returns the number that Excel shows as the same date, or the date as text. */
  private toExcelDate(value: number, format: string): number | string {
    if (this.dateSystem !== 'google' || value >= FIRST_COMMON_DAY) return value;
    const kind = formatClass(format);
    if (kind !== 'date' && kind !== 'datetime') return value;
    if (value >= FIRST_DAY_OF_1900) return value - 1;
    const text = formatDateTime(value, format, 'google');
    if (text === null) return value;
    this.leftOut.addItem('datesAsTexts');
    const [day = text, time] = text.split(' ');
    return time === undefined ? day : `${day}T${time}`;
  }
}

/** Returns the first `length` UTF-16 units of a text, without half of a surrogate pair at the end. */
function truncateText(text: string, length: number): string {
  return text.slice(0, length).replace(/[\ud800-\udbff]$/, '');
}
