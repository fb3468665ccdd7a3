import { Type } from 'typebox';
import { openAreas } from '../../service/open-table.ts';
import { isRefusal } from '../../service/refusal.ts';
import { toSheetView } from '../../service/structure/sheets.ts';
import { formatDocumentTag } from '../../service/tags.ts';
import { toJsonContent } from '../answer.ts';
import { defineRead } from '../operation.ts';
import { ANSWERS, REFUSALS, Sheet } from '../schemas/answers.ts';
import { DocumentPath } from '../schemas/requests.ts';
import { SHEET_EXAMPLE } from './examples.ts';

export const listSheets = defineRead({
  id: 'listSheets',
  http: { method: 'GET', path: '/documents/{document}/sheets' },
  requires: { scope: 'sheets.read' },
  tag: 'Sheets',
  summary: 'List the sheets of a document',
  description: 'All sheets in their order, including hidden sheets.',
  params: DocumentPath,
  answers: { 200: Type.Object({ sheets: Type.Array(Sheet) }), 304: ANSWERS.unchanged, ...REFUSALS },
  example: { answer: { sheets: [SHEET_EXAMPLE] } },

  async run({ context, document }) {
    const reading = await openAreas(context, document, () => []);
    if (isRefusal(reading)) return reading;
    const sheets = reading.snapshot.sheets.map(toSheetView);
    return {
      kind: 'tagged',
      tag: formatDocumentTag(reading.head, JSON.stringify(sheets)),
      content: () => toJsonContent({ sheets }),
    };
  },
});
