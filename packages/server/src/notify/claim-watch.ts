/** A claimed delivery. The claim is a unique name that its sender chose. */
interface ClaimedRow {
  readonly claim: string | null;
}

/**
 * Finds claims that have been held for too long. This process measures their age by its monotonic clock, from the time
 * it first saw them, and never uses times that another machine stored. Wrong clocks therefore cannot expire the claim
 * of a running sender early. The claim of a dead sender expires after this process has seen it for the whole lifetime.
 */
export class ClaimWatch {
  private readonly lifetimeMs: number;
  /** Time at which each held claim was first seen, by the monotonic clock. */
  private firstSeen = new Map<string, number>();

  constructor(lastsMs: number) {
    this.lifetimeMs = lastsMs;
  }

  /**
   * The rows whose claim has been seen for at least `lifetimeMs`. `rows` are all claimed deliveries; `steady` is the
   * time of the monotonic clock in milliseconds.
   */
  findExpiredClaims<Row extends ClaimedRow>(rows: readonly Row[], steady: number): readonly Row[] {
    const firstSeen = new Map<string, number>();
    for (const { claim } of rows) if (claim !== null) firstSeen.set(claim, this.firstSeen.get(claim) ?? steady);
    this.firstSeen = firstSeen;
    return rows.filter(({ claim }) => claim !== null && steady - (firstSeen.get(claim) ?? steady) >= this.lifetimeMs);
  }
}
