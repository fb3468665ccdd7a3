import { sql as raw } from 'kysely';
import { prepareCommitPart, prepareQuery, prepareStatement } from '../database/database.ts';
import { sql } from '../database/dialect.ts';

type IdempotencyKeyColumns = { document_id: string; user_id: number; method: string; path: string; key: string };

/** The reply that was stored under an idempotency key after `after`. */
export const storedReply = prepareQuery((p: IdempotencyKeyColumns & { after: number }) =>
  sql
    .selectFrom('idempotency')
    .select(['body_hash', 'status', 'reply', 'revision'])
    .where('document_id', '=', p.document_id)
    .where('user_id', '=', p.user_id)
    .where('method', '=', p.method)
    .where('path', '=', p.path)
    .where('key', '=', p.key)
    .where('at', '>', p.after),
);

/** Conflict: another request has stored a reply under the same key. */
export const KEY_TAKEN = 'idempotency key taken';

type StoredReplyColumns = IdempotencyKeyColumns & {
  body_hash: string;
  status: number;
  reply: string;
  at: number;
  expired: number;
  revision: number | null;
};

const insertReply = (p: StoredReplyColumns) =>
  sql
    .insertInto('idempotency')
    .values({
      document_id: p.document_id,
      user_id: p.user_id,
      method: p.method,
      path: p.path,
      key: p.key,
      body_hash: p.body_hash,
      status: p.status,
      reply: p.reply,
      at: p.at,
      revision: p.revision,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['document_id', 'user_id', 'method', 'path', 'key'])
        .doUpdateSet((eb) => ({
          body_hash: eb.ref('excluded.body_hash'),
          status: eb.ref('excluded.status'),
          reply: eb.ref('excluded.reply'),
          at: eb.ref('excluded.at'),
          revision: eb.ref('excluded.revision'),
        }))
        .where('idempotency.at', '<=', p.expired),
    );

/**
 * Stores a reply under an idempotency key. It replaces a reply of `expired` or earlier. The unit of the write must
 * contain this statement.
 */
export const storeReply = prepareCommitPart('reply', insertReply, insertReply, { rows: 1, conflict: KEY_TAKEN });

/**
 * Appends a space and the id of the document's newest subscription to a stored reply. The unit that inserts both must
 * contain this statement.
 */
export const appendWebhookId = prepareStatement((p: IdempotencyKeyColumns) =>
  sql
    .updateTable('idempotency')
    .set(({ ref, selectFrom }) => {
      const newest = selectFrom('webhooks')
        .select((eb) => eb.fn.max('webhooks.id').as('id'))
        .where('webhooks.document_id', '=', p.document_id);
      return { reply: raw<string>`${ref('reply')} || ' ' || ${newest}` };
    })
    .where('document_id', '=', p.document_id)
    .where('user_id', '=', p.user_id)
    .where('method', '=', p.method)
    .where('path', '=', p.path)
    .where('key', '=', p.key),
);
