import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { COMMAND, createInstallation } from './support.ts';

const LINUX = { skip: existsSync('/proc/self/fd') ? false : 'this system has no /proc' };
/** Lower than the number of opened connections, but enough for the service itself. */
const LIMIT = 256;

test('the log reports exhausted file descriptors once, and the service keeps running', LINUX, async (t) => {
  const cellwire = await createInstallation();
  const command = `ulimit -n ${LIMIT} && exec "$0" "$1" serve`;
  const service = spawn('sh', ['-c', command, process.execPath, COMMAND], {
    env: cellwire.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const sockets: Socket[] = [];
  t.after(async () => {
    for (const socket of sockets) socket.destroy();
    service.kill('SIGKILL');
    if (service.exitCode === null && service.signalCode === null) await once(service, 'exit');
    await cellwire.remove();
  });
  const log: string[] = [];
  const exhausted = Promise.withResolvers<void>();
  createInterface({ input: service.stderr }).on('line', (line) => {
    log.push(line);
    if (line.includes('file descriptors run out')) exhausted.resolve();
  });
  let address = '';
  for await (const line of createInterface({ input: service.stdout })) {
    address = /^listening on (\S+)$/.exec(line)?.[1] ?? '';
    if (address !== '') break;
  }
  const { hostname, port } = new URL(address);
  for (let i = 0; i < 2 * LIMIT; i++) {
    const socket = connect({ host: hostname, port: Number(port) });
    socket.on('error', () => {});
    sockets.push(socket);
  }
  await exhausted.promise;
  for (const socket of sockets) socket.destroy();
  // The service may still accept dropped connections. Repeat until it responds.
  for (;;) {
    const status = await fetch(`${address}/readyz`).then(
      (answer) => answer.status,
      () => 0,
    );
    if (status === 200) break;
  }
  const exit = once(service, 'exit');
  service.kill('SIGTERM');
  assert.deepEqual(await exit, [0, null]);
  const lines = log.filter((line) => line.includes('file descriptors run out'));
  assert.equal(lines.length, 1);
  assert.equal(JSON.parse(lines[0] ?? '').limit, LIMIT);
});
