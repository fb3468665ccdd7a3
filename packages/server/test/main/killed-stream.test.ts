import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { test } from 'node:test';
import { send } from '../http/send.ts';
import type { Json } from '../http/support.ts';
import { newInstallation, type Serving } from './support.ts';

const BATCH = 20;
const BATCHES = 20;
const ANSWERED = 3;
const HEADERS = { 'content-type': 'application/x-ndjson', 'idempotency-key': 'one import' };

/** Lines of records that no two of are alike. */
const LINES = Array.from({ length: BATCH * BATCHES }, (_, i) => `${JSON.stringify({ Number: `S-${i}` })}\n`);

test('a stream that the service is killed under is resumed: nothing acknowledged is lost, nothing is there twice', async (t) => {
  const cellwire = await newInstallation({ CELLWIRE_LOG_LEVEL: 'silent' });
  t.after(() => cellwire.remove());
  const killed = await cellwire.serve();
  const [token, document] = [killed.given('token'), killed.given('document')];
  const place = `/documents/${document}`;
  await killed.call(token, 'POST', `${place}/sheets`, { name: 'Streamed' });
  await killed.call(token, 'PUT', `${place}/values/Streamed!A1`, { values: [['Number']] });
  const path = `/api/v1${place}/records/append?range=Streamed!A:A&batch=${BATCH}`;
  const headers = { ...HEADERS, authorization: `Bearer ${token}` };
  await killedAfter(ANSWERED, killed, { path, headers });

  const serving = await cellwire.serve();
  t.after(() => serving.end('SIGKILL'));
  const kept = await records(serving, token, place);
  assert.ok(kept.length >= ANSWERED * BATCH, `${kept.length} records are left of ${ANSWERED * BATCH} acknowledged`);
  assert.equal(kept.length % BATCH, 0);
  const { text } = await send(`${serving.address}${path}`, { method: 'POST', headers, body: LINES.join('') });
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Json);
  assert.deepEqual([lines.at(-1)?.['end'], lines.at(-1)?.['records']], [true, LINES.length]);
  assert.equal(lines.filter((line) => line['replayed'] !== undefined).length, kept.length / BATCH);
  assert.deepEqual(
    await records(serving, token, place),
    LINES.map((line) => (JSON.parse(line) as Json)['Number']),
  );
});

/** Streams the first half of the lines and kills the service when so many batches are answered. */
async function killedAfter(
  answered: number,
  serving: Serving,
  { path, headers }: { readonly path: string; readonly headers: Readonly<Record<string, string>> },
): Promise<void> {
  const streaming = request(`${serving.address}${path}`, { method: 'POST', headers, agent: false });
  // It breaks off with the process.
  streaming.on('error', () => {});
  streaming.write(LINES.slice(0, LINES.length / 2).join(''));
  const [response] = (await once(streaming, 'response')) as [IncomingMessage];
  response.on('error', () => {});
  let text = '';
  for await (const piece of response.iterator({ destroyOnReturn: false })) {
    text += String(piece);
    if (text.split('\n').length > answered) break;
  }
  assert.equal((await serving.end('SIGKILL')).signal, 'SIGKILL');
}

async function records(serving: Serving, token: string, place: string): Promise<readonly unknown[]> {
  const { body } = await serving.call(token, 'POST', `${place}/records/query`, { range: 'Streamed!A:A', limit: 1000 });
  return body.records.map(({ fields }: { fields: Json }) => fields['Number']);
}
