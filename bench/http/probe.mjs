// Loaded into measured processes (`--import`): tells its parent what the process has used, and where its peak was.
import { writeFileSync } from 'node:fs';

const LOOK_MS = 1;
/** The longest that the serving thread worked between two looks since it was asked for last, in milliseconds. */
let stretch = 0;
let isLooking = false;

function worked() {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** By what the thread worked, not by what passed: a busy machine makes no stretch longer. */
function look() {
  if (isLooking) return;
  isLooking = true;
  let before = worked();
  setInterval(() => {
    const now = worked();
    stretch = Math.max(stretch, now - before);
    before = now;
  }, LOOK_MS).unref();
}

process.on('message', ({ ask, collect }) => {
  if (ask === 'stretch') {
    look();
    process.send({ stretch });
    stretch = 0;
  }
  if (ask !== 'usage') return;
  // Several times: what has been finalised in one collection is freed in the next.
  if (collect) for (let i = 0; i < 4; i++) globalThis.gc?.();
  const { rss, heapUsed, external } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  process.send({ usage: { rss, live: heapUsed + external, cpuMs: (user + system) / 1000 } });
});
// The channel to the parent must not keep the process alive.
process.channel?.unref();
// Nor does it outlive its parent.
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));

const { BENCH_USAGE_FILE } = process.env;
if (BENCH_USAGE_FILE !== undefined) {
  process.on('exit', () => {
    const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
    const usage = { peak: maxRSS * 1024, cpuMs: (userCPUTime + systemCPUTime) / 1000 };
    writeFileSync(BENCH_USAGE_FILE, JSON.stringify(usage));
  });
}
