import type { Database, Unit } from '../src/database/database.ts';

/** A database with some methods replaced. */
export function replaceMethods(database: Database, replacements: Partial<Database>): Database {
  return {
    read: (query) => database.read(query),
    readOne: (query) => database.readOne(query),
    readLatest: (query) => database.readLatest(query),
    readAll: (queries) => database.readAll(queries),
    readInBackground: (queries) => database.readInBackground(queries),
    readInBatches: (query, size) => database.readInBatches(query, size),
    openSnapshot: database.openSnapshot,
    commitPositions: database.commitPositions,
    write: (unit) => database.write(unit),
    countConnections: () => database.countConnections(),
    checkIntegrity: () => database.checkIntegrity(),
    close: () => database.close(),
    ...replacements,
  };
}

/** Runs a task directly before a document's next commit, or another matching unit, reaches the database. */
export class Interruption {
  private next: (() => Promise<unknown>) | null = null;
  private matches: (unit: Unit) => boolean = isCommit;

  readonly wrap = (database: Database): Database =>
    replaceMethods(database, {
      write: async (unit) => {
        const { next } = this;
        if (next !== null && this.matches(unit)) {
          this.next = null;
          await next();
        }
        return database.write(unit);
      },
    });

  /** Runs `task` once, before the next commit. */
  beforeCommit(task: () => Promise<unknown>): void {
    this.schedule(isCommit, task);
  }

  /** Runs `task` once, before the next unit that writes to the table. */
  beforeWriting(table: string, task: () => Promise<unknown>): void {
    const writePattern = new RegExp(`^(?:insert into|update|delete from) "${table}"`);
    this.schedule(({ statements }) => statements.some(({ sql }) => writePattern.test(sql)), task);
  }

  private schedule(isNext: (unit: Unit) => boolean, task: () => Promise<unknown>): void {
    this.matches = isNext;
    this.next = task;
  }
}

function isCommit({ statements }: Unit): boolean {
  return statements.some(({ sql }) => sql.startsWith('insert into "commits"'));
}
