import type { MaybePromise } from '@cellwire/event-loop';
import type { WatchRequest } from '../service/changes/watch.ts';
import type { Refusal } from '../service/refusal.ts';
import type { WriteReply } from '../service/reply.ts';

/** A part of a body of JSON: a text, or bytes in UTF-8. */
export type JsonPart = string | Uint8Array;

/** What an operation answers. */
export type OperationAnswer = WriteReply | AnswerContent | TaggedAnswer | FileAnswer | EventsAnswer;

/** What can be sent as it is. */
export type AnswerContent =
  | { readonly kind: 'json'; readonly body: object }
  /** JSON in parts that are ready: cells are never made objects of. */
  | { readonly kind: 'parts'; readonly parts: readonly JsonPart[] }
  /** JSON in pieces that are made while they are sent. */
  | { readonly kind: 'pieces'; readonly pieces: Iterable<string> }
  /** Lines of JSON that are made while they are sent; the header names the revision, at which a broken stream goes on. */
  | { readonly kind: 'lines'; readonly lines: Iterable<string>; readonly revision: number }
  /** Lines that tell of commits as they are made. */
  | { readonly kind: 'batchLines'; readonly lines: AsyncIterable<string> };

/** An answer that a caller may have already. */
export interface TaggedAnswer {
  readonly kind: 'tagged';
  /** Names the content (`ETag`). A function where making the name costs time. */
  readonly tag: string | (() => string);
  /** The tag of the call's `ifNoneMatch` that still holds, where other tags than `tag` may hold; null: none. */
  readonly heldTag?: MaybePromise<string | null>;
  /** The call may ask for JSON or for lines at the same address. */
  readonly hasForms?: boolean;
  /** Names what the caller sees of the document's state; adapters may keep the answer under it. Absent: not kept. */
  readonly cacheKey?: string;
  /** Of the state that is shown. The console keeps the cells of a page at one revision. */
  readonly revision?: number;
  readonly content: () => MaybePromise<AnswerContent | Refusal>;
}

/** A document as a file. */
export interface FileAnswer {
  readonly kind: 'file';
  readonly tag: string;
  /** Null: the caller has it already. */
  readonly file: { readonly path: string; readonly name: string; readonly contentType: string } | null;
  /** How many things the file does not hold as they are. */
  readonly notes: number;
  /** Sent in place of the file. */
  readonly report: object | null;
}

/** Changes that the caller follows as they are made. */
export interface EventsAnswer {
  readonly kind: 'events';
  readonly from: FollowStart;
}

/** Where following begins, and what is told. */
export interface FollowStart {
  /** The last revision that the caller knows, and the history that it is of; null: the caller did not say. */
  readonly position: number;
  readonly incarnation: string | null;
  /** Only what happens there is told; where it is by `position`. Null: everything. */
  readonly watch: WatchRequest | null;
  /** Whether changed cells are told with their values. */
  readonly values: boolean;
  /** Whether it is told how cells changed places; for the console. */
  readonly places: boolean;
}

export function json(body: object): AnswerContent {
  return { kind: 'json', body };
}
