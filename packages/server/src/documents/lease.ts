import { randomUUID } from 'node:crypto';
import type { Database } from '@cellwire/store';
import { createLease, leaseOf, releaseLease, renewLease } from '@cellwire/store/documents';

/** Another holder's lease as last read, and the time since which it is unchanged. */
interface ObservedLease {
  readonly holder: string;
  readonly beats: number;
  /** Monotonic clock, in milliseconds. */
  readonly since: number;
}

/**
 * A lease on work that only one process per database does at a time. The holder renews it. A process that sees no
 * renewal for `lostMs` on its own monotonic clock takes the lease over, so clocks of machines are never compared. A
 * holder that was suspended may finish one step while the next holder already works: the work must tolerate that.
 */
export class Lease {
  private readonly database: Database;
  private readonly name: string;
  private readonly lostMs: number;
  private readonly steady: () => number;
  private readonly holder = randomUUID();
  private seen: ObservedLease | null = null;
  private isHeld = false;

  /** `steady`: a monotonic clock in milliseconds. */
  constructor(database: Database, name: string, lostMs: number, steady: () => number = () => performance.now()) {
    this.database = database;
    this.name = name;
    this.lostMs = lostMs;
    this.steady = steady;
  }

  /** Takes or renews the lease and returns whether this process holds it. Call it before each step of the work. */
  async acquire(): Promise<boolean> {
    const { name, holder } = this;
    const row = await this.database.readOne(leaseOf({ name }));
    const isFree = row === null || row.holder === holder || this.isLost(row);
    const statement =
      row === null
        ? createLease({ name, holder })
        : renewLease({ name, holder, seenHolder: row.holder, seenBeats: row.beats });
    this.isHeld = isFree && (await this.writeLease(statement));
    return this.isHeld;
  }

  /** Gives the lease up: the next process that asks gets it. */
  async release(): Promise<void> {
    if (this.isHeld) await this.writeLease(releaseLease({ name: this.name, holder: this.holder }));
    this.isHeld = false;
  }

  /** True if the holder has not renewed the lease for `lostMs`, measured by the clock of this process. */
  private isLost({ holder, beats }: Omit<ObservedLease, 'since'>): boolean {
    const { seen } = this;
    const now = this.steady();
    if (seen?.holder === holder && seen.beats === beats) return now - seen.since >= this.lostMs;
    this.seen = { holder, beats, since: now };
    return false;
  }

  /** True if the statement took or renewed the lease; false if another node holds it. */
  private async writeLease(statement: ReturnType<typeof createLease>): Promise<boolean> {
    return (await this.database.write({ document: null, statements: [statement] })).kind === 'committed';
  }
}
