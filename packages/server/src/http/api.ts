import type { IncomingMessage, ServerResponse } from 'node:http';
import type { MaybePromise } from '@cellwire/event-loop';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest, RawServerDefault } from 'fastify';
import type { Access, DocumentAccess } from '../access/access.ts';
import type { Caller, Credentials } from '../access/callers.ts';
import {
  type AccessRequirements,
  type AdmittedRequest,
  documentOf,
  type Gate,
  type GateDecision,
} from '../access/gate.ts';
import type { Operation } from '../operations/operation.ts';
import type { ServiceContext } from '../service/context.ts';
import type { KeyedRequest } from '../service/idempotency.ts';
import type { RequestedPreconditions } from '../service/preconditions.ts';
import type { ByteRoom } from './bodies/byte-room.ts';
import type { Drain } from './connections/drain.ts';
import type { KeptAnswers } from './fast-path/kept-answers.ts';
import type { Metrics } from './monitoring/metrics.ts';
import type { LongAnswers } from './streams/long-answers.ts';

/** What routes work with. */
export interface Api extends ApiParts {
  /** What a request of this way in shows of who makes it. */
  readonly credentialsOf: (request: FastifyRequest) => Credentials;
  /** Null: a way in of its own, which asks more than the gate. */
  readonly frontDoor: KnownRequests | null;
}

/** What stands before the framework, as the framework's side knows it. */
interface KnownRequests {
  /** What the gate has said to a request that went on; null: it was not asked. */
  admissionOf(request: IncomingMessage): MaybePromise<GateDecision> | null;
  /** Remembers a read whose answer is kept. `documentId` as the path has it; `route`: the pattern of its address. */
  learn(request: IncomingMessage, read: { documentId: string; needs: AccessRequirements; route: string }): void;
}

/** Files of requests and answers, on the disk as long as their requests last. */
interface RequestFiles {
  pathFor(reply: FastifyReply): Promise<string>;
  /** Takes room on the disk for a request's file; false where there is none. */
  enter(request: FastifyRequest, bytes: number, reply: FastifyReply): boolean;
}

/** Event streams that are open in this process. */
export interface StreamCount {
  open: number;
}

/** What is the same whatever the way in. */
export interface ApiParts {
  readonly context: ServiceContext;
  readonly access: Access;
  readonly gate: Gate;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Bodies that are coming, and those that are worked on. */
    readonly bodies: ByteRoom;
    /** Answers that are on their way. */
    readonly answers: ByteRoom;
    readonly longAnswers: LongAnswers;
    readonly files: RequestFiles;
    readonly keptAnswers: KeptAnswers;
    readonly eventStreams: StreamCount;
    readonly metrics: Metrics;
    readonly drain: Drain;
  }
  interface FastifyRequest {
    /** Set by the gate, before any handler of the API runs. */
    admitted: AdmittedRequest | null;
    /** Set by the gate, also of a request that it refuses; null where the caller is unknown. */
    knownCaller: Caller | null;
    /** Set on writes: what they ask of the state that they are applied to. */
    asked: RequestedPreconditions | null;
    /** Set on writes that carry an `Idempotency-Key`. */
    keyed: KeyedRequest | null;
    /** Of a JSON body, as it came. */
    bodyBytes: number;
    /** What had come of its connection when the gate looked, in bytes. */
    bytesAtGate: number;
  }
  interface FastifyContextConfig {
    /** Present on routes of the API. */
    needs?: AccessRequirements;
    /** Whether an `Idempotency-Key` is honoured. */
    keyed?: boolean;
    /** Present on routes that an operation defines. */
    operation?: Operation;
    /** It deletes the document of its path: a repetition finds none, and its reply is kept apart from it. */
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

export function callerOf(request: FastifyRequest): Caller {
  return admittedOf(request).caller;
}

export function accessOf(request: FastifyRequest): DocumentAccess {
  return documentOf(admittedOf(request));
}

export function admittedOf(request: FastifyRequest): AdmittedRequest {
  if (request.admitted === null) throw new Error('the route has no gate');
  return request.admitted;
}

/** The text of a path parameter, percent-encoding undone; empty where the route has none of that name. */
export function pathText(
  request: FastifyRequest,
  name: 'document' | 'range' | 'sheet' | 'webhook' | 'revision' | 'delivery',
): string {
  return (request.params as Partial<Record<string, string>>)[name] ?? '';
}
