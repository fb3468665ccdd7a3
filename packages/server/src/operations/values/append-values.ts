import { fitsIntoGrid } from '../../service/cells/inputs.ts';
import { createSheetFinder } from '../../service/ranges.ts';
import { isRefusal } from '../../service/refusal.ts';
import { commitWrite } from '../../service/write.ts';
import { toWriteRequest } from '../call.ts';
import { defineWrite } from '../operation.ts';
import { ANSWERS, REFUSALS } from '../schemas/answers.ts';
import { DocumentPath, defineCellsBody, INPUT_OPTIONS, Matrix, RangeText, WriteQuery } from '../schemas/requests.ts';
import {
  createAuditNote,
  describeSingleUpdate,
  findEditableTarget,
  requireFirstOutcome,
  toInputSyntax,
  toTargetRange,
  writeMatrix,
} from './blocks.ts';
import { WRITTEN_EXAMPLE } from './examples.ts';
import { parseInputOptions, WRITE_REQUIREMENTS } from './input-options.ts';

/** The range gives the sheet and the first column. The row is the one below the last filled row of the whole sheet. */
export const appendValues = defineWrite({
  id: 'appendValues',
  http: { method: 'POST', path: '/documents/{document}/values/append' },
  requires: WRITE_REQUIREMENTS,
  tag: 'Values',
  summary: 'Write below the last filled row of a sheet',
  description: 'Writes below the last filled row of the sheet. Two simultaneous appends never share a row.',
  params: DocumentPath,
  query: WriteQuery,
  body: defineCellsBody({ range: RangeText, values: Matrix, ...INPUT_OPTIONS }),
  answers: { 200: ANSWERS.appended, ...REFUSALS },
  example: {
    request: { range: 'Orders!A:B', values: [['A-1014', 120]] },
    answer: { updated: { sheet: 'Orders', startRow: 3, ...WRITTEN_EXAMPLE, updatedRange: 'Orders!A3:B3' } },
  },

  run(call, body) {
    const { range, values } = body;
    const input = parseInputOptions(body);
    return writeMatrix(call.context, values, input, (rows) =>
      commitWrite(call.context, toWriteRequest(call), (head, access) => {
        const target = findEditableTarget(createSheetFinder(head.sheets), access, range, (area) =>
          fitsIntoGrid(0, area.left, rows),
        );
        if (isRefusal(target)) return target;
        const column = target.area.left;
        const entering = toInputSyntax(input, access, head.snapshot);
        return {
          target: toTargetRange(target),
          edits: [{ kind: 'append', sheet: target.sheet.id, column, values: rows, ...entering }],
          describe: (done) => {
            const outcome = requireFirstOutcome(done);
            const { sheet, ...figures } = describeSingleUpdate(done);
            const updated = { sheet, startRow: (outcome.area?.top ?? 0) + 1, ...figures };
            return { body: { updated }, notes: [createAuditNote('append', figures)] };
          },
        };
      }),
    );
  },
});
