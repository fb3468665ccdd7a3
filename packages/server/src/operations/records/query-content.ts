import { mapMaybe } from '@cellwire/event-loop';
import type { PreparedQuery } from '../../service/records/query-records.ts';
import { isRefusal, type Refusal } from '../../service/refusal.ts';
import type { AnswerContent } from '../answer.ts';
import type { Call } from '../call.ts';

export const QUERY_DESCRIPTION =
  'The first row of the range is its header. A record matches if all of `where`, one of `any` and none of `none` hold, and `formula` is TRUE; `aggregate` returns groups. `cursor` continues with the next page at the same revision. With `Accept: application/x-ndjson` the answer has all records, one per line.';
export const RECORD_LINES = 'Without `limit` all records at one revision; each line is `{ row, fields }`.';

/** Creates the result of a query, in the requested form. */
export function createQueryContent({ form, runLongWork: runLong }: Call, { answer, lines, revision }: PreparedQuery) {
  if (form === 'lines') {
    return mapMaybe(lines(runLong), (found): AnswerContent | Refusal =>
      isRefusal(found) ? found : { kind: 'lines', lines: found, revision },
    );
  }
  return mapMaybe(answer(runLong), (parts): AnswerContent | Refusal =>
    isRefusal(parts) ? parts : { kind: 'parts', parts },
  );
}
