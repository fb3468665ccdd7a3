import type { Database } from '@cellwire/store';
import {
  type CommitLoss,
  databaseCommitQueries,
  findLosses,
  type NewestCommit,
  readNewestCommits,
  toDatabaseCommit,
  writeNewestCommits,
} from '@cellwire/store/documents';
import { MAX_NEWEST_COMMITS, NEWEST_COMMITS_MS } from '../limits/open-documents.ts';
import type { CommitSignal } from './commit-signal.ts';

interface NewestCommitsOptions {
  readonly database: Pick<Database, 'readAll'>;
  readonly folder: string;
  readonly commits: Pick<CommitSignal, 'listenToOwnCommits'>;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly clock: () => number;
  readonly onError: (activity: string, error: unknown) => void;
}

/** Records the newest commits in a file, at most once a second and on shutdown. Writes do not wait for it. */
export class NewestCommits {
  /** Losses detected at earlier starts and at this one. */
  readonly losses: readonly CommitLoss[];
  /** Losses detected at this start. */
  readonly lost: readonly CommitLoss[];
  private readonly options: NewestCommitsOptions;
  /** Documents by the time of their last commit, the latest last. */
  private readonly documents: Set<string>;
  /** The document that was recorded last, which is the last of `documents`. */
  private latest: string | null = null;
  /** The pending or running write of the file. */
  private timer: NodeJS.Timeout | null = null;
  /** True if there are commits since the last write began. */
  private isOutdated = false;
  private writing: Promise<void> = Promise.resolve();

  private constructor(
    options: NewestCommitsOptions,
    newest: readonly NewestCommit[],
    before: readonly CommitLoss[],
    lost: readonly CommitLoss[],
  ) {
    this.options = options;
    this.documents = new Set(newest.map(({ document }) => document));
    this.lost = lost;
    this.losses = [...before, ...lost];
    options.commits.listenToOwnCommits((document) => this.recordCommit(document));
  }

  /** Checks for lost commits, then starts recording. */
  static async start(options: NewestCommitsOptions): Promise<NewestCommits> {
    const { newest, losses } = readNewestCommits(options.folder);
    const documents = newest.map(({ document }) => document);
    const found = await findDatabaseCommits(options.database, documents);
    const lost = findLosses(newest, found, options.clock());
    const started = new NewestCommits(options, newest, losses, lost);
    if (lost.length > 0) await started.writeCommits();
    return started;
  }

  async stop(): Promise<void> {
    await this.writing;
    if (this.timer !== null) clearTimeout(this.timer);
    if (this.documents.size > 0) await this.writeCommits();
  }

  /**
   * Remembers that the document has changed, forgets the oldest one above the limit, and schedules a write of the file.
   */
  private recordCommit(document: string): void {
    if (document !== this.latest) this.moveToEnd(document);
    this.isOutdated = true;
    this.scheduleWrite();
  }

  private moveToEnd(document: string): void {
    this.latest = document;
    this.documents.delete(document);
    this.documents.add(document);
    if (this.documents.size > MAX_NEWEST_COMMITS)
      for (const oldest of this.documents) {
        this.documents.delete(oldest);
        break;
      }
  }

  /** Writes the file in a second. The next write begins after this one, because both use the same temporary file. */
  private scheduleWrite(): void {
    this.timer ??= setTimeout(() => {
      this.isOutdated = false;
      this.writing = this.writeCommits().then(() => {
        this.timer = null;
        if (this.isOutdated) this.scheduleWrite();
      });
    }, NEWEST_COMMITS_MS).unref();
  }

  /** Writes the newest commits of the remembered documents, as the database has them, to the file. */
  private async writeCommits(): Promise<void> {
    const { database, folder, onError } = this.options;
    try {
      const documents = [...this.documents];
      const found = await findDatabaseCommits(database, documents);
      const newest = documents.flatMap((document, i): readonly NewestCommit[] => {
        const stored = found[i] ?? null;
        return stored === null || stored === 'deleted'
          ? []
          : [{ document, revision: stored.revision, head: stored.head }];
      });
      await writeNewestCommits(folder, { newest, losses: this.losses });
    } catch (error) {
      onError('noting the newest commits', error);
    }
  }
}

/** The newest commit of each document, in the same order; `deleted` for a deleted document, null for an unknown one. */
async function findDatabaseCommits(database: Pick<Database, 'readAll'>, documents: readonly string[]) {
  return Promise.all(documents.map(async (id) => toDatabaseCommit(await database.readAll(databaseCommitQueries(id)))));
}
