import { Type } from 'typebox';
import type { ServiceContext } from '../../service/context.ts';
import { prepareRestore } from '../../service/history/undo.ts';
import { openReading } from '../../service/open-table.ts';
import { writeRebased } from '../../service/rebase/write-rebased.ts';
import { formatWholeSheet } from '../../service/rebase/written-cells.ts';
import { isRefusal, type Refusal } from '../../service/refusal.ts';
import type { WriteReply } from '../../service/reply.ts';
import { prepareAndWrite } from '../../service/write.ts';
import type { WriteRequest } from '../../service/write-request.ts';
import { toWriteRequest } from '../call.ts';
import { defineWrite } from '../operation.ts';
import { REFUSALS } from '../schemas/answers.ts';
import { ConditionsBody, WriteQuery } from '../schemas/requests.ts';
import { RevertedRevision, RevisionPath } from '../schemas/revisions.ts';
import { REVISION_REQUIREMENTS } from './requirements.ts';
import { toProposeWrite, toUndoRestrictions } from './reverting-writes.ts';

export const restoreRevision = defineWrite({
  id: 'restoreRevision',
  http: { method: 'POST', path: '/documents/{document}/revisions/{revision}/restore' },
  requires: REVISION_REQUIREMENTS,
  tag: 'History',
  summary: 'Restore the whole document to a revision, as a new revision',
  description: 'Restores the whole document to a revision. This is a new revision, which can be undone.',
  params: RevisionPath,
  query: WriteQuery,
  body: ConditionsBody,
  answers: { 200: Type.Object({ restored: RevertedRevision }), ...REFUSALS },
  example: { answer: { restored: { revision: 40, revisionId: '44' } } },

  run: (call, { revision }) =>
    writeRebased(call.context, toWriteRequest(call), {
      base: call.conditions.base,
      sent: revision,
      inputLocale: null,
      rebase: null,
      ranges: (_sent, { sheets }) => sheets.map(({ name }) => formatWholeSheet(name)),
      write: (request, sent) => restoreToRevision(call.context, request, sent),
    }),
});

function restoreToRevision(
  context: ServiceContext,
  request: WriteRequest,
  revision: string,
): Promise<WriteReply | Refusal> {
  return prepareAndWrite(context, request, async (access) => {
    const reading = await openReading(context, access);
    if (isRefusal(reading)) return reading;
    const propose = await prepareRestore(context, access.documentId, reading, toUndoRestrictions(access), revision);
    return isRefusal(propose) ? propose : toProposeWrite('restore', propose);
  });
}
