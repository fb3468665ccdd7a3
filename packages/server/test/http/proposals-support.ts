import assert from 'node:assert/strict';
import type { TokenScope } from '../../src/access/scopes.ts';
import { createToken } from '../../src/service/operator/tokens.ts';
import { isRefusal } from '../../src/service/refusal.ts';
import { ALL_SCOPES, type Api, type ApiResponse, type Json, memberAt, type World } from './support.ts';

interface OrdersBook {
  readonly owner: Api;
  /** Another user with the role `edit`. */
  readonly editor: Api;
  readonly editorId: string;
}

/** Creates a document with three orders and the sum of their amounts, its owner and an editor. */
export async function createOrdersBook(world: World): Promise<OrdersBook> {
  const owner = await world.createBook();
  await owner.put('A1', [
    ['Number', 'City', 'Sum'],
    ['A-1', 'Riga', 100],
    ['A-2', 'Tallinn', 200],
    ['A-3', 'Riga', 300],
  ]);
  await owner.put('E1', [['=SUM(C2:C4)']]);
  const { id, api } = await world.addMember(owner.document, 'edit');
  return { owner, editor: api, editorId: id };
}

/** Creates a token of a user for a document; its writes need consent. */
export async function createProposingToken(
  world: World,
  user: string,
  document: string,
  scopes: readonly TokenScope[] = ALL_SCOPES,
): Promise<Api> {
  const created = await createToken(world.server.service.context, { user, name: 'assistant', scopes, propose: true });
  if (isRefusal(created)) throw new Error('the token was not made');
  return world.apiFor(created.token, document);
}

/** Proposes to write a block of values. */
export function proposePut(api: Api, range: string, values: unknown[][], query = ''): Promise<ApiResponse> {
  return api.requestInDocument('PUT', `/values/${encodeURIComponent(range)}?propose=true${query}`, {
    body: { values },
  });
}

/** Awaits a response that must contain a proposal; returns the proposal. */
export async function expectProposal(answer: Promise<ApiResponse>): Promise<Json> {
  const { status, body } = await answer;
  assert.equal(status, 202, JSON.stringify(body));
  return memberAt(body, 'proposal');
}

/** Applies, rejects or withdraws a proposal. */
export function decideProposal(api: Api, { id }: Json, decision: string, body: object = {}): Promise<ApiResponse> {
  return api.post(`/proposals/${id}/${decision}`, body);
}

export async function readProposal(api: Api, { id }: Json): Promise<Json> {
  const { status, body } = await api.requestInDocument('GET', `/proposals/${id}`);
  assert.equal(status, 200, JSON.stringify(body));
  return memberAt(body, 'proposal');
}

/** The plain values of a range. */
export async function readPlainValues(api: Api, range: string): Promise<unknown> {
  const { status, body } = await api.get(range, { render: 'plain' });
  assert.equal(status, 200, JSON.stringify(body));
  return memberAt(body, 'values', 'cells');
}
