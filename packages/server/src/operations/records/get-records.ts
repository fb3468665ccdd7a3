import { prepareQuery } from '../../service/records/query-records.ts';
import { isRefusal } from '../../service/refusal.ts';
import { defineRead } from '../operation.ts';
import { ANSWERS, addLinesVariant, REFUSALS } from '../schemas/answers.ts';
import { QueryRecordsQuery } from '../schemas/records.ts';
import { DocumentPath } from '../schemas/requests.ts';
import { FOUND_EXAMPLE, FOUND_LINES_EXAMPLE } from './examples.ts';
import { parseQueryMembers } from './json-members.ts';
import { createQueryContent, QUERY_DESCRIPTION, RECORD_LINES } from './query-content.ts';

const JSON_MEMBERS = ['where', 'any', 'none', 'columns', 'types', 'aggregate'];

export const getRecords = defineRead({
  id: 'getRecords',
  http: { method: 'GET', path: '/documents/{document}/records/query' },
  requires: { scope: 'sheets.read' },
  tag: 'Records',
  summary: 'Filter, sort, group and page rows as records',
  description: `${QUERY_DESCRIPTION} Filters are JSON texts in the query.`,
  params: DocumentPath,
  query: QueryRecordsQuery,
  answers: { 200: addLinesVariant(ANSWERS.records, RECORD_LINES), 304: ANSWERS.unchanged, ...REFUSALS },
  example: { answer: FOUND_EXAMPLE, texts: FOUND_LINES_EXAMPLE },

  async run(call, { document: _document, ...query }) {
    const recordsQuery = parseQueryMembers(query, JSON_MEMBERS);
    const prepared = isRefusal(recordsQuery)
      ? recordsQuery
      : await prepareQuery(call.context, call.document, recordsQuery);
    if (isRefusal(prepared)) return prepared;
    const tag = prepared.createTag(call.form === 'lines' ? 'lines' : 'value');
    return { kind: 'tagged', tag, hasForms: true, content: () => createQueryContent(call, prepared) };
  },
});
