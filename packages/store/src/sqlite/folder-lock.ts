import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { StoreError } from '../database/database.ts';
import { BUSY_TIMEOUT_MS, FOLDER_LOCK_MS } from '../database/limits.ts';

export const LOCK_NAME = 'cellwire.lock';
const SERVING_LOCK_NAME = 'serving.lock';
const PRIVATE_FILE = 0o600;

/** Locks a data folder exclusively until it is released. Throws `StoreError` (`IN_USE`) if another process uses it. */
export function lockFolder(folder: string): { release(): void } {
  return lockExclusively(folder, LOCK_NAME, `Another process uses the data folder ${folder}: end it first`);
}

/**
 * Locks a data folder for the only process that may serve it. Other processes can still use the folder for single
 * commands. Throws `StoreError` (`IN_USE`) if another process serves it.
 */
export function lockServing(folder: string): { release(): void } {
  const message = `Another service uses the data folder ${folder}: end it first. Several services need PostgreSQL`;
  return lockExclusively(folder, SERVING_LOCK_NAME, message);
}

/** Locks the folder. Throws the message, with the code `IN_USE`, if another process has the lock. */
function lockExclusively(folder: string, name: string, message: string): { release(): void } {
  const db = openLockFile(folder, name);
  db.pragma(`busy_timeout = ${FOLDER_LOCK_MS}`);
  try {
    db.exec('begin exclusive');
  } catch (error) {
    db.close();
    throw new StoreError(`${message} (${error instanceof Error ? error.message : String(error)})`, 'IN_USE');
  }
  return { release: () => db.close() };
}

function openLockFile(folder: string, name: string): Database.Database {
  const file = join(folder, name);
  closeSync(openSync(file, 'a', PRIVATE_FILE));
  return new Database(file, { timeout: BUSY_TIMEOUT_MS });
}

/** The error if another process uses a folder whose schema must change. */
export function createInUseError(reason: unknown): StoreError {
  const message =
    'Another process uses this data folder, and this version must change its schema: end that process first';
  return new StoreError(`${message} (${reason instanceof Error ? reason.message : String(reason)})`, 'IN_USE');
}

/**
 * Shared lock on a data folder, held while a process uses the folder. A schema change needs the lock exclusively, so
 * that no process uses a schema that it does not know. It is an SQLite lock on an empty file; the operating system
 * releases it when the process ends.
 */
export class FolderLock {
  private readonly db: Database.Database;

  constructor(folder: string) {
    this.db = openLockFile(folder, LOCK_NAME);
    this.lockShared();
  }

  /** Runs a task while no other process uses the folder. Throws `StoreError` if one does. */
  runExclusively(task: () => void): void {
    this.db.exec('commit');
    try {
      this.db.exec('begin exclusive');
    } catch (error) {
      throw createInUseError(error);
    }
    try {
      task();
    } finally {
      this.db.exec('commit');
      this.lockShared();
    }
  }

  close(): void {
    this.db.close();
  }

  /** Takes a shared lock: others may share it, but none may lock exclusively. */
  private lockShared(): void {
    this.db.exec('begin');
    this.db.prepare('select count(*) from sqlite_master').get();
  }
}
