import { rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { type PostgresCluster, startCluster } from './cluster.ts';

/**
 * Keeps one PostgreSQL server for all concurrent test files. The first client starts it, each client receives its
 * address, and it stops some seconds after the last client has disconnected.
 */
const LINGER_MS = 5_000;

const place = process.argv[2] ?? '';
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
    if (guests.size === 0) last = setTimeout(leave, LINGER_MS);
  });
  cluster ??= startCluster();
  cluster.then(
    ({ url }) => guest.write(`${url}\n`),
    (error: unknown) => guest.end(`failed: ${error instanceof Error ? error.message : String(error)}\n`),
  );
});

function leave(): void {
  server.close();
  void Promise.resolve(cluster)
    .then((one) => one?.remove())
    .finally(() => process.exit());
}

function listen(): void {
  server.listen(place, () => {
    last = setTimeout(leave, LINGER_MS);
  });
}

/** The socket exists: another supervisor is running, or a killed one left it behind. */
server.once('error', () => {
  const other = connect(place);
  other.once('connect', () => process.exit());
  other.once('error', () => {
    rmSync(place, { force: true });
    listen();
  });
});
listen();
