import type { Snapshot } from '@cellwire/engine';
import type { Database, NotificationsTable } from '@cellwire/store';
import type { SecretBox } from '@cellwire/store/keys';
import { parseStoredList } from '@cellwire/store/stored-forms';
import { type ChangedSheet, documentTitleAndWorkspace, notificationById } from '@cellwire/store/webhooks';
import type { Documents } from '../documents/types.ts';
import { readMovesBetween } from '../service/changes/watch.ts';
import { listOldSecrets, type Subscription } from '../service/webhooks/manage-webhook.ts';
import type { Clock } from './clock.ts';
import type { HttpSender, OutgoingRequest } from './http-sender.ts';
import { buildMessage, formatMessage, hideToken, readRetryAfter } from './messenger.ts';
import type { ReceiverAnswer } from './outcome.ts';
import { type DocumentFacts, Payload, PayloadCache, type PayloadLimits } from './payload.ts';
import { isAboutProposal, ProposalPayload } from './proposal-payload.ts';
import { buildSignedHeaders, type SigningSecrets } from './signature.ts';
import { WindowCells } from './window-cells.ts';

/** An attempt to send a delivery. */
export interface DeliveryAttempt {
  readonly subscription: Subscription;
  readonly deliveryId: string;
  readonly notificationId: string;
  readonly attempt: number;
  /** Sheets that the subscription's creator may not see, now or when the window closed. */
  readonly hidden: ReadonlySet<number>;
  /** Latest time to start sending, by the monotonic clock. */
  readonly startBy: number;
}

interface AttemptSenderEnvironment {
  readonly database: Database;
  readonly documents: Documents;
  readonly secrets: SecretBox;
  readonly clock: Clock;
  readonly limits: PayloadLimits & { readonly timeoutMs: number };
  readonly messengerBaseUrl: string;
  /** This service's own address without a trailing slash; null: it is not known. */
  readonly publicUrl: () => string | null;
  /** Sends to receivers. Refuses forbidden addresses. */
  readonly receivers: HttpSender;
  /** Sends to the messenger that the operator configured. Allows every address. */
  readonly messenger: HttpSender;
}

interface AttemptContent {
  readonly document: DocumentFacts;
  readonly payload: Payload | ProposalPayload;
  /** Id of the last request that the notification covers. */
  readonly requestId: string | null;
}

/** Builds, signs and sends the content of delivery attempts. */
export class AttemptSender {
  private readonly environment: AttemptSenderEnvironment;
  private readonly payloads = new PayloadCache();

  constructor(environment: AttemptSenderEnvironment) {
    this.environment = environment;
  }

  async sendAttempt(attempt: DeliveryAttempt, signal: AbortSignal): Promise<ReceiverAnswer> {
    const prepared = await this.prepareContent(attempt);
    if (prepared === null) return { kind: 'blocked', error: 'the document no longer exists' };
    // After a first attempt, the receiver may know the delivery. It therefore still gets a delivery that no longer has
    // content.
    const isFirst = attempt.attempt === 1;
    if (isFirst && prepared.payload.isEmpty)
      return { kind: 'blocked', error: 'the receiver may no longer see any of the content' };
    const { clock, limits } = this.environment;
    if (clock.steady() > attempt.startBy) return { kind: 'aborted' };
    return attempt.subscription.channel === 'http'
      ? this.postContent(attempt, prepared, limits.timeoutMs, signal)
      : this.sendMessage(attempt, prepared, limits.timeoutMs, signal);
  }

  /** The document and payload of a delivery; null if the document or the notification no longer exists. */
  private async prepareContent({
    subscription,
    notificationId,
    hidden,
  }: DeliveryAttempt): Promise<AttemptContent | null> {
    const { database, documents, limits } = this.environment;
    const { document_id: id } = subscription;
    const [places, notifications] = await database.readAll([
      documentTitleAndWorkspace({ id }),
      notificationById({ document_id: id, id: notificationId }),
    ]);
    const [place, notification] = [places[0], notifications[0]];
    const snapshot = (await (await documents.open(id))?.readSnapshot()) ?? null;
    if (place === undefined || notification === undefined || snapshot === null) return null;
    const document = {
      id,
      title: place.title,
      url: this.createDocumentLink(id),
      workspace: { id: place.workspace_id, name: place.workspace_name },
    };
    if (isAboutProposal(notification)) {
      const payload = new ProposalPayload(notification, document, hidden, this.environment.clock.now());
      return { document, payload, requestId: notification.request_id };
    }
    const key = JSON.stringify([notificationId, document, [...hidden].sort()]);
    const sheets = await this.updateSheetPositions(notification, snapshot);
    const buildPayload = () => new Payload(notification, document, { snapshot, sheets }, hidden, limits);
    return {
      document,
      payload: this.payloads.getOrCreate(snapshot, key, buildPayload),
      requestId: notification.request_id,
    };
  }

  /** The cells of a notification at their present positions. Rows or columns may have moved since its window closed. */
  private async updateSheetPositions(
    { document_id: id, sheets: stored, to_revision }: NotificationsTable,
    snapshot: Snapshot,
  ): Promise<readonly ChangedSheet[]> {
    const sheets = parseStoredList<ChangedSheet>(stored, 'The sheets of a notification');
    if (sheets.length === 0) return sheets;
    const commitMoves = await readMovesBetween(this.environment, id, to_revision, snapshot.revision);
    if (commitMoves.length === 0) return sheets;
    const cells = WindowCells.restoreStoredCells(sheets);
    for (const { moves } of commitMoves) cells.applyMoves(moves);
    const deletedSheets = sheets.filter((sheet) => snapshot.sheetById(sheet.id) === undefined);
    return cells.toChangedSheets([...snapshot.sheets, ...deletedSheets], this.environment.limits.maxCells);
  }

  private createDocumentLink(document: string): string | null {
    const base = this.environment.publicUrl();
    return base === null ? null : `${base}/documents/${document}`;
  }

  /**
   * Posts the signed payload to the subscription's address. `UNREADABLE_SECRET` if the secret or the address is missing
   * or unreadable.
   */
  private async postContent(
    attempt: DeliveryAttempt,
    { payload, requestId }: AttemptContent,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<ReceiverAnswer> {
    const { clock, receivers } = this.environment;
    const { subscription, deliveryId } = attempt;
    const secrets = await this.readSecret(() => this.openSigningSecrets(subscription));
    const url = URL.parse(subscription.url ?? '');
    if (secrets === null || url === null) return UNREADABLE_SECRET;
    const at = clock.now();
    const body = payload.buildBody({ deliveryId, attempt: attempt.attempt, at });
    const signed = buildSignedHeaders(body, secrets, { deliveryId, at, event: payload.event });
    const headers = requestId === null ? signed : { ...signed, 'X-Request-Id': requestId };
    return receivers.send({ url, headers, body }, timeoutMs, signal);
  }

  /**
   * Reads a sealed value; if that fails, reads it again with the newest key, which another process may have created.
   */
  private async readSecret<T>(openSecret: () => T | null): Promise<T | null> {
    const found = openSecret();
    if (found !== null) return found;
    await this.environment.secrets.refresh();
    return openSecret();
  }

  /** The current secret and the previous ones that still sign; null if no key opens the current one. */
  private openSigningSecrets(subscription: Subscription): SigningSecrets | null {
    const { secrets, clock } = this.environment;
    const current = subscription.secret === null ? null : secrets.open(subscription.secret);
    return current === null ? null : { current, previous: listOldSecrets(secrets, subscription, clock.now()) };
  }

  /** Sends the payload as a chat message. `UNREADABLE_SECRET` if the bot's token cannot be opened or no chat is set. */
  private async sendMessage(
    { subscription }: DeliveryAttempt,
    { document, payload }: AttemptContent,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<ReceiverAnswer> {
    const { secrets, messenger, messengerBaseUrl: base } = this.environment;
    const { bot_token, chat_id: chatId } = subscription;
    const botToken = bot_token === null ? null : await this.readSecret(() => secrets.open(bot_token));
    if (botToken === null || chatId === null) return UNREADABLE_SECRET;
    const outgoing: OutgoingRequest = buildMessage({ base, botToken, chatId }, formatChatMessage(document, payload));
    return hideToken(readRetryAfter(await messenger.send(outgoing, timeoutMs, signal)), botToken);
  }
}

function formatChatMessage(document: DocumentFacts, payload: Payload | ProposalPayload): string {
  return payload instanceof ProposalPayload ? payload.formatChatText() : formatMessage(document, payload);
}

/** The secret was sealed with a key that this installation does not have. */
const UNREADABLE_SECRET: ReceiverAnswer = { kind: 'blocked', error: 'the subscription’s secret cannot be read' };
