import type { Snapshot } from '@cellwire/engine';
import type { Database, NotificationsTable } from '@cellwire/store';
import type { SecretBox } from '@cellwire/store/keys';
import { type ChangedSheet, documentTitleAndWorkspace, notificationById } from '@cellwire/store/webhooks';
import type { Documents } from '../documents/types.ts';
import { movesBetween } from '../service/changes/watch.ts';
import { oldSecrets, type Subscription } from '../service/webhooks/manage-webhook.ts';
import type { Clock } from './clock.ts';
import type { HttpSender, Outgoing } from './http-sender.ts';
import { messageText, messageTo, withoutToken, withRetryAfter } from './messenger.ts';
import type { Answer } from './outcome.ts';
import { type DocumentFacts, Payload, PayloadCache, type PayloadLimits } from './payload.ts';
import { isAboutProposal, ProposalPayload } from './proposal-payload.ts';
import { type SigningSecrets, signedHeaders } from './signature.ts';
import { WindowCells } from './window-cells.ts';

/** One attempt that is to be made. */
export interface Attempt {
  readonly subscription: Subscription;
  readonly deliveryId: string;
  readonly notificationId: string;
  readonly attempt: number;
  /** Sheets that the subscription's creator may not see, now or when the window closed. */
  readonly hidden: ReadonlySet<number>;
  /** When it is too late to begin sending, by the steady clock. */
  readonly startBy: number;
}

interface AttemptEnvironment {
  readonly database: Database;
  readonly documents: Documents;
  readonly secrets: SecretBox;
  readonly clock: Clock;
  readonly limits: PayloadLimits & { readonly timeoutMs: number };
  readonly messengerBaseUrl: string;
  /** This service's own address without a slash at the end; null where it is not known. */
  readonly publicUrl: () => string | null;
  /** Checks where it connects to. */
  readonly receivers: HttpSender;
  /** Connects to where the operator told it to. */
  readonly messenger: HttpSender;
}

interface Prepared {
  readonly document: DocumentFacts;
  readonly payload: Payload | ProposalPayload;
  /** Of the last request that the notification covers. */
  readonly requestId: string | null;
}

/** Makes attempts: builds what is to be said, signs it, sends it. */
export class Attempts {
  private readonly environment: AttemptEnvironment;
  private readonly payloads = new PayloadCache();

  constructor(environment: AttemptEnvironment) {
    this.environment = environment;
  }

  async make(attempt: Attempt, signal: AbortSignal): Promise<Answer> {
    const prepared = await this.prepare(attempt);
    if (prepared === null) return { kind: 'blocked', error: 'the document is not there any more' };
    // A receiver that was asked before may wait for the delivery: it gets what is left of it.
    const isFirst = attempt.attempt === 1;
    if (isFirst && prepared.payload.isEmpty) return { kind: 'blocked', error: 'nothing of it may be told any more' };
    const { clock, limits } = this.environment;
    if (clock.steady() > attempt.startBy) return { kind: 'aborted' };
    return attempt.subscription.channel === 'http'
      ? this.post(attempt, prepared, limits.timeoutMs, signal)
      : this.message(attempt, prepared, limits.timeoutMs, signal);
  }

  private async prepare({ subscription, notificationId, hidden }: Attempt): Promise<Prepared | null> {
    const { database, documents, limits } = this.environment;
    const { document_id: id } = subscription;
    const [places, notifications] = await database.readAll([
      documentTitleAndWorkspace({ id }),
      notificationById({ document_id: id, id: notificationId }),
    ]);
    const [place, notification] = [places[0], notifications[0]];
    const snapshot = (await (await documents.open(id))?.snapshot()) ?? null;
    if (place === undefined || notification === undefined || snapshot === null) return null;
    const document = {
      id,
      title: place.title,
      url: this.linkTo(id),
      workspace: { id: place.workspace_id, name: place.workspace_name },
    };
    if (isAboutProposal(notification)) {
      const payload = new ProposalPayload(notification, document, hidden, this.environment.clock.now());
      return { document, payload, requestId: notification.request_id };
    }
    const key = JSON.stringify([notificationId, document, [...hidden].sort()]);
    const sheets = await this.sheetsNow(notification, snapshot);
    const make = () => new Payload(notification, document, { snapshot, sheets }, hidden, limits);
    return { document, payload: this.payloads.get(snapshot, key, make), requestId: notification.request_id };
  }

  /** The cells of a notification by where they are in a snapshot: lines may have come or gone since its window closed. */
  private async sheetsNow(
    { document_id: id, sheets: stored, to_revision }: NotificationsTable,
    snapshot: Snapshot,
  ): Promise<readonly ChangedSheet[]> {
    const sheets = JSON.parse(stored) as ChangedSheet[];
    if (sheets.length === 0) return sheets;
    const moving = await movesBetween(this.environment, id, to_revision, snapshot.revision);
    if (moving.length === 0) return sheets;
    const cells = WindowCells.of(sheets);
    for (const { moves } of moving) cells.follow(moves);
    const gone = sheets.filter((sheet) => snapshot.sheetById(sheet.id) === undefined);
    return cells.fix([...snapshot.sheets, ...gone], this.environment.limits.maxCells);
  }

  private linkTo(document: string): string | null {
    const base = this.environment.publicUrl();
    return base === null ? null : `${base}/documents/${document}`;
  }

  private async post(
    attempt: Attempt,
    { payload, requestId }: Prepared,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<Answer> {
    const { clock, receivers } = this.environment;
    const { subscription, deliveryId } = attempt;
    const secrets = await this.readable(() => this.signing(subscription));
    const url = URL.parse(subscription.url ?? '');
    if (secrets === null || url === null) return UNREADABLE;
    const at = clock.now();
    const body = payload.body({ deliveryId, attempt: attempt.attempt, at });
    const signed = signedHeaders(body, secrets, { deliveryId, at, event: payload.event });
    const headers = requestId === null ? signed : { ...signed, 'X-Request-Id': requestId };
    return receivers.send({ url, headers, body }, timeoutMs, signal);
  }

  /** Looks again after a key that another process may just have made. */
  private async readable<T>(read: () => T | null): Promise<T | null> {
    const found = read();
    if (found !== null) return found;
    await this.environment.secrets.refresh();
    return read();
  }

  private signing(subscription: Subscription): SigningSecrets | null {
    const { secrets, clock } = this.environment;
    const current = subscription.secret === null ? null : secrets.open(subscription.secret);
    return current === null ? null : { current, previous: oldSecrets(secrets, subscription, clock.now()) };
  }

  private async message(
    { subscription }: Attempt,
    { document, payload }: Prepared,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<Answer> {
    const { secrets, messenger, messengerBaseUrl: base } = this.environment;
    const { bot_token, chat_id: chatId } = subscription;
    const botToken = bot_token === null ? null : await this.readable(() => secrets.open(bot_token));
    if (botToken === null || chatId === null) return UNREADABLE;
    const outgoing: Outgoing = messageTo({ base, botToken, chatId }, textOf(document, payload));
    return withoutToken(withRetryAfter(await messenger.send(outgoing, timeoutMs, signal)), botToken);
  }
}

function textOf(document: DocumentFacts, payload: Payload | ProposalPayload): string {
  return payload instanceof ProposalPayload ? payload.text() : messageText(document, payload);
}

/** Sealed with another key: nothing that this installation can do about it. */
const UNREADABLE: Answer = { kind: 'blocked', error: 'the subscription’s secret cannot be read' };
