import { Type } from 'typebox';
import { DEFAULT_REVISIONS_PAGE } from '../../limits/history.ts';
import { readRevisionPage } from '../../service/history/revisions.ts';
import { openReading } from '../../service/open-table.ts';
import { isRefusal } from '../../service/refusal.ts';
import { toJsonContent } from '../answer.ts';
import { defineRead } from '../operation.ts';
import { REFUSALS } from '../schemas/answers.ts';
import { DocumentPath, defineCount, defineQuery, Offset } from '../schemas/requests.ts';
import { Revision } from '../schemas/revisions.ts';
import { REVISION_EXAMPLE } from './examples.ts';

const RevisionsQuery = defineQuery({
  offset: Type.Optional(Offset),
  limit: Type.Optional(defineCount(1, `${DEFAULT_REVISIONS_PAGE} by default, capped at 200.`)),
});

const Revisions = Type.Object({
  revisions: Type.Object({
    entries: Type.Array(Revision, { description: 'Newest first.' }),
    total: Type.Integer({ minimum: 0 }),
    offset: Type.Integer({ minimum: 0 }),
    limit: Type.Integer({ minimum: 1 }),
  }),
});

export const listRevisions = defineRead({
  id: 'listRevisions',
  http: { method: 'GET', path: '/documents/{document}/revisions' },
  requires: { scope: 'sheets.read', feature: 'sheetOperations' },
  tag: 'History',
  summary: 'List the stored revisions',
  description: 'Who wrote what, newest first. Read values of a revision with `?revision=`.',
  params: DocumentPath,
  query: RevisionsQuery,
  answers: { 200: Revisions, ...REFUSALS },
  example: { answer: { revisions: { entries: [REVISION_EXAMPLE], total: 1, offset: 0, limit: 50 } } },

  async run({ context, document }, { offset = 0, limit = DEFAULT_REVISIONS_PAGE }) {
    const reading = await openReading(context, document);
    if (isRefusal(reading)) return reading;
    const { documentId, hiddenSheets } = document;
    return toJsonContent({
      revisions: await readRevisionPage(context, documentId, reading.snapshot, hiddenSheets, { offset, limit }),
    });
  },
});
