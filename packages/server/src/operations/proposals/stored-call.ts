import type { DocumentAccess } from '../../access/access.ts';
import type { Call } from '../call.ts';
import type { CallConditions } from '../conditions.ts';

/** Runs a stored operation in the name of its proposer, within another call. */
export function toStoredCall(
  call: Call,
  {
    document,
    conditions,
    renew,
  }: { document: DocumentAccess; conditions: CallConditions; renew: Call['renewDocument'] },
): Call {
  return {
    context: call.context,
    access: call.access,
    caller: document.caller,
    document,
    conditions,
    inputBytes: 0,
    ifNoneMatch: null,
    lastEventId: null,
    form: 'json',
    query: {},
    lines: null,
    file: null,
    renewCaller: async () => document.caller,
    renewDocument: renew,
    runLongWork: call.runLongWork,
    createAbortSignal: () => call.createAbortSignal(),
    createTemporaryFile: () => call.createTemporaryFile(),
    formatDocumentUrl: call.formatDocumentUrl,
  };
}
