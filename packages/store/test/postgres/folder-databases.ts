import { after } from 'node:test';
import type { Database } from '../../src/database/database.ts';
import { openStore, type StoreLocation } from '../../src/open/location.ts';
import { openSqlite } from '../../src/sqlite/database.ts';
import { createEmptyDatabase } from '../empty-database.ts';
import { defineSchema, postgresUrl, type TestSchema } from './server.ts';

/** `STORE=postgres` runs on PostgreSQL whatever tests do not say which database they are about. */
export const ON_POSTGRES = process.env['STORE'] === 'postgres';

/** Why tests that look into the data folder are left out where all tests are run on PostgreSQL; false: they are not. */
export const SKIP_WITHOUT_FOLDER = ON_POSTGRES && 'its data is in no folder';

const CONNECTIONS = 4;
const base = ON_POSTGRES ? await postgresUrl() : '';

const places = new Map<string, TestSchema & { readonly made: Promise<void> }>();

after(async () => {
  for (const place of places.values()) await place.remove();
});

/** The place of a folder of data, made at the first call. */
function schemaOfFolder(folder: string): TestSchema & { readonly made: Promise<void> } {
  let place = places.get(folder);
  if (place === undefined) {
    const fresh = defineSchema(base);
    place = { ...fresh, made: fresh.make() };
    places.set(folder, place);
  }
  return place;
}

/** The address of the database that belongs to a folder of data; null: the embedded one in it. */
export async function databaseUrlFor(folder: string): Promise<string | null> {
  if (!ON_POSTGRES) return null;
  const { url, made } = schemaOfFolder(folder);
  await made;
  return url;
}

/** Where the data of a folder is. */
export function storeLocationOf(folder: string): StoreLocation {
  if (!ON_POSTGRES) return { kind: 'sqlite', folder };
  return { kind: 'postgres', url: schemaOfFolder(folder).url, connections: CONNECTIONS };
}

/** The database of a folder, as a server has it. */
export function openDatabaseOf(folder: string): Database {
  if (!ON_POSTGRES) {
    createEmptyDatabase(folder);
    return openSqlite({ folder, writer: 'thread' });
  }
  return deferDatabase(schemaOfFolder(folder).made.then(() => openStore(storeLocationOf(folder), 'server')));
}

/** A database that can be asked before it is open. */
function deferDatabase(opening: Promise<Database>): Database {
  opening.catch(() => {});
  return {
    read: async (query) => (await opening).read(query),
    readOne: async (query) => (await opening).readOne(query),
    readLatest: (query) => opening.then((database) => database.readLatest(query)),
    readAll: async (queries) => (await opening).readAll(queries),
    readInBackground: async (queries) => (await opening).readInBackground(queries),
    async *readInBatches(query, size) {
      yield* (await opening).readInBatches(query, size);
    },
    write: async (unit) => (await opening).write(unit),
    connections: () => null,
    check: async () => (await opening).check(),
    close: async () => (await opening).close(),
  };
}
