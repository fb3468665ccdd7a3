import { prepareQuery, prepareStatement } from '../database/database.ts';
import { sql } from '../database/dialect.ts';

/** Conflict: another process has acquired or renewed the lease. */
const LEASE_CHANGED = 'lease moved';

/** The holder of a lease, and how often it has renewed the lease. */
export const leaseOf = prepareQuery((p: { name: string }) =>
  sql.selectFrom('leases').select(['holder', 'beats']).where('name', '=', p.name),
);

/** Acquires a lease that does not exist yet. */
export const createLease = prepareStatement(
  (p: { name: string; holder: string }) =>
    sql
      .insertInto('leases')
      .values({ name: p.name, holder: p.holder, beats: 0 })
      .onConflict((conflict) => conflict.column('name').doNothing()),
  { rows: 1, conflict: LEASE_CHANGED },
);

/** Renews a lease. Takes it over from another holder if that has not renewed it since it was read. */
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

/** Releases a lease, so that another process can acquire it. */
export const releaseLease = prepareStatement((p: { name: string; holder: string }) =>
  sql.deleteFrom('leases').where('name', '=', p.name).where('holder', '=', p.holder),
);
