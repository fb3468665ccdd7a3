import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type Statement, StoreError } from '../../src/store/database.ts';
import { MIGRATIONS } from '../../src/store/migrations.ts';
import { Link } from '../../src/store/postgres/link.ts';
import { migrate } from '../../src/store/postgres/migrate.ts';
import { newPlace } from '../postgres/server.ts';

const STORE = new URL('../../src/store/', import.meta.url);

/** Every statement and query of the store that is a function of its values alone; they get null for each. */
async function allStatements(): Promise<ReadonlyMap<string, Statement>> {
  const found = new Map<string, Statement>();
  const nothing = new Proxy({}, { get: () => null });
  for (const file of readdirSync(fileURLToPath(STORE)).filter((name) => name.endsWith('.ts'))) {
    // Starts the thread that it is.
    if (file === 'sqlite-worker.ts') continue;
    const module = (await import(new URL(file, STORE).href)) as Record<string, unknown>;
    for (const [name, made] of Object.entries(module)) {
      const statement =
        typeof made === 'function' && made.length === 1 && !BUILT_EACH_TIME.has(name)
          ? tried(() => made(nothing))
          : null;
      if (statement !== null) found.set(`${file}: ${name}`, statement);
    }
  }
  return found;
}

function tried(make: () => unknown): Statement | null {
  try {
    const made = make();
    return typeof made === 'object' && made !== null && 'sql' in made && 'parameters' in made
      ? (made as Statement)
      : null;
  } catch {
    return null;
  }
}

/** Built at each call from what they are given; the tests of their users run them. */
const BUILT_EACH_TIME: ReadonlySet<string> = new Set(['insertDocument', 'namesOfUsers']);

/** Classes of errors that say what is wrong with a text, whatever its values. */
const WRONG_TEXT = /^(42|0A)/;

test('every statement is one for PostgreSQL, too', async (t) => {
  const place = await newPlace();
  const link = await Link.open(place.url);
  t.after(async () => {
    await link.close();
    await place.remove();
  });
  await migrate(link, MIGRATIONS);
  const statements = await allStatements();
  assert.ok(statements.size > 80, String(statements.size));
  const wrong: string[] = [];
  for (const [name, { sql, parameters }] of statements) {
    await link.send('begin');
    await link.send(sql, parameters).catch((error: unknown) => {
      if (!(error instanceof StoreError)) throw error;
      if (WRONG_TEXT.test(error.code)) wrong.push(`${name}: ${error.message}\n${sql}`);
    });
    await link.send('rollback');
  }
  assert.deepEqual(wrong, []);
});
