import type { Statement } from '@cellwire/store';
import {
  beginWindows,
  cancelWaitingDeliveries,
  deleteWebhook,
  extendListener,
  insertWebhook,
} from '@cellwire/store/webhooks';
import { LISTENING_MS } from '../../limits/notify.ts';
import type { ServiceContext } from '../context.ts';
import { invalidRequest, isRefusal, type Refusal, WEBHOOK_NOT_FOUND } from '../refusal.ts';
import { findSubscription, type Subscription } from './manage-webhook.ts';
import { generateSecret } from './webhooks.ts';

type ListenContext = Pick<ServiceContext, 'database' | 'secrets' | 'clock'>;

interface ListenerRequest {
  readonly document: string;
  /** The user whose view of the document the deliveries show. */
  readonly user: number;
  /** Where the process forwards deliveries: shown in lists, never contacted by the service. */
  readonly url: string;
  /** Secret that signs the deliveries; null: generate one. */
  readonly secret: string | null;
}

/** A subscription whose deliveries the calling process sends itself. */
interface ListenerSubscription {
  readonly row: Subscription;
  readonly secret: string;
}

const SECRET = /^whsec_[A-Za-z0-9+/]{32,128}={0,2}$/;

/** Creates a temporary subscription to future changes. It expires unless `keepListening` renews it. */
export async function startListening(
  context: ListenContext,
  { document, user, url, secret: given }: ListenerRequest,
): Promise<ListenerSubscription | Refusal> {
  if (given !== null && !SECRET.test(given)) {
    return invalidRequest('secret', 'secret must be whsec_ and at least 24 bytes in base64');
  }
  const secret = given ?? generateSecret();
  const now = context.clock();
  const insertion = insertWebhook({
    document_id: document,
    channel: 'http',
    url,
    chat_id: null,
    bot_token: null,
    secret: context.secrets.seal(secret),
    events: JSON.stringify(['document.updated']),
    user_id: user,
    token_id: null,
    token_name: 'webhook listen',
    created_at: now,
    watch: null,
    listening_until: now + LISTENING_MS,
    // The plan limits subscriptions of users; this one belongs to the operator.
    limit: Number.MAX_SAFE_INTEGER,
  });
  const outcome = await context.database.write({
    document,
    statements: [insertion, beginWindows({ document_id: document })],
  });
  if (outcome.kind === 'conflict') return WEBHOOK_NOT_FOUND;
  const row = await findSubscription(context, document, Number(outcome.results[0]?.rows[0]?.['id']));
  return isRefusal(row) ? row : { row, secret };
}

/** Renews the subscription of a listening process. False: it was deleted. */
export async function keepListening(context: ListenContext, { document_id, id }: Subscription): Promise<boolean> {
  const until = context.clock() + LISTENING_MS;
  const statements = [extendListener({ document_id, id, until })];
  return (await context.database.write({ document: document_id, statements })).kind === 'committed';
}

/** Deletes the subscription of `cellwire listen` and its waiting deliveries. */
export async function endListening(context: ListenContext, { document_id, id }: Subscription): Promise<void> {
  // A conflict means that the subscription is already deleted.
  await context.database.write({
    document: document_id,
    statements: buildListenerDeletion(document_id, id, context.clock()),
  });
}

/** The statements that delete the subscription and cancel its deliveries. */
export function buildListenerDeletion(document: string, id: number, now: number): readonly Statement[] {
  return [
    deleteWebhook({ document_id: document, id }),
    cancelWaitingDeliveries({ document_id: document, webhook_id: id, now }),
  ];
}
