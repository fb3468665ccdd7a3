import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Api, Json, World } from '../http/support.ts';

/** A client of the official SDK, connected for one document. */
export interface Agent {
  readonly client: Client;
  /** Calls a tool, which must succeed; gives its structured content. */
  readonly call: (tool: string, args?: object) => Promise<Json>;
  /** Calls a tool, which must refuse; gives the text for the model. */
  readonly callRefused: (tool: string, args?: object) => Promise<string>;
}

export async function connectAgent(
  world: World,
  { token, document }: Api,
  mode: 'auto' | 'legacy' = 'auto',
): Promise<Agent> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${world.server.address}/mcp`), { requestInit }));
  const send = async (name: string, args: object) => {
    const answer = await client.callTool({ name, arguments: { document, ...args } });
    const [first] = answer.content as { text: string }[];
    const text = first?.text ?? '';
    assert.ok(text.length <= 25_000, `${name} answers ${text.length} characters`);
    return { answer, text };
  };
  return {
    client,
    async call(tool, args = {}) {
      const { answer, text } = await send(tool, args);
      assert.notEqual(answer.isError, true, text);
      assert.deepEqual(JSON.parse(text), answer.structuredContent);
      return answer.structuredContent as unknown as Json;
    },
    async callRefused(tool, args = {}) {
      const { answer, text } = await send(tool, args);
      assert.equal(answer.isError, true, text);
      return text;
    },
  };
}

const ORDERS = [
  ['A-1', 'Riga', 100],
  ['A-2', 'Oslo', 200],
  ['A-3', 'Riga', 300],
];

/** Creates a document with the first orders, and an agent of its owner. */
export async function createOrdersAgent(world: World, orders = 2): Promise<{ owner: Api; bot: Agent }> {
  const owner = await world.createBook({ title: `Orders ${Math.random()}` });
  await owner.put('A1', [['Number', 'City', 'Sum'], ...ORDERS.slice(0, orders)]);
  return { owner, bot: await connectAgent(world, owner) };
}
