import { prepare, prepareStatement } from './database.ts';
import { sql } from './dialect.ts';

/** The version of everything that decides access. What was derived from users, tokens, shares … holds while it stays. */
export const accessEpoch = prepare(() => sql.selectFrom('access_epoch').select('version').where('id', '=', 1));

/** Belongs in every unit that changes users, plans, tokens, shares, protections, or who may reach a document. */
export const bumpAccessEpoch = prepareStatement(() =>
  sql
    .updateTable('access_epoch')
    .set((eb) => ({ version: eb('version', '+', 1) }))
    .where('id', '=', 1),
);
