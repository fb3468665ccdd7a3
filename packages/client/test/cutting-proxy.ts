import { connect, createServer, type Server, type Socket } from 'node:net';

/** Returns a deterministic generator of integers from 0 up to, but excluding, `limit` (mulberry32). */
export function createRandom(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
}

export interface ConnectionCuts {
  /** The direction whose bytes are counted. */
  readonly direction: 'requests' | 'answers';
  /** Number of bytes between two cuts. Each element cuts one connection. */
  readonly afterBytes: readonly number[];
}

/** Forwards connections to a service and cuts some of them. The service may move to another address. */
export class CuttingProxy {
  /** The address of the service. */
  target: string;
  /** Connections cut since the last call of `scheduleCuts`. */
  cutCount = 0;
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();
  private cuts: ConnectionCuts = { direction: 'requests', afterBytes: [] };
  /** Bytes since the last cut. */
  private passedBytes = 0;

  private constructor(server: Server, target: string) {
    this.server = server;
    this.target = target;
  }

  static async start(target: string): Promise<CuttingProxy> {
    const server = createServer();
    const proxy = new CuttingProxy(server, target);
    server.on('connection', (socket) => proxy.forwardConnection(socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    const address = this.server.address();
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  }

  scheduleCuts(cuts: ConnectionCuts): void {
    this.cuts = cuts;
    this.passedBytes = 0;
    this.cutCount = 0;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private forwardConnection(client: Socket): void {
    const { hostname, port } = new URL(this.target);
    const service = connect(Number(port), hostname);
    const end = () => {
      client.destroy();
      service.destroy();
    };
    for (const socket of [client, service]) {
      this.sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', end).on('close', () => {
        this.sockets.delete(socket);
        end();
      });
    }
    let isCut = false;
    const forward = (from: Socket, to: Socket, direction: ConnectionCuts['direction']) =>
      from.on('data', (part: Buffer) => {
        if (isCut) return;
        const isCounted = this.cuts.direction === direction;
        const next = this.cuts.afterBytes[this.cutCount];
        if (isCounted && next !== undefined && this.passedBytes + part.length > next) {
          to.write(part.subarray(0, next - this.passedBytes));
          isCut = true;
          this.cutCount++;
          this.passedBytes = 0;
          // Bytes that were already sent may still arrive, as on a broken network.
          return void setImmediate(end);
        }
        if (isCounted) this.passedBytes += part.length;
        if (!to.write(part)) {
          from.pause();
          to.once('drain', () => from.resume());
        }
      });
    forward(client, service, 'requests');
    forward(service, client, 'answers');
  }
}
