import { prepareStatement } from './database.ts';
import { sql } from './dialect.ts';

/** Writes a row as it is: whoever waits for it knows that writes reach the disk, and nothing has changed. */
export const probe = prepareStatement(
  () =>
    sql
      .updateTable('access_epoch')
      .set((eb) => ({ version: eb.ref('version') }))
      .where('id', '=', 1),
  { rows: 1, conflict: 'no access epoch' },
);
