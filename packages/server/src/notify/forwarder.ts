import type { ServiceContext } from '../service/context.ts';
import type { Subscription } from '../service/webhooks/manage-webhook.ts';
import { AttemptSender } from './attempt-sender.ts';
import { createRealClock } from './clock.ts';
import { Dispatcher } from './dispatcher.ts';
import { createHttpSender } from './http-sender.ts';
import { type DeliveryOutcome, type ReceiverAnswer, toDeliveryOutcome } from './outcome.ts';
import { AttemptSlots } from './slots.ts';

/** An attempt to forward a delivery. */
export interface ForwardedAttempt {
  readonly deliveryId: string;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  readonly answer: ReceiverAnswer;
  readonly outcome: DeliveryOutcome['kind'];
}

interface ForwarderOptions {
  readonly context: ServiceContext;
  readonly subscription: Subscription;
  /** The address that all deliveries are sent to, even if the subscription has another one. */
  readonly forward: URL;
  readonly onAttempt: (attempt: ForwardedAttempt) => void;
  readonly onError: (activity: string, error: unknown) => void;
}

interface DeliveryForwarder {
  start(): void;
  /** Waits a limited time for running attempts. */
  stop(): Promise<void>;
}

/** One delivery at a time, so that a receiver under development gets them in order. */
const SLOTS = {
  subscription: 1,
  hostQuick: 1,
  hostSlow: 2,
  userQuick: 1,
  userSlow: 2,
  processQuick: 1,
  processSlow: 2,
};

/**
 * Creates a forwarder, which sends the deliveries of one subscription from this process. It builds, signs and repeats
 * them by the service's rules. The address may be one that the service itself must not reach.
 */
export function createForwarder({
  context,
  subscription,
  forward,
  onAttempt,
  onError,
}: ForwarderOptions): DeliveryForwarder {
  const { config, database, documents, secrets } = context;
  const { notifications: settings } = config;
  const clock = createRealClock(context.clock);
  const receiver = createHttpSender({ clock, allowsHost: (host) => host === forward.hostname });
  const attempts = new AttemptSender({
    database,
    documents,
    secrets,
    clock,
    limits: settings,
    messengerBaseUrl: settings.messengerBaseUrl,
    publicUrl: () => config.publicUrl,
    receivers: receiver,
    messenger: receiver,
  });
  const forwarding: Pick<AttemptSender, 'sendAttempt'> = {
    sendAttempt: async (attempt, signal) => {
      const target = { ...attempt.subscription, channel: 'http', url: forward.href } as const;
      const answer = await attempts.sendAttempt({ ...attempt, subscription: target }, signal);
      const outcome = toDeliveryOutcome(answer, clock.now()).kind;
      onAttempt({ deliveryId: attempt.deliveryId, attempt: attempt.attempt, answer, outcome });
      return answer;
    },
  };
  const dispatcher = new Dispatcher({
    database,
    clock,
    attempts: forwarding,
    slots: new AttemptSlots(SLOTS),
    settings,
    only: {
      id: subscription.id,
      document: subscription.document_id,
      host: forward.host,
      user: subscription.user_id,
    },
    onError,
    onAttempt: () => {},
  });
  return {
    start: () => dispatcher.start(),
    stop: async () => {
      await dispatcher.stop();
      receiver.close();
    },
  };
}
