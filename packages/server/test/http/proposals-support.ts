import assert from 'node:assert/strict';
import type { TokenScope } from '../../src/access/scopes.ts';
import { createToken } from '../../src/service/operator/tokens.ts';
import { isRefusal } from '../../src/service/refusal.ts';
import { ALL_SCOPES, type Answer, type Api, type Json, type World } from './support.ts';

/** A token whose writes need consent, of a user at a document. */
export async function proposingToken(
  world: World,
  user: string,
  document: string,
  scopes: readonly TokenScope[] = ALL_SCOPES,
): Promise<Api> {
  const made = await createToken(world.server.service.context, { user, name: 'assistant', scopes, propose: true });
  if (isRefusal(made)) throw new Error('the token was not made');
  return world.api(made.token, document);
}

/** Proposes to write a block of values. */
export function proposePut(api: Api, range: string, values: unknown[][], query = ''): Promise<Answer> {
  return api.here('PUT', `/values/${encodeURIComponent(range)}?propose=true${query}`, { body: { values } });
}

/** Sends a write as a proposal that must be accepted; returns the proposal. */
export async function proposed(answer: Promise<Answer>): Promise<Json> {
  const { status, body } = await answer;
  assert.equal(status, 202, JSON.stringify(body));
  return body['proposal'];
}

export function decide(api: Api, { id }: Json, how: string, body: object = {}): Promise<Answer> {
  return api.post(`/proposals/${id}/${how}`, body);
}

export async function shown(api: Api, { id }: Json): Promise<Json> {
  const { status, body } = await api.here('GET', `/proposals/${id}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body['proposal'];
}

/** Plain values of a range. */
export async function plain(api: Api, range: string): Promise<unknown> {
  const { status, body } = await api.get(range, { render: 'plain' });
  assert.equal(status, 200, JSON.stringify(body));
  return body['values']['cells'];
}
