import type { AccessRequirements } from '../../access/gate.ts';
import type { DecisionRequest } from '../../service/proposals/decide.ts';
import type { Call } from '../call.ts';
import type { DecisionBody } from '../schemas/proposals.ts';

/** Requirements for applying and rejecting. Further conditions depend on the proposal and are checked with it. */
export const DECIDER_REQUIREMENTS: AccessRequirements = {
  scope: 'sheets.write',
  writes: true,
  bypassesConsent: false,
};

/** Any credentials of the proposer suffice. Whether the caller is the proposer is checked with the proposal. */
export const PROPOSER_REQUIREMENTS: AccessRequirements = { scope: null, bypassesConsent: false };

/** The call as a request to reject or withdraw a proposal. */
export function toDecisionRequest(call: Call, id: string, { reason }: NonNullable<DecisionBody>): DecisionRequest {
  const { document, conditions, renewDocument } = call;
  return { id, reason: reason ?? null, access: document, keyed: conditions.keyed, reauthorize: renewDocument };
}
