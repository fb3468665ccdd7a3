import type { Database } from '@cellwire/store';
import type { SecretBox } from '@cellwire/store/keys';
import type { Registry } from 'prom-client';
import type { Config } from '../config/types.ts';
import type { CommitSignal } from '../documents/commit-signal.ts';
import type { Documents } from '../documents/types.ts';
import {
  HOST_QUICK_SLOTS,
  HOST_SLOW_SLOTS,
  PROCESS_QUICK_SLOTS,
  PROCESS_SLOW_SLOTS,
  SUBSCRIPTION_SLOTS,
  USER_QUICK_SLOTS,
  USER_SLOW_SLOTS,
} from '../limits/notify.ts';
import { PublishedStates } from '../service/changes/published-states.ts';
import { createNetworks } from '../service/networks.ts';
import { AttemptSender } from './attempt-sender.ts';
import { createRealClock } from './clock.ts';
import { Dispatcher } from './dispatcher.ts';
import { Grouper } from './grouper.ts';
import { createHttpSender } from './http-sender.ts';
import { createGuardedLookup } from './lookup.ts';
import { createNotifyMetrics, type DeliveryLog, type DeliveryQueueMetrics, readQueueMetrics } from './metrics.ts';
import { DeliveryRetention } from './retention.ts';
import { AttemptSlots } from './slots.ts';

interface NotifierOptions {
  readonly config: Config;
  readonly database: Database;
  readonly documents: Documents;
  readonly commits: CommitSignal;
  readonly secrets: SecretBox;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly now: () => number;
  readonly registry: Registry;
  readonly logger: DeliveryLog;
  readonly onError: (activity: string, error: unknown) => void;
}

/** Groups changes into notifications, delivers them, and deletes old deliveries. */
export interface Notifier {
  /** `publicUrl`: base address of links, without a trailing slash. */
  start(publicUrl: string | null): void;
  collectMetrics(): Promise<DeliveryQueueMetrics>;
  /** See `Grouper.computeOldestChangeMs`. */
  computeOldestChangeMs(): number;
  /** Waits a limited time for running attempts. Unfinished ones are repeated after the next start. */
  stop(): Promise<void>;
}

const SLOTS = {
  subscription: SUBSCRIPTION_SLOTS,
  hostQuick: HOST_QUICK_SLOTS,
  hostSlow: HOST_SLOW_SLOTS,
  userQuick: USER_QUICK_SLOTS,
  userSlow: USER_SLOW_SLOTS,
  processQuick: PROCESS_QUICK_SLOTS,
  processSlow: PROCESS_SLOW_SLOTS,
};

export function createNotifier(options: NotifierOptions): Notifier {
  const { database, documents, commits, secrets, onError, registry, logger } = options;
  const { notifications: settings } = options.config;
  const clock = createRealClock(options.now);
  const networks = createNetworks(settings.allowPrivateNetworks);
  const receivers = createHttpSender({ clock, lookup: createGuardedLookup(networks), allowsHost: networks.allowsHost });
  const messenger = createHttpSender({ clock, allowsHost: () => true });
  const slots = new AttemptSlots(SLOTS);
  const metrics = createNotifyMetrics(registry, logger);
  let publicUrl: string | null = null;
  const attempts = new AttemptSender({
    database,
    documents,
    secrets,
    clock,
    limits: settings,
    messengerBaseUrl: settings.messengerBaseUrl,
    publicUrl: () => publicUrl,
    receivers,
    messenger,
  });
  const { onAttempt, onFinal } = metrics;
  const dispatcher = new Dispatcher({ database, clock, attempts, slots, settings, onError, onAttempt, onFinal });
  const grouper = new Grouper({
    database,
    documents,
    commits,
    clock,
    settings,
    maxCells: settings.maxCells,
    maxBytes: settings.maxBytes,
    publishedStates: new PublishedStates(),
    onError,
    onDeliveries: (subscriptions) => dispatcher.wakeSubscriptions(subscriptions),
  });
  const retention = new DeliveryRetention({ database, clock, onError });
  return {
    start: (address) => {
      publicUrl = address;
      grouper.start();
      dispatcher.start();
      retention.start();
    },
    collectMetrics: () => readQueueMetrics(database, clock, slots.inUse),
    computeOldestChangeMs: () => grouper.computeOldestChangeMs(),
    stop: async () => {
      await grouper.stop();
      await dispatcher.stop();
      await retention.stop();
      receivers.close();
      messenger.close();
    },
  };
}
