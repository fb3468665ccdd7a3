import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RunningServer } from '../../src/compose/server.ts';

/**
 * Two nodes as one service: each request goes to the other node than the one before it, so that nothing may depend on
 * what one of them has in its memory. `service` is the first one's.
 */
export async function inTurns(nodes: readonly [RunningServer, RunningServer]): Promise<RunningServer> {
  let turn = 0;
  const balancer = createServer((asked, answer) => {
    const node = nodes[turn++ % nodes.length] as RunningServer;
    passOn(asked, answer, node.address);
  });
  balancer.requestTimeout = 0;
  balancer.listen(0, '127.0.0.1');
  await once(balancer, 'listening');
  const { port } = balancer.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}`,
    service: nodes[0].service,
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
  passed.on('response', (answered) => {
    answer.writeHead(answered.statusCode ?? 0, answered.statusMessage, answered.rawHeaders);
    answer.flushHeaders();
    answered.pipe(answer);
    answered.on('error', () => answer.destroy());
  });
  passed.on('error', () => answer.destroy());
  answer.on('close', () => passed.destroy());
  // A request may be refused for what its head says.
  passed.flushHeaders();
  asked.pipe(passed);
}
