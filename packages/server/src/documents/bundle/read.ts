import { applyDelta, exportData, restoreCheckpoint, type Snapshot, type StoredChunk } from '@cellwire/engine';
import { StoreError } from '@cellwire/store';
import {
  type ArchiveFile,
  BASE_CHUNKS,
  BASES,
  BUNDLE_TABLES,
  type BundleRow,
  type BundleTable,
  CHECKPOINT,
  CHUNKS,
  COMMITS,
  checkShapes,
  DOCUMENT,
  damagedFileError,
  namedRow,
  openArchive,
  type TableShape,
  USERS,
} from '@cellwire/store/transfer';
import { MAX_ARCHIVE_BUNDLE_BYTES, MAX_BUNDLE_ROW_BYTES, MAX_BUNDLE_USERS } from '../../limits/bundles.ts';
import { rowHere, type Users } from './rows.ts';
import { bundleShapes } from './write.ts';

/** Who is named in a bundle. */
interface NamedUser {
  readonly id: number;
  readonly email: string;
}

interface Named {
  /** The owner's id there. */
  readonly owner: number;
  readonly users: readonly NamedUser[];
}

const BOUNDS = { rowBytes: MAX_BUNDLE_ROW_BYTES, bytes: MAX_ARCHIVE_BUNDLE_BYTES };

async function open(path: string): Promise<ArchiveFile> {
  const archive = await openArchive(path, BOUNDS);
  try {
    if (archive.head.holds !== 'document') {
      throw new StoreError(
        'The file holds an installation: cellwire restore brings it into an empty place',
        'OTHER_FORMAT',
      );
    }
    checkShapes(archive.tables, bundleShapes());
    for (const name of ['users', 'shares', 'protections']) {
      if ((archive.counts[name] ?? 0) > MAX_BUNDLE_USERS) throw damagedFileError(`too many rows of ${name}`);
    }
    return archive;
  } catch (error) {
    await archive.close();
    throw error;
  }
}

/** Who is named in a bundle. Rejects with `StoreError` where it is none. */
export async function namedIn(path: string): Promise<Named> {
  const archive = await open(path);
  try {
    const named: Record<'document' | 'users', BundleRow[]> = { document: [], users: [] };
    for (const table of archive.tables.slice(0, 2)) {
      for await (const row of namedRows(archive, table)) {
        if (table.name === DOCUMENT.name || table.name === USERS.name)
          named[table.name as 'document' | 'users'].push(row);
        if (named.users.length > MAX_BUNDLE_USERS || named.document.length > 1) throw damagedFileError('too many rows');
      }
    }
    const users = named.users.map(({ id, email }) => ({ id: Number(id), email: String(email) }));
    return { owner: Number(named.document[0]?.['owner_id'] ?? 0), users };
  } finally {
    await archive.close();
  }
}

/** Told of each row as it is stored here, table by table in the order of `BUNDLE_TABLES`. */
type OnRow = (table: BundleTable, row: BundleRow) => Promise<void> | void;

/** Reads a bundle to its end. Rejects with `StoreError` (`DAMAGED`) where it is not as it was written. */
export async function readBundle(path: string, users: Users, onRow: OnRow): Promise<void> {
  const archive = await open(path);
  try {
    for (const shape of archive.tables) {
      const table = BUNDLE_TABLES.find(({ name }) => name === shape.name);
      for await (const row of namedRows(archive, shape)) {
        const here = table === undefined ? null : rowHere(table, row, users);
        if (table !== undefined && here !== null) await onRow(table, here);
      }
    }
    await archive.end();
  } finally {
    await archive.close();
  }
}

async function* namedRows(archive: ArchiveFile, table: TableShape): AsyncGenerator<BundleRow> {
  for await (const rows of archive.rows(table)) for (const row of rows) yield namedRow(table, row);
}

/** What a bundle holds, proved: the document's row, and its newest state. */
interface Proved {
  readonly document: BundleRow;
  readonly snapshot: Snapshot;
}

/**
 * Opens what a bundle holds, as opening the document would, its kept checkpoints, too; every formula of the newest state
 * is written out. Rejects with `StoreError` (`DAMAGED`) where that fails: then nothing of it was stored.
 */
export async function proveBundle(path: string, users: Users): Promise<Proved> {
  const proof = new Proof();
  await readBundle(path, users, (table, row) => proof.add(table, row));
  return proof.end();
}

class Proof {
  private document: BundleRow | null = null;
  private checkpoint: BundleRow | null = null;
  private chunks: StoredChunk[] = [];
  private readonly bases = new Map<number, Uint8Array>();
  private base = -1;
  private snapshot: Snapshot | null = null;
  private last: BundleRow | null = null;

  add(table: BundleTable, row: BundleRow): void {
    try {
      this.take(table, row);
    } catch (error) {
      throw damagedFileError(`${table.name}: ${reason(error)}`);
    }
  }

  private take(table: BundleTable, row: BundleRow): void {
    if (table === DOCUMENT) this.document = once(this.document, row);
    else if (table === CHECKPOINT) this.checkpoint = once(this.checkpoint, row);
    else if (table === CHUNKS) this.chunks.push(chunkOf(row));
    else if (table === BASES) this.bases.set(Number(row['revision']), row['meta'] as Uint8Array);
    else if (table === BASE_CHUNKS) this.addToBase(row);
    else if (table === COMMITS) this.commit(row);
  }

  /** Chunks come base by base. */
  private addToBase(row: BundleRow): void {
    const revision = Number(row['base_revision']);
    this.newest();
    if (revision !== this.base) this.endBase();
    this.base = revision;
    this.chunks.push(chunkOf(row));
  }

  private endBase(): void {
    const meta = this.bases.get(this.base);
    if (meta !== undefined) restoreCheckpoint(meta, this.chunks);
    this.bases.delete(this.base);
    this.chunks = [];
  }

  private commit(row: BundleRow): void {
    const snapshot = this.newest();
    const revision = Number(row['revision']);
    if (this.last !== null && revision !== Number(this.last['revision']) + 1) throw new Error('commits are missing');
    this.last = row;
    if (revision > Number(this.checkpoint?.['revision']))
      this.snapshot = applyDelta(snapshot, row['delta'] as Uint8Array);
  }

  /** The checkpoint's state, once its chunks are there; later that of the last commit. */
  private newest(): Snapshot {
    if (this.snapshot !== null) return this.snapshot;
    this.snapshot = restoreCheckpoint(this.checkpoint?.['meta'] as Uint8Array, this.chunks);
    this.chunks = [];
    return this.snapshot;
  }

  end(): Proved {
    try {
      const snapshot = this.newest();
      this.endBase();
      for (const meta of this.bases.values()) restoreCheckpoint(meta, []);
      exportData(snapshot);
      const { document, last } = this;
      if (document === null) throw new Error('there is no document');
      const { revision, settings } = snapshot;
      const { locale, dateSystem, timeZone } = settings;
      const told = [document['revision'], document['locale'], document['date_system'], document['time_zone']];
      if (String(told) !== String([revision, locale, dateSystem, timeZone]))
        throw new Error('the document is another one');
      if (last !== null && last['head'] !== document['head']) throw new Error('the last commit is another one');
      return { document, snapshot };
    } catch (error) {
      throw damagedFileError(reason(error));
    }
  }
}

function once(known: BundleRow | null, row: BundleRow): BundleRow {
  if (known !== null) throw new Error('it comes twice');
  return row;
}

function chunkOf(row: BundleRow): StoredChunk {
  return {
    sheet: Number(row['sheet_id']),
    column: Number(row['column_index']),
    block: Number(row['block']),
    bytes: row['bytes'] as Uint8Array,
  };
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
