import { areaText } from '@cellwire/engine';
import { editCells } from '../../service/cells/edit-cells.ts';
import type { ServiceContext } from '../../service/context.ts';
import { createSheetFinder, formatQualifiedRange } from '../../service/ranges.ts';
import { rebaseRanges } from '../../service/rebase/requests.ts';
import { writeRebased } from '../../service/rebase/write-rebased.ts';
import { excludeFromRanges } from '../../service/rebase/written-cells.ts';
import { isRefusal, type Refusal } from '../../service/refusal.ts';
import type { WriteReply } from '../../service/reply.ts';
import { commitWrite } from '../../service/write.ts';
import type { WriteRequest } from '../../service/write-request.ts';
import { toWriteRequest } from '../call.ts';
import { defineWrite } from '../operation.ts';
import { ANSWERS, REFUSALS } from '../schemas/answers.ts';
import { DocumentPath, defineBody, RangeText, WRITE_CONDITIONS, WriteQuery } from '../schemas/requests.ts';
import { findEditableTarget, requireFirstOutcome, toTargetRange } from './blocks.ts';
import { WRITE_REQUIREMENTS } from './input-options.ts';

export const clearValues = defineWrite({
  id: 'clearValues',
  http: { method: 'POST', path: '/documents/{document}/values/clear' },
  requires: WRITE_REQUIREMENTS,
  tag: 'Values',
  summary: 'Clear the filled cells of a range',
  description: 'Removes values and formulas; formats stay. `cells` is the number of cells that were filled.',
  params: DocumentPath,
  query: WriteQuery,
  body: defineBody({ range: RangeText, ...WRITE_CONDITIONS }),
  answers: { 200: ANSWERS.cleared, ...REFUSALS },
  example: { request: { range: 'Orders!J:J' }, answer: { updated: { sheet: 'Orders', cells: 2 } } },

  // Other users may have moved parts of the range apart. Each part is cleared.
  run: (call, { range }) =>
    writeRebased<readonly string[]>(call.context, toWriteRequest(call), {
      base: call.conditions.base,
      sent: [range],
      inputLocale: null,
      rebase: ([whole = range], setting) => rebaseRanges(whole, setting),
      ranges: (ranges) => ranges,
      without: excludeFromRanges,
      write: (request, ranges) =>
        ranges.length === 1
          ? clearRange(call.context, request, ranges[0] ?? range)
          : editCells(call.context, request, { edits: ranges.map((clear) => ({ clear })), inputLocale: null }),
    }),
});

function clearRange(context: ServiceContext, request: WriteRequest, range: string): Promise<WriteReply | Refusal> {
  return commitWrite(context, request, (head, access) => {
    const target = findEditableTarget(createSheetFinder(head.sheets), access, range, () => true);
    if (isRefusal(target)) return target;
    const { sheet, area } = target;
    return {
      target: toTargetRange(target),
      edits: [{ kind: 'clear', sheet: sheet.id, area }],
      describe: (done) => {
        const { cells } = requireFirstOutcome(done);
        return {
          body: { updated: { sheet: sheet.name, cells } },
          notes: [{ action: 'clear', range: formatQualifiedRange(sheet.name, areaText(area)), cells }],
        };
      },
    };
  });
}
