import { randomUUID } from 'node:crypto';
import type { Statement } from '../database/database.ts';
import { createLease, releaseLease } from './leases.ts';

/**
 * Writes a row and takes it back: whoever waits for it knows that writes reach the disk, and nothing has changed. It is
 * a row of its own, so that nobody waits for it, nor it for anybody's commit.
 */
export function createWriteProbe(): readonly Statement[] {
  const lease = { name: `probe ${randomUUID()}`, holder: 'probe' };
  return [createLease(lease), releaseLease(lease)];
}
