import { prepareCheckedQuery } from '../database/checked-query.ts';
import { withSealing } from '../database/checksum.ts';
import { prepareQuery, prepareStatement } from '../database/database.ts';
import { sql } from '../database/dialect.ts';

const KEY_COLUMNS = [
  'tokens.id',
  'tokens.name',
  'tokens.scopes',
  'tokens.revoked_at',
  'tokens.created_at',
  'tokens.used_at',
  'tokens.user_id',
  'users.email',
  'google_keys.client_email',
  'google_keys.key_id',
] as const;

/** The key of a service account's e-mail address, used to verify signatures. */
export const googleKeyByEmail = prepareCheckedQuery(['google_keys', 'tokens'], (p: { client_email: string }) =>
  sql
    .selectFrom('google_keys')
    .innerJoin('tokens', 'tokens.id', 'google_keys.token_id')
    .select([
      'google_keys.token_id',
      'google_keys.key_id',
      'google_keys.public_key',
      'tokens.scopes',
      'tokens.revoked_at',
    ])
    .where('google_keys.client_email', '=', p.client_email),
);

/** The user whose rights the key of a service account has. */
export const userOfGoogleKey = prepareCheckedQuery(['google_keys', 'tokens'], (p: { client_email: string }) =>
  sql
    .selectFrom('google_keys')
    .innerJoin('tokens', 'tokens.id', 'google_keys.token_id')
    .select('tokens.user_id')
    .where('google_keys.client_email', '=', p.client_email),
);

export const googleKeysAfter = prepareCheckedQuery(['google_keys', 'tokens'], (p: { after: number; limit: number }) =>
  sql
    .selectFrom('google_keys')
    .innerJoin('tokens', 'tokens.id', 'google_keys.token_id')
    .innerJoin('users', 'users.id', 'tokens.user_id')
    .select(KEY_COLUMNS)
    .where('tokens.id', '>', p.after)
    .orderBy('tokens.id')
    .limit(p.limit),
);

export const googleKeyById = prepareQuery((p: { id: number }) =>
  sql.selectFrom('google_keys').select('token_id').where('token_id', '=', p.id),
);

/** Deletes the keys of a user. Their e-mail addresses contain the names of the keys, which may identify the user. */
export const deleteGoogleKeysOf = prepareStatement((p: { user_id: number }) =>
  sql
    .deleteFrom('google_keys')
    .where('token_id', 'in', (eb) =>
      eb.selectFrom('tokens').select('tokens.id').where('tokens.user_id', '=', p.user_id),
    ),
);

type NewGoogleKeyRow = {
  token_id: number;
  key_id: string;
  client_email: string;
  client_id: string;
  public_key: string;
  row_sum: number | null;
};

export const insertGoogleKey = withSealing(
  'google_keys',
  prepareStatement((p: NewGoogleKeyRow) =>
    sql.insertInto('google_keys').values({
      token_id: p.token_id,
      key_id: p.key_id,
      client_email: p.client_email,
      client_id: p.client_id,
      public_key: p.public_key,
      row_sum: p.row_sum,
    }),
  ),
  (row) => row,
  { row_sum: 'row_sum' },
);
