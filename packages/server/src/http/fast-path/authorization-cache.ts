import type { MaybePromise } from '@cellwire/event-loop';
import type { AccessRequirements, Gate, GateDecision } from '../../access/gate.ts';
import type { HttpRequest } from '../http-exchange.ts';
import { readRequestCredentials } from '../request-credentials.ts';

/**
 * Answers the gate's question whether a request repeats an earlier one: requests of the fast path have no key, so
 * never.
 */
const isNeverReplay = async () => false;

/** Decisions of the gate made before the framework runs. Requests passed on to the framework reuse them. */
export class AuthorizationCache {
  private readonly gate: Gate;
  private readonly known = new WeakMap<HttpRequest, MaybePromise<GateDecision>>();

  constructor(gate: Gate) {
    this.gate = gate;
  }

  /** Asks the gate about a request without an `Idempotency-Key`. `documentId` as in the path. */
  askGate(request: HttpRequest, documentId: string, needs: AccessRequirements): MaybePromise<GateDecision> {
    const question = { credentials: readRequestCredentials(request), documentId, isReplay: isNeverReplay };
    const admission = this.gate.admitRequest(question, needs);
    if (admission instanceof Promise) this.known.set(request, admission);
    return admission;
  }

  /** Stores the decision for a request that is passed on. */
  keepDecision(request: HttpRequest, admission: GateDecision): void {
    this.known.set(request, admission);
  }

  /** Moves the decision, if any, to the request that repeats an earlier one. */
  moveDecision(from: HttpRequest, to: HttpRequest): void {
    const admission = this.known.get(from);
    if (admission !== undefined) this.known.set(to, admission);
  }

  /** Null: the gate was not asked. */
  findDecision(request: HttpRequest): MaybePromise<GateDecision> | null {
    return this.known.get(request) ?? null;
  }
}
