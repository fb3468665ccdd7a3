import { prepare, prepareStatement } from '../database/database.ts';
import { sql } from '../database/dialect.ts';

/** Conflict: another process has taken the lease, or beaten for it, since. */
const LEASE_CHANGED = 'lease moved';

/** Who has a lease, and how often its holder has said so. */
export const leaseOf = prepare((p: { name: string }) =>
  sql.selectFrom('leases').select(['holder', 'beats']).where('name', '=', p.name),
);

/** Takes a lease that nobody ever had. */
export const createLease = prepareStatement(
  (p: { name: string; holder: string }) =>
    sql
      .insertInto('leases')
      .values({ name: p.name, holder: p.holder, beats: 0 })
      .onConflict((conflict) => conflict.column('name').doNothing()),
  { rows: 1, conflict: LEASE_CHANGED },
);

/** Says that one has it still, or takes it over from a holder who has not said so since. */
export const renewLease = prepareStatement(
  (p: { name: string; holder: string; seenHolder: string; seenBeats: number }) =>
    sql
      .updateTable('leases')
      .set((eb) => ({ holder: p.holder, beats: eb('beats', '+', 1) }))
      .where('name', '=', p.name)
      .where('holder', '=', p.seenHolder)
      .where('beats', '=', p.seenBeats),
  { rows: 1, conflict: LEASE_CHANGED },
);

/** Gives a lease back: whoever asks next has it. */
export const releaseLease = prepareStatement((p: { name: string; holder: string }) =>
  sql.deleteFrom('leases').where('name', '=', p.name).where('holder', '=', p.holder),
);
