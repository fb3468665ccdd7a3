import type { GuideSection } from './guide-section.ts';

/** The guide in English. `{origin}` in code is the service's own address. */
export const guideEn: readonly GuideSection[] = [
  {
    id: 'authentication',
    title: 'Authentication',
    blocks: [
      {
        text: 'Every request contains a token that you create on the page “API tokens”. It is shown once, can be limited to some documents, and never has more rights than you.',
      },
      { code: 'curl -s \'{origin}/api/v1/documents\' -H "Authorization: Bearer $CELLWIRE_TOKEN"' },
      {
        text: 'Without a valid token the answer is 401; without the scope that an endpoint needs, or without access to the document, it is 403.',
      },
      {
        rows: [
          ['sheets.read', 'read documents and cells'],
          ['sheets.write', 'write values, work with sheets and structure'],
          ['sheets.webhooks', 'subscriptions and their deliveries'],
          ['sheets.crossbook.read', 'read several documents in one call'],
          ['sheets.agent.write', 'write on behalf of an AI agent, within its quota'],
          ['documents.write', 'make, copy, delete, share and protect documents'],
        ],
      },
    ],
  },
  {
    id: 'ranges',
    title: 'Ranges',
    blocks: [
      {
        text: 'Ranges are in A1 form, with the sheet’s name before an exclamation mark if it is not the first sheet. Put a name with spaces or punctuation in apostrophes, and double an apostrophe in it. Encode the range in the address.',
      },
      {
        rows: [
          ['B2', 'one cell'],
          ['Orders!A1:C9', 'a rectangle'],
          ["'Price list'!A:C", 'whole columns, as far as the sheet is used'],
          ['2:4', 'whole rows'],
          ['A5:C', 'open at the bottom'],
        ],
      },
      {
        text: 'An answer has at most 1,000 rows of a range: `pagination.nextOffset` is the `offset` of the next page. `batchGet` reads up to 20 ranges at one revision.',
      },
      {
        code: 'curl -s \'{origin}/api/v1/documents/{document}/values/Orders!A1:C3\' -H "Authorization: Bearer $CELLWIRE_TOKEN"',
      },
    ],
  },
  {
    id: 'cells',
    title: 'Cells: v, m, f, t',
    blocks: [
      { text: 'A cell is an object, an empty one is `null`.' },
      {
        rows: [
          ['v', 'the value: a number, a text, true or false; for a date, its serial number'],
          ['m', 'the displayed text, in the document’s locale and the cell’s number format'],
          ['f', 'the formula, if the cell has one'],
          ['t', '`d` if the number is a date'],
          ['error', 'for a cell with an error: its code and an explanation'],
        ],
      },
      { text: '`render=plain` returns only values, `render=display` only displayed texts.' },
    ],
  },
  {
    id: 'writing',
    title: 'Writing',
    blocks: [
      {
        text: 'PUT writes a matrix that starts at a cell; inner lists are rows. `null` leaves a cell as it is, an empty text clears it. With `USER_ENTERED` (the default) texts are read as if typed: formulas, numbers with a decimal comma, dates. With `RAW` they stay texts. JSON numbers are always numbers.',
      },
      {
        code: 'curl -s -X PUT \'{origin}/api/v1/documents/{document}/values/A1\' \\\n  -H "Authorization: Bearer $CELLWIRE_TOKEN" -H \'Content-Type: application/json\' \\\n  -d \'{"values": [["Total", 12.5, "=B1*2"]]}\'',
      },
      {
        text: 'Send an `Idempotency-Key` with every write that you may repeat: a repeated key returns the first answer and writes nothing again. A batch is applied completely or not at all.',
      },
    ],
  },
  {
    id: 'formulas',
    title: 'Formulas',
    blocks: [
      {
        text: 'English function names, `;` between arguments, a decimal comma. Array constants have `\\` between columns and `;` between rows. Dynamic arrays spill; if other cells block a spill, the formula shows #SPILL! until they are empty.',
      },
      {
        code: '=SUMIFS(Orders!G:G; Orders!C:C; "Nordwind")\n=FILTER(Orders!A2:H; Orders!H2:H = "open")\n=IF(B2 > 1,5; {1\\2\\3}; "")',
      },
      {
        text: 'A formula that cannot be parsed keeps its text and shows #ERROR!; `warnings` in the answer says why.',
      },
    ],
  },
  {
    id: 'errors',
    title: 'Errors',
    blocks: [
      {
        rows: [
          ['401', 'no valid token'],
          ['403', 'scope, access, role, plan or protection; the body says which'],
          ['404', 'no such document, sheet, webhook or address'],
          ['412', 'the document does not match the precondition'],
          ['413', 'the body is too large'],
          ['422', 'something is wrong with the request: `message`, and `errors` by field'],
          ['429', 'too many requests: wait `Retry-After` seconds'],
          ['503', 'busy: wait `Retry-After` seconds'],
        ],
      },
      {
        text: 'A refused request has changed nothing. Every answer has an `X-Request-Id`, which the operator finds in the log.',
      },
    ],
  },
  {
    id: 'limits',
    title: 'Limits',
    blocks: [
      {
        text: 'The plan limits the requests per second of a user’s tokens; the headers `RateLimit-Policy` and `RateLimit` show the limit. Your work in this console has a separate limit. The page “Usage” shows the last day.',
      },
      {
        rows: [
          ['1,048,576 × 16,384', 'rows and columns of a sheet'],
          ['1,000', 'rows of a range in one answer'],
          ['500,000', 'cells of one answer'],
          ['10 MiB', 'a request’s body'],
          ['50,000 and 8,192', 'characters of a text, of a formula'],
        ],
      },
    ],
  },
  {
    id: 'notifications',
    title: 'Notifications',
    blocks: [
      {
        text: 'A webhook receives the changes of a document. They are collected until two seconds pass without a change, then signed and sent, up to five times until the receiver answers 2xx. The secret is shown once, with example code that verifies the signature. Programs that poll read `/changes` since the last revision, or follow `/events` as server-sent events.',
      },
      { code: 'curl -N \'{origin}/api/v1/documents/{document}/events\' -H "Authorization: Bearer $CELLWIRE_TOKEN"' },
    ],
  },
];
