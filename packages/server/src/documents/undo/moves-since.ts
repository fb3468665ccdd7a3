import { isDeepStrictEqual } from 'node:util';
import { type Move, mergedMoves, reversed } from '@cellwire/engine';
import type { HeldCommit, Way, WayBack, WayFromStates } from './types.ts';

interface Entry {
  readonly revision: number;
  readonly moves: readonly Move[];
  /** Whether it made or removed names or tables, or rewrote formulas in their places. */
  readonly changesFormulas: boolean;
  /** The commit that it took back itself. */
  readonly undoes: number | null;
  /** What the states around it hold although it is taken back by now. */
  readonly held: readonly HeldCommit[];
}

/**
 * How cells have moved, commit by commit, around one that is to be taken back. A commit that another has taken back is as
 * if neither of the two had been: what came in between is told as it would have been without it. So lines that were
 * deleted come back into the order that they had, whatever the order in which their deletions are taken back.
 */
export class MovesSince {
  private readonly revision: number;
  private entries: readonly Entry[] = [];
  /** Whether what took commits back is told from them; else it is not certain where lines that they moved would be. */
  private isTold = true;

  constructor(revision: number) {
    this.revision = revision;
  }

  /** Commits come in their order, the one that is to be taken back among them. */
  add(commit: Omit<Entry, 'held'>): void {
    this.entries = [...this.entries, { ...commit, held: [] }];
  }

  /** How cells of the state after the revision have moved. */
  get since(): readonly Move[] {
    const held = this.own?.held ?? [];
    return [...held.flatMap(({ after }) => after.moves), ...this.later.flatMap(({ moves }) => moves)];
  }

  private get own(): Entry | undefined {
    return this.entries.find(({ revision }) => revision === this.revision);
  }

  private get later(): readonly Entry[] {
    return this.entries.filter(({ revision }) => revision > this.revision);
  }

  /** A commit takes back another by `moves`. False where that cannot be told from any commit: it is to be added then. */
  takeBack(undone: number, moves: readonly Move[]): boolean {
    const at = undone === this.revision ? -1 : this.entries.findIndex(({ revision }) => revision === undone);
    if (at < 0) return false;
    const entries = this.without(at, moves);
    if (entries === null) this.isTold = false;
    else this.entries = entries;
    return entries !== null;
  }

  /** The commits without one that `moves` take back after them; null where these are not its way back. */
  private without(at: number, moves: readonly Move[]): readonly Entry[] | null {
    const found = this.entries[at] as Entry;
    const { revision: undone, changesFormulas } = found;
    const after: Entry[] = [];
    let way: WayFromStates = { moves: backward(found.moves), before: [], after: [], held: found.held };
    for (const entry of this.entries.slice(at + 1)) {
      const step = past(way.moves, entry.moves);
      if (step === null) return null;
      const next = { ...onwards(way, step), held: found.held };
      const behind = entry.revision === this.revision ? (this.wayBehindOwn(undone, entry) ?? next) : next;
      const there = isDeepStrictEqual(behind.moves, next.moves) ? behind : next;
      const one = { revision: undone, changesFormulas, before: way, after: there };
      after.push({ ...entry, moves: step.before, held: [...entry.held, one] });
      way = next;
    }
    return isDeepStrictEqual(way.moves, moves) ? [...this.entries.slice(0, at), ...after] : null;
  }

  /**
   * How a commit is taken back in the state after `own` where that has taken back one itself: there neither of the two has
   * been. Cells moved there and back would come to the same places, but tables and references not to what they were.
   */
  private wayBehindOwn(undone: number, own: Entry): WayFromStates | null {
    const before = new MovesSince(own.revision);
    before.entries = this.entries.filter(({ revision }) => revision < own.revision);
    if (own.undoes === null || !before.takeBack(own.undoes, own.moves)) return null;
    const at = before.entries.findIndex(({ revision }) => revision === undone);
    const found = before.entries[at];
    if (found === undefined) return null;
    let way: Way = { moves: backward(found.moves), before: [], after: [] };
    for (const { moves } of before.entries.slice(at + 1)) {
      const step = past(way.moves, moves);
      if (step === null) return null;
      way = onwards(way, step);
    }
    return { ...way, held: found.held };
  }

  /** Null where moves cannot say it. */
  wayBack(): WayBack | null {
    const { moves = [], held = [] } = this.own ?? {};
    return this.isTold || moves.length + held.length === 0 ? this.past(past) : null;
  }

  /**
   * The same by force: cells that were cut over others, or into lines that go, are taken for uncut as far as lines that
   * move are concerned; of anything else that moves cannot say, what cells held is brought back where they are by now.
   */
  forcedWayBack(): WayBack {
    const way = this.past((back, moves) => past(back, moves) ?? pastOneByOne(back, moves));
    if (way !== null) return way;
    const shifts = this.later.flatMap(({ moves }) => moves).filter(({ kind }) => kind !== 'carry');
    return { moves: [], before: shifts, after: shifts, held: this.own?.held ?? [], isByContent: true };
  }

  private past(step: typeof past): WayBack | null {
    let way: Way = { moves: backward(this.own?.moves ?? []), before: [], after: [] };
    for (const { moves } of this.later) {
      const next = step(way.moves, moves);
      if (next === null) return null;
      way = onwards(way, next);
    }
    return { ...way, held: this.own?.held ?? [], isByContent: false };
  }
}

/** A way once a step more has been made. */
function onwards({ before, after }: Way, step: Way): Way {
  return { moves: step.moves, before: [...before, ...step.before], after: [...after, ...step.after] };
}

/** The way back once later moves have been made. */
function past(back: readonly Move[], moves: readonly Move[]): Way | null {
  const merged = mergedMoves(back, moves);
  return merged && { moves: merged.first, before: merged.second, after: moves };
}

/** The same, those left out that cut cells where lines go back. */
function pastOneByOne(back: readonly Move[], moves: readonly Move[]): Way | null {
  let way: Way = { moves: back, before: [], after: [] };
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
