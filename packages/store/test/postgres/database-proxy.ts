import { EventEmitter, once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** `late`: the commit does reach the database, but not before `deliver`. */
export type CommitCut = 'before commit' | 'after commit' | 'late';

/** With what a commit is asked for the first time on a connection: alone, or together with what it commits. */
const COMMITS = ['commit\0', 'insert into "commits"'];

/** A wire to the database that can be cut. */
export class DatabaseProxy {
  /** Of the database, through the wire. */
  readonly url: string;
  private readonly server: Server;
  private readonly ends = new EventEmitter();
  private readonly pairs = new Set<readonly [client: Socket, database: Socket]>();
  private target: URL;
  private isAway = false;
  private cutAt: CommitCut | null = null;
  private held: (() => void) | null = null;
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
    server.on('connection', (client) => this.join(client, this.target));
  }

  static async to(url: string): Promise<DatabaseProxy> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new DatabaseProxy(server, new URL(url));
  }

  /** Ends every connection. */
  cut(): void {
    for (const pair of this.pairs) for (const socket of pair) socket.destroy();
  }

  /** Leads to another server from now on. */
  leadTo(url: string): void {
    this.target = new URL(url);
    this.cut();
  }

  /** Nothing comes through the connections that there are any more, at either end, and neither is told. */
  silence(): void {
    for (const pair of this.pairs) for (const socket of pair) socket.pause();
  }

  /** `silence` also for connections that are made from now on: they are taken, and nothing comes through. */
  silenceAll(): void {
    this.isSilent = true;
    this.silence();
  }

  /** What was sent meanwhile comes through, although its sender may be gone. */
  endSilence(): void {
    this.isSilent = false;
    for (const pair of this.pairs) for (const socket of pair) socket.resume();
  }

  /** From now on nobody gets through, until `restore`. */
  goAway(): void {
    this.isAway = true;
    this.cut();
    this.ends.emit('end');
  }

  restore(): void {
    this.isAway = false;
  }

  /**
   * Cuts the next connection on which a commit is asked for the first time: so that it never reaches the database, or
   * so that the database does it and the answer never comes. `staysAway`: nobody gets through afterwards.
   */
  cutAtCommit(when: CommitCut, staysAway = false): void {
    this.cut();
    this.cutAt = when;
    this.staysAway = staysAway;
  }

  /** Whether the commit that was to be cut has not been asked for yet. */
  get isWaitingToCut(): boolean {
    return this.cutAt !== null;
  }

  /** What came too late for its sender reaches the database. */
  deliver(): void {
    this.held?.();
    this.held = null;
  }

  /** Resolves once nobody gets through. */
  async gone(): Promise<void> {
    while (!this.isAway) await once(this.ends, 'end');
  }

  async close(): Promise<void> {
    this.deliver();
    this.cut();
    this.server.close();
    await once(this.server, 'close');
  }

  private join(client: Socket, { hostname, port }: URL): void {
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
        this.held = () => database.end(chunk);
        client.off('close', end);
        return client.destroy();
      }
      if (when === 'before commit') return this.staysAway ? this.goAway() : end();
      if (when === 'after commit') isDeaf = true;
      return database.write(chunk);
    });
    database.on('data', (chunk: Buffer) => {
      // The answer says that it is done.
      if (isDeaf && this.staysAway) this.goAway();
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
