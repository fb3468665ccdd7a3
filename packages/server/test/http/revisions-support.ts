import assert from 'node:assert/strict';
import type { Api } from './support.ts';

/** The first cells of each sheet. */
export async function readDocumentContent(api: Api): Promise<unknown> {
  const { body } = await api.requestInDocument('GET', '/content');
  return body['sheets'];
}

export async function applyStructure(api: Api, operation: object): Promise<void> {
  const { status, body } = await api.post('/structure', { operations: [operation] });
  assert.equal(status, 200, JSON.stringify(body));
}
