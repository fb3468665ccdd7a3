import { upsertRecords as change } from '../../service/records/upsert-records.ts';
import { defineWrite } from '../operation.ts';
import { ANSWERS, addBatchLines, REFUSALS } from '../schemas/answers.ts';
import { addRecordLines, StreamUpsertQuery, UpsertRecordsBody } from '../schemas/records.ts';
import { DocumentPath } from '../schemas/requests.ts';
import { WRITE_REQUIREMENTS } from '../values/input-options.ts';
import { changeRecords } from './change-records.ts';

export const upsertRecords = defineWrite({
  id: 'upsertRecords',
  http: { method: 'POST', path: '/documents/{document}/records/upsert' },
  requires: WRITE_REQUIREMENTS,
  tag: 'Records',
  summary: 'Update records by a key, and append records with new keys',
  description: 'Updates the record with the same key, or appends the record. Keys are compared by their typed values.',
  params: DocumentPath,
  query: StreamUpsertQuery,
  body: addRecordLines(UpsertRecordsBody),
  accepts: 'lines',
  answers: { 200: addBatchLines(ANSWERS.recordsUpserted), ...REFUSALS },
  example: {
    request: { range: 'Orders', key: ['Number'], records: [{ Number: 'A-1013', Status: 'paid' }] },
    answer: {
      upserted: {
        sheet: 'Orders',
        created: 0,
        updated: 1,
        unchanged: 0,
        skipped: 0,
        cells: 1,
        records: [{ row: 14, result: 'updated' }],
        revisionId: '44',
      },
    },
    texts: {
      'application/x-ndjson':
        '{"batch":1,"upserted":{"created":0,"updated":1,"cells":1,"revisionId":"44"}}\n{"end":true,"records":1,"batches":1,"revisionId":"44"}\n',
    },
  },

  run: (call, { document: _document, ...sent }) => changeRecords(call, change, sent),
});
