import { type AppendPlace, type CellType, type Edit, formatClass } from '@cellwire/engine';
import type { RecordsBase } from './change.ts';
import type { RecordFields } from './record-fields.ts';
import { runsOfTrue } from './runs-of-true.ts';
import type { RecordField } from './typed-fields.ts';

/** A record to be appended, and its place in the request. */
export interface NewRecord {
  readonly fields: RecordFields;
  readonly at: number;
}

/** Edits that one request makes for formats at most: a column whose values change their kind in each row needs many. */
const MAX_FORMAT_EDITS = 5_000;

/**
 * The number formats of the row above for the values that fit them, in cells that have none of their own. A time is
 * shown as the cell above when it is entered, unless it is too long for it.
 */
export function appendedFormats(
  { snapshot, place: { sheet, region }, columns }: RecordsBase,
  { row, above, inserted }: AppendPlace,
  records: readonly NewRecord[],
): readonly Edit[] {
  if (above === null) return [];
  const codeAt = (at: number, column: number) => snapshot.formats.code(sheet.format(at, column));
  const edits: Edit[] = [];
  for (const [at, { column }] of region.columns.entries()) {
    const code = codeAt(above, column);
    const fits = fittingValues(code, columns[at]?.type ?? null);
    if (fits === null) continue;
    const isOwn = (i: number) => inserted === null && formatClass(codeAt(row + i, column)) !== 'general';
    const rows = records.map(({ fields }, i) => fits(fields.get(at)) && !isOwn(i));
    for (const [first, last] of runsOfTrue(rows)) {
      const area = { top: row + first, left: column, bottom: row + last, right: column };
      edits.push({ kind: 'setFormat', sheet: sheet.id, area, format: code });
      if (edits.length >= MAX_FORMAT_EDITS) return edits;
    }
  }
  return edits;
}

/** The values of a column that a format is meant for; null: there are none. */
function fittingValues(code: string, type: CellType | null): ((field: RecordField | undefined) => boolean) | null {
  switch (formatClass(code)) {
    case 'number':
    case 'percent':
    case 'currency':
    case 'scientific':
    case 'fraction':
      return (field) => typeof field?.cell.scalar === 'number' && field.cell.moment === null;
    case 'text':
      return (field) => typeof field?.cell.scalar === 'string' && field.moment === null;
    case 'date':
    case 'datetime':
      return (field) => (field?.cell.moment ?? (type === 'date' ? field?.moment?.moment : null)) === 'date';
    default:
      return null;
  }
}
