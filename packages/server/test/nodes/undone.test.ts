import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { createSchema, runSql, type TestSchema } from '../../../store/test/postgres/server.ts';
import { startWorld, type World } from '../http/support.ts';

/** Codes with which PostgreSQL undoes a transaction for no fault of its own. */
const UNDOING = { 'a deadlock': '40P01', 'a serialization failure': '40001' };

suite('a write whose transaction the database undoes each time', { timeout: 300_000 }, () => {
  let place: TestSchema;
  let world: World;

  before(async () => {
    place = await createSchema();
    world = await startWorld({ databaseUrl: place.url });
  });
  after(async () => {
    await world.close();
    await place.remove();
  });

  for (const [name, code] of Object.entries(UNDOING)) {
    test(`by ${name} may come again, and is then done`, async () => {
      const book = await world.book();
      await undoCommits(code);
      for (const answer of [await book.put('A1', [[1]]), await book.append('A1', [[2]])]) {
        assert.deepEqual([answer.status, answer.body], [503, { message: 'Service busy' }]);
        assert.ok(Number(answer.headers.get('retry-after')) >= 1);
      }
      await runSql(place.url, 'drop trigger undoing on commits');
      assert.equal(await book.cell('A1'), null);
      assert.equal((await book.put('A1', [[3]])).status, 200);
    });
  }

  async function undoCommits(code: string): Promise<void> {
    const undo = `begin raise exception 'undone' using errcode = '${code}'; end`;
    await runSql(place.url, `create or replace function undo() returns trigger language plpgsql as $$ ${undo} $$`);
    await runSql(place.url, 'create trigger undoing before insert on commits for each row execute function undo()');
  }
});
