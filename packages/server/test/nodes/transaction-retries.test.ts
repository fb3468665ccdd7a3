import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { createSchema, runSql, type TestSchema } from '../../../store/test/postgres/server.ts';
import { startWorld, type World } from '../http/support.ts';

/** Codes with which PostgreSQL rolls back a transaction that may be repeated. */
const ROLLBACK_CODES = { 'a deadlock': '40P01', 'a serialization failure': '40001' };

suite('a write whose transaction the database rolls back every time', { timeout: 300_000 }, () => {
  let schema: TestSchema;
  let world: World;

  before(async () => {
    schema = await createSchema();
    world = await startWorld({ databaseUrl: schema.url });
  });
  after(async () => {
    await world.close();
    await schema.remove();
  });

  for (const [name, code] of Object.entries(ROLLBACK_CODES)) {
    test(`because of ${name} gets 503 with Retry-After, and succeeds later`, async () => {
      const book = await world.createBook();
      await rollBackCommits(code);
      for (const answer of [await book.put('A1', [[1]]), await book.append('A1', [[2]])]) {
        assert.deepEqual([answer.status, answer.body], [503, { message: 'Service busy' }]);
        assert.ok(Number(answer.headers.get('retry-after')) >= 1);
      }
      await runSql(schema.url, 'drop trigger undoing on commits');
      assert.equal(await book.cell('A1'), null);
      assert.equal((await book.put('A1', [[3]])).status, 200);
    });
  }

  async function rollBackCommits(code: string): Promise<void> {
    const functionBody = `begin raise exception 'undone' using errcode = '${code}'; end`;
    await runSql(
      schema.url,
      `create or replace function undo() returns trigger language plpgsql as $$ ${functionBody} $$`,
    );
    await runSql(schema.url, 'create trigger undoing before insert on commits for each row execute function undo()');
  }
});
