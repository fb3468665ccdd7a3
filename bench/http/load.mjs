// Sends load from its own process. Takes one message: `{ url, headers, connections, seconds, traffic, options }`.
import autocannon from 'autocannon';
import { TRAFFIC } from './traffic.mjs';

process.once('message', async (task) => {
  try {
    process.send(await run(task), () => process.exit(0));
  } catch (error) {
    process.send({ error: String(error?.stack ?? error) }, () => process.exit(1));
  }
});

/** Sends the traffic with autocannon. Returns requests per second and latencies. */
async function run({ url, headers, connections, seconds, traffic, options }) {
  const result = await autocannon({
    url,
    headers,
    connections,
    duration: seconds,
    timeout: 60,
    requests: TRAFFIC[traffic](options),
  });
  const failedCount = result.errors + result.timeouts + result.non2xx;
  if (failedCount > 0)
    throw new Error(
      `${failedCount} of ${result.requests.total} requests failed: ${JSON.stringify(result.statusCodeStats)}`,
    );
  return {
    perSecond: result.requests.total / result.duration,
    total: result.requests.total,
    p50: result.latency.p50,
    p99: result.latency.p99,
  };
}
