import type { FastifyBaseLogger } from 'fastify';
import type { Access } from '../../access/access.ts';
import type { Gate } from '../../access/gate.ts';
import type { Operation } from '../../operations/operation.ts';
import type { ServiceContext } from '../../service/context.ts';
import type { MemoryBudget } from '../bodies/memory-budget.ts';
import { createBodyCheck } from '../bodies/validation.ts';
import type { RequestOrigins } from '../monitoring/request-id.ts';
import type { WriteRequestLine } from '../monitoring/request-log.ts';
import { toRoutePattern } from '../operation-routes.ts';
import type { ResponseHeaders } from '../response-headers.ts';
import type { LongAnswers } from '../streams/long-answers.ts';
import type { AuthorizationCache } from './authorization-cache.ts';

/** The parts that run operations of the fast path and send their answers. */
export interface FastOperationParts {
  readonly context: ServiceContext;
  readonly access: Access;
  readonly gate: Gate;
  readonly authorizations: AuthorizationCache;
  /** Path prefix of the API. */
  readonly prefix: string;
  readonly longAnswers: LongAnswers;
  readonly origins: RequestOrigins;
  readonly headers: ResponseHeaders;
  /** Memory of answers that are being sent. */
  readonly answers: MemoryBudget;
  readonly logger: FastifyBaseLogger;
  /** Called for each request that the fast path answers. */
  readonly onAnswered: WriteRequestLine;
}

/** An operation that the fast path supports. */
export interface FastOperation {
  readonly operation: Operation;
  /** Whether the input has the operation's schema. The framework refuses other input. */
  readonly fits: (input: unknown) => input is object;
  /** The route's URL pattern. */
  readonly route: string;
}

/**
 * The form of an operation for the fast path. `part` is checked against the schema; `prefix` is the path prefix of the
 * API.
 */
export function toFastOperation(operation: Operation, part: 'query' | 'body', prefix: string): FastOperation {
  return {
    operation,
    fits: createBodyCheck(operation[part] as object),
    route: prefix + toRoutePattern(operation.http.path),
  };
}
