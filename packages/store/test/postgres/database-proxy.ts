import { EventEmitter, once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** When a connection breaks. `late`: the commit reaches the database only after `deliverCommit`. */
export type CommitCut = 'before commit' | 'after commit' | 'late';

/** The first bytes of a commit on a connection, sent alone or together with its statements. */
const COMMITS = ['commit\0', 'insert into "commits"'];

/** A proxy to the database that can break connections. */
export class DatabaseProxy {
  /** Address of the database through the proxy. */
  readonly url: string;
  private readonly server: Server;
  private readonly ends = new EventEmitter();
  private readonly pairs = new Set<readonly [client: Socket, database: Socket]>();
  private target: URL;
  private isAway = false;
  private cutAt: CommitCut | null = null;
  private delayedCommit: (() => void) | null = null;
  private staysAway = false;
  private isSilent = false;

  private constructor(server: Server, target: URL) {
    this.server = server;
    this.target = target;
    const url = new URL(target);
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('No address');
    url.host = `127.0.0.1:${address.port}`;
    this.url = url.href;
    server.on('connection', (client) => this.joinSockets(client, this.target));
  }

  static async start(url: string): Promise<DatabaseProxy> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new DatabaseProxy(server, new URL(url));
  }

  /** Closes every connection. */
  closeConnections(): void {
    for (const pair of this.pairs) for (const socket of pair) socket.destroy();
  }

  /** Forwards new connections to another server. */
  redirectTo(url: string): void {
    this.target = new URL(url);
    this.closeConnections();
  }

  /** Drops all data of existing connections silently, in both directions. */
  dropData(): void {
    for (const pair of this.pairs) for (const socket of pair) socket.pause();
  }

  /** Drops data as `dropData` does, also for new connections: they are accepted, but no data passes. */
  dropAllData(): void {
    this.isSilent = true;
    this.dropData();
  }

  /** Forwards the data that was sent since `dropData`, even if its sender has disconnected. */
  endSilence(): void {
    this.isSilent = false;
    for (const pair of this.pairs) for (const socket of pair) socket.resume();
  }

  /** Refuses connections until `restore`. */
  refuseConnections(): void {
    this.isAway = true;
    this.closeConnections();
    this.ends.emit('end');
  }

  restore(): void {
    this.isAway = false;
  }

  /**
   * Breaks the next connection that sends a commit: before the database receives it, or after the database received it
   * but before the answer. `staysAway`: new connections are refused afterwards.
   */
  cutAtCommit(when: CommitCut, staysAway = false): void {
    this.closeConnections();
    this.cutAt = when;
    this.staysAway = staysAway;
  }

  /** True until the commit that will be broken was sent. */
  get isWaitingToCut(): boolean {
    return this.cutAt !== null;
  }

  /** Delivers the delayed commit to the database. */
  deliverCommit(): void {
    this.delayedCommit?.();
    this.delayedCommit = null;
  }

  /** Resolves when connections are refused. */
  async waitUntilRefused(): Promise<void> {
    while (!this.isAway) await once(this.ends, 'end');
  }

  async close(): Promise<void> {
    this.deliverCommit();
    this.closeConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private joinSockets(client: Socket, { hostname, port }: URL): void {
    if (this.isAway) {
      client.destroy();
      return;
    }
    const database = connect(Number(port), hostname);
    const pair = [client, database] as const;
    this.pairs.add(pair);
    const end = () => {
      for (const socket of pair) socket.destroy();
      this.pairs.delete(pair);
    };
    let isDeaf = false;
    client.on('data', (chunk: Buffer) => {
      const when = COMMITS.some((text) => chunk.includes(text)) ? this.cutAt : null;
      if (when !== null) this.cutAt = null;
      if (when === 'late') {
        this.delayedCommit = () => database.end(chunk);
        client.off('close', end);
        return client.destroy();
      }
      if (when === 'before commit') return this.staysAway ? this.refuseConnections() : end();
      if (when === 'after commit') isDeaf = true;
      return database.write(chunk);
    });
    database.on('data', (chunk: Buffer) => {
      // The answer confirms the commit.
      if (isDeaf && this.staysAway) this.refuseConnections();
      else if (isDeaf) end();
      else client.write(chunk);
    });
    for (const socket of pair) {
      socket.on('error', end);
      socket.on('close', end);
    }
    if (this.isSilent) for (const socket of pair) socket.pause();
  }
}
