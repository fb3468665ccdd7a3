import type * as api from '@cellwire/client';
import { API, CONSOLE_API, callApi, type Result } from './http.ts';
import type { ValueRange } from './types.ts';

export type Proposal = api.Proposal;
type ListedProposal = api.ListedProposal;
export type ProposedChange = Proposal['changes'][number];

/** Maximum number of listed proposals. */
const MAX_LISTED = 100;

export function listOpenProposals(
  document: string,
): Promise<Result<{ readonly proposals: { readonly entries: readonly ListedProposal[] } }>> {
  return callApi('GET', `${API}/documents/${document}/proposals?state=open&limit=${MAX_LISTED}`);
}

export function getProposal(document: string, id: string): Promise<Result<{ readonly proposal: Proposal }>> {
  return callApi('GET', `${API}/documents/${document}/proposals/${encodeURIComponent(id)}`);
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
