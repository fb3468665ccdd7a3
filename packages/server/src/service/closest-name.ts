import { MAX_COMPARED_NAME_LENGTH } from '../limits/requests.ts';

/** A name is an abbreviation if it has at least this many characters and at least this share of the whole name. */
const MIN_ABBREVIATION = 3;
const MIN_ABBREVIATION_SHARE = 0.4;

/** The known name that is closest to a misspelt one, such as `dryRun` for `dryrun`; null if none is close. */
export function findClosestName(misspelt: string, names: Iterable<string>): string | null {
  if (misspelt.length > MAX_COMPARED_NAME_LENGTH) return null;
  const name = simplifyName(misspelt);
  let closest: string | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of names) {
    const distance = measureDistance(name, simplifyName(candidate));
    if (distance >= least) continue;
    least = distance;
    closest = candidate;
  }
  return closest;
}

/** The edit distance of two names: 1 for an abbreviation, infinity if it exceeds a third of the longer length. */
function measureDistance(name: string, other: string): number {
  if (isAbbreviation(name, other)) return 1;
  const distance = computeEditDistance(name, other);
  return distance <= Math.max(name.length, other.length) / 3 ? distance : Number.POSITIVE_INFINITY;
}

/** The name in lower case, without the separators of `dry_run` and `dry-run`. */
function simplifyName(name: string): string {
  return name.toLowerCase().replace(/[-_\s]/g, '');
}

/** True if a name starts like the other and its characters appear there in the same order: `cnt` of `count`. */
function isAbbreviation(name: string, longName: string): boolean {
  if (name.length < Math.max(MIN_ABBREVIATION, longName.length * MIN_ABBREVIATION_SHARE) || name[0] !== longName[0]) {
    return false;
  }
  let at = 0;
  for (const character of longName) if (character === name[at]) at++;
  return at === name.length;
}

/** The optimal string alignment distance: insertions, deletions, substitutions, and swaps of neighbours. */
function computeEditDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const next = [row];
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1];
      let least = Math.min(
        (last[column] as number) + 1,
        (next[column - 1] as number) + 1,
        (last[column - 1] as number) + (isSame ? 0 : 1),
      );
      const isSwapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (isSwapped) least = Math.min(least, (beforeLast[column - 2] as number) + 1);
      next.push(least);
    }
    beforeLast = last;
    last = next;
  }
  return last[b.length] as number;
}
