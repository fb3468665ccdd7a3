import type { Database } from '@cellwire/store';
import {
  deleteFinishedDeliveries,
  deleteUnusedNotifications,
  expiredListeners,
  finishedDeliveries,
} from '@cellwire/store/webhooks';
import { createClockTrust } from '../documents/clock-trust.ts';
import { Lease } from '../documents/lease.ts';
import {
  DELIVERY_DELETE_ROWS,
  DELIVERY_DELETE_STEPS,
  DELIVERY_RETENTION_INTERVAL_MS,
  DELIVERY_RETENTION_LOST_MS,
  DELIVERY_RETENTION_MS,
} from '../limits/notify.ts';
import { buildListenerDeletion } from '../service/webhooks/listen.ts';
import type { CancelTimer, Clock } from './clock.ts';

const LEASE = 'retention of deliveries';

interface RetentionEnvironment {
  readonly database: Database;
  readonly clock: Clock;
  readonly onError: (activity: string, error: unknown) => void;
}

/**
 * Deletes deliveries whose retention time is over. One process deletes them for all processes, in transactions of a few
 * rows.
 */
export class DeliveryRetention {
  private readonly environment: RetentionEnvironment;
  private cancel: CancelTimer | null = null;
  private running: Promise<void> = Promise.resolve();
  private stopped = false;
  private readonly isClockTrusted: () => boolean;
  private readonly lease: Lease;

  constructor(environment: RetentionEnvironment) {
    this.environment = environment;
    const { database, clock } = environment;
    this.isClockTrusted = createClockTrust(clock.now, clock.steady);
    this.lease = new Lease(database, LEASE, DELIVERY_RETENTION_LOST_MS, clock.steady);
  }

  start(): void {
    this.running = this.deleteExpired()
      .catch((error: unknown) => this.environment.onError('clearing old deliveries', error))
      .finally(() => {
        if (this.stopped) return;
        this.cancel = this.environment.clock.after(DELIVERY_RETENTION_INTERVAL_MS, () => this.start());
      });
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.cancel?.();
    await this.running;
    await this.lease.release().catch((error: unknown) => this.environment.onError('clearing old deliveries', error));
  }

  /** Deletes deliveries past their retention time and subscriptions of ended listeners. */
  private async deleteExpired(): Promise<void> {
    if (!this.isClockTrusted()) return;
    await this.deleteLapsedListeners();
    if (!(await this.lease.acquire())) return;
    const { database, clock } = this.environment;
    const before = clock.now() - DELIVERY_RETENTION_MS;
    const limit = DELIVERY_DELETE_ROWS;
    for (let step = 0; step < DELIVERY_DELETE_STEPS && !this.stopped; step++) {
      const finished = await database.read(finishedDeliveries({ before, limit }));
      if (finished.length === 0) return;
      for (const id of new Set(finished.map(({ document_id }) => document_id)))
        await this.deleteOldDeliveries(id, before);
    }
  }

  /** Deletes subscriptions, with their deliveries, of `webhook listen` processes that were killed. */
  private async deleteLapsedListeners(): Promise<void> {
    const { database, clock } = this.environment;
    const now = clock.now();
    for (const { document_id, id, damage } of await database.read(expiredListeners({ now }))) {
      // A damaged subscription may have another end, or none.
      if (damage.length > 0) continue;
      // A conflict: another process was faster.
      await database.write({ document: document_id, statements: buildListenerDeletion(document_id, id, now) });
    }
  }

  /** Deletes old deliveries of a document, and notifications that have no other deliveries. */
  private async deleteOldDeliveries(document_id: string, before: number): Promise<void> {
    const limit = DELIVERY_DELETE_ROWS;
    const statements = [
      deleteFinishedDeliveries({ document_id, before, limit }),
      deleteUnusedNotifications({ document_id, before, limit: limit }),
    ];
    for (let step = 0; step < DELIVERY_DELETE_STEPS && !this.stopped; step++) {
      const outcome = await this.environment.database.write({ document: document_id, statements });
      if (outcome.kind === 'conflict' || outcome.results[0]?.changes !== limit) return;
    }
  }
}
