import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { insertSession, passwordUnchanged, sessionByHash, signInById } from '@cellwire/store/accounts';
import { PostgresConnection } from '../../../../store/src/postgres/connection.ts';
import { createSchema } from '../../../../store/test/postgres/server.ts';
import { hashSecret } from '../../../src/access/secrets.ts';
import { OPERATOR } from '../../../src/service/accounts/actor.ts';
import { disableUser, enableUser } from '../../../src/service/accounts/members.ts';
import { resetPassword } from '../../../src/service/accounts/password.ts';
import { createPerson } from '../../http/browser.ts';
import { startWorld, type World } from '../../http/support.ts';

const PASSWORD = 'another horse';
const HASH = hashSecret('the session of the test');

/** Sessions that wait for a lock of a connection. */
const WAITING_QUERY =
  'select 1 as waits from pg_stat_activity where array_position(pg_blocking_pids(pid), ?) is not null';

/** Sends a prepared statement on a connection of the test. */
function sendParameterizedStatement(
  link: PostgresConnection,
  { sql, parameters }: ReturnType<typeof passwordUnchanged>,
) {
  return link.sendStatement(sql, parameters);
}

async function setUp(t: TestContext) {
  const schema = await createSchema();
  const world = await startWorld({ databaseUrl: schema.url });
  const [link, observer] = await Promise.all([
    PostgresConnection.open(schema.url),
    PostgresConnection.open(schema.url),
  ]);
  t.after(async () => {
    for (const one of [link, observer]) await one.close();
    await world.close();
    await schema.remove();
  });
  return { world, link, looking: observer };
}

type Revocation = (
  world: World,
  user: { readonly id: number; readonly name: string; readonly workspace: number },
) => Promise<unknown>;

/** Actions that end all sessions of a user. */
const REVOCATIONS: Readonly<Record<string, Revocation>> = {
  'the user gets another password': ({ server }, { id, name, workspace }) =>
    resetPassword(
      server.service.context,
      { id, name, workspace_id: workspace, email: 'who@example.org' },
      { password: PASSWORD, isOnce: false, by: OPERATOR },
    ),
  'the user is disabled, and enabled later': async ({ server }, { id, name, workspace }) => {
    const user = { id, name, workspace_id: workspace };
    await disableUser(server.service.context, user, OPERATOR);
    await enableUser(server.service.context, user, OPERATOR);
  },
};

suite('a session that starts at another node while', { timeout: 120_000 }, () => {
  for (const [name, revoke] of Object.entries(REVOCATIONS)) {
    test(`${name} ends with it`, async (t) => {
      const { world, link, looking: observer } = await setUp(t);
      const { database } = world.server.service.context;
      const person = await createPerson(world);
      const { password_hash = '' } = (await database.readOne(signInById({ id: person.id }))) ?? {};
      const pid = Number((await link.sendStatement('select pg_backend_pid() as pid')).rows[0]?.['pid']);
      await link.sendStatement('begin');
      assert.equal(
        (await sendParameterizedStatement(link, passwordUnchanged({ id: person.id, password_hash }))).count,
        1,
      );
      let hasEnded = false;
      const revocation = revoke(world, person).finally(() => {
        hasEnded = true;
      });
      while (!hasEnded && (await observer.sendStatement(WAITING_QUERY, [pid])).count === 0);
      const times = { created_at: Date.now(), expires_at: Date.now() + 3_600_000 };
      await sendParameterizedStatement(
        link,
        insertSession({ user_id: person.id, hash: HASH, ...times, address: '', agent: '' }),
      );
      await link.sendStatement('commit');
      await revocation;
      assert.equal(await database.readOne(sessionByHash({ hash: HASH })), null);
    });
  }
});
