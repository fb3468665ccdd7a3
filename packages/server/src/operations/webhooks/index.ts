import { changeWebhook } from './change-webhook.ts';
import { createWebhook } from './create-webhook.ts';
import { deleteWebhook } from './delete-webhook.ts';
import { listDeliveries } from './list-deliveries.ts';
import { listWebhooks } from './list-webhooks.ts';
import { redeliver } from './redeliver.ts';
import { redeliverById } from './redeliver-by-id.ts';
import { rotateWebhookSecret } from './rotate-webhook-secret.ts';
import { testWebhook } from './test-webhook.ts';

/** Operations in the order of the API's reference. */
export const WEBHOOK_OPERATIONS = [
  listWebhooks,
  createWebhook,
  deleteWebhook,
  changeWebhook,
  rotateWebhookSecret,
  testWebhook,
  listDeliveries,
  redeliver,
  redeliverById,
];
