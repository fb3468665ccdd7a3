// The mixed load of the memory bench: weighted requests on documents of constant size.

export const ROWS = 200;
/** Rows from here on are cleared, so that appends do not enlarge the documents for ever. */
const MAX_ROWS = 300;

/** Returns a random integer from 0 up to, but excluding, `n`. */
const drawBelow = (n) => Math.floor(Math.random() * n);

/** Creates the first rows of a document. */
export function createFirstRows() {
  const rows = Array.from({ length: ROWS }, (_, i) => [i + 1, `name ${i % 50}`, i % 7, `=C${i + 2}*2`]);
  return [['Id', 'Name', 'Qty', 'Total'], ...rows];
}

/** Deletes a document that an action created. */
async function createAndDelete(send, answer) {
  const { document } = JSON.parse(answer.text);
  if (document !== undefined) await send({ method: 'DELETE', path: `//documents/${document.id}` });
}

/** Returns the newest revision of the document. */
async function readNewestRevision(send) {
  return Number(JSON.parse((await send({ path: '' })).text).document?.revisionId ?? 0);
}

/** Creates a PUT that writes values. */
const createPut = (path, values, headers = {}) => ({ method: 'PUT', path, body: { values }, headers });
/** Creates a POST with a JSON body. */
const createPost = (path, body) => ({ method: 'POST', path, body });
/** Creates a request with one operation on the structure. */
const createStructureRequest = (operation) => createPost('/structure', { operations: [operation] });
/** Encodes 40 random records as NDJSON. */
const encodeNewRecords = () =>
  Array.from({ length: 40 }, (_, i) => JSON.stringify({ Id: drawBelow(1e6), Name: `new ${i}`, Qty: i % 7 })).join('\n');

/**
 * Pairs of a weight and an action. `send` sends a request to one document; paths that start with `//` are absolute
 * below the API. `file`: an exported workbook.
 */
export const ACTIONS = [
  [20, (send) => send(createPut(`/values/C${2 + drawBelow(150)}`, [[drawBelow(1000)]]))],
  [
    10,
    (send) =>
      send(
        createPost('/values/append', { range: 'A1:D1', values: [[drawBelow(1e6), `x${drawBelow(1e6)}`, 1, '=C2*3']] }),
      ),
  ],
  [15, (send) => send({ path: `/values/A1:D${20 + drawBelow(180)}` })],
  [6, (send) => send(createPost('/records/query', { range: 'A:D', where: { Qty: { gte: drawBelow(7) } }, limit: 20 }))],
  [
    2,
    (send) =>
      send(createPost('/records/upsert', { range: 'A:D', key: ['Id'], records: [{ Id: drawBelow(150), Qty: 1 }] })),
  ],
  [
    1,
    (send) =>
      send({
        method: 'POST',
        path: '/records/append?range=A:D&batch=20',
        raw: encodeNewRecords(),
        type: 'application/x-ndjson',
      }),
  ],
  [
    1,
    (send) => send(createPost('/records/query', { range: 'A:D', formula: `=LEN([@Name])>${drawBelow(5)}`, limit: 5 })),
  ],
  [3, (send) => send(createPut('/values/F1', [['=SUM(C2:C200)'], [`=AVERAGE(C2:C200)*${drawBelow(99)}`]]))],
  [2, (send) => send(createPut('/values/C3?dryRun=true', [[drawBelow(1000)]]))],
  [3, (send) => send(createPut('/values/H1', [[drawBelow(9)]], { 'idempotency-key': `key ${Math.random()}` }))],
  [
    2,
    async (send) => send({ path: `/changes?since=${Math.max(0, (await readNewestRevision(send)) - 60)}&values=true` }),
  ],
  [
    1,
    async (send) =>
      send({ path: `/values/A1:D50?revision=${Math.max(0, (await readNewestRevision(send)) - drawBelow(8))}` }),
  ],
  [2, async (send) => send({ method: 'POST', path: `/revisions/${await readNewestRevision(send)}/undo` })],
  [1, (send) => send({ path: '/export?format=xlsx' })],
  [1, (send) => send({ path: '/export?format=csv&sheet=Sheet1' })],
  [
    1,
    async (send, file) =>
      createAndDelete(
        send,
        await send({
          method: 'POST',
          path: '//documents?title=New',
          raw: file,
          type: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
        }),
      ),
  ],
  [1, async (send) => createAndDelete(send, await send(createPost('/copy', {})))],
  [2, (send) => send({ path: '/audit' })],
  [2, (send) => send({ path: '//documents' })],
  [1, (send) => send(createStructureRequest({ insertRows: { sheet: 'Sheet1', before: 5, count: 1 } }))],
  [1, (send) => send(createStructureRequest({ deleteRows: { sheet: 'Sheet1', from: 5, count: 1 } }))],
  [1, (send) => send(createStructureRequest({ sort: { range: 'A2:D150', by: [{ column: 'C' }] } }))],
  [2, (send) => send(createPost('/values/clear', { range: `A${MAX_ROWS + 2}:XFD20000` }))],
  [
    1,
    async (send) => {
      const { proposal } = JSON.parse((await send(createPut('/values/G1?propose=true', [[drawBelow(9)]]))).text);
      if (proposal !== undefined) await send(createPost(`/proposals/${proposal.id}/withdraw`, {}));
    },
  ],
  [1, (send) => send(createPut('/values/C3?unknown=1', [[1]]))],
  [1, (send) => send({ path: `//nothing/${drawBelow(1e6)}` })],
];
