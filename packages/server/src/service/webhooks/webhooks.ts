import { randomBytes } from 'node:crypto';
import { quoteSheetName, splitSheetPrefix } from '@cellwire/engine';
import type { RowDamage, Statement } from '@cellwire/store';
import { parseStoredJson, parseStoredList } from '@cellwire/store/stored-forms';
import {
  beginWindows,
  cancelWaitingDeliveries,
  deleteWebhook as deleteRow,
  insertWebhook,
  type StoredWatch,
  WEBHOOKS_FULL,
  webhooksOf,
} from '@cellwire/store/webhooks';
import type { DocumentAccess } from '../../access/access.ts';
import { type Caller, describeToken } from '../../access/callers.ts';
import { PLAN_FORBIDS, ROLE_FORBIDS } from '../../access/refusal.ts';
import { canWrite } from '../../access/roles.ts';
import type { SheetEntry } from '../../documents/types.ts';
import { MAX_WEBHOOK_URL_LENGTH } from '../../limits/requests.ts';
import { buildAccessGuard } from '../access-guard.ts';
import { type AccessAction, keepSealedReply, withAccessRetry } from '../access-retry.ts';
import { readNoMoves, resolveTrail, toWatchedArea } from '../changes/watch.ts';
import type { ServiceContext } from '../context.ts';
import { type AuditAction, buildAuditStatements } from '../history/audit-log.ts';
import { keepWebhookId, UNKNOWN_WEBHOOK_ID } from '../idempotency.ts';
import { formatStoredTime } from '../iso-time.ts';
import { createNetworks } from '../networks.ts';
import { openTable } from '../open-table.ts';
import type { PlannedChange } from '../planned-change.ts';
import { formatQualifiedRange, parseRange } from '../ranges.ts';
import { invalidRequest, isRefusal, NOT_TABLE, type Refusal, WEBHOOK_LIMIT, WEBHOOK_NOT_FOUND } from '../refusal.ts';
import type { WriteReply } from '../reply.ts';

/** A subscription in the form of the API. */
export interface WebhookView {
  readonly id: number;
  readonly channel: 'http' | 'messenger';
  readonly events: readonly string[];
  readonly active: boolean;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly url?: string;
  /** Name of the API token that created it. */
  readonly token: string;
  readonly chatId?: string;
  /**
   * Why the subscription is inactive: `request`, `gone` (the receiver answered 410), `access` or `token` (its creator
   * lost it), `damaged` (its stored row is damaged).
   */
  readonly inactiveReason?: string;
  /**
   * The only range of which the subscription is notified, and the key columns of its records; absent: the whole
   * document.
   */
  readonly range?: string;
  readonly key?: readonly string[];
}

interface EventSelection {
  readonly events: readonly string[];
  /** Only changes in this range are sent; null: all changes. */
  readonly watch: { readonly range: string; readonly key: readonly string[] } | null;
}

export type NewWebhook = EventSelection &
  (
    | { readonly channel: 'http'; readonly url: string }
    | { readonly channel: 'messenger'; readonly botToken: string; readonly chatId: string }
  );

const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;
/** Generates a signing secret in the format of Standard Webhooks. */
export function generateSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

const PROTOCOLS = ['http:', 'https:'];
/** C0 and C1 control characters, line and paragraph separators, and bidirectional controls. */
const CONTROL_CHARACTERS = /[\p{Cc}\u2028\u2029\p{Bidi_Control}]/u;

/**
 * Users who can write the document see all its subscriptions, others only their own. Addresses of other users'
 * subscriptions are masked, because an address may be a secret.
 */
export async function listWebhooks(context: ServiceContext, access: DocumentAccess): Promise<readonly WebhookView[]> {
  const rows = await context.database.read(webhooksOf({ document_id: access.documentId }));
  const listed = rows
    .filter((row) => canEndWebhook(access, row))
    .map((row) => (canManageWebhook(access, row) ? row : maskAddress(row)));
  return toWebhookViews(context, access.documentId, listed);
}

/** Subscriptions of a document in the form of responses. */
export async function toWebhookViews(
  { documents }: Pick<ServiceContext, 'documents'>,
  document: string,
  rows: readonly WebhookRow[],
): Promise<readonly WebhookView[]> {
  const isFollowing = rows.some(({ watch, damage }) => watch !== null && damage.length === 0);
  const sheets = isFollowing ? ((await (await documents.open(document))?.readSnapshot())?.sheets ?? []) : [];
  return rows.map((row) => toWebhookView(row, sheets));
}

/**
 * Creates a subscription. The secret is returned only in this reply, and again if the request is repeated with its key.
 */
export async function createWebhook(
  context: ServiceContext,
  action: AccessAction<DocumentAccess>,
  webhook: NewWebhook,
): Promise<WriteReply | Refusal> {
  const wrong = webhook.channel === 'http' ? checkReceiverUrl(context, webhook.url) : null;
  if (wrong !== null) return wrong;
  return withAccessRetry(context, action, async (access) => {
    if (access.type !== 'table') return NOT_TABLE;
    const { caller, documentId } = access;
    const limit = caller.plan.webhooksPerDocument ?? Number.MAX_SAFE_INTEGER;
    if (limit === 0) return PLAN_FORBIDS;
    const watch = webhook.watch && (await resolveStoredWatch(context, access, webhook.watch));
    if (isRefusal(watch)) return watch;
    const token = describeToken(caller);
    const secret = generateSecret();
    const isHttp = webhook.channel === 'http';
    const row = {
      channel: webhook.channel,
      url: isHttp ? webhook.url : null,
      chat_id: isHttp ? null : webhook.chatId,
      events: JSON.stringify(webhook.events),
      user_id: caller.userId,
      token_name: token.name,
      created_at: context.clock(),
      watch: watch && JSON.stringify(watch),
      listening_until: null,
    };
    const buildReplyBody = (id: number): object => {
      const shown = toWebhookView({ ...row, id, active: 1, inactive_reason: null, damage: [] }, []);
      return isHttp ? { webhook: shown, secret } : { webhook: shown };
    };
    const guards = buildAccessGuard(access);
    const outcome = await context.database.write({
      document: documentId,
      statements: [
        ...guards,
        insertWebhook({
          ...row,
          document_id: documentId,
          bot_token: isHttp ? null : context.secrets.seal(webhook.botToken),
          secret: isHttp ? context.secrets.seal(secret) : null,
          token_id: token.id,
          limit,
        }),
        beginWindows({ document_id: documentId }),
        ...buildSubscriptionAudit(access, 'webhook.create', { ...row, id: null }, row.created_at),
        ...keepSealedReply(context, action.keyed, buildReplyBody(UNKNOWN_WEBHOOK_ID)),
        ...(action.keyed === null ? [] : [keepWebhookId(action.keyed)]),
      ],
    });
    if (outcome.kind === 'committed') {
      return { kind: 'done', body: buildReplyBody(Number(outcome.results[guards.length]?.rows[0]?.['id'])) };
    }
    return outcome.conflict === WEBHOOKS_FULL ? WEBHOOK_LIMIT : outcome;
  });
}

/**
 * The watched range or records with their place, as a subscription stores them; refused if they are unknown or hidden.
 */
async function resolveStoredWatch(
  context: ServiceContext,
  access: DocumentAccess,
  { range, key }: { readonly range: string; readonly key: readonly string[] },
): Promise<StoredWatch | Refusal> {
  const snapshot = await openTable(context, access);
  if (isRefusal(snapshot)) return snapshot;
  const trail = await resolveTrail(access, { range, key }, snapshot, snapshot.revision, readNoMoves);
  return isRefusal(trail) ? trail : { range, key, place: toWatchedArea(trail, snapshot.revision) };
}

/** Plans to delete a subscription. Nothing more is sent, including pending deliveries. */
export async function planWebhookDeletion(
  context: ServiceContext,
  access: DocumentAccess,
  id: number,
): Promise<PlannedChange<null> | Refusal> {
  const { documentId: document } = access;
  const rows = await context.database.read(webhooksOf({ document_id: document }));
  const row = rows.find((one) => one.id === id);
  if (row === undefined) return WEBHOOK_NOT_FOUND;
  if (!canEndWebhook(access, row)) return ROLE_FORBIDS;
  const now = context.clock();
  return {
    document,
    statements: [
      deleteRow({ document_id: document, id }),
      cancelWaitingDeliveries({ document_id: document, webhook_id: id, now }),
      ...buildSubscriptionAudit(access, 'webhook.delete', row, now),
    ],
    result: null,
  };
}

/** The creator of a subscription, which is not known if the row is damaged. */
interface CreatedRow {
  readonly user_id: number;
  readonly damage: readonly RowDamage[];
}

/**
 * True if the caller may change a subscription and see its deliveries. These contain what the creator sees of the
 * document, and the receiver's responses.
 */
export function canManageWebhook({ role, caller }: DocumentAccess, row: CreatedRow): boolean {
  return role === 'owner' || isCreator(caller, row);
}

/** True if the caller may see that a subscription exists and end it. */
function canEndWebhook({ role, caller }: DocumentAccess, row: CreatedRow): boolean {
  return canWrite(role) || isCreator(caller, row);
}

function isCreator({ userId }: Caller, { user_id, damage }: CreatedRow): boolean {
  return userId === user_id && !damage.some(({ sums }) => sums.includes('facts_sum'));
}

/** The log entry for an action on a subscription. `access` is null for the operator. */
export function buildSubscriptionAudit(
  access: DocumentAccess | null,
  action: AuditAction,
  { id, url, chat_id }: AuditedReceiver,
  time: number,
): readonly Statement[] {
  const subscription = { id, address: url ?? chat_id ?? '' };
  return access === null ? [] : buildAuditStatements(access, [{ action, range: '', cells: 0, subscription }], time);
}

/** `id` null: the subscription that the same unit creates. */
interface AuditedReceiver {
  readonly id: number | null;
  readonly url: string | null;
  readonly chat_id: string | null;
}

/**
 * The refusal of a receiver's address; null: valid. A host name is resolved, and its addresses checked, before each
 * delivery.
 */
export function checkReceiverUrl(context: ServiceContext, text: string): Refusal | null {
  if (text.length > MAX_WEBHOOK_URL_LENGTH) {
    return invalidRequest('url', `url must not have more than ${MAX_WEBHOOK_URL_LENGTH} characters`);
  }
  // The URL parser drops tabs and line breaks and encodes other control characters, so the address would change.
  if (CONTROL_CHARACTERS.test(text)) return invalidRequest('url', 'url must not hold control characters');
  const url = URL.parse(text);
  if (url === null || !PROTOCOLS.includes(url.protocol)) {
    return invalidRequest('url', 'url must be an http or https address');
  }
  if (url.username !== '' || url.password !== '') {
    return invalidRequest('url', 'url must not hold a user name or password');
  }
  if (url.port === '0') return invalidRequest('url', 'url must not have port 0: nothing can listen on it');
  const networks = createNetworks(context.config.notifications.allowPrivateNetworks);
  if (networks.allowsHost(url.hostname)) return null;
  return invalidRequest('url', 'url must not lead to a private, loopback or link-local address');
}

interface WebhookRow {
  readonly id: number;
  readonly channel: 'http' | 'messenger';
  readonly url: string | null;
  readonly chat_id: string | null;
  readonly events: string;
  readonly active: number;
  readonly token_name: string | null;
  readonly created_at: number;
  readonly inactive_reason: string | null;
  readonly watch: string | null;
  readonly damage: readonly RowDamage[];
}

/** Number of trailing characters of a chat id that other users see. */
const SHOWN_OF_CHAT = 2;

/** The row with the origin of its URL only, and with the end of its chat id only. */
function maskAddress(row: WebhookRow): WebhookRow {
  return {
    ...row,
    url: row.url === null ? null : (URL.parse(row.url)?.origin ?? ''),
    chat_id:
      row.chat_id === null
        ? null
        : `***${row.chat_id.length > 2 * SHOWN_OF_CHAT ? row.chat_id.slice(-SHOWN_OF_CHAT) : ''}`,
  };
}

/**
 * The subscription as the API shows it. `sheets` are the current sheets, for names in its range; if empty, the range is
 * shown as stored.
 */
function toWebhookView(row: WebhookRow, sheets: readonly SheetEntry[]): WebhookView {
  if (row.damage.length > 0) return toDamagedView(row);
  return {
    id: row.id,
    channel: row.channel,
    events: parseStoredList<string>(row.events, 'The events of a subscription'),
    active: row.active === 1,
    createdAt: new Date(row.created_at).toISOString(),
    ...(row.url === null ? {} : { url: row.url }),
    token: row.token_name ?? '',
    ...(row.chat_id === null ? {} : { chatId: row.chat_id }),
    ...(row.inactive_reason === null ? {} : { inactiveReason: row.inactive_reason }),
    ...toWatchView(row.watch, sheets),
  };
}

/** A subscription with a damaged row, without what may not be readable. It delivers nothing. */
function toDamagedView({ id, channel, created_at, url, token_name, chat_id }: WebhookRow): WebhookView {
  return {
    ...{ id, channel, events: [], active: false, createdAt: formatStoredTime(created_at) },
    ...(url === null ? {} : { url }),
    token: token_name ?? '',
    ...(chat_id === null ? {} : { chatId: chat_id }),
    inactiveReason: 'damaged',
  };
}

/** The watched range with the current sheet name, and the key columns; empty if everything is watched. */
function toWatchView(text: string | null, sheets: readonly SheetEntry[]): Pick<WebhookView, 'range' | 'key'> {
  if (text === null) return {};
  const watch = parseStoredJson<StoredWatch>(text, 'The watched cells of a subscription');
  return { range: formatCurrentRange(watch, sheets), ...(watch.key.length === 0 ? {} : { key: watch.key }) };
}

/** The followed range with the current name of its sheet, also if the stored text has no sheet. */
function formatCurrentRange({ range, place }: StoredWatch, sheets: readonly SheetEntry[]): string {
  const sheet = sheets.find(({ id }) => id === place.sheet);
  const parsed = parseRange(range);
  if (sheet === undefined || place.table !== null || isRefusal(parsed)) return range;
  if (parsed.sheet === null) return sheets[0] === sheet ? range : formatQualifiedRange(sheet.name, range);
  if (parsed.sheet === sheet.name) return range;
  const cells = splitSheetPrefix(range);
  if (cells?.sheet != null && cells.rest !== '') return formatQualifiedRange(sheet.name, cells.rest);
  // A text without cells names the whole sheet or is a defined name.
  const isWhole = place.area?.openRows === true && place.area.openColumns;
  return isWhole ? quoteSheetName(sheet.name) : range;
}
