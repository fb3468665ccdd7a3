import { randomUUID } from 'node:crypto';
import type { Statement } from '../database/database.ts';
import { createLease, releaseLease } from './leases.ts';

/**
 * Creates statements that insert and delete a row. If they succeed, commits reach the disk. The data does not change.
 * The row has a random key, so that the probe and other units never wait for each other.
 */
export function createWriteProbe(): readonly Statement[] {
  const lease = { name: `probe ${randomUUID()}`, holder: 'probe' };
  return [createLease(lease), releaseLease(lease)];
}
