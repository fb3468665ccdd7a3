// A bare node:http server that takes the same bodies as the service and inserts the same rows: a commit, an audit
// entry, and the document's next revision. Requests that come while a transaction runs share the next one, as in the
// service; the transaction runs in a thread of its own, as in the service. Argument: the database file.
import { createServer } from 'node:http';
import { Worker } from 'node:worker_threads';

const worker = new Worker(new URL('./raw-writer-thread.mjs', import.meta.url), { workerData: process.argv[2] });
let waiting = [];
let running = [];

worker.on('message', () => {
  for (const { response, answer } of running) {
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' });
    response.end(answer);
  }
  running = [];
  flush();
});

function flush() {
  if (running.length > 0 || waiting.length === 0) return;
  running = waiting;
  waiting = [];
  worker.postMessage(running.map(({ row }) => row));
}

const server = createServer((request, response) => {
  const parts = [];
  request.on('data', (part) => parts.push(part));
  request.on('end', () => {
    const { values } = JSON.parse(parts.length === 1 ? parts[0] : Buffer.concat(parts));
    if (waiting.length === 0 && running.length === 0) queueMicrotask(flush);
    waiting.push({ response, row: rowOf(values), answer: answerOf(values) });
  });
});
server.listen(0, '127.0.0.1', () => console.log(`listening on http://127.0.0.1:${server.address().port}`));
process.once('SIGTERM', () => process.exit(0));

/** Numbers as they lie in memory take the place of the service's delta. */
function rowOf(values) {
  const delta = new Uint8Array(Float64Array.from(values.flat(), Number).buffer);
  return { delta, areas: JSON.stringify({ written: [[1, 0, 0, values.length - 1, 0]], derived: [] }), at: Date.now() };
}

function answerOf(values) {
  const rows = values.length;
  const columns = values[0].length;
  const cells = rows * columns;
  const updated = { sheet: 'Sheet1', updatedRange: 'Sheet1!A1', updatedRows: rows, updatedColumns: columns };
  return JSON.stringify({ updated: { ...updated, updatedCells: cells, cells } });
}
