import type { ServerResponse } from 'node:http';
import type { DocumentAccess } from '../../access/access.ts';
import type { Credentials } from '../../access/callers.ts';
import type { WatchRequest } from '../../service/changes/watch.ts';
import type { NewsPosition } from '../../service/proposals/news.ts';

/** How far a reader has been served, and what to send next. Readers that received the same share one object. */
export interface StreamCursor {
  /** The last revision sent, and the history it belongs to; null: the reader did not say. */
  readonly position: number;
  readonly incarnation: string | null;
  /** Only changes of these cells are sent; the cells are located at `position`. Null: all changes. */
  readonly watch: WatchRequest | null;
  /** Whether changed cells are sent with their values. */
  readonly values: boolean;
  /** Whether moves of cells are sent; for the console. */
  readonly places?: boolean;
  /** Position of the reader among the events of proposals. */
  readonly proposals: NewsPosition;
}

/** A reader of a document's changes, for the duration of its connection. */
export class EventStream {
  readonly response: ServerResponse;
  readonly credentials: Credentials;
  readonly document: string;
  readonly user: number;
  /** A send is in progress, or the reader has not yet received the last one. */
  isBusy = false;
  /** Value of the document's signal counter at the last send; see `FollowedDocument`. */
  seenSignals = -1;
  private rights: DocumentAccess;
  private place: StreamCursor;
  private key: string;

  constructor(response: ServerResponse, credentials: Credentials, access: DocumentAccess, cursor: StreamCursor) {
    this.response = response;
    this.credentials = credentials;
    this.document = access.documentId;
    this.user = access.caller.userId;
    this.rights = access;
    this.place = cursor;
    this.key = createGroupKey(access, cursor);
  }

  /** The reader's rights at the last check. */
  get access(): DocumentAccess {
    return this.rights;
  }

  set access(access: DocumentAccess) {
    this.rights = access;
    this.key = createGroupKey(access, this.place);
  }

  get cursor(): StreamCursor {
    return this.place;
  }

  set cursor(cursor: StreamCursor) {
    this.place = cursor;
    this.key = createGroupKey(this.rights, cursor);
  }

  /** Streams with equal keys receive the same events. */
  get groupKey(): string {
    return this.key;
  }
}

/** The same text for streams that get the same events: equal rights, hidden sheets and cursor. */
function createGroupKey({ epoch, hiddenSheets }: DocumentAccess, cursor: StreamCursor): string {
  return `${epoch} ${getOrMakeKey(hiddenSheets, hiddenSheetsKeys, formatHiddenSheetsKey)} ${getOrMakeKey(cursor, cursorKeys, JSON.stringify)}`;
}

/** Cached keys: the many readers of a document share these objects. */
const hiddenSheetsKeys = new WeakMap<ReadonlySet<number>, string>();
const cursorKeys = new WeakMap<StreamCursor, string>();

/** The cached key of an object. */
function getOrMakeKey<T extends object>(object: T, keys: WeakMap<T, string>, make: (object: T) => string): string {
  const key = keys.get(object) ?? make(object);
  keys.set(object, key);
  return key;
}

function formatHiddenSheetsKey(sheets: ReadonlySet<number>): string {
  return [...sheets].sort((a, b) => a - b).join();
}
