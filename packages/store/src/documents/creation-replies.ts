import { prepareQuery, prepareStatement } from '../database/database.ts';
import { sql } from '../database/dialect.ts';
import { KEY_TAKEN } from './idempotency.ts';

type CreationReplyKey = { user_id: number; path: string; key: string };

/** The reply to a request that created a document, stored under an idempotency key after `after`. */
export const storedCreationReply = prepareQuery((p: CreationReplyKey & { after: number }) =>
  sql
    .selectFrom('makings')
    .select(['body_hash', 'reply'])
    .where('user_id', '=', p.user_id)
    .where('path', '=', p.path)
    .where('key', '=', p.key)
    .where('at', '>', p.after),
);

/**
 * Stores a reply as `storeReply` does. The unit that creates the document must contain this statement. Conflict:
 * `KEY_TAKEN`.
 */
export const storeCreationReply = prepareStatement(
  (p: CreationReplyKey & { body_hash: string; reply: string; at: number; expired: number }) =>
    sql
      .insertInto('makings')
      .values({ user_id: p.user_id, path: p.path, key: p.key, body_hash: p.body_hash, reply: p.reply, at: p.at })
      .onConflict((conflict) =>
        conflict
          .columns(['user_id', 'path', 'key'])
          .doUpdateSet((eb) => ({
            body_hash: eb.ref('excluded.body_hash'),
            reply: eb.ref('excluded.reply'),
            at: eb.ref('excluded.at'),
          }))
          .where('makings.at', '<=', p.expired),
      ),
  { rows: 1, conflict: KEY_TAKEN },
);
