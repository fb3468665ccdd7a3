import type { MaybePromise } from '@cellwire/event-loop';
import type { WatchRequest } from '../service/changes/watch.ts';
import type { Refusal } from '../service/refusal.ts';
import type { WriteReply } from '../service/reply.ts';

/** A part of a JSON body: a text, or UTF-8 bytes. */
export type JsonPart = string | Uint8Array;

/** The answer of an operation. */
export type OperationAnswer = WriteReply | AnswerContent | TaggedAnswer | FileAnswer | EventsAnswer;

/** Content that adapters can send without further work. */
export type AnswerContent =
  | { readonly kind: 'json'; readonly body: object }
  /** JSON in serialized parts. Cells are not converted to objects. `isAscii`: one part, of ASCII characters. */
  | { readonly kind: 'parts'; readonly parts: readonly JsonPart[]; readonly isAscii?: boolean }
  /** JSON in pieces that are generated while they are sent. */
  | { readonly kind: 'pieces'; readonly pieces: Iterable<string> }
  /** NDJSON that is generated while it is sent. A header has the revision, so that a broken stream can be resumed. */
  | { readonly kind: 'lines'; readonly lines: Iterable<string>; readonly revision: number }
  /** NDJSON that reports commits while they are made. */
  | { readonly kind: 'batchLines'; readonly lines: AsyncIterable<string> };

/** An answer with an ETag. The caller may already have it. */
export interface TaggedAnswer {
  readonly kind: 'tagged';
  /** The `ETag` of the content, or a function that computes it. */
  readonly tag: string | (() => string);
  /** A tag in the call's `ifNoneMatch` that is still valid although it may differ from `tag`; null: none. */
  readonly heldTag?: MaybePromise<string | null>;
  /** Whether the same address has a JSON form and an NDJSON form. */
  readonly hasForms?: boolean;
  /**
   * Computes the key of what the caller sees of the document's state. Adapters may cache the answer under it. Absent: not
   * cached.
   */
  readonly cacheKey?: () => string;
  /** Revision of the content. The console keeps the cells of a page at one revision. */
  readonly revision?: number;
  readonly content: () => MaybePromise<AnswerContent | Refusal>;
}

/** A document as a file. */
export interface FileAnswer {
  readonly kind: 'file';
  readonly tag: string;
  /** Null: the caller already has the file. */
  readonly file: { readonly path: string; readonly name: string; readonly contentType: string } | null;
  /** Number of entries in the report of what the file does not contain. */
  readonly notes: number;
  /** Report that is sent in place of the file; null: the file is sent. */
  readonly report: object | null;
}

/** A stream of changes that the caller follows. */
export interface EventsAnswer {
  readonly kind: 'events';
  readonly from: FollowStart;
}

/** The start position and the content of a stream of changes. */
export interface FollowStart {
  /** The last revision that the caller knows, and the data epoch (history) of the revision; null: not given. */
  readonly position: number;
  readonly incarnation: string | null;
  /** Cells that the caller follows, with their position at the revision `position`. Null: the whole document. */
  readonly watch: WatchRequest | null;
  /** Whether changed cells are sent with their values. */
  readonly values: boolean;
  /** Whether moves of cells are sent, which the console uses. */
  readonly places: boolean;
}

export function toJsonContent(body: object): AnswerContent {
  return { kind: 'json', body };
}
