import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { insertSession, passwordUnchanged, sessionByHash, signInById } from '@cellwire/store/accounts';
import { PostgresConnection } from '../../../../store/src/postgres/connection.ts';
import { createSchema } from '../../../../store/test/postgres/server.ts';
import { secretHash } from '../../../src/access/secrets.ts';
import { OPERATOR } from '../../../src/service/accounts/actor.ts';
import { disableUser, enableUser } from '../../../src/service/accounts/members.ts';
import { resetPassword } from '../../../src/service/accounts/password.ts';
import { createPerson } from '../../http/browser.ts';
import { startWorld, type World } from '../../http/support.ts';

const PASSWORD = 'another horse';
const HASH = secretHash('the session of the test');

/** Who waits for a lock of a connection. */
const WAITING = 'select 1 as waits from pg_stat_activity where array_position(pg_blocking_pids(pid), ?) is not null';

/** Sends what is prepared on a connection of the test's own. */
function sendOn(link: PostgresConnection, { sql, parameters }: ReturnType<typeof passwordUnchanged>) {
  return link.send(sql, parameters);
}

async function setUp(t: TestContext) {
  const place = await createSchema();
  const world = await startWorld({ databaseUrl: place.url });
  const [link, looking] = await Promise.all([PostgresConnection.open(place.url), PostgresConnection.open(place.url)]);
  t.after(async () => {
    for (const one of [link, looking]) await one.close();
    await world.close();
    await place.remove();
  });
  return { world, link, looking };
}

type Ending = (
  world: World,
  user: { readonly id: number; readonly name: string; readonly workspace: number },
) => Promise<unknown>;

/** What keeps out whoever has the old password. */
const ENDINGS: Readonly<Record<string, Ending>> = {
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

suite('a session that begins at another node while', { timeout: 120_000 }, () => {
  for (const [name, end] of Object.entries(ENDINGS)) {
    test(`${name} has ended after that`, async (t) => {
      const { world, link, looking } = await setUp(t);
      const { database } = world.server.service.context;
      const who = await createPerson(world);
      const { password_hash = '' } = (await database.readOne(signInById({ id: who.id }))) ?? {};
      const pid = Number((await link.send('select pg_backend_pid() as pid')).rows[0]?.['pid']);
      await link.send('begin');
      assert.equal((await sendOn(link, passwordUnchanged({ id: who.id, password_hash }))).count, 1);
      let hasEnded = false;
      const ending = end(world, who).finally(() => {
        hasEnded = true;
      });
      while (!hasEnded && (await looking.send(WAITING, [pid])).count === 0);
      const times = { created_at: Date.now(), expires_at: Date.now() + 3_600_000 };
      await sendOn(link, insertSession({ user_id: who.id, hash: HASH, ...times, address: '', agent: '' }));
      await link.send('commit');
      await ending;
      assert.equal(await database.readOne(sessionByHash({ hash: HASH })), null);
    });
  }
});
