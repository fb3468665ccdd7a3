import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { test } from 'node:test';
import { sendHttp } from '../http/send.ts';
import type { Json } from '../http/support.ts';
import { createInstallation, type LocalService, type ServiceProcess } from './support.ts';

const BATCH = 20;
const BATCHES = 20;
const ACKNOWLEDGED_BATCHES = 3;
const HEADERS = { 'content-type': 'application/x-ndjson', 'idempotency-key': 'one import' };

/** NDJSON lines of distinct records. */
const RECORD_LINES = Array.from({ length: BATCH * BATCHES }, (_, i) => `${JSON.stringify({ Number: `S-${i}` })}\n`);

test('a stream interrupted by a kill can be resumed without lost or duplicate records', async (t) => {
  const cellwire = await createInstallation({ CELLWIRE_LOG_LEVEL: 'silent' });
  t.after(() => cellwire.remove());
  const firstService = await cellwire.serve();
  const [token, document] = [firstService.readFirstStartValue('token'), firstService.readFirstStartValue('document')];
  const documentPath = `/documents/${document}`;
  await firstService.call(token, 'POST', `${documentPath}/sheets`, { name: 'Streamed' });
  await firstService.call(token, 'PUT', `${documentPath}/values/Streamed!A1`, { values: [['Number']] });
  const path = `/api/v1${documentPath}/records/append?range=Streamed!A:A&batch=${BATCH}`;
  const headers = { ...HEADERS, authorization: `Bearer ${token}` };
  await killAfterBatches(ACKNOWLEDGED_BATCHES, firstService, { path, headers });

  const service = await cellwire.serveInProcess();
  t.after(() => service.end());
  const remaining = await readRecords(service, token, documentPath);
  assert.ok(
    remaining.length >= ACKNOWLEDGED_BATCHES * BATCH,
    `${remaining.length} records are left of ${ACKNOWLEDGED_BATCHES * BATCH} acknowledged`,
  );
  assert.equal(remaining.length % BATCH, 0);
  const { text } = await sendHttp(`${service.address}${path}`, {
    method: 'POST',
    headers,
    body: RECORD_LINES.join(''),
  });
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Json);
  assert.deepEqual([lines.at(-1)?.['end'], lines.at(-1)?.['records']], [true, RECORD_LINES.length]);
  assert.equal(lines.filter((line) => line['replayed'] !== undefined).length, remaining.length / BATCH);
  assert.deepEqual(
    await readRecords(service, token, documentPath),
    RECORD_LINES.map((line) => (JSON.parse(line) as Json)['Number']),
  );
});

/** Streams the first half of the lines and kills the service after the given number of acknowledged batches. */
async function killAfterBatches(
  batches: number,
  service: ServiceProcess,
  { path, headers }: { readonly path: string; readonly headers: Readonly<Record<string, string>> },
): Promise<void> {
  const streaming = request(`${service.address}${path}`, { method: 'POST', headers, agent: false });
  // The request fails when the process is killed.
  streaming.on('error', () => {});
  streaming.write(RECORD_LINES.slice(0, RECORD_LINES.length / 2).join(''));
  const [response] = (await once(streaming, 'response')) as [IncomingMessage];
  response.on('error', () => {});
  let text = '';
  for await (const piece of response.iterator({ destroyOnReturn: false })) {
    text += String(piece);
    if (text.split('\n').length > batches) break;
  }
  assert.equal((await service.end('SIGKILL')).signal, 'SIGKILL');
}

async function readRecords(service: LocalService, token: string, documentPath: string): Promise<readonly unknown[]> {
  const { body } = await service.call(token, 'POST', `${documentPath}/records/query`, {
    range: 'Streamed!A:A',
    limit: 1000,
  });
  return body.records.map(({ fields }: { fields: Json }) => fields['Number']);
}
