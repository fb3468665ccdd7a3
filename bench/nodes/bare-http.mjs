// A bare node:http server that inserts one row for each request, on its own connection, and answers like a write. Its
// argument is the address of the database.
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import pg from 'pg';
import { COMMIT_BYTES } from './rows.mjs';

const CONNECTIONS = 10;
const DOCUMENT = /\/documents\/([0-9a-f-]{36})\//;

const pool = new pg.Pool({ connectionString: process.argv[2], max: CONNECTIONS });
const data = randomBytes(COMMIT_BYTES);
let revision = 0;

const server = createServer((request, response) => {
  const parts = [];
  request.on('data', (part) => parts.push(part));
  request.on('end', async () => {
    const { values } = JSON.parse(Buffer.concat(parts));
    const [, document] = DOCUMENT.exec(request.url);
    const text = 'insert into bare values ($1, $2, $3, $4)';
    await pool.query({ name: 'bare', text, values: [document, revision++, Date.now(), data] });
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' });
    response.end(JSON.stringify({ updated: { sheet: 'Sheet1', updatedRange: 'A1', cells: values.length } }));
  });
});
process.on('message', () => process.send({ reply: process.cpuUsage() }));
server.listen(0, '127.0.0.1', () => process.send({ reply: `http://127.0.0.1:${server.address().port}` }));
