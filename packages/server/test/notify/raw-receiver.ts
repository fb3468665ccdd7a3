import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';

/** The reaction of a receiver to a connection with received data. */
export type RawBehaviour = (socket: Socket) => void;

export interface RawReceiver {
  readonly url: string;
  /** Number of all connections so far. */
  readonly connections: () => number;
  /** Number of open connections. */
  readonly open: () => number;
}

/** Starts a receiver below HTTP, which sends the bytes that the test chooses. */
export async function startRawReceiver(test: TestContext, behaviour: RawBehaviour): Promise<RawReceiver> {
  const open = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    open.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => open.delete(socket));
    socket.once('data', () => behaviour(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  test.after(() => {
    server.close();
    for (const socket of open) socket.destroy();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, connections: () => connections, open: () => open.size };
}

/** Listens and prints its port. After SIGSTOP it accepts no connection. */
const LISTENER = `
const server = require('node:net').createServer();
server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => console.log(server.address().port));
`;
/** Connections that fill the queue of a listener with a backlog of one. */
const FILLERS = 8;

/**
 * Starts a listener that neither accepts nor refuses connections. Linux only: other systems refuse connections when the
 * queue is full.
 */
export async function startDeafPort(test: TestContext): Promise<string> {
  const child = spawn(process.execPath, ['-e', LISTENER], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const port = Number(line.toString());
  child.kill('SIGSTOP');
  const fillers = Array.from({ length: FILLERS }, () => connect(port, '127.0.0.1').on('error', () => {}));
  const exit = once(child, 'exit');
  test.after(async () => {
    for (const filler of fillers) filler.destroy();
    child.kill('SIGKILL');
    await exit;
  });
  await once(fillers[0] as Socket, 'connect');
  return `http://127.0.0.1:${port}/`;
}
