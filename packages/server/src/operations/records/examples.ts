/** The result of a query for records. */
export const FOUND_EXAMPLE = {
  records: [{ row: 7, fields: { Number: 'A-1006', Sum: 860 } }],
  columns: [
    { name: 'Number', column: 'A', type: 'text' },
    { name: 'Sum', column: 'F', type: 'number' },
  ],
  revisionId: '42',
  pagination: { offset: 0, limit: 100, total: 1, returned: 1, hasMore: false, nextOffset: null, nextCursor: null },
};

/** The same result as NDJSON lines. */
export const FOUND_LINES_EXAMPLE = {
  'application/x-ndjson':
    '{"row":7,"fields":{"Number":"A-1006","Sum":860}}\n{"end":true,"records":1,"revisionId":"42"}\n',
};
