/** A delivery that somebody has claimed; the claim is a name that is never given twice. */
interface ClaimedRow {
  readonly claim: string | null;
}

/**
 * Tells which claims have been held for too long. Their age is measured by the steady clock from the moment this process
 * saw them first, never read from what another clock wrote: a claim of a living sender cannot lapse early, whatever any
 * clock says, and one of a dead sender lapses when it has been seen for the whole time.
 */
export class ClaimWatch {
  private readonly lifetimeMs: number;
  /** When each claim that is still held was first seen. */
  private seen = new Map<string, number>();

  constructor(lastsMs: number) {
    this.lifetimeMs = lastsMs;
  }

  /** `rows`: all that are claimed now; `steady`: of this process's steady clock. */
  expired<Row extends ClaimedRow>(rows: readonly Row[], steady: number): readonly Row[] {
    const seen = new Map<string, number>();
    for (const { claim } of rows) if (claim !== null) seen.set(claim, this.seen.get(claim) ?? steady);
    this.seen = seen;
    return rows.filter(({ claim }) => claim !== null && steady - (seen.get(claim) ?? steady) >= this.lifetimeMs);
  }
}
