import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/**
 * Starts a child process that writes and prints `document revision` for each acknowledged commit. Kills it after the
 * given number of commits; returns the last acknowledged revision of each document.
 */
export async function killWhileWriting(
  child: string,
  args: readonly string[],
  after: number,
): Promise<ReadonlyMap<string, number>> {
  const writer = spawn(process.execPath, [...process.execArgv, child, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(writer, 'exit');
  const acknowledged = new Map<string, number>();
  let count = 0;
  for await (const line of createInterface({ input: writer.stdout })) {
    const [id = '', revision = ''] = line.split(' ');
    acknowledged.set(id, Math.max(acknowledged.get(id) ?? 0, Number(revision)));
    if (++count === after) writer.kill('SIGKILL');
  }
  const [, signal] = await exit;
  assert.equal(signal, 'SIGKILL', 'it wrote until it was killed');
  return acknowledged;
}
