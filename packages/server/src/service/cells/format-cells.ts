import { type Area, type Axis, isFormat, type OpenArea } from '@cellwire/engine';
import { MAX_DISPLAY_BANDS, MAX_FORMATTED_CELLS, MAX_PULLED_HEIGHT, MAX_PULLED_WIDTH } from '../../limits/display.ts';
import type { ServiceContext } from '../context.ts';
import {
  createSheetFinder,
  formatQualifiedRange,
  formatRange,
  locateRange,
  parseRange,
  type SnapshotSheet,
} from '../ranges.ts';
import { INVALID_RANGE, invalidRequest, isRefusal, type Refusal, SHEET_PROTECTED, VALUES_HIDDEN } from '../refusal.ts';
import type { WriteReply } from '../reply.ts';
import { commitWrite } from '../write.ts';
import type { WriteRequest } from '../write-request.ts';
import { convertPixelsToPoints, toCharacters } from './sheet-display.ts';

/** Applies a number format to cells. Only the console offers this, not the API. Open sides end at the used extent. */
export async function setFormat(
  context: ServiceContext,
  request: WriteRequest,
  text: string,
  format: string,
): Promise<WriteReply | Refusal> {
  if (!isFormat(format)) return invalidRequest('format', 'format must be a number format such as "#,##0.00"');
  const range = parseRange(text);
  if (isRefusal(range)) return range;
  return commitWrite(context, request, (head, access) => {
    const target = locateRange(createSheetFinder(head.sheets), range);
    if (isRefusal(target)) return target;
    if (access.lockedSheets.has(target.sheet.id)) return SHEET_PROTECTED;
    // The end of an open side reveals how far the sheet is filled.
    if (access.hiddenSheets.has(target.sheet.id)) return VALUES_HIDDEN;
    const sheet = head.snapshot.sheetById(target.sheet.id);
    const area = sheet === undefined ? null : clipToExtent(sheet, target.area);
    if (area === null) return INVALID_RANGE;
    const cells = (area.bottom - area.top + 1) * (area.right - area.left + 1);
    if (cells > MAX_FORMATTED_CELLS) {
      return invalidRequest('range', `range must have at most ${MAX_FORMATTED_CELLS} cells`);
    }
    const rangeName = formatQualifiedRange(target.sheet.name, formatRange(area));
    return {
      edits: [{ kind: 'setFormat', sheet: target.sheet.id, area, format }],
      describe: () => ({
        body: { formatted: { range: rangeName, cells, format } },
        notes: [{ action: 'format', range: rangeName, cells }],
      }),
    };
  });
}

/**
 * The area, cut to the used rows if it is very tall and to the used columns if it is very wide; null if nothing
 * remains.
 */
function clipToExtent(sheet: SnapshotSheet, { top, left, bottom, right }: Area): Area | null {
  const { rows, columns } = sheet.extent();
  const isTall = bottom - top >= MAX_FORMATTED_CELLS;
  const isWide = right - left >= MAX_FORMATTED_CELLS / 100;
  const area = {
    top,
    left,
    bottom: isTall ? Math.min(bottom, rows - 1) : bottom,
    right: isWide ? Math.min(right, columns - 1) : right,
  };
  return area.bottom < top || area.right < left ? null : area;
}

/**
 * Sets the width of whole columns (`Orders!B:C`) or the height of whole rows (`Orders!2:5`) in CSS pixels; 0 hides
 * columns. The size is stored with the document and written to exports.
 */
export async function resizeLines(
  context: ServiceContext,
  request: WriteRequest,
  text: string,
  size: number,
): Promise<WriteReply | Refusal> {
  const range = parseRange(text);
  if (isRefusal(range)) return range;
  return commitWrite(context, request, (head, access) => {
    const target = locateRange(createSheetFinder(head.sheets), range);
    if (isRefusal(target)) return target;
    const { sheet, area } = target;
    if (access.lockedSheets.has(sheet.id)) return SHEET_PROTECTED;
    const lines = toWholeLines(area);
    if (lines === null)
      return invalidRequest('range', 'range must be whole columns such as B:C or whole rows such as 2:5');
    const problem = findSizeProblem(head.snapshot.sheetById(sheet.id), lines.axis, size);
    if (problem !== null) return invalidRequest('size', problem);
    const rangeName = formatQualifiedRange(sheet.name, formatRange(area));
    const inFile = lines.axis === 'rows' ? convertPixelsToPoints(size) : toCharacters(size);
    return {
      edits: [{ kind: 'sizeLines', sheet: sheet.id, ...lines, size: inFile }],
      describe: () => ({
        body: { sized: { range: rangeName, size } },
        notes: [{ action: 'format', range: rangeName, cells: 0 }],
      }),
    };
  });
}

/** Null: the area is not whole rows or columns. */
function toWholeLines(area: OpenArea): { readonly axis: Axis; readonly first: number; readonly last: number } | null {
  if (area.top === 0 && area.openRows) return { axis: 'columns', first: area.left, last: area.right };
  if (area.left === 0 && area.openColumns) return { axis: 'rows', first: area.top, last: area.bottom };
  return null;
}

/** Why a size in CSS pixels is not allowed; null if it is allowed. Only columns may have the size 0. */
function findSizeProblem(sheet: SnapshotSheet | undefined, axis: Axis, size: number): string | null {
  const isRows = axis === 'rows';
  const [least, most] = isRows ? [1, MAX_PULLED_HEIGHT] : [0, MAX_PULLED_WIDTH];
  if (size < least || size > most) return `size must be ${least} to ${most} for ${axis}`;
  if (sheet === undefined || sheet.layout[axis].length < MAX_DISPLAY_BANDS) return null;
  return `the sheet has ${axis} of ${MAX_DISPLAY_BANDS} sizes already`;
}
