import { type Area, isFormat } from '@cellwire/engine';
import { MAX_FORMATTED_CELLS } from '../limits/limits.ts';
import type { ServiceContext } from './context.ts';
import { openTable } from './open-table.ts';
import { locate, parseRange, rangeText, type Sheet, sheetFinder, withSheet } from './ranges.ts';
import { INVALID_RANGE, invalidRequest, isRefusal, type Refusal, SHEET_PROTECTED } from './refusal.ts';
import type { Reply } from './reply.ts';
import { charactersOf } from './sheet-display.ts';
import { type WriteRequest, write } from './write.ts';

/** Gives cells a number format: people can, the API cannot. Open sides end where the sheet does. */
export async function setFormat(
  context: ServiceContext,
  request: WriteRequest,
  text: string,
  format: string,
): Promise<Reply | Refusal> {
  if (!isFormat(format)) return invalidRequest('format', 'format must be a number format such as "#,##0.00"');
  const range = parseRange(text);
  if (isRefusal(range)) return range;
  const snapshot = await openTable(context, request.access);
  if (isRefusal(snapshot)) return snapshot;
  return write(context, request, (head, access) => {
    const target = locate(sheetFinder(head.sheets), range);
    if (isRefusal(target)) return target;
    if (access.lockedSheets.has(target.sheet.id)) return SHEET_PROTECTED;
    const sheet = snapshot.sheetById(target.sheet.id);
    const area = sheet === undefined ? null : formatted(sheet, target.area);
    if (area === null) return INVALID_RANGE;
    const cells = (area.bottom - area.top + 1) * (area.right - area.left + 1);
    if (cells > MAX_FORMATTED_CELLS) {
      return invalidRequest('range', `range must have at most ${MAX_FORMATTED_CELLS} cells`);
    }
    const named = withSheet(target.sheet.name, rangeText(area));
    return {
      edits: [{ kind: 'setFormat', sheet: target.sheet.id, area, format }],
      describe: () => ({
        body: { formatted: { range: named, cells, format } },
        notes: [{ action: 'format', range: named, cells }],
      }),
    };
  });
}

/** Whole rows and columns as far as the sheet is used. */
function formatted(sheet: Sheet, { top, left, bottom, right }: Area): Area | null {
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

/** Gives whole columns (`Orders!B:C`) a width in CSS pixels; 0 hides them. Kept with the document, and in its exports. */
export async function sizeColumns(
  context: ServiceContext,
  request: WriteRequest,
  text: string,
  width: number,
): Promise<Reply | Refusal> {
  const range = parseRange(text);
  if (isRefusal(range)) return range;
  return write(context, request, (head, access) => {
    const target = locate(sheetFinder(head.sheets), range);
    if (isRefusal(target)) return target;
    const { sheet, area } = target;
    if (access.lockedSheets.has(sheet.id)) return SHEET_PROTECTED;
    if (area.top !== 0 || !area.openRows) return invalidRequest('range', 'range must be whole columns such as B:C');
    const { left: first, right: last } = area;
    const named = withSheet(sheet.name, rangeText(area));
    return {
      edits: [{ kind: 'sizeColumns', sheet: sheet.id, first, last, size: charactersOf(width) }],
      describe: () => ({
        body: { sized: { range: named, width } },
        notes: [{ action: 'format', range: named, cells: 0 }],
      }),
    };
  });
}
