import { Type } from 'typebox';
import { getStyles as readStyles } from '../../service/document/content.ts';
import { isRefusal } from '../../service/refusal.ts';
import { defineRead } from '../operation.ts';
import { ANSWERS, REFUSALS } from '../schemas/answers.ts';
import { DocumentPath } from '../schemas/requests.ts';
import { CONTENT_EXAMPLE, SHEET_EXAMPLE } from './examples.ts';

const Styles = Type.Unsafe<unknown>({ type: 'object', description: 'Number formats of cells by sheet.' });

export const getStyles = defineRead({
  id: 'getStyles',
  http: { method: 'GET', path: '/documents/{document}/styles' },
  requires: { scope: 'sheets.read' },
  tag: 'Documents',
  summary: 'Read the number formats of a document',
  description:
    'Number formats by range. `stylesUrl` of a document is this address. The format of a column applies to its cells.',
  params: DocumentPath,
  answers: { 200: Styles, 304: ANSWERS.unchanged, ...REFUSALS },
  example: { answer: { ...CONTENT_EXAMPLE, sheets: [{ ...SHEET_EXAMPLE, formats: { 'B:B': 'dd.mm.yyyy' } }] } },

  async run({ context, document }) {
    const styles = await readStyles(context, document);
    if (isRefusal(styles)) return styles;
    return { kind: 'tagged', tag: styles.tag, content: () => ({ kind: 'pieces', pieces: styles.pieces }) };
  },
});
