import { Type } from 'typebox';
import { prepareRestore } from '../../service/history/take-back.ts';
import { openReading } from '../../service/open-table.ts';
import { isRefusal } from '../../service/refusal.ts';
import { writePrepared } from '../../service/write.ts';
import { writeOf } from '../call.ts';
import { defineWrite } from '../operation.ts';
import { REFUSALS } from '../schemas/answers.ts';
import { ConditionsBody, WriteQuery } from '../schemas/requests.ts';
import { RevertedRevision, RevisionPath } from '../schemas/revisions.ts';
import { REVISION_REQUIREMENTS } from './requirements.ts';
import { restrictionsOf, withNote } from './reverting-writes.ts';

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
    writePrepared(call.context, writeOf(call), async (access) => {
      const reading = await openReading(call.context, access);
      if (isRefusal(reading)) return reading;
      const propose = await prepareRestore(call.context, access.documentId, reading, restrictionsOf(access), revision);
      return isRefusal(propose) ? propose : withNote('restore', propose);
    }),
});
