import { appendRecords as change } from '../../service/records/append-records.ts';
import { defineWrite } from '../operation.ts';
import { ANSWERS, addBatchLines, REFUSALS } from '../schemas/answers.ts';
import { AppendRecordsBody, addRecordLines, StreamQuery } from '../schemas/records.ts';
import { DocumentPath } from '../schemas/requests.ts';
import { WRITE_REQUIREMENTS } from '../values/input-options.ts';
import { changeRecords } from './change-records.ts';

export const appendRecords = defineWrite({
  id: 'appendRecords',
  http: { method: 'POST', path: '/documents/{document}/records/append' },
  requires: WRITE_REQUIREMENTS,
  tag: 'Records',
  summary: 'Append records below the records of a range',
  description:
    'Appends records below the last filled row of the range’s columns; a table grows. Fields keep their types, which are never guessed.',
  params: DocumentPath,
  query: StreamQuery,
  body: addRecordLines(AppendRecordsBody),
  accepts: 'lines',
  answers: { 200: addBatchLines(ANSWERS.recordsAppended), ...REFUSALS },
  example: {
    request: { range: 'Orders', records: [{ Number: 'A-1014', Date: '2026-03-27', Sum: 120 }] },
    answer: {
      appended: { sheet: 'Orders', created: 1, cells: 3, records: [{ row: 15, result: 'created' }], revisionId: '43' },
    },
    texts: {
      'application/x-ndjson':
        '{"batch":1,"appended":{"created":1,"cells":3,"revisionId":"43"}}\n{"end":true,"records":1,"batches":1,"revisionId":"43"}\n',
    },
  },

  run: (call, { document: _document, ...sent }) => changeRecords(call, change, sent),
});
