import { cellText, type FieldValue } from '@cellwire/engine';
import type { PreviewedCell } from '../documents/preview.ts';
import type { TextChange } from '../documents/preview-details.ts';
import { formatQualifiedRange } from './ranges.ts';

/** A changed cell as dry runs and proposals show it. */
export interface CellChange {
  /** The cell's position after the write; before it if the cell is deleted. */
  readonly cell: string;
  readonly before: FieldValue;
  readonly after: FieldValue;
  readonly shown?: TextChange;
  readonly formulas?: TextChange;
  readonly derived?: true;
  readonly deleted?: true;
}

export function toCellChange(changed: PreviewedCell): CellChange {
  const { sheetName, row, column, before, after, how, shown, formulas } = changed;
  return {
    cell: formatQualifiedRange(sheetName, cellText(row, column)),
    before,
    after,
    ...(shown === undefined ? {} : { shown }),
    ...(formulas === undefined ? {} : { formulas }),
    ...(how === 'recalculated' ? { derived: true } : {}),
    ...(how === 'deleted' ? { deleted: true } : {}),
  };
}
