import type { Batch } from './batch.ts';
import { enterText, enterTypedValue } from './typed-input.ts';
import type { Input, InputSyntax } from './types.ts';

/** The work of reading a text, in calculated cells: one for each 64 characters. */
const TEXT_WORK_LOG2 = 6;
const EQUALS_SIGN = 61;

/** Enters one input into a cell. An empty text clears the cell; in `user` mode a text with `=` is a formula. */
export function enterInput(
  batch: Batch,
  sheet: number,
  row: number,
  column: number,
  input: Exclude<Input, null>,
  { mode, locale = null }: InputSyntax,
): void {
  if (typeof input === 'object') return enterTypedValue(batch, sheet, row, column, input);
  const { cells } = batch;
  batch.meter.reportWork(typeof input === 'string' ? measureTextWork(input) : 1);
  if (input === '') return cells.putValue(sheet, row, column, null);
  if (typeof input !== 'string' || mode === 'raw') return cells.putValue(sheet, row, column, input);
  const isFormula = input.charCodeAt(0) === EQUALS_SIGN && input.length > 1;
  if (isFormula) return cells.putFormula(sheet, row, column, input, locale);
  enterText(batch, sheet, row, column, input, locale);
}

/** Returns the work of entering a text, in calculated cells. */
export function measureTextWork(text: string): number {
  return 1 + (text.length >> TEXT_WORK_LOG2);
}
