import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import type { Caller } from '../access/callers.ts';
import { addRequestId, type GateDecision } from '../access/gate.ts';
import { type AccessRefusal, isUnauthenticated } from '../access/refusal.ts';
import { reportRefusedToken } from '../service/accounts/security-events.ts';
import { isKnownKey } from '../service/idempotency.ts';
import type { Api } from './api.ts';
import { sendRefusal } from './errors.ts';
import { answerRefusedRequest, toKeyScope } from './idempotency-hook.ts';
import { logFailure } from './monitoring/operator-conditions.ts';
import { readmitRequest, toAccessRequest } from './renew-access.ts';
import { formatRateHeaders } from './response-headers.ts';

/**
 * Checks everything that can be checked before the body is read. If no check has to wait, the request
 * continues synchronously, and its read then shares the gate's read of the store.
 */
export function createGateHook(api: Api) {
  const { gate, context, fastPath } = api;
  return (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void => {
    const { needs, keyed } = request.routeOptions.config;
    if (needs === undefined) return done();
    request.bytesAtGate = request.raw.socket.bytesRead;
    const isReplay = async (caller: Caller): Promise<boolean> => {
      const scope = keyed ? toKeyScope(request, caller.userId) : null;
      return scope !== null && isKnownKey(context, scope);
    };
    const applyDecision = ({ rate, caller, outcome }: GateDecision): void => {
      request.knownCaller = caller;
      const fields = formatRateHeaders(rate);
      for (let i = 0; i < fields.length; i += 2) reply.header(fields[i] as string, fields[i + 1]);
      if (outcome.kind === 'refusal') {
        if (isUnauthenticated(outcome)) reportTokenOfRequest(api, request);
        answerRefusedRequest(api, request, reply, { caller, refusal: outcome }).catch(done);
        return;
      }
      request.admitted = changesState(request) ? addRequestId(outcome, request.id) : outcome;
      done();
    };
    const admission =
      fastPath?.findDecision(request.raw) ?? gate.admitRequest({ ...toAccessRequest(api, request), isReplay }, needs);
    if (admission instanceof Promise) admission.then(applyDecision, done);
    else applyDecision(admission);
  };
}

/** Reports an unusable token. The answer does not wait for that. */
export function reportTokenOfRequest({ context, readCredentials }: Api, request: FastifyRequest): void {
  const shown = readCredentials(request);
  if (shown.kind !== 'token' || request.headers.authorization === undefined) return;
  const from = { address: request.ip, requestId: request.id };
  reportRefusedToken(context, shown.hash, from).catch((error: unknown) =>
    logFailure(request.log, error, { requestId: request.id }, 'reporting a refused token failed'),
  );
}

/**
 * True if the request may change state. Only the callers of such requests get a request id, because shared caller
 * objects of reads serve as cache keys.
 */
function changesState({ method }: FastifyRequest): boolean {
  return method !== 'GET' && method !== 'HEAD';
}

/**
 * Checks the rights again after the body has arrived, because they may have ended meanwhile. This is
 * unnecessary if the body arrived together with the headers, before the gate ran.
 */
export function createBodyGateHook(api: Api) {
  return (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void => {
    if (request.admitted === null || request.body === undefined) return done();
    if (request.raw.socket.bytesRead === request.bytesAtGate) return done();
    const applyRefusal = (refusal: AccessRefusal | null): void => {
      if (refusal === null) done();
      else void sendRefusal(reply, refusal);
    };
    const refusal = readmitRequest(api, request);
    if (refusal instanceof Promise) refusal.then(applyRefusal, done);
    else applyRefusal(refusal);
  };
}
