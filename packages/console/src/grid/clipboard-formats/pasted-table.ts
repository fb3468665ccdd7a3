import { convertSerial, type DateSystem, isFormat, LOCALE_IDS, type LocaleId } from '@cellwire/engine';
import { moveFormula } from '../formula/formula-text.ts';
import type { CopiedCell, CopiedTable } from './copied-table.ts';
import type { SlicedWork } from './sliced-work.ts';
import { readTsvRows } from './tsv.ts';

/** Input of one cell in the API's form. */
type PastedInput =
  | string
  | number
  | boolean
  | { readonly value: string; readonly as: 'text' }
  | { readonly error: string };

/** A cell to paste. */
export interface PastedCell {
  /** An empty text clears the cell. */
  readonly input: PastedInput;
  /** Number format to set; undefined keeps the cell's format. */
  readonly format: string | undefined;
  /** Displayed text of the cell until the service has answered. */
  readonly shown: string;
}

export interface PastedTable {
  readonly cells: readonly (readonly PastedCell[])[];
  /** Locale of typed texts; null for the document's locale. */
  readonly locale: LocaleId | null;
}

/** The number format of plain cells. */
export const GENERAL_FORMAT = 'General';

interface PasteOptions {
  /** Pastes values without formulas and formats. */
  readonly valuesOnly: boolean;
  readonly dateSystem: DateSystem;
  /** First cell of the target. */
  readonly top: number;
  readonly left: number;
}

/**
 * Reads tab-separated text, whose cells count as typed; null if it has more than `maxCells` cells. Yields the number of
 * characters read.
 */
export function* readTypedTable(text: string, maxCells: number): SlicedWork<PastedTable | null> {
  const lines: PastedCell[][] = [];
  let [width, read] = [0, 0];
  for (const row of readTsvRows(text)) {
    lines.push(row.map((input) => ({ input, format: undefined, shown: input })));
    width = Math.max(width, row.length);
    if (width * lines.length > maxCells) return null;
    read += row.reduce((sum, { length }) => sum + length + 1, 0);
    yield read;
  }
  for (const line of lines) {
    if (line.length === width) continue;
    while (line.length < width) line.push(EMPTY_CELL);
    yield read;
  }
  return { cells: lines, locale: null };
}

/** Clears its target. */
export const EMPTY_CELL: PastedCell = { input: '', format: undefined, shown: '' };

/**
 * Converts a copy to a table to paste. Relative references move with their cells. Yields the number of converted rows.
 */
export function* toPastedTable(table: CopiedTable, options: PasteOptions): SlicedWork<PastedTable> {
  const [top = 0] = table.rows;
  const [left = 0] = table.columns;
  const by = { rows: options.top - top, columns: options.left - left };
  const locale = LOCALE_IDS.find((id) => id === table.locale) ?? null;
  const convert = (cell: CopiedCell | null): PastedCell => {
    const format = options.valuesOnly ? undefined : chooseFormat(cell);
    if (cell === null) return { input: '', format, shown: '' };
    if (cell.f !== undefined && !options.valuesOnly) {
      return { input: moveFormula(cell.f, by.rows, by.columns), format, shown: cell.m };
    }
    const value =
      typeof cell.v === 'number'
        ? convertSerial(cell.v, cell.format ?? '', table.dateSystem, options.dateSystem)
        : cell.v;
    return { input: toPastedInput({ ...cell, ...(value === undefined ? {} : { v: value }) }), format, shown: cell.m };
  };
  const cells: PastedCell[][] = [];
  for (const line of table.cells) {
    cells.push(line.map(convert));
    yield cells.length;
  }
  return { cells, locale };
}

/** Returns the number format that pasting a copied cell sets; General if the cell has no valid format. */
function chooseFormat(cell: CopiedCell | null): string {
  return cell?.format !== undefined && isFormat(cell.format) ? cell.format : GENERAL_FORMAT;
}

/** Converts the value of a copied cell to an input in the API's form. */
function toPastedInput({ v, m, error }: CopiedCell): PastedInput {
  if (error !== undefined) return { error };
  if (v === undefined) return m;
  return typeof v === 'string' ? toTextInput(v) : v;
}

/** Returns an input that is stored unchanged as a text. An empty text clears the cell. */
export function toTextInput(text: string): PastedInput {
  return text === '' ? '' : { value: text, as: 'text' };
}
