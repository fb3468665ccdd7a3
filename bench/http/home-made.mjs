// A minimal service that a programmer could write: node:http and a formula engine in memory, ranges in A1 notation,
// answers of the same shape, but with the value of a cell in place of `{"v":…,"m":…}`. It has no tokens, rights, limits,
// history or disk. Arguments: a .csv file of numbers, and the ids of documents that have these cells.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { HyperFormula } from 'hyperformula';

const SHEET = 'Sheet1';
const RANGE = /^([A-Z]+)([0-9]+)(?::([A-Z]+)([0-9]+))?$/;

const [, , file, ...ids] = process.argv;
const rows = readFileSync(file, 'utf8')
  .trim()
  .split('\n')
  .map((line) => line.split(',').map((text) => (Number.isNaN(Number(text)) ? text : Number(text))));
const documents = new Map(
  ids.map((id) => [id, HyperFormula.buildFromSheets({ [SHEET]: rows }, { licenseKey: 'gpl-v3' })]),
);

const server = createServer((request, response) => {
  const url = new URL(request.url, 'http://localhost');
  const [id, , range] = url.pathname.split('/').slice(-3).map(decodeURIComponent);
  const engine = documents.get(id);
  if (engine === undefined) return sendJson(response, 404, { message: 'No such document' });
  const [, left, top, right = left, bottom = top] = RANGE.exec(range) ?? [];
  if (left === undefined) return sendJson(response, 422, { message: 'Not a range' });
  const sheet = engine.getSheetId(SHEET);
  const start = engine.simpleCellAddressFromString(left + top, sheet);
  const end = engine.simpleCellAddressFromString(right + bottom, sheet);
  const cells = engine.getRangeValues({ start, end });
  const pagination = { offset: 0, limit: 1000, total: cells.length, hasMore: false };
  sendJson(response, 200, { values: { sheet: SHEET, range, majorDimension: 'ROWS', cells, pagination } });
});

/** Sends an answer with a JSON body. */
function sendJson(response, status, body) {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}

server.listen(0, '127.0.0.1', () => console.log(`listening on http://127.0.0.1:${server.address().port}`));
process.once('SIGTERM', () => process.exit(0));
