import { mapMaybe } from '@cellwire/event-loop';
import { createViewerKey, readRanges } from '../../service/cells/read-values.ts';
import { isRefusal, type Refusal } from '../../service/refusal.ts';
import type { OperationAnswer } from '../answer.ts';
import { defineRead } from '../operation.ts';
import { ANSWERS, REFUSALS } from '../schemas/answers.ts';
import { BatchGetQuery, DocumentPath } from '../schemas/requests.ts';
import { PAGE_EXAMPLE } from './examples.ts';
import { createBatchBody } from './value-json.ts';

export const batchGetValues = defineRead({
  id: 'batchGetValues',
  http: { method: 'GET', path: '/documents/{document}/values/batchGet' },
  requires: { scope: 'sheets.read' },
  tag: 'Values',
  summary: 'Read up to 20 ranges at one revision',
  description: 'Up to 20 ranges at one revision. If a range cannot be read, its entry has the error.',
  params: DocumentPath,
  query: BatchGetQuery,
  answers: { 200: ANSWERS.valueRanges, 304: ANSWERS.unchanged, ...REFUSALS },
  example: { answer: { valueRanges: [PAGE_EXAMPLE, { range: 'Nope!A1', error: 'Sheet not found' }] } },

  run(
    { context, document, runLongWork: runLong },
    { ranges, majorDimension: major = 'ROWS', render = null, inputLocale = null },
  ) {
    return mapMaybe(
      readRanges(context, document, ranges, { major, render, inputLocale }),
      (read): OperationAnswer | Refusal => {
        if (isRefusal(read)) return read;
        return {
          kind: 'tagged',
          tag: () => read.tag(),
          cacheKey: () => createViewerKey(document, read.reading),
          revision: read.reading.snapshot.revision,
          content: async () => {
            const entries = await read.entries(runLong);
            return isRefusal(entries)
              ? entries
              : { kind: 'parts', parts: createBatchBody(entries.map((entry) => ({ entry }))) };
          },
        };
      },
    );
  },
});
