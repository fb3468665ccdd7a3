import { runInSlices } from '@cellwire/event-loop';
import type { Call } from '../operations/call.ts';
import { NO_CONDITIONS } from '../operations/conditions.ts';
import type { Operation } from '../operations/operation.ts';
import { isRefusal } from '../service/refusal.ts';
import { type GoogleCall, requireCallDocument } from './call.ts';
import { toProblem } from './problem.ts';

/** The call in the form that the service's operations expect. */
function toOperationCall(call: GoogleCall): Call {
  const {
    context,
    access,
    caller,
    bodyBytes,
    renewCaller,
    renewDocument,
    createAbortSignal,
    createTemporaryFile,
    origin,
  } = call;
  return {
    context,
    access,
    caller,
    get document() {
      return requireCallDocument(call);
    },
    conditions: NO_CONDITIONS,
    inputBytes: bodyBytes,
    ifNoneMatch: null,
    lastEventId: null,
    form: 'json',
    query: {},
    lines: null,
    file: null,
    renewCaller,
    renewDocument,
    runLongWork: (begin) => runInSlices(begin()),
    createAbortSignal: createAbortSignal,
    createTemporaryFile: createTemporaryFile,
    formatDocumentUrl: (document) => `${origin}/api/v1/documents/${document}`,
  };
}

/** Runs an operation of the service with a JSON answer. */
export async function runOperation(operation: Operation, call: GoogleCall, input: object): Promise<unknown> {
  const answer = await operation.run(toOperationCall(call), input);
  if (isRefusal(answer)) throw toProblem(answer);
  if (answer.kind === 'reply') return JSON.parse(answer.body) as unknown;
  if (answer.kind === 'json') return answer.body;
  throw new Error(`${operation.id} answers with ${answer.kind}`);
}
