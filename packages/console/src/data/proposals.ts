import type * as api from '@cellwire/client';
import { API, call, type Result } from './http.ts';
import type { ValueRange } from './types.ts';

export type Proposal = api.Proposal;
type ListedProposal = api.ListedProposal;
export type ProposedChange = Proposal['changes'][number];

/** Maximum number of listed proposals. */
const LISTED = 100;

export function openProposals(
  document: string,
): Promise<Result<{ readonly proposals: { readonly entries: readonly ListedProposal[] } }>> {
  return call('GET', `${API}/documents/${document}/proposals?state=open&limit=${LISTED}`);
}

export function getProposal(document: string, id: string): Promise<Result<{ readonly proposal: Proposal }>> {
  return call('GET', `${API}/documents/${document}/proposals/${encodeURIComponent(id)}`);
}

export type Decision = 'apply' | 'reject' | 'rebase';

export function decide(document: string, id: string, how: Decision, reason = ''): Promise<Result<unknown>> {
  const body = reason === '' ? {} : { reason };
  return call('POST', `${API}/documents/${document}/proposals/${encodeURIComponent(id)}/${how}`, { body });
}

/** Cells of a range as people see them. */
export function shownCells(document: string, range: string): Promise<Result<{ readonly values: ValueRange }>> {
  return call('GET', `${API}/documents/${document}/values/${encodeURIComponent(range)}`);
}
