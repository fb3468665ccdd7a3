import { PROGRESS_INTERVAL_MS } from '../limits/mcp.ts';
import type { McpProgress } from './server.ts';

/**
 * Reports to the client that a call is still running, every `PROGRESS_INTERVAL_MS` until it ends. The service cannot
 * tell how much of a calculation is done, so the progress is the number of seconds. Clients use it to extend their
 * time-outs.
 */
export async function runWithProgress<Result>(
  title: string,
  onProgress: ((progress: McpProgress) => void) | null,
  run: () => Promise<Result>,
): Promise<Result> {
  if (onProgress === null) return run();
  let seconds = 0;
  const timer = setInterval(() => {
    seconds += PROGRESS_INTERVAL_MS / 1_000;
    onProgress({ progress: seconds, message: `${title}: running for ${seconds} s` });
  }, PROGRESS_INTERVAL_MS);
  try {
    return await run();
  } finally {
    clearInterval(timer);
  }
}
