import type { Command } from 'commander';
import { LISTENING_INTERVAL_MS } from '../limits/notify.ts';
import type { ForwardedAttempt } from '../notify/forwarder.ts';
import type { ServiceContext } from '../service/context.ts';
import { isRefusal } from '../service/refusal.ts';
import { parseHttpAddress, parseWholeNumber } from './options.ts';
import { printNote, reportFailure, runOnService, wantsJson } from './run.ts';
import { onStopSignal } from './signals.ts';
import { findTerminal } from './terminal.ts';

const EXAMPLES = `
The service groups and signs notifications as for any subscription; this process sends them to the address, repeats
them by the same rules, and prints each attempt. The service need not be able to reach the address. The subscription
is deleted when the process ends (Ctrl+C).

Examples:
  cellwire webhook listen --document DOC --forward http://127.0.0.1:3000/hook
  cellwire webhook listen --document DOC --forward http://127.0.0.1:3000/hook --secret whsec_…`;

interface ListenOptions {
  readonly document: string;
  readonly forward: URL;
  readonly secret?: string;
  readonly count?: number;
}

/** `webhook listen`. */
export function addListenCommand(webhook: Command): void {
  webhook
    .command('listen')
    .description('send the notifications of a document to a receiver on this machine until the command is stopped')
    .requiredOption('--document <id>', 'the document')
    .requiredOption(
      '--forward <address>',
      'address of the receiver, such as http://127.0.0.1:3000/hook',
      parseHttpAddress,
    )
    .option('--secret <whsec>', 'signing secret (default: a new secret, which is printed)')
    .option('--count <n>', 'end after this many successful deliveries', parseWholeNumber)
    .addHelpText('after', EXAMPLES)
    .action(listenForDeliveries);
}

/** Numbers of attempts by outcome. */
interface AttemptCounts {
  delivered: number;
  refused: number;
  repeated: number;
}

function listenForDeliveries(options: ListenOptions, command: Command): Promise<void> {
  return runOnService(command, async (context) => {
    const { findDocument } = await import('../service/operator/new-document.ts');
    const { startListening, endListening } = await import('../service/webhooks/listen.ts');
    const document = await findDocument(context, options.document);
    if (isRefusal(document)) return document;
    const { forward, secret = null } = options;
    const request = { document: document.id, user: document.owner_id, url: forward.href, secret };
    const subscription = await startListening(context, request);
    if (isRefusal(subscription)) return subscription;
    const { row } = subscription;
    printMessage(command, `Forwarding what changes in “${document.title}” to ${forward.href}; Ctrl+C ends it.`);
    printMessage(command, `Signed with ${subscription.secret}`);
    const counts: AttemptCounts = { delivered: 0, refused: 0, repeated: 0 };
    try {
      await forwardUntilStopped(context, { row, forward, counts, count: options.count ?? null, command });
    } finally {
      await endListening(context, row);
    }
    const { delivered, refused, repeated } = counts;
    return {
      json: { webhook: row.id, secret: subscription.secret, delivered, refused, repeated },
      text: `Ended: ${delivered} delivered, ${refused} refused, ${repeated} attempts to be repeated. The subscription is deleted.`,
    };
  });
}

interface ForwardingOptions {
  readonly row: Parameters<typeof import('../service/webhooks/listen.ts').keepListening>[1];
  readonly forward: URL;
  readonly counts: AttemptCounts;
  readonly count: number | null;
  readonly command: Command;
}

/** Forwards deliveries until Ctrl+C, SIGTERM, enough deliveries, or the deletion of the subscription. */
async function forwardUntilStopped(
  context: ServiceContext,
  { row, forward, counts, count, command }: ForwardingOptions,
): Promise<void> {
  const { createForwarder } = await import('../notify/forwarder.ts');
  const { keepListening } = await import('../service/webhooks/listen.ts');
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  const listener = createForwarder({
    context,
    subscription: row,
    forward,
    onAttempt: (attempt) => {
      printMessage(command, describeAttempt(attempt));
      if (attempt.outcome === 'delivered') counts.delivered++;
      if (attempt.outcome === 'refused') counts.refused++;
      if (attempt.outcome === 'retry') counts.repeated++;
      if (counts.delivered === count) stop();
    },
    onError: (activity, error) =>
      printNote(command, `${activity}: ${error instanceof Error ? error.message : String(error)}`),
  });
  const heartbeat = setInterval(() => {
    keepListening(context, row).then(
      (isThere) => {
        if (isThere) return;
        reportFailure(command, 'The subscription was deleted.');
        stop();
      },
      (error: unknown) => printNote(command, `the database: ${error instanceof Error ? error.message : String(error)}`),
    );
  }, LISTENING_INTERVAL_MS);
  const forgetSignals = onStopSignal(stop);
  listener.start();
  try {
    await stopped;
  } finally {
    forgetSignals();
    clearInterval(heartbeat);
    await listener.stop();
  }
}

/** Prints a text. With `--json` it goes to standard error, because standard output is for the JSON object only. */
function printMessage(command: Command, text: string): void {
  const { stdout, stderr } = findTerminal(command);
  (wantsJson(command) ? stderr : stdout).write(`${text}\n`);
}

/** A line about a forwarded delivery and the answer to it. */
function describeAttempt({ deliveryId, attempt, answer, outcome }: ForwardedAttempt): string {
  const result = answer.kind === 'status' ? String(answer.status) : answer.kind === 'aborted' ? 'ended' : answer.error;
  const next = { delivered: 'delivered', retry: 'is sent again', refused: 'refused', unknown: 'not known' }[outcome];
  return `${new Date().toISOString()}  ${deliveryId}  attempt ${attempt}  ${result}  ${next}`;
}
