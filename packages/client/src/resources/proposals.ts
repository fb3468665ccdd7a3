import type { ListedProposal, Proposal } from '../generated/api.ts';
import { joinPath } from '../http/address.ts';
import { Items, readByCursor } from '../streams/items.ts';
import { Resource } from './resource.ts';
import type { Answer, BodyOptions, QueryOptions } from './types.ts';

const PROPOSALS_A_PAGE = 200;

/** The open and decided proposals of a document. A proposal is a write that needs consent. */
export class Proposals extends Resource {
  /** Lists the proposals without their changes, the newest first. */
  list({ limit, ...options }: QueryOptions<'listProposals', 'cursor'> = {}): Items<ListedProposal> {
    const page = async (cursor: string | undefined) =>
      (await this.getJson<Answer<'listProposals'>>('', { ...options, limit: PROPOSALS_A_PAGE, cursor })).proposals;
    return new Items(() => readByCursor(page, { limit, signal: options.signal }));
  }

  /** Returns a proposal with its changes. */
  async get(proposal: string, options: QueryOptions<'getProposal'> = {}): Promise<Proposal> {
    return (await this.getJson<Answer<'getProposal'>>(joinPath(proposal), options)).proposal;
  }

  /** Applies a proposal: writes exactly the previewed values. If they would be different now, writes nothing. */
  apply(proposal: string, options: BodyOptions<'applyProposal'> = {}): Promise<Answer<'applyProposal'>> {
    return this.sendInBody('POST', `${joinPath(proposal)}/apply`, {}, options);
  }

  reject(proposal: string, options: BodyOptions<'rejectProposal'> = {}): Promise<Answer<'rejectProposal'>> {
    return this.sendInBody('POST', `${joinPath(proposal)}/reject`, {}, options);
  }

  /** Withdraws a proposal of the caller's user. */
  withdraw(proposal: string, options: BodyOptions<'withdrawProposal'> = {}): Promise<Answer<'withdrawProposal'>> {
    return this.sendInBody('POST', `${joinPath(proposal)}/withdraw`, {}, options);
  }

  /** Computes the preview of a proposal again, for the newest state of the document. */
  rebase(proposal: string, options: BodyOptions<'rebaseProposal'> = {}): Promise<Answer<'rebaseProposal'>> {
    return this.sendInBody('POST', `${joinPath(proposal)}/rebase`, {}, options);
  }
}
