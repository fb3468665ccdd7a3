import { updateRecords as change } from '../../service/records/filtered-changes.ts';
import { toWriteRequest } from '../call.ts';
import { defineWrite } from '../operation.ts';
import { ANSWERS, REFUSALS } from '../schemas/answers.ts';
import { UpdateRecordsBody } from '../schemas/records.ts';
import { DocumentPath, WriteQuery } from '../schemas/requests.ts';
import { WRITE_REQUIREMENTS } from '../values/input-options.ts';

export const updateRecords = defineWrite({
  id: 'updateRecords',
  http: { method: 'POST', path: '/documents/{document}/records/update' },
  requires: WRITE_REQUIREMENTS,
  tag: 'Records',
  summary: 'Set fields of the records that match a filter',
  description: 'Sets fields of all records that the filter finds. Without a filter, `"all": true` is required.',
  params: DocumentPath,
  query: WriteQuery,
  body: UpdateRecordsBody,

  answers: { 200: ANSWERS.recordsUpdated, ...REFUSALS },
  example: {
    request: { range: 'Orders', where: { Status: 'new' }, set: { Status: 'open' } },
    answer: {
      updated: {
        sheet: 'Orders',
        updated: 1,
        unchanged: 0,
        cells: 1,
        records: [{ row: 9, result: 'updated' }],
        revisionId: '45',
      },
    },
  },

  run: (call, { document: _document, ...sent }) => change(call.context, toWriteRequest(call), sent),
});
