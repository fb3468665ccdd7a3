import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { elementAt } from '../../../test/elements.ts';
import { accessEpoch, bumpAccessEpoch } from '../src/accounts/access-epoch.ts';
import { prepareQuery, prepareStatement, StoreError } from '../src/database/database.ts';
import { sql } from '../src/database/dialect.ts';
import { STORES } from './stores.ts';

const putOnce = prepareStatement(
  (p: { name: string; value: string }) =>
    sql
      .insertInto('meta')
      .values({ name: p.name, value: p.value })
      .onConflict((conflict) => conflict.column('name').doNothing()),
  { rows: 1, conflict: 'taken' },
);
const insert = prepareStatement((p: { name: string; value: string }) =>
  sql.insertInto('meta').values({ name: p.name, value: p.value }),
);
const names = prepareQuery(() => sql.selectFrom('meta').select('name').orderBy('name'));
const readNote = prepareQuery((p: { name: string }) =>
  sql.selectFrom('meta').select('value').where('name', '=', p.name),
);

const insertWorkspace = prepareStatement((p: { name: string }) =>
  sql.insertInto('workspaces').values({ name: p.name, plan: 'free', created_at: 5 }).returning('id'),
);
const insertCheckpoint = prepareStatement((p: { id: string; meta: Uint8Array }) =>
  sql.insertInto('checkpoints').values({ document_id: p.id, revision: 1, meta: p.meta }),
);
const readMeta = prepareQuery((p: { id: string }) =>
  sql.selectFrom('checkpoints').select('meta').where('document_id', '=', p.id),
);

for (const [name, newStore] of Object.entries(STORES)) {
  suite(`the database (${name})`, () => {
    test('the next read sees a committed unit', async (t) => {
      const database = await (await newStore(t)).open();
      const outcome = await database.write({ document: null, statements: [insert({ name: 'a', value: '1' })] });
      assert.deepEqual(outcome, { kind: 'committed', results: [{ changes: 1, rows: [] }] });
      assert.deepEqual(await database.readOne(readNote({ name: 'a' })), { value: '1' });
      await database.close();
    });

    test('a failed guard rolls back its unit and no other of the transaction', async (t) => {
      const database = await (await newStore(t)).open();
      const outcomes = await Promise.all([
        database.write({ document: null, statements: [insert({ name: 'a', value: '1' })] }),
        database.write({
          document: null,
          statements: [insert({ name: 'b', value: '1' }), putOnce({ name: 'a', value: '2' })],
        }),
        database.write({ document: null, statements: [insert({ name: 'c', value: '1' })] }),
      ]);
      assert.deepEqual(
        outcomes.map(({ kind }) => kind),
        ['committed', 'conflict', 'committed'],
      );
      assert.deepEqual(outcomes[1], { kind: 'conflict', conflict: 'taken' });
      assert.deepEqual(
        (await database.read(names({}))).map(({ name }) => name),
        ['a', 'c'],
      );
      await database.close();
    });

    test('a failed statement rejects only its own unit', async (t) => {
      const database = await (await newStore(t)).open();
      const results = await Promise.allSettled([
        database.write({ document: null, statements: [insert({ name: 'a', value: '1' })] }),
        database.write({ document: null, statements: [insert({ name: 'a', value: '2' })] }),
        database.write({ document: null, statements: [insert({ name: 'b', value: '1' })] }),
      ]);
      assert.deepEqual(
        results.map(({ status }) => status),
        ['fulfilled', 'rejected', 'fulfilled'],
      );
      const failure = elementAt(results, 1);
      assert.ok(failure.status === 'rejected');
      assert.ok(failure.reason instanceof StoreError);
      assert.ok(['SQLITE_CONSTRAINT_PRIMARYKEY', '23505'].includes(failure.reason.code));
      await database.close();
    });

    test('the writer gets the rows of RETURNING', async (t) => {
      const database = await (await newStore(t)).open();
      const outcome = await database.write({ document: null, statements: [insertWorkspace({ name: 'w' })] });
      assert.deepEqual(outcome, { kind: 'committed', results: [{ changes: 1, rows: [{ id: 1 }] }] });
      await database.close();
    });

    test('bytes are read back unchanged, also from a view of a larger buffer', async (t) => {
      const database = await (await newStore(t)).open();
      const large = Uint8Array.from({ length: 1000 }, (_, i) => i % 256);
      await database.write({ document: null, statements: [insertCheckpoint({ id: 'd', meta: large.subarray(3, 7) })] });
      const row = await database.readOne(readMeta({ id: 'd' }));
      assert.deepEqual([...(row?.meta ?? [])], [3, 4, 5, 6]);
      await database.close();
    });

    test('all queries of one readAll see the same snapshot', async (t) => {
      const database = await (await newStore(t)).open();
      const writes = Promise.all(
        Array.from({ length: 200 }, () => database.write({ document: null, statements: [bumpAccessEpoch({})] })),
      );
      for (let i = 0; i < 200; i++) {
        const [[first], [second]] = await database.readAll([accessEpoch({}), accessEpoch({})]);
        assert.equal(first?.version, second?.version);
        await new Promise(setImmediate);
      }
      await writes;
      assert.equal((await database.readOne(accessEpoch({})))?.version, 201);
      await database.close();
    });

    test('two processes can write to one database', async (t) => {
      const { open } = await newStore(t);
      const databases = [await open(), await open()] as const;
      await Promise.all(
        Array.from({ length: 400 }, (_, i) =>
          databases[i % 2 === 0 ? 0 : 1].write({ document: null, statements: [insert({ name: `n${i}`, value: '' })] }),
        ),
      );
      assert.equal((await databases[0].read(names({}))).length, 400);
      for (const database of databases) await database.close();
    });

    test('close waits for running writes and refuses later ones', async (t) => {
      const { open } = await newStore(t);
      const database = await open();
      const writes = Promise.all(
        Array.from({ length: 50 }, (_, i) =>
          database.write({ document: null, statements: [insert({ name: `n${i}`, value: '' })] }),
        ),
      );
      await database.close();
      await writes;
      await assert.rejects(database.write({ document: null, statements: [] }), { code: 'CLOSED' });
      const reopened = await open();
      assert.equal((await reopened.read(names({}))).length, 50);
      await reopened.close();
    });
  });
}
