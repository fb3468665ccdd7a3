import type { RowDamage, Statement, WebhooksTable } from '@cellwire/store';
import type { SecretBox } from '@cellwire/store/keys';
import {
  activateSubscription,
  cancelWaitingDeliveries,
  replaceSecret,
  subscriptionById,
  updateSubscription,
  webhooksOf,
} from '@cellwire/store/webhooks';
import type { DocumentAccess } from '../../access/access.ts';
import { ROLE_FORBIDS } from '../../access/refusal.ts';
import { DEFAULT_SECRET_OVERLAP_S, MAX_OLD_SECRETS, MAX_SECRET_OVERLAP_S } from '../../limits/notify.ts';
import type { ServiceContext } from '../context.ts';
import { type ChangePlan, commitForOperator, type PlannedChange } from '../planned-change.ts';
import { invalidRequest, isRefusal, type Refusal, WEBHOOK_NOT_FOUND } from '../refusal.ts';
import { readCreatorRights } from './subscription-rights.ts';
import {
  buildSubscriptionAudit,
  canManageWebhook,
  checkReceiverUrl,
  generateSecret,
  toWebhookViews,
  type WebhookView,
} from './webhooks.ts';

/** A subscription's row; `id` is assigned by the database. */
export type Subscription = Omit<{ readonly [K in keyof WebhooksTable]: WebhooksTable[K] }, 'id'> & {
  readonly id: number;
  readonly damage: readonly RowDamage[];
};

/** True if a subscription sends deliveries. A subscription with a damaged row counts as inactive. */
export function canDeliver({ active, damage }: Pick<Subscription, 'active' | 'damage'>): boolean {
  return active === 1 && damage.length === 0;
}

interface WebhookChanges {
  readonly active?: boolean | undefined;
  readonly events?: readonly string[] | undefined;
  readonly url?: string | undefined;
}

const MS_PER_SECOND = 1_000;

/** A subscription of any user, by id; for the operator. */
export async function findSubscription(
  { database }: Pick<ServiceContext, 'database'>,
  document: string,
  id: number,
): Promise<Subscription | Refusal> {
  return (await database.readOne(subscriptionById({ document_id: document, id }))) ?? WEBHOOK_NOT_FOUND;
}

/** All subscriptions of a document, for the operator. */
export async function listSubscriptions(
  context: Pick<ServiceContext, 'database' | 'documents'>,
  document: string,
): Promise<readonly WebhookView[]> {
  return toWebhookViews(context, document, await context.database.read(webhooksOf({ document_id: document })));
}

/** Opens a subscription that the caller may change and whose deliveries the caller may see. */
export async function openSubscription(
  context: ServiceContext,
  access: DocumentAccess,
  id: number,
): Promise<Subscription | Refusal> {
  const found = await findSubscription(context, access.documentId, id);
  if (isRefusal(found)) return found;
  return canManageWebhook(access, found) ? found : ROLE_FORBIDS;
}

/** Commits an operator's change of a subscription. */
export function changeWebhookForOperator<Result>(
  context: ServiceContext,
  { document_id, id }: Subscription,
  plan: (row: Subscription) => ChangePlan<Result>,
): Promise<Result | Refusal> {
  return commitForOperator(context, async () => {
    const found = await findSubscription(context, document_id, id);
    return isRefusal(found) ? found : plan(found);
  });
}

/**
 * Plans a change of a subscription. After it is deactivated, nothing is sent, including pending deliveries. After it is
 * activated again, it receives changes from that time on.
 */
export async function planWebhookChange(
  context: ServiceContext,
  row: Subscription,
  changes: WebhookChanges,
  access: DocumentAccess | null,
): Promise<PlannedChange<WebhookView> | Refusal> {
  const { document_id: document } = row;
  const now = context.clock();
  const wrong = await checkWebhookChange(context, row, changes, now);
  if (wrong !== null) return wrong;
  const changed = toChangedColumns(row, changes);
  const changedRow = { ...row, ...changed, damage: findRemainingDamage(row, changes) };
  const changing = buildChangeStatements(row, changed, changes, now);
  const statements =
    changing.length === 0 ? [] : [...changing, ...buildSubscriptionAudit(access, 'webhook.update', changedRow, now)];
  const [view] = await toWebhookViews(context, document, [changedRow]);
  return view === undefined ? WEBHOOK_NOT_FOUND : { document, statements, result: view };
}

/**
 * Refuses an address that is not allowed, or an activation after the creator has lost access; null if the change is
 * allowed.
 */
async function checkWebhookChange(
  context: ServiceContext,
  row: Subscription,
  { active, url }: WebhookChanges,
  now: number,
): Promise<Refusal | null> {
  if (url !== undefined && row.channel !== 'http') {
    return invalidRequest('url', 'Only subscriptions of the channel http have a url');
  }
  const wrong = url === undefined ? null : checkReceiverUrl(context, url);
  if (wrong !== null || active !== true || row.active === 1) return wrong;
  const rights = await readCreatorRights(context.database, row, now);
  if (rights.kind === 'damaged') return invalidRequest('active', 'The account or token of the subscription is damaged');
  return rights.kind === 'lost' ? invalidRequest('active', LOST[rights.reason]) : null;
}

const LOST = {
  access: 'The subscription’s creator has no access to the document any more',
  token: 'The token that made the subscription has ended',
};

type ChangedColumns = Pick<Subscription, 'active' | 'inactive_reason' | 'events' | 'url'>;

/** The columns that a change sets, with their new values. */
function toChangedColumns(row: Subscription, { active, events, url }: WebhookChanges): ChangedColumns {
  const isActive = active ?? row.active === 1;
  const reason = isActive ? null : 'request';
  return {
    active: isActive ? 1 : 0,
    inactive_reason: isActive === (row.active === 1) ? row.inactive_reason : reason,
    events: events === undefined ? row.events : JSON.stringify([...new Set(events)]),
    url: url ?? row.url,
  };
}

/** The sums of the columns that each member of a change writes. */
const CHANGED_SUMS = { url: 'url_sum', events: 'events_sum', active: 'active_sum' } as const;

/** The damage that a change leaves. Damaged columns that it sets are stored again, with their sums. */
function findRemainingDamage({ damage }: Subscription, changes: WebhookChanges): readonly RowDamage[] {
  const written: readonly string[] = Object.entries(CHANGED_SUMS).flatMap(([member, sum]) =>
    changes[member as keyof WebhookChanges] === undefined ? [] : sum,
  );
  return damage.filter(({ sums }) => sums.some((sum) => !written.includes(sum)));
}

/** The statements of a change; empty if nothing changes. */
function buildChangeStatements(
  row: Subscription,
  changed: ChangedColumns,
  changes: WebhookChanges,
  now: number,
): readonly Statement[] {
  const { document_id, id } = row;
  const isRepaired = (member: keyof WebhookChanges) =>
    changes[member] !== undefined && row.damage.some(({ sums }) => sums.includes(CHANGED_SUMS[member]));
  const isSwitched = changed.active !== row.active || isRepaired('active');
  const isEnded = isSwitched && changed.active === 0;
  const values = {
    ...(changed.url === row.url && !isRepaired('url') ? {} : { url: changed.url }),
    ...(changed.events === row.events && !isRepaired('events') ? {} : { events: changed.events }),
    ...(isEnded ? { active: 0, inactive_reason: changed.inactive_reason } : {}),
  };
  return [
    ...(Object.keys(values).length > 0 ? [updateSubscription(document_id, id, values)] : []),
    ...(isEnded ? [cancelWaitingDeliveries({ document_id, webhook_id: id, now })] : []),
    ...(isSwitched && changed.active === 1 ? [activateSubscription({ document_id, id })] : []),
  ];
}

interface RotatedSecret {
  readonly secret: string;
  /** Time until which the old secrets also sign; null: they do not. */
  readonly overlapEndsAt: string | null;
}

const TOO_MANY_SECRETS = invalidRequest(
  'overlapSeconds',
  `${MAX_OLD_SECRETS} old secrets sign already; overlapSeconds 0 ends them all`,
);

/** Separates the old secrets in their column. */
const SECRET_SEPARATOR = ' ';

/** The previous secrets that still sign at a time, newest first. */
export function listOldSecrets(
  secrets: SecretBox,
  { old_secret, old_secret_until }: Pick<Subscription, 'old_secret' | 'old_secret_until'>,
  now: number,
): readonly string[] {
  if (old_secret === null || old_secret_until === null || old_secret_until <= now) return [];
  return secrets.open(old_secret)?.split(SECRET_SEPARATOR) ?? [];
}

/**
 * Plans to rotate a subscription's secret. During the overlap, `webhook-signature` carries a signature by each secret,
 * and `X-Service-Signature` uses the oldest. A receiver can therefore switch without losing deliveries, also if the
 * rotation was requested twice because the first response was lost. The overlap belongs to the subscription: each
 * rotation sets one new end for all old secrets.
 */
export function planRotation(
  context: ServiceContext,
  row: Subscription,
  overlapSeconds: number | undefined,
  access: DocumentAccess | null,
): PlannedChange<RotatedSecret> | Refusal {
  const { secrets, clock } = context;
  const { document_id, id } = row;
  if (row.secret === null) return invalidRequest('webhook', 'Only subscriptions of the channel http have a secret');
  const overlap = overlapSeconds ?? DEFAULT_SECRET_OVERLAP_S;
  if (overlap > MAX_SECRET_OVERLAP_S) {
    return invalidRequest('overlapSeconds', `overlapSeconds must not be more than ${MAX_SECRET_OVERLAP_S}`);
  }
  const now = clock();
  const current = secrets.open(row.secret);
  const old = overlap === 0 || current === null ? [] : [current, ...listOldSecrets(secrets, row, now)];
  if (old.length > MAX_OLD_SECRETS) return TOO_MANY_SECRETS;
  const secret = generateSecret();
  const until = old.length === 0 ? null : now + overlap * MS_PER_SECOND;
  const statement = replaceSecret({
    document_id,
    id,
    seen_secret: row.secret,
    secret: secrets.seal(secret),
    old_secret: until === null ? null : secrets.seal(old.join(SECRET_SEPARATOR)),
    old_secret_until: until,
  });
  return {
    document: document_id,
    statements: [statement, ...buildSubscriptionAudit(access, 'webhook.secret', row, now)],
    result: { secret, overlapEndsAt: until === null ? null : new Date(until).toISOString() },
  };
}
