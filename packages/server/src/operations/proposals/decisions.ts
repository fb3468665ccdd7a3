import type { Needs } from '../../access/gate.ts';
import type { Decision } from '../../service/proposals/decide.ts';
import type { Call } from '../call.ts';
import type { DecisionBody } from '../schemas/proposals.ts';

/** What applying and rejecting require; who may decide is asked with the proposal. */
export const DECIDES: Needs = { scope: 'sheets.write', writes: true };

/** Any credentials of the proposer will do; whose it is, is asked with the proposal. */
export const CONCERNS_PROPOSER: Needs = { scope: null };

export function decisionOf(call: Call, id: string, { reason }: NonNullable<DecisionBody>): Decision {
  const { document, conditions, renewDocument } = call;
  return { id, reason: reason ?? null, access: document, keyed: conditions.keyed, renew: renewDocument };
}
