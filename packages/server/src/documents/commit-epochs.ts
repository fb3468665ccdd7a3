import { isDeepStrictEqual } from 'node:util';
import type { Statement } from '../store/database.ts';
import { accessUnchanged } from '../store/epoch.ts';
import type { DocumentSharing, SharingAt } from './rights.ts';
import type { Proposal } from './types.ts';

/** The access epochs that a commit holds with: that of the document's sharing, and that of its sender's rights. */
export interface Epochs {
  readonly sharing: number;
  /** Undefined: nobody's rights allow the commit. */
  readonly sender: number | undefined;
}

type Sent = Pick<Proposal<unknown>, 'sharing' | 'epoch' | 'renewEpoch'>;

/**
 * The epochs that a calculated commit could hold with now; null if its rights have changed, or nothing has. Any change
 * of access, to whatever document, moves the epoch on. That alone must not have a long calculation done again:
 * otherwise one user who makes documents all the time would keep others' long writes from ever ending.
 */
export async function renewedEpochs(
  sharing: DocumentSharing,
  sent: Sent,
  { rights }: Pick<SharingAt, 'rights'>,
  before: Epochs,
): Promise<Epochs | null> {
  const known = await sharing.latest();
  if (sent.sharing !== undefined || !isDeepStrictEqual(known.rights, rights)) return null;
  const sender = sent.epoch === undefined ? undefined : await sent.renewEpoch?.();
  if (sender === null || (sender === undefined && sent.epoch !== undefined)) return null;
  return known.epoch === before.sharing && sender === before.sender ? null : { sharing: known.epoch, sender };
}

/** The guard of the sender's rights, unless they are of the epoch that the commit itself is checked to be of. */
export function rightsHold(sender: number | undefined, checked: number | null): readonly Statement[] {
  return sender === undefined || sender === checked ? [] : [accessUnchanged({ version: sender })];
}
