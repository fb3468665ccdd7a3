import { existsSync, readFileSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { removedDocument } from '../audit/audit.ts';
import type { RowsOf } from '../database/database.ts';
import { documentHead } from './documents.ts';

/**
 * Name of a file next to the embedded database, with the newest commits of recently written documents. SQLite does not
 * detect a lost write-ahead log: the database is then valid but outdated. This file reveals the loss.
 */
export const NEWEST_COMMITS_FILE = 'newest-commits.json';
const PRIVATE_FILE = 0o600;
/** Maximum number of losses stored in the file. */
const MAX_LOSSES = 1_000;

/** The newest commit of a document. */
export interface NewestCommit {
  readonly document: string;
  readonly revision: number;
  readonly head: string;
}

/** Acknowledged commits of a document that are missing from the database. */
export interface CommitLoss {
  readonly document: string;
  /** The newest revision that was written. */
  readonly written: number;
  /** The newest revision in the database; null if the document is missing. */
  readonly databaseRevision: number | null;
  /** When the loss was detected, in milliseconds since 1970-01-01 UTC. */
  readonly noticedAt: number;
}

interface NewestCommitsContent {
  readonly newest: readonly NewestCommit[];
  readonly losses: readonly CommitLoss[];
}

interface StoredNewestCommits extends NewestCommitsContent {
  readonly checksum?: number;
}

const NO_COMMITS: NewestCommitsContent = { newest: [], losses: [] };

/**
 * Reads the file. The result is empty if the file is missing, was truncated by a power failure, or does not match its
 * checksum: a wrong position would report a loss that did not happen. Files of earlier versions have no checksum.
 */
export function readNewestCommits(folder: string): NewestCommitsContent {
  const path = join(folder, NEWEST_COMMITS_FILE);
  if (!existsSync(path)) return NO_COMMITS;
  try {
    const { newest, losses, checksum } = JSON.parse(readFileSync(path, 'utf8')) as StoredNewestCommits;
    if (!Array.isArray(newest) || !Array.isArray(losses)) return NO_COMMITS;
    const content = { newest, losses };
    return checksum === undefined || checksum === computeChecksum(content) ? content : NO_COMMITS;
  } catch {
    return NO_COMMITS;
  }
}

/** Replaces the file atomically. */
export async function writeNewestCommits(folder: string, { newest, losses }: NewestCommitsContent): Promise<void> {
  const path = join(folder, NEWEST_COMMITS_FILE);
  const partial = `${path}.partial`;
  await rm(partial, { force: true });
  const content = { newest, losses: losses.slice(-MAX_LOSSES) };
  const file = await open(partial, 'wx', PRIVATE_FILE);
  try {
    await file.writeFile(JSON.stringify({ ...content, checksum: computeChecksum(content) }));
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(partial, path);
}

/** The CRC-32 of the file's content. */
function computeChecksum({ newest, losses }: NewestCommitsContent): number {
  return crc32(JSON.stringify({ newest, losses }));
}

/** The newest commit of a document in the database; `deleted` for a deleted document. */
type DatabaseCommit = Pick<NewestCommit, 'revision' | 'head'> | 'deleted';

/** Returns the queries whose rows `toDatabaseCommit` converts. */
export function databaseCommitQueries(id: string) {
  return [documentHead({ id }), removedDocument({ id })] as const;
}

/** The document's newest commit; `deleted` if it is in the trash or removed, null if it was never there. */
export function toDatabaseCommit([heads, removed]: RowsOf<
  ReturnType<typeof databaseCommitQueries>
>): DatabaseCommit | null {
  return heads[0] ?? (removed.length > 0 ? 'deleted' : null);
}

/** Returns commits that are in the file and missing in the database. */
export function findLosses(
  newest: readonly NewestCommit[],
  databaseCommits: readonly (DatabaseCommit | null)[],
  noticedAt: number,
): readonly CommitLoss[] {
  return newest.flatMap(({ document, revision, head }, i): readonly CommitLoss[] => {
    const databaseCommit = databaseCommits[i] ?? null;
    if (databaseCommit === null) return [{ document, written: revision, databaseRevision: null, noticedAt }];
    if (databaseCommit === 'deleted' || databaseCommit.revision > revision || databaseCommit.head === head) return [];
    return [{ document, written: revision, databaseRevision: databaseCommit.revision, noticedAt }];
  });
}

/** Describes a loss for users. */
export function describeLoss({ document, written, databaseRevision }: CommitLoss): string {
  if (databaseRevision === null) return `document ${document} (revision ${written}) is missing`;
  return `document ${document} is at revision ${databaseRevision}, and had revision ${written}`;
}
