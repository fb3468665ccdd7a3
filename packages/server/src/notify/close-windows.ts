import { randomUUID } from 'node:crypto';
import type { Statement } from '@cellwire/store';
import { formatStructure, parseStoredJson, parseStoredList } from '@cellwire/store/stored-forms';
import {
  activeSubscriptions,
  type ChangedSheet,
  deactivateSubscription,
  insertDelivery,
  insertNotification,
  moveWatch,
  type StoredWatch,
} from '@cellwire/store/webhooks';
import type { DocumentReading, SheetEntry } from '../documents/types.ts';
import { publishOperations, publishRecords, publishSheets } from '../service/changes/publishing.ts';
import { type CreatorRights, readRightsOfCreators } from '../service/webhooks/subscription-rights.ts';
import type { DueSubscription } from './dispatcher.ts';
import { computeNextWatch, openFollowedChanges } from './followed-changes.ts';
import { gatherWindow, type WindowContent } from './gather-window.ts';
import type { GatheringEnvironment } from './gathering-environment.ts';
import type { OpenWindow } from './grouping.ts';
import { EVENT } from './payload.ts';

export interface WindowCloserEnvironment extends GatheringEnvironment {
  readonly maxCells: number;
}

/** An active subscription, the sheets that its creator may not see, and the cells that it follows. */
interface NotifiedSubscription {
  readonly id: number;
  readonly channel: 'http' | 'messenger';
  readonly url: string | null;
  /** The user who created the subscription. */
  readonly user: number;
  /** Whether a `webhook listen` process sends its deliveries in place of the service. */
  readonly isRelayed: boolean;
  readonly since: number;
  readonly hidden: readonly number[];
  readonly watch: StoredWatch | null;
}

interface NotificationWrites {
  readonly statements: readonly Statement[];
  /** Subscriptions that get a delivery. */
  readonly newlyDue: readonly DueSubscription[];
}

/** Windows that have closed. All later windows begin after the revision `grouped`. */
interface ClosedWindows {
  readonly closed: readonly OpenWindow[];
  readonly grouped: number;
}

/** Builds the notifications and deliveries of closed windows. Null: the document no longer exists. */
export async function closeWindows(
  environment: WindowCloserEnvironment,
  document: string,
  { closed, grouped }: ClosedWindows,
  now: number,
): Promise<NotificationWrites | null> {
  const { notified, endings } = await findSubscriptions(environment, document, now);
  if (notified.length === 0) return { statements: endings, newlyDue: [] };
  const reading = (await (await environment.documents.open(document))?.readLatest()) ?? null;
  if (reading === null) return null;
  const statements = [...endings];
  const newlyDue = new Map<number, DueSubscription>();
  for (const window of closed) {
    for (const group of groupSubscriptions(window, notified)) {
      const written = await notifyGroup(environment, document, window, { group, reading, now });
      statements.push(...written.statements);
      for (const subscription of written.newlyDue) newlyDue.set(subscription.id, subscription);
    }
  }
  if (notified.some(({ watch }) => (watch?.key.length ?? 0) > 0))
    environment.publishedStates.cacheState(document, reading);
  for (const { id, watch } of notified) {
    const moved = watch && (await computeNextWatch(environment, document, watch, reading, grouped));
    if (moved !== null) statements.push(moveWatch({ document_id: document, id, watch: JSON.stringify(moved) }));
  }
  return { statements, newlyDue: [...newlyDue.values()] };
}

const NO_WRITES: NotificationWrites = { statements: [], newlyDue: [] };

interface NotifiedGroup {
  readonly group: SubscriptionGroup;
  readonly reading: DocumentReading;
  readonly now: number;
}

/** Builds the notification of a window for subscriptions that share it. Nothing, if none of them may see a change. */
async function notifyGroup(
  environment: WindowCloserEnvironment,
  document: string,
  window: OpenWindow,
  { group: { start, watch, hidden, subscriptions }, reading, now }: NotifiedGroup,
): Promise<NotificationWrites> {
  const followed =
    watch && (await openFollowedChanges(environment, document, { watch, hidden }, reading, { first: start, now }));
  if (watch !== null && followed === null) return NO_WRITES;
  const change = await gatherWindow(environment, document, { ...window, first: start }, followed);
  if (change === null) return NO_WRITES;
  const presentSheets = reading.snapshot.sheets;
  const sheets = change.cells.toChangedSheets(presentSheets, environment.maxCells);
  const receivers = subscriptions.filter((subscription) =>
    hasVisibleChange(change, sheets, subscription, presentSheets),
  );
  if (receivers.length === 0) return NO_WRITES;
  const notificationId = randomUUID();
  const notification = insertNotification({
    document_id: document,
    id: notificationId,
    kind: 'change',
    ...change.row,
    sheets: JSON.stringify(sheets),
    structure: formatStructure(change.structure),
    records: change.records && JSON.stringify(change.records),
    created_at: now,
  });
  return {
    statements: [
      notification,
      ...receivers.map((receiver) => buildDeliveryInsert(document, notificationId, receiver, now)),
    ],
    newlyDue: receivers.flatMap(({ id, channel, url, user, isRelayed }) =>
      isRelayed ? [] : [{ id, document, channel, url, user }],
    ),
  };
}

/**
 * Whether the subscription's creator may see any of the changes. Empty notifications are never sent.
 * A subscription that follows records is notified of changed records only.
 */
function hasVisibleChange(
  { structure, records }: WindowContent,
  changed: readonly ChangedSheet[],
  { hidden }: NotifiedSubscription,
  sheets: readonly SheetEntry[],
): boolean {
  const reader = { hiddenSheets: new Set(hidden) };
  const visibleRecords = publishRecords(records, reader);
  if (records !== null) return visibleRecords !== null && (visibleRecords.list.length > 0 || visibleRecords.isCut);
  if (publishSheets(changed, reader).some(({ count }) => count > 0)) return true;
  return publishOperations(structure, reader, { sheets, touched: changed.map(({ id }) => id) }).length > 0;
}

interface SubscriptionsToNotify {
  readonly notified: readonly NotifiedSubscription[];
  /** Statements that deactivate subscriptions whose creators may no longer see the document. */
  readonly endings: readonly Statement[];
}

/** The subscriptions to notify, and statements that end subscriptions whose creator lost access. */
async function findSubscriptions(
  { database }: WindowCloserEnvironment,
  document: string,
  now: number,
): Promise<SubscriptionsToNotify> {
  const notified: NotifiedSubscription[] = [];
  const endings: Statement[] = [];
  const active = await database.read(activeSubscriptions({ document_id: document }));
  const rows = active.filter(
    ({ damage, events }) =>
      damage.length === 0 && parseStoredList(events, 'The events of a subscription').includes(EVENT),
  );
  const rightsOfEach = rows.length === 0 ? [] : await readRightsOfCreators(database, document, rows, now);
  for (const [i, row] of rows.entries()) {
    const rights = rightsOfEach[i] as CreatorRights;
    if (rights.kind === 'lost') {
      endings.push(deactivateSubscription({ document_id: document, id: row.id, reason: rights.reason }));
      continue;
    }
    if (rights.kind === 'damaged') continue;
    const { id, channel, url, user_id: user, since_revision: since, listening_until: listeningUntil } = row;
    const watch =
      row.watch === null ? null : parseStoredJson<StoredWatch>(row.watch, 'The watched cells of a subscription');
    const hidden = [...rights.hiddenSheets].sort();
    notified.push({ id, channel, url, user, isRelayed: listeningUntil !== null, since, hidden, watch });
  }
  return { notified, endings };
}

/** Subscriptions with the same filter and start revision. They share one notification. */
interface SubscriptionGroup {
  readonly start: number;
  readonly watch: StoredWatch | null;
  /**
   * Sheets hidden from all subscriptions of the group. Empty for subscriptions to the whole document: their attempts
   * leave hidden sheets out.
   */
  readonly hidden: ReadonlySet<number>;
  readonly subscriptions: readonly NotifiedSubscription[];
}

/** Groups subscriptions for one window. A subscription that was created during the window gets only later changes. */
function groupSubscriptions(
  window: OpenWindow,
  subscriptions: readonly NotifiedSubscription[],
): readonly SubscriptionGroup[] {
  const groups = new Map<string, SubscriptionGroup>();
  for (const subscription of subscriptions) {
    if (subscription.since >= window.last) continue;
    const start = Math.max(window.first, subscription.since + 1);
    const { watch } = subscription;
    const hidden = watch === null ? [] : subscription.hidden;
    const key = JSON.stringify([start, watch, hidden]);
    const members = [...(groups.get(key)?.subscriptions ?? []), subscription];
    groups.set(key, { start, watch, hidden: new Set(hidden), subscriptions: members });
  }
  return [...groups.values()];
}

/** The statement that creates the delivery of a notification to one subscription. */
function buildDeliveryInsert(
  document: string,
  notification: string,
  { id, hidden }: NotifiedSubscription,
  now: number,
): Statement {
  return insertDelivery({
    document_id: document,
    id: randomUUID(),
    webhook_id: id,
    notification_id: notification,
    hidden: JSON.stringify(hidden),
    created_at: now,
  });
}
