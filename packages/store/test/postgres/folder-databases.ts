import { after } from 'node:test';
import type { Database } from '../../src/database/database.ts';
import { openStore, type StoreLocation } from '../../src/open/location.ts';
import { openSqlite } from '../../src/sqlite/database.ts';
import { createEmptyDatabase } from '../empty-database.ts';
import { defineSchema, getPostgresUrl, type TestSchema } from './server.ts';

/** With `STORE=postgres`, tests that do not choose a database run on PostgreSQL. */
export const ON_POSTGRES = process.env['STORE'] === 'postgres';

/** Option of tests that inspect the data folder, which only contains the data of the embedded database. */
export const WITH_FOLDER = { skip: ON_POSTGRES && 'the data is not in a folder' };

const CONNECTIONS = 4;
const base = ON_POSTGRES ? await getPostgresUrl() : '';

const schemas = new Map<string, TestSchema & { readonly created: Promise<void> }>();

after(removeFolderSchemas);

/** Removes the schemas of all data folders. `test/run-files.ts` calls it after each file of a process. */
export async function removeFolderSchemas(): Promise<void> {
  const unused = [...schemas.values()];
  schemas.clear();
  await Promise.all(unused.map((schema) => schema.remove()));
}

/** The schema that belongs to a data folder, created at the first call. */
function ensureFolderSchema(folder: string): TestSchema & { readonly created: Promise<void> } {
  let schema = schemas.get(folder);
  if (schema === undefined) {
    const fresh = defineSchema(base);
    schema = { ...fresh, created: fresh.make() };
    schemas.set(folder, schema);
  }
  return schema;
}

/** Address of the database that belongs to a data folder; null for the embedded one. */
export async function getDatabaseUrl(folder: string): Promise<string | null> {
  if (!ON_POSTGRES) return null;
  const { url, created } = ensureFolderSchema(folder);
  await created;
  return url;
}

/** The store location of a data folder. */
export function getStoreLocation(folder: string): StoreLocation {
  if (!ON_POSTGRES) return { kind: 'sqlite', folder };
  return { kind: 'postgres', url: ensureFolderSchema(folder).url, connections: CONNECTIONS };
}

/** Opens the database of a data folder as a server does. */
export function openFolderDatabase(folder: string): Database {
  if (!ON_POSTGRES) {
    createEmptyDatabase(folder);
    return openSqlite({ folder, writer: 'thread' });
  }
  return deferDatabase(ensureFolderSchema(folder).created.then(() => openStore(getStoreLocation(folder), 'server')));
}

/** Creates a database that accepts calls while it is being opened. */
function deferDatabase(opening: Promise<Database>): Database {
  opening.catch(() => {});
  return {
    read: async (query) => (await opening).read(query),
    readOne: async (query) => (await opening).readOne(query),
    readLatest: (query) => opening.then((database) => database.readLatest(query)),
    readAll: async (queries) => (await opening).readAll(queries),
    readInBackground: async (queries) => (await opening).readInBackground(queries),
    openSnapshot: null,
    commitPositions: { changesSince: async (query) => (await opening).commitPositions.changesSince(query) },
    async *readInBatches(query, size) {
      yield* (await opening).readInBatches(query, size);
    },
    write: async (unit) => (await opening).write(unit),
    countConnections: () => null,
    checkIntegrity: async () => (await opening).checkIntegrity(),
    close: async () => (await opening).close(),
  };
}
