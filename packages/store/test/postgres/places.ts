import { after } from 'node:test';
import type { Database } from '../../src/database/database.ts';
import { openStore, type StoreLocation } from '../../src/open/location.ts';
import { openSqlite } from '../../src/sqlite/database.ts';
import { layDatabase } from '../laid.ts';
import { type Place, placeOn, postgresUrl } from './server.ts';

/** `STORE=postgres` runs on PostgreSQL whatever tests do not say which database they are about. */
export const ON_POSTGRES = process.env['STORE'] === 'postgres';

/** Why tests that look into the data folder are left out where all tests are run on PostgreSQL; false: they are not. */
export const WITHOUT_FOLDER = ON_POSTGRES && 'its data is in no folder';

const CONNECTIONS = 4;
const base = ON_POSTGRES ? await postgresUrl() : '';

const places = new Map<string, Place & { readonly made: Promise<void> }>();

after(async () => {
  for (const place of places.values()) await place.remove();
});

/** The place of a folder of data, made at the first call. */
function placeOf(folder: string): Place & { readonly made: Promise<void> } {
  let place = places.get(folder);
  if (place === undefined) {
    const fresh = placeOn(base);
    place = { ...fresh, made: fresh.make() };
    places.set(folder, place);
  }
  return place;
}

/** The address of the database that belongs to a folder of data; null: the embedded one in it. */
export async function databaseUrlFor(folder: string): Promise<string | null> {
  if (!ON_POSTGRES) return null;
  const { url, made } = placeOf(folder);
  await made;
  return url;
}

/** Where the data of a folder is. */
export function locationOf(folder: string): StoreLocation {
  if (!ON_POSTGRES) return { kind: 'sqlite', folder };
  return { kind: 'postgres', url: placeOf(folder).url, connections: CONNECTIONS };
}

/** The database of a folder, as a server has it. */
export function openDatabaseOf(folder: string): Database {
  if (!ON_POSTGRES) {
    layDatabase(folder);
    return openSqlite({ folder, writer: 'thread' });
  }
  return whenOpen(placeOf(folder).made.then(() => openStore(locationOf(folder), 'server')));
}

/** A database that can be asked before it is open. */
function whenOpen(opening: Promise<Database>): Database {
  opening.catch(() => {});
  return {
    read: async (query) => (await opening).read(query),
    readOne: async (query) => (await opening).readOne(query),
    readLatest: (query) => opening.then((database) => database.readLatest(query)),
    readAll: async (queries) => (await opening).readAll(queries),
    readBeside: async (queries) => (await opening).readBeside(queries),
    commitNumbers: null,
    async *readInParts(query, size) {
      yield* (await opening).readInParts(query, size);
    },
    write: async (unit) => (await opening).write(unit),
    connections: () => null,
    check: async () => (await opening).check(),
    close: async () => (await opening).close(),
  };
}
