import type { Database, Unit } from '../../src/store/database.ts';

/** A database with some of its doors replaced. */
export function around(database: Database, replaced: Partial<Database>): Database {
  return {
    read: (query) => database.read(query),
    readOne: (query) => database.readOne(query),
    readLatest: (query) => database.readLatest(query),
    readAll: (queries) => database.readAll(queries),
    write: (unit) => database.write(unit),
    check: () => database.check(),
    close: () => database.close(),
    ...replaced,
  };
}

/** Lets something happen just before a document's next commit reaches the database. */
export class Interruption {
  private next: (() => Promise<unknown>) | null = null;

  readonly wrap = (database: Database): Database =>
    around(database, {
      write: async (unit) => {
        const { next } = this;
        if (next !== null && isCommit(unit)) {
          this.next = null;
          await next();
        }
        return database.write(unit);
      },
    });

  /** Once. */
  beforeCommit(happens: () => Promise<unknown>): void {
    this.next = happens;
  }
}

function isCommit({ statements }: Unit): boolean {
  return statements.some(({ sql }) => sql.startsWith('insert into "commits"'));
}
