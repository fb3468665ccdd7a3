import { getDocument as readDocument } from '../../service/document/list-documents.ts';
import { isRefusal } from '../../service/refusal.ts';
import { formatDocumentTag } from '../../service/tags.ts';
import { toJsonContent } from '../answer.ts';
import { defineRead } from '../operation.ts';
import { ANSWERS, REFUSALS } from '../schemas/answers.ts';
import { DocumentPath } from '../schemas/requests.ts';
import { createDocumentView } from './document-json.ts';
import { FULL_DOCUMENT_EXAMPLE } from './examples.ts';
import { DocumentAnswer } from './schemas.ts';

export const getDocument = defineRead({
  id: 'getDocument',
  http: { method: 'GET', path: '/documents/{document}' },
  requires: { scope: 'sheets.read' },
  tag: 'Documents',
  summary: 'Read the properties of a document',
  description: 'The document with the addresses of its cells and number formats. Its ETag changes with every commit.',
  params: DocumentPath,
  answers: { 200: DocumentAnswer, 304: ANSWERS.unchanged, ...REFUSALS },
  example: { answer: { document: FULL_DOCUMENT_EXAMPLE } },

  async run(call) {
    const found = await readDocument(call.context, call.document);
    if (isRefusal(found)) return found;
    const show = createDocumentView(call);
    const body = show(found.document);
    // A proposal does not change the document, so the ETag must not depend on it.
    const tagged = JSON.stringify(show({ ...found.document, openProposals: 0 }));
    return { kind: 'tagged', tag: formatDocumentTag(found.head, tagged), content: () => toJsonContent(body) };
  },
});
