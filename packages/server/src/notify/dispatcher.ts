import { randomInt, randomUUID } from 'node:crypto';
import { DamagedRowError, type Database, type Statement } from '@cellwire/store';
import { parseStoredList } from '@cellwire/store/stored-forms';
import {
  cancelWaitingDeliveries,
  claimedDeliveries,
  deactivateSubscription,
  dueSubscriptions,
  type InactiveReason,
  nextDue,
  restartWaits,
  type StoredAttempt,
  subscriptionById,
  waitsSetInFuture,
} from '@cellwire/store/webhooks';
import {
  CLAIM_MARGIN_MS,
  CLOCK_TOLERANCE_MS,
  DELIVERY_SHUTDOWN_MS,
  DUE_POLL_MS,
  DUE_POLL_SHARE,
  MAX_ANSWER_HEAD_LENGTH,
  MAX_DUE_POLL_PAUSE_MS,
  MAX_DUE_SUBSCRIPTIONS,
  MAX_LOGGED_ATTEMPTS,
  MAX_RESTARTED_WAITS,
  MAX_TRACKED_FAILING,
  SLOW_ATTEMPT_MS,
} from '../limits/notify.ts';
import { canDeliver, type Subscription } from '../service/webhooks/manage-webhook.ts';
import { readCreatorRights } from '../service/webhooks/subscription-rights.ts';
import type { AttemptSender, DeliveryAttempt } from './attempt-sender.ts';
import { ClaimWatch } from './claim-watch.ts';
import type { CancelTimer, Clock } from './clock.ts';
import { buildStateChangeStatement, toDelivery } from './delivery-row.ts';
import { type Delivery, type DeliveryEvent, type RetrySettings, reduceDelivery } from './delivery-state.ts';
import type { EndedDelivery } from './metrics.ts';
import { type DeliveryOutcome, type ReceiverAnswer, toDeliveryOutcome } from './outcome.ts';
import { ReadyQueue, type ReadySubscription } from './ready-queue.ts';
import type { AttemptSlot, AttemptSlots } from './slots.ts';
import { Stopwatch } from './stopwatch.ts';

interface DispatcherEnvironment {
  readonly database: Database;
  readonly clock: Clock;
  readonly attempts: Pick<AttemptSender, 'sendAttempt'>;
  readonly slots: AttemptSlots;
  readonly settings: RetrySettings & { readonly timeoutMs: number };
  readonly onError: (activity: string, error: unknown) => void;
  readonly onAttempt: (channel: 'http' | 'messenger', outcome: DeliveryOutcome['kind'], ms: number) => void;
  /** Called for each delivery that has ended, after this is stored. */
  readonly onFinal?: (ended: EndedDelivery) => void;
  /**
   * The only subscription whose deliveries are sent; absent: all, except the deliveries of `webhook listen` processes.
   */
  readonly only?: ReadySubscription & { readonly id: number };
}

/** A subscription with a new delivery. */
export interface DueSubscription {
  readonly id: number;
  readonly document: string;
  readonly channel: 'http' | 'messenger';
  /** Address of the receiver; null for the messenger. */
  readonly url: string | null;
  /** The user who created the subscription. */
  readonly user: number;
}

/** A delivery that this process has claimed. */
interface ClaimedDelivery {
  readonly delivery: Delivery & { readonly state: 'sending' };
  readonly attempt: DeliveryAttempt;
  /** The stored log of attempts, as JSON. */
  readonly log: string;
  /** Whether no other delivery of the subscription is due. */
  readonly isLast: boolean;
}

type ClaimResult = ClaimedDelivery | 'none' | 'elsewhere';

/** Sends due deliveries while slots are free, in the order of creation for each subscription. */
export class Dispatcher {
  private readonly environment: DispatcherEnvironment;
  private readonly ready = new ReadyQueue();
  /** Subscriptions whose next delivery is being claimed. */
  private readonly claiming = new Set<number>();
  /** Subscriptions in `claiming` that got a new delivery after the claim began. */
  private readonly wokenWhileClaiming = new Set<number>();
  private readonly failing = new Set<number>();
  private readonly running = new Set<Promise<void>>();
  private readonly abort = new AbortController();
  /** Claims of this process with a running attempt. */
  private readonly ownClaims = new Set<string>();
  private readonly watch: ClaimWatch;
  private cancelPoll: CancelTimer | null = null;
  private polling: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(environment: DispatcherEnvironment) {
    this.environment = environment;
    this.watch = new ClaimWatch(environment.settings.timeoutMs + CLAIM_MARGIN_MS);
  }

  start(): void {
    this.pollLater();
  }

  /** Serves subscriptions that have just got a delivery, without polling for other due deliveries. */
  wakeSubscriptions(subscriptions: readonly DueSubscription[]): void {
    if (this.stopped) return;
    for (const { id, document, channel, url, user } of subscriptions) {
      if (this.claiming.has(id)) this.wokenWhileClaiming.add(id);
      this.markSubscriptionReady(id, { document, host: findReceiverHost(channel, url), user });
    }
    this.serveReadySubscriptions();
  }

  /**
   * Polls for due deliveries, then pauses. The pause is a multiple of the time that this thread worked on the poll, so
   * that polling takes only a small share of the thread. Waiting for the database does not count. The pause is bounded.
   */
  private pollLater(): void {
    const { clock } = this.environment;
    const work = new Stopwatch(clock);
    this.polling = this.pollDueDeliveries(work)
      .catch((error: unknown) => this.environment.onError('looking for due deliveries', error))
      .finally(() => {
        if (this.stopped) return;
        const pause = Math.min(work.elapsedMs * DUE_POLL_SHARE, MAX_DUE_POLL_PAUSE_MS);
        this.cancelPoll = clock.after(Math.max(pause, DUE_POLL_MS), () => this.pollLater());
      });
  }

  /** Starts no more attempts. Waits a limited time for running ones, then aborts them and releases their claims. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.cancelPoll?.();
    await this.polling;
    const cancel = this.environment.clock.after(DELIVERY_SHUTDOWN_MS, () => this.abort.abort());
    while (this.running.size > 0) await Promise.all(this.running);
    cancel();
  }

  /** Polls for all due deliveries. */
  private async pollDueDeliveries(work: Stopwatch): Promise<void> {
    const { database, clock, only } = this.environment;
    if (only !== undefined) {
      this.markSubscriptionReady(only.id, only);
      return this.serveReadySubscriptions();
    }
    await this.restartWaits(work);
    await this.releaseExpiredClaims(work);
    const now = clock.now();
    for (let after = -1, full = true; full; ) {
      const query = dueSubscriptions({ now, after, limit: MAX_DUE_SUBSCRIPTIONS });
      const rows = await work.measure(() => database.read(query));
      work.measure(() => {
        for (const { webhook_id: id, document_id: document, channel, url, user_id: user } of rows) {
          this.markSubscriptionReady(id, { document, host: findReceiverHost(channel, url), user });
        }
      });
      after = rows.at(-1)?.webhook_id ?? after;
      full = rows.length === MAX_DUE_SUBSCRIPTIONS;
    }
    this.serveReadySubscriptions();
  }

  /** Restarts waits that began in the future of this clock. This clock, or the clock that started them, was wrong. */
  private async restartWaits(work: Stopwatch): Promise<void> {
    const { database, clock } = this.environment;
    const now = clock.now();
    const later = now + CLOCK_TOLERANCE_MS;
    const query = waitsSetInFuture({ now: later, limit: MAX_RESTARTED_WAITS });
    const waits = await work.measure(() => database.read(query));
    for (const document_id of new Set(waits.map((wait) => wait.document_id))) {
      await database.write({ document: document_id, statements: [restartWaits({ document_id, now, later })] });
    }
  }

  /** Releases claims that have been held longer than an attempt can take, because their senders have died. */
  private async releaseExpiredClaims(work: Stopwatch): Promise<void> {
    const { database, clock, settings } = this.environment;
    const claimed = await work.measure(() => database.read(claimedDeliveries({})));
    const others = claimed.filter(({ claim }) => !this.ownClaims.has(claim ?? ''));
    for (const row of this.watch.findExpiredClaims(others, clock.steady())) {
      const delivery = toDelivery(row);
      const free = reduceDelivery(delivery, { kind: 'lapse', claim: row.claim ?? '' }, clock.now(), settings);
      if (free === null) continue;
      // A conflict means that the sender, or another process, was faster.
      const place = { document: row.document_id, id: row.id };
      await database.write({
        document: place.document,
        statements: [buildStateChangeStatement(place, delivery, free, row.log)],
      });
    }
  }

  private markSubscriptionReady(id: number, target: ReadySubscription): void {
    if (!this.ready.has(id)) this.ready.putLast(id, target, this.failing.has(id));
  }

  private serveReadySubscriptions(): void {
    if (this.stopped) return;
    const { slots } = this.environment;
    for (const { receiver, isFailing, targets } of [...this.ready.groups]) {
      // Served subscriptions move to the end of the map during the loop. `left` makes sure that each is visited once.
      let left = targets.size;
      for (const [id, target] of targets) {
        if (left-- === 0 || !slots.hasFreeSlot(receiver, isFailing)) break;
        if (this.claiming.has(id)) continue;
        const slot = slots.takeSlot(id, receiver, isFailing);
        if (slot === null) continue;
        // Moves the subscription behind all others of its group.
        this.ready.putLast(id, target, isFailing);
        this.runAttemptInSlot(id, target, slot);
      }
    }
  }

  private runAttemptInSlot(id: number, target: ReadySubscription, slot: AttemptSlot): void {
    this.claiming.add(id);
    const cancel = this.environment.clock.after(SLOW_ATTEMPT_MS, () => {
      slot.moveToSlowSlot();
      this.serveReadySubscriptions();
    });
    const work = this.serveSubscription(id, target)
      .catch((error: unknown) => this.environment.onError('a delivery', error))
      .finally(() => {
        cancel();
        slot.release();
        this.claiming.delete(id);
        this.running.delete(work);
        this.serveReadySubscriptions();
      });
    this.running.add(work);
  }

  /** Claims and sends the next due delivery of a subscription that has a slot. */
  private async serveSubscription(id: number, target: ReadySubscription): Promise<void> {
    const { document } = target;
    const name = randomUUID();
    this.ownClaims.add(name);
    try {
      const claim = await this.claimNextDelivery(id, document, name).finally(() => this.claiming.delete(id));
      const isWoken = this.wokenWhileClaiming.delete(id);
      const isLast = claim === 'none' || (claim !== 'elsewhere' && claim.isLast);
      if (isLast && !isWoken) this.ready.deleteSubscription(id);
      if (claim === 'none' || claim === 'elsewhere') return;
      // The subscription may send a second delivery at the same time.
      this.serveReadySubscriptions();
      await this.performAttempt(claim, target);
    } finally {
      this.ownClaims.delete(name);
    }
  }

  private async claimNextDelivery(id: number, document: string, claim: string): Promise<ClaimResult> {
    const { database, clock, settings } = this.environment;
    const now = clock.now();
    const [row, later] = await database.read(nextDue({ document_id: document, webhook_id: id, now }));
    if (row === undefined) return 'none';
    const stored = await database.readOne(subscriptionById({ document_id: document, id }));
    const subscription = await this.findActiveSubscription(stored, document, id, now);
    if (subscription === null) return 'none';
    const delivery = toDelivery(row);
    const claimed = reduceDelivery(delivery, { kind: 'claim', claim: claim }, now, settings);
    if (claimed?.state !== 'sending') return 'none';
    const startBy = clock.steady() + CLAIM_MARGIN_MS;
    const move = buildStateChangeStatement({ document, id: row.id }, delivery, claimed, row.log);
    const outcome = await database.write({ document, statements: [move] });
    if (outcome.kind === 'conflict') return 'elsewhere';
    const attempt: DeliveryAttempt = {
      subscription: subscription.row,
      deliveryId: row.id,
      notificationId: row.notification_id,
      attempt: row.attempts + 1,
      hidden: new Set([
        ...subscription.hidden,
        ...parseStoredList<number>(row.hidden, 'The hidden sheets of a delivery'),
      ]),
      startBy,
    };
    return { delivery: claimed, attempt, log: row.log, isLast: later === undefined };
  }

  /** The subscription with its creator's rights. Null: it is inactive or damaged; waiting deliveries are cancelled. */
  private async findActiveSubscription(row: Subscription | null, document: string, id: number, now: number) {
    const { database, onError } = this.environment;
    for (const damage of row?.damage ?? []) onError('a delivery', new DamagedRowError(damage));
    const rights = row !== null && canDeliver(row) ? await readCreatorRights(database, row, now) : null;
    if (row !== null && rights?.kind === 'allowed') return { row, hidden: rights.hiddenSheets };
    const statements =
      rights?.kind === 'lost'
        ? this.buildEndStatements(document, id, rights.reason, now)
        : [cancelWaitingDeliveries({ document_id: document, webhook_id: id, now })];
    await database.write({ document, statements });
    return null;
  }

  /** The statements that deactivate a subscription and cancel its waiting deliveries. */
  private buildEndStatements(document: string, id: number, reason: InactiveReason, now: number): readonly Statement[] {
    return [
      deactivateSubscription({ document_id: document, id, reason }),
      cancelWaitingDeliveries({ document_id: document, webhook_id: id, now }),
    ];
  }

  private async performAttempt({ delivery, attempt, log }: ClaimedDelivery, target: ReadySubscription): Promise<void> {
    const { clock, attempts, database, settings, onAttempt, onFinal } = this.environment;
    const { subscription, deliveryId } = attempt;
    const { document_id: document, id } = subscription;
    const [startedAt, startedSteady] = [clock.now(), clock.steady()];
    const answer = await attempts.sendAttempt(attempt, this.abort.signal);
    const [now, took] = [clock.now(), Math.round(clock.steady() - startedSteady)];
    const outcome = toDeliveryOutcome(answer, now);
    const next = reduceDelivery(delivery, toDeliveryEvent(outcome, delivery.claim), now, settings);
    if (next === null) return;
    this.recordOutcome(id, outcome, target);
    onAttempt(subscription.channel, outcome.kind, took);
    const newLog =
      outcome.kind === 'unknown' ? log : appendAttempt(log, attempt.attempt, startedAt, took, answer, outcome);
    const isGone = outcome.kind === 'refused' && outcome.gone;
    const statements = [
      buildStateChangeStatement({ document, id: deliveryId }, delivery, next, newLog),
      ...(isGone ? this.buildEndStatements(document, id, 'gone', now) : []),
    ];
    // A conflict means that the claim has expired and another process has taken over. The outcome of that process
    // counts.
    const committed = await database.write({ document, statements });
    if (committed.kind === 'conflict') return;
    const { state } = next;
    if (state !== 'delivered' && state !== 'refused' && state !== 'exhausted') return;
    onFinal?.({
      channel: subscription.channel,
      state,
      document,
      webhook: id,
      delivery: deliveryId,
      attempts: next.attempts,
      reason: answer.kind === 'status' ? `status ${answer.status}` : answer.kind === 'aborted' ? '' : answer.error,
    });
  }

  /** Records whether the attempt failed. This decides for which slots the subscription's next attempt competes. */
  private recordOutcome(id: number, outcome: DeliveryOutcome, target: ReadySubscription): void {
    const isFailing = outcome.kind === 'retry';
    this.failing.delete(id);
    if (isFailing) this.failing.add(id);
    if (this.failing.size > MAX_TRACKED_FAILING) this.failing.delete(this.failing.values().next().value as number);
    if (this.ready.has(id)) this.ready.putLast(id, target, isFailing);
  }
}

/** The host that attempts are counted by: of the URL, or `messenger`. */
function findReceiverHost(channel: 'http' | 'messenger' | null, url: string | null): string {
  if (channel === 'messenger') return 'messenger';
  return URL.parse(url ?? '')?.host ?? '';
}

const CHANCE_STEPS = 2 ** 32;

function toDeliveryEvent(outcome: DeliveryOutcome, claim: string): DeliveryEvent {
  switch (outcome.kind) {
    case 'delivered':
      return { kind: 'succeed', claim };
    case 'retry':
      return { kind: 'fail', claim, retryAfterMs: outcome.afterMs, chance: randomInt(CHANCE_STEPS) / CHANCE_STEPS };
    case 'refused':
      return { kind: 'refuse', claim };
    case 'unknown':
      return { kind: 'lapse', claim };
  }
}

/** The JSON log of the newest attempts with this one. `begun` is in milliseconds since 1970, `took` in milliseconds. */
function appendAttempt(
  log: string,
  attempt: number,
  begun: number,
  took: number,
  answer: ReceiverAnswer,
  { kind }: Exclude<DeliveryOutcome, { kind: 'unknown' }>,
): string {
  const entry: StoredAttempt = {
    attempt,
    at: begun,
    ms: took,
    outcome: kind,
    status: answer.kind === 'status' ? answer.status : null,
    error: answer.kind === 'failed' || answer.kind === 'blocked' ? answer.error : null,
    head: answer.kind === 'status' ? answer.text.slice(0, MAX_ANSWER_HEAD_LENGTH) : '',
  };
  return JSON.stringify(
    [...parseStoredList<StoredAttempt>(log, 'The attempts of a delivery'), entry].slice(-MAX_LOGGED_ATTEMPTS),
  );
}
