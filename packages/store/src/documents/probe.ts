import { randomUUID } from 'node:crypto';
import type { Statement } from '../database/database.ts';
import { endLease, makeLease } from './leases.ts';

/**
 * Writes a row and takes it back: whoever waits for it knows that writes reach the disk, and nothing has changed. It is
 * a row of its own, so that nobody waits for it, nor it for anybody's commit.
 */
export function probe(): readonly Statement[] {
  const lease = { name: `probe ${randomUUID()}`, holder: 'probe' };
  return [makeLease(lease), endLease(lease)];
}
