import { isDeepStrictEqual } from 'node:util';
import type { Statement } from '@cellwire/store';
import { accessUnchanged } from '@cellwire/store/accounts';
import type { DocumentSharing, SharingAtEpoch } from '../rights.ts';
import type { CommitProposal } from '../types.ts';

/**
 * The access epochs at which a commit is valid: the epoch of the document's sharing, and the epoch of its sender's
 * rights.
 */
export interface CommitEpochs {
  readonly sharing: number;
  /** Undefined: the commit depends on no user's rights. */
  readonly sender: number | undefined;
}

type SentCommit = Pick<CommitProposal<unknown>, 'sharing' | 'epoch' | 'renewEpoch'>;

/**
 * Returns new epochs with which a calculated commit can be sent again. Null if its rights have changed, or no epoch
 * has. Every change of access to any document increases the epoch. A long calculation must not be repeated for that
 * alone: otherwise a user who keeps creating documents could starve the long writes of others.
 */
export async function renewEpochs(
  sharing: DocumentSharing,
  sentCommit: SentCommit,
  { rights }: Pick<SharingAtEpoch, 'rights'>,
  before: CommitEpochs,
): Promise<CommitEpochs | null> {
  const known = await sharing.readLatest();
  if (sentCommit.sharing !== undefined || !isDeepStrictEqual(known.rights, rights)) return null;
  const sender = sentCommit.epoch === undefined ? undefined : await sentCommit.renewEpoch?.();
  if (sender === null || (sender === undefined && sentCommit.epoch !== undefined)) return null;
  return known.epoch === before.sharing && sender === before.sender ? null : { sharing: known.epoch, sender };
}

/** Guard for the sender's rights, unless the commit already checks the same epoch. */
export function buildSenderGuard(sender: number | undefined, checked: number | null): readonly Statement[] {
  return sender === undefined || sender === checked ? [] : [accessUnchanged({ version: sender })];
}
