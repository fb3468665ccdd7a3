import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import {
  assignWorkspaceOwners,
  disableUser,
  enableUser,
  endInvitation,
  eraseAccount,
  eraseTokenNames,
  insertGoogleKey,
  insertInvitation,
  insertSession,
  insertToken,
  insertUser,
  insertUserOfNewWorkspace,
  insertWorkspace,
  renameUser,
  renameWorkspace,
  replaceInvitations,
  replaceInviter,
  replaceTokenSecret,
  revokeToken,
  revokeTokensOf,
  setEmail,
  setPassword,
  setPasswordHash,
  setWorkspaceLocale,
  setWorkspacePlan,
  tokenByHash,
  touchSession,
  transferWorkspaces,
  userById,
} from '../src/accounts/index.ts';
import { sealMissing } from '../src/database/checksum.ts';
import type { Statement } from '../src/database/database.ts';
import {
  acceptRow,
  findRowDamage,
  INDEPENDENT_TABLES,
  listIndependentColumns,
  listKeyColumns,
} from '../src/database/independent-rows.ts';
import { listSummedColumns } from '../src/database/row-sums.ts';
import type { IndependentTable } from '../src/database/sum-groups.ts';
import { insertDocument } from '../src/documents/documents.ts';
import { restoreFromTrash, trashDocument } from '../src/documents/trash.ts';
import {
  decideProposal,
  eraseTokenNameOfProposals,
  expireProposal,
  insertProposal,
  rebaseProposal,
} from '../src/proposals/index.ts';
import { resumeSubscriptions } from '../src/transfer/document-rows.ts';
import {
  activateSubscription,
  deactivateSubscription,
  deactivateSubscriptionsOfToken,
  deactivateSubscriptionsOfUser,
  extendListener,
  insertWebhook,
  moveWatch,
  replaceSecret,
  subscriptionById,
  updateSubscription,
  webhooksOf,
} from '../src/webhooks/index.ts';
import { damageColumn, findProblems, readRows, setColumns, write } from './damaged-rows.ts';
import { STORES } from './stores.ts';

const DOCUMENT = 'd';
const NOW = 1_790_000_000_000;
const USER = { email: 'Anna@example.com', email_key: 'anna@example.com', name: 'Anna', password_hash: 'h' };
const [SECRET, OTHER_SECRET] = [Uint8Array.of(1, 2), Uint8Array.of(3, 4)];

/** Statements that create the rows. */
const CREATIONS: readonly Statement[] = [
  insertWorkspace({ name: 'W', plan: 'free', created_at: NOW }),
  insertUserOfNewWorkspace({ ...USER, password_once: 1, created_at: NOW }),
  assignWorkspaceOwners({}),
  insertUser({ ...USER, email_key: 'ben', name: 'Ben', password_once: 0, created_at: NOW, workspace_id: 1 }),
  ...['hash 1', 'hash 2'].map((hash) =>
    insertToken({
      ...{ user_id: 1, name: 'CI', hash, scopes: '["sheets.read"]', documents: null, expires_at: NOW + 1 },
      ...{ created_at: NOW, prefix: 'cw_1', input_locale: null, proposes: 0 },
    }),
  ),
  insertGoogleKey({ token_id: 2, key_id: 'k', client_email: 'e', client_id: 'i', public_key: 'p' }),
  insertSession({ user_id: 1, hash: 's', created_at: NOW, expires_at: NOW + 9, address: '::1', agent: 'Firefox' }),
  insertDocument({
    ...{ id: DOCUMENT, owner_id: 1, title: 'T', type: 'table', format: 'collaborative', locale: 'en-US' },
    ...{ date_system: 'google', time_zone: 'UTC', revision: 5, head: 'h', input_locale: null },
    ...{ calculated_at: NOW, created_at: NOW, updated_at: NOW, committed_at: NOW },
  }),
  ...(['cleo@example.com', 'dora@example.com', 'emil@example.com'] as const).map((email) =>
    insertInvitation({
      ...{ workspace_id: 1, email, hash: email, invited_by: 'Anna', inviter_id: 1, created_at: NOW },
      ...{ expires_at: NOW + 10, document_id: DOCUMENT, role: 'view', limit: 9 },
    }),
  ),
  ...[null, NOW + 5].map((listening_until) =>
    insertWebhook({
      ...{ document_id: DOCUMENT, channel: 'http', url: 'https://example.com/h', chat_id: null, bot_token: null },
      ...{ secret: SECRET, events: '["document.updated"]', user_id: 1, token_id: 1, token_name: 'CI' },
      ...{ created_at: NOW, watch: null, listening_until, limit: 9 },
    }),
  ),
  ...['p1', 'p2'].map((id) =>
    insertProposal({
      ...{ document_id: DOCUMENT, id, title: 'T', note: null, action: 'write', user_id: 1, token_id: 1 },
      ...{ token_name: 'CI', origin: 'api', created_at: NOW, expires_at: NOW + 9, base_revision: 5, counts: '[]' },
      ...{ preview: '{}', content: new Uint8Array(), now: NOW, limit: 9 },
    }),
  ),
];

const TARGET = { document_id: DOCUMENT, id: 1 };
const [, eraseWebhookTokenNames] = eraseTokenNames;

/** Statements that change single columns without reading the row. */
const CHANGES: readonly Statement[] = [
  setWorkspacePlan({ id: 1, plan: 'standard' }),
  setWorkspaceLocale({ id: 1, locale: 'ru-RU' }),
  renameWorkspace({ id: 1, name: 'Works' }),
  renameUser({ id: 1, name: 'Anne' }),
  setEmail({ id: 1, email: 'Anne@example.com', email_key: 'anne@example.com' }),
  setPasswordHash({ id: 1, password_hash: 'h2' }),
  setPassword({ id: 1, password_hash: 'h3', once: 0 }),
  disableUser({ id: 2, now: NOW + 1 }),
  enableUser({ id: 2 }),
  replaceTokenSecret({ id: 1, hash: 'hash 3', prefix: 'cw_2' }),
  revokeToken({ id: 2, now: NOW + 2 }),
  touchSession({ id: 1, at: NOW + 3 }),
  endInvitation({ id: 1, now: NOW + 3, by: 'use' }),
  replaceInvitations({ document_id: DOCUMENT, email_key: 'dora@example.com', now: NOW + 4 }),
  deactivateSubscription({ ...TARGET, reason: 'gone' }),
  activateSubscription(TARGET),
  deactivateSubscriptionsOfToken({ document_id: DOCUMENT, token_id: 1 }),
  activateSubscription(TARGET),
  deactivateSubscriptionsOfUser({ document_id: DOCUMENT, user_id: 1 }),
  activateSubscription(TARGET),
  updateSubscription(DOCUMENT, 1, { url: 'https://example.com/i', events: '[]' }),
  updateSubscription(DOCUMENT, 1, { active: 0, inactive_reason: 'request' }),
  activateSubscription(TARGET),
  moveWatch({ ...TARGET, watch: '{"range":"A1"}' }),
  extendListener({ ...TARGET, id: 2, until: NOW + 6 }),
  replaceSecret({
    ...{ ...TARGET, seen_secret: SECRET, secret: OTHER_SECRET, old_secret: SECRET, old_secret_until: NOW + 7 },
  }),
  ...trashDocument(DOCUMENT, NOW),
  ...restoreFromTrash(DOCUMENT),
  ...resumeSubscriptions(DOCUMENT, 3),
  rebaseProposal({
    ...{ document_id: DOCUMENT, id: 'p1', version: 0, next: 1, now: NOW, base_revision: 6, counts: '[1]' },
    ...{ preview: '{"cells":[]}', content: new Uint8Array() },
  }),
  decideProposal({
    ...{ document_id: DOCUMENT, id: 'p1', version: 1, state: 'applied', decided_by: 1, at: NOW + 1, reason: 'r' },
    ...{ revision: 7, preview: '{}', counts: '[]' },
  }),
  expireProposal({ document_id: DOCUMENT, id: 'p2' }),
  eraseWebhookTokenNames({ document_id: DOCUMENT, user_id: 1, token: 'erased' }),
  eraseTokenNameOfProposals({ document_id: DOCUMENT, user_id: 1, token: 'erased' }),
  replaceInviter({ user_id: 1, workspace_id: 1, name: 'Anna', by: 'erased' }),
  revokeTokensOf({ user_id: 1, name: 'erased', now: NOW + 8 }),
  transferWorkspaces({ id: 1, to: 2 }),
  eraseAccount({ id: 1, name: 'erased', email: 'erased', password_hash: '', now: NOW + 8 }),
];

for (const [name, create] of Object.entries(STORES)) {
  suite(`sums of accounts, subscriptions and proposals: ${name}`, { timeout: 120_000 }, () => {
    test('every statement stores the sums of what it writes', async (t) => {
      const database = await (await create(t)).open();
      t.after(() => database.close());
      await write(database, CREATIONS);
      assert.deepEqual(await findProblems(database), []);
      for (const statement of CHANGES) {
        await write(database, [statement]);
        assert.deepEqual(await findProblems(database), [], statement.sql);
      }
    });

    test('a change of any column is found, and ends when the row is accepted', async (t) => {
      const database = await (await create(t)).open();
      t.after(() => database.close());
      await write(database, CREATIONS);
      for (const table of INDEPENDENT_TABLES) {
        const [row] = await readRows(database, table);
        assert.ok(row !== undefined, table);
        const keys = ['document_id', 'id', ...listKeyColumns(table)];
        for (const column of listSummedColumns(table).filter(
          (one) => !keys.includes(one) && !isReference(table, one),
        )) {
          await damageColumn(database, table, row, column);
          assert.equal((await findProblems(database)).length, 1, `${table}.${column}`);
          const [damaged] = (await readRows(database, table)).filter((one) => findRowDamage(table, one) !== null);
          assert.ok(damaged !== undefined);
          await write(database, [acceptRow(table, damaged)]);
          assert.deepEqual(await findProblems(database), [], `${table}.${column}`);
          await setColumns(database, table, row, row);
        }
      }
    });

    test('rows without sums are accepted and get them', async (t) => {
      const database = await (await create(t)).open();
      t.after(() => database.close());
      await write(database, CREATIONS);
      for (const table of INDEPENDENT_TABLES) {
        const sums = listSummedColumns(table).filter((one) => one.endsWith('_sum'));
        for (const row of await readRows(database, table))
          await setColumns(database, table, row, Object.fromEntries(sums.map((one) => [one, null])));
        for (const row of await readRows(database, table)) {
          assert.equal(findRowDamage(table, row), null);
          const statement = sealMissing(table, row);
          assert.ok(statement !== null, table);
          await write(database, [statement]);
        }
      }
      assert.deepEqual(await findProblems(database), []);
    });

    test('readers return a damaged row with its damage, and others without', async (t) => {
      const database = await (await create(t)).open();
      t.after(() => database.close());
      await write(database, CREATIONS);
      const [token] = await readRows(database, 'tokens');
      const [user] = await readRows(database, 'users');
      const [webhook] = await readRows(database, 'webhooks');
      assert.ok(token && user && webhook);
      await damageColumn(database, 'tokens', token, 'scopes');
      await damageColumn(database, 'users', user, 'disabled_at');
      await damageColumn(database, 'webhooks', webhook, 'url');
      const caller = await database.readOne(tokenByHash({ hash: 'hash 1' }));
      assert.deepEqual(
        caller?.damage.map(({ table, key, sums }) => [table, key, sums]),
        [
          ['tokens', [1], ['facts_sum']],
          ['users', [1], ['disabled_sum']],
        ],
      );
      assert.deepEqual(
        Object.keys(caller ?? {}).filter((one) => one.includes('$')),
        [],
      );
      assert.equal((await database.readOne(userById({ id: 1 })))?.damage.length, 1);
      assert.deepEqual((await database.readOne(userById({ id: 2 })))?.damage, []);
      const listed = await database.read(webhooksOf({ document_id: DOCUMENT }));
      assert.deepEqual(
        listed.map(({ id, damage }) => [id, damage.length]),
        [
          [1, 1],
          [2, 0],
        ],
      );
      assert.match(
        (await database.readOne(subscriptionById(TARGET)))?.damage[0]?.problem ?? '',
        /^subscription 1 of document d is damaged: its url; /,
      );
    });
  });
}

/** Columns with a foreign key, which the database does not let a test change to an unknown row. */
function isReference(table: IndependentTable, column: string): boolean {
  return (table === 'users' && column === 'workspace_id') || (table === 'tokens' && column === 'user_id');
}

/** Columns without a sum, each with the reason. */
const UNSUMMED: Readonly<Record<IndependentTable, Readonly<Record<string, string>>>> = {
  workspaces: { id: 'the key, which other rows name' },
  users: { id: 'the key, which other rows name', signed_in_at: 'only shown' },
  tokens: { id: 'the key, which other rows name', used_at: 'only shown, and written with every use' },
  google_keys: {},
  sessions: { id: 'the key' },
  invitations: { id: 'the key' },
  webhooks: {
    id: 'the key, which other rows name',
    secret: 'encrypted with authentication (AES-GCM)',
    old_secret: 'encrypted with authentication (AES-GCM)',
    bot_token: 'encrypted with authentication (AES-GCM)',
  },
  proposals: { content: 'compressed with a checksum (RFC 1950)' },
};

test('every column of accounts, subscriptions and proposals has a sum or a reason', async (t) => {
  const create = STORES['sqlite, inline'];
  assert.ok(create !== undefined);
  const database = await (await create(t)).open();
  t.after(() => database.close());
  for (const table of INDEPENDENT_TABLES) {
    const columns = await database.read<{ name: string }>({
      sql: `select name from pragma_table_info('${table}')`,
      parameters: [],
    });
    const known = new Set([...listSummedColumns(table), ...Object.keys(UNSUMMED[table])]);
    assert.deepEqual(
      columns.map(({ name }) => name).toSorted(),
      [...known].toSorted(),
      `${table}: give each new column a sum (sum-groups.ts and a migration) or a reason`,
    );
    for (const column of listIndependentColumns(table)) assert.ok(known.has(column), `${table}.${column}`);
  }
});
