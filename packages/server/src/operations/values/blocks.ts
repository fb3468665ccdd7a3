import {
  areaText,
  type Edit,
  type EditOutcome,
  type InputSyntax,
  type OpenArea,
  type Snapshot,
} from '@cellwire/engine';
import { runInSlices } from '@cellwire/event-loop';
import type { DocumentAccess } from '../../access/access.ts';
import type { BatchResult, SheetEntry } from '../../documents/types.ts';
import { resolveInputLocale } from '../../service/cells/input-locale.ts';
import {
  convertToRows,
  fitsIntoGrid,
  type InputMatrix,
  type InputOptions,
  type SentCells,
} from '../../service/cells/inputs.ts';
import type { ServiceContext } from '../../service/context.ts';
import type { AuditAction, AuditNote } from '../../service/history/audit-log.ts';
import {
  formatQualifiedRange,
  locateRange,
  parseRange,
  type RangeTarget,
  type SheetFinder,
} from '../../service/ranges.ts';
import { INVALID_RANGE, isRefusal, type Refusal, SHEET_PROTECTED } from '../../service/refusal.ts';
import type { WriteReply } from '../../service/reply.ts';

/** A block of values and its range. */
export interface ValueBlock {
  readonly range: string;
  readonly values: SentCells;
}

/** Converts the values of a request into rows and writes them, or refuses invalid values. */
export function writeMatrix(
  context: ServiceContext,
  values: SentCells,
  options: InputOptions,
  write: (rows: InputMatrix) => Promise<WriteReply | Refusal>,
): Promise<WriteReply | Refusal> {
  const reading = runInSlices(convertToRows([{ field: 'values', values }], options, context.config.limits));
  const writeRead = (matrices: readonly InputMatrix[] | Refusal): Promise<WriteReply | Refusal> =>
    isRefusal(matrices) ? Promise.resolve(matrices) : write(matrices[0] as InputMatrix);
  return reading instanceof Promise ? reading.then(writeRead) : writeRead(reading);
}

/** Resolves a range for a write. Refuses an invalid range first, then a missing sheet, then a protected one. */
export function findEditableTarget(
  findSheet: SheetFinder<SheetEntry>,
  access: DocumentAccess,
  text: string,
  fitsArea: (area: OpenArea) => boolean,
): RangeTarget<SheetEntry> | Refusal {
  const range = parseRange(text);
  if (isRefusal(range)) return range;
  if (!fitsArea(range.area)) return INVALID_RANGE;
  const target = locateRange(findSheet, range);
  if (isRefusal(target)) return target;
  return access.lockedSheets.has(target.sheet.id) ? SHEET_PROTECTED : target;
}

export type CellValuesEdit = Extract<Edit, { readonly kind: 'setValues' }>;

/**
 * The edit that enters rows from the first cell of the range. Refused if the caller may not change the sheet or they do
 * not fit.
 */
export function planSetValues(
  findSheet: SheetFinder<SheetEntry>,
  access: DocumentAccess,
  range: string,
  rows: InputMatrix,
  syntax: InputSyntax,
): CellValuesEdit | Refusal {
  const target = findEditableTarget(findSheet, access, range, (area) => fitsIntoGrid(area.top, area.left, rows));
  return isRefusal(target) ? target : toValuesEdit(target, rows, syntax);
}

/** The edit that enters the values from the first cell of the target. */
export function toValuesEdit(
  { sheet, area }: RangeTarget<SheetEntry>,
  values: InputMatrix,
  syntax: InputSyntax,
): CellValuesEdit {
  return { kind: 'setValues', sheet: sheet.id, row: area.top, column: area.left, values, ...syntax };
}

/** Options of the engine for interpreting submitted values. */
export function toInputSyntax(
  { mode, inputLocale }: InputOptions,
  access: DocumentAccess,
  snapshot: Snapshot,
): InputSyntax {
  const locale = mode === 'raw' ? null : resolveInputLocale(inputLocale, access, snapshot);
  return locale === null ? { mode } : { mode, locale };
}

/** The sheet's id and the area of a resolved range. */
export function toTargetRange({ sheet, area }: RangeTarget<SheetEntry>) {
  return { sheet: sheet.id, area };
}

/** The figures of the contract's `updated` object. */
interface UpdateCounts {
  readonly sheet: string;
  readonly updatedRange: string;
  readonly updatedRows: number;
  readonly updatedColumns: number;
  readonly updatedCells: number;
  readonly cells: number;
}

/** The outcome of a batch's only edit. Throws if it has none. */
export function requireFirstOutcome({ outcomes }: BatchResult): EditOutcome {
  const [outcome] = outcomes;
  if (outcome === undefined) throw new Error('an edit has no outcome');
  return outcome;
}

/** The written range and counts of a batch with one edit. */
export function describeSingleUpdate(result: BatchResult): UpdateCounts {
  const outcome = requireFirstOutcome(result);
  return describeUpdate(
    result.after.find(({ id }) => id === outcome.sheet),
    outcome,
  );
}

/** The written range and the numbers of its rows, columns and cells, as the API answers them. */
export function describeUpdate(sheet: SheetEntry | undefined, { area, cells }: EditOutcome): UpdateCounts {
  if (sheet === undefined || area === null) throw new Error('values were written to no cells');
  return {
    sheet: sheet.name,
    updatedRange: formatQualifiedRange(sheet.name, areaText(area)),
    updatedRows: area.bottom - area.top + 1,
    updatedColumns: area.right - area.left + 1,
    updatedCells: cells,
    cells,
  };
}

export function createAuditNote(
  action: AuditAction,
  { updatedRange, cells }: Pick<UpdateCounts, 'updatedRange' | 'cells'>,
): AuditNote {
  return { action, range: updatedRange, cells };
}
