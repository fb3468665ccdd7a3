import type * as api from '@cellwire/client';
import { API, CONSOLE_API, callApi, type Result } from './http.ts';
import type { ValueRange } from './types.ts';

type ListedProposal = api.ListedProposal;
/** A changed cell with the texts that a person sees. */
export type ProposedChange = api.Proposal['changes'][number] & api.Proposal['texts'][number];
export interface Proposal extends Omit<api.Proposal, 'changes' | 'texts'> {
  readonly changes: readonly ProposedChange[];
}

/** Maximum number of listed proposals. */
const MAX_LISTED = 100;

export function listOpenProposals(
  document: string,
): Promise<Result<{ readonly proposals: { readonly entries: readonly ListedProposal[] } }>> {
  return callApi('GET', `${API}/documents/${document}/proposals?state=open&limit=${MAX_LISTED}`);
}

export async function getProposal(document: string, id: string): Promise<Result<{ readonly proposal: Proposal }>> {
  const path = `${API}/documents/${document}/proposals/${encodeURIComponent(id)}`;
  const answer = await callApi<{ readonly proposal: api.Proposal }>('GET', path);
  if (!answer.ok) return answer;
  const { changes, texts, ...proposal } = answer.value.proposal;
  const withTexts = changes.map((change, i) => ({ ...change, ...texts[i] }));
  return { ...answer, value: { proposal: { ...proposal, changes: withTexts } } };
}

export type ProposalAction = 'apply' | 'reject' | 'rebase';

export function decideProposal(
  document: string,
  id: string,
  action: ProposalAction,
  reason = '',
): Promise<Result<unknown>> {
  const body = reason === '' ? {} : { reason };
  return callApi('POST', `${API}/documents/${document}/proposals/${encodeURIComponent(id)}/${action}`, { body });
}

/** Cells of a range as people see them. */
export function getDisplayedCells(document: string, range: string): Promise<Result<{ readonly values: ValueRange }>> {
  return callApi('GET', `${API}/documents/${document}/values/${encodeURIComponent(range)}`);
}

/** Cells of a range as they would be after an open proposal is applied. */
export function getProposedCells(
  document: string,
  id: string,
  range: string,
): Promise<Result<{ readonly values: Pick<ValueRange, 'cells'> }>> {
  const path = `${CONSOLE_API}/documents/${document}/proposals/${encodeURIComponent(id)}/cells`;
  return callApi('GET', `${path}?range=${encodeURIComponent(range)}`);
}
