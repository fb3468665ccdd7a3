import type { TestContext } from 'node:test';
import { createTemporaryFolder } from '../../server/test/documents/support.ts';
import type { Database } from '../src/database/database.ts';
import { openPostgres } from '../src/postgres/database.ts';
import { openSqlite } from '../src/sqlite/database.ts';
import { createSchema } from './postgres/server.ts';

/** A database for tests. Opening it again simulates another process on the same data. */
export interface TestStore {
  readonly open: () => Promise<Database>;
}

/** All databases by name, for tests that must pass on each. */
export const STORES: Readonly<Record<string, (t: TestContext) => Promise<TestStore>>> = {
  'sqlite, thread': async (t) => {
    const folder = createTemporaryFolder(t);
    return { open: async () => openSqlite({ folder, writer: 'thread' }) };
  },
  'sqlite, inline': async (t) => {
    const folder = createTemporaryFolder(t);
    return { open: async () => openSqlite({ folder, writer: 'inline' }) };
  },
  postgres: async (t) => {
    const testSchema = await createSchema();
    t.after(() => testSchema.remove());
    return { open: () => openPostgres({ url: testSchema.url, connections: 4 }) };
  },
};
