import type { DocumentAccess } from '../access/access.ts';
import { ROLE_FORBIDS } from '../access/refusal.ts';
import { DEFAULT_SECRET_OVERLAP_S, MAX_SECRET_OVERLAP_S } from '../limits/notify.ts';
import type { Statement } from '../store/database.ts';
import type { WebhooksTable } from '../store/schema.ts';
import { activate, replaceSecret, subscriptionById, updateSubscription } from '../store/subscriptions.ts';
import { webhooksOf } from '../store/webhooks.ts';
import type { ServiceContext } from './context.ts';
import type { Refusal } from './refusal.ts';
import { invalidRequest, isRefusal, WEBHOOK_NOT_FOUND } from './refusal.ts';
import { manages, newSecret, urlRefusal, viewOf, type WebhookView } from './webhooks.ts';

/** A subscription's row; `id` is the number that the database gave it. */
export type Subscription = Omit<{ readonly [K in keyof WebhooksTable]: WebhooksTable[K] }, 'id'> & {
  readonly id: number;
};

export interface WebhookChanges {
  readonly active?: boolean | undefined;
  readonly events?: readonly string[] | undefined;
  readonly url?: string | undefined;
}

const MS_PER_SECOND = 1_000;

/** A subscription by its number, whoever made it: for the operator. */
export async function findSubscription(
  { database }: Pick<ServiceContext, 'database'>,
  document: string,
  id: number,
): Promise<Subscription | Refusal> {
  return (await database.readOne(subscriptionById({ document_id: document, id }))) ?? WEBHOOK_NOT_FOUND;
}

/** All subscriptions of a document: for the operator. */
export async function listSubscriptions(
  { database }: Pick<ServiceContext, 'database'>,
  document: string,
): Promise<readonly WebhookView[]> {
  return (await database.read(webhooksOf({ document_id: document }))).map(viewOf);
}

/** A subscription that the caller may see and change. */
export async function openSubscription(
  context: ServiceContext,
  access: DocumentAccess,
  id: number,
): Promise<Subscription | Refusal> {
  const found = await findSubscription(context, access.documentId, id);
  if (isRefusal(found)) return found;
  return manages(access, found.user_id) ? found : ROLE_FORBIDS;
}

/** Changes a subscription. One that is made active again hears of what comes from then on. */
export async function changeWebhook(
  context: ServiceContext,
  row: Subscription,
  { active, events, url }: WebhookChanges,
): Promise<WebhookView | Refusal> {
  const { document_id: document, id } = row;
  if (url !== undefined) {
    if (row.channel !== 'http') return invalidRequest('url', 'Only subscriptions of the channel http have a url');
    const wrong = urlRefusal(context, url);
    if (wrong !== null) return wrong;
  }
  const values = {
    ...(url === undefined ? {} : { url }),
    ...(events === undefined ? {} : { events: JSON.stringify([...new Set(events)]) }),
    ...(active === false && row.active === 1 ? { active: 0, inactive_reason: 'request' } : {}),
  };
  const statements: Statement[] = [];
  if (Object.keys(values).length > 0) statements.push(updateSubscription(document, id, values));
  if (active === true && row.active === 0) statements.push(activate({ document_id: document, id }));
  if (statements.length > 0) {
    const outcome = await context.database.write({ statements });
    if (outcome.kind === 'conflict') return WEBHOOK_NOT_FOUND;
  }
  const changed = await findSubscription(context, document, id);
  return isRefusal(changed) ? changed : viewOf(changed);
}

export interface RotatedSecret {
  readonly secret: string;
  /** Until when the old one signs, too; null: it does not any more. */
  readonly overlapEndsAt: string | null;
}

/**
 * Gives a subscription a new secret. For the overlap `webhook-signature` carries a signature by each, and
 * `X-Service-Signature` stays the old one's, so that a receiver can change over without losing anything.
 */
export async function rotateSecret(
  { database, secrets, clock }: ServiceContext,
  row: Subscription,
  overlapSeconds: number = DEFAULT_SECRET_OVERLAP_S,
): Promise<RotatedSecret | Refusal> {
  if (row.channel !== 'http') return invalidRequest('webhook', 'Only subscriptions of the channel http have a secret');
  if (overlapSeconds > MAX_SECRET_OVERLAP_S) {
    return invalidRequest('overlapSeconds', `overlapSeconds must not be more than ${MAX_SECRET_OVERLAP_S}`);
  }
  const secret = newSecret();
  const until = overlapSeconds === 0 ? null : clock() + overlapSeconds * MS_PER_SECOND;
  const statement = replaceSecret({
    document_id: row.document_id,
    id: row.id,
    secret: secrets.seal(secret),
    old_secret: until === null ? null : row.secret,
    old_secret_until: until,
  });
  const outcome = await database.write({ statements: [statement] });
  if (outcome.kind === 'conflict') return WEBHOOK_NOT_FOUND;
  return { secret, overlapEndsAt: until === null ? null : new Date(until).toISOString() };
}
