import type { Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { IDLE_SWEEP_MS } from '../../limits/http.ts';

/**
 * The time between the request to stop and the stop. The service still answers all requests, but `/readyz` is 503, so
 * that load balancers send new requests elsewhere. Each answer closes its connection, so that the stop does not cut off
 * requests on connections that a balancer keeps open.
 */
export class Drain {
  private readonly server: Server;
  private readonly onStart: () => void;
  private connections = 0;
  /** Monotonic clock, in milliseconds. */
  private lastConnectedAt = Number.NEGATIVE_INFINITY;
  private on = false;
  private isCutShort = false;

  /** `onStart`: called when the drain starts. */
  constructor(server: Server, onStart: () => void) {
    this.server = server;
    this.onStart = onStart;
    server.on('connection', (socket) => {
      this.connections++;
      this.lastConnectedAt = performance.now();
      socket.once('close', () => {
        this.connections--;
        this.lastConnectedAt = performance.now();
      });
    });
  }

  get isOn(): boolean {
    return this.on;
  }

  /** Resolves after `ms`, or earlier if no connection was open for that long, or after `endWaitEarly`. */
  async runDrain(ms: number): Promise<void> {
    this.on = true;
    this.onStart();
    // This listener runs before the listener that answers the request.
    this.server.prependListener('request', (_request, response) => {
      response.shouldKeepAlive = false;
    });
    const end = performance.now() + ms;
    while (performance.now() < end && !this.isCutShort && this.isInUse(ms)) await delay(IDLE_SWEEP_MS);
  }

  /** Lets the shutdown close connections without waiting any longer. */
  endWaitEarly(): void {
    this.isCutShort = true;
  }

  /** True if a client is connected or was connected within the given time. */
  private isInUse(withinMs: number): boolean {
    return this.connections > 0 || performance.now() - this.lastConnectedAt < withinMs;
  }
}
