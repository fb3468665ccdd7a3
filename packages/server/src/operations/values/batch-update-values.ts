import { runInSlices } from '@cellwire/event-loop';
import { Type } from 'typebox';
import type { SheetEntry } from '../../documents/types.ts';
import { MAX_BATCH_BLOCKS, MAX_REPLY_BYTES } from '../../limits/requests.ts';
import { convertToRows, type InputMatrix as Rows } from '../../service/cells/inputs.ts';
import { createSheetFinder } from '../../service/ranges.ts';
import { findMostSevere, isRefusal, RESPONSE_TOO_LARGE } from '../../service/refusal.ts';
import { commitWrite } from '../../service/write.ts';
import { toWriteRequest } from '../call.ts';
import { defineWrite } from '../operation.ts';
import { ANSWERS, REFUSALS } from '../schemas/answers.ts';
import {
  DocumentPath,
  defineBody,
  defineCellsBody,
  INPUT_OPTIONS,
  Matrix,
  RangeText,
  WriteQuery,
} from '../schemas/requests.ts';
import {
  type CellValuesEdit,
  createAuditNote,
  describeUpdate,
  planSetValues,
  toInputSyntax,
  type ValueBlock,
} from './blocks.ts';
import { WRITTEN_EXAMPLE } from './examples.ts';
import { parseInputOptions, WRITE_REQUIREMENTS } from './input-options.ts';

export const batchUpdateValues = defineWrite({
  id: 'batchUpdateValues',
  http: { method: 'POST', path: '/documents/{document}/values/batchUpdate' },
  requires: WRITE_REQUIREMENTS,
  tag: 'Values',
  summary: 'Write several blocks, all or none',
  description: 'Writes many ranges in one revision, all or none.',
  params: DocumentPath,
  query: WriteQuery,
  body: defineCellsBody({
    data: Type.Array(defineBody({ range: RangeText, values: Matrix }), { minItems: 1, maxItems: MAX_BATCH_BLOCKS }),
    ...INPUT_OPTIONS,
  }),
  answers: { 200: ANSWERS.batchWritten, ...REFUSALS },
  example: {
    request: { data: [{ range: 'Orders!A2', values: [['A-1013', 860]] }] },
    answer: { updated: { ranges: [{ sheet: 'Orders', range: 'Orders!A2', ...WRITTEN_EXAMPLE }], cells: 2 } },
  },

  async run(call, { data: blocks, ...options }) {
    const input = parseInputOptions(options);
    const sent = blocks.map(({ values }, index) => ({ field: `data.${index}.values`, values }));
    const matrices = await runInSlices(convertToRows(sent, input, call.context.config.limits));
    if (isRefusal(matrices)) return matrices;
    return commitWrite(call.context, toWriteRequest(call), (head, access) => {
      const find = createSheetFinder(head.sheets);
      const entering = toInputSyntax(input, access, head.snapshot);
      const proposed = blocks.map(({ range }, index) =>
        planSetValues(find, access, range, matrices[index] as Rows, entering),
      );
      const refusal = findMostSevere(proposed.filter(isRefusal));
      if (refusal !== null) return refusal;
      const edits = proposed.filter((edit) => !isRefusal(edit));
      if (estimateReplyBytes(head.sheets, edits, blocks) > MAX_REPLY_BYTES) return RESPONSE_TOO_LARGE;
      return {
        edits,
        describe: (done) => {
          const sheets = new Map(done.after.map((sheet) => [sheet.id, sheet]));
          const updates = done.outcomes.map((outcome) => describeUpdate(sheets.get(outcome.sheet), outcome));
          const ranges = updates.map(({ sheet, ...figures }, index) => ({
            sheet,
            range: blocks[index]?.range,
            ...figures,
          }));
          const cells = updates.reduce((sum, figures) => sum + figures.cells, 0);
          return {
            body: { updated: { ranges, cells } },
            notes: updates.map((figures) => createAuditNote('update', figures)),
          };
        },
      };
    });
  },
});

/** Estimates the bytes of the reply. Each block's entry has its submitted range, and its sheet's name twice. */
function estimateReplyBytes(
  sheets: readonly SheetEntry[],
  edits: readonly CellValuesEdit[],
  blocks: readonly ValueBlock[],
): number {
  const names = new Map(sheets.map(({ id, name }) => [id, Buffer.byteLength(JSON.stringify(name))]));
  return edits.reduce(
    (sum, { sheet }, index) =>
      sum + ENTRY_BYTES + 2 * (names.get(sheet) ?? 0) + Buffer.byteLength(JSON.stringify(blocks[index]?.range)),
    0,
  );
}

/** Bytes of a block's entry in the reply, without sheet names and the submitted range. */
const ENTRY_BYTES = 128;
