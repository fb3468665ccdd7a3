import { randomUUID } from 'node:crypto';
import type { Statement } from '../database/database.ts';
import { createLease, releaseLease } from './leases.ts';

/**
 * Statements that insert and delete a row. Their success shows that commits reach the disk; the data stays unchanged.
 * The row has a random key, so the probe and other units never wait for each other.
 */
export function createWriteProbe(): readonly Statement[] {
  const lease = { name: `probe ${randomUUID()}`, holder: 'probe' };
  return [createLease(lease), releaseLease(lease)];
}
