import { mapMaybe } from '@cellwire/event-loop';
import type { PreparedQuery } from '../../service/records/query-records.ts';
import { isRefusal, type Refusal } from '../../service/refusal.ts';
import type { AnswerContent } from '../answer.ts';
import type { Call } from '../call.ts';

export const QUERY_DESCRIPTION =
  'The first row of the range is its header. `where` AND one of `any` AND none of `none`; `formula` by row; `aggregate` groups. Pages go on at their revision by `cursor`. With `Accept: application/x-ndjson` all of them, a line each.';
export const RECORD_LINES = 'Without `limit` all records at one revision, each line `{ row, fields }`.';

/** What a query found, in the form that the call wants. */
export function queryContent({ form, runLong }: Call, { answer, lines, revision }: PreparedQuery) {
  if (form === 'lines') {
    return mapMaybe(lines(runLong), (made): AnswerContent | Refusal =>
      isRefusal(made) ? made : { kind: 'lines', lines: made, revision },
    );
  }
  return mapMaybe(answer(runLong), (text): AnswerContent | Refusal =>
    isRefusal(text) ? text : { kind: 'parts', parts: [text] },
  );
}
