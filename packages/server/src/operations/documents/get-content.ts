import { Type } from 'typebox';
import { getContent as readContent } from '../../service/document/content.ts';
import { isRefusal } from '../../service/refusal.ts';
import { defineRead } from '../operation.ts';
import { ANSWERS, REFUSALS } from '../schemas/answers.ts';
import { DocumentPath } from '../schemas/requests.ts';
import { CONTENT_EXAMPLE, SHEET_EXAMPLE } from './examples.ts';

const Content = Type.Unsafe<unknown>({ type: 'object', description: 'The filled cells of the document by sheet.' });

export const getContent = defineRead({
  id: 'getContent',
  http: { method: 'GET', path: '/documents/{document}/content' },
  requires: { scope: 'sheets.read' },
  tag: 'Documents',
  summary: 'Read all cells of a document',
  description:
    'All filled cells by sheet, at one revision. `contentUrl` of a document is this address. Sheets whose values are hidden from the caller are left out.',
  params: DocumentPath,
  answers: { 200: Content, 304: ANSWERS.unchanged, ...REFUSALS },
  example: {
    answer: { ...CONTENT_EXAMPLE, sheets: [{ ...SHEET_EXAMPLE, cells: { A1: { v: 'Number', m: 'Number' } } }] },
  },

  async run({ context, document }) {
    const content = await readContent(context, document);
    if (isRefusal(content)) return content;
    return { kind: 'tagged', tag: content.tag, content: () => ({ kind: 'pieces', pieces: content.pieces }) };
  },
});
