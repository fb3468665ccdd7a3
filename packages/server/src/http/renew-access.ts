import type { FastifyRequest } from 'fastify';
import type { DocumentAccess } from '../access/access.ts';
import { type AdmittedRequest, withRequestId } from '../access/gate.ts';
import type { AccessRefusal } from '../access/refusal.ts';
import { isRefusal } from '../service/refusal.ts';
import { type Api, accessOf, admittedOf, pathText } from './api.ts';

/** Who asks for what. */
export function askedOf({ credentialsOf }: Pick<Api, 'credentialsOf'>, request: FastifyRequest) {
  return {
    credentials: credentialsOf(request),
    documentId: routeHasDocument(request) ? pathText(request, 'document') : null,
  };
}

/** Null where a request is admitted; at once where that costs no waiting. */
type Verdict = AccessRefusal | null | Promise<AccessRefusal | null>;

/** Asks the gate again; null where the request is admitted, by the rights of this moment. */
export function readmit(api: Api, request: FastifyRequest): Verdict {
  const { needs } = request.routeOptions.config;
  if (needs === undefined) return null;
  const before = admittedOf(request);
  const admit = (outcome: AccessRefusal | Pick<AdmittedRequest, 'caller' | 'document'>): AccessRefusal | null => {
    if (isRefusal(outcome)) return outcome;
    if (outcome === before) return null;
    const renewed = { ...before, ...outcome };
    request.admitted = before.caller.requestId === null ? renewed : withRequestId(renewed, request.id);
    return null;
  };
  const outcome = api.gate.reauthorize(askedOf(api, request), needs, before);
  return outcome instanceof Promise ? outcome.then(admit) : admit(outcome);
}

/** Access to the route's document as it is at the moment of the call. */
export async function renewAccess(api: Api, request: FastifyRequest): Promise<DocumentAccess | AccessRefusal> {
  return (await readmit(api, request)) ?? accessOf(request);
}

/** An empty document in the path is none that exists, and not a route without one. */
function routeHasDocument(request: FastifyRequest): boolean {
  return (request.params as Partial<Record<string, string>>)['document'] !== undefined;
}
