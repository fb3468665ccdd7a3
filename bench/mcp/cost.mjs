// node bench/mcp/cost.mjs: the processor time that a tool call adds to its API call, in milliseconds.
import { readStat } from '../lib/processes.mjs';
import { computeMedian } from '../lib/stats.mjs';
import { startService } from './service.mjs';

const ROUNDS = 7;
const CALLS = 200;

const service = await startService();
const headers = {
  authorization: `Bearer ${service.token}`,
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};
/** Sends a request to the service and returns the parsed answer. */
const requestJson = async (method, path, body) => {
  const response = await fetch(`${service.url}${path}`, {
    method,
    headers,
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  return JSON.parse(text);
};
const { documents } = await requestJson('GET', '/api/v1/documents');
const { id } = documents[0];
const base = `/api/v1/documents/${id}`;
const rows = Array.from({ length: 100 }, (_, i) => [`A-${i}`, i, i * 2]);
await requestJson('PUT', `${base}/values/A1`, { values: [['Number', 'Sum', 'Double'], ...rows] });
let last = 0;
/** Calls an MCP tool; throws if it reports an error. */
const callTool = async (name, args) => {
  const params = { name, arguments: { document: id, ...args } };
  const { result } = await requestJson('POST', '/mcp', { jsonrpc: '2.0', id: ++last, method: 'tools/call', params });
  if (result.isError) throw new Error(result.content[0].text);
};
const PAIRS = {
  read: [
    () => requestJson('GET', `${base}/values/A1:C101?render=plain`),
    () => callTool('read_range', { range: 'A1:C101' }),
  ],
  query: [
    () => requestJson('POST', `${base}/records/query`, { range: 'A:C', where: { Sum: { gte: 90 } }, limit: 200 }),
    () => callTool('query_records', { range: 'A:C', where: { Sum: { gte: 90 } } }),
  ],
  append: [
    () => requestJson('POST', `${base}/records/append`, { range: 'F:G', records: [{ F: 'x' }] }),
    () => callTool('append_records', { range: 'F:G', records: [{ F: 'x' }] }),
  ],
};
await requestJson('PUT', `${base}/values/F1`, { values: [['F', 'G']] });
for (const [name, [api, mcp]] of Object.entries(PAIRS)) {
  const costs = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    for (const [i, call] of [api, mcp].entries()) {
      const cpuBefore = readStat(service.pid).cpuMs;
      for (let n = 0; n < CALLS; n++) await call();
      if (round > 0) costs[i].push((readStat(service.pid).cpuMs - cpuBefore) / CALLS);
    }
  }
  const [plain, asTool] = costs.map(computeMedian);
  console.log(
    `${name}: API ${plain.toFixed(2)} ms, tool ${asTool.toFixed(2)} ms, added ${(asTool - plain).toFixed(2)} ms`,
  );
}
await service.close();
