import { nameViews } from '@cellwire/engine';
import { Type } from 'typebox';
import { openReading } from '../../service/open-table.ts';
import { isRefusal } from '../../service/refusal.ts';
import { formatDocumentTag } from '../../service/tags.ts';
import { toJsonContent } from '../answer.ts';
import { defineRead } from '../operation.ts';
import { ANSWERS, REFUSALS } from '../schemas/answers.ts';
import { DocumentPath } from '../schemas/requests.ts';

const Names = Type.Object({ names: Type.Array(Type.Object({ name: Type.String(), refersTo: Type.String() })) });

export const listNames = defineRead({
  id: 'listNames',
  http: { method: 'GET', path: '/documents/{document}/names' },
  requires: { scope: 'sheets.read' },
  tag: 'Structure',
  summary: 'List the defined names of a document',
  description: 'Names that formulas can use. A name that is valid in one sheet only starts with that sheet.',
  params: DocumentPath,
  answers: { 200: Names, 304: ANSWERS.unchanged, ...REFUSALS },
  example: { answer: { names: [{ name: 'Rate', refersTo: '=1,5' }] } },

  async run({ context, document }) {
    const reading = await openReading(context, document);
    if (isRefusal(reading)) return reading;
    const body = { names: nameViews(reading.snapshot) };
    return {
      kind: 'tagged',
      tag: formatDocumentTag(reading.head, JSON.stringify(body)),
      content: () => toJsonContent(body),
    };
  },
});
