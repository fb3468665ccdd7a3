import { prepareCheckedQuery } from '../database/checked-query.ts';
import { withSealing } from '../database/checksum.ts';
import { prepareStatement } from '../database/database.ts';
import { sql } from '../database/dialect.ts';
import { NULL_ADDEND } from '../database/sum-groups.ts';

/** Tokens with the users, plans and workspaces that identify the caller. */
function selectCallers() {
  return sql
    .selectFrom('tokens')
    .innerJoin('users', 'users.id', 'tokens.user_id')
    .innerJoin('workspaces', 'workspaces.id', 'users.workspace_id')
    .select([
      'tokens.id',
      'tokens.name',
      'tokens.scopes',
      'tokens.documents',
      'tokens.expires_at',
      'tokens.revoked_at',
      'tokens.input_locale',
      'tokens.proposes',
      'users.id as user_id',
      'users.name as user_name',
      'users.disabled_at',
      'workspaces.plan',
    ]);
}

const CALLER_TABLES = ['tokens', 'users', 'workspaces'] as const;

export const tokenByHash = prepareCheckedQuery(CALLER_TABLES, (p: { hash: string }) =>
  selectCallers().where('tokens.hash', '=', p.hash),
);

export const callerByTokenId = prepareCheckedQuery(CALLER_TABLES, (p: { id: number }) =>
  selectCallers().where('tokens.id', '=', p.id),
);

/** A token that was refused: the reason, and its user. */
export const refusedToken = prepareCheckedQuery(CALLER_TABLES, (p: { hash: string }) =>
  sql
    .selectFrom('tokens')
    .innerJoin('users', 'users.id', 'tokens.user_id')
    .innerJoin('workspaces', 'workspaces.id', 'users.workspace_id')
    .select(['tokens.name', 'tokens.user_id', 'tokens.revoked_at', 'users.disabled_at'])
    .where('tokens.hash', '=', p.hash),
);

const TOKEN_COLUMNS = [
  'id',
  'name',
  'scopes',
  'documents',
  'expires_at',
  'revoked_at',
  'created_at',
  'prefix',
  'used_at',
  'input_locale',
  'proposes',
] as const;

export const tokensOfUser = prepareCheckedQuery(['tokens'], (p: { user_id: number }) =>
  sql.selectFrom('tokens').select(TOKEN_COLUMNS).where('user_id', '=', p.user_id).orderBy('id'),
);

export const tokenById = prepareCheckedQuery(['tokens'], (p: { id: number }) =>
  sql.selectFrom('tokens').select(TOKEN_COLUMNS).select('user_id').where('id', '=', p.id),
);

/** Conflict: the user has as many tokens as the plan allows. */
export const TOO_MANY_TOKENS = 'no room for a token';

/** Precondition: the user has at most `limit` active tokens, including the tokens that this unit inserts. */
export const tokenCountWithinLimit = prepareStatement(
  (p: { user_id: number; now: number; limit: number }) =>
    sql
      .selectFrom('users')
      .select('users.id')
      .where('users.id', '=', p.user_id)
      .where((user) =>
        user(
          user
            .selectFrom('tokens')
            .select((eb) => eb.fn.countAll<number>().as('count'))
            .where('tokens.user_id', '=', p.user_id)
            .where('tokens.revoked_at', 'is', null)
            .where((eb) => eb.or([eb('tokens.expires_at', 'is', null), eb('tokens.expires_at', '>', p.now)])),
          '<=',
          p.limit,
        ),
      ),
  { rows: 1, conflict: TOO_MANY_TOKENS },
);

/** Conflict: the token does not exist or is revoked. */
const NO_TOKEN = 'no token';

/** Replaces the secret of a token. */
export const replaceTokenSecret = withSealing(
  'tokens',
  prepareStatement(
    (p: { id: number; hash: string; prefix: string; secret_sum: number | null }) =>
      sql
        .updateTable('tokens')
        .set({ hash: p.hash, prefix: p.prefix, secret_sum: p.secret_sum, used_at: null })
        .where('id', '=', p.id)
        .where('revoked_at', 'is', null),
    { rows: 1, conflict: NO_TOKEN },
  ),
  (row) => row,
  { secret_sum: 'secret_sum' },
);

/** Records the approximate time of a token's last use. */
export const recordTokenUse = prepareStatement((p: { id: number; at: number }) =>
  sql
    .updateTable('tokens')
    .set({ used_at: p.at })
    .where('id', '=', p.id)
    .where((eb) => eb.or([eb('used_at', 'is', null), eb('used_at', '<', p.at)])),
);

type NewTokenRow = {
  user_id: number;
  name: string;
  hash: string;
  scopes: string;
  documents: string | null;
  expires_at: number | null;
  created_at: number;
  prefix: string;
  /** Locale of typed input; null to use the document's. */
  input_locale: string | null;
  /** 1: every write with the token becomes a proposal; otherwise 0. */
  proposes: number;
  facts_sum: number | null;
  name_sum: number | null;
  secret_sum: number | null;
};

export const insertToken = withSealing(
  'tokens',
  prepareStatement((p: NewTokenRow) =>
    sql
      .insertInto('tokens')
      .values({
        user_id: p.user_id,
        name: p.name,
        hash: p.hash,
        scopes: p.scopes,
        documents: p.documents,
        expires_at: p.expires_at,
        revoked_at: null,
        created_at: p.created_at,
        prefix: p.prefix,
        input_locale: p.input_locale,
        proposes: p.proposes,
        facts_sum: p.facts_sum,
        name_sum: p.name_sum,
        secret_sum: p.secret_sum,
        revoked_sum: NULL_ADDEND,
      })
      .returning('id'),
  ),
  (row) => row,
  { facts_sum: 'facts_sum', name_sum: 'name_sum', secret_sum: 'secret_sum' },
);

/** Revokes a token. If it is already revoked, the first time is kept. */
export const revokeToken = prepareStatement((p: { id: number; now: number }) =>
  sql
    .updateTable('tokens')
    .set({ revoked_at: p.now, revoked_sum: p.now })
    .where('id', '=', p.id)
    .where('revoked_at', 'is', null),
);
