import type { Operation } from '../../operations/operation.ts';
import { createBodyCheck } from '../bodies/validation.ts';
import { toRoutePattern } from '../operation-routes.ts';

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
