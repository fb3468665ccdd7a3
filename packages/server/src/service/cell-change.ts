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
  readonly derived?: true;
  readonly deleted?: true;
}

/** A changed cell as the API shows it. */
export function toCellChange(changed: PreviewedCell): CellChange {
  const { sheetName, row, column, before, after, how } = changed;
  return {
    cell: formatQualifiedRange(sheetName, cellText(row, column)),
    before,
    after,
    ...(how === 'recalculated' ? { derived: true } : {}),
    ...(how === 'deleted' ? { deleted: true } : {}),
  };
}

/** The texts of a changed cell that a person sees. Proposals list them beside the changes, which dry runs have, too. */
export interface CellTexts {
  /** The values as the grid shows them; absent if it shows them as JSON has them. */
  readonly shown?: TextChange;
  /** Absent if the formula does not change. */
  readonly formulas?: TextChange;
}

/** The shown texts and the formulas of a changed cell. */
export function toCellTexts({ shown, formulas }: PreviewedCell): CellTexts {
  return { ...(shown === undefined ? {} : { shown }), ...(formulas === undefined ? {} : { formulas }) };
}
