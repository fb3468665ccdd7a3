import type { FastifyRequest } from 'fastify';
import type { DocumentAccess } from '../access/access.ts';
import { type AdmittedRequest, withRequestId } from '../access/gate.ts';
import type { AccessRefusal } from '../access/refusal.ts';
import { isRefusal } from '../service/refusal.ts';
import { type Api, accessOf, admittedOf, pathText } from './api.ts';

/** The caller and the target of a request. */
export function accessRequestOf({ credentialsOf }: Pick<Api, 'credentialsOf'>, request: FastifyRequest) {
  return {
    credentials: credentialsOf(request),
    documentId: routeHasDocument(request) ? pathText(request, 'document') : null,
  };
}

/** Null if a request is admitted. Synchronous if no check has to wait. */
type GateVerdict = AccessRefusal | null | Promise<AccessRefusal | null>;

/** Runs the gate again with the current rights; null if the request is admitted. */
export function readmit(api: Api, request: FastifyRequest): GateVerdict {
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
  const outcome = api.gate.reauthorize(accessRequestOf(api, request), needs, before);
  return outcome instanceof Promise ? outcome.then(admit) : admit(outcome);
}

/** Access to the route's document according to the current rights. */
export async function renewAccess(api: Api, request: FastifyRequest): Promise<DocumentAccess | AccessRefusal> {
  return (await readmit(api, request)) ?? accessOf(request);
}

/** An empty document id in the path means an unknown document, not a route without a document. */
function routeHasDocument(request: FastifyRequest): boolean {
  return (request.params as Partial<Record<string, string>>)['document'] !== undefined;
}
