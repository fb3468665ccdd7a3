import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RunningServer } from '../../src/compose/server.ts';

/**
 * Two nodes as one service: each request goes to the other node than the one before it, so that nothing may depend on
 * what one of them has in its memory. `start` is given the address that they have together; `service` is the first one's.
 */
export async function startRoundRobin(
  start: (address: string) => Promise<readonly [RunningServer, RunningServer]>,
): Promise<RunningServer> {
  let turn = 0;
  let nodes: readonly RunningServer[] = [];
  const balancer = createServer((asked, answer) => {
    const node = nodes[turn++ % nodes.length] as RunningServer;
    passOn(asked, answer, node.address);
  });
  // Whoever keeps a connection may take their time with it: one that is closed meanwhile would lose a request.
  balancer.requestTimeout = 0;
  balancer.keepAliveTimeout = 0;
  balancer.listen(0, '127.0.0.1');
  await once(balancer, 'listening');
  const { port } = balancer.address() as AddressInfo;
  const address = `http://127.0.0.1:${port}`;
  const [first, second] = await start(address);
  nodes = [first, second];
  return {
    address,
    service: first.service,
    drain: async () => void (await Promise.all(nodes.map((node) => node.drain()))),
    endDrain: () => {
      for (const node of nodes) node.endDrain();
    },
    close: async () => {
      await Promise.all(nodes.map((node) => node.close()));
      balancer.closeAllConnections();
      balancer.close();
    },
  };
}

/** What one side breaks off is broken off at the other. */
function passOn(asked: IncomingMessage, answer: ServerResponse, address: string): void {
  const url = new URL(address);
  const passed = request({
    host: url.hostname,
    port: url.port,
    method: asked.method,
    path: asked.url,
    headers: asked.headers,
    agent: false,
  });
  let isAnswered = false;
  passed.on('response', (answered) => {
    isAnswered = true;
    answer.writeHead(answered.statusCode ?? 0, answered.statusMessage, answered.rawHeaders);
    answer.flushHeaders();
    answered.pipe(answer);
    answered.on('error', () => answer.destroy());
  });
  // A request that is refused for its head is answered, and then its connection is closed under what still comes.
  passed.on('error', () => {
    if (!isAnswered) answer.destroy();
  });
  answer.on('close', () => passed.destroy());
  // A request may be refused for what its head says.
  passed.flushHeaders();
  asked.pipe(passed);
}
