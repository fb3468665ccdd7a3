import type { SqlColumnTypes } from '../database/dialect.ts';

/** Leases of tasks that only one process may run at a time. */
export const LEASES = 'leases';

export function createLeaseTable(t: SqlColumnTypes): readonly string[] {
  return [
    `create table ${LEASES} (
      name ${t.text} not null primary key,
      holder ${t.text} not null,
      beats ${t.long} not null
    )${t.clustered}`,
  ];
}
