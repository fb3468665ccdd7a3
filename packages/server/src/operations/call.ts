import type { MaybePromise } from '@cellwire/event-loop';
import type { Access, DocumentAccess } from '../access/access.ts';
import type { Caller } from '../access/callers.ts';
import type { AccessRefusal } from '../access/refusal.ts';
import type { AccessAction } from '../service/access-retry.ts';
import type { ServiceContext } from '../service/context.ts';
import type { DocumentCreator } from '../service/document/create.ts';
import { isRefusal, type Refusal } from '../service/refusal.ts';
import type { WriteRequest } from '../service/write-request.ts';
import type { CallConditions } from './conditions.ts';

/** A call of an operation, whatever adapter it comes through. */
export interface Call {
  readonly context: ServiceContext;
  /** Opens other documents than the one of the call. */
  readonly access: Access;
  readonly caller: Caller;
  /** The caller's access to the document of the call. Throws if the operation has none. */
  readonly document: DocumentAccess;
  readonly conditions: CallConditions;
  /** Bytes of the input, as far as it was sent as JSON. */
  readonly inputBytes: number;
  /** The tags of an `If-None-Match` header; null: none. */
  readonly ifNoneMatch: string | null;
  /** The revision of the last event that a reader got before its connection broke; null: the caller did not say. */
  readonly lastEventId: string | null;
  /** How the caller wants a list: as one JSON value, or as lines of JSON. */
  readonly form: 'json' | 'lines';
  /** What came in the query of the address, unlike what a body says. */
  readonly query: Readonly<Record<string, unknown>>;
  /** Lines of records in place of a JSON body; null: none. */
  readonly lines: RecordLines | null;
  /** A file in place of a JSON body; null: none. */
  readonly file: UploadedFile | null;
  /** Decides once more whether the caller may do this, by the rights at the moment of the call. */
  readonly renewCaller: () => Promise<Caller | AccessRefusal>;
  readonly renewDocument: () => Promise<DocumentAccess | AccessRefusal>;
  /** Makes a part of a long answer beside others, in slices; refuses if there is no room for it. */
  readonly runLong: <T>(begin: () => Generator<void, T>) => MaybePromise<T | Refusal>;
  /** Aborted when nobody waits for the answer any more. */
  readonly abandoned: () => AbortSignal;
  /** A file of the call's own, which is removed after the answer. */
  readonly temporaryFile: () => Promise<string>;
  /** The address of a document, as the caller reached the service. */
  readonly addressOf: (document: string) => string;
}

/** Lines of records that are read while they arrive. */
export interface RecordLines {
  /** Values of the lines, at most so many lines and bytes at a time. What is wrong with a line ends them. */
  batches(bounds: { readonly lines: number; readonly bytes: number }): AsyncGenerator<RecordLineBatch | Refusal, void>;
}

interface RecordLineBatch {
  readonly values: readonly unknown[];
  readonly bytes: number;
}

/** A file that was sent. */
export interface UploadedFile {
  readonly path: string;
  readonly format: 'csv' | 'excel';
  /** The content type says that tabs stand between its fields. */
  readonly isTabbed: boolean;
}

/** What `runWrite` needs of a call. */
export function writeOf(call: Call): WriteRequest {
  const { conditions, inputBytes, document, renewDocument } = call;
  return { ...conditions, access: document, bodyBytes: inputBytes, reauthorize: renewDocument };
}

/** What a keyed change to a document needs of a call. */
export function changeOf({ document, conditions, renewDocument }: Call): AccessAction<DocumentAccess> {
  return { by: document, keyed: conditions.keyed, reauthorize: renewDocument };
}

/** The same where the call makes a document. */
export function creationOf({ caller, conditions, renewCaller }: Call): AccessAction<DocumentCreator> {
  const reauthorize = async (): Promise<DocumentCreator | AccessRefusal> => {
    const renewed = await renewCaller();
    return isRefusal(renewed) ? renewed : makerOf(renewed);
  };
  return { by: makerOf(caller), keyed: conditions.keyed, reauthorize };
}

function makerOf(caller: Caller): DocumentCreator {
  return { caller, epoch: caller.epoch };
}
