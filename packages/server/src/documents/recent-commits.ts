import type { OpenArea } from '@cellwire/engine';
import { parseStoredJson, type StoredArea, type StoredAreas, type StructureText } from '@cellwire/store/stored-forms';
import { MAX_RECENT_AREAS_LENGTH, MAX_RECENT_COMMITS } from '../limits/open-documents.ts';

/** A position in a document's history: a commit by its revision and its random id. */
export interface CommitPosition {
  readonly revision: number;
  readonly commit: string;
}

/** The areas that a commit touched, according to the log. */
interface TouchedCommit {
  readonly revision: number;
  /**
   * The commit and its predecessor. The predecessor is null if an older version of Cellwire wrote the commit without
   * it.
   */
  readonly commit: string;
  readonly parent: string | null;
  /** `StoredAreas` as JSON text; null: too many to store, so the commit counts as touching everything. */
  readonly areas: string | null;
  /** Whether sheets themselves changed (name, order, number). This affects every range. */
  readonly structural: boolean;
}

/** The last commits of a document that this process has seen, without gaps, the newest last. */
export type RecentCommits = readonly TouchedCommit[];

export function addCommit(recent: RecentCommits, commit: TouchedCommit): RecentCommits {
  const { areas } = commit;
  const isKept = areas === null || areas.length <= MAX_RECENT_AREAS_LENGTH;
  // Every write adds a commit. Pushing to a copy would allocate the list twice.
  const count = Math.min(recent.length, MAX_RECENT_COMMITS - 1);
  const commits = new Array<TouchedCommit>(count + 1);
  for (let i = 0; i < count; i++) commits[i] = recent[recent.length - count + i] as TouchedCommit;
  commits[count] = isKept ? commit : { ...commit, areas: null };
  return commits;
}

/** Reads a commit from its row in the log. */
export function toTouchedCommit(row: {
  readonly revision: number;
  readonly head: string;
  readonly parent: string | null;
  readonly areas: string;
  readonly structure: StructureText | null;
}): TouchedCommit {
  const { revision, head: commit, parent, areas, structure } = row;
  return { revision, commit, parent, areas, structural: structure !== null };
}

/** A range of one sheet. */
export interface TargetRange {
  readonly sheet: number;
  readonly area: OpenArea;
}

/** Whether a range was touched since a position. */
type RangeStatus =
  /** No commit after the position touched it. */
  | 'untouched'
  /** A commit touched it, or the position belongs to another history. */
  | 'touched'
  /** The known commits do not reach back to the position. */
  | 'unknown';

/** Decides from commits that end at the document's newest one, `latest`. */
export function findRangeStatus(
  position: CommitPosition,
  target: TargetRange,
  commits: RecentCommits,
  latest: CommitPosition,
): RangeStatus {
  if (position.revision >= latest.revision) return isSamePosition(position, latest) ? 'untouched' : 'touched';
  const first = commits.findIndex(({ revision }) => revision === position.revision + 1);
  const next = commits[first];
  if (next === undefined || commits.at(-1)?.revision !== latest.revision) return 'unknown';
  const before = next.parent ?? commits[first - 1]?.commit;
  if (before !== position.commit) return before === undefined ? 'unknown' : 'touched';
  return commits.slice(first).some((commit) => touchesRange(commit, target)) ? 'touched' : 'untouched';
}

function isSamePosition(a: CommitPosition, b: CommitPosition): boolean {
  return a.revision === b.revision && a.commit === b.commit;
}

/** True if the commit may have changed a cell in the range. Structural commits and commits with unknown areas count. */
function touchesRange({ areas, structural }: TouchedCommit, { sheet, area }: TargetRange): boolean {
  if (structural || areas === null) return true;
  const { written, derived, named = [], rest = [] } = parseStoredJson<StoredAreas>(areas, 'The areas of a commit');
  const all = [...written, ...derived, ...named];
  // A commit without cells may come from an older version that did not record changes of sheets.
  if (all.length === 0) return true;
  return rest.some(([of]) => of === sheet) || all.some((one) => one[0] === sheet && overlapsArea(one, area));
}

function overlapsArea([, top, left, bottom, right]: StoredArea, area: OpenArea): boolean {
  const isBeside = right < area.left || (!area.openColumns && left > area.right);
  const isAboveOrBelow = bottom < area.top || (!area.openRows && top > area.bottom);
  return !isBeside && !isAboveOrBelow;
}
