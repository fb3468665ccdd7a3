import { prepareQuery } from '../../service/records/query-records.ts';
import { isRefusal } from '../../service/refusal.ts';
import { defineRead } from '../operation.ts';
import { ANSWERS, addLinesVariant, REFUSALS } from '../schemas/answers.ts';
import { QueryRecordsBody } from '../schemas/records.ts';
import { DocumentPath } from '../schemas/requests.ts';
import { FOUND_EXAMPLE, FOUND_LINES_EXAMPLE } from './examples.ts';
import { createQueryContent, QUERY_DESCRIPTION, RECORD_LINES } from './query-content.ts';

/** Uses POST only because a query may be too long for a URL. */
export const queryRecords = defineRead({
  id: 'queryRecords',
  http: { method: 'POST', path: '/documents/{document}/records/query' },
  requires: { scope: 'sheets.read' },
  tag: 'Records',
  summary: 'Filter, sort, group and page rows as records; for queries too long for a URL',
  description: QUERY_DESCRIPTION,
  params: DocumentPath,
  body: QueryRecordsBody,
  answers: { 200: addLinesVariant(ANSWERS.records, RECORD_LINES), ...REFUSALS },
  example: {
    request: { range: 'Orders', where: { Status: ['open', 'new'], Sum: { gte: 100 } }, sort: ['-Sum'], limit: 100 },
    answer: FOUND_EXAMPLE,
    texts: FOUND_LINES_EXAMPLE,
  },

  async run(call, { document: _document, ...wanted }) {
    const prepared = await prepareQuery(call.context, call.document, wanted);
    return isRefusal(prepared) ? prepared : createQueryContent(call, prepared);
  },
});
