import { randomUUID } from 'node:crypto';
import type { Query } from '@cellwire/store';
import { formatStructure, parseStoredList } from '@cellwire/store/stored-forms';
import {
  type ChangedSheet,
  countedDeliveryTotal,
  deliveryById,
  deliveryPage,
  documentTitleAndWorkspace,
  insertDelivery,
  insertNotification,
  type StoredAttempt,
  type StoredAuthor,
  storedDeliveryTotal,
} from '@cellwire/store/webhooks';
import type { DocumentAccess } from '../access/access.ts';
import { describeToken } from '../access/callers.ts';
import { DEFAULT_DELIVERY_PAGE, MAX_DELIVERY_PAGE } from '../limits/notify.ts';
import type { ServiceContext } from '../service/context.ts';
import { toAuditOrigin } from '../service/history/audit-log.ts';
import { parseIsoMoment } from '../service/iso-time.ts';
import type { PlannedChange } from '../service/planned-change.ts';
import { DELIVERY_NOT_FOUND, invalidRequest, isRefusal, type Refusal, WEBHOOK_NOT_FOUND } from '../service/refusal.ts';
import { canDeliver, type Subscription } from '../service/webhooks/manage-webhook.ts';
import { buildSubscriptionAudit } from '../service/webhooks/webhooks.ts';
import { buildStateChangeStatement, toDelivery, toStateColumns } from './delivery-row.ts';
import { type DeliveryStateName, reduceDelivery } from './delivery-state.ts';

/** A delivery as the API shows it. Times are ISO 8601. */
export interface DeliveryView {
  readonly deliveryId: string;
  readonly webhook: number;
  readonly test: boolean;
  readonly state: DeliveryStateName;
  readonly source: 'api' | 'browser';
  readonly sourceToken: string | null;
  /** Id of the last request that it covers; null: there was none, or an older version did not store it. */
  readonly requestId: string | null;
  readonly revision: { readonly from: number; readonly to: number };
  readonly cellCount: number;
  readonly createdAt: string;
  /** Null: the delivery has not ended. */
  readonly finishedAt: string | null;
  /** Null: no other attempt is planned. */
  readonly nextAttemptAt: string | null;
  /** The most recent attempts, the newest last. */
  readonly attempts: readonly AttemptView[];
}

interface AttemptView {
  readonly attempt: number;
  readonly startedAt: string;
  readonly durationMs: number;
  readonly outcome: StoredAttempt['outcome'];
  /** HTTP status of the receiver's answer; null: there was none. */
  readonly status: number | null;
  readonly error: string | null;
  /** The beginning of the receiver's answer. */
  readonly response: string;
}

interface DeliveryList {
  readonly entries: readonly DeliveryView[];
  readonly total: number;
  readonly offset: number;
  readonly limit: number;
}

/** Filter and page of a list of deliveries. Times are ISO 8601. */
export interface DeliveryQuery {
  readonly state?: DeliveryStateName | undefined;
  /** Deliveries created at this time or later, and before `until`. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /** Deliveries of notifications that cover this revision. */
  readonly revision?: number | undefined;
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
}

/** Lists the deliveries of a subscription, newest first. */
export async function listDeliveries(
  { database }: Pick<ServiceContext, 'database'>,
  { document_id: document, id: webhook }: Subscription,
  request: DeliveryQuery,
): Promise<DeliveryList | Refusal> {
  const { state = null, revision = null, offset = 0 } = request;
  const limit = Math.min(request.limit ?? DEFAULT_DELIVERY_PAGE, MAX_DELIVERY_PAGE);
  const since = parseTime('since', request.since);
  if (isRefusal(since)) return since;
  const until = parseTime('until', request.until);
  if (isRefusal(until)) return until;
  const filter = { document, webhook, state, since, until, revision };
  const isCounted = since !== null || until !== null || revision !== null;
  const [totals] = await database.readInBackground([
    isCounted ? countedDeliveryTotal(filter) : storedDeliveryTotal(filter),
  ]);
  const total = totals[0]?.total ?? 0;
  const [rows] = await database.readInBackground([deliveryPage(filter, total, offset, limit)]);
  return { entries: rows.map(toDeliveryView), total, offset, limit };
}

/**
 * Plans to send a delivery again under the same id. A delivery that waits for its next attempt becomes due immediately.
 */
export async function planRedelivery(
  { database, clock, config }: Pick<ServiceContext, 'database' | 'clock' | 'config'>,
  subscription: Subscription,
  deliveryId: string,
  access: DocumentAccess | null,
): Promise<PlannedChange<DeliveryView> | Refusal> {
  if (!canDeliver(subscription)) return NOT_ACTIVE;
  const { document_id: document } = subscription;
  const row = await database.readOne(deliveryById({ document_id: document, id: deliveryId }));
  if (row === null || row.webhook_id !== subscription.id) return DELIVERY_NOT_FOUND;
  const delivery = toDelivery(row);
  const at = clock();
  const next = reduceDelivery(delivery, { kind: 'redeliver' }, at, config.notifications);
  if (next === null) return { document, statements: [], result: toDeliveryView(row) };
  const move = buildStateChangeStatement({ document, id: deliveryId }, delivery, next, row.log);
  return {
    document,
    statements: [move, ...buildSubscriptionAudit(access, 'webhook.redeliver', subscription, at)],
    result: toDeliveryView({ ...row, ...toStateColumns(next) }),
  };
}

/** The number of a delivery's subscription, for addresses that do not name it. */
export async function findSubscription(
  { database }: Pick<ServiceContext, 'database'>,
  document: string,
  deliveryId: string,
): Promise<number | Refusal> {
  const row = await database.readOne(deliveryById({ document_id: document, id: deliveryId }));
  return row?.webhook_id ?? DELIVERY_NOT_FOUND;
}

/** Plans to send a notification without cells, marked `test`, like any other notification. */
export async function planTestDelivery(
  { database, clock }: Pick<ServiceContext, 'database' | 'clock'>,
  subscription: Subscription,
  access: DocumentAccess | null,
): Promise<PlannedChange<DeliveryView> | Refusal> {
  if (!canDeliver(subscription)) return NOT_ACTIVE;
  const { document_id, id: webhook_id } = subscription;
  const now = clock();
  const place = await database.readOne(documentTitleAndWorkspace({ id: document_id }));
  if (place === null) return WEBHOOK_NOT_FOUND;
  const token = access === null ? NO_TOKEN : describeToken(access.caller);
  const authors: StoredAuthor[] = access === null ? [] : [{ id: access.caller.userId, name: access.caller.userName }];
  const notification = {
    records: null,
    document_id,
    id: randomUUID(),
    kind: 'test',
    token_id: token.id,
    token_name: token.name,
    request_id: access?.caller.requestId ?? null,
    origin: access !== null && toAuditOrigin(access.caller) === 'browser' ? 'browser' : 'api',
    from_revision: place.revision,
    to_revision: place.revision,
    changed_at: now,
    authors: JSON.stringify(authors),
    sheets: '[]',
    structure: formatStructure([]),
    created_at: now,
  } as const;
  const id = randomUUID();
  const delivery = { document_id, id, webhook_id, notification_id: notification.id, hidden: '[]', created_at: now };
  const waiting = { state: 'waiting', next_at: now, finished_at: null, log: '[]' } as const;
  return {
    document: document_id,
    statements: [
      insertNotification(notification),
      insertDelivery(delivery),
      ...buildSubscriptionAudit(access, 'webhook.test', subscription, now),
    ],
    result: toDeliveryView({ ...notification, ...delivery, ...waiting }),
  };
}

/** The token of an operator's test. */
const NO_TOKEN = { id: null, name: null };

const NOT_ACTIVE = invalidRequest('webhook', 'The subscription is not active');

type DeliveryRow = ReturnType<typeof deliveryById> extends Query<infer R> ? R : never;
type DeliveryViewColumn =
  | ('id' | 'webhook_id' | 'kind' | 'state' | 'origin' | 'token_name' | 'request_id' | 'from_revision' | 'to_revision')
  | ('sheets' | 'hidden' | 'created_at' | 'finished_at' | 'next_at' | 'log');

function toDeliveryView(row: Pick<DeliveryRow, DeliveryViewColumn>): DeliveryView {
  const hidden = new Set(parseStoredList<number>(row.hidden, 'The hidden sheets of a delivery'));
  const sheets = parseStoredList<ChangedSheet>(row.sheets, 'The sheets of a notification').filter(
    ({ id }) => !hidden.has(id),
  );
  return {
    deliveryId: row.id,
    webhook: row.webhook_id,
    test: row.kind === 'test',
    state: row.state,
    source: row.origin === 'browser' ? 'browser' : 'api',
    sourceToken: row.token_name,
    requestId: row.request_id,
    revision: { from: row.from_revision, to: row.to_revision },
    cellCount: sheets.reduce((sum, { count }) => sum + count, 0),
    createdAt: formatTime(row.created_at),
    finishedAt: row.finished_at === null ? null : formatTime(row.finished_at),
    nextAttemptAt: row.state === 'waiting' && row.next_at !== null ? formatTime(row.next_at) : null,
    attempts: parseStoredList<StoredAttempt>(row.log, 'The attempts of a delivery').map((entry) => ({
      attempt: entry.attempt,
      startedAt: formatTime(entry.at),
      durationMs: entry.ms,
      outcome: entry.outcome,
      status: entry.status,
      error: entry.error,
      response: entry.head,
    })),
  };
}

/** An RFC 3339 time in milliseconds since 1970; null if absent. Refused for any other text. */
function parseTime(field: string, text: string | undefined): number | null | Refusal {
  if (text === undefined) return null;
  return parseIsoMoment(text) ?? invalidRequest(field, `${field} must be a time such as 2026-11-21T08:00:00Z`);
}

function formatTime(ms: number): string {
  return new Date(ms).toISOString();
}
