import { randomUUID } from 'node:crypto';
import { type Documents, RECALCULATIONS } from '../documents/types.ts';
import { WINDOW_AREAS_BATCH } from '../limits/notify.ts';
import { creatorRights } from '../service/subscription-rights.ts';
import { commitAreas } from '../store/changes.ts';
import type { StoredOperation } from '../store/commits.ts';
import type { Database, Statement } from '../store/database.ts';
import { type ChangedSheet, insertDelivery, insertNotification, type StoredAuthor } from '../store/deliveries.ts';
import { activeSubscriptions, deactivate, namesOfUsers } from '../store/subscriptions.ts';
import { type OpenWindow, sourceOf } from './grouping.ts';
import { WindowCells } from './window-cells.ts';

export interface ClosingEnvironment {
  readonly database: Database;
  readonly documents: Documents;
  readonly maxCells: number;
}

/** A subscription that is to be told, and which sheets its creator may not see. */
interface Listener {
  readonly id: number;
  readonly since: number;
  readonly hidden: readonly number[];
}

interface Closing {
  readonly statements: readonly Statement[];
  /** Subscriptions that get a delivery. */
  readonly webhooks: readonly number[];
}

/** Null: the document is not there any more. */
export async function closeWindows(
  environment: ClosingEnvironment,
  document: string,
  windows: readonly OpenWindow[],
  now: number,
): Promise<Closing | null> {
  const statements: Statement[] = [];
  const listeners = await listenersOf(environment, document, now, statements);
  const webhooks = new Set<number>();
  if (listeners.length === 0) return { statements, webhooks: [] };
  const opened = await environment.documents.open(document);
  const snapshot = (await opened?.snapshot()) ?? null;
  if (snapshot === null) return null;
  for (const window of windows) {
    for (const [start, told] of byStart(window, listeners)) {
      const change = await gather(environment, document, { ...window, first: start });
      if (change === null) continue;
      const sheets = change.cells.fix(snapshot.sheets, environment.maxCells);
      const listening = told.filter((listener) => hasNews(change, sheets, listener));
      if (listening.length === 0) continue;
      const id = randomUUID();
      statements.push(
        insertNotification({
          document_id: document,
          id,
          kind: 'change',
          ...change.row,
          sheets: JSON.stringify(sheets),
          structure: JSON.stringify(change.structure),
          created_at: now,
        }),
      );
      for (const listener of listening) {
        statements.push(deliveryTo(document, id, listener, now));
        webhooks.add(listener.id);
      }
    }
  }
  return { statements, webhooks: [...webhooks] };
}

/** Whether there is anything that a listener may be told: a notification never says nothing (decisions §10.10). */
function hasNews({ structure }: Gathered, sheets: readonly ChangedSheet[], { hidden }: Listener): boolean {
  return structure.length > 0 || sheets.some(({ id, count }) => count > 0 && !hidden.includes(id));
}

/** Who is to be told. A subscription whose creator may not see the document any more is made inactive. */
async function listenersOf(
  { database }: ClosingEnvironment,
  document: string,
  now: number,
  statements: Statement[],
): Promise<readonly Listener[]> {
  const listeners: Listener[] = [];
  for (const row of await database.read(activeSubscriptions({ document_id: document }))) {
    const rights = await creatorRights(database, { document_id: document, ...row }, now);
    if (rights.kind === 'lost')
      statements.push(deactivate({ document_id: document, id: row.id, reason: rights.reason }));
    else listeners.push({ id: row.id, since: row.since_revision, hidden: [...rights.hiddenSheets] });
  }
  return listeners;
}

/** A subscription made while a window was open hears only of what came after it. */
function byStart(window: OpenWindow, listeners: readonly Listener[]): ReadonlyMap<number, readonly Listener[]> {
  const groups = new Map<number, Listener[]>();
  for (const listener of listeners) {
    if (listener.since >= window.last) continue;
    const start = Math.max(window.first, listener.since + 1);
    groups.set(start, [...(groups.get(start) ?? []), listener]);
  }
  return groups;
}

interface Gathered {
  readonly cells: WindowCells;
  /** Sheets that were added and deleted. */
  readonly structure: readonly StoredOperation[];
  readonly row: {
    readonly origin: 'api' | 'browser';
    readonly token_id: number | null;
    readonly token_name: string | null;
    readonly from_revision: number;
    readonly to_revision: number;
    readonly changed_at: number;
    /** JSON array of `StoredAuthor`. */
    readonly authors: string;
  };
}

/** What the source's own commits of a window changed; null where none is kept. */
async function gather({ database }: ClosingEnvironment, id: string, window: OpenWindow): Promise<Gathered | null> {
  const cells = new WindowCells();
  const structure: StoredOperation[] = [];
  const authors = new Set<number>();
  let row = null as Omit<Gathered['row'], 'authors'> | null;
  for (let after = window.first - 1; after < window.last; ) {
    const commits = await database.read(commitAreas({ id, after, to: window.last, limit: WINDOW_AREAS_BATCH }));
    const newest = commits.at(-1);
    if (newest === undefined) break;
    after = newest.revision;
    for (const commit of commits) {
      const { revision, at, origin, author_id, token_id, token_name } = commit;
      if (RECALCULATIONS.has(origin) || sourceOf(commit) !== window.source) continue;
      cells.add(commit.areas);
      structure.push(...operationsOf(commit.structure).filter(isTold));
      if (author_id !== null) authors.add(author_id);
      row = {
        origin: origin === BROWSER ? BROWSER : 'api',
        token_id,
        token_name,
        from_revision: row?.from_revision ?? revision,
        to_revision: revision,
        changed_at: at,
      };
    }
    // A long window is gathered in turns with everything else.
    await new Promise(setImmediate);
  }
  if (row === null) return null;
  return { cells, structure, row: { ...row, authors: JSON.stringify(await authorsOf(database, [...authors])) } };
}

function operationsOf(structure: string | null): readonly StoredOperation[] {
  return structure === null ? [] : (JSON.parse(structure) as StoredOperation[]);
}

/** Another name, or not being shown, is no change of what a document holds. */
function isTold(operation: StoredOperation): boolean {
  return 'addSheet' in operation || 'deleteSheet' in operation;
}

/** Origin of changes made in the browser; to receivers all others are the API's. */
const BROWSER = 'browser';

async function authorsOf(database: Database, ids: readonly number[]): Promise<readonly StoredAuthor[]> {
  return ids.length === 0 ? [] : database.read(namesOfUsers(ids));
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
