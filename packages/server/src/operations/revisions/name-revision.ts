import { Type } from 'typebox';
import { MAX_REVISION_NAME_LENGTH } from '../../limits/history.ts';
import { MAX_SENT_NAME_LENGTH } from '../../limits/requests.ts';
import { planRevisionName } from '../../service/history/revisions.ts';
import { commitPlanned } from '../../service/planned-change.ts';
import { toDocumentAction } from '../call.ts';
import { defineChange } from '../operation.ts';
import { REFUSALS } from '../schemas/answers.ts';
import { defineBody } from '../schemas/requests.ts';
import { Revision, RevisionPath } from '../schemas/revisions.ts';
import { REVISION_EXAMPLE } from './examples.ts';
import { REVISION_REQUIREMENTS } from './requirements.ts';

const NameBody = defineBody({
  name: Type.String({
    maxLength: MAX_SENT_NAME_LENGTH,
    description: `1–${MAX_REVISION_NAME_LENGTH} characters. A revision with a name is not deleted.`,
  }),
});

export const nameRevision = defineChange({
  isKeyed: true,
  id: 'nameRevision',
  http: { method: 'PUT', path: '/documents/{document}/revisions/{revision}' },
  requires: REVISION_REQUIREMENTS,
  tag: 'History',
  summary: 'Name a revision, which keeps it',
  description: 'A revision with a name is kept longer than the limits of the history allow.',
  params: RevisionPath,
  body: NameBody,
  answers: { 200: Type.Object({ revision: Revision }), ...REFUSALS },
  example: {
    request: { name: 'Before the audit' },
    answer: { revision: { ...REVISION_EXAMPLE, name: 'Before the audit' } },
  },

  run: (call, { revision: number, name }) =>
    commitPlanned(
      call.context,
      toDocumentAction(call),
      (access) => planRevisionName(call.context, access, number, name),
      (revision) => ({ revision }),
    ),
});
