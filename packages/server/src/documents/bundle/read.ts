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
  createDamagedArchiveError,
  DOCUMENT,
  openArchive,
  type TableShape,
  toNamedRow,
  USERS,
} from '@cellwire/store/transfer';
import { MAX_ARCHIVE_BUNDLE_BYTES, MAX_BUNDLE_ROW_BYTES, MAX_BUNDLE_USERS } from '../../limits/bundles.ts';
import { type BundleUserMapping, convertRow } from './rows.ts';
import { listBundleShapes } from './write.ts';

/** A user named in a bundle. */
interface BundleUser {
  readonly id: number;
  readonly email: string;
}

interface BundleUsers {
  /** The owner's id in the source installation. */
  readonly owner: number;
  readonly users: readonly BundleUser[];
}

const BOUNDS = { rowBytes: MAX_BUNDLE_ROW_BYTES, bytes: MAX_ARCHIVE_BUNDLE_BYTES };

async function openBundle(path: string): Promise<ArchiveFile> {
  const archive = await openArchive(path, BOUNDS);
  try {
    if (archive.head.holds !== 'document') {
      throw new StoreError(
        'The file contains an installation; restore it with cellwire restore into an empty place',
        'OTHER_FORMAT',
      );
    }
    checkShapes(archive.tables, listBundleShapes());
    for (const name of ['users', 'shares', 'protections']) {
      if ((archive.counts[name] ?? 0) > MAX_BUNDLE_USERS) throw createDamagedArchiveError(`too many rows of ${name}`);
    }
    return archive;
  } catch (error) {
    await archive.close();
    throw error;
  }
}

/** Returns the users named in a bundle. Rejects with `StoreError` if the file is not a bundle. */
export async function readBundleUsers(path: string): Promise<BundleUsers> {
  const archive = await openBundle(path);
  try {
    const rowsByTable: Record<'document' | 'users', BundleRow[]> = { document: [], users: [] };
    for (const table of archive.tables.slice(0, 2)) {
      for await (const row of readNamedRows(archive, table)) {
        if (table.name === DOCUMENT.name || table.name === USERS.name)
          rowsByTable[table.name as 'document' | 'users'].push(row);
        if (rowsByTable.users.length > MAX_BUNDLE_USERS || rowsByTable.document.length > 1)
          throw createDamagedArchiveError('too many rows');
      }
    }
    const users = rowsByTable.users.map(({ id, email }) => ({ id: Number(id), email: String(email) }));
    return { owner: Number(rowsByTable.document[0]?.['owner_id'] ?? 0), users };
  } finally {
    await archive.close();
  }
}

/** Called with each row in the form stored here, table by table in the order of `BUNDLE_TABLES`. */
type RowHandler = (table: BundleTable, row: BundleRow) => Promise<void> | void;

/** Reads a bundle to its end. Rejects with `StoreError` (`DAMAGED`) if the bundle was altered. */
export async function readBundle(path: string, users: BundleUserMapping, onRow: RowHandler): Promise<void> {
  const archive = await openBundle(path);
  try {
    for (const shape of archive.tables) {
      const table = BUNDLE_TABLES.find(({ name }) => name === shape.name);
      for await (const row of readNamedRows(archive, shape)) {
        const converted = table === undefined ? null : convertRow(table, row, users);
        if (table !== undefined && converted !== null) await onRow(table, converted);
      }
    }
    await archive.end();
  } finally {
    await archive.close();
  }
}

async function* readNamedRows(archive: ArchiveFile, table: TableShape): AsyncGenerator<BundleRow> {
  for await (const rows of archive.rows(table)) for (const row of rows) yield toNamedRow(table, row);
}

/** Verified content of a bundle: the document's row and its newest state. */
interface VerifiedBundle {
  readonly document: BundleRow;
  readonly snapshot: Snapshot;
}

/**
 * Verifies a bundle before anything of it is stored: restores its newest state and retained checkpoints as opening the
 * document would, and prints every formula of the newest state. Rejects with `StoreError` (`DAMAGED`) on failure.
 */
export async function verifyBundle(path: string, users: BundleUserMapping): Promise<VerifiedBundle> {
  const proof = new BundleVerifier();
  await readBundle(path, users, (table, row) => proof.verifyRow(table, row));
  return proof.finishVerification();
}

class BundleVerifier {
  private document: BundleRow | null = null;
  private checkpoint: BundleRow | null = null;
  private chunks: StoredChunk[] = [];
  private readonly bases = new Map<number, Uint8Array>();
  private base = -1;
  private snapshot: Snapshot | null = null;
  private last: BundleRow | null = null;

  /** Checks a row and adds it to the state. Throws the error of a damaged file if the row is invalid. */
  verifyRow(table: BundleTable, row: BundleRow): void {
    try {
      this.addRow(table, row);
    } catch (error) {
      throw createDamagedArchiveError(`${table.name}: ${describeError(error)}`);
    }
  }

  /** Adds a row of the document, its checkpoints or its commits to the state. Rows of other tables are ignored. */
  private addRow(table: BundleTable, row: BundleRow): void {
    if (table === DOCUMENT) this.document = requireFirstRow(this.document, row);
    else if (table === CHECKPOINT) this.checkpoint = requireFirstRow(this.checkpoint, row);
    else if (table === CHUNKS) this.chunks.push(toStoredChunk(row));
    else if (table === BASES) this.bases.set(Number(row['revision']), row['meta'] as Uint8Array);
    else if (table === BASE_CHUNKS) this.addToCheckpoint(row);
    else if (table === COMMITS) this.applyCommit(row);
  }

  /** Adds a chunk to its retained checkpoint. Chunks arrive grouped by retained checkpoint. */
  private addToCheckpoint(row: BundleRow): void {
    const revision = Number(row['base_revision']);
    this.getNewestState();
    if (revision !== this.base) this.endCheckpoint();
    this.base = revision;
    this.chunks.push(toStoredChunk(row));
  }

  /** Checks that the chunks of the retained checkpoint just read restore a state, and discards them. */
  private endCheckpoint(): void {
    const meta = this.bases.get(this.base);
    if (meta !== undefined) restoreCheckpoint(meta, this.chunks);
    this.bases.delete(this.base);
    this.chunks = [];
  }

  /** Applies a commit after the checkpoint to the newest state. Throws if a commit is missing before it. */
  private applyCommit(row: BundleRow): void {
    const snapshot = this.getNewestState();
    const revision = Number(row['revision']);
    if (this.last !== null && revision !== Number(this.last['revision']) + 1) throw new Error('commits are missing');
    this.last = row;
    if (revision > Number(this.checkpoint?.['revision']))
      this.snapshot = applyDelta(snapshot, row['delta'] as Uint8Array);
  }

  /** The checkpoint's state when its chunks are complete, later the state of the last commit. */
  private getNewestState(): Snapshot {
    if (this.snapshot !== null) return this.snapshot;
    this.snapshot = restoreCheckpoint(this.checkpoint?.['meta'] as Uint8Array, this.chunks);
    this.chunks = [];
    return this.snapshot;
  }

  /** Checks that the checkpoint and all commits give the document that the bundle describes. Throws if they do not. */
  finishVerification(): VerifiedBundle {
    try {
      const snapshot = this.getNewestState();
      this.endCheckpoint();
      for (const meta of this.bases.values()) restoreCheckpoint(meta, []);
      exportData(snapshot);
      const { document, last } = this;
      if (document === null) throw new Error('there is no document');
      const { revision, settings } = snapshot;
      const { locale, dateSystem, timeZone } = settings;
      const columns = [document['revision'], document['locale'], document['date_system'], document['time_zone']];
      if (String(columns) !== String([revision, locale, dateSystem, timeZone]))
        throw new Error('the document row does not match the newest state');
      if (last !== null && last['head'] !== document['head'])
        throw new Error('the document row does not match the last commit');
      return { document, snapshot };
    } catch (error) {
      throw createDamagedArchiveError(describeError(error));
    }
  }
}

/** Returns the row. Throws if the bundle had such a row before. */
function requireFirstRow(previous: BundleRow | null, row: BundleRow): BundleRow {
  if (previous !== null) throw new Error('the row is repeated');
  return row;
}

function toStoredChunk(row: BundleRow): StoredChunk {
  return {
    sheet: Number(row['sheet_id']),
    column: Number(row['column_index']),
    block: Number(row['block']),
    bytes: row['bytes'] as Uint8Array,
  };
}

function describeError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
