import assert from 'node:assert/strict';
import type { Api } from './support.ts';

/** What the first cells of a document's sheets show. */
export async function everything(api: Api): Promise<unknown> {
  const { body } = await api.here('GET', '/content');
  return body['sheets'];
}

export async function structure(api: Api, operation: object): Promise<void> {
  const { status, body } = await api.post('/structure', { operations: [operation] });
  assert.equal(status, 200, JSON.stringify(body));
}
