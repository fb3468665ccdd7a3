import { randomUUID } from 'node:crypto';
import type { Statement } from '@cellwire/store';
import { formatStructure } from '@cellwire/store/stored-forms';
import {
  activeSubscriptions,
  type ChangedSheet,
  deactivateSubscription,
  insertDelivery,
  insertNotification,
  moveWatch,
  type StoredWatch,
} from '@cellwire/store/webhooks';
import type { SheetEntry } from '../documents/types.ts';
import { publishOperations, publishRecords, publishSheets } from '../service/changes/publishing.ts';
import { type CreatorRights, rightsOfCreators } from '../service/webhooks/subscription-rights.ts';
import type { NewlyDue } from './dispatcher.ts';
import { followedBy, movedWatch } from './followed.ts';
import { type Gathered, gather } from './gather.ts';
import type { GatheringEnvironment } from './gathering-environment.ts';
import type { OpenWindow } from './grouping.ts';
import { EVENT } from './payload.ts';

export interface ClosingEnvironment extends GatheringEnvironment {
  readonly maxCells: number;
}

/** A subscription that gets notifications, the sheets that its creator may not see, and what it follows. */
interface Listener {
  readonly id: number;
  readonly channel: 'http' | 'messenger';
  readonly url: string | null;
  /** The user who made the subscription. */
  readonly user: number;
  /** A `webhook listen` process sends its deliveries, not the service. */
  readonly isRelayed: boolean;
  readonly since: number;
  readonly hidden: readonly number[];
  readonly watch: StoredWatch | null;
}

interface Closing {
  readonly statements: readonly Statement[];
  /** Subscriptions that get a delivery. */
  readonly newlyDue: readonly NewlyDue[];
}

/** Windows that are over; every later one begins after `grouped`. */
interface Closed {
  readonly closed: readonly OpenWindow[];
  readonly grouped: number;
}

/** Null: the document is not there any more. */
export async function closeWindows(
  environment: ClosingEnvironment,
  document: string,
  { closed: windows, grouped }: Closed,
  now: number,
): Promise<Closing | null> {
  const statements: Statement[] = [];
  const listeners = await listenersOf(environment, document, now, statements);
  const newlyDue = new Map<number, NewlyDue>();
  if (listeners.length === 0) return { statements, newlyDue: [] };
  const reading = (await (await environment.documents.open(document))?.latest()) ?? null;
  if (reading === null) return null;
  for (const window of windows) {
    for (const { start, watch, hidden, told } of groupsOf(window, listeners)) {
      const followed =
        watch && (await followedBy(environment, document, { watch, hidden }, reading, { first: start, now }));
      if (watch !== null && followed === null) continue;
      const change = await gather(environment, document, { ...window, first: start }, followed);
      if (change === null) continue;
      const sheets = change.cells.fix(reading.snapshot.sheets, environment.maxCells);
      const listening = told.filter((listener) => hasNews(change, sheets, listener, reading.snapshot.sheets));
      if (listening.length === 0) continue;
      const id = randomUUID();
      statements.push(
        insertNotification({
          document_id: document,
          id,
          kind: 'change',
          ...change.row,
          sheets: JSON.stringify(sheets),
          structure: formatStructure(change.structure),
          records: change.records && JSON.stringify(change.records),
          created_at: now,
        }),
      );
      for (const listener of listening) {
        statements.push(deliveryTo(document, id, listener, now));
        const { id: subscription, channel, url, user, isRelayed } = listener;
        if (!isRelayed) newlyDue.set(subscription, { id: subscription, document, channel, url, user });
      }
    }
  }
  if (listeners.some(({ watch }) => (watch?.key.length ?? 0) > 0)) environment.told.keep(document, reading);
  for (const { id, watch } of listeners) {
    const moved = watch && (await movedWatch(environment, document, watch, reading, grouped));
    if (moved !== null) statements.push(moveWatch({ document_id: document, id, watch: JSON.stringify(moved) }));
  }
  return { statements, newlyDue: [...newlyDue.values()] };
}

/**
 * Whether there is anything that a listener may be told: a notification never says nothing (decisions §10.10). Who
 * follows records hears of those alone.
 */
function hasNews(
  { structure, records }: Gathered,
  changed: readonly ChangedSheet[],
  { hidden }: Listener,
  sheets: readonly SheetEntry[],
): boolean {
  const reader = { hiddenSheets: new Set(hidden) };
  const visibleRecords = publishRecords(records, reader);
  if (records !== null) return visibleRecords !== null && (visibleRecords.list.length > 0 || visibleRecords.isCut);
  if (publishSheets(changed, reader).some(({ count }) => count > 0)) return true;
  return publishOperations(structure, reader, { sheets, touched: changed.map(({ id }) => id) }).length > 0;
}

/** Who is to be told. A subscription whose creator may not see the document any more is made inactive. */
async function listenersOf(
  { database }: ClosingEnvironment,
  document: string,
  now: number,
  statements: Statement[],
): Promise<readonly Listener[]> {
  const listeners: Listener[] = [];
  const active = await database.read(activeSubscriptions({ document_id: document }));
  const rows = active.filter(({ events }) => (JSON.parse(events) as string[]).includes(EVENT));
  const rightsOfEach = rows.length === 0 ? [] : await rightsOfCreators(database, document, rows, now);
  for (const [i, row] of rows.entries()) {
    const rights = rightsOfEach[i] as CreatorRights;
    if (rights.kind === 'lost')
      statements.push(deactivateSubscription({ document_id: document, id: row.id, reason: rights.reason }));
    else {
      const watch = row.watch === null ? null : (JSON.parse(row.watch) as StoredWatch);
      const { id, channel, url, since_revision: since } = row;
      const isRelayed = row.listening_until !== null;
      listeners.push({
        id,
        channel,
        url,
        user: row.user_id,
        isRelayed,
        since,
        hidden: [...rights.hiddenSheets].sort(),
        watch,
      });
    }
  }
  return listeners;
}

/** Listeners that are told the same, from the same revision on. */
interface Group {
  readonly start: number;
  readonly watch: StoredWatch | null;
  /** Sheets that none of them sees; of those who are told everything it is left to the attempt. */
  readonly hidden: ReadonlySet<number>;
  readonly told: readonly Listener[];
}

/** A subscription made while a window was open hears only of what came after it. */
function groupsOf(window: OpenWindow, listeners: readonly Listener[]): readonly Group[] {
  const groups = new Map<string, Group>();
  for (const listener of listeners) {
    if (listener.since >= window.last) continue;
    const start = Math.max(window.first, listener.since + 1);
    const { watch } = listener;
    const hidden = watch === null ? [] : listener.hidden;
    const key = JSON.stringify([start, watch, hidden]);
    const told = [...(groups.get(key)?.told ?? []), listener];
    groups.set(key, { start, watch, hidden: new Set(hidden), told });
  }
  return [...groups.values()];
}

function deliveryTo(document: string, notification: string, { id, hidden }: Listener, now: number): Statement {
  return insertDelivery({
    document_id: document,
    id: randomUUID(),
    webhook_id: id,
    notification_id: notification,
    hidden: JSON.stringify(hidden),
    created_at: now,
  });
}
