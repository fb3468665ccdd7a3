import { isDeepStrictEqual } from 'node:util';
import { type Move, mergedMoves, reversed } from '@cellwire/engine';

interface Entry {
  readonly revision: number;
  readonly moves: readonly Move[];
}

/** How a revision is taken back after others. */
export interface WayBack {
  /** What puts the cells that it moved back into their places. */
  readonly moves: readonly Move[];
  /** How the cells of the state before the revision come to where they are then, and those of the state after it, too. */
  readonly before: readonly Move[];
  readonly after: readonly Move[];
  /** Whether these do not say it: what the moved cells held is written instead. */
  readonly isByContent: boolean;
}

/**
 * How cells have moved, commit by commit, around one that is to be taken back. A commit that another has taken back is as
 * if neither of the two had been: what came in between is told as it would have been without it. So lines that were
 * deleted come back into the order that they had, whatever the order in which their deletions are taken back.
 */
export class MovesSince {
  private readonly revision: number;
  private entries: readonly Entry[] = [];
  /** What commits before the revision, taken back after it, make of the states before and after it. */
  private readonly earlier: { readonly before: Move[]; readonly after: Move[] } = { before: [], after: [] };

  constructor(revision: number) {
    this.revision = revision;
  }

  /** Commits come in their order, the one that is to be taken back among them. */
  add(revision: number, moves: readonly Move[]): void {
    this.entries = [...this.entries, { revision, moves }];
  }

  /** How cells of the state after the revision have moved. */
  get since(): readonly Move[] {
    return [...this.earlier.after, ...this.later.flatMap(({ moves }) => moves)];
  }

  private get later(): readonly Entry[] {
    return this.entries.filter(({ revision }) => revision > this.revision);
  }

  /** A commit takes back another by `moves`. False where that cannot be told from any commit: it is to be added then. */
  takeBack(undone: number, moves: readonly Move[]): boolean {
    const at = this.entries.findIndex(({ revision }) => revision === undone);
    const found = this.entries[at];
    if (found === undefined || undone === this.revision) return false;
    const after: Entry[] = [];
    const around: { before: readonly Move[]; after: readonly Move[] } = { before: [], after: [] };
    let back = backward(found.moves);
    for (const { revision, moves: then } of this.entries.slice(at + 1)) {
      const merged = mergedMoves(back, then);
      if (merged === null) return false;
      if (revision === this.revision) around.before = back;
      back = merged.first;
      if (revision === this.revision) around.after = back;
      after.push({ revision, moves: merged.second });
    }
    if (!isDeepStrictEqual(back, moves)) return false;
    this.entries = [...this.entries.slice(0, at), ...after];
    this.earlier.before.push(...around.before);
    this.earlier.after.push(...around.after);
    return true;
  }

  /** Null where moves cannot say it. */
  wayBack(): WayBack | null {
    return this.past(past);
  }

  /**
   * The same by force: cells that were cut over others, or into lines that go, are taken for uncut as far as lines that
   * move are concerned; of anything else that moves cannot say, what cells held is brought back where they are by now.
   */
  forcedWayBack(): WayBack {
    const way = this.past((back, moves) => past(back, moves) ?? pastOneByOne(back, moves));
    if (way !== null) return way;
    const shifts = this.later.flatMap(({ moves }) => moves).filter(({ kind }) => kind !== 'carry');
    const { before, after } = this.earlier;
    return { moves: [], before: [...before, ...shifts], after: [...after, ...shifts], isByContent: true };
  }

  private past(step: typeof past): WayBack | null {
    const own = this.entries.find(({ revision }) => revision === this.revision)?.moves ?? [];
    let way: WayBack = {
      moves: backward(own),
      before: this.earlier.before,
      after: this.earlier.after,
      isByContent: false,
    };
    for (const { moves } of this.later) {
      const next = step(way.moves, moves);
      if (next === null) return null;
      const { before, after } = way;
      way = { ...way, moves: next.moves, before: [...before, ...next.before], after: [...after, ...next.after] };
    }
    return way;
  }
}

type Step = Pick<WayBack, 'moves' | 'before' | 'after'>;

/** The way back once later moves have been made. */
function past(back: readonly Move[], moves: readonly Move[]): Step | null {
  const merged = mergedMoves(back, moves);
  return merged && { moves: merged.first, before: merged.second, after: moves };
}

/** The same, those left out that cut cells where lines go back. */
function pastOneByOne(back: readonly Move[], moves: readonly Move[]): Step | null {
  let way: Step = { moves: back, before: [], after: [] };
  for (const move of moves) {
    const next = past(way.moves, [move]);
    const isOverLines = move.kind === 'carry' && way.moves.every(({ kind }) => kind !== 'carry');
    if (next === null && !isOverLines) return null;
    if (next === null) continue;
    way = { moves: next.moves, before: [...way.before, ...next.before], after: [...way.after, move] };
  }
  return way;
}

/** The moves that take the same cells back. */
export function backward(moves: readonly Move[]): readonly Move[] {
  return moves.map(reversed).reverse();
}
