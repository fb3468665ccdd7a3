/** Maximum ranges that one request names. The service does not read more. Earlier ranges are dropped. */
const MAX_RANGES = 500;

/** The revisions that this page wrote, as ascending ranges. */
export class OwnRevisions {
  private readonly ranges: { readonly first: number; readonly last: number }[] = [];

  /** Revisions of one page ascend, because it sends its writes one after another. */
  add(revision: number): void {
    const newest = this.ranges.at(-1);
    if (newest === undefined || revision > newest.last + 1) this.ranges.push({ first: revision, last: revision });
    else if (revision === newest.last + 1) this.ranges.splice(-1, 1, { first: newest.first, last: revision });
    if (this.ranges.length > MAX_RANGES) this.ranges.shift();
  }

  /** The ranges that end after a revision, such as `12,15-18`; empty if there are none. */
  formatAfter(revision: number): string {
    const laterRanges = this.ranges.filter(({ last }) => last > revision);
    return laterRanges.map(({ first, last }) => (first === last ? `${first}` : `${first}-${last}`)).join(',');
  }
}
