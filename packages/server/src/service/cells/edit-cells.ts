import { type Area, type Edit, isFormat, MAX_COLUMNS, MAX_ROWS, type OpenArea } from '@cellwire/engine';
import { runInSlices } from '@cellwire/event-loop';
import type { DocumentAccess } from '../../access/access.ts';
import type { InputLocale } from '../../access/input-locale.ts';
import type { SheetEntry } from '../../documents/types.ts';
import { MAX_FILLED_CELLS, MAX_FORMATTED_CELLS } from '../../limits/display.ts';
import type { ServiceContext } from '../context.ts';
import type { AuditAction, AuditNote } from '../history/audit-log.ts';
import { measureLongest } from '../longest.ts';
import {
  createSheetFinder,
  formatQualifiedRange,
  formatRange,
  locateRange,
  parseRange,
  type RangeTarget,
  type SheetFinder,
} from '../ranges.ts';
import { INVALID_RANGE, invalidRequest, isRefusal, type Refusal, SHEET_PROTECTED, VALUES_HIDDEN } from '../refusal.ts';
import type { WriteReply } from '../reply.ts';
import { commitWrite } from '../write.ts';
import type { WriteRequest } from '../write-request.ts';
import { resolveInputLocale } from './input-locale.ts';
import { convertToRows, fitsIntoGrid, type InputMatrix, type SentCells } from './inputs.ts';

/** One edit of a user action that consists of several. Each has one member in addition to its destination. */
export interface CellEdit {
  /** Range that this edit clears. */
  readonly clear?: string | undefined;
  /** Range to which this edit applies the number format `code`. */
  readonly format?: string | undefined;
  readonly code?: string | undefined;
  /** Range that this edit copies to the cells that start at `to`. */
  readonly copy?: string | undefined;
  /** Range that this edit repeats in `to`. */
  readonly fill?: string | undefined;
  readonly to?: string | undefined;
  /** Range from whose first cell on this edit enters `values`; texts are read by the request's `inputLocale`. */
  readonly put?: string | undefined;
  readonly values?: SentCells | undefined;
}

interface CellEdits {
  readonly edits: readonly CellEdit[];
  readonly inputLocale: InputLocale | null;
}

/** An edit for the engine, and its action and range in the audit log. */
interface EngineEdit {
  readonly edit: Edit;
  readonly action: AuditAction;
  readonly range: string;
}

/**
 * Writes all edits or none in one revision; each applies to the result of the one before it. For example, one user
 * action on the visible rows of a filter changes several ranges.
 */
export async function editCells(
  context: ServiceContext,
  request: WriteRequest,
  { edits, inputLocale }: CellEdits,
): Promise<WriteReply | Refusal> {
  const sent = edits.map(({ values }, i) => ({ field: `edits.${i}.values`, values: values ?? NO_VALUES }));
  const options = { mode: 'user', major: 'ROWS', inputLocale } as const;
  const matrices = await runInSlices(convertToRows(sent, options, context.config.limits));
  if (isRefusal(matrices)) return matrices;
  return commitWrite(context, request, (head, access) => {
    const find = createSheetFinder(head.sheets);
    const locale = resolveInputLocale(inputLocale, access, head.snapshot);
    const translated: EngineEdit[] = [];
    for (const [i, edit] of edits.entries()) {
      const one = translateEdit(edit, `edits.${i}`, { find, access, locale, matrix: matrices[i] ?? [] });
      if (isRefusal(one)) return one;
      translated.push(one);
    }
    return {
      edits: translated.map(({ edit }) => edit),
      places: translated.map((_one, i) => `edits.${i}`),
      describe: ({ outcomes }) => {
        const notes = translated.map(
          ({ action, range }, i): AuditNote => ({ action, range, cells: outcomes[i]?.cells ?? 0 }),
        );
        return { body: { edited: { cells: notes.reduce((sum, { cells }) => sum + cells, 0) } }, notes };
      },
    };
  });
}

/** For edits that enter nothing: a matrix must have a cell, and null leaves the cell unchanged. */
const NO_VALUES: SentCells = [[null]];

interface EditContext {
  readonly find: SheetFinder<SheetEntry>;
  readonly access: DocumentAccess;
  readonly locale: ReturnType<typeof resolveInputLocale>;
  readonly matrix: InputMatrix;
}

/** An edit of the console as an edit of the engine; refused if the caller may not see or change its cells. */
function translateEdit(edit: CellEdit, path: string, context: EditContext): EngineEdit | Refusal {
  if (edit.clear !== undefined) {
    const target = resolveEditTarget(edit.clear, context, { reads: false, changes: true });
    if (isRefusal(target)) return target;
    const { sheet, area } = target;
    return { edit: { kind: 'clear', sheet: sheet.id, area }, action: 'clear', range: formatQualifiedArea(sheet, area) };
  }
  if (edit.format !== undefined) return formatCells(edit.format, edit.code ?? '', path, context);
  if (edit.put !== undefined) return enterFromMatrix(edit.put, context);
  if (edit.copy !== undefined) return copyCells(edit.copy, edit.to ?? '', context);
  if (edit.fill !== undefined) return fillCells(edit.fill, edit.to ?? '', path, context);
  return invalidRequest(path, `${path} must have one of clear, format, put, copy, fill`);
}

/** Sets the number format `code` of a range. */
function formatCells(range: string, code: string, path: string, context: EditContext): EngineEdit | Refusal {
  if (!isFormat(code)) return invalidRequest(`${path}.code`, 'code must be a number format such as "#,##0.00"');
  // Like `setFormat`: the caller must be allowed to see the cells.
  const target = resolveEditTarget(range, context, { reads: true, changes: true });
  if (isRefusal(target)) return target;
  const { sheet, area } = target;
  if (countCells(area) > MAX_FORMATTED_CELLS) return createTooManyRefusal(`${path}.format`, MAX_FORMATTED_CELLS);
  return {
    edit: { kind: 'setFormat', sheet: sheet.id, area, format: code },
    action: 'format',
    range: formatQualifiedArea(sheet, area),
  };
}

/** Enters the sent matrix from the first cell of the range. */
function enterFromMatrix(range: string, context: EditContext): EngineEdit | Refusal {
  const target = resolveEditTarget(range, context, { reads: false, changes: true });
  if (isRefusal(target)) return target;
  const { top: row, left: column } = target.area;
  const { matrix: values, locale } = context;
  if (!fitsIntoGrid(row, column, values)) return INVALID_RANGE;
  const width = Math.max(1, measureLongest(values));
  const area = { top: row, left: column, bottom: row + values.length - 1, right: column + width - 1 };
  return {
    edit: { kind: 'setValues', sheet: target.sheet.id, row, column, values, mode: 'user', locale },
    action: 'update',
    range: formatQualifiedArea(target.sheet, area),
  };
}

/** Copies a range to the place that begins at the first cell of the target range. */
function copyCells(sourceRange: string, targetRange: string, context: EditContext): EngineEdit | Refusal {
  const source = resolveEditTarget(sourceRange, context, { reads: true, changes: false });
  if (isRefusal(source)) return source;
  const target = resolveEditTarget(targetRange, context, { reads: false, changes: true });
  if (isRefusal(target)) return target;
  const { sheet, area } = source;
  const { top: row, left: column } = target.area;
  const filled = {
    top: row,
    left: column,
    bottom: row + area.bottom - area.top,
    right: column + area.right - area.left,
  };
  if (filled.bottom >= MAX_ROWS || filled.right >= MAX_COLUMNS) return INVALID_RANGE;
  return {
    edit: { kind: 'copy', sheet: sheet.id, area, toSheet: target.sheet.id, row, column },
    action: 'update',
    range: formatQualifiedArea(target.sheet, filled),
  };
}

/** Continues the series of the source range in the target range of the same sheet. */
function fillCells(sourceRange: string, targetRange: string, path: string, context: EditContext): EngineEdit | Refusal {
  const source = resolveEditTarget(sourceRange, context, { reads: true, changes: false });
  if (isRefusal(source)) return source;
  const target = resolveEditTarget(targetRange, context, { reads: true, changes: true });
  if (isRefusal(target)) return target;
  if (target.sheet.id !== source.sheet.id) return INVALID_RANGE;
  if (countCells(target.area) > MAX_FILLED_CELLS) return createTooManyRefusal(`${path}.to`, MAX_FILLED_CELLS);
  return {
    edit: { kind: 'fill', sheet: source.sheet.id, area: source.area, to: target.area },
    action: 'update',
    range: formatQualifiedArea(target.sheet, target.area),
  };
}

interface SheetUse {
  /** The result of the edit shows the cells' contents. */
  readonly reads: boolean;
  readonly changes: boolean;
}

/** The range with its sheet. Refused if its cells are read but hidden, or changed but locked. */
function resolveEditTarget(
  text: string,
  { find, access }: EditContext,
  { reads, changes }: SheetUse,
): RangeTarget<SheetEntry> | Refusal {
  const range = parseRange(text);
  if (isRefusal(range)) return range;
  const target: RangeTarget<SheetEntry> | Refusal = locateRange(find, range);
  if (isRefusal(target)) return target;
  if (reads && access.hiddenSheets.has(target.sheet.id)) return VALUES_HIDDEN;
  return changes && access.lockedSheets.has(target.sheet.id) ? SHEET_PROTECTED : target;
}

function countCells({ top, left, bottom, right }: OpenArea): number {
  return (bottom - top + 1) * (right - left + 1);
}

/** The refusal of a range that has more than `limit` cells. */
function createTooManyRefusal(field: string, limit: number): Refusal {
  return invalidRequest(field, `${field} must have at most ${limit} cells`);
}

function formatQualifiedArea(sheet: SheetEntry, { top, left, bottom, right }: Area): string {
  return formatQualifiedRange(sheet.name, formatRange({ top, left, bottom, right }));
}
