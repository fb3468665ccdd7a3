import type { ServerResponse } from 'node:http';
import type { DocumentAccess } from '../../access/access.ts';
import type { Credentials } from '../../access/callers.ts';
import type { WatchRequest } from '../../service/changes/watch.ts';
import type { NewsPosition } from '../../service/proposals/news.ts';

/** Up to where a reader was told, and what is told next. Readers who were told the same share one object. */
export interface StreamCursor {
  /** The last revision that was sent, and the history that it is of; null: the reader did not say. */
  readonly position: number;
  readonly incarnation: string | null;
  /** Only what happens there is told; where it is by `position`. Null: everything. */
  readonly watch: WatchRequest | null;
  /** Whether changed cells are told with their values. */
  readonly values: boolean;
  /** Whether it is told how cells changed places; for the console. */
  readonly places?: boolean;
  /** Up to where it was told of proposals. */
  readonly proposals: NewsPosition;
}

/** A reader of a document's changes, while its connection lasts. */
export class EventStream {
  readonly response: ServerResponse;
  readonly credentials: Credentials;
  readonly document: string;
  readonly user: number;
  /** It is being told something, or has not yet taken what it was sent. */
  isBusy = false;
  /** The news of its document that it was told of last, see `FollowedDocument`. */
  seenNews = -1;
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
    this.key = groupKey(access, cursor);
  }

  /** The reader's rights as they were found last. */
  get access(): DocumentAccess {
    return this.rights;
  }

  set access(access: DocumentAccess) {
    this.rights = access;
    this.key = groupKey(access, this.place);
  }

  get cursor(): StreamCursor {
    return this.place;
  }

  set cursor(cursor: StreamCursor) {
    this.place = cursor;
    this.key = groupKey(this.rights, cursor);
  }

  /** Streams with equal keys are told the same. */
  get groupKey(): string {
    return this.key;
  }
}

function groupKey({ epoch, hiddenSheets }: DocumentAccess, cursor: StreamCursor): string {
  return `${epoch} ${keyOf(hiddenSheets, hiddenSheetsKeys, hiddenSheetsKey)} ${keyOf(cursor, cursorKeys, JSON.stringify)}`;
}

/** Keys by object: the many readers of a document share their objects. */
const hiddenSheetsKeys = new WeakMap<ReadonlySet<number>, string>();
const cursorKeys = new WeakMap<StreamCursor, string>();

function keyOf<T extends object>(object: T, known: WeakMap<T, string>, make: (object: T) => string): string {
  const held = known.get(object) ?? make(object);
  known.set(object, held);
  return held;
}

function hiddenSheetsKey(sheets: ReadonlySet<number>): string {
  return [...sheets].sort((a, b) => a - b).join();
}
