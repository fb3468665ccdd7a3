import { connect, createServer, type Server, type Socket } from 'node:net';

/** Draws whole numbers from 0 to below `limit`, the same ones for the same seed (mulberry32). */
export function draws(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
}

export interface Cuts {
  /** Which bytes count. */
  readonly of: 'requests' | 'answers';
  /** After how many bytes, from the cut before on, a connection is cut; each once. */
  readonly after: readonly number[];
}

/** Passes connections on to a service, which may move, and cuts some of them. */
export class CuttingProxy {
  /** The address of the service. */
  target: string;
  made = 0;
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();
  private cuts: Cuts = { of: 'requests', after: [] };
  private passed = 0;

  private constructor(server: Server, target: string) {
    this.server = server;
    this.target = target;
  }

  static async start(target: string): Promise<CuttingProxy> {
    const server = createServer();
    const proxy = new CuttingProxy(server, target);
    server.on('connection', (socket) => proxy.pass(socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    const address = this.server.address();
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  }

  cut(cuts: Cuts): void {
    this.cuts = cuts;
    this.passed = 0;
    this.made = 0;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private pass(client: Socket): void {
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
    const direct = (from: Socket, to: Socket, way: Cuts['of']) =>
      from.on('data', (part: Buffer) => {
        if (isCut) return;
        const counted = this.cuts.of === way;
        const next = this.cuts.after[this.made];
        if (counted && next !== undefined && this.passed + part.length > next) {
          to.write(part.subarray(0, next - this.passed));
          isCut = true;
          this.made++;
          this.passed = 0;
          // Bytes that were sent before may still arrive, as on a broken network.
          return void setImmediate(end);
        }
        if (counted) this.passed += part.length;
        if (!to.write(part)) {
          from.pause();
          to.once('drain', () => from.resume());
        }
      });
    direct(client, service, 'requests');
    direct(service, client, 'answers');
  }
}
