import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { COMMAND, type Installation, type Json, newInstallation, type Serving } from './support.ts';

interface Place {
  readonly here: Installation;
  readonly serving: Serving;
  readonly document: string;
  /** Of a token whose writes need consent. */
  readonly token: string;
}

async function place(t: TestContext): Promise<Place> {
  const here = await newInstallation();
  t.after(() => here.remove());
  await here.json('user', 'create', '--email', 'anna@example.com', '--name', 'Anna');
  const { id: document } = await here.json(
    ...['document', 'create', '--owner', 'anna@example.com', '--title', 'Orders', '--locale', 'en-US'],
  );
  const of = ['--user', 'anna@example.com', '--name', 'assistant', '--scopes', 'sheets.read,sheets.write'];
  const { token } = await here.json('token', 'create', ...of, '--propose');
  const serving = await here.serve();
  t.after(() => serving.signal('SIGKILL'));
  return { here, serving, document, token };
}

async function propose({ serving, document, token }: Place, range: string, value: unknown): Promise<string> {
  const path = `/documents/${document}/values/${range}`;
  const { status, body } = await serving.call(token, 'PUT', path, { values: [[value]] });
  assert.equal(status, 202);
  return body.proposal.id;
}

test('the command line lists, shows, applies and rejects proposals', async (t) => {
  const at = await place(t);
  const { here, serving, document, token } = at;
  const on = ['--document', document];
  const [first, second] = [await propose(at, 'A1', 7), await propose(at, 'A2', '=A1*2')];
  const listed = await here.json('proposal', 'list', ...on, '--state', 'open');
  assert.deepEqual(
    listed.proposals.entries.map(({ id, state }: Json) => [id, state]),
    [
      [second, 'open'],
      [first, 'open'],
    ],
  );
  const { proposal } = await here.json('proposal', 'show', ...on, '--proposal', first);
  assert.deepEqual([proposal.id, proposal.changes[0].cell], [first, 'Sheet1!A1']);
  const applied = await here.json('proposal', 'apply', ...on, '--proposal', first);
  assert.deepEqual([applied.proposal.state, applied.proposal.revisionId], ['applied', '1']);
  const rejected = await here.json('proposal', 'reject', ...on, '--proposal', second, '--reason', 'Not needed');
  assert.deepEqual([rejected.proposal.state, rejected.proposal.reason], ['rejected', 'Not needed']);
  assert.equal((await here.run('proposal', 'apply', ...on, '--proposal', second)).code, 1);
  assert.equal((await here.run('proposal', 'show', ...on, '--proposal', 'none')).code, 1);
  const { body } = await serving.call(token, 'GET', `/documents/${document}/values/A1:A2`);
  assert.deepEqual(
    body.values.cells.map(([cell]: Json) => cell?.v ?? null),
    [7, null],
  );
  assert.equal((await here.json('proposal', 'list', ...on, '--state', 'open')).proposals.entries.length, 0);
});

test('cellwire mcp serves an agent over its standard input by a service elsewhere', async (t) => {
  const at = await place(t);
  const client = new Client({ name: 'test', version: '1' });
  const env = { ...at.here.env, CELLWIRE_TOKEN: at.token, CELLWIRE_URL: at.serving.address } as Record<string, string>;
  const transport = new StdioClientTransport({ command: process.execPath, args: [COMMAND, 'mcp'], env });
  t.after(() => client.close());
  await client.connect(transport);
  assert.equal((await client.listTools()).tools.length, 15);
  const write = { document: at.document, data: [{ range: 'A1', values: [['Number']] }] };
  const written = await client.callTool({ name: 'write_ranges', arguments: write });
  assert.notEqual(written.isError, true, JSON.stringify(written.content));
  const { proposals } = await at.here.json('proposal', 'list', '--document', at.document);
  assert.deepEqual(
    proposals.entries.map(({ state }: Json) => state),
    ['open'],
  );
});

test('cellwire mcp says what it lacks', async (t) => {
  const here = await newInstallation();
  t.after(() => here.remove());
  const bare = await here.run('mcp');
  assert.deepEqual([bare.code, /CELLWIRE_TOKEN/.test(bare.stderr), bare.stdout], [2, true, '']);
  const wrong = await here.with({ CELLWIRE_TOKEN: 'x' }).run('mcp', '--url', 'nonsense');
  assert.deepEqual([wrong.code, /nonsense/.test(wrong.stderr)], [2, true]);
});
