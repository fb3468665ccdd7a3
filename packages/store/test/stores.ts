import type { TestContext } from 'node:test';
import { temporaryFolder } from '../../server/test/documents/support.ts';
import type { Database } from '../src/database/database.ts';
import { openPostgres } from '../src/postgres/database.ts';
import { openSqlite } from '../src/sqlite/database.ts';
import { createSchema } from './postgres/server.ts';

/** A database that tests run on. `open` again is another process on the same data. */
export interface TestStore {
  readonly open: () => Promise<Database>;
}

/** Every database, by name: what holds for one holds for all. */
export const STORES: Readonly<Record<string, (t: TestContext) => Promise<TestStore>>> = {
  'sqlite, thread': async (t) => {
    const folder = temporaryFolder(t);
    return { open: async () => openSqlite({ folder, writer: 'thread' }) };
  },
  'sqlite, inline': async (t) => {
    const folder = temporaryFolder(t);
    return { open: async () => openSqlite({ folder, writer: 'inline' }) };
  },
  postgres: async (t) => {
    const place = await createSchema();
    t.after(() => place.remove());
    return { open: () => openPostgres({ url: place.url, connections: 4 }) };
  },
};
