import { MAX_FILLED_CELLS } from '../../limits/display.ts';
import type { ServiceContext } from '../context.ts';
import { createSheetFinder, formatQualifiedRange, formatRange, locateRange, parseRange } from '../ranges.ts';
import { INVALID_RANGE, invalidRequest, isRefusal, type Refusal, SHEET_PROTECTED, VALUES_HIDDEN } from '../refusal.ts';
import type { WriteReply } from '../reply.ts';
import { commitWrite } from '../write.ts';
import type { WriteRequest } from '../write-request.ts';
import type { InputMatrix } from './inputs.ts';

/** A fill by dragging the corner of a selection. */
interface SeriesFill {
  readonly from: string;
  /** Range on the same sheet, adjacent to `from`. */
  readonly to: string;
  /** The continued series in `to`, by rows; null or missing cells repeat `from`. */
  readonly values: InputMatrix;
}

/** Repeats cells with their formats and formulas, and writes the continued series, in one revision. */
export async function fillSeries(
  context: ServiceContext,
  request: WriteRequest,
  { from, to, values }: SeriesFill,
): Promise<WriteReply | Refusal> {
  const ranges = { from: parseRange(from), to: parseRange(to) };
  if (isRefusal(ranges.from)) return ranges.from;
  if (isRefusal(ranges.to)) return ranges.to;
  const { top, left, bottom, right } = ranges.to.area;
  const fits = values.length <= bottom - top + 1 && values.every((line) => line.length <= right - left + 1);
  if (!fits) return invalidRequest('values', 'values must fit into to');
  const cells = (bottom - top + 1) * (right - left + 1);
  if (cells > MAX_FILLED_CELLS) return invalidRequest('to', `to must have at most ${MAX_FILLED_CELLS} cells`);
  const { from: source, to: target } = ranges;
  return commitWrite(context, request, (head, access) => {
    const find = createSheetFinder(head.sheets);
    const [given, filled] = [locateRange(find, source), locateRange(find, target)];
    if (isRefusal(given)) return given;
    if (isRefusal(filled)) return filled;
    const { id, name } = filled.sheet;
    if (given.sheet.id !== id) return INVALID_RANGE;
    if (access.hiddenSheets.has(id)) return VALUES_HIDDEN;
    if (access.lockedSheets.has(id)) return SHEET_PROTECTED;
    const range = formatQualifiedRange(name, formatRange(filled.area));
    const repeat = { kind: 'fill', sheet: id, area: given.area, to: filled.area } as const;
    const continuation = { kind: 'setValues', sheet: id, row: top, column: left, values, mode: 'raw' } as const;
    return {
      edits: values.length === 0 ? [repeat] : [repeat, continuation],
      describe: () => ({ body: { filled: { range, cells } }, notes: [{ action: 'update', range, cells }] }),
    };
  });
}
