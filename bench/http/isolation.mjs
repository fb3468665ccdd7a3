import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createSlowWorkbook } from './slow-workbook.mjs';

const ISOLATED = fileURLToPath(new URL('./isolated.mjs', import.meta.url));
const SECONDS = Number(process.env.BENCH_ISOLATION_SECONDS ?? 20);
/** A calculation that reaches the time limit of a write. */
const SLOW = '=REDUCE(0;SEQUENCE(5000);LAMBDA(a;b;REDUCE(a;SEQUENCE(5000);LAMBDA(c;d;c+d))))';
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const SLOW_FILE_FORMULAS = 20_000;
const HEAVY_ROWS = 60_000;
/** Milliseconds after which a refused neighbour tries again. */
const REFUSED_MS = 50;

/**
 * Endless work of one user while another user works on other documents. Each function is one loop.
 */
const NEIGHBOURS = {
  'two writers of slow formulas': ({ own }) =>
    own.slice(0, 2).map(
      (id) =>
        ({ put }) =>
          put(id, 'C1', [[SLOW]]),
    ),
  'twelve writers of slow formulas': ({ own }) =>
    own.map(
      (id) =>
        ({ put }) =>
          put(id, 'C1', [[SLOW]]),
    ),
  'four queries with slow formulas, by a viewer': ({ shared }) =>
    repeatLoop(4, ({ post }) =>
      post(`/documents/${shared}/records/query`, { range: 'Sheet1', formula: `${SLOW}>A2`, limit: 5 }),
    ),
  'four structure dry runs of a large document': ({ heavy }) =>
    repeatLoop(4, ({ post }) =>
      post(`/documents/${heavy}/structure?dryRun=true`, {
        operations: [
          { insertRows: { sheet: 'Sheet1', before: 2, count: 1 } },
          { deleteColumns: { sheet: 'Sheet1', first: 'B' } },
        ],
      }),
    ),
  'heavy revisions undone and restored': ({ heavy }) =>
    repeatLoop(2, async ({ put, post, last }) => {
      await put(
        heavy,
        'D1',
        Array.from({ length: 20_000 }, (_, row) => [`=A${row + 1}*2+${row}`]),
      );
      await post(`/documents/${heavy}/revisions/${last()}/undo`, { force: true });
      await post(`/documents/${heavy}/revisions/${last()}/restore`, {});
    }),
  'protection turned on and off': ({ heavy }) =>
    repeatLoop(2, async ({ call }) => {
      await call('PUT', `/documents/${heavy}/sheets/Sheet2/protection`, { hideValues: true, lock: false, allow: [] });
      await call('DELETE', `/documents/${heavy}/sheets/Sheet2/protection`);
    }),
  'three uploads of a slow workbook': () => repeatLoop(3, ({ upload }) => upload(slowFile)),
  'four exports of a large document': ({ heavy }) =>
    repeatLoop(4, ({ call }) => call('GET', `/documents/${heavy}/export?format=xlsx`)),
  '100 agents that describe, query and propose': ({ own }) =>
    Array.from(
      { length: 100 },
      (_, i) =>
        ({ tool, post }) =>
          workAsAgent({ tool, post }, own[i % own.length], i),
    ),
  'all of these': (ids) =>
    Object.entries(NEIGHBOURS)
      .filter(([name]) => name !== 'all of these')
      .flatMap(([, loops]) => loops(ids)),
};

/**
 * Runs one round of an agent. It withdraws its proposal, so that the document's limit of open proposals is not reached.
 */
async function workAsAgent({ tool, post }, document, agent) {
  await tool('describe_document', { document });
  await tool('query_records', { document, range: 'A:C', where: { Number: { gte: 150 } } });
  const reply = await tool('write_ranges', {
    document,
    data: [{ range: `E${agent + 1}`, values: [[agent]] }],
    title: `agent ${agent}`,
  });
  const id = reply?.proposal?.id;
  if (id !== undefined) await post(`/documents/${document}/proposals/${id}/withdraw`, {});
}

const slowFile = createSlowWorkbook(SLOW_FILE_FORMULAS);

/** Returns the same loop `count` times, to run it concurrently. */
const repeatLoop = (count, act) => Array.from({ length: count }, () => act);

/** Maximum additional wait of others next to a neighbour, in milliseconds. */
const ADDED_MS = {
  'one-cell read': 250,
  'light write': 250,
  'light write to the document that the neighbour queries': 250,
};
const ADDED_OF_LONG_WORK_MS = 1_000;

/** Another user's requests next to a hostile neighbour. */
export const isolation = [
  {
    id: 'isolation',
    title: 'another user next to a hostile neighbour',
    async measure({ installation }) {
      const victim = await installation.user('victim');
      const hostile = await installation.user('hostile');
      const ids = { own: [] };
      for (const name of ['light', 'shared', 'formulas', 'records', 'structure'])
        ids[name] = await victim.document(name);
      for (let i = 0; i < 12; i++) ids.own.push(await hostile.document(`own ${i}`));
      ids.heavy = await hostile.document('heavy');
      const { email } = hostile;
      const scopes = 'sheets.read,sheets.write';
      const words = ['token', 'create', '--user', email, '--name', 'agents', '--scopes', scopes, '--propose'];
      hostile.agentToken = (await installation.command(...words)).json.token;
      await installation.command('document', 'share', '--document', ids.shared, '--user', email, '--role', 'view');
      const service = await installation.start();
      await fillDocuments(createCaller(service, victim), createCaller(service, hostile), ids);
      const figures = {};
      const quiet = await measureNextToHostile(service, { victim, hostile, ids }, []);
      console.error('no neighbour', formatLatencies(quiet));
      for (const [kind, { p99 }] of Object.entries(quiet)) figures[`no neighbour: ${kind}, p99`] = { ms: p99 };
      const only = process.env.BENCH_NEIGHBOUR;
      for (const [name, loops] of Object.entries(NEIGHBOURS)) {
        if (only !== undefined && !name.includes(only)) continue;
        const latencies = await measureNextToHostile(service, { victim, hostile, ids }, loops(ids));
        console.error(name, formatLatencies(latencies));
        for (const [kind, { p99 }] of Object.entries(latencies)) {
          const msAtMost = quiet[kind].p99 + (ADDED_MS[kind] ?? ADDED_OF_LONG_WORK_MS);
          figures[`${name}: ${kind}, p99`] = { ms: p99, msAtMost };
        }
      }
      figures['resident memory at the end'] = { bytes: (await service.readUsage(true)).rss };
      await service.stop();
      return figures;
    },
  },
];

/** Latencies by kind: count, median, 99th percentile and maximum, in milliseconds. */
function formatLatencies(latencies) {
  const texts = Object.entries(latencies).map(([kind, { count, p50, p99, max }]) => [
    kind,
    `${count}: ${[p50, p99, max].map(Math.round)}`,
  ]);
  return Object.fromEntries(texts);
}

/** Sends the other user's traffic from its own process while the neighbour's loops run; returns the latencies. */
async function measureNextToHostile(service, { victim, hostile, ids }, loops) {
  const abort = new AbortController();
  const api = createCaller(service, hostile, abort.signal);
  const loopRuns = loops.map(async (act) => {
    while (!abort.signal.aborted) await act(api).catch(() => {});
  });
  const child = fork(ISOLATED, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  child.send({ url: service.address, token: victim.token, ids });
  const failure = once(child, 'exit').then(([code]) => Promise.reject(new Error(`the other user has failed: ${code}`)));
  failure.catch(() => {});
  await Promise.race([once(child, 'message'), failure]);
  await new Promise((resolve) => setTimeout(resolve, SECONDS * 1_000));
  child.send('end');
  const [latencies] = await Promise.race([once(child, 'message'), failure]);
  abort.abort();
  await Promise.all(loopRuns);
  return latencies;
}

/** Fills the documents of both users before the measurement. */
async function fillDocuments(victim, hostile, ids) {
  const small = [['Number', 'Name', 'Sum'], ...Array.from({ length: 200 }, (_, row) => [row, `name ${row}`, row * 2])];
  for (const id of ids.own) await hostile.put(id, 'A1', small);
  await victim.put(
    ids.formulas,
    'B1',
    Array.from({ length: 20_000 }, (_, row) => [`=A$1*${row}+${row % 7}`]),
  );
  const records = [['Number', 'Name'], ...Array.from({ length: 3_000 }, (_, row) => [row, `name ${row}`])];
  for (const id of [ids.records, ids.shared]) await victim.put(id, 'A1', records);
  await victim.put(
    ids.structure,
    'A1',
    Array.from({ length: 5_000 }, (_, row) => [row, `=A${row + 1}*2+${row}`]),
  );
  for (let top = 0; top < HEAVY_ROWS; top += 20_000) {
    await hostile.put(
      ids.heavy,
      `A${top + 1}`,
      Array.from({ length: 20_000 }, (_, row) => [top + row, `=A${top + row + 1}+${row}`]),
    );
  }
  await hostile.post(`/documents/${ids.heavy}/sheets`, { name: 'Sheet2' });
  await hostile.put(
    ids.heavy,
    'Sheet2!A1',
    Array.from({ length: 5_000 }, (_, row) => [row]),
  );
  await hostile.put(
    ids.heavy,
    'C1',
    Array.from({ length: 20_000 }, (_, row) => [`=SUM(Sheet2!A1:A${(row % 5_000) + 1})+${row}`]),
  );
}

/** Returns functions that call the API as one user. A refused call is not repeated. */
function createCaller({ address }, { token, agentToken }, signal) {
  let revision = '0';
  const call = async (method, path, body, type = 'application/json') => {
    const headers = { authorization: `Bearer ${token}`, ...(body === undefined ? {} : { 'content-type': type }) };
    const payload = body === undefined || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    const response = await fetch(`${address}/api/v1${path}`, {
      method,
      headers,
      signal,
      ...(payload === undefined ? {} : { body: payload }),
    });
    const text = await response.text();
    if (response.status >= 400) {
      if (signal === undefined) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 200)}`);
      await new Promise((resolve) => setTimeout(resolve, REFUSED_MS));
    }
    revision = /"revisionId":"(\d+)"/.exec(text)?.[1] ?? revision;
  };
  /** Calls a tool of the Model Context Protocol with the agent's token, whose writes become proposals. */
  const callTool = async (name, args) => {
    const response = await fetch(`${address}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${agentToken}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      signal,
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
    });
    const { result } = JSON.parse(await response.text());
    if (result?.isError) await new Promise((resolve) => setTimeout(resolve, REFUSED_MS));
    return result?.structuredContent;
  };
  return {
    call,
    tool: callTool,
    last: () => revision,
    post: (path, body) => call('POST', path, body),
    put: (id, range, values) => call('PUT', `/documents/${id}/values/${encodeURIComponent(range)}`, { values }),
    upload: (file) => call('POST', '/documents?title=slow', file, XLSX),
  };
}
