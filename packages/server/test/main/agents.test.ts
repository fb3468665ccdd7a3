import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { COMMAND, createInstallation, type Installation, type Json, type LocalService } from './support.ts';

interface AgentSetup {
  readonly installation: Installation;
  readonly service: LocalService;
  readonly document: string;
  /** A token whose writes need consent. */
  readonly token: string;
}

async function setUpAgent(t: TestContext, config: object = {}): Promise<AgentSetup> {
  const plainInstallation = await createInstallation();
  t.after(() => plainInstallation.remove());
  const configFile = join(plainInstallation.folder, 'config.json');
  writeFileSync(configFile, JSON.stringify(config));
  const installation = plainInstallation.addEnvironment({ CELLWIRE_CONFIG: configFile });
  await installation.runForJson('user', 'create', '--email', 'anna@example.com', '--name', 'Anna');
  const { id: document } = await installation.runForJson(
    ...['document', 'create', '--owner', 'anna@example.com', '--title', 'Orders', '--locale', 'en-US'],
  );
  const tokenOptions = ['--user', 'anna@example.com', '--name', 'assistant', '--scopes', 'sheets.read,sheets.write'];
  const { token } = await installation.runForJson('token', 'create', ...tokenOptions, '--propose');
  const service = await installation.serveInProcess();
  t.after(() => service.end());
  return { installation, service, document, token };
}

async function propose({ service, document, token }: AgentSetup, range: string, value: unknown): Promise<string> {
  const path = `/documents/${document}/values/${range}`;
  const { status, body } = await service.call(token, 'PUT', path, { values: [[value]] });
  assert.equal(status, 202);
  return body.proposal.id;
}

test('the command line lists, shows, applies and rejects proposals', async (t) => {
  const setup = await setUpAgent(t);
  const { installation, service, document, token } = setup;
  const documentOption = ['--document', document];
  const [first, second] = [await propose(setup, 'A1', 7), await propose(setup, 'A2', '=A1*2')];
  const proposalList = await installation.runForJson('proposal', 'list', ...documentOption, '--state', 'open');
  assert.deepEqual(
    proposalList.proposals.entries.map(({ id, state }: Json) => [id, state]),
    [
      [second, 'open'],
      [first, 'open'],
    ],
  );
  const { proposal } = await installation.runForJson('proposal', 'show', ...documentOption, '--proposal', first);
  assert.deepEqual([proposal.id, proposal.changes[0].cell], [first, 'Sheet1!A1']);
  const applied = await installation.runForJson('proposal', 'apply', ...documentOption, '--proposal', first);
  assert.deepEqual([applied.proposal.state, applied.proposal.revisionId], ['applied', '1']);
  const rejected = await installation.runForJson(
    'proposal',
    'reject',
    ...documentOption,
    '--proposal',
    second,
    '--reason',
    'Not needed',
  );
  assert.deepEqual([rejected.proposal.state, rejected.proposal.reason], ['rejected', 'Not needed']);
  assert.equal((await installation.runCommand('proposal', 'apply', ...documentOption, '--proposal', second)).code, 1);
  assert.equal((await installation.runCommand('proposal', 'show', ...documentOption, '--proposal', 'none')).code, 1);
  const { body } = await service.call(token, 'GET', `/documents/${document}/values/A1:A2`);
  assert.deepEqual(
    body.values.cells.map(([cell]: Json) => cell?.v ?? null),
    [7, null],
  );
  assert.equal(
    (await installation.runForJson('proposal', 'list', ...documentOption, '--state', 'open')).proposals.entries.length,
    0,
  );
});

test('the command line shows what the grid would show, formulas, and changes of rows and sheets', async (t) => {
  const setup = await setUpAgent(t);
  const { installation, service, document, token } = setup;
  const documentOption = ['--document', document];
  const show = async (id: string): Promise<readonly string[]> => {
    const { stdout } = await installation.runCommand('proposal', 'show', ...documentOption, '--proposal', id);
    return stdout.trimEnd().split('\n').slice(1);
  };
  const call = async (method: string, path: string, request: object): Promise<string> => {
    const { status, body } = await service.call(token, method, `/documents/${document}${path}`, request);
    assert.equal(status, 202, JSON.stringify(body));
    return body.proposal.id;
  };
  const id = await call('PUT', '/values/A1', { values: [['2/28/2026', '50%', '=A1+1', 'two\nlines']] });
  assert.deepEqual(await show(id), [
    'POSITION   BEFORE  AFTER',
    'Sheet1!A1          2/28/2026',
    'Sheet1!B1          50%',
    'Sheet1!C1          3/1/2026',
    '                   =A1+1       formula',
    'Sheet1!D1          two\\nlines',
  ]);
  await installation.runForJson('proposal', 'apply', ...documentOption, '--proposal', id);
  const operations = [
    { insertColumns: { sheet: 'Sheet1', before: 'A', count: 2 } },
    { deleteRows: { sheet: 'Sheet1', from: 1, count: 1 } },
  ];
  assert.deepEqual((await show(await call('POST', '/structure', { operations }))).slice(0, 4), [
    'Insert Sheet1!A:B',
    'Delete Sheet1!1:1',
    'POSITION   BEFORE      AFTER',
    'Sheet1!A1  2/28/2026          removed',
  ]);
  assert.deepEqual(await show(await call('PATCH', '/sheets/Sheet1', { name: 'Orders' })), [
    'Sheet Sheet1: rename to Orders',
  ]);
});

test('cellwire mcp serves an agent over standard input through a remote service', async (t) => {
  const setup = await setUpAgent(t, { limits: { calculationCells: 200_000_000 } });
  const client = new Client({ name: 'test', version: '1' });
  const env = { ...setup.installation.env, CELLWIRE_TOKEN: setup.token, CELLWIRE_URL: setup.service.address } as Record<
    string,
    string
  >;
  const transport = new StdioClientTransport({ command: process.execPath, args: [COMMAND, 'mcp'], env });
  t.after(() => client.close());
  await client.connect(transport);
  assert.equal((await client.listTools()).tools.length, 15);
  const write = { document: setup.document, data: [{ range: 'A1', values: [['Number']] }] };
  const written = await client.callTool({ name: 'write_ranges', arguments: write });
  assert.notEqual(written.isError, true, JSON.stringify(written.content));
  const progress: number[] = [];
  // A fast machine calculates the first sizes before the service would notify.
  for (let size = 1_500; progress.length === 0; size *= 2) {
    assert.ok(size < 10_000, 'the service’s notifications reach the client');
    const formula = `=REDUCE(0;SEQUENCE(${size});LAMBDA(a;b;REDUCE(a;SEQUENCE(${size});LAMBDA(c;d;c+d))))`;
    const slow = { name: 'calculate', arguments: { document: setup.document, formula } };
    await client.callTool(slow, { onprogress: (step) => progress.push(step.progress) });
  }
  const { proposals } = await setup.installation.runForJson('proposal', 'list', '--document', setup.document);
  assert.deepEqual(
    proposals.entries.map(({ state }: Json) => state),
    ['open'],
  );
});

test('cellwire mcp reports missing settings', async (t) => {
  const installation = await createInstallation();
  t.after(() => installation.remove());
  const withoutSettings = await installation.runCommand('mcp');
  assert.deepEqual(
    [withoutSettings.code, /CELLWIRE_TOKEN/.test(withoutSettings.stderr), withoutSettings.stdout],
    [2, true, ''],
  );
  const invalidUrl = await installation.addEnvironment({ CELLWIRE_TOKEN: 'x' }).runCommand('mcp', '--url', 'nonsense');
  assert.deepEqual([invalidUrl.code, /nonsense/.test(invalidUrl.stderr)], [2, true]);
});
