import { Type } from 'typebox';
import { deleteDocument as remove } from '../../service/document/change.ts';
import { actionOf } from '../call.ts';
import { defineChange } from '../operation.ts';
import { REFUSALS } from '../schemas/answers.ts';
import { DocumentPath } from '../schemas/requests.ts';
import { DOCUMENT_EXAMPLE } from './examples.ts';
import { Document } from './schemas.ts';

/** Has no `Idempotency-Key`: the kept answer would be deleted with the document. */
export const deleteDocument = defineChange({
  id: 'deleteDocument',
  isKeyed: false,
  http: { method: 'DELETE', path: '/documents/{document}' },
  requires: { scope: 'documents.write', owner: true },
  tag: 'Documents',
  summary: 'Delete a document with its history; there is no way back',
  description:
    'Ends a document with its history, shares and subscriptions; its audit log is kept for its time. For its owner alone. The answer shows it as it was.',
  params: DocumentPath,
  answers: { 200: Type.Object({ deleted: Document }), ...REFUSALS },
  example: { answer: { deleted: DOCUMENT_EXAMPLE } },

  run: (call) => remove(call.context, actionOf(call)),
});
