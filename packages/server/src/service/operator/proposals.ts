import { accessEpoch, userById } from '@cellwire/store/accounts';
import { type Access, type DocumentAccess, loadRights } from '../../access/access.ts';
import type { Caller } from '../../access/callers.ts';
import { DOCUMENT_NOT_FOUND } from '../../access/refusal.ts';
import { SCOPES } from '../../access/scopes.ts';
import type { ServiceContext } from '../context.ts';
import { type ApplyRequest, applyProposal, endProposal } from '../proposals/decide.ts';
import { findProposal, listProposals, type ProposalPage, type ProposalQuery, showProposal } from '../proposals/read.ts';
import type { ProposalView } from '../proposals/view.ts';
import { isRefusal, type Refusal } from '../refusal.ts';
import { findDocument } from './new-document.ts';

interface ProposalOptions {
  readonly document: string;
  readonly proposal: string;
  readonly reason?: string;
}

/** Reads the same page as the API returns. */
export async function listDocumentProposals(
  context: ServiceContext,
  document: string,
  query: ProposalQuery,
): Promise<ProposalPage | Refusal> {
  const access = await openOperatorAccess(context, document);
  return isRefusal(access) ? access : listProposals(context, access, query);
}

/** Shows or decides a proposal with the rights of the document's owner. The proposer's plan counts, not the owner's. */
export async function runOnProposal(
  context: ServiceContext,
  action: 'show' | 'apply' | 'reject',
  { document, proposal: id, reason = '' }: ProposalOptions,
  findFeature: ApplyRequest['findFeature'],
): Promise<{ readonly proposal: ProposalView } | Refusal> {
  const access = await openOperatorAccess(context, document);
  if (isRefusal(access)) return access;
  if (action === 'show') {
    const row = await findProposal(context, access.documentId, id);
    const proposal = isRefusal(row) ? row : await showProposal(context, access, row);
    return isRefusal(proposal) ? proposal : { proposal };
  }
  const reauthorize = () => openOperatorAccess(context, document);
  const decision = { id, reason: reason === '' ? null : reason, access, keyed: null, reauthorize };
  const reply =
    action === 'reject'
      ? await endProposal(context, decision, 'rejected')
      : await applyProposal(context, {
          ...decision,
          open: createCommandAccess(context),
          ifRevision: null,
          findFeature: findFeature,
        });
  return isRefusal(reply) ? reply : (JSON.parse(reply.body) as { readonly proposal: ProposalView });
}

/** The rights of the document's owner, in which the operator's command acts. */
async function openOperatorAccess(
  context: ServiceContext,
  document: string,
): Promise<DocumentAccess | typeof DOCUMENT_NOT_FOUND> {
  const row = await findDocument(context, document);
  if (isRefusal(row)) return DOCUMENT_NOT_FOUND;
  const { version: epoch } = (await context.database.readOne(accessEpoch({}))) ?? { version: 0 };
  const owner = await context.database.readOne(userById({ id: row.owner_id }));
  if (owner === null) return DOCUMENT_NOT_FOUND;
  const caller: Caller = {
    principal: { kind: 'session', id: 0 },
    userId: owner.id,
    userName: owner.name,
    scopes: new Set(SCOPES),
    documents: null,
    planName: owner.plan,
    plan: { ...context.config.plans[owner.plan], valueWrites: true, sheetOperations: true },
    ...{ agent: false, proposes: false, via: 'operator', expiresAt: null, mustChangePassword: false },
    ...{ inputLocale: null, epoch, requestId: null },
  };
  const opened = await createCommandAccess(context).open(caller, row.id);
  return isRefusal(opened) ? DOCUMENT_NOT_FOUND : opened;
}

/** Reads rights from the store at each call, because a command runs once. */
function createCommandAccess({ database }: ServiceContext): Access {
  return {
    identify: () => {
      throw new Error('A command has no credentials');
    },
    open: async (caller, documentId) => {
      const rights = await loadRights(database, caller.userId, documentId, caller.epoch);
      return 'kind' in rights ? rights : { caller, documentId, ...rights };
    },
    isCurrent: () => false,
  };
}
