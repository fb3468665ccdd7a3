import type { OpenArea } from '@cellwire/engine';
import type { StoredArea, StoredAreas, StructureText } from '@cellwire/store/stored-forms';
import { MAX_RECENT_AREAS_LENGTH, MAX_RECENT_COMMITS } from '../limits/open-documents.ts';

/** A place in a document's history: a commit by its revision and its random id. */
export interface Position {
  readonly revision: number;
  readonly commit: string;
}

/** What a commit touched, as the log tells it. */
interface Touched {
  readonly revision: number;
  /** The commit itself, and the one before it; null where a version wrote it that did not say. */
  readonly commit: string;
  readonly parent: string | null;
  /** `StoredAreas` as JSON text; null: too much to keep, and so taken for everything. */
  readonly areas: string | null;
  /** Whether sheets as such were changed: names, order, number. That touches what any range shows. */
  readonly structural: boolean;
}

/** The last commits of a document that this process has seen, without a gap, the newest last. */
export type RecentCommits = readonly Touched[];

export function withCommit(recent: RecentCommits, commit: Touched): RecentCommits {
  const { areas } = commit;
  const isKept = areas === null || areas.length <= MAX_RECENT_AREAS_LENGTH;
  const commits = recent.slice(1 - MAX_RECENT_COMMITS);
  commits.push(isKept ? commit : { ...commit, areas: null });
  return commits;
}

/** A commit by its row in the log. */
export function touchedOf(row: {
  readonly revision: number;
  readonly head: string;
  readonly parent: string | null;
  readonly areas: string;
  readonly structure: StructureText | null;
}): Touched {
  const { revision, head: commit, parent, areas, structure } = row;
  return { revision, commit, parent, areas, structural: structure !== null };
}

/** A range of one sheet. */
export interface Target {
  readonly sheet: number;
  readonly area: OpenArea;
}

/** What has become of a range since a position. */
type Since =
  /** No commit after the position touched it. */
  | 'untouched'
  /** Some did, or the position is of another history. */
  | 'touched'
  /** These commits do not reach back to the position. */
  | 'unknown';

/** Judges by commits that end at the document's newest, `latest`. */
export function touchedSince(position: Position, target: Target, commits: RecentCommits, latest: Position): Since {
  if (position.revision >= latest.revision) return isSame(position, latest) ? 'untouched' : 'touched';
  const first = commits.findIndex(({ revision }) => revision === position.revision + 1);
  const next = commits[first];
  if (next === undefined || commits.at(-1)?.revision !== latest.revision) return 'unknown';
  const before = next.parent ?? commits[first - 1]?.commit;
  if (before !== position.commit) return before === undefined ? 'unknown' : 'touched';
  return commits.slice(first).some((commit) => touches(commit, target)) ? 'touched' : 'untouched';
}

function isSame(a: Position, b: Position): boolean {
  return a.revision === b.revision && a.commit === b.commit;
}

function touches({ areas, structural }: Touched, { sheet, area }: Target): boolean {
  if (structural || areas === null) return true;
  const { written, derived, named = [], rest = [] } = JSON.parse(areas) as StoredAreas;
  const all = [...written, ...derived, ...named];
  // A commit that tells of no cell may be of a version that did not say what it did to sheets.
  if (all.length === 0) return true;
  return rest.some(([of]) => of === sheet) || all.some((one) => one[0] === sheet && overlaps(one, area));
}

function overlaps([, top, left, bottom, right]: StoredArea, area: OpenArea): boolean {
  const isBeside = right < area.left || (!area.openColumns && left > area.right);
  const isAboveOrBelow = bottom < area.top || (!area.openRows && top > area.bottom);
  return !isBeside && !isAboveOrBelow;
}
