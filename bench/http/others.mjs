// Other users' traffic during the work of one user, in its own process: reads, writes and /healthz, one of each in
// flight at any time, with pauses between them. Takes `{ url, headers, read, written }`, reports when it has begun, and
// returns its latencies in milliseconds on request.
import { performance } from 'node:perf_hooks';

const PAUSE_MS = 10;

process.once('message', async ({ url, headers, read, written }) => {
  let isEnded = false;
  let n = 0;
  const api = `${url}/api/v1/documents`;
  const kinds = {
    reads: () => fetch(`${api}/${read}/values/A1:J100`, { headers }),
    writes: () => {
      const body = JSON.stringify({ values: [[n++]] });
      return fetch(`${api}/${written}/values/A1`, { method: 'PUT', headers, body });
    },
    health: () => fetch(`${url}/healthz`),
  };
  const latencies = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, []]));
  const sendOne = async (kind) => {
    const start = performance.now();
    const response = await kinds[kind]();
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`${kind}: ${response.status}`);
    latencies[kind].push(performance.now() - start);
  };
  for (const kind of Object.keys(kinds)) await sendOne(kind);
  for (const list of Object.values(latencies)) list.length = 0;
  process.once('message', () => {
    isEnded = true;
  });
  process.send('begun');
  const sendRepeatedly = async (kind) => {
    while (!isEnded) {
      await sendOne(kind);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  };
  await Promise.all(Object.keys(kinds).map(sendRepeatedly));
  process.send(Object.fromEntries(Object.entries(latencies).map(([kind, list]) => [kind, summarizeTimes(list)])), () =>
    process.exit(0),
  );
});

/** Returns count, median, 99th percentile and maximum of times in milliseconds. */
function summarizeTimes(timesMs) {
  const sorted = timesMs.toSorted((a, b) => a - b);
  const findQuantile = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { count: sorted.length, p50: findQuantile(0.5), p99: findQuantile(0.99), max: findQuantile(1) };
}
