import { renameDocument as rename } from '../../service/document/change.ts';
import { toDocumentAction } from '../call.ts';
import { defineChange } from '../operation.ts';
import { REFUSALS } from '../schemas/answers.ts';
import { DocumentPath, defineBody } from '../schemas/requests.ts';
import { createDocumentView } from './document-json.ts';
import { FULL_DOCUMENT_EXAMPLE } from './examples.ts';
import { DocumentAnswer, Title } from './schemas.ts';

export const renameDocument = defineChange({
  id: 'renameDocument',
  isKeyed: true,
  http: { method: 'PATCH', path: '/documents/{document}' },
  requires: { scope: 'documents.write', writes: true },
  tag: 'Documents',
  summary: 'Rename a document',
  description: 'Sets another title. No cell changes, so no revision is created. Requires the role edit.',
  params: DocumentPath,
  body: defineBody({ title: Title }),
  answers: { 200: DocumentAnswer, ...REFUSALS },
  example: {
    request: { title: 'Orders 2026' },
    answer: { document: { ...FULL_DOCUMENT_EXAMPLE, title: 'Orders 2026' } },
  },

  run: (call, { title }) => rename(call.context, toDocumentAction(call), title, createDocumentView(call)),
});
