import type { MaybePromise } from '@cellwire/event-loop';
import type { Access, DocumentAccess } from '../access/access.ts';
import type { Caller } from '../access/callers.ts';
import type { AccessRefusal } from '../access/refusal.ts';
import type { AccessAction } from '../service/access-retry.ts';
import type { ServiceContext } from '../service/context.ts';
import type { DocumentCreator } from '../service/document/create.ts';
import type { SentRecords } from '../service/records/sent-records.ts';
import { isRefusal, type Refusal } from '../service/refusal.ts';
import type { WriteRequest } from '../service/write-request.ts';
import type { CallConditions } from './conditions.ts';

/** A call of an operation through any adapter. */
export interface Call {
  readonly context: ServiceContext;
  /** Opens documents other than the one of the call. */
  readonly access: Access;
  readonly caller: Caller;
  /** The caller's access to the document of the call. Throws if the operation has none. */
  readonly document: DocumentAccess;
  readonly conditions: CallConditions;
  /** Bytes of the JSON input. */
  readonly inputBytes: number;
  /** The tags of an `If-None-Match` header; null: none. */
  readonly ifNoneMatch: string | null;
  /** The revision of the last event that the caller received before its connection broke; null: not given. */
  readonly lastEventId: string | null;
  /** The requested form of a list: one JSON value, or NDJSON. */
  readonly form: 'json' | 'lines';
  /** The query parameters, without the members of the body. */
  readonly query: Readonly<Record<string, unknown>>;
  /** NDJSON records in place of a JSON body; null: none. */
  readonly lines: RecordLines | null;
  /** A file in place of a JSON body; null: none. */
  readonly file: UploadedFile | null;
  /** Checks again whether the caller may perform the operation, by the present rights. */
  readonly renewCaller: () => Promise<Caller | AccessRefusal>;
  readonly renewDocument: () => Promise<DocumentAccess | AccessRefusal>;
  /**
   * Generates a part of a long answer in slices, so that other work can run. Refuses if there is no capacity for it.
   */
  readonly runLongWork: <T>(begin: () => Generator<void, T>) => MaybePromise<T | Refusal>;
  /** A signal that is aborted when the caller no longer waits for the answer. */
  readonly createAbortSignal: () => AbortSignal;
  /** Creates the path of a temporary file, which is deleted after the answer. */
  readonly createTemporaryFile: () => Promise<string>;
  /** The API's address of a document, with the origin that the caller used. */
  readonly formatDocumentUrl: (document: string) => string;
}

/** NDJSON records that are read while they arrive. */
export interface RecordLines {
  /** Parses the lines in batches of limited lines and bytes. An invalid line ends the batches with a refusal. */
  readBatches(bounds: {
    readonly lines: number;
    readonly bytes: number;
  }): AsyncGenerator<RecordLineBatch | Refusal, void>;
}

interface RecordLineBatch {
  readonly records: SentRecords;
  readonly bytes: number;
}

/** An uploaded file. */
export interface UploadedFile {
  readonly path: string;
  readonly format: 'csv' | 'excel';
  /** Whether the content type says that tabs separate the fields. */
  readonly isTabbed: boolean;
}

/** The parts of a call that a write needs. */
export function toWriteRequest(call: Call): WriteRequest {
  const { conditions, inputBytes, document, renewDocument } = call;
  return { ...conditions, access: document, bodyBytes: inputBytes, reauthorize: renewDocument };
}

/** Selects the parts of a call that a change of a document with an `Idempotency-Key` needs. */
export function toDocumentAction({ document, conditions, renewDocument }: Call): AccessAction<DocumentAccess> {
  return { by: document, keyed: conditions.keyed, reauthorize: renewDocument };
}

/** The parts of a call that the creation of a document needs. */
export function toCreationAction({ caller, conditions, renewCaller }: Call): AccessAction<DocumentCreator> {
  const reauthorize = async (): Promise<DocumentCreator | AccessRefusal> => {
    const renewed = await renewCaller();
    return isRefusal(renewed) ? renewed : toDocumentCreator(renewed);
  };
  return { by: toDocumentCreator(caller), keyed: conditions.keyed, reauthorize };
}

function toDocumentCreator(caller: Caller): DocumentCreator {
  return { caller, epoch: caller.epoch };
}
