import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DatabaseProxy } from '../../../store/test/postgres/database-proxy.ts';
import { Installation, type ServiceProcess } from '../main/support.ts';

/** No rate limits, because they would prevent races. */
const CONFIG = {
  plans: { enterprise: { requestsPerSecond: null } },
  database: { connections: 4 },
  workers: 1,
};
/** Pause between attempts to start a node without its database, in milliseconds, and the maximum number of attempts. */
const START_PAUSE_MS = 200;
const MAX_STARTS = 150;

/** A service process with a proxy of its own to the database. */
export class Node {
  readonly proxy: DatabaseProxy;
  private readonly installation: Installation;
  private serving: ServiceProcess;

  private constructor(installation: Installation, proxy: DatabaseProxy, serving: ServiceProcess) {
    this.installation = installation;
    this.proxy = proxy;
    this.serving = serving;
  }

  /** `secretsKey`: the common key of all nodes, in hex. */
  static async start(databaseUrl: string, secretsKey: string): Promise<Node> {
    const proxy = await DatabaseProxy.start(databaseUrl);
    const folder = await mkdtemp(join(tmpdir(), 'cellwire-node-'));
    const config = join(folder, 'config.json');
    await writeFile(config, JSON.stringify(CONFIG));
    const settings = {
      CELLWIRE_CONFIG: config,
      CELLWIRE_DATABASE_URL: proxy.url,
      CELLWIRE_SECRETS_KEY: secretsKey,
      CELLWIRE_LOG_LEVEL: process.env['NODES_LOG'] ?? 'silent',
    };
    const installation = new Installation(folder, settings);
    return new Node(installation, proxy, await installation.serve());
  }

  /** URL of the process, which changes after each `kill`. */
  get address(): string {
    return this.serving.address;
  }

  /** Kills the process and starts it again. */
  async kill(): Promise<void> {
    await this.serving.end('SIGKILL');
    for (let attempts = 1; ; attempts++) {
      try {
        this.serving = await this.installation.serve();
        return;
      } catch (error) {
        // The database may be down too.
        if (attempts === MAX_STARTS) throw error;
        await delay(START_PAUSE_MS);
      }
    }
  }

  /** Suspends the process for a while. */
  async suspend(milliseconds: number): Promise<void> {
    const { serving } = this;
    serving.sendSignal('SIGSTOP');
    try {
      await delay(milliseconds);
    } finally {
      serving.sendSignal('SIGCONT');
    }
  }

  async remove(): Promise<void> {
    await this.serving.end('SIGKILL');
    await this.proxy.close();
    await this.installation.remove();
  }
}
