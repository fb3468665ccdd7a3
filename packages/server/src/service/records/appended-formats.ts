import { type AppendPlace, type CellType, type Edit, formatClass } from '@cellwire/engine';
import type { TypedCell } from '../cells/typed-cells.ts';
import { findTrueRuns } from '../index-runs.ts';
import type { RecordsBase } from './change.ts';
import type { RecordFields } from './record-fields.ts';
import { type RecordField, toMomentCell, toTypedCell } from './typed-fields.ts';

/** Records to append. */
export interface NewRecords {
  readonly fields: RecordFields;
  /** Their indexes in the request. */
  readonly records: Uint32Array;
}

/** Maximum number of format edits in one request: a column whose values change their type in each row needs many. */
const MAX_FORMAT_EDITS = 5_000;

/**
 * Applies the number formats of the row above to values of the fitting type, in cells without a format of their own. A
 * time gets the format of the cell above unless the time is too long for it.
 */
export function buildAppendedFormats(
  { snapshot, place: { sheet, region }, columns }: RecordsBase,
  { row, above, inserted }: AppendPlace,
  { fields, records }: NewRecords,
): readonly Edit[] {
  if (above === null) return [];
  const findFormatCode = (at: number, column: number) => snapshot.formats.code(sheet.format(at, column));
  const edits: Edit[] = [];
  for (const [at, { column }] of region.columns.entries()) {
    const code = findFormatCode(above, column);
    const fits = createFormatMatcher(code, columns[at]?.type ?? null);
    if (fits === null) continue;
    const isOwn = (i: number) => inserted === null && formatClass(findFormatCode(row + i, column)) !== 'general';
    const rows = Array.from(records, (record, i) => {
      const field = fields.findField(record, at);
      return field !== null && fits(fields.readField(field)) && !isOwn(i);
    });
    for (const [first, last] of findTrueRuns(rows)) {
      const area = { top: row + first, left: column, bottom: row + last, right: column };
      edits.push({ kind: 'setFormat', sheet: sheet.id, area, format: code });
      if (edits.length >= MAX_FORMAT_EDITS) return edits;
    }
  }
  return edits;
}

/** Matches the values of a column that a format is meant for; null: the format fits none. */
function createFormatMatcher(code: string, type: CellType | null): ((field: RecordField) => boolean) | null {
  switch (formatClass(code)) {
    case 'number':
    case 'percent':
    case 'currency':
    case 'scientific':
    case 'fraction':
      return (field) => typeof field === 'number' || (typeof field === 'object' && isPlainNumber(field.cell));
    case 'text':
      return (field) => typeof toTypedCell(field).scalar === 'string' && toMomentCell(field) === null;
    case 'date':
    case 'datetime':
      return (field) =>
        (toTypedCell(field).moment ?? (type === 'date' ? toMomentCell(field)?.moment : null)) === 'date';
    default:
      return null;
  }
}

/** True for a number that is not a date or a time. */
function isPlainNumber({ scalar, moment }: TypedCell): boolean {
  return typeof scalar === 'number' && moment === null;
}
