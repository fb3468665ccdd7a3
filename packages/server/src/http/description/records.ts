import type { Words } from './words.ts';

const FOUND = {
  records: [{ row: 7, fields: { Number: 'A-1006', Sum: 860 } }],
  columns: [
    { name: 'Number', column: 'A', type: 'text' },
    { name: 'Sum', column: 'F', type: 'number' },
  ],
  revisionId: '42',
  pagination: { offset: 0, limit: 100, total: 1, returned: 1, hasMore: false, nextOffset: null, nextCursor: null },
};
const QUERY =
  'The first row of the range is its header. `where` AND one of `any` AND none of `none`; `formula` by row; `aggregate` groups. Pages go on at their revision by `cursor`. With `Accept: application/x-ndjson` all of them, a line each.';
const LINES = {
  'application/x-ndjson':
    '{"row":7,"fields":{"Number":"A-1006","Sum":860}}\n{"end":true,"records":1,"revisionId":"42"}\n',
};

/** Rows below a header. */
export const RECORD_WORDS: Words = {
  getRecords: { description: `${QUERY} Filters are JSON texts in the query.`, answer: FOUND, texts: LINES },
  queryRecords: {
    description: QUERY,
    request: { range: 'Orders', where: { Status: ['open', 'new'], Sum: { gte: 100 } }, sort: ['-Sum'], limit: 100 },
    answer: FOUND,
    texts: LINES,
  },
  appendRecords: {
    description: 'Below the last filled row of the range’s columns; a table grows. Fields are typed, never guessed.',
    request: { range: 'Orders', records: [{ Number: 'A-1014', Date: '2026-03-27', Sum: 120 }] },
    answer: {
      appended: { sheet: 'Orders', created: 1, cells: 3, records: [{ row: 15, result: 'created' }], revisionId: '43' },
    },
    texts: {
      'application/x-ndjson':
        '{"batch":1,"appended":{"created":1,"cells":3,"revisionId":"43"}}\n{"end":true,"records":1,"batches":1,"revisionId":"43"}\n',
    },
  },
  upsertRecords: {
    description: 'Updates the record that has the key, or appends it; keys are compared after typing.',
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
  updateRecords: {
    description: 'Sets fields of all records that the filter finds; an empty filter needs `"all": true`.',
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
  deleteRecords: {
    description: 'Takes out the range’s columns of the rows found, and shifts what is below up; cells beside stay.',
    request: { range: 'Orders', where: { Status: 'cancelled' } },
    answer: { deleted: { sheet: 'Orders', deleted: 1, records: [{ row: 11, result: 'deleted' }], revisionId: '46' } },
  },
};
