import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DatabaseProxy } from '../../../store/test/postgres/database-proxy.ts';
import { Installation, type ServiceProcess } from '../main/support.ts';

/** Nobody is slowed down: what is looked for are races. */
const CONFIG = {
  plans: { enterprise: { requestsPerSecond: null } },
  database: { connections: 4 },
  workers: 1,
};
/** Between two tries to start a node whose database is away, and tries; in milliseconds. */
const START_PAUSE_MS = 200;
const MOST_STARTS = 150;

/** A process of the service that has its own wire to the database. */
export class Node {
  readonly wire: DatabaseProxy;
  private readonly installation: Installation;
  private serving: ServiceProcess;

  private constructor(installation: Installation, wire: DatabaseProxy, serving: ServiceProcess) {
    this.installation = installation;
    this.wire = wire;
    this.serving = serving;
  }

  /** `secretsKey`: the one of all nodes, in hex. */
  static async start(databaseUrl: string, secretsKey: string): Promise<Node> {
    const wire = await DatabaseProxy.to(databaseUrl);
    const folder = await mkdtemp(join(tmpdir(), 'cellwire-node-'));
    const config = join(folder, 'config.json');
    await writeFile(config, JSON.stringify(CONFIG));
    const settings = {
      CELLWIRE_CONFIG: config,
      CELLWIRE_DATABASE_URL: wire.url,
      CELLWIRE_SECRETS_KEY: secretsKey,
      CELLWIRE_LOG_LEVEL: process.env['NODES_LOG'] ?? 'silent',
    };
    const installation = new Installation(folder, settings);
    return new Node(installation, wire, await installation.serve());
  }

  /** Where it listens; another place after each `kill`. */
  get address(): string {
    return this.serving.address;
  }

  /** Ends it without a word, and starts it again. */
  async kill(): Promise<void> {
    await this.serving.end('SIGKILL');
    for (let tried = 1; ; tried++) {
      try {
        this.serving = await this.installation.serve();
        return;
      } catch (error) {
        // The database may be away, too.
        if (tried === MOST_STARTS) throw error;
        await delay(START_PAUSE_MS);
      }
    }
  }

  /** The process does nothing for a while, and then goes on as if no time had passed. */
  async stop(milliseconds: number): Promise<void> {
    const { serving } = this;
    serving.signal('SIGSTOP');
    try {
      await delay(milliseconds);
    } finally {
      serving.signal('SIGCONT');
    }
  }

  async remove(): Promise<void> {
    await this.serving.end('SIGKILL');
    await this.wire.close();
    await this.installation.remove();
  }
}
