import { userById } from '@cellwire/store/accounts';
import type { ProposalRow } from '@cellwire/store/proposals';
import type { Access, DocumentAccess } from '../../access/access.ts';
import { type Caller, findDamagedRights } from '../../access/callers.ts';
import { NO_ACCESS, PLAN_FORBIDS, ROLE_FORBIDS } from '../../access/refusal.ts';
import { canWrite, ROLES } from '../../access/roles.ts';
import { SCOPES } from '../../access/scopes.ts';
import type { ServiceContext } from '../context.ts';
import { isRefusal, type Refusal } from '../refusal.ts';

/** The plan features that a write needs. */
export type PlanFeature = 'valueWrites' | 'sheetOperations';

interface ProposerAccessRequest {
  readonly context: Pick<ServiceContext, 'database' | 'config'>;
  readonly access: Access;
  readonly row: Pick<ProposalRow, 'user_id' | 'token_id' | 'token_name' | 'origin'>;
  /** Access of the caller, whose access epoch is used. */
  readonly by: DocumentAccess;
}

/** Opens the document with the proposer's current access as a user, without the limits of the token. */
export async function openProposerAccess({
  context,
  access,
  row,
  by,
}: ProposerAccessRequest): Promise<DocumentAccess | Refusal> {
  const user = await context.database.readOne(userById({ id: row.user_id }));
  if (user === null || user.disabled_at !== null || findDamagedRights(user.damage).length > 0) return NO_ACCESS;
  const caller: Caller = {
    principal:
      row.token_id === null
        ? { kind: 'session', id: 0 }
        : { kind: 'token', id: row.token_id, name: row.token_name ?? '' },
    userId: user.id,
    userName: user.name,
    scopes: new Set(SCOPES),
    documents: null,
    planName: user.plan,
    plan: context.config.plans[user.plan],
    agent: row.origin === 'agent',
    proposes: false,
    via: row.origin === 'mcp' ? 'mcp' : null,
    expiresAt: null,
    mustChangePassword: false,
    inputLocale: null,
    epoch: by.epoch,
    requestId: by.caller.requestId,
  };
  return access.open(caller, by.documentId);
}

/** Refuses a user whose plan or role does not allow the write; null: it is allowed. */
export function checkWriter({ caller, role }: DocumentAccess, feature: PlanFeature): Refusal | null {
  if (!caller.plan[feature]) return PLAN_FORBIDS;
  return canWrite(role) ? null : ROLE_FORBIDS;
}

/** The rights that both users have; applying needs them. The caller is the user who decides. */
function intersectRights(decider: DocumentAccess, proposer: DocumentAccess): DocumentAccess {
  const role = ROLES.indexOf(decider.role) > ROLES.indexOf(proposer.role) ? decider.role : proposer.role;
  return {
    ...decider,
    role,
    hiddenSheets: new Set([...decider.hiddenSheets, ...proposer.hiddenSheets]),
    lockedSheets: new Set([...decider.lockedSheets, ...proposer.lockedSheets]),
    epoch: Math.min(decider.epoch, proposer.epoch),
  };
}

/** Returns the access of both users, or a refusal that names the missing right. */
export async function openApplierRights(
  access: ProposerAccessRequest,
  feature: PlanFeature,
): Promise<{ readonly proposer: DocumentAccess; readonly shared: DocumentAccess } | Refusal> {
  const proposer = await openProposerAccess(access);
  if (isRefusal(proposer)) return proposer;
  const refusal = checkWriter(proposer, feature) ?? checkWriter(access.by, feature);
  return refusal ?? { proposer, shared: intersectRights(access.by, proposer) };
}
