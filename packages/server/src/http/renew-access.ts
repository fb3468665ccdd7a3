import type { FastifyRequest } from 'fastify';
import type { DocumentAccess } from '../access/access.ts';
import { type AdmittedRequest, addRequestId } from '../access/gate.ts';
import type { AccessRefusal } from '../access/refusal.ts';
import { isRefusal } from '../service/refusal.ts';
import { type Api, readDocumentId, requireAdmission, requireDocumentAccess } from './api.ts';

/** The caller and the target of a request. */
export function toAccessRequest({ readCredentials }: Pick<Api, 'readCredentials'>, request: FastifyRequest) {
  return {
    credentials: readCredentials(request),
    documentId: hasDocumentParameter(request) ? readDocumentId(request) : null,
  };
}

/** Null if a request is admitted. Synchronous if no check has to wait. */
type GateVerdict = AccessRefusal | null | Promise<AccessRefusal | null>;

/** Runs the gate again with the current rights; null if the request is admitted. */
export function readmitRequest(api: Api, request: FastifyRequest): GateVerdict {
  const { needs } = request.routeOptions.config;
  if (needs === undefined) return null;
  const before = requireAdmission(request);
  const acceptOutcome = (
    outcome: AccessRefusal | Pick<AdmittedRequest, 'caller' | 'document'>,
  ): AccessRefusal | null => {
    if (isRefusal(outcome)) return outcome;
    if (outcome === before) return null;
    const renewed = { ...before, ...outcome };
    request.admitted = before.caller.requestId === null ? renewed : addRequestId(renewed, request.id);
    return null;
  };
  const outcome = api.gate.reauthorize(toAccessRequest(api, request), needs, before);
  return outcome instanceof Promise ? outcome.then(acceptOutcome) : acceptOutcome(outcome);
}

/** Access to the route's document according to the current rights. */
export async function renewAccess(api: Api, request: FastifyRequest): Promise<DocumentAccess | AccessRefusal> {
  return (await readmitRequest(api, request)) ?? requireDocumentAccess(request);
}

/** An empty document id in the path means an unknown document, not a route without a document. */
function hasDocumentParameter(request: FastifyRequest): boolean {
  return (request.params as Partial<Record<string, string>>)['document'] !== undefined;
}
