import { Type } from 'typebox';
import { prepareUndo } from '../../service/history/undo.ts';
import { openReading } from '../../service/open-table.ts';
import { isRefusal } from '../../service/refusal.ts';
import { prepareAndWrite } from '../../service/write.ts';
import { toWriteRequest } from '../call.ts';
import { defineWrite } from '../operation.ts';
import { DRY_RUN, REFUSALS } from '../schemas/answers.ts';
import { defineOptionalBody, WRITE_CONDITIONS, WriteQuery } from '../schemas/requests.ts';
import { RevertedRevision, RevisionPath } from '../schemas/revisions.ts';
import { REVISION_REQUIREMENTS } from './requirements.ts';
import { toProposeWrite, toUndoRestrictions } from './reverting-writes.ts';

/** The caller may leave out the whole body. */
const UndoBody = defineOptionalBody({
  force: Type.Optional(Type.Boolean({ description: 'Overwrites later changes of other users.' })),
  ...WRITE_CONDITIONS,
});

const Undone = Type.Object({ undone: RevertedRevision, ...DRY_RUN });

const Conflict = Type.Object(
  {
    message: Type.String(),
    revisionId: Type.String(),
    conflicts: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Ranges that other users have changed since; empty if the revision is already undone.',
      }),
    ),
  },
  { title: 'UndoConflict' },
);

export const undoRevision = defineWrite({
  id: 'undoRevision',
  http: { method: 'POST', path: '/documents/{document}/revisions/{revision}/undo' },
  requires: REVISION_REQUIREMENTS,
  tag: 'History',
  summary: 'Undo a revision, as a new revision',
  description:
    'Undoes a revision by a new revision. If other users have changed the same cells since, the answer is 412 with the ranges, unless `force` is true.',
  params: RevisionPath,
  query: WriteQuery,
  body: UndoBody,
  answers: { 200: Undone, ...REFUSALS, 412: Conflict },
  example: { request: { force: false }, answer: { undone: { revision: 42, revisionId: '43' } } },

  run: (call, { revision, force = false }) =>
    prepareAndWrite(call.context, toWriteRequest(call), async (access) => {
      const reading = await openReading(call.context, access);
      if (isRefusal(reading)) return reading;
      const question = { revision, force };
      const propose = await prepareUndo(call.context, access.documentId, reading, toUndoRestrictions(access), question);
      return isRefusal(propose) ? propose : toProposeWrite('undo', propose);
    }),
});
