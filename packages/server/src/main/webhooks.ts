import { type Command, InvalidArgumentError } from 'commander';
import { DEFAULT_DELIVERY_PAGE, MAX_DELIVERY_PAGE } from '../limits/notify.ts';
import type { DeliveryQuery, DeliveryView } from '../notify/deliveries.ts';
import { DELIVERY_STATES, type DeliveryStateName } from '../notify/delivery-state.ts';
import type { ServiceContext } from '../service/context.ts';
import { normalizeTypedId } from '../service/operator/ids.ts';
import { isRefusal, type Refusal } from '../service/refusal.ts';
import type { Subscription } from '../service/webhooks/manage-webhook.ts';
import type { WebhookView } from '../service/webhooks/webhooks.ts';
import { addListenCommand } from './listen.ts';
import { addExamples, parseWholeNumber } from './options.ts';
import { type CommandOutput, runOnService } from './run.ts';
import { formatTable } from './table.ts';

const WEBHOOK_EXAMPLES = `
Examples:
  cellwire webhook list --document DOC
  cellwire webhook test --document DOC --webhook 3
  cellwire webhook listen --document DOC --forward http://127.0.0.1:3000/hook
  cellwire webhook change --document DOC --webhook 3 --url https://example.com/new
  cellwire webhook off --document DOC --webhook 3
  cellwire webhook secret --document DOC --webhook 3 --overlap-seconds 0`;

const DELIVERY_EXAMPLES = `
Examples:
  cellwire delivery list --document DOC --webhook 3 --state exhausted
  cellwire delivery redeliver --document DOC --webhook 3 --delivery 6f9f…`;

/** The operator on the command line is no user, so the API's audit log does not show these actions. */
const NO_USER = null;

interface SubscriptionOptions {
  readonly document: string;
  readonly webhook: number;
}

/** `webhook list|test|change|on|off|secret|listen`, `delivery list|redeliver`. */
export function addWebhookCommands(program: Command): void {
  const webhook = program.command('webhook').description('manage subscriptions to changes of documents');
  webhook
    .command('list')
    .description('list the subscriptions of a document')
    .requiredOption('--document <id>', 'the document')
    .action(runWebhookList);
  addSubscriptionCommand(webhook, 'test', 'send a notification without cells, marked as a test').action(
    runTestDelivery,
  );
  addSubscriptionCommand(webhook, 'change', 'send to another address')
    .requiredOption('--url <address>', 'the new address')
    .action((options: SubscriptionOptions & { readonly url: string }, command: Command) =>
      runWebhookChange(options, { url: options.url }, command),
    );
  addSubscriptionCommand(webhook, 'on', 'switch a subscription on; changes from now on are sent').action(
    (options: SubscriptionOptions, command: Command) => runWebhookChange(options, { active: true }, command),
  );
  addSubscriptionCommand(webhook, 'off', 'switch a subscription off').action(
    (options: SubscriptionOptions, command: Command) => runWebhookChange(options, { active: false }, command),
  );
  addSubscriptionCommand(webhook, 'secret', 'replace the signing secret; the new secret is shown only once')
    .option('--overlap-seconds <n>', 'how long the old secret remains valid; 0 if it leaked', parseWholeNumber)
    .action(runSecretRotation);
  addListenCommand(webhook);
  addExamples(webhook, WEBHOOK_EXAMPLES);

  const delivery = program.command('delivery').description('list and repeat deliveries of notifications');
  addSubscriptionCommand(delivery, 'list', 'list the deliveries of a subscription, newest first')
    .option('--state <state>', DELIVERY_STATES.join(', '), parseState)
    .option('--since <time>', 'created at this time or later, such as 2026-11-21T08:00:00Z')
    .option('--until <time>', 'created before this time')
    .option('--revision <n>', 'deliveries of notifications that cover this revision', parseWholeNumber)
    .option('--offset <n>', 'deliveries to skip', parseWholeNumber, 0)
    .option('--limit <n>', `deliveries to show, at most ${MAX_DELIVERY_PAGE}`, parseWholeNumber, DEFAULT_DELIVERY_PAGE)
    .action(listDeliveries);
  addSubscriptionCommand(delivery, 'redeliver', 'send a delivery again, under its own id')
    .requiredOption('--delivery <id>', 'its deliveryId')
    .action(runRedelivery);
  addExamples(delivery, DELIVERY_EXAMPLES);
}

/** Adds a command with the options `--document` and `--webhook`, which name a subscription. */
function addSubscriptionCommand(noun: Command, name: string, description: string): Command {
  return noun
    .command(name)
    .description(description)
    .requiredOption('--document <id>', 'the document')
    .requiredOption('--webhook <n>', 'the number of the subscription', parseWholeNumber);
}

function parseState(text: string): DeliveryStateName {
  const found = DELIVERY_STATES.find((state) => state === text);
  if (found === undefined) throw new InvalidArgumentError(`It must be one of ${DELIVERY_STATES.join(', ')}.`);
  return found;
}

/** Runs a use case on one document, by its id. */
function runOnDocument(
  document: string,
  command: Command,
  work: (context: ServiceContext, id: string) => Promise<CommandOutput | Refusal>,
): Promise<void> {
  return runOnService(command, async (context) => {
    const { findDocument } = await import('../service/operator/new-document.ts');
    const found = await findDocument(context, document);
    return isRefusal(found) ? found : work(context, found.id);
  });
}

/** Runs a use case on one subscription. */
function runOnSubscription(
  { document, webhook }: SubscriptionOptions,
  command: Command,
  work: (context: ServiceContext, subscription: Subscription) => Promise<CommandOutput | Refusal>,
): Promise<void> {
  return runOnDocument(document, command, async (context, id) => {
    const { findSubscription } = await import('../service/webhooks/manage-webhook.ts');
    const found = await findSubscription(context, id, webhook);
    return isRefusal(found) ? found : work(context, found);
  });
}

function runWebhookList({ document }: { readonly document: string }, command: Command): Promise<void> {
  return runOnDocument(document, command, async (context, id) => {
    const { listSubscriptions } = await import('../service/webhooks/manage-webhook.ts');
    const webhooks = await listSubscriptions(context, id);
    const rows = webhooks.map((one) => [
      String(one.id),
      one.channel,
      describeState(one),
      one.url ?? one.chatId ?? '',
      one.token,
    ]);
    return {
      json: { webhooks },
      text: formatTable(['id', 'channel', 'active', 'to', 'token'], rows, 'No subscriptions.'),
    };
  });
}

function describeState({ active, inactiveReason }: WebhookView): string {
  return active ? 'yes' : `no (${inactiveReason ?? 'request'})`;
}

function runTestDelivery(options: SubscriptionOptions, command: Command): Promise<void> {
  return runOnSubscription(options, command, async (context, subscription) => {
    const { changeWebhookForOperator } = await import('../service/webhooks/manage-webhook.ts');
    const { planTestDelivery } = await import('../notify/deliveries.ts');
    const delivery = await changeWebhookForOperator(context, subscription, (row) =>
      planTestDelivery(context, row, NO_USER),
    );
    if (isRefusal(delivery)) return delivery;
    return { json: delivery, text: `Delivery ${delivery.deliveryId} is queued; the running service sends it.` };
  });
}

function runWebhookChange(
  options: SubscriptionOptions,
  changes: { readonly url?: string; readonly active?: boolean },
  command: Command,
): Promise<void> {
  return runOnSubscription(options, command, async (context, subscription) => {
    const { changeWebhookForOperator, planWebhookChange } = await import('../service/webhooks/manage-webhook.ts');
    const webhook = await changeWebhookForOperator(context, subscription, (row) =>
      planWebhookChange(context, row, changes, NO_USER),
    );
    if (isRefusal(webhook)) return webhook;
    const to = webhook.url ?? webhook.chatId ?? '';
    return { json: webhook, text: `Subscription ${webhook.id} to ${to}, active: ${describeState(webhook)}.` };
  });
}

function runSecretRotation(
  options: SubscriptionOptions & { readonly overlapSeconds?: number },
  command: Command,
): Promise<void> {
  return runOnSubscription(options, command, async (context, subscription) => {
    const { changeWebhookForOperator, planRotation } = await import('../service/webhooks/manage-webhook.ts');
    const rotated = await changeWebhookForOperator(context, subscription, (row) =>
      planRotation(context, row, options.overlapSeconds, NO_USER),
    );
    if (isRefusal(rotated)) return rotated;
    const old = rotated.overlapEndsAt === null ? 'is no longer valid' : `also signs until ${rotated.overlapEndsAt}`;
    return { json: rotated, text: `${rotated.secret}\nThe old secret ${old}.` };
  });
}

function listDeliveries(options: SubscriptionOptions & DeliveryQuery, command: Command): Promise<void> {
  return runOnSubscription(options, command, async (context, subscription) => {
    const { listDeliveries } = await import('../notify/deliveries.ts');
    const deliveries = await listDeliveries(context, subscription, options);
    if (isRefusal(deliveries)) return deliveries;
    const headings = ['delivery', 'state', 'revisions', 'cells', 'made', 'attempts', 'last answer', 'next attempt'];
    return {
      json: { deliveries },
      text: formatTable(headings, deliveries.entries.map(toDeliveryRow), 'No deliveries.'),
    };
  });
}

/** The columns of a delivery in the printed table. */
function toDeliveryRow({ deliveryId, state, revision, cellCount, createdAt, attempts, nextAttemptAt }: DeliveryView) {
  const last = attempts.at(-1);
  return [
    deliveryId,
    state,
    `${revision.from}–${revision.to}`,
    String(cellCount),
    createdAt,
    String(last?.attempt ?? 0),
    String(last?.status ?? last?.error ?? ''),
    nextAttemptAt ?? '',
  ];
}

function runRedelivery(
  { delivery, ...place }: SubscriptionOptions & { readonly delivery: string },
  command: Command,
): Promise<void> {
  return runOnSubscription(place, command, async (context, subscription) => {
    const { changeWebhookForOperator } = await import('../service/webhooks/manage-webhook.ts');
    const { planRedelivery } = await import('../notify/deliveries.ts');
    const moved = await changeWebhookForOperator(context, subscription, (row) =>
      planRedelivery(context, row, normalizeTypedId(delivery), NO_USER),
    );
    if (isRefusal(moved)) return moved;
    return { json: moved, text: `Delivery ${moved.deliveryId} is ${moved.state}.` };
  });
}
