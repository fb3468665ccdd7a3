import { fitsIntoGrid, type InputOptions } from '../../service/cells/inputs.ts';
import type { ServiceContext } from '../../service/context.ts';
import { createSheetFinder, formatBlockRange } from '../../service/ranges.ts';
import { rebaseBlock } from '../../service/rebase/block.ts';
import { writeRebased } from '../../service/rebase/write-rebased.ts';
import { excludeFromBlock } from '../../service/rebase/written-cells.ts';
import { isRefusal, type Refusal } from '../../service/refusal.ts';
import type { WriteReply } from '../../service/reply.ts';
import { commitWrite } from '../../service/write.ts';
import type { WriteRequest } from '../../service/write-request.ts';
import { toWriteRequest } from '../call.ts';
import { defineWrite } from '../operation.ts';
import { ANSWERS, REFUSALS } from '../schemas/answers.ts';
import { defineCellsBody, INPUT_OPTIONS, Matrix, RangePath, WriteQuery } from '../schemas/requests.ts';
import {
  createAuditNote,
  describeSingleUpdate,
  findEditableTarget,
  toInputSyntax,
  toTargetRange,
  toValuesEdit,
  type ValueBlock,
  writeMatrix,
} from './blocks.ts';
import { WRITTEN_EXAMPLE } from './examples.ts';
import { parseInputOptions, WRITE_REQUIREMENTS } from './input-options.ts';

/** The size of the range is ignored: the shape of `values` decides which cells are written (contract, write rule 1). */
export const putValues = defineWrite({
  id: 'putValues',
  http: { method: 'PUT', path: '/documents/{document}/values/{range}' },
  requires: WRITE_REQUIREMENTS,
  tag: 'Values',
  summary: 'Write a block of values',
  description:
    'Writes a matrix, starting at the top left cell of the range. `null` leaves a cell unchanged, `""` clears it. Dependent formulas are calculated before the answer.',
  params: RangePath,
  query: WriteQuery,
  body: defineCellsBody({ values: Matrix, ...INPUT_OPTIONS }),
  answers: { 200: ANSWERS.written, ...REFUSALS },
  example: {
    request: { values: [['A-1013', '=C2*D2']] },
    answer: { updated: { sheet: 'Orders', ...WRITTEN_EXAMPLE } },
  },

  run(call, body) {
    const { range, values } = body;
    const input = parseInputOptions(body);
    // Only API clients send columns, and their addresses refer to the newest state.
    const base = input.major === 'COLUMNS' ? null : call.conditions.base;
    return writeRebased(call.context, toWriteRequest(call), {
      base,
      sent: { range, values },
      inputLocale: input.inputLocale,
      rebase: rebaseBlock,
      ranges: (sent) => [formatBlockRange(sent.range, sent.values)],
      without: excludeFromBlock,
      write: (request, sent) => putBlock(call.context, request, sent, input),
    });
  },
});

function putBlock(
  context: ServiceContext,
  request: WriteRequest,
  { range, values }: ValueBlock,
  input: InputOptions,
): Promise<WriteReply | Refusal> {
  return writeMatrix(context, values, input, (rows) =>
    commitWrite(context, request, (head, access) => {
      const target = findEditableTarget(createSheetFinder(head.sheets), access, range, (area) =>
        fitsIntoGrid(area.top, area.left, rows),
      );
      if (isRefusal(target)) return target;
      return {
        edits: [toValuesEdit(target, rows, toInputSyntax(input, access, head.snapshot))],
        target: toTargetRange(target),
        describe: (done) => {
          const update = describeSingleUpdate(done);
          return { body: { updated: update }, notes: [createAuditNote('update', update)] };
        },
      };
    }),
  );
}
