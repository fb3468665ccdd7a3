import { rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { type PostgresCluster, startCluster } from './cluster.ts';

/**
 * Keeps one PostgreSQL server for all concurrent test files. The first client starts it, each client receives its
 * address, and it stops some seconds after the last client has disconnected.
 */
const LINGER_MS = 5_000;

const socketPath = process.argv[2] ?? '';
const guests = new Set<Socket>();
let last: NodeJS.Timeout | undefined;

let cluster: Promise<PostgresCluster> | null = null;
const server = createServer((guest) => {
  guests.add(guest);
  clearTimeout(last);
  guest.on('error', () => {});
  guest.on('data', () => {});
  guest.once('close', () => {
    guests.delete(guest);
    if (guests.size === 0) last = setTimeout(stopAndExit, LINGER_MS);
  });
  cluster ??= startCluster();
  cluster.then(
    ({ url }) => guest.write(`${url}\n`),
    (error: unknown) => guest.end(`failed: ${error instanceof Error ? error.message : String(error)}\n`),
  );
});

function stopAndExit(): void {
  server.close();
  void Promise.resolve(cluster)
    .then((running) => running?.remove())
    .finally(() => process.exit());
}

// `listen` would keep the callback of a failed attempt, and the second attempt would start two timers.
server.once('listening', () => {
  last = setTimeout(stopAndExit, LINGER_MS);
});

/** If the socket exists, another supervisor is running, or a killed supervisor left it behind. */
server.once('error', () => {
  const probe = connect(socketPath);
  probe.once('connect', () => process.exit());
  probe.once('error', () => {
    rmSync(socketPath, { force: true });
    server.listen(socketPath);
  });
});
server.listen(socketPath);
