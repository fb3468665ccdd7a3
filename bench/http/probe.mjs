// Loaded into measured processes (`--import`): reports the resources that the process has used, and their peaks.
import { writeFileSync } from 'node:fs';

const LOOK_MS = 1;
/** The longest time that the serving thread worked without a pause since the last request for it, in milliseconds. */
let stretch = 0;
let isSampling = false;

/** Returns the processor time of this process in milliseconds. */
function readProcessorMs() {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Takes a sample in processor time, not wall-clock time, so that a busy machine does not change it. */
function sampleStretch() {
  if (isSampling) return;
  isSampling = true;
  let lastMs = readProcessorMs();
  setInterval(() => {
    const currentMs = readProcessorMs();
    stretch = Math.max(stretch, currentMs - lastMs);
    lastMs = currentMs;
  }, LOOK_MS).unref();
}

process.on('message', ({ ask, collect }) => {
  if (ask === 'stretch') {
    sampleStretch();
    process.send({ stretch });
    stretch = 0;
  }
  if (ask !== 'usage') return;
  // Collects several times, because a collection frees the objects that the previous one finalized.
  if (collect) for (let i = 0; i < 4; i++) globalThis.gc?.();
  const { rss, heapUsed, external } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  process.send({ usage: { rss, live: heapUsed + external, cpuMs: (user + system) / 1000 } });
});
// The channel to the parent must not keep the process alive.
process.channel?.unref();
// Ends the process when its parent ends.
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));

const { BENCH_USAGE_FILE } = process.env;
if (BENCH_USAGE_FILE !== undefined) {
  process.on('exit', () => {
    const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
    const usage = { peak: maxRSS * 1024, cpuMs: (userCPUTime + systemCPUTime) / 1000 };
    writeFileSync(BENCH_USAGE_FILE, JSON.stringify(usage));
  });
}
