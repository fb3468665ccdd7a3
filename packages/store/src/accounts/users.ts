import { addToSum } from '../database/added-sum.ts';
import { prepareCheckedQuery } from '../database/checked-query.ts';
import { withSealing } from '../database/checksum.ts';
import { prepareQuery, prepareStatement } from '../database/database.ts';
import { sql } from '../database/dialect.ts';
import { EXPECT_FREE_EMAIL } from './accounts.ts';

const USER_COLUMNS = [
  'users.id',
  'users.email',
  'users.name',
  'users.workspace_id',
  'users.created_at',
  'users.disabled_at',
  'users.signed_in_at',
  'workspaces.name as workspace_name',
  'workspaces.plan',
] as const;

/** Users after an id, in order of id. */
export const usersAfter = prepareCheckedQuery(['users', 'workspaces'], (p: { after: number; limit: number }) =>
  sql
    .selectFrom('users')
    .innerJoin('workspaces', 'workspaces.id', 'users.workspace_id')
    .select(USER_COLUMNS)
    .where('users.id', '>', p.after)
    .orderBy('users.id')
    .limit(p.limit),
);

/** Workspaces after an id, in order of id, each with the number of its users. */
export const workspacesAfter = prepareCheckedQuery(['workspaces'], (p: { after: number; limit: number }) =>
  sql
    .selectFrom('workspaces')
    .select(['id', 'name', 'plan', 'owner_id'])
    .select((eb) =>
      eb
        .selectFrom('users')
        .select((eb) => eb.fn.countAll<number>().as('users'))
        .whereRef('users.workspace_id', '=', 'workspaces.id')
        .as('users'),
    )
    .where('id', '>', p.after)
    .orderBy('id')
    .limit(p.limit),
);

type NamedRow = { id: number; name: string; name_sum: number | null };

export const renameWorkspace = withSealing(
  'workspaces',
  prepareStatement((p: NamedRow) =>
    sql.updateTable('workspaces').set({ name: p.name, name_sum: p.name_sum }).where('id', '=', p.id),
  ),
  (row) => row,
  { name_sum: 'name_sum' },
);

export const renameUser = withSealing(
  'users',
  prepareStatement((p: NamedRow) =>
    sql.updateTable('users').set({ name: p.name, name_sum: p.name_sum }).where('id', '=', p.id),
  ),
  (row) => row,
  { name_sum: 'name_sum' },
);

/** Changes a user's e-mail address unless another user has it. */
export const setEmail = withSealing(
  'users',
  prepareStatement(
    (p: { id: number; email: string; email_key: string; email_sum: number | null }) =>
      sql
        .updateTable('users')
        .set({ email: p.email, email_key: p.email_key, email_sum: p.email_sum })
        .where('id', '=', p.id)
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('users as others')
                .select('others.id')
                .where('others.email_key', '=', p.email_key)
                .where('others.id', '!=', p.id),
            ),
          ),
        ),
    EXPECT_FREE_EMAIL,
  ),
  (row) => row,
  { email_sum: 'email_sum' },
);

export const recordSignIn = prepareStatement((p: { id: number; at: number }) =>
  sql.updateTable('users').set({ signed_in_at: p.at }).where('id', '=', p.id),
);

/** Transfers the workspaces of an erased user to the user `to`, or to the oldest other active user of the workspace. */
export const transferWorkspaces = prepareStatement((p: { id: number; to: number }) =>
  sql
    .updateTable('workspaces')
    .set((eb) => {
      const heir = eb.fn.coalesce(
        eb
          .selectFrom('users as heir')
          .select('heir.id')
          .where('heir.id', '=', p.to)
          .whereRef('heir.workspace_id', '=', 'workspaces.id'),
        eb
          .selectFrom('users as others')
          .select((eb) => eb.fn.min('others.id').as('id'))
          .whereRef('others.workspace_id', '=', 'workspaces.id')
          .where('others.id', '!=', p.id)
          .where('others.disabled_at', 'is', null),
        eb.ref('owner_id'),
      );
      return { owner_id: heir, owner_sum: heir };
    })
    .where('owner_id', '=', p.id),
);

/** Erases a user's personal data. Only the id remains. */
export const eraseAccount = withSealing(
  'users',
  prepareStatement((p: ErasedAccount) =>
    sql
      .updateTable('users')
      .set((eb) => {
        const disabled = eb.fn.coalesce('disabled_at', eb.val(p.now));
        return {
          name: p.name,
          email: p.email,
          email_key: p.email,
          password_hash: p.password_hash,
          signed_in_at: null,
          disabled_at: disabled,
          name_sum: p.name_sum,
          email_sum: p.email_sum,
          password_sum: addToSum(p.password_sum, 'password_once'),
          disabled_sum: disabled,
        };
      })
      .where('id', '=', p.id),
  ),
  ({ name, email, password_hash }) => ({ name, email, email_key: email, password_hash, password_once: 0 }),
  { name_sum: 'name_sum', email_sum: 'email_sum', password_sum: 'password_sum' },
);

type ErasedAccount = {
  id: number;
  name: string;
  email: string;
  password_hash: string;
  now: number;
  name_sum: number | null;
  email_sum: number | null;
  password_sum: number | null;
};

export const sharesWithUser = prepareQuery((p: { user_id: number }) =>
  sql.selectFrom('shares').select('document_id').where('user_id', '=', p.user_id),
);

/** Revokes all tokens of a user and replaces their names, which may identify the person. */
export const revokeTokensOf = withSealing(
  'tokens',
  prepareStatement((p: { user_id: number; name: string; now: number; name_sum: number | null }) =>
    sql
      .updateTable('tokens')
      .set((eb) => {
        const revoked = eb.fn.coalesce('revoked_at', eb.val(p.now));
        return { name: p.name, name_sum: p.name_sum, revoked_at: revoked, revoked_sum: revoked };
      })
      .where('user_id', '=', p.user_id),
  ),
  (row) => row,
  { name_sum: 'name_sum' },
);

export const deleteCreationReplies = prepareStatement((p: { user_id: number }) =>
  sql.deleteFrom('makings').where('user_id', '=', p.user_id),
);

/** Documents that mention a user's tokens, or that store replies to the user's requests. */
export const documentsMentioningUser = [
  prepareQuery((p: { user_id: number }) =>
    sql.selectFrom('idempotency').select('document_id').distinct().where('user_id', '=', p.user_id),
  ),
  prepareQuery((p: { user_id: number }) =>
    sql
      .selectFrom('commits')
      .select('document_id')
      .distinct()
      .where('author_id', '=', p.user_id)
      .where('token_name', 'is not', null),
  ),
  prepareQuery((p: { user_id: number }) =>
    sql
      .selectFrom('webhooks')
      .select('document_id')
      .distinct()
      .where('user_id', '=', p.user_id)
      .where('token_name', 'is not', null),
  ),
  prepareQuery((p: { user_id: number }) =>
    sql
      .selectFrom('notifications')
      .select('document_id')
      .distinct()
      .where('token_id', 'in', (eb) =>
        eb.selectFrom('tokens').select('tokens.id').where('tokens.user_id', '=', p.user_id),
      ),
  ),
] as const;

export const deleteRepliesTo = prepareStatement((p: { document_id: string; user_id: number }) =>
  sql.deleteFrom('idempotency').where('document_id', '=', p.document_id).where('user_id', '=', p.user_id),
);

export const deleteInvitationsTo = prepareStatement((p: { email: string }) =>
  sql.deleteFrom('invitations').where((eb) => eb(eb.fn('lower', ['email']), '=', p.email)),
);

/** Removes names, addresses and details from account log entries by or about a user. */
export const eraseAccountEntries = [
  prepareStatement((p: { user_id: number; name: string }) =>
    sql.updateTable('account_log').set({ user_name: p.name, address: '', detail: '' }).where('user_id', '=', p.user_id),
  ),
  prepareStatement((p: { user_id: number; name: string }) =>
    sql
      .updateTable('account_log')
      .set({ subject: p.name, address: '', detail: '' })
      .where('subject_id', '=', p.user_id),
  ),
] as const;

/** Account log entries whose detail contains a text. */
export const accountEntriesQuoting = prepareQuery((p: { text: string }) =>
  sql
    .selectFrom('account_log')
    .select(['id', 'workspace_id', 'detail'])
    .where((eb) => eb(eb.fn<string>('replace', ['detail', eb.val(p.text), eb.val('')]), '!=', eb.ref('detail'))),
);

export const setDetail = prepareStatement((p: { id: number; detail: string }) =>
  sql.updateTable('account_log').set({ detail: p.detail }).where('id', '=', p.id),
);

export const replaceInviter = withSealing(
  'invitations',
  prepareStatement((p: { user_id: number; workspace_id: number; name: string; by: string; name_sum: number | null }) =>
    sql
      .updateTable('invitations')
      .set({ invited_by: p.by, name_sum: p.name_sum })
      .where(({ and, eb, or }) =>
        or([
          eb('inviter_id', '=', p.user_id),
          and([eb('inviter_id', 'is', null), eb('workspace_id', '=', p.workspace_id), eb('invited_by', '=', p.name)]),
        ]),
      ),
  ),
  ({ by }) => ({ invited_by: by }),
  { name_sum: 'name_sum' },
);

/** Replaces the user's name and token name in the user's audit entries of a document, in a range of numbers. */
export const eraseAuditNames = prepareStatement(
  (p: { document_id: string; user_id: number; from: number; to: number; name: string; token: string }) =>
    sql
      .updateTable('audit')
      .set((eb) => ({
        user_name: p.name,
        token_name: eb.case().when('token_name', 'is', null).then(null).else(p.token).end(),
      }))
      .where('document_id', '=', p.document_id)
      .where('user_id', '=', p.user_id)
      .where('id', '>=', p.from)
      .where('id', '<=', p.to),
);

/** Replaces token names in the other tables that store them. */
export const eraseTokenNames = [
  prepareStatement((p: { document_id: string; user_id: number; token: string }) =>
    sql
      .updateTable('commits')
      .set({ token_name: p.token, facts_sum: null })
      .where('document_id', '=', p.document_id)
      .where('author_id', '=', p.user_id)
      .where('token_name', 'is not', null),
  ),
  withSealing(
    'webhooks',
    prepareStatement((p: { document_id: string; user_id: number; token: string; name_sum: number | null }) =>
      sql
        .updateTable('webhooks')
        .set({ token_name: p.token, name_sum: p.name_sum })
        .where('document_id', '=', p.document_id)
        .where('user_id', '=', p.user_id)
        .where('token_name', 'is not', null),
    ),
    ({ token }) => ({ token_name: token }),
    { name_sum: 'name_sum' },
  ),
  prepareStatement((p: { document_id: string; user_id: number; token: string }) =>
    sql
      .updateTable('notifications')
      .set({ token_name: p.token })
      .where('document_id', '=', p.document_id)
      .where('token_id', 'in', (eb) =>
        eb.selectFrom('tokens').select('tokens.id').where('tokens.user_id', '=', p.user_id),
      ),
  ),
] as const;

/** Notifications after a notification id whose authors may include a user. */
export const notificationsMentioningAuthor = prepareQuery(
  (p: { document: string; after: string; author: string; limit: number }) =>
    sql
      .selectFrom('notifications')
      .select(['document_id', 'id', 'authors'])
      .where(({ eb, refTuple, tuple }) => eb(refTuple('document_id', 'id'), '>', tuple(p.document, p.after)))
      .where('authors', 'like', p.author)
      .orderBy('document_id')
      .orderBy('id')
      .limit(p.limit),
);

export const setAuthors = prepareStatement((p: { document_id: string; id: string; authors: string }) =>
  sql
    .updateTable('notifications')
    .set({ authors: p.authors })
    .where('document_id', '=', p.document_id)
    .where('id', '=', p.id),
);

/** Earlier names of a user, from the workspace's account log. */
export const formerNames = prepareQuery((p: { workspace_id: number; user_id: number }) =>
  sql
    .selectFrom('account_log')
    .select(['user_id', 'user_name', 'subject_id', 'subject'])
    .distinct()
    .where('workspace_id', '=', p.workspace_id)
    .where(({ or, eb }) => or([eb('user_id', '=', p.user_id), eb('subject_id', '=', p.user_id)])),
);

/** Name of the row of `meta` that requests a rewrite of the database file at the next start. */
const SCRUB = 'scrub';

export const scheduleScrub = prepareStatement((p: { at: string }) =>
  sql
    .insertInto('meta')
    .values({ name: SCRUB, value: p.at })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: p.at })),
);

export const scheduledScrub = prepareQuery(() => sql.selectFrom('meta').select('value').where('name', '=', SCRUB));

export const clearScheduledScrub = prepareStatement(() => sql.deleteFrom('meta').where('name', '=', SCRUB));
