import { Type } from 'typebox';
import { deleteDocument as remove } from '../../service/document/change.ts';
import { toDocumentAction } from '../call.ts';
import { defineChange } from '../operation.ts';
import { REFUSALS } from '../schemas/answers.ts';
import { DocumentPath } from '../schemas/requests.ts';
import { DOCUMENT_EXAMPLE } from './examples.ts';
import { Document } from './schemas.ts';

/** The stored reply is not part of the document, because a replay finds no document. */
export const deleteDocument = defineChange({
  id: 'deleteDocument',
  isKeyed: true,
  endsDocument: true,
  http: { method: 'DELETE', path: '/documents/{document}' },
  requires: { scope: 'documents.write', owner: true },
  tag: 'Documents',
  summary: 'Delete a document; its owner can restore it for some days',
  description:
    'The document can no longer be opened. The owner can restore it in the console for some days (`trash.days`, 30 by default); then it is deleted with its history, shares and subscriptions. Only for the owner. The answer shows the deleted document.',
  params: DocumentPath,
  answers: { 200: Type.Object({ deleted: Document }), ...REFUSALS },
  example: { answer: { deleted: DOCUMENT_EXAMPLE } },

  run: (call) => remove(call.context, toDocumentAction(call)),
});
