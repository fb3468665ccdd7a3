import { mapMaybe } from '@cellwire/event-loop';
import { MAX_READ_ROWS } from '../../limits/requests.ts';
import { type CellPage, fillPage, type RunPageSteps } from '../../service/cells/fill-page.ts';
import {
  createViewerKey,
  findMatchingTag,
  type PageRequest,
  readPastRange,
  readRange,
} from '../../service/cells/read-values.ts';
import { streamRange } from '../../service/cells/stream-values.ts';
import { invalidRequest, isRefusal, type Refusal } from '../../service/refusal.ts';
import { formatRangeTag } from '../../service/tags.ts';
import type { AnswerContent, OperationAnswer } from '../answer.ts';
import type { Call } from '../call.ts';
import { defineRead, type InputOf } from '../operation.ts';
import { ANSWERS, addLinesVariant, REFUSALS } from '../schemas/answers.ts';
import { RangePath, ReadQuery } from '../schemas/requests.ts';
import { PAGE_EXAMPLE } from './examples.ts';
import { toRangeContent } from './value-json.ts';

const ROW_LINES = 'Without `limit` all rows at one revision; each line is a row as in `cells`.';

type GetValuesInput = InputOf<typeof RangePath, typeof ReadQuery, never>;

export const getValues = defineRead({
  id: 'getValues',
  http: { method: 'GET', path: '/documents/{document}/values/{range}' },
  requires: { scope: 'sheets.read' },
  tag: 'Values',
  summary: 'Read a range',
  description:
    'Reads a range in pages of up to 1000 rows; empty cells are `null`. The ETag is valid until a cell in the range changes. With `Accept: application/x-ndjson` the answer has all rows at one revision, one per line.',
  params: RangePath,
  query: ReadQuery,
  answers: { 200: addLinesVariant(ANSWERS.values, ROW_LINES), 304: ANSWERS.unchanged, ...REFUSALS },
  example: {
    answer: { values: PAGE_EXAMPLE },
    texts: {
      'application/x-ndjson': '[{"v":"A-1013","m":"A-1013"},null]\n{"end":true,"records":1,"revisionId":"42"}\n',
    },
  },

  run(call, input) {
    if (call.form === 'lines') return streamRows(call, input);
    const { range, revision, offset = 0, limit = MAX_READ_ROWS, majorDimension: major = 'ROWS' } = input;
    const { render = null, inputLocale = null } = input;
    const request = { range, offset, limit, major, render, inputLocale };
    return revision === undefined ? readNewestPage(call, request) : readPastPage(call, revision, request);
  },
});

/** A page of the newest state. */
function readNewestPage(call: Call, request: PageRequest) {
  const { context, document, ifNoneMatch } = call;
  return mapMaybe(readRange(context, document, request), (read): OperationAnswer | Refusal => {
    if (isRefusal(read)) return read;
    return {
      kind: 'tagged',
      tag: () => formatRangeTag(read.tag),
      heldTag: ifNoneMatch === null ? null : findMatchingTag(context, document, read, ifNoneMatch),
      cacheKey: () => createViewerKey(document, read.reading),
      content: () => createPageContent(call, read.page),
    };
  });
}

/** Answers with a page of a past revision. */
async function readPastPage(call: Call, revision: number, request: PageRequest): Promise<OperationAnswer | Refusal> {
  const page = await readPastRange(call.context, call.document, revision, request);
  return isRefusal(page) ? page : createPageContent(call, page);
}

/** The JSON content of a page, written in slices if it is long. */
function createPageContent(call: Call, page: CellPage) {
  const { maxResponseBytes } = call.context.config.limits;
  const runSteps: RunPageSteps = (begin) => call.runLongWork(begin);
  return mapMaybe(fillPage(runSteps, page, maxResponseBytes), (filled): AnswerContent | Refusal =>
    isRefusal(filled) ? filled : toRangeContent(filled),
  );
}

/** Streams rows as NDJSON lines; all rows unless a limit is given. */
async function streamRows({ context, document }: Call, input: GetValuesInput): Promise<OperationAnswer | Refusal> {
  const { range, majorDimension, revision = null, offset = 0, limit = null, render = null, inputLocale = null } = input;
  if (majorDimension === 'COLUMNS') {
    return invalidRequest('majorDimension', 'majorDimension must be ROWS: lines are rows');
  }
  const lines = await streamRange(context, document, { range, offset, limit, revision, render, inputLocale });
  return isRefusal(lines) ? lines : { kind: 'lines', ...lines };
}
