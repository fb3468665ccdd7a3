import { randomUUID } from 'node:crypto';
import type { Database } from '@cellwire/store';
import { createLease, leaseOf, releaseLease, renewLease } from '@cellwire/store/documents';

/** What somebody else's lease looked like, and since when. */
interface Seen {
  readonly holder: string;
  readonly beats: number;
  /** Milliseconds of the steady clock. */
  readonly since: number;
}

/**
 * Work that one of all processes on a database does at a time. The holder beats; whoever has seen no beat for `lostMs`,
 * by its own steady clock, takes the lease over. No clock is compared with another. A holder that was stopped for
 * longer may go on for one step beside the next one: the work must bear that.
 */
export class Lease {
  private readonly database: Database;
  private readonly name: string;
  private readonly lostMs: number;
  private readonly steady: () => number;
  private readonly holder = randomUUID();
  private seen: Seen | null = null;
  private isHeld = false;

  /** `steady`: milliseconds of a clock that only goes forward. */
  constructor(database: Database, name: string, lostMs: number, steady: () => number = () => performance.now()) {
    this.database = database;
    this.name = name;
    this.lostMs = lostMs;
    this.steady = steady;
  }

  /** Whether the work is this process's, which is thereby said to all. To be asked before each step of it. */
  async take(): Promise<boolean> {
    const { name, holder } = this;
    const row = await this.database.readOne(leaseOf({ name }));
    const isFree = row === null || row.holder === holder || this.isLost(row);
    const statement =
      row === null
        ? createLease({ name, holder })
        : renewLease({ name, holder, seenHolder: row.holder, seenBeats: row.beats });
    this.isHeld = isFree && (await this.write(statement));
    return this.isHeld;
  }

  /** Whoever asks next has it. */
  async giveBack(): Promise<void> {
    if (this.isHeld) await this.write(releaseLease({ name: this.name, holder: this.holder }));
    this.isHeld = false;
  }

  private isLost({ holder, beats }: Omit<Seen, 'since'>): boolean {
    const { seen } = this;
    const now = this.steady();
    if (seen?.holder === holder && seen.beats === beats) return now - seen.since >= this.lostMs;
    this.seen = { holder, beats, since: now };
    return false;
  }

  private async write(statement: ReturnType<typeof createLease>): Promise<boolean> {
    return (await this.database.write({ document: null, statements: [statement] })).kind === 'committed';
  }
}
