import { deleteRecords as change } from '../../service/records/filtered-changes.ts';
import { toWriteRequest } from '../call.ts';
import { defineWrite } from '../operation.ts';
import { ANSWERS, REFUSALS } from '../schemas/answers.ts';
import { DeleteRecordsBody } from '../schemas/records.ts';
import { DocumentPath, WriteQuery } from '../schemas/requests.ts';
import { WRITE_REQUIREMENTS } from '../values/input-options.ts';

export const deleteRecords = defineWrite({
  id: 'deleteRecords',
  http: { method: 'POST', path: '/documents/{document}/records/delete' },
  requires: WRITE_REQUIREMENTS,
  tag: 'Records',
  summary: 'Delete the records that match a filter; rows below move up',
  description:
    'Deletes the found rows within the range’s columns, and moves the cells below up. Cells next to the range stay.',
  params: DocumentPath,
  query: WriteQuery,
  body: DeleteRecordsBody,

  answers: { 200: ANSWERS.recordsDeleted, ...REFUSALS },
  example: {
    request: { range: 'Orders', where: { Status: 'cancelled' } },
    answer: { deleted: { sheet: 'Orders', deleted: 1, records: [{ row: 11, result: 'deleted' }], revisionId: '46' } },
  },

  run: (call, { document: _document, ...sent }) => change(call.context, toWriteRequest(call), sent),
});
