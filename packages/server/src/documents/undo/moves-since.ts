import { isDeepStrictEqual } from 'node:util';
import { type Move, mergedMoves, reversed } from '@cellwire/engine';
import type { HeldCommit, Way, WayBack, WayFromStates } from './types.ts';

interface Entry {
  readonly revision: number;
  readonly moves: readonly Move[];
  /** Whether it created or removed names or tables, or rewrote unmoved formulas. */
  readonly changesFormulas: boolean;
  /** The commit that this commit undid. */
  readonly undoes: number | null;
  /** Commits that are undone now but are still part of the states around this one. */
  readonly held: readonly HeldCommit[];
}

/**
 * Tracks how cells moved, commit by commit, around a commit to undo. A commit and its undo cancel each other out: the
 * commits between them are described as if the undone commit had never happened. Deleted lines therefore return in
 * their original order, no matter in which order their deletions are undone.
 */
export class MovesSince {
  private readonly revision: number;
  private entries: readonly Entry[] = [];
  /**
   * Whether all undos could be derived from the commits. If not, the positions of the lines they moved are uncertain.
   */
  private isTold = true;

  constructor(revision: number) {
    this.revision = revision;
  }

  /** Commits are added in order, including the one to undo. */
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

  /**
   * A commit undoes another one by `moves`. False if these cannot be derived from any commit; the caller then adds the
   * commit.
   */
  takeBack(undone: number, moves: readonly Move[]): boolean {
    const at = undone === this.revision ? -1 : this.entries.findIndex(({ revision }) => revision === undone);
    if (at < 0) return false;
    const entries = this.without(at, moves);
    if (entries === null) this.isTold = false;
    else this.entries = entries;
    return entries !== null;
  }

  /** The commits without one that `moves` undo after them. Null if the moves do not undo it. */
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
   * How to undo a commit in the state after `own`, if `own` itself undid that commit. In that state neither of the two
   * has happened. Moving cells there and back would restore their positions, but not tables and references.
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

  /** Null if moves cannot express the undo. */
  wayBack(): WayBack | null {
    const { moves = [], held = [] } = this.own ?? {};
    return this.isTold || moves.length + held.length === 0 ? this.past(past) : null;
  }

  /**
   * The forced undo. Cells that were cut over others, or into lines that are removed, count as uncut while lines move.
   * For everything else that moves cannot express, the old content of cells is written at their current positions.
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

/** Extends a way by one more step. */
function onwards({ before, after }: Way, step: Way): Way {
  return { moves: step.moves, before: [...before, ...step.before], after: [...after, ...step.after] };
}

/** The undo moves, adjusted to later moves. */
function past(back: readonly Move[], moves: readonly Move[]): Way | null {
  const merged = mergedMoves(back, moves);
  return merged && { moves: merged.first, before: merged.second, after: moves };
}

/** The same, without moves that cut cells into lines that are reinserted. */
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

/** The moves that bring the same cells back. */
export function backward(moves: readonly Move[]): readonly Move[] {
  return moves.map(reversed).reverse();
}
