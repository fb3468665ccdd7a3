import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sendHttp } from '../http/send.ts';
import { type Api, type Json, memberAt, startWorld, type World } from '../http/support.ts';
import { connectAgent } from './support.ts';

const ALLOWED_ORIGIN = 'https://agents.example.com';

let world: World;
let owner: Api;
before(async () => {
  const plans = { free: { requestsPerSecond: 1 } };
  // The balancer of two nodes cannot reuse a connection whose body a node refused before it was read.
  world = await startWorld({ allowedOrigins: [ALLOWED_ORIGIN], plans, oneNode: true });
  owner = await world.createBook({ title: 'Orders' });
  await owner.put('A1', [['Number', 'Sum']]);
});
after(() => world.close());

/** Sends a body to the MCP endpoint unchanged. */
async function post(raw: string, headers: Readonly<Record<string, string>> = {}) {
  const answer = await sendHttp(`${world.server.address}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${owner.token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: raw,
  });
  const body: Json = JSON.parse(answer.text === '' ? 'null' : answer.text);
  return { ...answer, body };
}

const request = (method: string, params: object = {}) => JSON.stringify({ jsonrpc: '2.0', id: 7, method, params });
const createToolCall = (name: string, args: object) => request('tools/call', { name, arguments: args });

describe('a body that is not a request', () => {
  it('is answered with a JSON-RPC error', async () => {
    const deep = `${'['.repeat(1_000)}${']'.repeat(1_000)}`;
    const cases: [string, string, number, number][] = [
      ['no JSON', '{"jsonrpc":', 400, -32_700],
      ['nothing', '', 400, -32_700],
      ['deep lists', createToolCall('read_range', { range: 'x' }).replace('"x"', deep), 400, -32_700],
      ['no method', '{"jsonrpc":"2.0","id":1}', 400, -32_600],
      ['another version', '{"jsonrpc":"1.0","id":1,"method":"ping"}', 400, -32_600],
      ['a number', '5', 400, -32_600],
      ['an empty list', '[]', 400, -32_600],
      ['many messages', `[${Array.from({ length: 101 }, () => request('ping')).join()}]`, 400, -32_600],
    ];
    for (const [name, raw, status, code] of cases) {
      const answer = await post(raw);
      assert.deepEqual([answer.status, answer.body['error']?.['code']], [status, code], name);
    }
    const text = await post(request('ping'), { 'content-type': 'text/plain' });
    assert.deepEqual([text.status, text.body['jsonrpc']], [415, '2.0']);
    const large = await post(createToolCall('read_range', { document: 'x'.repeat(4 * 1024 * 1024), range: 'A1' }));
    assert.equal(large.status, 413);
  });

  it('is answered with 401 without a valid token', async () => {
    for (const raw of ['{"jsonrpc":', 'x'.repeat(50_000)]) {
      assert.equal((await post(raw, { authorization: 'Bearer cw_nonsense' })).status, 401);
    }
  });
});

describe('a tool call', () => {
  it('returns an error result if an integer in its arguments cannot be stored exactly', async () => {
    const args = { document: owner.document, data: [{ range: 'D1', values: [[1, 2]] }] };
    const { status, body } = await post(
      createToolCall('write_ranges', args).replace('[[1,2]]', '[[1,9007199254740993]]'),
    );
    assert.deepEqual([status, body['id'], memberAt(body, 'result', 'isError')], [200, 7, true]);
    assert.match(
      String(memberAt(body, 'result', 'content', 0, 'text')),
      /^data\.0\.values\.0\.1: 9007199254740993 cannot be stored exactly as a number; send it as text/,
    );
    assert.equal(await owner.cell('D1'), null);
    const bigId = await post(request('ping').replace('"id":7', '"id":9007199254740993'));
    assert.equal(bigId.status, 400);
  });
});

describe('lists', () => {
  it('have one page and refuse every cursor', async () => {
    for (const method of ['tools/list', 'prompts/list', 'resources/templates/list']) {
      const { body } = await post(request(method, { cursor: 'next' }));
      assert.equal(memberAt(body, 'error', 'code'), -32_602, method);
    }
    for (const cursor of ['next', '-1', '1e3', '']) {
      const { body } = await post(request('resources/list', { cursor }));
      assert.equal(body['error']?.['code'], -32_602, cursor);
    }
  });
});

describe('the description of change_structure', () => {
  it('names every operation that the service knows, except filters of people', async () => {
    const { client, callRefused } = await connectAgent(world, owner);
    const text = await callRefused('change_structure', { operations: [{ explode: {} }] });
    const names =
      text
        .split('use one of ')[1]
        ?.match(/\w+/g)
        ?.filter((name) => /^[a-z]+[A-Z]|^[a-z]+$/.test(name)) ?? [];
    const { tools } = await client.listTools();
    const tool = JSON.stringify(tools.find(({ name }) => name === 'change_structure')?.inputSchema);
    const known = names.slice(0, names.indexOf('deleteTable') + 1).filter((name) => !name.includes('ilter'));
    assert.equal(known.length, 21);
    for (const name of known) assert.match(tool, new RegExp(`\\b${name}\\b`));
  });
});

describe('completions', () => {
  it('are empty for an unknown prompt or resource template', async () => {
    const argument = { name: 'document', value: '' };
    const refs = [
      { type: 'ref/prompt', name: 'none' },
      { type: 'ref/resource', uri: 'cellwire://{other}' },
    ];
    for (const ref of refs) {
      const { body } = await post(request('completion/complete', { ref, argument }));
      assert.deepEqual(memberAt(body, 'result', 'completion', 'values'), [], JSON.stringify(ref));
    }
  });
});

describe('the rate limit', () => {
  it('lets an agent connect and list everything within a second, and counts its calls', async () => {
    const api = await world.createBook({ plan: 'free' });
    for (const mode of ['auto', 'legacy'] as const) {
      const { client } = await connectAgent(world, api, mode);
      assert.equal((await client.listTools()).tools.length, 15);
      await client.listPrompts();
      await client.listResources();
      const calls = await Promise.all([1, 2, 3].map(() => client.callTool({ name: 'list_documents', arguments: {} })));
      assert.ok(calls.some(({ isError }) => isError));
      assert.match(JSON.stringify(calls), /Too many requests\. Call again in 1 seconds\./);
    }
  });
});

describe('pages of allowed origins', () => {
  it('may call the MCP endpoint', async () => {
    const requestHeaders = { origin: ALLOWED_ORIGIN, 'access-control-request-method': 'POST' };
    for (const path of ['/mcp', '/.well-known/oauth-protected-resource/mcp']) {
      const { status, headers } = await sendHttp(`${world.server.address}${path}`, {
        method: 'OPTIONS',
        headers: requestHeaders,
      });
      assert.deepEqual([status, headers.get('access-control-allow-origin')], [204, ALLOWED_ORIGIN]);
      assert.match(headers.get('access-control-allow-headers') ?? '', /MCP-Protocol-Version, Mcp-Method, Mcp-Name/);
    }
    const answer = await post(request('ping'), { origin: ALLOWED_ORIGIN });
    assert.deepEqual([answer.status, answer.headers.get('access-control-allow-origin')], [200, ALLOWED_ORIGIN]);
    const foreign = await post(request('ping'), { origin: 'https://other.example.com' });
    assert.deepEqual([foreign.status, foreign.headers.get('access-control-allow-origin')], [403, null]);
  });
});
