import type { Access, DocumentAccess } from '../../access/access.ts';
import type { Caller } from '../../access/callers.ts';
import { type AdmittedRequest, addRequestIdToDocument, requireDocument } from '../../access/gate.ts';
import type { AccessRefusal } from '../../access/refusal.ts';
import type { Call } from '../../operations/call.ts';
import { NO_CONDITIONS } from '../../operations/conditions.ts';
import type { Operation } from '../../operations/operation.ts';
import type { ServiceContext } from '../../service/context.ts';
import { isRefusal } from '../../service/refusal.ts';
import type { HttpResponse } from '../http-exchange.ts';
import { readRequestCredentials } from '../request-credentials.ts';
import type { FastOperationParts } from './fast-operation.ts';

type SmallCallParts = Pick<FastOperationParts, 'context' | 'access' | 'gate' | 'longAnswers'>;

interface SmallRequest {
  readonly response: HttpResponse;
  readonly operation: Operation;
  /** Id of the document as in the path. */
  readonly documentId: string;
  readonly admitted: AdmittedRequest;
  /** Recorded with what the call writes; null: the call writes nothing. */
  readonly requestId: string | null;
  readonly inputBytes: number;
}

/** The call of a small request: without conditions, and with only its input. */
export class SmallCall implements Call {
  readonly context: ServiceContext;
  readonly access: Access;
  readonly document: DocumentAccess;
  readonly inputBytes: number;
  readonly conditions = NO_CONDITIONS;
  readonly ifNoneMatch = null;
  readonly lastEventId = null;
  readonly form = 'json';
  readonly query = {};
  readonly lines = null;
  readonly file = null;
  private readonly parts: SmallCallParts;
  private readonly sent: SmallRequest;

  constructor(parts: SmallCallParts, smallRequest: SmallRequest) {
    const { admitted, requestId, inputBytes } = smallRequest;
    this.parts = parts;
    this.sent = smallRequest;
    this.context = parts.context;
    this.access = parts.access;
    const document = requireDocument(admitted);
    this.document = requestId === null ? document : addRequestIdToDocument(document, requestId);
    this.inputBytes = inputBytes;
  }

  get caller(): Caller {
    return this.document.caller;
  }

  /** Runs the generator in slices, in turns with other long answers. */
  get runLongWork(): Call['runLongWork'] {
    const { longAnswers, context } = this.parts;
    const { maxResponseBytes: maxBytes } = context.config.limits;
    const long = { user: this.caller.userId, maxBytes, response: this.sent.response };
    return (begin) => longAnswers.produceAnswer(long, begin);
  }

  /** Returns the access to the document according to the current rights. */
  get renewDocument(): () => Promise<DocumentAccess | AccessRefusal> {
    return async () => {
      const { response, operation, documentId, admitted, requestId } = this.sent;
      const question = { credentials: readRequestCredentials(response.req), documentId };
      const outcome = await this.parts.gate.reauthorize(question, operation.requires, admitted);
      if (isRefusal(outcome)) return outcome;
      const document = requireDocument(outcome);
      return requestId === null ? document : addRequestIdToDocument(document, requestId);
    };
  }

  /** Checks again who the caller is and what the caller may do. */
  get renewCaller(): () => Promise<Caller | AccessRefusal> {
    const { renewDocument } = this;
    return async () => {
      const renewed = await renewDocument();
      return isRefusal(renewed) ? renewed : renewed.caller;
    };
  }

  /** A signal that never fires. */
  createAbortSignal(): AbortSignal {
    return new AbortController().signal;
  }

  /** Always throws: operations of the fast path receive no files. */
  createTemporaryFile(): never {
    throw new Error('A small request has no file');
  }

  /** Always throws: operations of the fast path return no addresses. */
  formatDocumentUrl(): never {
    throw new Error('A small request has no addresses');
  }
}
