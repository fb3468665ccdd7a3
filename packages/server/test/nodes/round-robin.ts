import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RunningServer } from '../../src/compose/server.ts';

/**
 * Combines two nodes into one service. Each request goes to another node than the previous one, so that tests fail if a
 * request depends on a node's memory. `start` receives the common address; `service` is the first node's.
 */
export async function startRoundRobin(
  start: (address: string) => Promise<readonly [RunningServer, RunningServer]>,
): Promise<RunningServer> {
  let turn = 0;
  let nodes: readonly RunningServer[] = [];
  const balancer = createServer((incoming, outgoing) => {
    const node = nodes[turn++ % nodes.length] as RunningServer;
    forward(incoming, outgoing, node.address);
  });
  // Clients may keep connections open for long; closing one would lose a request.
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

/** Forwards a request to a node. If one side breaks the connection, the other side is closed, too. */
function forward(incoming: IncomingMessage, outgoing: ServerResponse, address: string): void {
  const url = new URL(address);
  const nodeRequest = request({
    host: url.hostname,
    port: url.port,
    method: incoming.method,
    path: incoming.url,
    headers: incoming.headers,
    agent: false,
  });
  let isAnswered = false;
  nodeRequest.on('response', (nodeResponse) => {
    isAnswered = true;
    outgoing.writeHead(nodeResponse.statusCode ?? 0, nodeResponse.statusMessage, nodeResponse.rawHeaders);
    outgoing.flushHeaders();
    nodeResponse.pipe(outgoing);
    nodeResponse.on('error', () => outgoing.destroy());
  });
  // A node that refuses a request because of its headers closes the connection while the body still arrives.
  nodeRequest.on('error', () => {
    if (!isAnswered) outgoing.destroy();
  });
  outgoing.on('close', () => nodeRequest.destroy());
  // Sends the headers at once, because a node may refuse a request because of its headers.
  nodeRequest.flushHeaders();
  incoming.pipe(nodeRequest);
}
