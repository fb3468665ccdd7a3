import { isDeepStrictEqual } from 'node:util';
import { type Move, mergedMoves, reversed } from '@cellwire/engine';
import type { HeldCommit, Way, WayBack } from '../documents/types.ts';

interface Entry {
  readonly revision: number;
  readonly moves: readonly Move[];
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

  constructor(revision: number) {
    this.revision = revision;
  }

  /** Commits come in their order, the one that is to be taken back among them. */
  add(revision: number, moves: readonly Move[]): void {
    this.entries = [...this.entries, { revision, moves, held: [] }];
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
    const at = this.entries.findIndex(({ revision }) => revision === undone);
    const found = this.entries[at];
    if (found === undefined || undone === this.revision) return false;
    const after: Entry[] = [];
    let way: Way = { moves: backward(found.moves), before: [], after: [] };
    for (const entry of this.entries.slice(at + 1)) {
      const step = past(way.moves, entry.moves);
      if (step === null) return false;
      const next = onwards(way, step);
      const one = { revision: undone, before: way, after: next, held: found.held };
      after.push({ ...entry, moves: step.before, held: [...entry.held, one] });
      way = next;
    }
    if (!isDeepStrictEqual(way.moves, moves)) return false;
    this.entries = [...this.entries.slice(0, at), ...after];
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
