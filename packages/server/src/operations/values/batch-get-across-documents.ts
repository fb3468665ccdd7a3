import { readAcrossDocuments } from '../../service/cells/cross-book.ts';
import { isRefusal } from '../../service/refusal.ts';
import { defineRead } from '../operation.ts';
import { ANSWERS, REFUSALS } from '../schemas/answers.ts';
import { BatchGetQuery } from '../schemas/requests.ts';
import { PAGE_EXAMPLE } from './examples.ts';
import { createBatchBody } from './value-json.ts';

export const batchGetAcrossDocuments = defineRead({
  id: 'batchGetAcrossDocuments',
  http: { method: 'GET', path: '/values/batchGet' },
  requires: { scope: 'sheets.crossbook.read' },
  tag: 'Values',
  summary: 'Read ranges of several documents, each as `{document}!{range}`',
  description: 'Ranges as `{document}!{range}`, each document at one revision. Also requires `sheets.crossbook.read`.',
  query: BatchGetQuery,
  answers: { 200: ANSWERS.bookRanges, ...REFUSALS },
  example: { answer: { valueRanges: [{ document: '6f1c2a7e-2f0b-4c1e-9a58-0d5b1f1f7a10', ...PAGE_EXAMPLE }] } },

  async run(call, { ranges, majorDimension: major = 'ROWS', render = null, inputLocale = null }) {
    const { context, access, caller, runLongWork: runLong } = call;
    const entries = await readAcrossDocuments(context, access, caller, ranges, { major, render, inputLocale }, runLong);
    return isRefusal(entries) ? entries : { kind: 'parts', parts: createBatchBody(entries) };
  },
});
