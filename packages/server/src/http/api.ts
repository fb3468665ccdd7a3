import type { IncomingMessage, ServerResponse } from 'node:http';
import type { MaybePromise } from '@cellwire/event-loop';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest, RawServerDefault } from 'fastify';
import type { Access, DocumentAccess } from '../access/access.ts';
import type { Caller, Credentials } from '../access/callers.ts';
import {
  type AccessRequirements,
  type AdmittedRequest,
  type Gate,
  type GateDecision,
  requireDocument,
} from '../access/gate.ts';
import type { Operation } from '../operations/operation.ts';
import type { ServiceContext } from '../service/context.ts';
import type { KeyedRequest } from '../service/idempotency.ts';
import type { RequestedPreconditions } from '../service/preconditions.ts';
import type { MemoryBudget } from './bodies/memory-budget.ts';
import type { Drain } from './connections/drain.ts';
import type { AnswerCache } from './fast-path/answer-cache.ts';
import type { Metrics } from './monitoring/metrics.ts';
import type { LongAnswers } from './streams/long-answers.ts';

/** Dependencies of the routes. */
export interface Api extends ApiParts {
  /** Reads the caller's credentials from a request of this entry point. */
  readonly readCredentials: (request: FastifyRequest) => Credentials;
  /** Null: this entry point has stricter checks than the gate, and no fast path. */
  readonly fastPath: FastPathHook | null;
}

/** The fast path in front of the framework, as seen by routes. */
interface FastPathHook {
  /** The gate's decision for a request that was passed on; null: the gate was not asked. */
  findDecision(request: IncomingMessage): MaybePromise<GateDecision> | null;
}

/** Files of requests and answers, on disk for the duration of their requests. */
interface RequestFiles {
  createTransientPath(reply: FastifyReply): Promise<string>;
  /** Reserves disk space for a request's file; false if there is none. */
  reserveSpace(request: FastifyRequest, bytes: number, reply: FastifyReply): boolean;
}

/** Number of open event streams in this process. */
export interface StreamCount {
  open: number;
}

/** Parts that all entry points share. */
export interface ApiParts {
  readonly context: ServiceContext;
  readonly access: Access;
  readonly gate: Gate;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Memory of request bodies that are being received or processed. */
    readonly bodies: MemoryBudget;
    /** Memory of answers that are being sent. */
    readonly answers: MemoryBudget;
    readonly longAnswers: LongAnswers;
    readonly files: RequestFiles;
    readonly answerCache: AnswerCache;
    readonly eventStreams: StreamCount;
    readonly metrics: Metrics;
    readonly drain: Drain;
  }
  interface FastifyRequest {
    /** Set by the gate, before any handler of the API runs. */
    admitted: AdmittedRequest | null;
    /** Set by the gate, also for refused requests. Null if the caller is unknown. */
    knownCaller: Caller | null;
    /** Conditions of a write on the state to which it is applied; set on writes only. */
    preconditions: RequestedPreconditions | null;
    /** Set on writes that carry an `Idempotency-Key`. */
    keyed: KeyedRequest | null;
    /** Size of a JSON body as received. */
    bodyBytes: number;
    /** Bytes received on the connection when the gate ran. */
    bytesAtGate: number;
  }
  interface FastifyContextConfig {
    /** Present on routes of the API. */
    needs?: AccessRequirements;
    /** Whether an `Idempotency-Key` is supported. */
    keyed?: boolean;
    /** Present on routes defined by an operation. */
    operation?: Operation;
    /**
     * The route deletes the document in its path. A repeated request finds no document, so its reply is stored
     * elsewhere.
     */
    ends?: boolean;
  }
}

export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

export function requireCaller(request: FastifyRequest): Caller {
  return requireAdmission(request).caller;
}

export function requireDocumentAccess(request: FastifyRequest): DocumentAccess {
  return requireDocument(requireAdmission(request));
}

export function requireAdmission(request: FastifyRequest): AdmittedRequest {
  if (request.admitted === null) throw new Error('the route has no gate');
  return request.admitted;
}

/** The percent-decoded document id in the path; empty if the route has none. */
export function readDocumentId({ params }: FastifyRequest): string {
  return (params as { readonly document?: string }).document ?? '';
}
